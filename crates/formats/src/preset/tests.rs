use serde_json::json;

use super::*;

fn parse(value: &Value) -> Preset {
    let text = json::compact(value);
    let read = Preset::parse(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(
        json::compact(&Value::Object(read.value.to_map())),
        text,
        "untouched presets come back as they were"
    );
    read.value
}

fn chat(value: &Value) -> ChatPreset {
    match parse(value) {
        Preset::Chat(preset) => *preset,
        other => panic!("read as {:?}", other.kind()),
    }
}

#[test]
fn kinds_are_told_apart_in_order() {
    for (value, kind) in [
        (
            json!({"name": "a", "input_sequence": "", "output_sequence": "", "story_string": ""}),
            Kind::Instruct,
        ),
        (json!({"name": "a", "story_string": "", "content": ""}), Kind::Context),
        (json!({"name": "a", "content": ""}), Kind::SystemPrompt),
        (json!({"temp": 1, "top_k": 0, "top_p": 1, "rep_pen": 1}), Kind::Text),
        (json!({"name": "a", "prefix": "", "suffix": "", "separator": ""}), Kind::Reasoning),
        (json!({"chat_completion_source": "openai", "temperature": 1}), Kind::Chat),
        (json!({"sysprompt": {"name": "a", "content": "b"}, "reasoning": null}), Kind::Master),
        (json!({"srw": {"value": "", "show": true}}), Kind::Master),
    ] {
        assert_eq!(parse(&value).kind(), kind, "{value}");
    }
    let error = Preset::parse(b"{\"instruct\": {}}", &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "this is not a preset or template of a known kind");
}

#[test]
fn both_names_of_sampling_fields_are_read_and_kept() {
    let mut preset = chat(&json!({"temp_openai": 0.4, "prompts": [], "unknown": {"a": 1}}));
    assert_eq!(preset.temperature, 0.4);
    preset.temperature = 0.5;
    preset.top_p = 0.9;
    assert_eq!(json!(preset), json!({"temp_openai": 0.5, "prompts": [], "unknown": {"a": 1}, "top_p": 0.9}));
}

#[test]
fn missing_fields_have_sillytaverns_values() {
    let preset = ChatPreset::default();
    assert_eq!(
        (preset.max_context, preset.max_tokens, preset.wi_format.as_str(), preset.continue_postfix.as_str()),
        (4095.0, 300.0, "{0}", " ")
    );
    assert!(preset.impersonation_prompt.contains("{{user}}"));
    let instruct = InstructTemplate::default();
    assert_eq!((instruct.input_sequence.as_str(), instruct.wrap), ("### Instruction:", true));
    assert_eq!(instruct.names_behavior, InstructNames::Force);
    assert_eq!(ContextTemplate::default().chat_start, "***");
    assert_eq!(ReasoningTemplate::default().prefix, "<think>");
}

#[test]
fn the_prompt_set_is_completed() {
    let preset = chat(&json!({
        "prompts": [
            {"identifier": "main", "name": "Main", "role": "system", "content": "Mine."},
            {"content": "lost"},
            "odd"
        ],
        "prompt_order": [
            {"character_id": 100000, "order": [{"identifier": "jailbreak", "enabled": true}]},
            {"character_id": "100001", "order": [
                {"identifier": "chatHistory", "enabled": true}, {"identifier": "ghost", "enabled": true},
                {"identifier": "main", "enabled": true}, {"identifier": "nsfw", "enabled": false}
            ]}
        ]
    }));
    let set = preset.prompt_set();
    assert_eq!(set.enabled().map(|p| p.identifier.as_str()).collect::<Vec<_>>(), ["chatHistory", "main"]);
    assert_eq!(set.get("main").unwrap().content, "Mine.");
    assert!(set.get("scenario").unwrap().marker);
    assert_eq!(set.prompts.len(), 13);
    let texts: Vec<String> = set.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "[preset.no_identifier] the prompt has no identifier, so nothing can place it; it is called \"prompt-1\" (at prompts[1])",
            "[preset.unknown_prompt] there is no prompt \"ghost\"; this place in the order is ignored (at prompt_order[1].order[1])",
        ]
    );
}

#[test]
fn without_an_order_the_default_one_is_used() {
    let set =
        chat(&json!({"prompts": [], "prompt_order": [{"character_id": 100000, "order": []}]})).prompt_set();
    assert_eq!(set.order.len(), 12);
    assert!(!set.order.iter().find(|entry| entry.identifier == "enhanceDefinitions").unwrap().enabled);
    assert_eq!(set.enabled().next().unwrap().identifier, "main");
    // An order that exists but is empty stays empty.
    let set = chat(&json!({"prompt_order": [{"character_id": 100001, "order": []}]})).prompt_set();
    assert!(set.order.is_empty());
}

#[test]
fn old_chat_presets_are_brought_up_to_date() {
    let mut preset = chat(&json!({
        "main_prompt": "Old main.", "claude_use_sysprompt": true, "names_in_completion": true, "image_inlining": false,
        "custom_prompt_post_processing": "claude", "prompts": []
    }));
    let texts: Vec<String> = preset.migrate("Mine").iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "[preset.old_field] read as `names_behavior` 1 (at names_in_completion)",
            "[preset.old_field] read as `use_sysprompt` (at claude_use_sysprompt)",
            "[preset.old_field] read as `media_inlining` (at image_inlining)",
            "[preset.old_field] \"claude\" is read as \"merge\" (at custom_prompt_post_processing)",
            "[preset.old_field] its text went to the prompt \"main\" (at main_prompt)",
        ]
    );
    assert_eq!(preset.prompt_set().get("main").unwrap().content, "Old main.");
    assert_eq!(
        (preset.use_sysprompt, preset.media_inlining, preset.post_processing.as_str()),
        (true, false, "merge")
    );
}

#[test]
fn old_instruct_templates_are_brought_up_to_date() {
    let mut old: InstructTemplate =
        serde_json::from_value(json!({"name": "O", "separator_sequence": "</s>", "names": false, "names_force_groups": true, "system_prompt": ""}))
            .unwrap();
    let texts: Vec<String> = old.migrate().iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "[preset.old_field] read as `output_suffix` (at separator_sequence)",
            "[preset.old_field] read as `names_behavior` (at names)",
            "[preset.old_field] system prompts have files of their own now; this one is not used by the template (at system_prompt)",
        ]
    );
    assert_eq!((old.output_suffix.as_str(), old.names_behavior), ("</s>", InstructNames::Force));
}

#[test]
fn anchors_go_before_a_last_trim_and_not_twice() {
    let with = |story: &str| {
        let value = json!({"story_string": story});
        serde_json::from_value::<ContextTemplate>(value).unwrap().story_string_with_anchors()
    };
    assert_eq!(
        with("Hi {{anchorBefore}}{{system}}\n{{trim}}"),
        "Hi {{anchorBefore}}{{system}}\n{{#if anchorAfter}}{{anchorAfter}}\n{{/if}}{{trim}}"
    );
    let new: ContextTemplate =
        serde_json::from_value(json!({"story_string": "{{system}}", "story_string_position": 0})).unwrap();
    assert_eq!(new.story_string_with_anchors(), "{{system}}");
}

#[test]
fn a_master_file_has_any_of_the_parts() {
    let Preset::Master(mut master) = parse(&json!({
        "instruct": {"name": "I", "input_sequence": "<u>", "output_sequence": "<a>", "x": 1},
        "preset": {"name": "P", "temp": 1, "top_k": 0, "top_p": 1, "rep_pen": 1, "dry_base": 1.75},
        "srw": {"value": "Sure", "show": true}, "other": 5
    })) else {
        panic!("not a master file")
    };
    assert!(master.context.is_none());
    assert_eq!(master.start_reply_with.as_ref().unwrap().value, "Sure");
    let instruct = master.instruct.as_mut().unwrap();
    instruct.wrap = false;
    assert_eq!(
        json!(master)["instruct"],
        json!({"name": "I", "input_sequence": "<u>", "output_sequence": "<a>", "x": 1, "wrap": false})
    );
}
