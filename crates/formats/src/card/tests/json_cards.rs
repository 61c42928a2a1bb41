use super::*;

#[test]
fn untouched_text_comes_back_as_it_was() {
    let text = b"\xef\xbb\xbf{ \"name\":\"Bram\",\n\t\"description\" : \"x\", \"n\": 1.0 }\n";
    assert_eq!(open(text).write_json(Form::AsIs), text);
}

#[test]
fn a_change_patches_both_copies_and_keeps_the_rest() {
    let mut value = v3();
    value["name"] = "Bram".into();
    let mut file = open(value.to_string().as_bytes());
    file.card_mut().set("name", "Ilse");
    value["name"] = "Ilse".into();
    value["data"]["name"] = "Ilse".into();
    assert_eq!(file.write_json(Form::AsIs), json::indented(&value, 4).into_bytes());
}

#[test]
fn older_names_are_understood() {
    let pygmalion = json!({"char_name": "Bram", "char_persona": "dry", "char_greeting": "Hm.", "example_dialogue": "e", "world_scenario": "s"});
    let character = open(pygmalion.to_string().as_bytes()).character();
    assert_eq!(
        [
            character.name,
            character.description,
            character.first_mes,
            character.mes_example,
            character.scenario
        ],
        ["Bram", "dry", "Hm.", "e", "s"]
    );
}

#[test]
fn wrong_types_are_coerced_and_told() {
    let value = json!({"spec": "chara_card_v2", "data": {
        "name": 7, "description": null, "tags": "sea, storm,", "alternate_greetings": "Hi",
        "extensions": {"talkativeness": "0.25", "fav": "true", "depth_prompt": {"prompt": "p", "depth": "2"}}
    }});
    let file = open(value.to_string().as_bytes());
    let character = file.character();
    assert_eq!(
        (character.name.as_str(), character.tags.len(), character.talkativeness, character.fav),
        ("7", 2, 0.25, true)
    );
    assert_eq!((character.depth_prompt.depth, character.depth_prompt.role.as_str()), (2, "system"));
    assert_eq!(
        told(&file),
        [
            "[field.type] expected a number but found a text; 2 was used (at data.extensions.depth_prompt.depth)",
            "[field.type] expected a text but found a number; \"7\" was used (at data.name)",
            "[field.type] expected a list of texts but found a text; it was used as the only item (at data.alternate_greetings)",
        ]
    );
}

#[test]
fn a_field_missing_in_data_is_taken_from_the_top() {
    let value = json!({"spec": "chara_card_v2", "name": "Bram", "description": "top", "system_prompt": "not mirrored", "data": {"first_mes": "x"}});
    let character = open(value.to_string().as_bytes()).character();
    assert_eq!(
        (character.name.as_str(), character.description.as_str(), character.system_prompt.as_str()),
        ("Bram", "top", "")
    );
}

#[test]
fn odd_shapes_are_read_with_a_warning() {
    for (value, version, warning) in [
        (
            json!({"data": {"name": "Bram"}}),
            Version::V2,
            "[card.spec] `spec` is missing; the card was read as V2 because it has `data.name` (at spec)",
        ),
        (
            json!({"spec": "chara_card_v9", "data": {"name": "Bram"}}),
            Version::V2,
            "[card.spec] `spec` is \"chara_card_v9\", which is not known; the card was read as V2 (at spec)",
        ),
        (
            json!({"spec": "chara_card_v2", "name": "Bram"}),
            Version::V2,
            "[card.data] `data` is missing or no object; the fields at the top level were used (at data)",
        ),
        (
            json!({"name": " ", "description": ""}),
            Version::V1,
            "[card.name] the card has no name; most programs will not load it (at name)",
        ),
    ] {
        let file = open(value.to_string().as_bytes());
        assert_eq!((file.card().version(), told(&file)), (version, vec![warning.to_owned()]));
    }
}

#[test]
fn what_is_no_card_is_named() {
    for (text, message) in [
        ("[1]", "a character card is a JSON object, but this is a list"),
        (
            "{\"entries\": {}, \"name\": \"x\", \"y\": 1}",
            "this JSON is not a character card: it looks like a lorebook",
        ),
        (
            "{\"name\": \"x\", \"input_sequence\": \"\", \"y\": 1}",
            "this JSON is not a character card: it looks like a preset or template",
        ),
        ("{\"chat_metadata\": {}}", "this JSON is not a character card: it looks like a chat"),
        (
            "{}",
            "this JSON is not a character card: it has neither `spec` nor a `name` with a description or greeting",
        ),
        ("", "the file is empty"),
        ("\x01\x02\x03", "this is not a card: it is neither PNG, JPEG, WebP, CHARX, BYAF, JSON nor YAML"),
    ] {
        assert_eq!(refusal(text.as_bytes()), message);
    }
    let small = Limits { input: 1, ..limits() };
    assert_eq!(
        read(b"{}", None, &small).unwrap_err().to_string(),
        "the file has 2 bytes, more than the limit of 1; raise `Limits::input` if you trust it"
    );
}
