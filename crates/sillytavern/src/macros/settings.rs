//! The settings that macros read, under SillyTavern's own names so that they deserialise from its files.

use serde::{Deserialize, Serialize};

/// When names stand before lines in instruct mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NamesBehavior {
    /// Never.
    None,
    /// In groups, and for messages with a forced avatar.
    #[default]
    Force,
    /// Always.
    Always,
}

/// `power_user.instruct`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are SillyTavern's settings of the same names")]
pub struct InstructSettings {
    pub enabled: bool,
    pub input_sequence: String,
    pub input_suffix: String,
    pub output_sequence: String,
    pub output_suffix: String,
    pub system_sequence: String,
    pub system_suffix: String,
    pub last_system_sequence: String,
    pub first_input_sequence: String,
    pub first_output_sequence: String,
    pub last_input_sequence: String,
    pub last_output_sequence: String,
    pub story_string_prefix: String,
    pub story_string_suffix: String,
    pub stop_sequence: String,
    pub user_alignment_message: String,
    pub wrap: bool,
    #[serde(rename = "macro")]
    pub expand_macros: bool,
    pub names_behavior: NamesBehavior,
    pub skip_examples: bool,
}

impl Default for InstructSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            input_sequence: String::new(),
            input_suffix: String::new(),
            output_sequence: String::new(),
            output_suffix: String::new(),
            system_sequence: String::new(),
            system_suffix: String::new(),
            last_system_sequence: String::new(),
            first_input_sequence: String::new(),
            first_output_sequence: String::new(),
            last_input_sequence: String::new(),
            last_output_sequence: String::new(),
            story_string_prefix: String::new(),
            story_string_suffix: String::new(),
            stop_sequence: String::new(),
            user_alignment_message: String::new(),
            wrap: true,
            expand_macros: true,
            names_behavior: NamesBehavior::Force,
            skip_examples: false,
        }
    }
}

/// The part of `power_user.context` that macros read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextSettings {
    /// Put before the chat.
    pub chat_start: String,
    /// Put before each example dialogue.
    pub example_separator: String,
}

/// The part of `power_user.sysprompt` that macros read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SystemPrompt {
    /// Off means that there is no system prompt.
    pub enabled: bool,
    /// Its text.
    pub content: String,
}

/// The part of `power_user.reasoning` that macros read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReasoningSettings {
    /// Put before reasoning.
    pub prefix: String,
    /// Put after reasoning.
    pub suffix: String,
    /// Put between reasoning and the answer.
    pub separator: String,
}
