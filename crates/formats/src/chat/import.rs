//! Chats of other programs, read as SillyTavern imports them.
//!
//! What SillyTavern's chats have no field for is kept under `tavernkit` in a message's `extra` or in the chat's metadata.

use serde_json::{Value, json};
use tavernkit_core::Warning;

use super::{Chat, ChatHeader, ChatMessage, Party, openai};
use crate::json::{self, Path};
use crate::record::{Object, Read};
use crate::{Error, ErrorKind, Limits, Result};

/// The formats a chat can come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatFormat {
    /// SillyTavern's JSONL.
    SillyTavern,
    /// Chub's variant of it.
    Chub,
    /// A list of messages with roles, as chat-completion APIs take it.
    OpenAi,
    /// A saved story of Kobold Lite.
    KoboldLite,
    /// An export of Character.AI's histories.
    CharacterAi,
    /// A history of text-generation-webui.
    Ooba,
    /// An export of Agnai.
    Agnai,
    /// An export of RisuAI.
    RisuAi,
}

/// Names for formats that have none of their own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// The user's name; else the file's, else "User".
    pub user: Option<String>,
    /// The character's name; else the file's, else "Character".
    pub character: Option<String>,
}

impl Names {
    fn pick(&self, is_user: bool, own: Option<&str>) -> String {
        let (given, default) = if is_user { (&self.user, "User") } else { (&self.character, "Character") };
        let own = own.filter(|name| !name.trim().is_empty());
        given.as_deref().or(own).unwrap_or(default).to_owned()
    }
}

impl ChatFormat {
    /// Which chat format a JSON value has, tested in SillyTavern's order.
    ///
    /// ```
    /// use tavernkit_formats::chat::ChatFormat;
    /// let value = serde_json::json!([{"role": "user", "content": "Hello"}]);
    /// assert_eq!(ChatFormat::of(&value), Some(ChatFormat::OpenAi));
    /// ```
    pub fn of(value: &Value) -> Option<Self> {
        if openai::is_one(value) {
            return Some(Self::OpenAi);
        }
        let object = value.as_object()?;
        let has = |name: &str| object.contains_key(name);
        if has("savedsettings") {
            Some(Self::KoboldLite)
        } else if has("histories") {
            Some(Self::CharacterAi)
        } else if has("data_visible") || (has("visible") && has("internal")) {
            Some(Self::Ooba)
        } else if object.get("messages").is_some_and(Value::is_array) {
            Some(Self::Agnai)
        } else if object.get("type").is_some_and(|kind| kind == "risuChat") {
            Some(Self::RisuAi)
        } else if is_chub(object) {
            Some(Self::Chub)
        } else if has("chat_metadata") || has("user_name") || (has("mes") && has("name")) {
            Some(Self::SillyTavern)
        } else {
            None
        }
    }
}

fn is_chub(message: &Object) -> bool {
    message.get("mes").is_some_and(|mes| mes.get("message").is_some())
}

impl Chat {
    /// Reads chats of any known format. Only Character.AI's exports hold more than one.
    ///
    /// ```
    /// use tavernkit_formats::{Limits, chat::{Chat, Names}};
    ///
    /// let file = br#"{"data_visible": [["", "Who is there?"], ["Only me.", "Come in."]], "data": []}"#;
    /// let chats = Chat::import(file, &Names::default(), &Limits::default())?.value;
    /// let lines: Vec<_> = chats[0].messages.iter().map(|m| (m.name.as_str(), m.text.as_str())).collect();
    /// assert_eq!(lines, [("Character", "Who is there?"), ("User", "Only me."), ("Character", "Come in.")]);
    /// # Ok::<(), tavernkit_formats::Error>(())
    /// ```
    pub fn import(bytes: &[u8], names: &Names, limits: &Limits) -> Result<Read<Vec<Self>>> {
        if looks_like_lines(bytes, limits) {
            let mut read = Self::parse(bytes, Party::Unknown, limits)?;
            read.value.flatten_chub(&mut read.warnings);
            return Ok(Read { value: vec![read.value], warnings: read.warnings });
        }
        let parsed = json::parse(bytes, limits)?;
        let mut warnings = parsed.warnings;
        let Some(format) = ChatFormat::of(&parsed.value) else {
            return Err(Error::new(ErrorKind::UnknownFormat, "this is not a chat of a known format"));
        };
        let chats = match (format, parsed.value) {
            (ChatFormat::OpenAi, value) => vec![openai::read(value, names, &mut warnings)],
            (ChatFormat::CharacterAi, Value::Object(file)) => character_ai(file, names, &mut warnings)?,
            (ChatFormat::KoboldLite, Value::Object(file)) => vec![kobold(file, names, &mut warnings)],
            (ChatFormat::Ooba, Value::Object(file)) => vec![ooba(file, names, &mut warnings)],
            (ChatFormat::Agnai, Value::Object(file)) => vec![agnai(file, names, &mut warnings)],
            (ChatFormat::RisuAi, Value::Object(file)) => vec![risu(file, names, &mut warnings)?],
            _ => return Err(Error::new(ErrorKind::UnknownFormat, "this is not a chat of a known format")),
        };
        Ok(Read { value: chats, warnings })
    }

    /// Chub stores texts as objects with a `message`; SillyTavern flattens them.
    fn flatten_chub(&mut self, warnings: &mut Vec<Warning>) {
        if !self.messages.iter().any(|message| is_chub(message.raw())) {
            return;
        }
        // The readers complained about objects where texts belong; that is explained now.
        warnings.retain(|warning| {
            let field =
                warning.at.as_deref().and_then(|at| at.split_once(", ")).map_or("", |(_, field)| field);
            let about_text = field == "mes" || field.starts_with("swipes[");
            !((warning.code == "field.type" && about_text) || warning.code.starts_with("chat.swipe"))
        });
        for message in &mut self.messages {
            let mut raw = message.raw().clone();
            let mut kept = Object::new();
            for name in ["mes", "swipes"] {
                let Some(value) = raw.get_mut(name) else { continue };
                let before = value.clone();
                match value.as_array_mut() {
                    Some(swipes) => swipes.iter_mut().for_each(flatten),
                    None => flatten(value),
                }
                if *value != before {
                    kept.insert(name.to_owned(), before);
                }
            }
            stash(&mut raw, "extra", "chub", kept);
            *message = ChatMessage::read(raw, &Path::Root, &mut Vec::new());
        }
    }
}

fn flatten(value: &mut Value) {
    if let Some(text) = value.get_mut("message").map(Value::take) {
        *value = text;
    }
}

/// Whether the bytes are lines of JSON rather than one JSON value: the first line is an object of a chat by itself.
fn looks_like_lines(bytes: &[u8], limits: &Limits) -> bool {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(bytes.len());
    let line = bytes[start..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.iter().all(u8::is_ascii_whitespace) {
        return false;
    }
    let Ok(parsed) = json::parse(line, limits) else { return false };
    matches!(ChatFormat::of(&parsed.value), Some(ChatFormat::SillyTavern | ChatFormat::Chub))
        || parsed
            .value
            .as_object()
            .is_some_and(|object| object.contains_key("name") && bytes.len() > start + line.len())
}

/// Puts what is left of a foreign object into `<place>.tavernkit.<part>` of a message or header.
pub(super) fn stash(raw: &mut Object, place: &str, part: &str, rest: Object) {
    if rest.is_empty() {
        return;
    }
    let holder = raw.entry(place).or_insert_with(|| json!({}));
    if holder.is_object() {
        holder["tavernkit"] = json!({ part: rest });
    }
}

/// A message as SillyTavern writes it, with the rest of the foreign one kept.
pub(super) fn message(
    name: String,
    is_user: bool,
    text: &str,
    date: Option<Value>,
    part: &str,
    rest: Object,
) -> ChatMessage {
    let mut raw = Object::new();
    raw.insert("name".into(), json!(name));
    raw.insert("is_user".into(), json!(is_user));
    raw.insert("is_system".into(), json!(false));
    if let Some(date) = date.filter(|date| !date.is_null()) {
        raw.insert("send_date".into(), date);
    }
    raw.insert("mes".into(), json!(text));
    raw.insert("extra".into(), json!({}));
    stash(&mut raw, "extra", part, rest);
    ChatMessage::read(raw, &Path::Root, &mut Vec::new())
}

/// A chat with SillyTavern's header, with the rest of the foreign file kept.
pub(super) fn chat(messages: Vec<ChatMessage>, part: &str, rest: Object) -> Chat {
    let mut raw = Object::new();
    raw.insert("chat_metadata".into(), json!({}));
    raw.insert("user_name".into(), json!("unused"));
    raw.insert("character_name".into(), json!("unused"));
    stash(&mut raw, "chat_metadata", part, rest);
    let header = ChatHeader::read(raw, &Path::Root, &mut Vec::new());
    Chat { header: Some(header), messages, ..Chat::default() }
}

/// The text of a field, taken out; anything but a text stays.
pub(super) fn take_text(object: &mut Object, name: &str) -> Option<String> {
    match object.get_mut(name) {
        Some(Value::String(text)) => {
            let text = std::mem::take(text);
            object.shift_remove(name);
            Some(text)
        }
        _ => None,
    }
}

/// Something that is no message, kept as a hidden one with its JSON as text.
fn odd(at: impl Into<String>, found: &Value, wanted: &str, warnings: &mut Vec<Warning>) -> ChatMessage {
    let kind = json::field::type_name(found);
    let note = format!("expected {wanted} but found {kind}; it is kept as a hidden message");
    warnings.push(Warning::new("chat.odd_message", note).at(at));
    let mut message = message(String::new(), false, &json::compact(found), None, "", Object::new());
    message.is_system = true;
    message
}

/// The items of a list, taken out; anything else is warned about and stays.
fn take_list(object: &mut Object, name: &str, warnings: &mut Vec<Warning>) -> Vec<Value> {
    match object.get_mut(name) {
        Some(Value::Array(list)) => {
            let list = std::mem::take(list);
            object.shift_remove(name);
            list
        }
        Some(other) => {
            let kind = json::field::type_name(other);
            let note =
                format!("expected a list of messages but found {kind}; it is kept in the chat's metadata");
            warnings.push(Warning::new("chat.no_messages", note).at(name));
            Vec::new()
        }
        None => Vec::new(),
    }
}

fn kobold(mut file: Object, names: &Names, warnings: &mut Vec<Warning>) -> Chat {
    let setting = |name: &str| {
        file.get("savedsettings").and_then(|settings| settings.get(name)).and_then(Value::as_str)
    };
    let user = setting("chatname").map(str::to_owned);
    let character = setting("chatopponent").and_then(|names| names.split("||$||").next()).map(str::to_owned);
    let read = |text: &str| {
        let is_user = text.contains("{{[INPUT]}}");
        let own = if is_user { &user } else { &character };
        let name = names.pick(is_user, own.as_deref());
        let clean = text.replace("{{[INPUT]}}", "").replace("{{[OUTPUT]}}", "");
        message(name, is_user, clean.trim(), None, "koboldlite", Object::new())
    };
    let prompt = take_text(&mut file, "prompt").filter(|text| !text.is_empty());
    let mut messages: Vec<ChatMessage> = prompt.iter().map(|text| read(text)).collect();
    for (index, action) in take_list(&mut file, "actions", warnings).into_iter().enumerate() {
        messages.push(match action {
            Value::String(text) => read(&text),
            other => odd(format!("actions[{index}]"), &other, "a text", warnings),
        });
    }
    chat(messages, "koboldlite", file)
}

fn ooba(mut file: Object, names: &Names, warnings: &mut Vec<Warning>) -> Chat {
    let list = if file.contains_key("data_visible") { "data_visible" } else { "visible" };
    let mut messages = Vec::new();
    for (index, pair) in take_list(&mut file, list, warnings).into_iter().enumerate() {
        let Value::Array(sides) = pair else {
            messages.push(odd(format!("{list}[{index}]"), &pair, "a pair of texts", warnings));
            continue;
        };
        for (side, text) in sides.iter().enumerate() {
            let is_user = side == 0;
            match text.as_str() {
                Some("") => {}
                Some(text) => messages.push(message(
                    names.pick(is_user, None),
                    is_user,
                    text,
                    None,
                    "ooba",
                    Object::new(),
                )),
                None if text.is_null() => {}
                None => messages.push(odd(format!("{list}[{index}][{side}]"), text, "a text", warnings)),
            }
        }
    }
    chat(messages, "ooba", file)
}

fn agnai(mut file: Object, names: &Names, warnings: &mut Vec<Warning>) -> Chat {
    let own = file.get("name").and_then(Value::as_str).map(str::to_owned);
    let mut messages = Vec::new();
    for (index, value) in take_list(&mut file, "messages", warnings).into_iter().enumerate() {
        let Value::Object(mut raw) = value else {
            messages.push(odd(format!("messages[{index}]"), &value, "an object", warnings));
            continue;
        };
        let is_user = raw.get("userId").is_some_and(|id| !id.is_null() && id != "" && id != false);
        let handle = raw.get("handle").and_then(Value::as_str).map(str::to_owned);
        let text = take_text(&mut raw, "msg").unwrap_or_default();
        let date = raw.shift_remove("createdAt");
        let own = handle.or_else(|| own.clone().filter(|_| !is_user));
        messages.push(message(names.pick(is_user, own.as_deref()), is_user, &text, date, "agnai", raw));
    }
    chat(messages, "agnai", file)
}

fn risu(mut file: Object, names: &Names, warnings: &mut Vec<Warning>) -> Result<Chat> {
    let Some(Value::Object(mut data)) = file.get_mut("data").map(Value::take) else {
        return Err(Error::new(ErrorKind::Missing, "the chat has no `data` object with its messages")
            .at_field("data"));
    };
    let mut messages = Vec::new();
    for (index, value) in take_list(&mut data, "message", warnings).into_iter().enumerate() {
        let Value::Object(mut raw) = value else {
            messages.push(odd(format!("data.message[{index}]"), &value, "an object", warnings));
            continue;
        };
        let is_user = raw.get("role").is_some_and(|role| role == "user");
        let own = raw.get("name").and_then(Value::as_str).map(str::to_owned);
        let text = take_text(&mut raw, "data").unwrap_or_default();
        let date = raw.shift_remove("time");
        let disabled = raw.get("disabled").is_some_and(|disabled| disabled == true);
        let mut message = message(names.pick(is_user, own.as_deref()), is_user, &text, date, "risuai", raw);
        message.is_system = disabled;
        messages.push(message);
    }
    file.insert("data".into(), Value::Object(data));
    Ok(chat(messages, "risuai", file))
}

fn character_ai(mut file: Object, names: &Names, warnings: &mut Vec<Warning>) -> Result<Vec<Chat>> {
    // The list stands in an object of the same name.
    let histories = match file.get_mut("histories") {
        Some(Value::Object(inner)) => inner.get_mut("histories").map(Value::take),
        Some(list @ Value::Array(_)) => Some(list.take()),
        _ => None,
    };
    let Some(Value::Array(histories)) = histories else {
        let message = "the export has no list of histories";
        return Err(Error::new(ErrorKind::Missing, message).at_field("histories.histories"));
    };
    let mut chats = Vec::with_capacity(histories.len());
    for (number, history) in histories.into_iter().enumerate() {
        let at = format!("histories.histories[{number}]");
        let Value::Object(mut history) = history else {
            let messages = vec![odd(at, &history, "an object", warnings)];
            chats.push(chat(messages, "characterai", Object::new()));
            continue;
        };
        let mut messages = Vec::new();
        for (index, value) in take_list(&mut history, "msgs", warnings).into_iter().enumerate() {
            let Value::Object(mut raw) = value else {
                messages.push(odd(format!("{at}.msgs[{index}]"), &value, "an object", warnings));
                continue;
            };
            let source = raw.get("src").cloned().unwrap_or_default();
            let is_user = source.get("is_human") == Some(&Value::Bool(true));
            let text = take_text(&mut raw, "text").unwrap_or_default();
            let date = raw.shift_remove("created");
            let name = names.pick(is_user, source.get("name").and_then(Value::as_str));
            messages.push(message(name, is_user, &text, date, "characterai", raw));
        }
        // What is said about the character stands once in the file, and goes into each of its chats.
        let mut rest = file.clone();
        rest.insert("history".into(), Value::Object(history));
        chats.push(chat(messages, "characterai", rest));
    }
    Ok(chats)
}
