use serde_json::json;

use super::*;
use crate::persona::PersonaPosition;

fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

fn world(content: &str) -> String {
    json!({"entries": {"0": {"uid": 0, "key": ["k"], "position": 0, "content": content}}}).to_string()
}

fn card(name: &str, extensions: serde_json::Value) -> String {
    json!({"spec": "chara_card_v2", "spec_version": "2.0", "chat": "first", "data": {"name": name, "description": "D", "extensions": extensions}})
        .to_string()
}

/// A user with two characters, a group, books in every place and two personas.
fn files() -> MemoryFolder {
    let mut files = MemoryFolder::default();
    let settings = json!({
        "username": "Ilse", "user_avatar": "ilse.png", "main_api": "openai",
        "world_info_settings": {"world_info_depth": 3, "world_info": {
            "globalSelect": ["Everywhere", "Gone"],
            "charLore": [{"name": "Bram", "extraBooks": ["Extra", "Everywhere", "OfChat"]}, {"name": "Nobody", "extraBooks": []}]
        }},
        "oai_settings": {"preset_settings_openai": "Mine", "temp_openai": 0.7, "custom_model": "m", "openai_max_context": 9000,
            "bind_preset_to_connection": false},
        "power_user": {
            "personas": {"ilse.png": "Ilse", "joris.png": "Joris"},
            "persona_descriptions": {"joris.png": {"description": "A smith.", "lorebook": "OfPersona", "position": 4},
                "ilse.png": {"description": "stale"}},
            "persona_description": "A ferrywoman."
        },
        "extension_settings": {
            "regex": [{"scriptName": "G", "findRegex": "/a/", "placement": [1]}],
            "character_allowed_regex": ["Bram.json"], "preset_allowed_regex": {"openai": ["Fresh"]}
        }
    });
    files.insert("settings.json", settings.to_string());
    let script = json!([{"scriptName": "C", "findRegex": "/b/", "placement": [2]}]);
    files.insert("characters/Bram.json", card("Bram", json!({"world": "OfBram", "regex_scripts": script})));
    files.insert("characters/Cato.json", card("Cato the Elder", json!({"regex_scripts": script})));
    for name in ["Everywhere", "Extra", "OfBram", "OfChat", "OfPersona"] {
        files.insert(format!("worlds/{name}.json"), world(name));
    }
    files.insert(
        "chats/Bram/first.jsonl",
        "{\"chat_metadata\":{\"world_info\":\"OfChat\",\"persona\":\"joris.png\"}}\n{\"name\":\"Bram\",\"mes\":\"Hm.\"}\nbroken",
    );
    files.insert("chats/Bram/second.jsonl", "{\"chat_metadata\":{}}\n{\"name\":\"Bram\",\"mes\":\"Ah.\"}");
    files.insert(
        "groups/7.json",
        json!({"id": "7", "name": "Inn", "members": ["Bram.json", "Cato.json", "gone.png"], "chat_id": "g1"})
            .to_string(),
    );
    files.insert(
        "group chats/g1.jsonl",
        "{\"name\":\"Bram\",\"mes\":\"One.\"}\n{\"name\":\"Cato\",\"mes\":\"Two.\"}",
    );
    files.insert(
        "OpenAI Settings/Fresh.json",
        json!({"temperature": 1.1, "custom_model": "other", "prompts": [],
        "extensions": {"regex_scripts": script}})
        .to_string(),
    );
    files
}

fn open() -> DataFolder<MemoryFolder> {
    DataFolder::open(files(), Limits::default()).unwrap()
}

fn names(books: &[NamedBook]) -> Vec<&str> {
    books.iter().map(|book| book.name.as_str()).collect()
}

#[test]
fn every_link_is_followed() {
    let bundle = open().resolve(&Request::character("Bram")).unwrap();
    assert_eq!(bundle.characters[0].0, "Bram.json");
    assert_eq!(
        (bundle.chat_name.as_deref(), bundle.chat.as_ref().unwrap().messages.len()),
        (Some("first"), 1)
    );
    assert_eq!(names(&bundle.books.global), ["Everywhere"]);
    assert_eq!(names(&bundle.books.character), ["OfBram", "Extra"], "not those that are elsewhere already");
    assert_eq!(bundle.books.chat.as_ref().unwrap().name, "OfChat");
    assert_eq!(bundle.books.persona.as_ref().unwrap().name, "OfPersona");
    assert_eq!((bundle.persona.name.as_str(), bundle.persona_choice), ("Joris", PersonaChoice::ChatLock));
    assert_eq!(bundle.persona.description.position, PersonaPosition::AtDepth);
    assert_eq!((bundle.preset_name.as_deref(), bundle.preset.temperature), (Some("Mine"), 0.7));
    assert_eq!(
        (bundle.scripts.global.len(), bundle.scripts.preset.len(), bundle.scripts.of("Bram.json").count()),
        (1, 0, 2)
    );
    assert_eq!(bundle.settings.world_info.depth, 3.0);
    assert_eq!(
        texts(&bundle.warnings),
        [
            "[chat.broken_line] the line is no JSON (expected a value but found `b` at column 1; put text in double quotes); it is kept, and is not part of the chat (at chats/Bram/first.jsonl: line 3)",
            "[data.missing_book] the lorebook \"Gone\", selected for all chats, does not exist (at worlds/Gone.json)",
        ]
    );
}

#[test]
fn the_chat_decides_about_the_persona() {
    let bundle = open().resolve(&Request::character("Bram").with_chat("second")).unwrap();
    assert_eq!((bundle.persona.name.as_str(), bundle.persona_choice), ("Ilse", PersonaChoice::Active));
    assert_eq!(
        bundle.persona.description.description, "A ferrywoman.",
        "the copy in use, not the stored one"
    );
    assert_eq!(names(&bundle.books.character), ["OfBram", "Extra", "OfChat"]);
    let asked = Request { persona: Some("Joris".into()), ..Request::character("Bram").with_chat("second") };
    assert_eq!(open().resolve(&asked).unwrap().persona_choice, PersonaChoice::Requested);
}

#[test]
fn defaults_and_connections() {
    let mut files = MemoryFolder::default();
    let settings = json!({"power_user": {"personas": {"a.png": "A", "b.png": "B"}, "default_persona": "a.png",
        "persona_descriptions": {"b.png": {"connections": [{"type": "character", "id": "Bram.json"}]}}}});
    files.insert("settings.json", settings.to_string());
    files.insert("characters/Bram.json", card("Bram", json!({})));
    files.insert("characters/Cato.json", card("Cato", json!({})));
    let data = DataFolder::open(files, Limits::default()).unwrap();
    let choice = |name: &str| {
        let bundle = data.resolve(&Request::character(name)).unwrap();
        (bundle.persona.name, bundle.persona_choice)
    };
    assert_eq!(choice("Bram"), ("B".into(), PersonaChoice::Connection));
    assert_eq!(choice("Cato"), ("A".into(), PersonaChoice::Default));
}

#[test]
fn a_preset_is_laid_over_the_settings() {
    let request = Request { preset: Some("Fresh".into()), ..Request::character("Bram") };
    let bundle = open().resolve(&request).unwrap();
    assert_eq!((bundle.preset.temperature, bundle.preset.max_context), (1.1, 9000.0));
    assert_eq!(bundle.preset.raw()["custom_model"], "m", "presets are not bound to connections here");
    assert_eq!(bundle.scripts.preset.len(), 1);
    assert_eq!(bundle.preset_name.as_deref(), Some("Fresh"));
}

#[test]
fn groups() {
    let bundle = open().resolve(&Request::group("Inn")).unwrap();
    assert_eq!(
        bundle.characters.iter().map(|(file, _)| file.as_str()).collect::<Vec<_>>(),
        ["Bram.json", "Cato.json"]
    );
    assert_eq!(bundle.chat.as_ref().unwrap().messages.len(), 2, "no header in this chat");
    assert!(bundle.speaker().is_none());
    assert_eq!(bundle.books.of("Cato.json").count(), 0);
    assert_eq!((bundle.scripts.of("Bram.json").count(), bundle.scripts.of("Cato.json").count()), (2, 1));
    assert_eq!(names(&bundle.books.character), ["OfBram", "Extra", "OfChat"]);
    assert_eq!(
        texts(&bundle.warnings)[0],
        "[data.missing_member] member \"gone.png\" of group \"Inn\" cannot be read: there is no such file (at characters/gone.png)"
    );
}

#[test]
fn scripts_and_books_that_are_not_used_are_said() {
    let mut files = files();
    let book = json!({"spec": "chara_card_v2", "data": {"name": "Dirk", "character_book": {"entries": []},
        "extensions": {"regex_scripts": [{"scriptName": "x"}]}}});
    files.insert("characters/Dirk.json", book.to_string());
    let bundle =
        DataFolder::open(files, Limits::default()).unwrap().resolve(&Request::character("Dirk")).unwrap();
    let warnings = texts(&bundle.warnings);
    assert!(warnings.contains(&"[data.book_not_imported] Dirk.json brings a book that was never imported; SillyTavern does not use it (at characters/Dirk.json)".into()), "{warnings:?}");
    assert!(warnings.contains(&"[data.scripts_not_allowed] Dirk.json brings 1 regex scripts that the user has not allowed; they do not run".into()), "{warnings:?}");
}

#[test]
fn what_was_asked_for_must_be_there() {
    let error = |request: Request| open().resolve(&request).unwrap_err().to_string();
    assert_eq!(error(Request::character("Zed")), "there is no character \"Zed\" among the 2 in `characters`");
    assert_eq!(error(Request::group("Zed")), "there is no group \"Zed\" among the 1 in `groups`");
    assert_eq!(
        error(Request::character("Cato the Elder").with_chat("none")),
        "there is no such file (at chats/Cato/none.jsonl)"
    );
    assert_eq!(
        error(Request { persona: Some("Z".into()), ..Request::character("Bram") }),
        "there is no persona \"Z\" in the settings"
    );
    assert_eq!(
        error(Request { preset: Some("Z".into()), ..Request::character("Bram") }),
        "there is no such file (at OpenAI Settings/Z.json)"
    );
    assert_eq!(error(Request::default()), "name a character or a group to put together");
    let error = DataFolder::open(MemoryFolder::default(), Limits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this is not a data folder of SillyTavern: it has neither settings.json nor a `characters` folder; give the folder of one user, such as data/default-user"
    );
}

#[test]
fn links_do_not_lead_out_of_their_folder() {
    let mut files = files();
    files.insert("secrets.json", world("secret"));
    files.insert("chats/Bram/evil.jsonl", "{\"chat_metadata\":{\"world_info\":\"../secrets\"}}");
    let data = DataFolder::open(files, Limits::default()).unwrap();
    let bundle = data.resolve(&Request::character("Bram").with_chat("evil")).unwrap();
    assert!(bundle.books.chat.is_none());
    let last = bundle.warnings.last().unwrap().to_string();
    assert_eq!(
        last,
        "[data.broken_book] the lorebook \"../secrets\", linked by the chat, cannot be read: \"../secrets\" is not the name of a file in its folder, so it is not followed (at worlds/../secrets.json)"
    );
    for name in ["../x", "a/b", "a\\b", "..", ""] {
        assert!(data.world(name).is_err(), "{name}");
    }
}

#[test]
fn the_inventory_says_what_is_broken() {
    let mut files = files();
    files.insert("characters/bad.png", "no picture");
    files.insert("worlds/bad.json", "{");
    files.insert("instruct/Odd.json", "{\"name\": \"Odd\"}");
    files.insert("context/List.json", "[]");
    let inventory = DataFolder::open(files, Limits::default()).unwrap().inventory().unwrap();
    assert_eq!(
        [Kind::Character, Kind::World, Kind::Chat, Kind::Group, Kind::GroupChat, Kind::ChatPreset]
            .map(|kind| inventory.count(kind)),
        [3, 6, 2, 1, 1, 1]
    );
    assert_eq!((inventory.personas, inventory.scripts), (2, 1));
    let broken: Vec<_> = inventory.broken().map(|item| item.path.as_str()).collect();
    assert_eq!(broken, ["characters/bad.png", "worlds/bad.json", "context/List.json"]);
    let chat = inventory.items.iter().find(|item| item.path == "chats/Bram/first.jsonl").unwrap();
    assert_eq!((chat.count, chat.warnings.len()), (Some(1), 1));
    let odd = inventory.items.iter().find(|item| item.path == "instruct/Odd.json").unwrap();
    assert_eq!(
        odd.warnings[0].message,
        "the file lacks fields that its kind should have; SillyTavern's defaults stand in for them"
    );
    assert_eq!(
        texts(&inventory.warnings),
        [
            "[data.missing_book] the lorebook \"Gone\" does not exist (at settings.json: world_info_settings.world_info.globalSelect[1])",
            "[data.missing_card] there is no card \"Nobody\" to have extra lorebooks (at settings.json: world_info_settings.world_info.charLore[1])",
        ]
    );
}

#[test]
fn settings_come_back_as_they_were() {
    let text = r#"{"username":"Ilse","zz":1,"world_info_settings":{"world_info_budget":400,"world_info":{"globalSelect":["a"],"q":1}},"power_user":{"instruct":{"preset":"X","enabled":true},"theme":{"a":1}},"extension_settings":{"note":{"chara":[{"name":"B","prompt":"p","useChara":true,"position":1}]},"memory":{"x":1}},"tag_map":{"a.png":["t"]},"oai_settings":{"prompts":[{"identifier":"main"}]}}"#;
    let read = Settings::parse(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(serde_json::to_string(&read.value).unwrap(), text);
    assert_eq!(read.value.world_info.budget_percent(), 25.0);
    assert!(read.value.power_user.instruct.enabled);
    assert_eq!(read.value.extension_settings.note.characters[0].position, CharacterNotePosition::Before);
    assert_eq!(
        texts(&read.warnings),
        [
            "[settings.budget] a budget of more than 100 percent is taken for the default of 25 (at world_info_settings.world_info_budget)"
        ]
    );
    let error = Settings::parse(b"[]", &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "the settings must be an object but are a list");
}
