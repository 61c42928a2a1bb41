//! One string, for completion endpoints.

use serde_json::json;

use super::{Dialect, Rendered};
use crate::error::Result;
use crate::message::{Message, Role};
use crate::warning::Warning;

/// A plain transcript: instructions as they are, turns as `Name: text`, and the name of who speaks next.
///
/// Platforms with templates of their own (story strings, instruct mode) do not use this; it is what a bare message list means as text.
///
/// ```
/// use tavernkit_core::dialect::{Dialect, Text};
/// use tavernkit_core::{Message, Role};
///
/// let messages = [Message::new(Role::System, "An inn at night."), Message::new(Role::User, "Who is there?").named("Ilse")];
/// let rendered = Text::default().render(&messages)?;
/// assert_eq!(rendered.body["prompt"], "An inn at night.\nIlse: Who is there?\nAssistant:");
/// assert_eq!(rendered.body["stop"][0], "\nIlse:");
/// # Ok::<(), tavernkit_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Text {
    /// The name of user messages that have none.
    pub user: String,
    /// The name of assistant messages that have none.
    pub assistant: String,
}

impl Default for Text {
    fn default() -> Self {
        Self { user: "User".into(), assistant: "Assistant".into() }
    }
}

impl Dialect for Text {
    fn name(&self) -> &str {
        "text"
    }

    fn render(&self, messages: &[Message]) -> Result<Rendered> {
        let mut warnings = Vec::new();
        let mut lines = Vec::with_capacity(messages.len() + 1);
        for (index, message) in messages.iter().enumerate() {
            if !message.attachments.is_empty() {
                let text = "a text prompt cannot carry attachments; they were left out";
                warnings
                    .push(Warning::new("dialect.attachment_dropped", text).at(format!("message {index}")));
            }
            if message.content.is_empty() {
                continue;
            }
            lines.push(match self.speaker(message) {
                Some(name) => format!("{name}: {}", message.content),
                None => message.content.to_string(),
            });
        }
        let speaks_next = messages.last().is_none_or(|message| message.role != Role::Assistant);
        if speaks_next {
            let last_name =
                messages.iter().rev().find(|m| m.role == Role::Assistant).and_then(|m| m.name.as_deref());
            lines.push(format!("{}:", last_name.unwrap_or(&self.assistant)));
        }
        let users =
            messages.iter().filter(|m| m.role == Role::User).map(|m| m.name.as_deref().unwrap_or(&self.user));
        let mut stop: Vec<String> = Vec::new();
        for name in users.chain([self.user.as_str()]) {
            let line = format!("\n{name}:");
            if !stop.contains(&line) {
                stop.push(line);
            }
        }
        Ok(Rendered { body: json!({"prompt": lines.join("\n"), "stop": stop}), warnings })
    }
}

impl Text {
    fn speaker<'m>(&'m self, message: &'m Message) -> Option<&'m str> {
        let default = match message.role {
            Role::User => Some(self.user.as_str()),
            Role::Assistant => Some(self.assistant.as_str()),
            _ => None,
        };
        default.map(|default| message.name.as_deref().unwrap_or(default))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_assistant_message_is_continued() {
        let messages =
            [Message::new(Role::User, "Tell."), Message::new(Role::Assistant, "Once").named("Bram")];
        let body = Text::default().render(&messages).unwrap().body;
        assert_eq!(body["prompt"], "User: Tell.\nBram: Once");
        assert_eq!(body["stop"], json!(["\nUser:"]));
    }
}
