use super::*;

fn findings(value: Value) -> Vec<String> {
    let card = Card::from_value(value, &mut Vec::new()).unwrap();
    validate(&card).into_iter().map(|f| format!("{:?} {}: {}", f.severity, f.path, f.message)).collect()
}

#[test]
fn a_clean_card_has_none() {
    assert_eq!(findings(v3()), Vec::<String>::new());
}

#[test]
fn each_problem_names_its_field() {
    let mut value = v3();
    value["spec_version"] = "2.0".into();
    value["name"] = "Other".into();
    value["data"]["tags"] = json!(["sea", 1]);
    value["data"]["first_mes"] = "".into();
    value["data"]["alternate_greetings"] = json!([]);
    value["data"].as_object_mut().unwrap().remove("creator");
    value["data"]["assets"] = json!([{"type": "icon"}]);
    value["data"]["character_book"] = json!({"entries": [{"keys": "sea", "content": "", "extensions": {}, "enabled": true, "insertion_order": 1}, 5]});
    assert_eq!(
        findings(value),
        [
            "Error spec_version: `spec_version` must be the text \"3.0\"",
            "Error data.tags[1]: expected a text but found a number",
            "Error data.creator: the field is missing; it must be there as a text, even if empty",
            "Error data.assets[0].uri: the field is missing; it must be there as a text, even if empty",
            "Error data.assets[0].name: the field is missing; it must be there as a text, even if empty",
            "Error data.assets[0].ext: the field is missing; it must be there as a text, even if empty",
            "Warning name: differs from `data.name`, which wins; remove it or make them equal",
            "Error data.character_book.extensions: the field is missing; it must be there as an object, even if empty",
            "Error data.character_book.entries[0].keys: expected a list of texts but found a text",
            "Error data.character_book.entries[1]: expected an object but found a number",
            "Note data.first_mes: there is no greeting; a chat will start empty",
        ]
    );
}

#[test]
fn older_versions() {
    assert_eq!(
        findings(
            json!({"name": "", "description": "", "personality": "", "scenario": "", "first_mes": "x", "mes_example": ""})
        ),
        [
            "Note spec: this is a V1 card; it has no alternate greetings, no book and no room for extensions; convert it to V2 or V3",
            "Error name: the name is blank; give the character one",
        ]
    );
    let v2 = findings(
        json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "B", "nickname": "x"}}),
    );
    assert!(
        v2.contains(
            &"Warning data.nickname: this is a V3 field; a V2 reader may drop it, so export the card as V3"
                .to_owned()
        )
    );
}
