mod archives;
mod json_cards;
mod pictures;
mod validation;
mod versions;

use serde_json::{Value, json};

use super::*;
use crate::archive::Writer;
use crate::png::{Chunk, Keyword, Png, Text};
use crate::{ErrorKind, Limits, base64, json};

fn limits() -> Limits {
    Limits::default()
}

fn open(bytes: &[u8]) -> CardFile {
    read(bytes, None, &limits()).unwrap()
}

fn refusal(bytes: &[u8]) -> String {
    read(bytes, None, &limits()).unwrap_err().to_string()
}

fn told(file: &CardFile) -> Vec<String> {
    file.warnings().iter().map(ToString::to_string).collect()
}

fn v3() -> Value {
    json!({
        "spec": "chara_card_v3", "spec_version": "3.0", "zeta": [1.5, {"b": 1, "a": 2}],
        "data": {
            "name": "Bram", "nickname": "Keeper", "description": "Tends the lamp.", "personality": "dry", "scenario": "",
            "first_mes": "You again.", "mes_example": "", "creator_notes": "", "system_prompt": "",
            "post_history_instructions": "", "alternate_greetings": ["Hm."], "tags": ["sea"], "creator": "",
            "character_version": "1", "extensions": {"other/tool": {"x": null}}, "group_only_greetings": [],
            "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}],
            "source": ["somewhere"], "creation_date": 1700000000, "unknown": {"kept": true}
        }
    })
}

fn png_with(chunks: Vec<Chunk<'static>>) -> Vec<u8> {
    let base = Png::smallest();
    let mut png = Png::parse(&base, &limits()).unwrap();
    for chunk in chunks {
        png.insert_before_end(chunk);
    }
    png.to_bytes()
}

fn slot(keyword: Keyword, value: &Value) -> Chunk<'static> {
    Text::to_chunk(&keyword, &base64::encode(value.to_string().as_bytes())).unwrap()
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = Writer::default();
    for (name, content) in files {
        writer.add(name, content).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn yaml_characters() {
    let text = "name: Bram\ngreeting: |-\n  You\n  again.\ncontext: Keeper.\nmine: 1\n";
    for (bytes, name) in [(text.to_owned(), None), (text.replace("name: Bram\n", "name:\n"), Some("x.YAML"))]
    {
        let file = read(bytes.as_bytes(), name, &limits()).unwrap();
        assert_eq!(file.container(), Container::Yaml);
        assert_eq!(
            (file.character().first_mes.as_str(), file.character().description.as_str()),
            ("You\nagain.", "Keeper.")
        );
        assert_eq!(file.to_v3().raw()["mine"], 1);
    }
}

#[test]
fn file_names_are_safe() {
    let asset = |name: &str, extension: &str| Asset {
        kind: String::new(),
        name: name.into(),
        extension: extension.into(),
        uri: String::new(),
        place: Place::Missing,
        path: String::new(),
    };
    for (name, extension, expected) in [
        ("../../etc/passwd", "", "_.._etc_passwd"),
        ("happy", "webp", "happy.webp"),
        ("happy.WEBP", "webp", "happy.WEBP"),
        ("con", "png", "_con.png"),
        ("..", "", "unnamed"),
        ("a/b:c", "p/g", "a_b_c.p_g"),
    ] {
        assert_eq!(asset(name, extension).file_name(), expected);
    }
}
