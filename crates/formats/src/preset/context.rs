//! Context templates: how the story string of a text-completion prompt is put together.

use crate::lorebook::Role;
use crate::record::{coded, record};

coded! {
    /// Where the story string goes.
    pub enum StoryPosition {
        /// At the top.
        InPrompt = 0,
        /// Into the chat, at a depth.
        InChat = 1,
        /// Before everything.
        BeforePrompt = 2,
    }
}

record! {
    /// A context template, as a file or as `power_user.context`.
    pub struct ContextTemplate {
        /// Its name. In the settings the field is called `preset`.
        name: String = "name" | "preset" => "Default".into();
        /// The story string, a Handlebars template.
        story_string: String = "story_string" => STORY.into();
        /// Between examples.
        example_separator: String = "example_separator" => "***".into();
        /// Before the chat.
        chat_start: String = "chat_start" => "***".into();
        /// Whether the two separators also stop the model.
        use_stop_strings: bool = "use_stop_strings" => false;
        /// Whether names also stop the model.
        names_as_stop_strings: bool = "names_as_stop_strings" => true;
        /// Where the story string goes.
        story_string_position: StoryPosition = "story_string_position" => StoryPosition::InPrompt;
        /// Its depth in the chat.
        story_string_depth: f64 = "story_string_depth" => 1.0;
        /// Its role in the chat.
        story_string_role: Role = "story_string_role" => Role::System;
        /// Whether the prompt ends with the character's name.
        always_force_name2: bool = "always_force_name2" => true;
        /// Whether answers are cut at the last sentence.
        trim_sentences: bool = "trim_sentences" => false;
        /// Whether answers are cut at the first new line.
        single_line: bool = "single_line" => false;
    }
}

/// The story string where there is none.
const STORY: &str = "{{#if system}}{{system}}\n{{/if}}{{#if description}}{{description}}\n{{/if}}{{#if personality}}{{char}}'s personality: {{personality}}\n{{/if}}{{#if scenario}}Scenario: {{scenario}}\n{{/if}}{{#if persona}}{{persona}}\n{{/if}}";

impl ContextTemplate {
    /// The story string as SillyTavern uses it: templates from before the anchors had names of their own get them added.
    ///
    /// ```
    /// use tavernkit_formats::preset::ContextTemplate;
    ///
    /// let old: ContextTemplate = serde_json::from_str(r#"{"name": "Old", "story_string": "{{system}} {{persona}}"}"#)?;
    /// assert_eq!(
    ///     old.story_string_with_anchors(),
    ///     "{{#if anchorBefore}}{{anchorBefore}}\n{{/if}}{{system}} {{persona}}{{#if anchorAfter}}{{anchorAfter}}\n{{/if}}"
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn story_string_with_anchors(&self) -> String {
        let mut story = self.story_string.clone();
        if self.raw().contains_key("story_string_position") {
            return story;
        }
        if !story.contains("{{anchorBefore}}") {
            let at = story.find("{{").unwrap_or(0);
            story.insert_str(at, "{{#if anchorBefore}}{{anchorBefore}}\n{{/if}}");
        }
        if !story.contains("{{anchorAfter}}") {
            const TRIM: &str = "{{trim}}";
            let after_last = story.rfind("}}").map_or(story.len(), |at| at + 2);
            // A `{{trim}}` at the end stays last.
            let at = story.rfind(TRIM).filter(|at| at + TRIM.len() == after_last).unwrap_or(after_last);
            story.insert_str(at, "{{#if anchorAfter}}{{anchorAfter}}\n{{/if}}");
        }
        story
    }
}
