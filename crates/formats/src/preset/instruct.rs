//! Instruct templates: how a text-completion model is told who speaks.

use serde_json::Value;
use tavernkit_core::Warning;

use crate::record::{coded, record};

coded! {
    /// Whether lines carry the speaker's name.
    pub enum InstructNames {
        /// Never.
        None = "none",
        /// In groups and for past personas.
        Force = "force",
        /// Always.
        Always = "always",
    }
}

record! {
    /// An instruct template, as a file or as `power_user.instruct`.
    pub struct InstructTemplate {
        /// Its name. In the settings the field is called `preset`.
        name: String = "name" | "preset" => "Alpaca".into();
        /// Whether instruct mode is on; only in the settings.
        enabled: bool = "enabled" => false;
        /// Before a user's line.
        input_sequence: String = "input_sequence" => "### Instruction:".into();
        /// After a user's line.
        input_suffix: String = "input_suffix" => String::new();
        /// Before a character's line.
        output_sequence: String = "output_sequence" => "### Response:".into();
        /// After a character's line.
        output_suffix: String = "output_suffix" => String::new();
        /// Before a system line.
        system_sequence: String = "system_sequence" => String::new();
        /// After a system line.
        system_suffix: String = "system_suffix" => String::new();
        /// Before the last system line.
        last_system_sequence: String = "last_system_sequence" => String::new();
        /// Before the first user's line.
        first_input_sequence: String = "first_input_sequence" => String::new();
        /// Before the last user's line.
        last_input_sequence: String = "last_input_sequence" => String::new();
        /// Before the first character's line.
        first_output_sequence: String = "first_output_sequence" => String::new();
        /// Before the last character's line.
        last_output_sequence: String = "last_output_sequence" => String::new();
        /// Before the story string.
        story_string_prefix: String = "story_string_prefix" => String::new();
        /// After the story string.
        story_string_suffix: String = "story_string_suffix" => String::new();
        /// Where the model stops.
        stop_sequence: String = "stop_sequence" => String::new();
        /// Whether sequences stand on lines of their own.
        wrap: bool = "wrap" => true;
        /// Whether macros in sequences are expanded.
        macros: bool = "macro" => true;
        /// Names.
        names_behavior: InstructNames = "names_behavior" => InstructNames::Force;
        /// Models this template is chosen for.
        activation_regex: String = "activation_regex" => String::new();
        /// Whether it follows the context template of the same name.
        bind_to_context: bool = "bind_to_context" => false;
        /// A user's line put first when the history does not start with one.
        user_alignment_message: String = "user_alignment_message" => String::new();
        /// Whether system lines look like the user's.
        system_same_as_user: bool = "system_same_as_user" => false;
        /// Whether examples stay as they are written.
        skip_examples: bool = "skip_examples" => false;
        /// Whether sequences also stop the model.
        sequences_as_stop_strings: bool = "sequences_as_stop_strings" => true;
    }
}

impl InstructTemplate {
    /// Brings old fields up to date as SillyTavern does when it loads them, each with a warning.
    pub fn migrate(&mut self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut note = |field: &str, message: &str| {
            warnings.push(Warning::new("preset.old_field", message).at(field.to_owned()));
        };
        let raw = self.raw().clone();
        if let Some(Value::String(separator)) = raw.get("separator_sequence") {
            note("separator_sequence", "read as `output_suffix`");
            self.output_suffix.clone_from(separator);
        }
        let flag = |field: &str| raw.get(field).and_then(Value::as_bool);
        let names = flag("names");
        let forced = flag("names_force_groups");
        if (names.is_some() || forced.is_some()) && !raw.contains_key("names_behavior") {
            note(if names.is_some() { "names" } else { "names_force_groups" }, "read as `names_behavior`");
            self.names_behavior = match (names, forced) {
                (Some(true), _) => InstructNames::Always,
                (_, Some(false)) => InstructNames::None,
                _ => InstructNames::Force,
            };
        }
        if raw.contains_key("system_prompt") {
            note(
                "system_prompt",
                "system prompts have files of their own now; this one is not used by the template",
            );
        }
        warnings
    }
}
