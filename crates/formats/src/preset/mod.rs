//! Presets and templates: how SillyTavern is set up to build a prompt.
//!
//! A field that is missing in a file has the value that SillyTavern itself starts with, never just an empty text.

mod chat;
mod context;
mod instruct;
mod master;
mod prompts;
mod templates;
mod text;

pub use chat::{ChatPreset, NamesBehavior};
pub use context::{ContextTemplate, StoryPosition};
pub use instruct::{InstructNames, InstructTemplate};
pub use master::{Master, StartReplyWith};
pub use prompts::{DUMMY_CHARACTER, InjectionPosition, OrderEntry, Prompt, PromptOrder, PromptSet};
use serde_json::Value;
pub use templates::{ReasoningTemplate, SystemPrompt};
pub use text::TextPreset;

use crate::json::{self, Path};
use crate::record::{Object, Read};
use crate::{Error, ErrorKind, Limits, Result};

/// The kinds of preset files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Chat completion (`OpenAI Settings`).
    Chat,
    /// Text completion (`TextGen Settings`).
    Text,
    /// Instruct template.
    Instruct,
    /// Context template.
    Context,
    /// System prompt.
    SystemPrompt,
    /// Reasoning template.
    Reasoning,
    /// Several of them in one file.
    Master,
}

impl Kind {
    /// Which kind of preset an object is, tested in SillyTavern's order.
    ///
    /// ```
    /// use tavernkit_formats::preset::Kind;
    ///
    /// let value = serde_json::json!({"name": "Short", "content": "Write as {{char}}."});
    /// assert_eq!(Kind::of(&value), Some(Kind::SystemPrompt));
    /// ```
    pub fn of(value: &Value) -> Option<Self> {
        let object = value.as_object()?;
        let has = |names: &[&str]| names.iter().all(|name| object.contains_key(*name));
        let some = |names: &[&str]| names.iter().any(|name| object.contains_key(*name));
        let section = |name: &str, kind: Kind| object.get(name).and_then(Kind::of) == Some(kind);
        if has(&["name", "input_sequence", "output_sequence"]) {
            Some(Self::Instruct)
        } else if has(&["name", "story_string"]) {
            Some(Self::Context)
        } else if has(&["name", "content"]) && !some(&["identifier", "entries", "role"]) {
            Some(Self::SystemPrompt)
        } else if has(&["temp", "top_k", "top_p", "rep_pen"]) {
            Some(Self::Text)
        } else if has(&["name", "prefix", "suffix", "separator"]) {
            Some(Self::Reasoning)
        } else if some(&[
            "prompts",
            "prompt_order",
            "openai_max_context",
            "openai_max_tokens",
            "chat_completion_source",
        ]) {
            Some(Self::Chat)
        } else if section("instruct", Self::Instruct)
            || section("context", Self::Context)
            || section("sysprompt", Self::SystemPrompt)
            || section("preset", Self::Text)
            || section("reasoning", Self::Reasoning)
            || object.get("srw").is_some_and(|srw| srw.get("value").is_some() && srw.get("show").is_some())
        {
            Some(Self::Master)
        } else {
            None
        }
    }
}

/// A preset file of any kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Preset {
    /// Chat completion.
    Chat(Box<ChatPreset>),
    /// Text completion.
    Text(Box<TextPreset>),
    /// Instruct template.
    Instruct(Box<InstructTemplate>),
    /// Context template.
    Context(Box<ContextTemplate>),
    /// System prompt.
    SystemPrompt(Box<SystemPrompt>),
    /// Reasoning template.
    Reasoning(Box<ReasoningTemplate>),
    /// Several of them.
    Master(Box<Master>),
}

impl Preset {
    /// Reads a preset file, finding out its kind.
    ///
    /// ```
    /// use tavernkit_formats::{Limits, preset::Preset};
    ///
    /// let file = br#"{"temperature": 0.8, "prompts": [], "openai_max_context": 16000}"#;
    /// let Preset::Chat(preset) = Preset::parse(file, &Limits::default())?.value else { panic!("not a chat preset") };
    /// assert_eq!(preset.max_context, 16000.0);
    /// assert_eq!(preset.new_chat_prompt, "[Start a new Chat]");
    /// # Ok::<(), tavernkit_formats::Error>(())
    /// ```
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Read<Self>> {
        let parsed = json::parse(bytes, limits)?;
        let mut warnings = parsed.warnings;
        let kind = Kind::of(&parsed.value);
        let (Some(kind), Value::Object(raw)) = (kind, parsed.value) else {
            let message = "this is not a preset or template of a known kind";
            return Err(Error::new(ErrorKind::UnknownFormat, message));
        };
        let at = &Path::Root;
        let value = match kind {
            Kind::Chat => Self::Chat(Box::new(ChatPreset::read(raw, at, &mut warnings))),
            Kind::Text => Self::Text(Box::new(TextPreset::read(raw, at, &mut warnings))),
            Kind::Instruct => Self::Instruct(Box::new(InstructTemplate::read(raw, at, &mut warnings))),
            Kind::Context => Self::Context(Box::new(ContextTemplate::read(raw, at, &mut warnings))),
            Kind::SystemPrompt => Self::SystemPrompt(Box::new(SystemPrompt::read(raw, at, &mut warnings))),
            Kind::Reasoning => Self::Reasoning(Box::new(ReasoningTemplate::read(raw, at, &mut warnings))),
            Kind::Master => Self::Master(Box::new(Master::read(raw, at, &mut warnings))),
        };
        Ok(Read { value, warnings })
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Chat(_) => Kind::Chat,
            Self::Text(_) => Kind::Text,
            Self::Instruct(_) => Kind::Instruct,
            Self::Context(_) => Kind::Context,
            Self::SystemPrompt(_) => Kind::SystemPrompt,
            Self::Reasoning(_) => Kind::Reasoning,
            Self::Master(_) => Kind::Master,
        }
    }

    /// The object for writing: as it was read, with the changed fields changed.
    pub fn to_map(&self) -> Object {
        match self {
            Self::Chat(preset) => preset.to_map(),
            Self::Text(preset) => preset.to_map(),
            Self::Instruct(preset) => preset.to_map(),
            Self::Context(preset) => preset.to_map(),
            Self::SystemPrompt(preset) => preset.to_map(),
            Self::Reasoning(preset) => preset.to_map(),
            Self::Master(preset) => preset.to_map(),
        }
    }
}

#[cfg(test)]
mod tests;
