//! Messages as Anthropic takes them: a system text apart, turns that alternate, tool results in the turn after their calls.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Dialect, Rendered};
use crate::error::Result;
use crate::message::{Attachment, AttachmentData, AttachmentKind, Message, Role, ToolCall};
use crate::warning::Warning;

/// `{system, messages}`.
///
/// System messages that open the prompt become `system`. Later ones keep their place as user text, for that is where an author put
/// them. Turns of one side are merged; the first turn is the user's.
///
/// ```
/// use serde_json::json;
/// use tavernkit_core::dialect::{Anthropic, Dialect};
/// use tavernkit_core::{Message, Role};
///
/// let messages = [Message::new(Role::System, "You are Bram."), Message::new(Role::User, "Hello.")];
/// let rendered = Anthropic::default().render(&messages)?;
/// assert_eq!(rendered.body["system"], "You are Bram.");
/// assert_eq!(rendered.body["messages"], json!([{"role": "user", "content": [{"type": "text", "text": "Hello."}]}]));
/// # Ok::<(), tavernkit_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Anthropic {
    /// The user's turn that is put first when the prompt would open with the assistant.
    pub placeholder: String,
}

impl Default for Anthropic {
    fn default() -> Self {
        Self { placeholder: "(The conversation begins.)".into() }
    }
}

impl Dialect for Anthropic {
    fn name(&self) -> &str {
        "anthropic"
    }

    fn render(&self, messages: &[Message]) -> Result<Rendered> {
        let opening = messages.iter().take_while(|message| message.role == Role::System).count();
        let (system, chat) = messages.split_at(opening);
        let system: Vec<&str> =
            system.iter().map(|m| m.content.as_ref()).filter(|text| !text.trim().is_empty()).collect();
        let mut turns = Turns {
            turns: Vec::new(),
            warnings: Vec::new(),
            open_calls: HashSet::new(),
            answered: answered(chat),
        };
        for (index, message) in chat.iter().enumerate() {
            turns.add(message, opening + index);
        }
        turns.open_with_user(&self.placeholder);
        turns.trim_prefill();
        let messages: Vec<Value> = turns
            .turns
            .into_iter()
            .map(|turn| json!({"role": turn.side.as_str(), "content": turn.blocks}))
            .collect();
        Ok(Rendered {
            body: json!({"system": system.join("\n\n"), "messages": messages}),
            warnings: turns.warnings,
        })
    }
}

/// The ids of calls that have a result later; a call without one would be refused.
fn answered(chat: &[Message]) -> HashSet<&str> {
    chat.iter().filter(|m| m.role == Role::Tool).filter_map(|m| m.metadata.tool_call_id.as_deref()).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    User,
    Assistant,
}

impl Side {
    fn as_str(self) -> &'static str {
        match self {
            Side::User => "user",
            Side::Assistant => "assistant",
        }
    }
}

struct Turn {
    side: Side,
    blocks: Vec<Value>,
    /// Results stand before any text of their turn.
    results: usize,
}

struct Turns<'m> {
    turns: Vec<Turn>,
    warnings: Vec<Warning>,
    /// Calls of the last assistant turn that wait for their result.
    open_calls: HashSet<&'m str>,
    answered: HashSet<&'m str>,
}

impl<'m> Turns<'m> {
    fn add(&mut self, message: &'m Message, index: usize) {
        match &message.role {
            Role::Assistant => self.add_assistant(message, index),
            Role::Tool => self.add_result(message, index),
            Role::Thinking => self.add_thinking(message, index),
            _ => {
                let turn = self.turn(Side::User);
                push_text(turn, message);
                turn.blocks.extend(message.attachments.iter().map(part));
            }
        }
        self.turns.retain(|turn| !turn.blocks.is_empty());
    }

    fn add_assistant(&mut self, message: &'m Message, index: usize) {
        push_text(self.turn(Side::Assistant), message);
        for call in &message.metadata.tool_calls {
            if self.answered.contains(call.id.as_str()) {
                self.turn(Side::Assistant).blocks.push(tool_use(call));
                self.open_calls.insert(&call.id);
            } else {
                let text = format!(
                    "call `{}` of tool `{}` has no result and would be refused; it was left out",
                    call.id, call.function.name
                );
                self.warnings
                    .push(Warning::new("dialect.call_without_result", text).at(format!("message {index}")));
            }
        }
    }

    fn add_result(&mut self, message: &'m Message, index: usize) {
        let id = message.metadata.tool_call_id.as_deref().unwrap_or_default();
        if !self.open_calls.remove(id) {
            let text = format!("result `{id}` answers no call of the turn before it; it is sent as text");
            self.warnings
                .push(Warning::new("dialect.result_without_call", text).at(format!("message {index}")));
            push_text(self.turn(Side::User), message);
            return;
        }
        let turn = self.turn(Side::User);
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": message.content.as_ref()});
        turn.blocks.insert(turn.results, result);
        turn.results += 1;
    }

    fn add_thinking(&mut self, message: &'m Message, index: usize) {
        match &message.metadata.signature {
            Some(signature) => {
                let block =
                    json!({"type": "thinking", "thinking": message.content.as_ref(), "signature": signature});
                self.turn(Side::Assistant).blocks.push(block);
            }
            None => {
                let text = "reasoning without a signature would be refused; it was left out";
                self.warnings
                    .push(Warning::new("dialect.thinking_dropped", text).at(format!("message {index}")));
            }
        }
    }

    /// The last turn if it is of this side, else a new one.
    fn turn(&mut self, side: Side) -> &mut Turn {
        if self.turns.last().is_none_or(|turn| turn.side != side) {
            self.turns.push(Turn { side, blocks: Vec::new(), results: 0 });
        }
        self.turns.last_mut().expect("a turn was pushed if there was none")
    }

    fn open_with_user(&mut self, placeholder: &str) {
        if self.turns.first().is_none_or(|turn| turn.side != Side::User) {
            let text = "the first turn must be the user's; a placeholder was put first";
            self.warnings.push(Warning::new("dialect.placeholder", text));
            let blocks = vec![json!({"type": "text", "text": placeholder})];
            self.turns.insert(0, Turn { side: Side::User, blocks, results: 0 });
        }
    }

    /// A reply that is continued may not end in white space.
    fn trim_prefill(&mut self) {
        if let Some(turn) = self.turns.last_mut().filter(|turn| turn.side == Side::Assistant)
            && let Some(Value::String(text)) = turn.blocks.last_mut().and_then(|block| block.get_mut("text"))
        {
            text.truncate(text.trim_end().len());
        }
    }
}

/// Text, with the speaker's name in front where the text does not already begin with it. Blank text would be refused.
fn push_text(turn: &mut Turn, message: &Message) {
    let content = message.content.as_ref();
    if content.trim().is_empty() {
        return;
    }
    let text = match message.name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) if !content.starts_with(&format!("{name}: ")) => format!("{name}: {content}"),
        _ => content.to_owned(),
    };
    turn.blocks.push(json!({"type": "text", "text": text}));
}

fn tool_use(call: &ToolCall) -> Value {
    let input = serde_json::from_str(&call.function.arguments).ok().filter(Value::is_object);
    json!({"type": "tool_use", "id": call.id, "name": call.function.name, "input": input.unwrap_or_else(|| json!({}))})
}

fn part(attachment: &Attachment) -> Value {
    let source = match &attachment.data {
        AttachmentData::Url(url) => json!({"type": "url", "url": url}),
        AttachmentData::Base64(data) => {
            json!({"type": "base64", "media_type": attachment.mime_or_default(), "data": data})
        }
    };
    let kind = if attachment.kind == AttachmentKind::Image { "image" } else { "document" };
    json!({"type": kind, "source": source})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> Message {
        let mut message = Message::new(Role::Assistant, "");
        message.metadata.tool_calls.push(ToolCall::function(id, "roll", r#"{"sides":6}"#));
        message
    }

    fn result(id: &str, text: &str) -> Message {
        let mut message = Message::new(Role::Tool, text);
        message.metadata.tool_call_id = Some(id.into());
        message
    }

    fn render(messages: &[Message]) -> Rendered {
        Anthropic::default().render(messages).unwrap()
    }

    fn codes(rendered: &Rendered) -> Vec<&str> {
        rendered.warnings.iter().map(|w| w.code.as_ref()).collect()
    }

    #[test]
    fn turns_alternate_and_later_system_text_keeps_its_place() {
        let rendered = render(&[
            Message::new(Role::System, "One."),
            Message::new(Role::System, "Two."),
            Message::new(Role::Assistant, "Hi."),
            Message::new(Role::User, "a"),
            Message::new(Role::System, "Note."),
            Message::new(Role::User, "b").named("Ilse"),
            Message::new(Role::Assistant, "Sure,  \n"),
        ]);
        assert_eq!(rendered.body["system"], "One.\n\nTwo.");
        let text = |t: &str| json!({"type": "text", "text": t});
        assert_eq!(
            rendered.body["messages"],
            json!([
                {"role": "user", "content": [text("(The conversation begins.)")]},
                {"role": "assistant", "content": [text("Hi.")]},
                {"role": "user", "content": [text("a"), text("Note."), text("Ilse: b")]},
                {"role": "assistant", "content": [text("Sure,")]},
            ])
        );
        assert_eq!(codes(&rendered), ["dialect.placeholder"]);
    }

    #[test]
    fn results_of_one_turn_are_merged_and_stand_first() {
        let mut two = call("c1");
        two.metadata.tool_calls.push(ToolCall::function("c2", "roll", "not json"));
        let rendered = render(&[
            Message::new(Role::User, "roll"),
            two,
            result("c1", "4"),
            Message::new(Role::System, "Note."),
            result("c2", "2"),
        ]);
        assert_eq!(
            rendered.body["messages"][1]["content"],
            json!([
                {"type": "tool_use", "id": "c1", "name": "roll", "input": {"sides": 6}},
                {"type": "tool_use", "id": "c2", "name": "roll", "input": {}},
            ])
        );
        assert_eq!(
            rendered.body["messages"][2]["content"],
            json!([
                {"type": "tool_result", "tool_use_id": "c1", "content": "4"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "2"},
                {"type": "text", "text": "Note."},
            ])
        );
        assert!(rendered.warnings.is_empty());
    }

    #[test]
    fn orphans_are_bent_into_something_valid() {
        let rendered = render(&[
            Message::new(Role::User, "x"),
            call("lost"),
            result("stray", "7"),
            Message::new(Role::Thinking, "hm"),
        ]);
        assert_eq!(
            codes(&rendered),
            ["dialect.call_without_result", "dialect.result_without_call", "dialect.thinking_dropped"]
        );
        assert_eq!(rendered.body["messages"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn nothing_at_all_is_still_a_valid_request() {
        assert_eq!(render(&[]).body["messages"].as_array().map(Vec::len), Some(1));
    }
}
