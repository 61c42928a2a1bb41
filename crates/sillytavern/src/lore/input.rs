//! What a scan reads, and what it asks of its surroundings.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::entry::{Entry, Source};
use super::timed::TimedEffects;

/// One message of the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScanMessage<'a> {
    /// The speaker, put before the text when names are included.
    pub name: Option<&'a str>,
    /// The text, macros not expanded.
    pub text: &'a str,
}

/// Texts besides the messages, scanned for entries that ask for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScanSources<'a> {
    /// The persona's description.
    pub persona_description: &'a str,
    /// The character's description.
    pub character_description: &'a str,
    /// The character's personality.
    pub character_personality: &'a str,
    /// The character's depth prompt.
    pub character_depth_prompt: &'a str,
    /// The scenario.
    pub scenario: &'a str,
    /// The creator's notes.
    pub creator_notes: &'a str,
}

impl<'a> ScanSources<'a> {
    /// The text of one source.
    pub fn get(&self, source: Source) -> &'a str {
        match source {
            Source::PersonaDescription => self.persona_description,
            Source::CharacterDescription => self.character_description,
            Source::CharacterPersonality => self.character_personality,
            Source::CharacterDepthPrompt => self.character_depth_prompt,
            Source::Scenario => self.scenario,
            Source::CreatorNotes => self.creator_notes,
        }
    }
}

/// The character that entry filters are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterCharacter<'a> {
    /// The avatar's file name without its extension.
    pub file_name: &'a str,
    /// The ids of the character's tags.
    pub tags: &'a [String],
}

/// An entry that something outside asks to be active: a command, an extension, similarity search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForcedEntry {
    /// The book's name.
    pub world: String,
    /// The entry's uid, as text.
    pub uid: String,
    /// What to use in its place; `None` is the entry as it stands in the book.
    pub replacement: Option<Box<Entry>>,
}

/// Whether a scan counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// A real generation: timed effects are read and stored.
    #[default]
    Real,
    /// A look ahead: sticky and cooldown are neither read nor stored.
    Dry,
}

/// How much a scan writes down besides its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// Nothing.
    #[default]
    Result,
    /// What each sweep found.
    Sweeps,
    /// Also the reason of every entry.
    Reasons,
}

/// Everything about this turn that a scan reads. It changes none of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScanInput<'a> {
    /// The messages, newest first.
    pub messages: &'a [ScanMessage<'a>],
    /// Texts of the card and the persona.
    pub sources: ScanSources<'a>,
    /// Injected texts that ask to be scanned, expanded, in order of registration.
    pub injected: &'a [&'a str],
    /// The generation type; one that SillyTavern does not know counts as `normal`.
    pub trigger: &'a str,
    /// The active character.
    pub character: Option<FilterCharacter<'a>>,
    /// The size of the prompt in tokens, of which the budget is a share.
    pub max_prompt: f64,
    /// Real or dry.
    pub run: RunKind,
    /// Timed effects of the chat so far.
    pub timed: Option<&'a TimedEffects>,
    /// Entries forced from outside.
    pub forced: &'a [ForcedEntry],
    /// What to write down.
    pub detail: Detail,
}

impl<'a> ScanInput<'a> {
    /// The generation type that entries' triggers are compared with.
    pub fn known_trigger(&self) -> &'a str {
        match self.trigger {
            "normal" | "continue" | "impersonate" | "swipe" | "regenerate" | "quiet" => self.trigger,
            _ => "normal",
        }
    }

    /// The text of message `i` as it is scanned: with the name if wanted, trimmed.
    pub fn scan_text(&self, i: usize, include_names: bool) -> Cow<'a, str> {
        let trim = tavernkit_core::number::is_js_space;
        let message = &self.messages[i];
        match message.name.filter(|_| include_names) {
            None => Cow::Borrowed(message.text.trim_matches(trim)),
            Some(name) => {
                let joined = format!("{name}: {}", message.text);
                Cow::Owned(joined.trim_matches(trim).to_owned())
            }
        }
    }
}

/// What a scan asks of its surroundings: macros, chance, token counts, scripts, similarity.
///
/// Only `expand`, `random` and `count_tokens` are needed.
pub trait LoreHost {
    /// Expands the macros of a key or a content. Called only when [`may_change`] says that it could matter.
    fn expand(&mut self, text: &str) -> String;

    /// The next random number in `[0, 1)`.
    fn random(&mut self) -> f64;

    /// The tokens of a text, as the budget counts them (with any constant per text included). 0 for an empty text.
    fn count_tokens(&mut self, text: &str) -> usize;

    /// When the count of `left + right` is known to be the sum of both counts less a constant: that constant.
    ///
    /// `left` always ends with a line feed. Saying `None` is always right and costs a recount of the whole text.
    fn counts_add_up(&self, left: &str, right: &str) -> Option<usize> {
        let _ = (left, right);
        None
    }

    /// Applies world-info regex scripts to an active entry's text. `depth` is the entry's, if it is placed at one.
    fn rewrite(&mut self, text: String, depth: Option<f64>) -> String {
        let _ = depth;
        text
    }

    /// Which of the entries meant for similarity search are hits; they are activated as if forced. Asked once per
    /// scan, and only if there are any.
    fn vector_hits(&mut self, entries: &[VectorEntry<'_>]) -> Vec<usize> {
        let _ = entries;
        Vec::new()
    }
}

/// An entry offered to similarity search.
#[derive(Debug, Clone, Copy)]
pub struct VectorEntry<'a> {
    /// The book's name.
    pub world: &'a str,
    /// The entry.
    pub entry: &'a Entry,
}

/// Whether macro expansion could change the text: it has a brace pair, an escaped brace, an angle bracket or a NUL.
///
/// A host must leave any other text as it is, without side effects.
pub fn may_change(text: &str) -> bool {
    let suspicious = text.contains(['{', '<', '}', '\0']);
    suspicious
        && (text.contains("{{") || text.contains(['<', '\0']) || text.contains("\\{") || text.contains("\\}"))
}
