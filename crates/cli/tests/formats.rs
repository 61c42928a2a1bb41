//! `tavern lore`, `tavern chat` and `tavern import` from the outside.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

fn tavern(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tavern"))
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// What a command printed; it must end with this code.
fn printed(folder: &TempDir, arguments: &[&str], code: i32) -> (String, String) {
    let output = tavern(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

fn as_json(folder: &TempDir, arguments: &[&str], code: i32) -> Value {
    serde_json::from_str(&printed(folder, arguments, code).0).unwrap()
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

const WORLD: &str = r#"{"entries": {
    "0": {"uid": 0, "key": ["ferry"], "comment": "Ferry", "content": "It leaves at dusk.", "position": 4, "depth": 2},
    "1": {"uid": 1, "key": ["/^mill(/"], "content": "Burned down.", "position": 12}
}}"#;

#[test]
fn lore_show_prints_entries_with_keys_and_tokens() {
    let folder = folder(&[("fens.json", WORLD)]);
    let (out, err) = printed(&folder, &["lore", "show", "fens.json"], 0);
    assert!(out.starts_with("Lorebook: 2 entries, "), "{out}");
    assert!(out.contains("    0  Ferry  keys, at depth 2, order 100, "), "{out}");
    assert!(out.contains("\n       ferry\n"), "{out}");
    assert!(err.contains("warning: fens.json: [field.unknown_value] 12 has no known meaning"), "{err}");
    let report = as_json(&folder, &["lore", "show", "fens.json", "--json"], 0);
    assert_eq!(report["entries"][0]["entry"]["content"], "It leaves at dusk.");
}

#[test]
fn lore_lint_fails_when_something_cannot_work() {
    let folder = folder(&[
        ("fens.json", WORLD),
        ("good.json", r#"{"entries": {"0": {"uid": 0, "key": ["a"], "content": "A", "position": 0}}}"#),
    ]);
    let (out, _) = printed(&folder, &["lore", "lint", "fens.json"], 1);
    assert!(
        out.contains("error: /^mill(/ (#1) `position`: position 12 is unknown, so the text goes nowhere"),
        "{out}"
    );
    assert!(out.contains("fens.json: 2 entries, 2 findings, 2 of them errors"), "{out}");
    assert_eq!(
        printed(&folder, &["lore", "lint", "good.json"], 0).0,
        "good.json: 1 entries, 0 findings, 0 of them errors\n"
    );
    let report = as_json(&folder, &["lore", "lint", "fens.json", "good.json", "--json", "--budget", "3"], 1);
    let rules: Vec<&str> =
        report[0]["findings"].as_array().unwrap().iter().map(|f| f["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["budget_hog", "invalid_regex", "position_without_effect", "budget_hog"]);
}

#[test]
fn lore_convert_goes_to_a_book_and_back() {
    let folder = folder(&[("fens.json", WORLD)]);
    printed(&folder, &["lore", "convert", "fens.json", "--to", "book", "-o", "book.json"], 0);
    let book: Value = serde_json::from_slice(&fs::read(folder.path().join("book.json")).unwrap()).unwrap();
    assert_eq!(book["entries"][0]["extensions"]["depth"], 2);
    let world = as_json(&folder, &["lore", "convert", "book.json", "--to", "world"], 0);
    assert_eq!(world["entries"]["1"]["position"], 12);
    let card = json!({"spec": "chara_card_v2", "data": {"name": "Bram", "character_book": book}});
    fs::write(folder.path().join("card.json"), card.to_string()).unwrap();
    assert_eq!(
        as_json(&folder, &["lore", "show", "card.json", "--json"], 0)["entries"].as_array().unwrap().len(),
        2
    );
    let (_, err) = printed(&folder, &["lore", "show", "nothing.json"], 1);
    assert_eq!(err, "error: nothing.json: no such file\n");
}

const CHAT: &str = "{\"chat_metadata\":{\"note_prompt\":\"Rain.\"}}\n{\"name\":\"Ilse\",\"is_user\":true,\"mes\":\"Hello?\",\"send_date\":\"2026-01-01\"}\n{\"name\":\"Bram\",\"mes\":\"Hm.\",\"swipes\":[\"Hm.\",\"Ah.\"],\"swipe_id\":0}\n{\"name\":\"\",\"is_system\":true,\"mes\":\"help\"}\nbroken";

#[test]
fn chat_show_stats_and_convert() {
    let folder = folder(&[("c.jsonl", CHAT)]);
    let (out, err) = printed(&folder, &["chat", "show", "c.jsonl"], 0);
    assert_eq!(out, "author's note: Rain.\n#0 Ilse \nHello?\n\n#1 Bram swipe 1 of 2\nHm.\n\n");
    assert!(err.contains("[chat.broken_line]") && err.contains("(at line 5)"), "{err}");
    let stats = as_json(&folder, &["chat", "stats", "c.jsonl", "--json", "--model", "gpt-4o"], 0);
    assert_eq!(
        (&stats["messages"], &stats["user"], &stats["hidden"], &stats["swipes"], &stats["speakers"]["Bram"]),
        (&json!(3), &json!(1), &json!(1), &json!(1), &json!(1))
    );
    assert!(stats["tokens"].as_u64().unwrap() > 3);
    assert_eq!(
        as_json(&folder, &["chat", "convert", "c.jsonl", "--to", "openai"], 0),
        json!([{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Hm."}])
    );
    printed(&folder, &["chat", "convert", "c.jsonl", "--to", "jsonl", "-o", "same.jsonl"], 0);
    assert_eq!(fs::read_to_string(folder.path().join("same.jsonl")).unwrap(), CHAT);
}

#[test]
fn chat_of_several_asks_which() {
    let file = json!({"histories": {"histories": [{"msgs": []}, {"msgs": [{"src": {"is_human": false}, "text": "Two"}]}]}});
    let folder = folder(&[("cai.json", &file.to_string())]);
    let (_, err) = printed(&folder, &["chat", "show", "cai.json"], 1);
    assert_eq!(err, "error: cai.json: the file holds 2 chats; choose one with --pick\n");
    let (out, _) = printed(
        &folder,
        &["chat", "convert", "cai.json", "--to", "text", "--pick", "2", "--character", "Bram"],
        0,
    );
    assert_eq!(out, "Bram: Two\n\n");
}

#[test]
fn import_takes_stock_and_follows_links() {
    let folder = folder(&[
        (
            "data/default-user/settings.json",
            r#"{"username": "Ilse", "world_info_settings": {"world_info": {"globalSelect": ["Fens", "Gone"]}}}"#,
        ),
        ("data/default-user/characters/Bram.json", r#"{"name": "Bram", "description": "D", "chat": "c"}"#),
        ("data/default-user/chats/Bram/c.jsonl", CHAT),
        ("data/default-user/worlds/Fens.json", WORLD),
        ("data/default-user/worlds/bad.json", "{"),
    ]);
    let (out, err) = printed(&folder, &["import", "data"], 1);
    assert!(out.contains("       1  characters\n       1  chats\n       2  lorebooks\n"), "{out}");
    assert!(out.contains("broken: worlds/bad.json: "), "{out}");
    assert!(err.contains("the lorebook \"Gone\" does not exist"), "{err}");
    let report = as_json(&folder, &["import", "data/default-user", "--json"], 1);
    assert_eq!(report["items"].as_array().unwrap().len(), 4);

    let (out, _) = printed(&folder, &["import", "data", "--character", "Bram"], 0);
    assert_eq!(
        out,
        "Bram  characters/Bram.json\nchat      c (3 messages)\npersona   Ilse (Active)\npreset    the settings in use\nlorebook  Fens (global)\n"
    );
    let (_, err) = printed(&folder, &["import", "data", "--character", "Zed"], 1);
    assert!(err.ends_with("there is no character \"Zed\" among the 1 in `characters`\n"), "{err}");
    let (_, err) = printed(&folder, &["import", "."], 1);
    assert!(!err.contains("not a data folder"), "data/default-user is found from above: {err}");
}
