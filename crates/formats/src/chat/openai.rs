//! Plain lists of messages with roles, as chat-completion APIs take them.

use serde_json::{Value, json};
use tavernkit_core::Warning;

use super::import::{Names, chat, message, take_text};
use super::{Chat, ChatMessage, ToolInvocation};
use crate::json;
use crate::record::{Field, Object, Scalar};

/// Whether a value is a list of messages with roles, or an object that holds one.
pub(super) fn is_one(value: &Value) -> bool {
    let list = match value {
        Value::Array(list) => list,
        _ => match value.get("messages") {
            Some(Value::Array(list)) => list,
            _ => return false,
        },
    };
    !list.is_empty() && list.iter().all(|message| message.get("role").is_some_and(Value::is_string))
}

/// Reads the list. System messages become the narrator's, tool calls SillyTavern's tool messages.
pub(super) fn read(value: Value, names: &Names, warnings: &mut Vec<Warning>) -> Chat {
    let (list, rest) = match value {
        Value::Array(list) => (list, Object::new()),
        Value::Object(mut file) => match file.shift_remove("messages") {
            Some(Value::Array(list)) => (list, file),
            _ => (Vec::new(), file),
        },
        _ => (Vec::new(), Object::new()),
    };
    let mut messages: Vec<ChatMessage> = Vec::with_capacity(list.len());
    for (index, value) in list.into_iter().enumerate() {
        let Value::Object(mut raw) = value else { continue };
        let role = take_text(&mut raw, "role").unwrap_or_default();
        if role == "tool" && attach_result(&mut messages, &raw) {
            continue;
        }
        let calls = raw.shift_remove("tool_calls");
        let (text, images) = content(&mut raw);
        let is_user = role == "user";
        let own = raw.get("name").and_then(Value::as_str).map(str::to_owned);
        let name = match role.as_str() {
            "system" | "developer" => "System".to_owned(),
            _ => names_for(names, is_user, own.as_deref()),
        };
        if !matches!(role.as_str(), "user" | "assistant" | "system") {
            raw.insert("role".into(), json!(role));
        }
        if !text.is_empty() || calls.is_none() {
            let mut message = message(name.clone(), is_user, &text, None, "openai", std::mem::take(&mut raw));
            if matches!(role.as_str(), "system" | "developer") {
                message.extra.kind = Some("narrator".into());
            }
            if role == "tool" {
                message.is_system = true;
                let note = "a tool's result without a call before it; it is kept as a hidden message";
                warnings.push(Warning::new("chat.loose_tool_result", note).at(format!("messages[{index}]")));
            }
            for url in images {
                let media = json!({"url": url, "type": "image"});
                message.extra.media.extend(Field::read(&media, &json::Path::Root, &mut Vec::new()));
            }
            messages.push(message);
        }
        if let Some(calls) = calls {
            let mut message = message(name, false, "", None, "openai", raw);
            message.is_system = true;
            message.extra.tool_invocations = calls.as_array().into_iter().flatten().map(invocation).collect();
            messages.push(message);
        }
    }
    chat(messages, "openai", rest)
}

fn names_for(names: &Names, is_user: bool, own: Option<&str>) -> String {
    let (given, default) = if is_user { (&names.user, "User") } else { (&names.character, "Character") };
    own.or(given.as_deref()).unwrap_or(default).to_owned()
}

fn invocation(call: &Value) -> ToolInvocation {
    let function = call.get("function").unwrap_or(&Value::Null);
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut invocation = ToolInvocation::default();
    invocation.id = call.get("id").and_then(Value::as_str).map(Scalar::from);
    invocation.name = text(function.get("name"));
    invocation.parameters = text(function.get("arguments"));
    invocation
}

/// Puts a tool's result where its call is.
fn attach_result(messages: &mut [ChatMessage], raw: &Object) -> bool {
    let Some(id) = raw.get("tool_call_id").and_then(Value::as_str) else { return false };
    let calls = messages.iter_mut().rev().flat_map(|message| message.extra.tool_invocations.iter_mut());
    let wanted = Some(Scalar::from(id));
    let Some(call) = { calls }.find(|call| call.id == wanted) else { return false };
    call.result = text_of(raw.get("content").unwrap_or(&Value::Null));
    true
}

/// Text and images of a message. Content that is not just text also stays as it is.
fn content(raw: &mut Object) -> (String, Vec<String>) {
    if let Some(text) = take_text(raw, "content") {
        return (text, Vec::new());
    }
    let Some(content) = raw.get("content") else { return (String::new(), Vec::new()) };
    let text = text_of(content);
    let parts = content.as_array().into_iter().flatten();
    let images =
        parts.filter_map(|part| Some(part.get("image_url")?.get("url")?.as_str()?.to_owned())).collect();
    if content.is_null() {
        raw.shift_remove("content");
    }
    (text, images)
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

impl Chat {
    /// The chat as a plain list of messages with roles. Hidden messages are left out, tool calls and their results are not.
    ///
    /// ```
    /// use tavernkit_formats::chat::{Chat, ChatMessage};
    ///
    /// let chat = Chat::new(vec![ChatMessage::new("Ilse", true, "Hello"), ChatMessage::new("Bram", false, "Hm.")]);
    /// assert_eq!(
    ///     chat.to_openai().to_string(),
    ///     r#"[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hm."}]"#
    /// );
    /// ```
    pub fn to_openai(&self) -> Value {
        let mut out: Vec<Value> = Vec::with_capacity(self.messages.len());
        for message in &self.messages {
            let kept = message.extra.raw().get("tavernkit").and_then(|kept| kept.get("openai"));
            let kept = kept.and_then(Value::as_object).cloned().unwrap_or_default();
            if !message.extra.tool_invocations.is_empty() {
                push_calls(message, kept, &mut out);
            } else if !message.is_hidden() {
                out.push(Value::Object(plain(message, kept)));
            }
        }
        Value::Array(out)
    }
}

fn plain(message: &ChatMessage, mut kept: Object) -> Object {
    let role = if message.is_narrator() {
        "system"
    } else if message.is_user {
        "user"
    } else {
        "assistant"
    };
    let mut out = Object::new();
    out.insert("role".into(), kept.shift_remove("role").unwrap_or_else(|| json!(role)));
    // Parts come back as parts, as long as their text is still the message's.
    let content = kept.shift_remove("content").filter(|content| text_of(content) == message.text);
    out.insert("content".into(), content.unwrap_or_else(|| json!(message.text)));
    out.extend(kept);
    out
}

fn push_calls(message: &ChatMessage, kept: Object, out: &mut Vec<Value>) {
    let id = |index: usize, call: &ToolInvocation| {
        call.id.as_ref().map_or_else(|| format!("call_{index}"), Scalar::to_string)
    };
    let calls = message.extra.tool_invocations.iter().enumerate();
    let list: Vec<Value> = calls
        .clone()
        .map(|(index, call)| {
            let function = json!({"name": call.name, "arguments": call.parameters});
            json!({"id": id(index, call), "type": "function", "function": function})
        })
        .collect();
    // A call goes with the text before it, if that is the same speaker's.
    match out.last_mut() {
        Some(last) if last["role"] == "assistant" && last.get("tool_calls").is_none() && kept.is_empty() => {
            last["tool_calls"] = Value::Array(list);
        }
        _ => {
            let mut call = Object::new();
            call.insert("role".into(), json!("assistant"));
            call.insert("content".into(), Value::Null);
            call.insert("tool_calls".into(), Value::Array(list));
            call.extend(kept);
            out.push(Value::Object(call));
        }
    }
    for (index, call) in calls {
        out.push(json!({"role": "tool", "tool_call_id": id(index, call), "content": call.result}));
    }
}
