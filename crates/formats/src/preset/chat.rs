//! Chat-completion presets (`OpenAI Settings`), and the same fields in the settings (`oai_settings`).

use serde_json::Value;
use tavernkit_core::Warning;

use super::prompts::{Prompt, PromptOrder};
use crate::json::Path;
use crate::record::{List, Object, coded, record};
use crate::regex_script::RegexScript;

coded! {
    /// How speakers' names reach the model.
    pub enum NamesBehavior {
        /// Not at all.
        None = -1,
        /// In the text, only where needed: groups and past personas.
        Default = 0,
        /// As the `name` of each message.
        Completion = 1,
        /// In the text of every message.
        Content = 2,
    }
}

record! {
    /// A chat-completion preset.
    ///
    /// The names of sampling fields differ between preset files (`temperature`) and settings (`temp_openai`); both are read.
    pub struct ChatPreset {
        /// Sampling temperature.
        temperature: f64 = "temperature" | "temp_openai" => 1.0;
        /// Frequency penalty.
        frequency_penalty: f64 = "frequency_penalty" | "freq_pen_openai" => 0.0;
        /// Presence penalty.
        presence_penalty: f64 = "presence_penalty" | "pres_pen_openai" => 0.0;
        /// Nucleus sampling.
        top_p: f64 = "top_p" | "top_p_openai" => 1.0;
        /// Top-k sampling; 0 is off.
        top_k: f64 = "top_k" | "top_k_openai" => 0.0;
        /// Top-a sampling; 0 is off.
        top_a: f64 = "top_a" | "top_a_openai" => 0.0;
        /// Min-p sampling; 0 is off.
        min_p: f64 = "min_p" | "min_p_openai" => 0.0;
        /// Repetition penalty; 1 is off.
        repetition_penalty: f64 = "repetition_penalty" | "repetition_penalty_openai" => 1.0;
        /// Seed for the model; −1 is none.
        seed: f64 = "seed" => -1.0;
        /// Answers per request.
        n: f64 = "n" => 1.0;
        /// Context window in tokens.
        max_context: f64 = "openai_max_context" => 4095.0;
        /// Tokens reserved for the answer.
        max_tokens: f64 = "openai_max_tokens" => 300.0;
        /// Whether the window may exceed what is known of the model.
        max_context_unlocked: bool = "max_context_unlocked" => false;
        /// Names.
        names_behavior: NamesBehavior = "names_behavior" => NamesBehavior::Default;
        /// Sent as the user when the user sends nothing.
        send_if_empty: String = "send_if_empty" => String::new();
        /// Asks the model to write for the user.
        impersonation_prompt: String = "impersonation_prompt" => IMPERSONATION.into();
        /// Opens the history.
        new_chat_prompt: String = "new_chat_prompt" => "[Start a new Chat]".into();
        /// Opens a group's history.
        new_group_chat_prompt: String = "new_group_chat_prompt"
            => "[Start a new group chat. Group members: {{group}}]".into();
        /// Opens each example dialogue.
        new_example_chat_prompt: String = "new_example_chat_prompt" => "[Example Chat]".into();
        /// Asks the model to go on.
        continue_nudge_prompt: String = "continue_nudge_prompt" => CONTINUE.into();
        /// Ends a group's history.
        group_nudge_prompt: String = "group_nudge_prompt" => "[Write the next reply only as {{char}}.]".into();
        /// Wraps lore before and after the character; `{0}` is the text.
        wi_format: String = "wi_format" => "{0}".into();
        /// Wraps the scenario.
        scenario_format: String = "scenario_format" => "{{scenario}}".into();
        /// Wraps the personality.
        personality_format: String = "personality_format" => "{{personality}}".into();
        /// The prompt definitions. See [`ChatPreset::prompt_set`] for what SillyTavern makes of them.
        prompts: List<Prompt> = "prompts" => List::default();
        /// Their order, per character.
        prompt_order: List<PromptOrder> = "prompt_order" => List::default();
        /// Start of the model's answer (Claude).
        assistant_prefill: String = "assistant_prefill" => String::new();
        /// The same when the model writes for the user (Claude).
        assistant_impersonation: String = "assistant_impersonation" => String::new();
        /// Whether system messages go to the provider's own field (Claude, Google).
        use_sysprompt: bool = "use_sysprompt" => false;
        /// Whether neighbouring system messages are joined.
        squash_system_messages: bool = "squash_system_messages" => false;
        /// Whether images and other media are sent.
        media_inlining: bool = "media_inlining" => true;
        /// Detail of images: `auto`, `low`, `high`.
        inline_image_quality: String = "inline_image_quality" => "auto".into();
        /// Whether to continue by prefill instead of a nudge.
        continue_prefill: bool = "continue_prefill" => false;
        /// What joins a continued message: nothing, a space, or new lines.
        continue_postfix: String = "continue_postfix" => " ".into();
        /// Whether tools are offered.
        function_calling: bool = "function_calling" => false;
        /// How many tool round trips are allowed.
        tool_call_recurse_limit: f64 = "tool_call_recurse_limit" => 5.0;
        /// Which reasoning goes back with tool calls: `disabled`, `since_last_user`, `active_chain`.
        tool_reasoning_mode: String = "tool_reasoning_mode" => "disabled".into();
        /// Whether reasoning is asked for.
        show_thoughts: bool = "show_thoughts" => true;
        /// How hard the model thinks.
        reasoning_effort: String = "reasoning_effort" => "auto".into();
        /// How long the model writes.
        verbosity: String = "verbosity" => "auto".into();
        /// Whether the provider may search the web.
        enable_web_search: bool = "enable_web_search" => false;
        /// Whether the provider may answer with images.
        request_images: bool = "request_images" => false;
        /// Whether the answer is streamed.
        stream: bool = "stream_openai" => false;
        /// Name of the logit bias list.
        bias_preset_selected: String = "bias_preset_selected" => "Default (none)".into();
        /// The provider.
        source: String = "chat_completion_source" => "openai".into();
        /// How messages are merged before they are sent: empty, `merge`, `semi`, `strict`, `single`, some with `_tools`.
        post_processing: String = "custom_prompt_post_processing" => String::new();
        /// What extensions store here; `regex_scripts` are the preset's own scripts.
        extensions: Object = "extensions" => Object::new();
    }
}

/// Our words for the request to write as the user, where a preset has none of its own.
const IMPERSONATION: &str = "[Write the next reply as {{user}}, in the manner {{user}} has in the chat so far. Leave {{char}} out of it.]";
/// Our words for the request to go on, where a preset has none of its own.
const CONTINUE: &str =
    "[Carry on with this last message where it stops, repeating nothing of it: {{lastChatMessage}}]";

impl ChatPreset {
    /// The preset's own regex scripts.
    pub fn regex_scripts(&self, warnings: &mut Vec<Warning>) -> List<RegexScript> {
        RegexScript::from_extensions(&self.extensions, &Path::Root.key("extensions"), warnings)
    }

    /// The model chosen for a provider.
    pub fn model(&self) -> Option<&str> {
        let name = match self.source.as_str() {
            "makersuite" => "google_model".to_owned(),
            "azure_openai" => "azure_openai_model".to_owned(),
            source => format!("{source}_model"),
        };
        self.raw().get(&name)?.as_str().filter(|model| !model.is_empty())
    }

    /// Brings old fields up to date as SillyTavern does when it loads them, each with a warning.
    ///
    /// `name` is the preset's name: the one called "Default" keeps its old prompt texts.
    pub fn migrate(&mut self, name: &str) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut note = |field: &str, message: String| {
            warnings.push(Warning::new("preset.old_field", message).at(field.to_owned()));
        };
        let raw = self.raw().clone();
        let on = |field: &str| raw.get(field) == Some(&Value::Bool(true));
        if on("names_in_completion") {
            note("names_in_completion", "read as `names_behavior` 1".into());
            self.names_behavior = NamesBehavior::Completion;
        }
        for field in ["claude_use_sysprompt", "use_makersuite_sysprompt"] {
            if on(field) && !raw.contains_key("use_sysprompt") {
                note(field, "read as `use_sysprompt`".into());
                self.use_sysprompt = true;
            }
        }
        let old_media = ["image_inlining", "video_inlining", "audio_inlining"];
        if let Some(field) = old_media.iter().find(|field| raw.contains_key(**field))
            && !raw.contains_key("media_inlining")
        {
            note(field, "read as `media_inlining`".into());
            self.media_inlining = old_media.iter().any(|field| on(field));
        }
        if self.post_processing == "claude" {
            note("custom_prompt_post_processing", "\"claude\" is read as \"merge\"".into());
            self.post_processing = "merge".into();
        }
        for (field, identifier) in
            [("main_prompt", "main"), ("nsfw_prompt", "nsfw"), ("jailbreak_prompt", "jailbreak")]
        {
            let Some(text) = raw.get(field).and_then(Value::as_str).filter(|_| name != "Default") else {
                continue;
            };
            note(field, format!("its text went to the prompt {identifier:?}"));
            match self.prompts.iter_mut().find(|prompt| prompt.identifier == identifier) {
                Some(prompt) => prompt.content = text.to_owned(),
                None => {
                    let mut prompt = Prompt::built_in(identifier).unwrap_or_default();
                    prompt.content = text.to_owned();
                    self.prompts.push(prompt);
                }
            }
        }
        warnings
    }
}
