//! SillyTavern's `settings.json`: the parts that decide what a prompt looks like.

use serde_json::Value;
use tavernkit_core::Warning;

use crate::chat::InjectPosition;
use crate::json::{self, Path};
use crate::lorebook::Role;
use crate::persona::{PersonaDescription, PersonaPosition, Personas};
use crate::preset::{
    ChatPreset, ContextTemplate, InstructTemplate, ReasoningTemplate, SystemPrompt, TextPreset,
};
use crate::record::{Dict, List, Object, Read, coded, record};
use crate::regex_script::RegexScript;
use crate::{Error, ErrorKind, Limits, Result};

record! {
    /// The settings of one user.
    pub struct Settings {
        /// The user's name.
        username: String = "username" => "User".into();
        /// Avatar file of the persona in use.
        user_avatar: Option<String> = "user_avatar" => None;
        /// The kind of API: `openai` is chat completion, `textgenerationwebui` text completion.
        main_api: Option<String> = "main_api" => None;
        /// Tokens reserved for the answer of text completion.
        amount_gen: f64 = "amount_gen" => 80.0;
        /// Context window of text completion.
        max_context: f64 = "max_context" => 2048.0;
        /// Lore settings and links.
        world_info: WorldInfoSettings = "world_info_settings" => WorldInfoSettings::default();
        /// Chat-completion settings in use.
        oai_settings: ChatPreset = "oai_settings" => ChatPreset::default();
        /// Text-completion settings in use.
        textgen: TextPreset = "textgenerationwebui_settings" => TextPreset::default();
        /// The user's preferences.
        power_user: PowerUser = "power_user" => PowerUser::default();
        /// What extensions store.
        extension_settings: ExtensionSettings = "extension_settings" => ExtensionSettings::default();
        /// Tags that characters can have.
        tags: List<Tag> = "tags" => List::default();
        /// Tag ids by card file or group id.
        tag_map: Dict<Vec<String>> = "tag_map" => Dict::default();
    }
}

record! {
    /// A tag.
    pub struct Tag {
        /// Its id.
        id: String = "id" => String::new();
        /// Its name.
        name: String = "name" => String::new();
    }
}

coded! {
    /// How global and character lore are mixed.
    pub enum InsertionStrategy {
        /// Sorted together.
        Evenly = 0,
        /// The character's first.
        CharacterFirst = 1,
        /// Global lore first.
        GlobalFirst = 2,
    }
}

record! {
    /// Lore settings, and which books are in use.
    pub struct WorldInfoSettings {
        /// Which books are in use.
        links: WorldInfoLinks = "world_info" => WorldInfoLinks::default();
        /// Messages scanned.
        depth: f64 = "world_info_depth" => 2.0;
        /// Entries that should at least be active; 0 is off.
        min_activations: f64 = "world_info_min_activations" => 0.0;
        /// How far back to look for them; 0 is no limit.
        min_activations_depth_max: f64 = "world_info_min_activations_depth_max" => 0.0;
        /// Share of the context for lore, in percent. See [`WorldInfoSettings::budget_percent`].
        budget: f64 = "world_info_budget" => 25.0;
        /// The most tokens for lore; 0 is no limit.
        budget_cap: f64 = "world_info_budget_cap" => 0.0;
        /// Whether speakers' names are scanned.
        include_names: bool = "world_info_include_names" => true;
        /// Whether entries activate each other.
        recursive: bool = "world_info_recursive" => false;
        /// Whether to tell the user about a full budget.
        overflow_alert: bool = "world_info_overflow_alert" => false;
        /// Whether keys are case-sensitive.
        case_sensitive: bool = "world_info_case_sensitive" => false;
        /// Whether keys match whole words.
        match_whole_words: bool = "world_info_match_whole_words" => false;
        /// Whether groups are decided by the number of matching keys.
        use_group_scoring: bool = "world_info_use_group_scoring" => false;
        /// How global and character lore are mixed.
        character_strategy: InsertionStrategy = "world_info_character_strategy" => InsertionStrategy::CharacterFirst;
        /// The most loops of a scan; 0 is no limit.
        max_recursion_steps: f64 = "world_info_max_recursion_steps" => 0.0;
    }
}

impl WorldInfoSettings {
    /// The budget as SillyTavern uses it: more than 100 percent is taken for the default of 25.
    pub fn budget_percent(&self) -> f64 {
        if self.budget > 100.0 { 25.0 } else { self.budget }
    }
}

record! {
    /// Which books are in use.
    pub struct WorldInfoLinks {
        /// Books for every chat.
        global: Vec<String> = "globalSelect" => Vec::new();
        /// Extra books of characters.
        characters: List<CharacterLore> = "charLore" => List::default();
    }
}

record! {
    /// Extra books of one character.
    pub struct CharacterLore {
        /// The card's file name without extension.
        name: String = "name" => String::new();
        /// The books.
        extra_books: Vec<String> = "extraBooks" => Vec::new();
    }
}

record! {
    /// The user's preferences that matter to prompts.
    pub struct PowerUser {
        /// Whether the newer macro engine is used.
        experimental_macro_engine: bool = "experimental_macro_engine" => true;
        /// Tokenizer for text completion; 99 is "the best match".
        tokenizer: f64 = "tokenizer" => 99.0;
        /// Tokens kept free in text completion.
        token_padding: f64 = "token_padding" => 64.0;
        /// Whether runs of empty lines shrink to one line break.
        collapse_newlines: bool = "collapse_newlines" => false;
        /// Whether examples are kept before history.
        pin_examples: bool = "pin_examples" => false;
        /// Whether examples are left out.
        strip_examples: bool = "strip_examples" => false;
        /// Whether answers are cut at the last sentence.
        trim_sentences: bool = "trim_sentences" => false;
        /// Whether answers are trimmed.
        trim_spaces: bool = "trim_spaces" => true;
        /// Whether text-completion prompts end with the character's name.
        always_force_name2: bool = "always_force_name2" => false;
        /// Whether answers are cut at the first line break.
        single_line: bool = "single_line" => false;
        /// Start of every answer.
        user_prompt_bias: String = "user_prompt_bias" => String::new();
        /// Whether that start is shown.
        show_user_prompt_bias: bool = "show_user_prompt_bias" => true;
        /// Whether a card's system prompt replaces the user's.
        prefer_character_prompt: bool = "prefer_character_prompt" => true;
        /// Whether a card's post-history instructions replace the user's.
        prefer_character_jailbreak: bool = "prefer_character_jailbreak" => true;
        /// Stop strings: a JSON list as text.
        custom_stopping_strings: String = "custom_stopping_strings" => String::new();
        /// Whether macros in them are expanded.
        custom_stopping_strings_macro: bool = "custom_stopping_strings_macro" => true;
        /// Which media of a message are sent, where the message does not say.
        media_display: String = "media_display" => "list".into();
        /// Instruct template in use.
        instruct: InstructTemplate = "instruct" => InstructTemplate::default();
        /// Context template in use.
        context: ContextTemplate = "context" => ContextTemplate::default();
        /// System prompt in use.
        sysprompt: SystemPrompt = "sysprompt" => SystemPrompt::default();
        /// Reasoning template in use.
        reasoning: ReasoningTemplate = "reasoning" => ReasoningTemplate::default();
        /// Names of personas by avatar file.
        persona_names: Dict<String> = "personas" => Dict::default();
        /// Descriptions of personas by avatar file.
        persona_descriptions: Dict<PersonaDescription> = "persona_descriptions" => Dict::default();
        /// Avatar file of the default persona.
        default_persona: Option<String> = "default_persona" => None;
        /// Description of the persona in use.
        persona_description: String = "persona_description" => String::new();
        /// Where it goes.
        persona_position: PersonaPosition = "persona_description_position" => PersonaPosition::InPrompt;
        /// Its depth.
        persona_depth: f64 = "persona_description_depth" => 2.0;
        /// Its role.
        persona_role: Role = "persona_description_role" => Role::System;
        /// Its lorebook.
        persona_lorebook: String = "persona_description_lorebook" => String::new();
    }
}

impl PowerUser {
    /// The persona library.
    pub fn personas(&self) -> Personas {
        let mut personas = Personas::default();
        personas.names = self.persona_names.clone();
        personas.descriptions = self.persona_descriptions.clone();
        personas.default_persona = self.default_persona.clone();
        personas
    }

    /// What is set for the persona in use, as a description.
    pub fn active_description(&self) -> PersonaDescription {
        let mut description = PersonaDescription::default();
        description.description = self.persona_description.clone();
        description.position = self.persona_position.clone();
        description.depth = self.persona_depth;
        description.role = self.persona_role.clone();
        description.lorebook = self.persona_lorebook.clone();
        description
    }
}

record! {
    /// What extensions store, as far as prompts depend on it.
    pub struct ExtensionSettings {
        /// Author's note defaults.
        note: NoteSettings = "note" => NoteSettings::default();
        /// Global regex scripts.
        regex: List<RegexScript> = "regex" => List::default();
        /// Cards whose own scripts may run, by file name.
        character_allowed_regex: Vec<String> = "character_allowed_regex" => Vec::new();
        /// Presets whose own scripts may run, by API.
        preset_allowed_regex: Dict<Vec<String>> = "preset_allowed_regex" => Dict::default();
        /// Variables of all chats.
        variables: GlobalVariables = "variables" => GlobalVariables::default();
        /// Extensions that are off.
        disabled: Vec<String> = "disabledExtensions" => Vec::new();
    }
}

record! {
    /// Variables of all chats.
    pub struct GlobalVariables {
        /// The variables.
        global: Object = "global" => Object::new();
    }
}

record! {
    /// Defaults of the author's note, and notes of characters.
    pub struct NoteSettings {
        /// Text of new chats' notes.
        default_text: String = "default" => String::new();
        /// Position of new chats' notes.
        default_position: InjectPosition = "defaultPosition" => InjectPosition::InChat;
        /// Depth of new chats' notes.
        default_depth: f64 = "defaultDepth" => 4.0;
        /// Interval of new chats' notes.
        default_interval: f64 = "defaultInterval" => 1.0;
        /// Role of new chats' notes.
        default_role: Role = "defaultRole" => Role::System;
        /// Whether lore keys are looked for in notes.
        allow_wi_scan: bool = "allowWIScan" => false;
        /// Notes of characters.
        characters: List<CharacterNote> = "chara" => List::default();
    }
}

coded! {
    /// How a character's note goes with the chat's.
    pub enum CharacterNotePosition {
        /// Instead of it.
        Replace = 0,
        /// Before it.
        Before = 1,
        /// After it.
        After = 2,
    }
}

record! {
    /// A note of one character.
    pub struct CharacterNote {
        /// The card's file name without extension.
        name: String = "name" => String::new();
        /// The text.
        prompt: String = "prompt" => String::new();
        /// Whether it is used.
        enabled: bool = "useChara" => false;
        /// How it goes with the chat's note.
        position: CharacterNotePosition = "position" => CharacterNotePosition::Replace;
    }
}

impl Settings {
    /// Reads `settings.json`.
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Read<Self>> {
        let parsed = json::parse(bytes, limits)?;
        let mut warnings = parsed.warnings;
        let Value::Object(raw) = parsed.value else {
            let found = json::field::type_name(&parsed.value);
            let message = format!("the settings must be an object but are {found}");
            return Err(Error::new(ErrorKind::Invalid, message));
        };
        let value = Self::read(raw, &Path::Root, &mut warnings);
        value.note(&mut warnings);
        Ok(Read { value, warnings })
    }

    fn note(&self, warnings: &mut Vec<Warning>) {
        if self.world_info.budget > 100.0 {
            let message = "a budget of more than 100 percent is taken for the default of 25";
            let place = "world_info_settings.world_info_budget";
            warnings.push(Warning::new("settings.budget", message).at(place));
        }
        self.power_user.personas().note(&Path::Root.key("power_user"), warnings);
    }

    /// Name of the chat-completion preset in use.
    pub fn chat_preset_name(&self) -> Option<&str> {
        self.oai_settings.raw().get("preset_settings_openai")?.as_str()
    }

    /// Name of the text-completion preset in use.
    pub fn text_preset_name(&self) -> Option<&str> {
        self.textgen.raw().get("preset")?.as_str()
    }

    /// Whether prompts are built for chat completion.
    pub fn is_chat_completion(&self) -> bool {
        self.main_api.as_deref() == Some("openai")
    }
}
