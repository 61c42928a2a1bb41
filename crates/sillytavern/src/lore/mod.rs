//! World info: which lorebook entries become part of the prompt, and why.
//!
//! The way of a book: `book` and `entry` read it, `compile` makes its keys one `index` (once per content), `set` puts the
//! books of a chat in scan order. The way of a scan: `scan` runs sweeps; `buffer` knows in which parts of the text each key
//! was found, with the help of the caller's `cache`; `gates` and `search` decide on an entry, `groups` between entries,
//! `budget` counts, `place` puts the texts where they belong. `record` writes reasons down on request and `explain` puts them
//! into words.
//!
//! Nothing here reads a clock, draws entropy or keeps state: macros, chance, counts and scripts come from a [`LoreHost`],
//! timed effects go in and out as the chat's metadata.
//!
//! ```
//! use std::sync::Arc;
//! use tavernkit_sillytavern::lore::*;
//!
//! struct Host;
//! impl LoreHost for Host {
//!     fn expand(&mut self, text: &str) -> String {
//!         text.replace("{{char}}", "Bram")
//!     }
//!     fn random(&mut self) -> f64 {
//!         0.5
//!     }
//!     fn count_tokens(&mut self, text: &str) -> usize {
//!         text.len().div_ceil(4)
//!     }
//! }
//!
//! let file = serde_json::json!({"entries": {"0": {"uid": 0, "key": ["rope"], "content": "{{char}} made the rope.", "position": 0}}});
//! let settings = LoreSettings::default();
//! let (book, _) = Book::read("Harbour", &file);
//! let book = Arc::new(CompiledBook::compile(book, settings.key_rules()));
//! let set = LoreSet::new(vec![(SourceKind::Global, book)], settings.strategy);
//!
//! let messages = [ScanMessage { name: Some("Ilse"), text: "Fetch the rope." }];
//! let input = ScanInput { messages: &messages, max_prompt: 8_000.0, detail: Detail::Reasons, ..Default::default() };
//! let result = set.scan(&settings, &input, &mut Host, &mut LoreCache::default());
//! assert_eq!(result.before_text(), "Bram made the rope.");
//! println!("{}", result.explain(None));
//! ```

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
