//! Provenance: where a text came from.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Which asset, field, entry or stage a text came from.
///
/// ```
/// use tavernkit_core::Source;
///
/// let source = Source::new("card").asset("Bram").field("description");
/// assert_eq!(source.to_string(), "card:Bram/description");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// The kind of origin, in the platform's own words: `history`, `card`, `lore`, `preset`, `injection`, `note` …
    pub kind: Cow<'static, str>,
    /// Which card, book or preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asset: Option<String>,
    /// Which field, entry, prompt or message of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The position in a list, such as the message's number in the chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
}

impl Source {
    /// A source of a kind.
    pub fn new(kind: impl Into<Cow<'static, str>>) -> Self {
        Self { kind: kind.into(), ..Self::default() }
    }

    /// Names the card, book or preset.
    #[must_use]
    pub fn asset(mut self, asset: impl Into<String>) -> Self {
        self.asset = Some(asset.into());
        self
    }

    /// Names the field, entry or prompt.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Gives the position in a list.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if let Some(asset) = &self.asset {
            write!(f, ":{asset}")?;
        }
        if let Some(field) = &self.field {
            write!(f, "/{field}")?;
        }
        if let Some(index) = self.index {
            write!(f, "#{index}")?;
        }
        Ok(())
    }
}
