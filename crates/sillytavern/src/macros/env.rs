//! What macros can see: plain, typed inputs. No clock, no settings store, no global state.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;

use super::chat::ChatView;
use super::settings::{ContextSettings, InstructSettings, ReasoningSettings, SystemPrompt};
use super::template::Template;

/// Everything a macro may ask for. Start from [`Environment::named`] or the default and set what is known; what is not
/// known reads as empty, as in a SillyTavern where nothing was set.
///
/// ```
/// use tavernkit_sillytavern::macros::{Engine, Environment};
///
/// let mut environment = Environment::named("Ilse", "Bram");
/// environment.card.description = "{{char}} tends the lighthouse.".into();
/// let engine = Engine::default();
/// assert_eq!(engine.expand_simple("{{description}} {{user}} waits.", &environment), "Bram tends the lighthouse. Ilse waits.");
/// ```
#[derive(Clone, Default)]
pub struct Environment<'a> {
    /// Who takes part.
    pub cast: Cast<'a>,
    /// The card of the current character.
    pub card: CardFields<'a>,
    /// The persona's description.
    pub persona: Field<'a>,
    /// Does the card's own system prompt win over the user's?
    pub prefer_card_prompt: bool,
    /// Do the card's own post-history instructions win over the user's?
    pub prefer_card_instruction: bool,
    /// Are runs of newlines in card fields made one?
    pub collapse_newlines: bool,
    /// The messages so far.
    pub chat: Option<&'a dyn ChatView>,
    /// The id of the oldest message that went into the last prompt.
    pub first_included_message: Option<u64>,
    /// The id of the first message on the screen.
    pub first_displayed_message: Option<u64>,
    /// The text in the input box.
    pub input: Cow<'a, str>,
    /// The type of the last generation; empty at the start.
    pub last_generation_type: Cow<'a, str>,
    /// The present.
    pub clock: Clock,
    /// What `{{pick}}` is seeded with.
    pub pick: PickSeed<'a>,
    /// The API in use.
    pub api: Api,
    /// The model in use.
    pub model: Cow<'a, str>,
    /// Token limits.
    pub tokens: TokenLimits,
    /// Instruct sequences.
    pub instruct: Cow<'a, InstructSettings>,
    /// Context template texts.
    pub context: Cow<'a, ContextSettings>,
    /// The system prompt of text completion.
    pub system_prompt: Cow<'a, SystemPrompt>,
    /// How reasoning is marked.
    pub reasoning: Cow<'a, ReasoningSettings>,
    /// The author's notes.
    pub notes: Notes<'a>,
    /// Lorebook outlets by name.
    pub outlets: Cow<'a, IndexMap<String, String>>,
    /// Names of the enabled extensions.
    pub extensions: Cow<'a, [String]>,
    /// What bundled extensions know, for [`super::Registry::with_bundled_extensions`].
    pub extension_texts: ExtensionTexts<'a>,
    /// Is this a phone?
    pub is_mobile: bool,
}

impl<'a> Environment<'a> {
    /// An environment that knows the two names of a solo chat.
    pub fn named(user: impl Into<Cow<'a, str>>, character: impl Into<Cow<'a, str>>) -> Self {
        let cast = Cast { user: user.into(), character: character.into(), group: None };
        Self { cast, ..Self::default() }
    }
}

/// Who takes part in the chat.
#[derive(Debug, Clone, Default)]
pub struct Cast<'a> {
    /// The user's persona.
    pub user: Cow<'a, str>,
    /// The character; in a group the one whose turn it is, empty between turns.
    pub character: Cow<'a, str>,
    /// The members of a group in their order; `None` in a solo chat.
    pub group: Option<Vec<GroupMember<'a>>>,
}

/// A member of a group chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupMember<'a> {
    /// The member's name.
    pub name: Cow<'a, str>,
    /// Muted members do not speak.
    pub muted: bool,
}

/// A text of a card or persona: it may hold macros, which are expanded when the field is used.
#[derive(Clone)]
pub enum Field<'a> {
    /// The text as it is in the card.
    Text(Cow<'a, str>),
    /// The text parsed beforehand; see [`Field::parsed`].
    Parsed(Arc<Template>),
}

impl<'a> Field<'a> {
    /// A field that is parsed once and used many times.
    pub fn parsed(engine: &super::Engine, text: &str) -> Field<'static> {
        Field::Parsed(Arc::new(engine.parse(text.trim_matches(tavernkit_core::number::is_js_space))))
    }
}

impl Default for Field<'_> {
    fn default() -> Self {
        Field::Text(Cow::Borrowed(""))
    }
}

impl<'a> From<&'a str> for Field<'a> {
    fn from(text: &'a str) -> Self {
        Field::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Field<'_> {
    fn from(text: String) -> Self {
        Field::Text(Cow::Owned(text))
    }
}

/// The fields of the current card, with what a chat overrides already put in. In a group whose cards are joined these
/// are the joined texts.
#[derive(Clone, Default)]
pub struct CardFields<'a> {
    /// `data.system_prompt`
    pub system_prompt: Field<'a>,
    /// `data.post_history_instructions`
    pub post_history_instructions: Field<'a>,
    /// `description`
    pub description: Field<'a>,
    /// `personality`
    pub personality: Field<'a>,
    /// `scenario`
    pub scenario: Field<'a>,
    /// `mes_example`
    pub examples: Field<'a>,
    /// `data.extensions.depth_prompt.prompt`
    pub depth_prompt: Field<'a>,
    /// `data.creator_notes`
    pub creator_notes: Field<'a>,
    /// `first_mes`
    pub first_message: Field<'a>,
    /// `data.alternate_greetings`
    pub alternate_greetings: Vec<Field<'a>>,
    /// `data.character_version`, never expanded.
    pub version: Cow<'a, str>,
}

/// The present, as the caller says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    /// Milliseconds since 1970 in UTC.
    pub unix_ms: i64,
    /// Minutes that local time is ahead of UTC.
    pub utc_offset_minutes: i32,
}

/// What makes `{{pick}}` choose the same in the same chat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PickSeed<'a> {
    /// SillyTavern's hash of the chat's name (or of the chat it was branched from).
    pub chat_id_hash: u64,
    /// Changed by the user to choose anew.
    pub reroll: Option<Cow<'a, str>>,
}

/// The kinds of API that make a difference to macros.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Api {
    /// Chat completion.
    #[default]
    ChatCompletion,
    /// Text completion with a backend that takes banned words.
    TextCompletion,
    /// Any other text completion (KoboldAI, NovelAI, Horde).
    OtherText,
}

/// The token limits of the next prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenLimits {
    /// The whole context.
    pub context: i64,
    /// Reserved for the answer.
    pub response: i64,
    /// What is left for the prompt; [`TokenLimits::new`] computes it.
    pub prompt: i64,
}

impl TokenLimits {
    /// Limits where the prompt gets what the answer leaves.
    pub fn new(context: i64, response: i64) -> Self {
        Self { context, response, prompt: context.saturating_sub(response) }
    }
}

/// The author's notes, as written.
#[derive(Debug, Clone, Default)]
pub struct Notes<'a> {
    /// The chat's note.
    pub chat: Cow<'a, str>,
    /// The note that belongs to the character.
    pub character: Cow<'a, str>,
    /// The note new chats start with.
    pub default: Cow<'a, str>,
}

/// What the macros of bundled extensions answer.
#[derive(Debug, Clone, Default)]
pub struct ExtensionTexts<'a> {
    /// `{{summary}}`
    pub summary: Cow<'a, str>,
    /// `{{lastExpression}}`, by character name; the current character's is asked for without an argument.
    pub last_expressions: Cow<'a, IndexMap<String, String>>,
    /// `{{defaultExpression}}`
    pub default_expression: Cow<'a, str>,
    /// `{{availableExpressions}}`
    pub available_expressions: Cow<'a, str>,
    /// `{{charPrefix}}`
    pub image_prefix: Cow<'a, str>,
    /// `{{charNegativePrefix}}`
    pub image_negative_prefix: Cow<'a, str>,
}
