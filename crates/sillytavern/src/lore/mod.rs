//! World info: which lorebook entries become part of the prompt, and why.

mod book;
mod budget;
mod buffer;
mod cache;
mod compile;
mod counting;
mod entry;
mod explain;
mod gates;
mod groups;
mod host;
mod index;
mod input;
mod json;
mod key_regex;
mod lint;
mod matcher;
mod place;
mod reason;
mod record;
mod result;
mod scan;
mod search;
mod set;
mod settings;
mod timed;
mod warn;

pub use book::{Book, BookLinks, SourceKind};
pub use cache::LoreCache;
pub use compile::{BookId, CompiledBook};
pub use counting::lines_add_up;
pub use entry::{CharacterFilter, Depth, Entry, Position, SelectiveLogic, Source, SourceSet};
pub use host::EngineHost;
pub use input::{
    Detail, FilterCharacter, ForcedEntry, LoreHost, RunKind, ScanInput, ScanMessage, ScanSources,
    VectorEntry, may_change,
};
pub use reason::{Cause, EntryId, EntryReport, Gate, GroupLoss, Place, Placed, Verdict};
pub use result::{
    ActiveEntry, Anchor, BudgetReport, DepthTexts, ExampleText, LoreResult, LoreText, ScanState, Sweep,
};
pub use set::LoreSet;
pub use settings::{InsertionStrategy, KeyRules, LoreSettings};
pub use timed::{TimedEffect, TimedEffects};
