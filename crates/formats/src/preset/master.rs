//! A master file: several templates in one.

use super::{ContextTemplate, InstructTemplate, ReasoningTemplate, SystemPrompt, TextPreset};
use crate::record::record;

record! {
    /// Any of the templates and a text-completion preset, exported together.
    pub struct Master {
        /// Instruct template.
        instruct: Option<InstructTemplate> = "instruct" => None;
        /// Context template.
        context: Option<ContextTemplate> = "context" => None;
        /// System prompt.
        sysprompt: Option<SystemPrompt> = "sysprompt" => None;
        /// Text-completion preset.
        preset: Option<TextPreset> = "preset" => None;
        /// Reasoning template.
        reasoning: Option<ReasoningTemplate> = "reasoning" => None;
        /// Start of the answer.
        start_reply_with: Option<StartReplyWith> = "srw" => None;
    }
}

record! {
    /// The start of every answer.
    pub struct StartReplyWith {
        /// The text.
        value: String = "value" => String::new();
        /// Whether it is shown in the chat.
        show: bool = "show" => false;
    }
}
