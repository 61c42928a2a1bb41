//! Every kind of record brings back what it was read from, whatever nonsense that was, and changes only what was changed.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tavernkit_formats::chat::{ChatHeader, ChatMessage, ChatMetadata, Extra, ToolInvocation};
use tavernkit_formats::json::Path;
use tavernkit_formats::lorebook::LoreEntry;
use tavernkit_formats::persona::{PersonaDescription, Personas};
use tavernkit_formats::preset::{
    ChatPreset, ContextTemplate, InstructTemplate, Master, Prompt, PromptOrder, ReasoningTemplate,
    SystemPrompt, TextPreset,
};
use tavernkit_formats::record::Field;
use tavernkit_formats::regex_script::{RegexScript, RisuModule, RisuRegex};
use tavernkit_formats::st_data::{ExtensionSettings, Group, PowerUser, Settings, WorldInfoSettings};

type Object = Map<String, Value>;

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5i64..120).prop_map(Value::from),
        (-100.0f64..100.0).prop_map(Value::from),
        "[a-zé0-9 ]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec(("[a-z]{1,3}", inner.clone()), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            // Names that lists and dictionaries of records look for.
            prop::collection::vec(
                (
                    prop::sample::select(vec![
                        "identifier",
                        "order",
                        "name",
                        "type",
                        "id",
                        "value",
                        "depth",
                        "position",
                        "extra",
                        "global"
                    ]),
                    inner
                ),
                0..4
            )
            .prop_map(|fields| Value::Object(
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            )),
        ]
    })
}

/// An object with some of these fields, other fields, in any order, of any type.
fn object(
    fields: &'static [&'static str],
    aliases: &'static [(&'static str, &'static str)],
) -> impl Strategy<Value = Object> {
    let mut names: Vec<String> = fields.iter().map(|name| (*name).to_owned()).collect();
    names.extend(aliases.iter().map(|(alias, _)| (*alias).to_owned()));
    let name = prop_oneof![4 => prop::sample::select(names), 1 => "[a-z]{1,5}"];
    prop::collection::vec((name, anything()), 0..20).prop_map(|fields| fields.into_iter().collect())
}

fn read<T: Field>(object: &Object) -> T {
    T::read(&Value::Object(object.clone()), &Path::Root, &mut Vec::new()).unwrap()
}

macro_rules! records {
    ($($name:ident: $type:ty;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]
            $(
                #[test]
                fn $name(object in object(<$type>::FIELDS, <$type>::ALIASES)) {
                    let record: $type = read(&object);
                    prop_assert_eq!(record.write().to_string(), Value::Object(object.clone()).to_string());
                    // Written out in full and read again it is the same to a reader.
                    let full = record.to_full_map();
                    let again: $type = read(&full);
                    prop_assert_eq!(again.to_full_map(), full.clone());
                    for (name, value) in &object {
                        let kept = full.get(name) == Some(value) || value.is_null();
                        prop_assert!(kept, "{} changed from {}", name, value);
                    }
                    // And it survives serde, as in a request to a service.
                    let through: $type = serde_json::from_value(serde_json::to_value(&record).unwrap()).unwrap();
                    prop_assert_eq!(through.to_map(), object);
                }
            )*
        }
    };
}

records! {
    lore_entry: LoreEntry;
    chat_message: ChatMessage;
    chat_header: ChatHeader;
    chat_metadata: ChatMetadata;
    extra: Extra;
    tool_invocation: ToolInvocation;
    persona_description: PersonaDescription;
    personas: Personas;
    chat_preset: ChatPreset;
    text_preset: TextPreset;
    prompt: Prompt;
    prompt_order: PromptOrder;
    instruct: InstructTemplate;
    context: ContextTemplate;
    system_prompt: SystemPrompt;
    reasoning: ReasoningTemplate;
    master: Master;
    regex_script: RegexScript;
    risu_regex: RisuRegex;
    risu_module: RisuModule;
    settings: Settings;
    power_user: PowerUser;
    extension_settings: ExtensionSettings;
    world_info_settings: WorldInfoSettings;
    group: Group;
}

proptest! {
    #[test]
    fn a_change_touches_one_field(object in object(ChatPreset::FIELDS, ChatPreset::ALIASES), text in "[a-z]{7}") {
        let mut preset: ChatPreset = read(&object);
        preset.wi_format = text.clone();
        let mut wanted = object;
        wanted.insert("wi_format".into(), json!(text));
        prop_assert_eq!(preset.to_map(), wanted);
    }
}
