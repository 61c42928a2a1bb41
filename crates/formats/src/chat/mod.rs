//! Chats: SillyTavern's files, plain message lists, and the exports of other programs.

mod header;
mod import;
mod message;
mod openai;
mod reader;

pub use header::{ChatHeader, ChatMetadata, InjectPosition, ScriptInject, TimedEffect, TimedWorldInfo};
pub use import::{ChatFormat, Names};
pub use message::{ChatMessage, Extra, FileAttachment, Media, SwipeInfo, ToolInvocation};
pub use reader::{ChatReader, ChatWriter, Line, Party};

use crate::record::Read;
use crate::{Limits, Result};

/// A whole chat in memory. For large ones see [`ChatReader`].
///
/// ```
/// use tavernkit_formats::{Limits, chat::{Chat, Party}};
///
/// let file = br#"{"chat_metadata":{"note_prompt":"Rain."},"user_name":"unused"}
/// {"name":"Bram","is_user":false,"mes":"Hm.","swipes":["Hm.","Ah."],"swipe_id":0,"mood":"dry"}"#;
/// let mut chat = Chat::parse(file, Party::Solo, &Limits::default())?.value;
/// assert_eq!(chat.to_jsonl(), std::str::from_utf8(file).unwrap());
///
/// chat.messages[0].text = "Ah.".into();
/// chat.messages[0].swipe_id = Some(1.0);
/// assert!(chat.to_jsonl().ends_with(
///     r#"{"name":"Bram","is_user":false,"mes":"Ah.","swipes":["Hm.","Ah."],"swipe_id":1,"mood":"dry"}"#
/// ));
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chat {
    /// Names and metadata. A group's chat may have none.
    pub header: Option<ChatHeader>,
    /// The messages.
    pub messages: Vec<ChatMessage>,
    /// Lines that are no messages, each with how many messages stand before it.
    odd: Vec<(usize, Line)>,
    newline_at_end: bool,
}

impl Chat {
    /// A chat of these messages with a new header.
    pub fn new(messages: Vec<ChatMessage>) -> Self {
        Self { header: Some(ChatHeader::new()), messages, odd: Vec::new(), newline_at_end: false }
    }

    /// Reads SillyTavern's JSONL.
    pub fn parse(bytes: &[u8], party: Party, limits: &Limits) -> Result<Read<Self>> {
        let mut reader = ChatReader::new(bytes, party, limits.clone());
        let mut chat = Self::default();
        while let Some(line) = reader.next_line()? {
            match line {
                Line::Header(header) if chat.header.is_none() => chat.header = Some(*header),
                Line::Message(message) => chat.messages.push(*message),
                odd => {
                    let before = chat.messages.len() + usize::from(chat.header.is_some());
                    chat.odd.push((before, odd));
                }
            }
        }
        chat.newline_at_end = reader.ended_with_newline();
        Ok(Read { value: chat, warnings: reader.into_warnings() })
    }

    /// SillyTavern's JSONL. What was not changed comes back as it was, broken lines included.
    pub fn to_jsonl(&self) -> String {
        let mut lines: Vec<String> = Vec::with_capacity(self.messages.len() + 1);
        lines.extend(self.header.as_ref().map(ChatHeader::to_line));
        lines.extend(self.messages.iter().map(ChatMessage::to_line));
        // From the back, so that the places before stay right.
        for (before, line) in self.odd.iter().rev() {
            lines.insert((*before).min(lines.len()), line.to_text());
        }
        let mut text = lines.join("\n");
        if self.newline_at_end {
            text.push('\n');
        }
        text
    }

    /// What the chat remembers; empty if it has no header.
    pub fn metadata(&self) -> ChatMetadata {
        self.header.as_ref().map(|header| header.metadata.clone()).unwrap_or_default()
    }

    /// Plain text for people: every message that is not hidden, as `name: text` and an empty line.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for message in self.messages.iter().filter(|message| !message.is_hidden() && !message.text.is_empty())
        {
            let text = message.extra.display_text.as_ref().unwrap_or(&message.text);
            out.push_str(&message.name);
            out.push_str(": ");
            out.push_str(&text.replace("\r\n", "\n"));
            out.push_str("\n\n");
        }
        out
    }
}

#[cfg(test)]
mod tests;
