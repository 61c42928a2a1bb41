//! Why an entry is active, or why it is not: as data.

use serde::{Deserialize, Serialize};

use super::entry::{Position, SelectiveLogic, Source};

/// An entry's identity within a scan.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryId {
    /// The book's name.
    pub world: String,
    /// The entry's uid, as text.
    pub uid: String,
}

impl std::fmt::Display for EntryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.world, self.uid)
    }
}

/// The account of one entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryReport {
    /// Which entry.
    #[serde(flatten)]
    pub id: EntryId,
    /// Its title, or its first key when it has none.
    pub title: String,
    /// The place it would be, or is, put.
    pub position: Position,
    /// Its order within that place and within the scan.
    pub order: f64,
    /// What was decided.
    pub verdict: Verdict,
}

/// What was decided about an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// It is active.
    Active {
        /// In which sweep, counted from 1.
        sweep: usize,
        /// By what.
        cause: Cause,
        /// What became of its text.
        placed: Placed,
    },
    /// It is not.
    Stopped {
        /// The last sweep that looked at it, counted from 1.
        sweep: usize,
        /// What stopped it.
        gate: Gate,
    },
}

/// What made an entry a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Cause {
    /// An `@@activate` line.
    Decorator,
    /// Something outside.
    Forced,
    /// It is constant.
    Constant,
    /// It was active and still holds.
    Sticky {
        /// The chat's length at which that ends.
        until: f64,
    },
    /// A key.
    Key {
        /// The key as written.
        key: String,
        /// Where it was found.
        place: Place,
        /// Secondary keys that were found.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        secondary: Vec<String>,
    },
}

/// Where a key was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
pub enum Place {
    /// In a message; 0 is the newest.
    Message {
        /// How many messages are newer.
        index: usize,
    },
    /// In a text of the card or persona.
    Source {
        /// Which.
        source: Source,
    },
    /// In an injected text.
    Injected {
        /// Which, in order of registration.
        index: usize,
    },
    /// In the text of another entry.
    Entry {
        /// Which.
        entry: EntryId,
    },
    /// Somewhere in the whole scanned text, not in one part of it.
    Across,
}

/// What stopped an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "gate", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Gate {
    /// Switched off.
    Disabled,
    /// Not for this generation type.
    Trigger {
        /// The types it is for.
        wanted: Vec<String>,
        /// The type this is.
        actual: String,
    },
    /// Its filter's names rule the character out.
    CharacterName,
    /// Its filter's tags rule the character out.
    CharacterTag,
    /// The chat is too short.
    Delay {
        /// The length it waits for.
        needed: f64,
        /// The length the chat has.
        length: usize,
    },
    /// It rests.
    Cooldown {
        /// The chat's length at which that ends.
        until: f64,
        /// The length the chat has.
        length: usize,
    },
    /// It waits for recursion, and no recursion happened.
    WaitsForRecursion {
        /// Its level.
        level: f64,
    },
    /// It waits for a deeper level of recursion.
    RecursionLevel {
        /// Its level.
        level: f64,
        /// The level reached.
        reached: f64,
    },
    /// It takes no part in recursion.
    ExcludedFromRecursion,
    /// A `@@dont_activate` line.
    Decorator,
    /// It has no keys.
    NoKeys,
    /// None of its keys is in the text scanned for it.
    NoKeyFound {
        /// How many messages were scanned.
        depth: i64,
    },
    /// A key was found, but the secondary keys decided against it.
    Secondary {
        /// The primary key that was found.
        key: String,
        /// How they decide; `None` is a logic nobody knows.
        logic: Option<SelectiveLogic>,
        /// Those that were found.
        found: Vec<String>,
    },
    /// It lost in an inclusion group.
    Group {
        /// The group's name.
        group: String,
        /// How.
        how: GroupLoss,
        /// Who won.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        winner: Option<EntryId>,
    },
    /// The roll went against it; that is final for a scan.
    Probability {
        /// What was rolled, in percent.
        rolled: f64,
        /// What it needed to stay at or under.
        needed: f64,
    },
    /// Its text would have reached the budget.
    Budget {
        /// Tokens of this sweep's texts up to and with this one.
        tokens: usize,
        /// Tokens of the texts of earlier sweeps.
        earlier: usize,
        /// The budget.
        budget: f64,
    },
    /// Another entry of the same book and uid is active in its place.
    SameIdentity,
    /// The budget was spent before its turn.
    BudgetSpent {
        /// The budget.
        budget: f64,
    },
}

/// How an entry lost in an inclusion group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GroupLoss {
    /// Another member is sticky.
    Sticky,
    /// It rests, or waits, itself.
    Timed,
    /// Another member matched more keys.
    Score {
        /// Its keys.
        score: usize,
        /// The winner's.
        best: usize,
    },
    /// A member is active already.
    AlreadyActive,
    /// Another member overrides.
    Override,
    /// The roll went to another member.
    Weight {
        /// What was rolled.
        rolled: f64,
        /// Out of.
        total: f64,
    },
    /// It stood last when another entry lost twice. SillyTavern removes a bystander then.
    Bystander,
}

/// What became of an active entry's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placed {
    /// It stands in its position.
    Yes,
    /// The text is empty, perhaps after regex scripts.
    Empty,
    /// The position has no meaning: an unknown number, or an outlet without a name.
    Nowhere,
}
