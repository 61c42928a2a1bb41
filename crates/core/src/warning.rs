//! Warnings are data: what was odd, where, and what was done about it.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Something in the input that was wrong or surprising, and that the build or the reader survived.
///
/// A warning never replaces output: the text it is about is kept, as raw as it was.
///
/// ```
/// use tavernkit_core::Warning;
///
/// let warning = Warning::new("card.bad_crc", "chunk tEXt has a wrong checksum; its text was used").at("byte 33");
/// assert_eq!(warning.to_string(), "[card.bad_crc] chunk tEXt has a wrong checksum; its text was used (at byte 33)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warning {
    /// A stable, dotted name for programs: `area.what`.
    pub code: Cow<'static, str>,
    /// The pipeline stage that noticed, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Where in the input: a field path, a file, an entry, a byte offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// One sentence for people.
    pub message: String,
}

impl Warning {
    /// A warning with a stable code and a sentence for people.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code: code.into(), stage: None, at: None, message: message.into() }
    }

    /// Says where in the input.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.at = Some(place.into());
        self
    }

    /// Says which stage noticed.
    #[must_use]
    pub fn in_stage(mut self, stage: impl Into<String>) -> Self {
        self.stage = Some(stage.into());
        self
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code, self.message)?;
        match &self.at {
            Some(at) => write!(f, " (at {at})"),
            None => Ok(()),
        }
    }
}
