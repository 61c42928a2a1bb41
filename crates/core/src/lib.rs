//! What every prompt platform shares: messages, blocks, plans, pipelines, trimming, dialects, injections, hooks, variables.
//!
//! Core knows no platform, performs no I/O, reads no clock and keeps no global state: time, randomness and token counting are given
//! to a build through its [`BuildScope`].
//!
//! A platform is a [`Pipeline`] of named stages over its own state; what comes out is a [`Plan`], which a
//! [`Dialect`](dialect::Dialect) turns into a provider's request.

pub mod block;
pub mod counter;
pub mod dialect;
pub mod error;
pub mod hooks;
pub mod injection;
pub mod instrument;
pub mod message;
pub mod number;
pub mod pipeline;
pub mod plan;
pub mod produced;
pub mod random;
pub mod scope;
pub mod source;
#[cfg(test)]
mod testing;
pub mod trim;
pub mod variables;
pub mod warning;

pub use block::{Block, BlockId, BudgetGroup, Placement};
pub use counter::{Exactness, TokenCounter};
pub use error::{Error, ErrorKind, Result};
pub use hooks::HookRegistry;
pub use message::{Message, Metadata, Role};
pub use pipeline::{Pipeline, Stage};
pub use plan::Plan;
pub use produced::Produced;
pub use random::{RandomSource, SeededRandom};
pub use scope::{BuildScope, Strictness, Timestamp};
pub use source::Source;
pub use variables::{Scope, Variables};
pub use warning::Warning;
