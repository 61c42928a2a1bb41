//! `tavern card` from the outside.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

fn tavern(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tavern"))
        .arg("card")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with one card in it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let card = json!({
        "spec": "chara_card_v3", "spec_version": "3.0",
        "data": {
            "name": "Bram", "nickname": "Keeper", "description": "Tends the lamp.", "personality": "", "scenario": "", "first_mes": "You again.",
            "mes_example": "", "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [],
            "tags": ["sea"], "creator": "me", "character_version": "1", "extensions": {}, "group_only_greetings": [],
            "assets": [{"type": "emotion", "uri": "data:image/png;base64,AAEC", "name": "happy", "ext": "png"}]
        }
    });
    fs::write(folder.path().join("bram.json"), card.to_string()).unwrap();
    folder
}

#[test]
fn shows_a_card_and_a_folder() {
    let folder = folder();
    let one = tavern(folder.path(), &["show", "bram.json"]);
    assert_eq!(
        text(&one.stdout),
        "Bram  V3 in Json  bram.json\n  nickname     Keeper\n  creator      me\n  version      1\n  tags         sea\n  \
         description  Tends the lamp.\n  greeting     You again.\n  greetings    1\n  assets       happy.png (emotion)\n"
    );
    fs::write(folder.path().join("broken.png"), b"not a picture").unwrap();
    fs::write(folder.path().join("notes.txt"), b"not a card").unwrap();
    fs::copy(folder.path().join("bram.json"), folder.path().join("second.json")).unwrap();
    let all = tavern(folder.path(), &["show", "."]);
    assert_eq!(all.status.code(), Some(1));
    assert_eq!(text(&all.stdout).lines().count(), 2);
    assert!(text(&all.stderr).contains("broken.png: this is not a card"));
    let machine = tavern(folder.path(), &["show", "--json", "bram.json", "second.json"]);
    let cards: Vec<Value> =
        text(&machine.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((cards.len(), &cards[0]["name"], &cards[0]["version"]), (2, &json!("Bram"), &json!("v3")));
}

#[test]
fn validates() {
    let folder = folder();
    let clean = tavern(folder.path(), &["validate", "bram.json"]);
    assert_eq!((clean.status.code(), text(&clean.stdout).as_str()), (Some(0), "✓ bram.json\n"));
    fs::write(
        folder.path().join("bad.json"),
        r#"{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"B","tags":"x"}}"#,
    )
    .unwrap();
    let bad = tavern(folder.path(), &["validate", "bad.json"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(text(&bad.stdout).contains("error   data.tags: expected a list of texts but found a text"));
}

#[test]
fn a_card_travels_through_every_container() {
    let folder = folder();
    let run = |arguments: &[&str]| {
        let output = tavern(folder.path(), arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    };
    run(&["convert", "bram.json", "a.png", "--spec", "both"]);
    run(&["convert", "a.png", "b.charx"]);
    run(&["embed", "b.charx", "a.png", "c.png"]);
    run(&["convert", "c.png", "d.json", "--spec", "v2"]);
    run(&["convert", "d.json", "e.json", "--spec", "v3"]);
    let end: Value = serde_json::from_slice(&fs::read(folder.path().join("e.json")).unwrap()).unwrap();
    assert_eq!((&end["data"]["nickname"], &end["data"]["creator"]), (&json!("Keeper"), &json!("me")));
    run(&["extract", "b.charx", "out"]);
    assert_eq!(fs::read(folder.path().join("out/happy.png")).unwrap(), [0, 1, 2]);
    assert!(folder.path().join("out/card.json").is_file());
}

#[test]
fn refuses_with_advice() {
    let folder = folder();
    for (arguments, message) in [
        (
            &["convert", "bram.json", "bram.json"][..],
            "error: bram.json: the file exists; give --force to replace it\n",
        ),
        (&["convert", "bram.json", "x.gif"], "error: x.gif: the ending must be .json, .png or .charx\n"),
        (
            &["convert", "bram.json", "x.json", "--spec", "both"],
            "error: --spec both is for PNG only; a JSON file holds one version\n",
        ),
        (
            &["convert", "bram.json", "x.charx", "--spec", "v2"],
            "error: a CHARX file holds a V3 card; leave --spec out or say v3\n",
        ),
        (&["show", "gone.png"], "error: gone.png: no such file\n"),
    ] {
        let output = tavern(folder.path(), arguments);
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(1), message));
    }
}
