//! One lorebook entry: every field SillyTavern knows, and the rest untouched.

use serde_json::Value;
use tavernkit_core::Warning;

use super::kinds::{Logic, Position, Role, Uid};
use crate::json::Path;
use crate::record::{Field, Object, record};

record! {
    /// One entry of a lorebook, in SillyTavern's terms whatever format it came from.
    ///
    /// Missing fields have the values of SillyTavern's entry template. SillyTavern's scan goes by the object instead, where
    /// they stay missing: [`LoreEntry::to_map`] is that object, in a world's terms whatever the format was.
    /// Fields that SillyTavern does not know stay in it and are written back.
    ///
    /// ```
    /// use tavernkit_formats::lorebook::{LoreEntry, Position};
    ///
    /// let entry: LoreEntry = serde_json::from_str(r#"{"uid":3,"key":["ferry"],"position":4,"mood":"wet"}"#)?;
    /// assert_eq!((entry.order, entry.depth), (100.0, Some(4.0)));
    /// assert_eq!(entry.position, Position::AtDepth);
    /// assert_eq!(serde_json::to_string(&entry)?, r#"{"uid":3,"key":["ferry"],"position":4,"mood":"wet"}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct LoreEntry {
        /// The id in the file; see [`LoreEntry::id`] for one that is always there.
        uid: Option<Uid> = "uid" => None;
        /// Primary keys: plain words or `/regex/flags`.
        key: Vec<String> = "key" | "keys" => Vec::new();
        /// Secondary keys, read by `logic` when `selective`.
        keysecondary: Vec<String> = "keysecondary" | "secondary_keys" => Vec::new();
        /// Title for people.
        comment: String = "comment" => String::new();
        /// The text that goes into the prompt.
        content: String = "content" => String::new();
        /// Always active, without keys.
        constant: bool = "constant" => false;
        /// Activated by vector search; kept, not used here.
        vectorized: bool = "vectorized" => false;
        /// Whether secondary keys count.
        selective: bool = "selective" => true;
        /// How secondary keys count.
        logic: Logic = "selectiveLogic" | "selective_logic" => Logic::AndAny;
        /// Whether the title is shown.
        add_memo: bool = "addMemo" | "add_memo" => false;
        /// Sorting weight: higher is more important for the budget and stands lower in the text.
        order: f64 = "order" => 100.0;
        /// Where the text goes.
        position: Position = "position" => Position::Before;
        /// Switched off.
        disable: bool = "disable" => false;
        /// Fires even when the budget is used up.
        ignore_budget: bool = "ignoreBudget" | "ignore_budget" => false;
        /// Not activated by the text of other entries.
        exclude_recursion: bool = "excludeRecursion" | "exclude_recursion" => false;
        /// Its text does not activate others.
        prevent_recursion: bool = "preventRecursion" | "prevent_recursion" => false;
        /// Recursion level from which on it may fire; 0 is "at once", `true` in files is 1.
        delay_until_recursion: Level = "delayUntilRecursion" | "delay_until_recursion" => Level(0.0);
        /// Also scan the persona's description.
        match_persona_description: bool = "matchPersonaDescription" | "match_persona_description" => false;
        /// Also scan the character's description.
        match_character_description: bool = "matchCharacterDescription" | "match_character_description" => false;
        /// Also scan the character's personality.
        match_character_personality: bool = "matchCharacterPersonality" | "match_character_personality" => false;
        /// Also scan the character's note.
        match_character_depth_prompt: bool = "matchCharacterDepthPrompt" | "match_character_depth_prompt" => false;
        /// Also scan the scenario.
        match_scenario: bool = "matchScenario" | "match_scenario" => false;
        /// Also scan the creator's notes.
        match_creator_notes: bool = "matchCreatorNotes" | "match_creator_notes" => false;
        /// Chance in percent, rolled when `use_probability`.
        probability: f64 = "probability" => 100.0;
        /// Whether the chance is rolled.
        use_probability: bool = "useProbability" | "use_probability" => true;
        /// Depth for [`Position::AtDepth`]. `None` is a `null` in the file, which SillyTavern treats in its own way.
        depth: Option<f64> = "depth" => Some(4.0);
        /// Name for [`Position::Outlet`].
        outlet_name: String = "outletName" | "outlet_name" => String::new();
        /// Inclusion groups, separated by commas.
        group: String = "group" => String::new();
        /// Wins its group by order instead of by lot.
        group_override: bool = "groupOverride" | "group_override" => false;
        /// Weight in the lot.
        group_weight: f64 = "groupWeight" | "group_weight" => 100.0;
        /// Own scan depth; `None` follows the settings.
        scan_depth: Option<f64> = "scanDepth" | "scan_depth" => None;
        /// Own case rule; `None` follows the settings.
        case_sensitive: Option<bool> = "caseSensitive" | "case_sensitive" => None;
        /// Own whole-word rule; `None` follows the settings.
        match_whole_words: Option<bool> = "matchWholeWords" | "match_whole_words" => None;
        /// Own group scoring rule; `None` follows the settings.
        use_group_scoring: Option<bool> = "useGroupScoring" | "use_group_scoring" => None;
        /// Id for scripts to react on.
        automation_id: String = "automationId" | "automation_id" => String::new();
        /// Role for [`Position::AtDepth`].
        role: Role = "role" => Role::System;
        /// Messages it stays active for.
        sticky: Option<f64> = "sticky" => None;
        /// Messages it then rests for.
        cooldown: Option<f64> = "cooldown" => None;
        /// Messages the chat must have.
        delay: Option<f64> = "delay" => None;
        /// Generation types it fires for; empty is all.
        triggers: Vec<String> = "triggers" => Vec::new();
        /// Only for, or not for, these characters.
        character_filter: CharacterFilter = "characterFilter" | "character_filter" => CharacterFilter::default();
        /// Place in the editor's list.
        display_index: Option<f64> = "displayIndex" | "display_index" => None;
        /// What other tools store here.
        extensions: Object = "extensions" => Object::new();
    }
    keep {
        /// Where it stood in its file.
        slot: Slot,
    }
}

record! {
    /// Which characters an entry is for.
    pub struct CharacterFilter {
        /// Turns the lists around: everyone but these.
        is_exclude: bool = "isExclude" => false;
        /// Card file names without extension.
        names: Vec<String> = "names" => Vec::new();
        /// Tag ids.
        tags: Vec<String> = "tags" => Vec::new();
    }
}

/// A recursion level. Files hold a number, or `true` for 1 and `false` for 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Level(pub f64);

impl Field for Level {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(Self(f64::from(u8::from(*flag)))),
            _ => f64::read(value, at, warnings).map(Self),
        }
    }

    fn write(&self) -> Value {
        self.0.write()
    }
}

/// Where an entry stood in the file it was read from.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Slot {
    /// Its place among the file's entries; `None` for an entry made here.
    pub place: Option<usize>,
    /// Its key in the `entries` object, or its index in the list.
    pub key: String,
    /// The entry as it stood in a card's `character_book`.
    pub book: Option<Object>,
}

impl LoreEntry {
    /// A new entry with SillyTavern's template values.
    pub fn new(uid: impl Into<Uid>) -> Self {
        Self { uid: Some(uid.into()), ..Self::default() }
    }

    /// The entry's id: its `uid`, else its key in the file.
    pub fn id(&self) -> Uid {
        match &self.uid {
            Some(uid) => uid.clone(),
            None => Uid::Text(self.slot.key.clone()),
        }
    }

    /// A name for people: the title, else the first key, else the id.
    pub fn label(&self) -> String {
        let title = self.comment.trim();
        if !title.is_empty() {
            return title.to_owned();
        }
        self.key
            .first()
            .filter(|key| !key.trim().is_empty())
            .cloned()
            .unwrap_or_else(|| format!("#{}", self.id()))
    }

    /// The names of the inclusion groups.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.group.split(',').map(str::trim).filter(|name| !name.is_empty())
    }
}
