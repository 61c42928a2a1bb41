use serde_json::json;

use super::*;

fn read(value: Value) -> Read<Lorebook> {
    Lorebook::from_value(value).unwrap()
}

fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

/// An entry with all that a complete world entry has, so that nothing is warned about.
fn full(uid: usize) -> Object {
    LoreEntry::new(uid).to_full_map()
}

#[test]
fn a_world_comes_back_as_it_was() {
    let value = json!({
        "name": "Fens", "entries": {
            "10": {"uid": 10, "key": "ferry", "position": "4", "order": "7"},
            "2": {"uid": 2, "constant": true, "position": 12, "odd": {"a": [1.5]}},
            "x": null
        }, "extra": [1]
    });
    let book = read(value.clone());
    assert_eq!(book.value.to_world().value.to_string(), value.to_string());
    let entries = &book.value.entries;
    assert_eq!(entries[0].position, Position::Other(json!(12)));
    assert_eq!((entries[1].order, entries[1].key.len()), (7.0, 0));
    assert_eq!(
        texts(&book.warnings),
        [
            "[field.type] expected a list but found a text; the default is used (at entries.10.key)",
            "[field.type] expected a number but found a text; 7 was used (at entries.10.order)",
            "[field.unknown_value] \"4\" has no known meaning and no effect; it is kept (known are 0, 1, 2, 3, 4, 5, 6, 7) (at entries.10.position)",
            "[field.unknown_value] 12 has no known meaning and no effect; it is kept (known are 0, 1, 2, 3, 4, 5, 6, 7) (at entries.2.position)",
            "[lore.odd_entry] an entry must be an object but this is null; it is kept, without effect (at entries.x)",
        ]
    );
}

#[test]
fn missing_fields_that_change_the_meaning_are_said() {
    let book = read(json!({"entries": [{"key": ["a"], "keysecondary": ["b"], "probability": 50}]}));
    assert!(book.value.entries[0].selective);
    assert_eq!(
        texts(&book.warnings),
        [
            "[lore.missing_field] `position` is missing; SillyTavern places such an entry nowhere (a new entry has 0) (at entries[0])",
            "[lore.missing_field] `selective` is missing; SillyTavern ignores the secondary keys then (a new entry has true) (at entries[0])",
            "[lore.missing_field] `useProbability` is missing; SillyTavern does not roll the probability then (a new entry has true) (at entries[0])",
        ]
    );
}

#[test]
fn both_spellings_are_read_and_kept() {
    let mut book =
        read(json!({"entries": {"0": {"uid": 0, "position": 0, "exclude_recursion": true}}})).value;
    assert!(book.entries[0].exclude_recursion);
    let converted = book.to_character_book().value;
    assert_eq!(converted["entries"][0]["extensions"]["exclude_recursion"], true);
    assert!(read(converted).value.entries[0].exclude_recursion);
    book.entries[0].exclude_recursion = false;
    assert_eq!(
        book.to_world().value["entries"]["0"],
        json!({"uid": 0, "position": 0, "exclude_recursion": false})
    );
}

#[test]
fn new_and_removed_entries() {
    let mut book =
        read(json!({"entries": {"0": {"uid": 0, "position": 1}, "1": {"uid": 1, "position": 1}}})).value;
    book.entries.remove(0);
    assert_eq!(book.free_uid(), 0);
    let mut new = LoreEntry::new(7);
    new.content = "New.".into();
    book.entries.push(new);
    assert_eq!(
        book.to_world().value["entries"],
        json!({"1": {"uid": 1, "position": 1}, "7": {"uid": 7, "content": "New."}})
    );
}

#[test]
fn a_book_entry_becomes_a_world_entry_as_in_sillytavern() {
    let book = read(json!({
        "name": "Card lore", "scan_depth": 3,
        "entries": [
            {"keys": ["a"], "content": "A", "enabled": true, "insertion_order": 5, "position": "before_char", "priority": 9,
             "extensions": {"depth": 2, "role": 1, "position": 4, "exclude_recursion": true, "mine": 1}},
            {"keys": [], "constant": true, "content": "B", "enabled": true, "extensions": {}, "comment": "t"}
        ]
    }));
    assert!(book.warnings.is_empty(), "{:?}", book.warnings);
    let world = book.value.to_world().value;
    let first = &world["entries"]["0"];
    assert_eq!(
        (&first["position"], &first["depth"], &first["role"], &first["excludeRecursion"], &first["order"]),
        (&json!(4), &json!(2), &json!(1), &json!(true), &json!(5))
    );
    assert_eq!(
        (&first["selective"], &first["probability"], &first["displayIndex"]),
        (&json!(false), &json!(100), &json!(0))
    );
    let second = &world["entries"]["1"];
    assert_eq!(
        (&second["position"], &second["addMemo"], &second["keysecondary"]),
        (&json!(1), &json!(true), &json!([]))
    );
    assert!(second.get("order").is_none());
    assert_eq!(world["originalData"]["scan_depth"], 3);
    assert_eq!(read(world.clone()).value.name.as_deref(), Some("Card lore"));
    // And back: the card's own fields are all there again.
    let back = read(world).value.to_character_book().value;
    assert_eq!(back["entries"][0]["priority"], 9);
    assert_eq!(back["scan_depth"], 3);
}

#[test]
fn a_world_entry_becomes_a_book_entry_as_in_sillytavern() {
    let mut entry = LoreEntry::new(4);
    entry.key.push("k".into());
    entry.position = Position::NoteTop;
    let mut book = Lorebook::new();
    book.name = Some("W".into());
    book.entries.push(entry);
    let expected = concat!(
        r#"{"name":"W","entries":[{"id":4,"keys":["k"],"secondary_keys":[],"comment":"","content":"","#,
        r#""constant":false,"selective":true,"insertion_order":100,"enabled":true,"position":"after_char","#,
        r#""use_regex":true,"extensions":{"position":2,"exclude_recursion":false,"probability":100,"#,
        r#""useProbability":true,"depth":4,"selectiveLogic":0,"outlet_name":"","group":"","#,
        r#""group_override":false,"group_weight":100,"prevent_recursion":false,"delay_until_recursion":0,"#,
        r#""scan_depth":null,"match_whole_words":null,"use_group_scoring":false,"case_sensitive":null,"#,
        r#""automation_id":"","role":0,"vectorized":false,"sticky":null,"cooldown":null,"delay":null,"#,
        r#""match_persona_description":false,"match_character_description":false,"#,
        r#""match_character_personality":false,"match_character_depth_prompt":false,"match_scenario":false,"#,
        r#""match_creator_notes":false,"triggers":[],"ignore_budget":false}}]}"#
    );
    assert_eq!(json::compact(&book.to_character_book().value), expected);
}

#[test]
fn edits_reach_the_right_place_in_a_book() {
    let mut book = read(json!({"entries": [
        {"id": 1, "keys": ["a"], "content": "A", "enabled": true, "position": "before_char", "x": 1, "extensions": {"z": 0}}
    ]}))
    .value;
    let entry = &mut book.entries[0];
    entry.disable = true;
    entry.position = Position::AtDepth;
    entry.depth = Some(1.0);
    entry.order = 3.0;
    entry.character_filter.names.push("Bram".into());
    assert_eq!(
        book.to_character_book().value["entries"][0],
        json!({"id": 1, "keys": ["a"], "content": "A", "enabled": false, "position": "after_char", "x": 1,
            "extensions": {"z": 0, "position": 4, "depth": 1, "tavernkit": {"world": {"characterFilter": {"names": ["Bram"]}}}},
            "insertion_order": 3})
    );
}

#[test]
fn the_same_id_twice_loses_nobody() {
    let book = read(json!({"entries": [
        {"id": 5, "keys": ["a"], "enabled": true, "extensions": {}},
        {"id": 5, "keys": ["b"], "enabled": true, "extensions": {}}
    ]}));
    let world = book.value.to_world();
    assert_eq!(world.value["entries"].as_object().unwrap().len(), 2);
    assert_eq!(world.value["entries"]["0"]["key"], json!(["b"]));
    assert_eq!(
        texts(&world.warnings),
        ["[lore.duplicate_id] id \"5\" is used twice; the later entry became 0 (at entries.0)"]
    );
}

#[test]
fn a_standalone_v3_lorebook_keeps_its_wrapper() {
    let value = json!({"spec": "lorebook_v3", "data": {"entries": [{"keys": ["a"], "enabled": false}], "name": "N"}, "z": 1});
    let book = read(value.clone()).value;
    assert_eq!(book.format(), Format::CharacterBook);
    assert_eq!(book.to_value().value.to_string(), value.to_string());
    assert_eq!(book.to_world().value["originalData"]["name"], "N");
}

#[test]
fn foreign_books() {
    let risu = read(json!({"type": "risu", "ver": 1, "data": [
        {"key": "sea, storm", "secondkey": "", "comment": "Sea", "content": "Salt.", "alwaysActive": false,
         "insertorder": 40, "selective": false, "mode": "child", "activationPercent": 30}
    ]}));
    let entry = &risu.value.entries[0];
    assert_eq!((entry.key.join("|"), entry.order, entry.probability), ("sea|storm".into(), 40.0, 30.0));
    assert!(entry.use_probability && entry.add_memo && !entry.selective);
    assert_eq!(
        texts(&risu.warnings),
        ["[lore.no_effect] folders of RisuAI have no counterpart; the entry stands by itself (at data[0])"]
    );
    assert_eq!(
        risu.value.to_world().value["extensions"]["tavernkit"]["risuai"],
        json!({"type": "risu", "ver": 1})
    );

    let novel = read(json!({"lorebookVersion": 5, "entries": [
        {"text": "Fog.", "displayName": "Fog", "keys": ["fog"], "enabled": true, "contextConfig": {"budgetPriority": 400},
         "forceActivation": true}
    ]}));
    let entry = &novel.value.entries[0];
    assert_eq!((entry.order, entry.disable, entry.comment.as_str()), (400.0, false, "Fog"));
    assert_eq!(novel.warnings[0].code, "lore.no_effect");
    assert_eq!(entry.extensions["tavernkit"]["novelai"]["forceActivation"], true);

    let agnai = read(json!({"kind": "memory", "name": "M", "entries": [
        {"name": "Tide", "entry": "Twice a day.", "keywords": ["tide"], "priority": 0, "weight": 2, "enabled": false}
    ]}));
    let entry = &agnai.value.entries[0];
    assert_eq!((entry.order, entry.disable, agnai.value.name.as_deref()), (2.0, true, Some("M")));
    assert_eq!(entry.extensions["tavernkit"]["agnai"], json!({"priority": 0}));
}

#[test]
fn novelai_pictures() {
    use crate::png::{Keyword, Png, Text};
    let limits = Limits::default();
    let plain = Png::smallest();
    let mut png = Png::parse(&plain, &limits).unwrap();
    let book = json!({"lorebookVersion": 5, "entries": [{"text": "Fog.", "keys": ["fog"], "enabled": true}]});
    let text = crate::base64::encode(book.to_string().as_bytes());
    png.insert_before_end(Text::to_chunk(&Keyword::NovelAi, &text).unwrap());
    let read = Lorebook::parse(&png.to_bytes(), &limits).unwrap().value;
    assert_eq!((read.format(), read.entries[0].content.as_str()), (Format::NovelAi, "Fog."));
    let error = Lorebook::parse(&plain, &limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the picture holds no lorebook; if it is a card, the book is inside the card"
    );
}

#[test]
fn what_is_no_book_is_refused() {
    let message = |value| Lorebook::from_value(value).unwrap_err().to_string();
    assert_eq!(message(json!({"a": 1})), "this is not a lorebook: it has no `entries`");
    assert_eq!(message(json!([])), "this is not a lorebook: expected an object but found a list");
    assert_eq!(message(json!({"entries": 3})), "the lorebook's `entries` must be an object or a list");
    assert_eq!(
        message(json!({"kind": "memory", "entries": {}})),
        "the lorebook's `entries` must be a list of entries (at entries)"
    );
}

#[test]
fn a_template_entry_reads_without_a_warning() {
    let book = read(json!({"entries": {"0": Value::Object(full(0))}}));
    assert!(book.warnings.is_empty(), "{:?}", book.warnings);
}
