//! What a real SillyTavern wrote is read without a complaint and comes back as it was.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tavernkit_formats::Limits;
use tavernkit_formats::chat::{Chat, ChatMetadata, Party};
use tavernkit_formats::json;
use tavernkit_formats::lorebook::{LoreEntry, Lorebook};
use tavernkit_formats::preset::ChatPreset;
use tavernkit_formats::record::{Field, List};
use tavernkit_formats::regex_script::RegexScript;
use tavernkit_formats::st_data::{PowerUser, WorldInfoSettings};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/sillytavern")
}

fn load(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .unwrap()
}

/// The recorded files whose names end like this, in order.
fn recorded(ending: &str) -> Vec<(String, Value)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder().join("scenarios")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    assert!(paths.len() > 50, "the recorded cases are there");
    paths.iter().map(|path| (path.display().to_string(), load(path))).collect()
}

/// Reads a value as a record, asserts that it comes back, and returns it.
fn comes_back<T: Field>(value: &Value, place: &str) -> T {
    let mut warnings = Vec::new();
    let read =
        T::read(value, &json::Path::Root, &mut warnings).unwrap_or_else(|| panic!("{place}: not read"));
    assert_eq!(warnings, [], "{place}");
    assert_eq!(read.write().to_string(), value.to_string(), "{place}");
    read
}

#[test]
fn settings() {
    for (place, golden) in recorded(".golden.json") {
        let effective = &golden["effective"];
        let power_user: PowerUser = comes_back(&effective["power_user"], &place);
        assert_eq!(json!(power_user.instruct.enabled), effective["power_user"]["instruct"]["enabled"]);
        comes_back::<WorldInfoSettings>(&effective["world_info_settings"], &place);
        if effective["main_api"] != "openai" {
            continue;
        }
        let preset: ChatPreset = comes_back(&effective["oai_settings"], &place);
        assert_eq!(
            json!(preset.max_context),
            effective["oai_settings"]["openai_max_context"].as_f64().unwrap()
        );
        // The order that was recorded is one whose prompts all exist.
        assert_eq!(preset.prompt_set().warnings, [], "{place}");
    }
}

#[test]
fn chats() {
    let mut count = 0;
    for (place, golden) in recorded(".golden.json") {
        for step in golden["steps"].as_array().unwrap() {
            if let Value::Object(_) = &step["metadata_after"] {
                comes_back::<ChatMetadata>(&step["metadata_after"], &place);
            }
            let Some(messages) = step["chat_after"].as_array() else { continue };
            let lines: Vec<String> = messages.iter().map(json::compact).collect();
            let text = format!("{{\"chat_metadata\":{{}}}}\n{}", lines.join("\n"));
            let read = Chat::parse(text.as_bytes(), Party::Solo, &Limits::default()).unwrap();
            assert_eq!(read.value.messages.len(), messages.len(), "{place}");
            assert_eq!(read.value.to_jsonl(), text, "{place}");
            assert_eq!(read.warnings, [], "{place}");
            count += messages.len();
        }
    }
    assert!(count > 200, "{count} messages");
}

#[test]
fn worlds() {
    let mut count = 0;
    let template = LoreEntry::default().to_full_map();
    let mut check = |place: &str, worlds: &Value| {
        for (name, entries) in worlds.as_object().into_iter().flatten() {
            let entries = entries.as_array().unwrap().iter().map(|entry| {
                let mut full = template.clone();
                full.extend(entry.as_object().unwrap().clone());
                (full["uid"].to_string(), Value::Object(full))
            });
            let file = json!({"entries": entries.collect::<Map<_, _>>()});
            let read = Lorebook::from_value(file.clone()).unwrap();
            // Cases about odd positions and depths are meant to be odd.
            assert!(
                read.warnings.iter().all(|w| w.code == "field.unknown_value" || w.code == "field.type"),
                "{place} {name}: {:?}",
                read.warnings
            );
            assert_eq!(json::compact(&read.value.to_world().value), json::compact(&file), "{place} {name}");
            count += read.value.entries.len();
            // And through a card's book and back.
            let book = Lorebook::from_value(read.value.to_character_book().value).unwrap().value;
            let back = Lorebook::from_value(book.to_world().value).unwrap().value;
            assert_eq!(back.entries.len(), read.value.entries.len(), "{place} {name}");
            for (was, now) in read.value.entries.iter().zip(&back.entries) {
                for field in [
                    "key",
                    "keysecondary",
                    "content",
                    "order",
                    "position",
                    "probability",
                    "group",
                    "characterFilter",
                    "sticky",
                    "triggers",
                ] {
                    let (was, now) = (was.to_full_map(), now.to_full_map());
                    assert_eq!(was[field], now[field], "{place} {name} {field}");
                }
            }
        }
    };
    for (place, scenario) in recorded(".scenario.json") {
        check(&place, &scenario["worlds"]);
    }
    for case in load(&folder().join("world-info.json"))["cases"].as_array().unwrap() {
        check(&case["id"].to_string(), &case["worlds"]);
    }
    assert!(count > 250, "{count} entries");
}

#[test]
fn scripts() {
    let mut count = 0;
    for case in load(&folder().join("regex.json"))["cases"].as_array().unwrap() {
        let scripts = match (&case["script"], &case["scripts"]) {
            (Value::Null, Value::Array(scripts)) => Value::Array(scripts.clone()),
            (script, _) => json!([script]),
        };
        let read: List<RegexScript> = Field::read(&scripts, &json::Path::Root, &mut Vec::new()).unwrap();
        assert_eq!(read.write(), scripts, "{}", case["id"]);
        count += read.len();
    }
    assert!(count > 20, "{count} scripts");
}
