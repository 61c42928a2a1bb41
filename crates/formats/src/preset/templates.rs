//! System prompts and reasoning templates.

use crate::record::record;

record! {
    /// A system prompt, as a file or as `power_user.sysprompt`.
    pub struct SystemPrompt {
        /// Its name.
        name: String = "name" => "Neutral - Chat".into();
        /// Whether it is used; only in the settings.
        enabled: bool = "enabled" => true;
        /// The text.
        content: String = "content" => "Write the next reply of {{char}} in this chat with {{user}}.".into();
        /// A text after the history.
        post_history: String = "post_history" => String::new();
    }
}

record! {
    /// A reasoning template, as a file or as `power_user.reasoning`.
    pub struct ReasoningTemplate {
        /// Its name.
        name: String = "name" => "Think XML".into();
        /// Before the reasoning.
        prefix: String = "prefix" => "<think>".into();
        /// After the reasoning.
        suffix: String = "suffix" => "</think>".into();
        /// Between the reasoning and the answer.
        separator: String = "separator" => "\n".into();
        /// Whether reasoning is cut out of answers; only in the settings.
        auto_parse: bool = "auto_parse" => false;
        /// Whether reasoning goes back into prompts; only in the settings.
        add_to_prompts: bool = "add_to_prompts" => false;
        /// Whether blocks are shown open; only in the settings.
        auto_expand: bool = "auto_expand" => false;
        /// Whether hidden reasoning is shown; only in the settings.
        show_hidden: bool = "show_hidden" => false;
        /// How many messages' reasoning goes back; only in the settings.
        max_additions: f64 = "max_additions" => 1.0;
    }
}
