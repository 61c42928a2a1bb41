//! Chat completions as OpenAI and the many compatible servers take them.

use serde_json::{Map, Value, json};

use super::{Dialect, Rendered};
use crate::error::Result;
use crate::message::{Attachment, AttachmentKind, Message, Role};
use crate::warning::Warning;

/// A list of messages: `role`, `content`, and where they apply `name`, `tool_calls`, `tool_call_id`, `signature`.
///
/// ```
/// use serde_json::json;
/// use tavernkit_core::dialect::{Dialect, OpenAi};
/// use tavernkit_core::{Message, Role};
///
/// let rendered = OpenAi.render(&[Message::new(Role::User, "Hello").named("Ilse")])?;
/// assert_eq!(rendered.body, json!([{"role": "user", "content": "Hello", "name": "Ilse"}]));
/// # Ok::<(), tavernkit_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenAi;

impl Dialect for OpenAi {
    fn name(&self) -> &str {
        "openai"
    }

    fn render(&self, messages: &[Message]) -> Result<Rendered> {
        let mut warnings = Vec::new();
        let mut body = Vec::with_capacity(messages.len());
        for (index, message) in messages.iter().enumerate() {
            if message.role == Role::Thinking {
                let text = "chat completions have no place for reasoning; the message was left out";
                warnings.push(Warning::new("dialect.thinking_dropped", text).at(format!("message {index}")));
                continue;
            }
            body.push(render_message(message, index, &mut warnings));
        }
        Ok(Rendered { body: Value::Array(body), warnings })
    }
}

fn render_message(message: &Message, index: usize, warnings: &mut Vec<Warning>) -> Value {
    let mut out = Map::new();
    out.insert("role".into(), message.role.as_str().into());
    out.insert("content".into(), content(message));
    if let Some(name) = message.name.as_deref().filter(|name| !name.is_empty()) {
        out.insert("name".into(), name.into());
    }
    let metadata = &message.metadata;
    if message.role == Role::Assistant && !metadata.tool_calls.is_empty() {
        out.insert("tool_calls".into(), json!(metadata.tool_calls));
    }
    if message.role == Role::Tool {
        match &metadata.tool_call_id {
            Some(id) => {
                out.insert("tool_call_id".into(), id.as_str().into());
            }
            None => {
                let text = "a tool result without `tool_call_id` will be refused; say which call it answers";
                warnings.push(
                    Warning::new("dialect.tool_result_without_call", text).at(format!("message {index}")),
                );
            }
        }
    }
    if let Some(signature) = &metadata.signature {
        out.insert("signature".into(), signature.as_str().into());
    }
    Value::Object(out)
}

/// Plain text, or a list of parts when something is attached.
fn content(message: &Message) -> Value {
    if message.attachments.is_empty() {
        return message.content.as_ref().into();
    }
    let text =
        (!message.content.is_empty()).then(|| json!({"type": "text", "text": message.content.as_ref()}));
    text.into_iter().chain(message.attachments.iter().map(part)).collect()
}

fn part(attachment: &Attachment) -> Value {
    match attachment.kind {
        AttachmentKind::Image => json!({"type": "image_url", "image_url": {"url": attachment.url()}}),
        AttachmentKind::Audio => json!({"type": "audio_url", "audio_url": {"url": attachment.url()}}),
        AttachmentKind::Video => json!({"type": "video_url", "video_url": {"url": attachment.url()}}),
        AttachmentKind::File => {
            json!({"type": "file", "file": {"filename": attachment.name.as_deref().unwrap_or("file"), "file_data": attachment.url()}})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{AttachmentData, ToolCall};

    #[test]
    fn tool_calls_and_results_keep_their_ids_and_other_roles_have_none() {
        let mut call = Message::new(Role::Assistant, "");
        call.metadata.tool_calls.push(ToolCall::function("c1", "roll", r#"{"sides":6}"#));
        call.metadata.signature = Some("sig".into());
        let mut result = Message::new(Role::Tool, "4");
        result.metadata.tool_call_id = Some("c1".into());
        let mut user = Message::new(Role::User, "x");
        user.metadata = call.metadata.clone();
        user.metadata.signature = None;
        let rendered = OpenAi.render(&[call, result, user]).unwrap();
        assert_eq!(
            rendered.body,
            json!([
                {"role": "assistant", "content": "", "signature": "sig",
                 "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "roll", "arguments": "{\"sides\":6}"}}]},
                {"role": "tool", "content": "4", "tool_call_id": "c1"},
                {"role": "user", "content": "x"}
            ])
        );
        assert!(rendered.warnings.is_empty());
    }

    #[test]
    fn what_cannot_be_said_is_warned_about() {
        let messages = [Message::new(Role::Thinking, "hm"), Message::new(Role::Tool, "4")];
        let rendered = OpenAi.render(&messages).unwrap();
        let codes: Vec<_> = rendered.warnings.iter().map(|w| w.code.as_ref()).collect();
        assert_eq!(codes, ["dialect.thinking_dropped", "dialect.tool_result_without_call"]);
        assert_eq!(rendered.body.as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn attachments_make_content_a_list_of_parts() {
        let mut message = Message::new(Role::User, "look");
        message.attachments.push(Attachment {
            kind: AttachmentKind::Image,
            data: AttachmentData::Url("https://example.invalid/a.png".into()),
            mime: None,
            name: None,
        });
        let body = OpenAi.render(&[message]).unwrap().body;
        assert_eq!(
            body[0]["content"],
            json!([{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "https://example.invalid/a.png"}}])
        );
    }
}
