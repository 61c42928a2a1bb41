//! Which of all known formats some bytes are.

use serde::Serialize;
use serde_json::Value;

use crate::card::Card;
use crate::chat::ChatFormat;
use crate::json;
use crate::lorebook;
use crate::persona::Personas;
use crate::preset;
use crate::regex_script::RegexScript;
use crate::{Limits, card};

/// What some bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Detected {
    /// A character card in this container.
    Card(#[serde(serialize_with = "lower_case")] card::Container),
    /// A lorebook.
    Lorebook(#[serde(serialize_with = "lower_case")] lorebook::Format),
    /// A chat.
    Chat(#[serde(serialize_with = "lower_case")] ChatFormat),
    /// A preset or template.
    Preset(#[serde(serialize_with = "lower_case")] preset::Kind),
    /// One of SillyTavern's regex scripts, or a list of them.
    RegexScript,
    /// RisuAI's regex scripts.
    RisuRegex,
    /// A module of RisuAI.
    RisuModule,
    /// A persona backup.
    Personas,
    /// A group.
    Group,
    /// SillyTavern's `settings.json`.
    Settings,
}

fn lower_case<S: serde::Serializer>(value: &impl std::fmt::Debug, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{value:?}").to_lowercase())
}

/// Finds out what some bytes are; `None` if nothing that is known. `file_name` helps only where the bytes do not tell.
///
/// ```
/// use tavernkit_formats::{Limits, chat::ChatFormat, detect::{detect, Detected}, lorebook};
///
/// let limits = Limits::default();
/// let world = br#"{"entries": {"0": {"uid": 0, "key": ["ferry"]}}}"#;
/// assert_eq!(detect(world, None, &limits), Some(Detected::Lorebook(lorebook::Format::World)));
/// let chat = b"{\"chat_metadata\": {}}\n{\"name\": \"Bram\", \"mes\": \"Hm.\"}";
/// assert_eq!(detect(chat, None, &limits), Some(Detected::Chat(ChatFormat::SillyTavern)));
/// ```
pub fn detect(bytes: &[u8], file_name: Option<&str>, limits: &Limits) -> Option<Detected> {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let (text, _) = json::decode(&bytes[start..], limits);
    if !text.starts_with(['{', '[']) {
        let card = card::read(bytes, file_name, limits).ok().map(|file| Detected::Card(file.container()));
        let book = || {
            lorebook::Lorebook::parse(bytes, limits).ok().map(|read| Detected::Lorebook(read.value.format()))
        };
        return card.or_else(book);
    }
    // A chat may be large, and its first line says enough.
    let line = text.lines().next().unwrap_or_default();
    let more = text.len() > line.trim_end().len();
    if more && let Ok(parsed) = json::parse_text(line, limits) {
        return of_value(&parsed.value);
    }
    json::parse_text(&text, limits).ok().and_then(|parsed| of_value(&parsed.value))
}

/// Finds out what a JSON value is.
pub fn of_value(value: &Value) -> Option<Detected> {
    if let Some(format) = ChatFormat::of(value) {
        return Some(Detected::Chat(format));
    }
    let Some(object) = value.as_object() else { return of_list(value) };
    let has = |name: &str| object.contains_key(name);
    if has("power_user") || has("oai_settings") || has("world_info_settings") {
        return Some(Detected::Settings);
    }
    if let Some(format) = lorebook::Format::of(value) {
        return Some(Detected::Lorebook(format));
    }
    if object.get("spec").and_then(Value::as_str).is_some_and(|spec| spec.starts_with("chara_card")) {
        return Some(Detected::Card(card::Container::Json));
    }
    if RegexScript::is_one(value) {
        return Some(Detected::RegexScript);
    }
    if has("type") && (object["type"] == "risuModule" || has("module")) {
        return Some(Detected::RisuModule);
    }
    if object.get("type").is_some_and(|kind| kind == "regex") {
        return Some(Detected::RisuRegex);
    }
    if object.get("members").is_some_and(Value::is_array) && (has("activation_strategy") || has("chat_id")) {
        return Some(Detected::Group);
    }
    if Personas::is_one(object) {
        return Some(Detected::Personas);
    }
    if let Some(kind) = preset::Kind::of(value) {
        return Some(Detected::Preset(kind));
    }
    Card::from_value(value.clone(), &mut Vec::new()).is_ok().then_some(Detected::Card(card::Container::Json))
}

fn of_list(value: &Value) -> Option<Detected> {
    let first = value.as_array()?.first()?;
    if RegexScript::is_one(first) {
        Some(Detected::RegexScript)
    } else if first.get("in").is_some() && first.get("out").is_some() && first.get("type").is_some() {
        Some(Detected::RisuRegex)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_is_told_apart() {
        use card::Container;
        use lorebook::Format;
        use preset::Kind;
        for (value, wanted) in [
            (json!({"spec": "chara_card_v3", "data": {"name": "B"}}), Detected::Card(Container::Json)),
            (json!({"name": "B", "description": "d", "first_mes": "m"}), Detected::Card(Container::Json)),
            (json!({"entries": {}}), Detected::Lorebook(Format::World)),
            (json!({"entries": [{"keys": ["a"]}], "name": "n"}), Detected::Lorebook(Format::CharacterBook)),
            (json!({"type": "risu", "data": []}), Detected::Lorebook(Format::RisuAi)),
            (json!({"lorebookVersion": 5, "entries": []}), Detected::Lorebook(Format::NovelAi)),
            (json!({"kind": "memory", "entries": []}), Detected::Lorebook(Format::Agnai)),
            (json!({"type": "risuChat", "data": {}}), Detected::Chat(ChatFormat::RisuAi)),
            (json!({"messages": [{"msg": "a"}]}), Detected::Chat(ChatFormat::Agnai)),
            (json!({"messages": [{"role": "user", "content": "a"}]}), Detected::Chat(ChatFormat::OpenAi)),
            (json!({"histories": {}}), Detected::Chat(ChatFormat::CharacterAi)),
            (json!({"savedsettings": {}}), Detected::Chat(ChatFormat::KoboldLite)),
            (json!({"data_visible": []}), Detected::Chat(ChatFormat::Ooba)),
            (json!({"temperature": 1, "prompts": [], "prompt_order": []}), Detected::Preset(Kind::Chat)),
            (
                json!({"name": "I", "input_sequence": "", "output_sequence": ""}),
                Detected::Preset(Kind::Instruct),
            ),
            (json!({"name": "S", "content": ""}), Detected::Preset(Kind::SystemPrompt)),
            (json!({"scriptName": "s", "findRegex": ""}), Detected::RegexScript),
            (json!([{"scriptName": "s"}]), Detected::RegexScript),
            (json!([{"in": "", "out": "", "type": "editinput"}]), Detected::RisuRegex),
            (json!({"type": "regex", "data": []}), Detected::RisuRegex),
            (json!({"type": "risuModule", "module": {}}), Detected::RisuModule),
            (json!({"personas": {}, "persona_descriptions": {}}), Detected::Personas),
            (json!({"id": "1", "members": [], "activation_strategy": 0}), Detected::Group),
            (json!({"username": "u", "power_user": {}}), Detected::Settings),
        ] {
            assert_eq!(
                detect(value.to_string().as_bytes(), None, &Limits::default()),
                Some(wanted),
                "{value}"
            );
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            assert_eq!(detect(pretty.as_bytes(), None, &Limits::default()), Some(wanted), "{pretty}");
        }
    }

    #[test]
    fn lines_and_unknown_bytes() {
        let limits = Limits::default();
        let chub = b"{\"name\":\"B\",\"mes\":{\"message\":\"x\"}}\n{}";
        assert_eq!(detect(chub, None, &limits), Some(Detected::Chat(ChatFormat::Chub)));
        assert_eq!(
            detect(b"name: Bram\ngreeting: Hi\n", Some("a.yaml"), &limits),
            Some(Detected::Card(card::Container::Yaml))
        );
        for unknown in
            [&b""[..], b"  ", b"hello", b"{", b"[]", b"{\"a\":1}", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04"]
        {
            assert_eq!(detect(unknown, None, &limits), None, "{unknown:?}");
        }
        let json = serde_json::to_string(&Detected::Lorebook(lorebook::Format::RisuAi)).unwrap();
        assert_eq!(json, r#"{"lorebook":"risuai"}"#);
    }
}
