use super::*;

fn charx() -> Vec<u8> {
    let mut value = v3();
    value["data"]["assets"] = json!([
        {"type": "icon", "uri": "embeded://assets/icon/main.png", "name": "main", "ext": "png"},
        {"type": "emotion", "uri": "embedded://./assets\\e.webp", "name": "e", "ext": "webp"},
        {"type": "x", "uri": "__asset:assets/x.bin", "name": "x", "ext": ""},
    ]);
    archive(&[
        ("card.json", json::indented(&value, 2).as_bytes()),
        ("assets/icon/main.png", &Png::smallest()),
        ("assets/e.webp", b"e"),
        ("assets/x.bin", b"x"),
        ("module.risum", b"\x6f\0module"),
    ])
}

#[test]
fn charx_with_and_without_a_leading_picture() {
    for prefix in [&b""[..], b"\xff\xd8\xff\xd9", b"MZ some program", &Png::smallest()] {
        let bytes = [prefix, &charx()].concat();
        let file = open(&bytes);
        assert_eq!(file.container(), Container::CharX);
        let places: Vec<_> = file.assets().iter().map(|asset| asset.place.clone()).collect();
        assert_eq!(
            places,
            ["assets/icon/main.png", "assets/e.webp", "assets/x.bin", "module.risum"]
                .map(|path| Place::Entry(path.into()))
        );
        assert_eq!(file.assets()[2].extension, "bin");
        assert_eq!(file.asset_bytes(&file.assets()[3], &bytes, &limits()).unwrap(), b"\x6f\0module");
        assert_eq!(file.write_charx(Some(&bytes), &limits()).unwrap(), bytes);
    }
}

#[test]
fn a_changed_card_keeps_the_module_and_the_prefix() {
    let bytes = [&b"\xff\xd8\xff\xd9"[..], &charx()].concat();
    let mut file = open(&bytes);
    file.card_mut().set("name", "Ilse");
    let written = file.write_charx(Some(&bytes), &limits()).unwrap();
    assert!(written.starts_with(b"\xff\xd8\xff\xd9PK"));
    let again = open(&written);
    assert_eq!(again.character().name, "Ilse");
    assert_eq!(again.assets().len(), 4);
    assert_eq!(again.asset_bytes(&again.assets()[3], &written, &limits()).unwrap(), b"\x6f\0module");
}

#[test]
fn archives_without_a_card_say_so() {
    assert_eq!(
        refusal(&archive(&[("readme.txt", b"x")])),
        "the archive holds no `card.json` (CHARX) and no `manifest.json` (BYAF), so there is no card in it"
    );
    let error = read(&archive(&[("card.json", b"{")]), None, &limits()).unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Json, Some("card.json")));
    assert_eq!(
        refusal(&archive(&[("manifest.json", b"{\"characters\": []}")])),
        "the archive's manifest names no character; it is not a whole BYAF file (at manifest.json: characters)"
    );
    assert_eq!(
        refusal(&archive(&[("manifest.json", b"{\"characters\": [\"c.json\"]}")])),
        "the archive's manifest names a character file that is not there; get a whole copy of the file (at c.json)"
    );
}

#[test]
fn byaf_as_sillytavern_imports_it() {
    let scenario = |greeting: &str| {
        json!({
            "narrative": "{user} arrives", "firstMessages": [{"text": greeting}], "formattingInstructions": "be {character}",
            "exampleMessages": [{"text": "#{user}: hi\n#{Character}: {{char}} {user}}"}, {"text": ""}], "topK": 7
        })
    };
    let bytes = archive(&[
        ("manifest.json", json!({"characters": ["characters/a/character.json", "b.json"], "scenarios": ["s1.json", "s2.json", "s3.json", "gone.json"], "author": {"name": "me", "backyardURL": "https://x"}}).to_string().as_bytes()),
        ("characters/a/character.json", json!({"name": "", "displayName": "Bram", "persona": "{character} is dry", "isNSFW": true, "loreItems": [{"key": "sea, {user} ,", "value": "wet"}]}).to_string().as_bytes()),
        ("characters/a/images/1.png", b"png"),
        ("s1.json", scenario("Hello {user}").to_string().as_bytes()),
        ("s2.json", scenario("Hello {user}").to_string().as_bytes()),
        ("s3.json", scenario("Other").to_string().as_bytes()),
    ]);
    let file = open(&bytes);
    let character = file.character();
    assert_eq!(file.container(), Container::Byaf);
    assert_eq!(
        (character.name.as_str(), character.description.as_str(), character.scenario.as_str()),
        ("Bram", "{{char}} is dry", "{{user}} arrives")
    );
    assert_eq!(
        (character.first_mes.as_str(), &character.alternate_greetings[..]),
        ("Hello {{user}}", &["Other".to_owned()][..])
    );
    assert_eq!(character.mes_example, "<START>\n{{user}}: hi\n{{char}}: {{char}} {user}}");
    assert_eq!(
        (character.system_prompt.as_str(), character.creator_notes.as_str(), character.creator.as_str()),
        ("be {{char}}", "https://x", "me")
    );
    assert_eq!(character.tags, ["nsfw"]);
    assert_eq!(file.card().book().unwrap()["entries"][0]["keys"], json!(["sea", "{{user}}"]));
    assert_eq!(file.card().extensions().unwrap()["byaf"]["scenarios"][0]["topK"], 7);
    assert_eq!(
        told(&file),
        [
            "[byaf.several_characters] the archive holds 2 characters; only the first was read (at manifest.json: characters)",
            "[byaf.scenario] the scenario is not in the archive; it was left out (at gone.json)",
        ]
    );
    assert_eq!(file.assets()[0].place, Place::Entry("characters/a/images/1.png".into()));
}
