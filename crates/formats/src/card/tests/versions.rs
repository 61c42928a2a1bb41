use super::*;

#[test]
fn v3_survives_a_trip_through_v2() {
    let card = Card::from_value(v3(), &mut Vec::new()).unwrap();
    let v2 = card.to_v2();
    assert_eq!(v2.raw()["spec"], "chara_card_v2");
    assert!(!v2.data().contains_key("nickname"));
    assert_eq!(v2.data()["unknown"]["kept"], true);
    assert_eq!(Value::Object(v2.to_v3().raw().clone()), v3());
    let mut odd = v3();
    odd["spec_version"] = "3.1".into();
    let card = Card::from_value(odd.clone(), &mut Vec::new()).unwrap();
    assert_eq!(card.to_v2().to_v3().into_value(), odd);
}

#[test]
fn a_value_changed_in_v2_wins_over_the_sheltered_one() {
    let mut v2 = Card::from_value(v3(), &mut Vec::new()).unwrap().to_v2();
    v2.set("nickname", "New");
    assert_eq!(v2.to_v3().data()["nickname"], "New");
}

#[test]
fn another_tools_shelter_is_read() {
    let value = json!({"spec": "chara_card_v2", "data": {"name": "Bram", "extensions": {"cc_extractor/v3": {"nickname": "K"}}}});
    let v3 = Card::from_value(value, &mut Vec::new()).unwrap().to_v3();
    assert_eq!(v3.character().nickname, "K");
    assert!(v3.extensions().unwrap().contains_key("cc_extractor/v3"));
}

#[test]
fn v1_becomes_v2_as_in_sillytavern() {
    let v1 = json!({
        "name": "Bram", "description": "d", "personality": 0, "creatorcomment": "note", "tags": "a, b,", "fav": "true",
        "talkativeness": 0, "depth_prompt_depth": "", "json_data": "{}", "mine": [1], "alternate_greetings": ["x"]
    });
    let card = Card::from_value(v1, &mut Vec::new()).unwrap();
    let loaded = as_sillytavern_loads(&card, Some("Bram - now"));
    assert_eq!(
        loaded,
        json!({
            "name": "Bram", "description": "d", "personality": "", "creatorcomment": "note", "tags": ["a", "b"], "fav": true,
            "talkativeness": 0.5, "depth_prompt_depth": "", "mine": [1], "alternate_greetings": ["x"],
            "scenario": "", "first_mes": "", "mes_example": "", "avatar": "none", "spec": "chara_card_v2", "spec_version": "2.0",
            "chat": "Bram - now",
            "data": {
                "name": "Bram", "description": "d", "personality": "", "scenario": "", "first_mes": "", "mes_example": "",
                "creator_notes": "note", "system_prompt": "", "post_history_instructions": "", "tags": ["a", "b"], "creator": "",
                "character_version": "", "alternate_greetings": [],
                "extensions": {"talkativeness": 0.5, "fav": true, "world": "", "depth_prompt": {"prompt": "", "depth": 0, "role": "system"}}
            }
        })
    );
    // Our own conversion loses nothing.
    assert_eq!(card.to_v2().character().alternate_greetings, ["x"]);
}

#[test]
fn loading_v2_takes_data_over_the_top() {
    let value = json!({
        "spec": "chara_card_v2", "name": "old", "description": "kept", "talkativeness": 1, "fav": true, "json_data": "x",
        "data": {"name": "Bram", "tags": ["t"], "extensions": {"fav": false}}
    });
    let card = Card::from_value(value, &mut Vec::new()).unwrap();
    assert_eq!(
        as_sillytavern_loads(&card, None),
        json!({
            "spec": "chara_card_v2", "name": "Bram", "description": "kept", "fav": false, "tags": ["t"],
            "data": {"name": "Bram", "tags": ["t"], "extensions": {"fav": false}}
        })
    );
}
