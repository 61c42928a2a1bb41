//! Token counting: exact where a vocabulary is at hand, labelled as an estimate where it is not.
//!
//! A prompt has to fit, so everything that builds one asks "how many tokens is this?", thousands of times per turn.
//! This crate answers from memory alone: no file, no network, no global state.
//!
//! | what | type | exactness |
//! |---|---|---|
//! | OpenAI's `o200k_base`, `cl100k_base` (inside the binary) | [`Encoding`], [`EmbeddedCounter`] | exact |
//! | any Hugging Face `tokenizer.json` (bytes from the caller) | [`HfCounter`](hf::HfCounter) | exact |
//! | characters weighed by script | [`HeuristicCounter`] | estimate |
//! | a shared memory of counts in front of any of them | [`CountCache`], [`CachedCounter`] | as what is behind it |
//!
//! All of them are [`TokenCounter`]s. [`Tokenizers`] owns the loaded vocabularies and knows which one a model uses.
//!
//! ```
//! use tavernkit_tokens::{CountCache, Exactness, Tokenizers};
//!
//! // One per program, cheap to clone; a vocabulary is unpacked when it is first asked for.
//! let tokenizers = Tokenizers::new();
//!
//! let gpt = tokenizers.for_model("gpt-4o-mini");
//! assert_eq!((gpt.id(), gpt.exactness()), ("o200k_base", Exactness::Exact));
//! assert_eq!(gpt.counter().count("The inn is quiet tonight."), 6);
//!
//! // Nobody outside has Claude's vocabulary: the answer says that it is an estimate, and why.
//! let claude = tokenizers.for_model("claude-sonnet-4-5");
//! assert_eq!(claude.exactness(), Exactness::Estimate);
//! println!("{}", claude.why());
//!
//! // A cache shared by all builds: text that was counted once is looked up afterwards.
//! let cache = CountCache::default();
//! let counter = cache.wrap(gpt.into_counter());
//! # use tavernkit_tokens::TokenCounter;
//! assert_eq!(counter.count("The inn is quiet tonight."), 6);
//! assert_eq!(counter.count("The inn is quiet tonight."), 6);
//! assert_eq!(cache.stats().hits, 1);
//! ```
//!
//! # A counter of your own
//! ```
//! use std::sync::Arc;
//! use tavernkit_tokens::{CountCache, Exactness, TokenCounter, Tokenizers};
//!
//! /// One token per byte, as byte-level models have it.
//! struct Bytes;
//!
//! impl TokenCounter for Bytes {
//!     // Counters with the same id must give the same counts: caches rely on it.
//!     fn id(&self) -> &str { "bytes" }
//!     fn exactness(&self) -> Exactness { Exactness::Exact }
//!     fn count(&self, text: &str) -> usize { text.len() }
//! }
//!
//! let tokenizers = Tokenizers::new().with_model("byt5", Arc::new(Bytes));
//! let counter = CountCache::default().wrap(tokenizers.for_model("google/byt5-small").into_counter());
//! assert_eq!(counter.count_up_to("lantern", 7), Some(7));
//! assert_eq!(counter.count_up_to("lantern", 6), None);
//! ```
//!
//! # Speed
//! A megabyte of mixed text takes about 20 ms with an embedded vocabulary, a message of 300 bytes 2 to 5 µs, and a
//! cached one among 2,000 others about 140 ns. `cargo bench -p tavernkit-tokens` measures it;
//! `scripts/bench-tokens.sh` compares it with the npm package `tiktoken` on the same text in the same run. When the
//! question is only whether a text fits, [`count_up_to`](TokenCounter::count_up_to) stops as soon as it does not.
//!
//! # Special tokens
//! The embedded vocabularies count text like `<|endoftext|>` as the ordinary characters it is: what a user types is
//! never a control token. A Hugging Face file decides for itself, see [`hf::SpecialText`].
//!
//! # What is counted
//! Text only. What a provider adds around a message (role markers, three tokens per message and so on) belongs to
//! the dialect that builds the request.
#![cfg_attr(not(feature = "hf"), allow(rustdoc::broken_intra_doc_links))]

mod cache;
mod cut;
mod embedded;
mod error;
mod heuristic;
#[cfg(feature = "hf")]
pub mod hf;
mod models;
mod registry;

pub use cache::{CacheStats, CachedCounter, CountCache};
pub use embedded::{EmbeddedCounter, Encoding};
pub use error::TokensError;
pub use heuristic::HeuristicCounter;
pub use models::{ModelMatch, StandIn, model_match};
pub use registry::{ModelTokenizer, Tokenizers};
pub use tavernkit_core::{Exactness, TokenCounter};
