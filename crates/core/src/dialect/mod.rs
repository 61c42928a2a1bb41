//! Dialects turn messages into a provider's request shape.
//!
//! A dialect is a value under a name; an application registers its own beside ours without touching this crate.

mod anthropic;
mod openai;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use anthropic::Anthropic;
pub use openai::OpenAi;
pub use text::Text;

use crate::error::{Error, ErrorKind, Result};
use crate::message::Message;
use crate::warning::Warning;

/// What a dialect made of the messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rendered {
    /// The messages in the provider's shape.
    pub body: Value,
    /// What the provider cannot express, and what was done about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A provider's request shape.
pub trait Dialect: Send + Sync {
    /// The name it is known by.
    fn name(&self) -> &str;

    /// The messages in the provider's shape. What it makes, the provider accepts; what it had to bend for that is warned about.
    fn render(&self, messages: &[Message]) -> Result<Rendered>;
}

/// Dialects by name.
///
/// ```
/// use tavernkit_core::dialect::{Dialect, Dialects};
///
/// let dialects = Dialects::builtin();
/// assert_eq!(dialects.get("openai")?.name(), "openai");
/// let error = dialects.get("telegraph").err().unwrap();
/// assert_eq!(error.to_string(), "no dialect `telegraph`; known are: anthropic, openai, text");
/// # Ok::<(), tavernkit_core::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Dialects {
    by_name: BTreeMap<String, Arc<dyn Dialect>>,
}

impl Dialects {
    /// No dialects.
    pub fn new() -> Self {
        Self::default()
    }

    /// `openai`, `anthropic` and `text` with their defaults.
    pub fn builtin() -> Self {
        let mut dialects = Self::new();
        dialects.register(OpenAi);
        dialects.register(Anthropic::default());
        dialects.register(Text::default());
        dialects
    }

    /// Adds a dialect, or replaces the one of the same name.
    pub fn register(&mut self, dialect: impl Dialect + 'static) {
        self.by_name.insert(dialect.name().to_owned(), Arc::new(dialect));
    }

    /// The dialect of a name.
    pub fn get(&self, name: &str) -> Result<&dyn Dialect> {
        self.by_name.get(name).map(Arc::as_ref).ok_or_else(|| {
            let known = self.names().collect::<Vec<_>>().join(", ");
            Error::new(ErrorKind::UnknownDialect, format!("no dialect `{name}`; known are: {known}"))
        })
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }
}
