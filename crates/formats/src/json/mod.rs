//! JSON as people's files really hold it, read leniently and written as JavaScript writes it.
//!
//! Clean text takes a fast path. Anything else is read by an own parser that goes on where the meaning is
//! plain (byte order marks, lone surrogates, duplicate keys, trailing commas, `NaN`) and says so in a warning,
//! and that stops with line and column where it is not.

mod decode;
mod fast;
pub mod field;
mod lenient;
pub mod order;
mod path;
mod write;

use serde_json::Value;
use tavernkit_core::Warning;

pub use decode::decode;
pub use path::Path;
pub use write::{compact, indented};

use crate::{Error, ErrorKind, Limits, Result};

/// A JSON value and what was odd about its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The value, with the keys of objects in the order of the text.
    pub value: Value,
    /// What was repaired, each with its place.
    pub warnings: Vec<Warning>,
}

/// Reads JSON from bytes of any Unicode encoding.
///
/// ```
/// use tavernkit_formats::{json, Limits};
///
/// let parsed = json::parse(br#"{"name": "Bram \ud83d", "tags": ["sea",]}"#, &Limits::default())?;
/// assert_eq!(parsed.value["name"], "Bram \u{fffd}");
/// assert_eq!(parsed.warnings[0].code, "json.lone_surrogate");
/// assert_eq!(parsed.warnings[0].at.as_deref(), Some("name"));
/// assert_eq!(parsed.warnings[1].code, "json.trailing_comma");
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Parsed> {
    if bytes.len() as u64 > limits.input {
        return Err(too_long(bytes.len(), limits));
    }
    let (text, warnings) = decode(bytes, limits);
    parse_decoded(&text, warnings, limits)
}

/// Reads JSON from text.
pub fn parse_text(text: &str, limits: &Limits) -> Result<Parsed> {
    if text.len() as u64 > limits.input {
        return Err(too_long(text.len(), limits));
    }
    parse_decoded(text.strip_prefix('\u{feff}').unwrap_or(text), Vec::new(), limits)
}

fn parse_decoded(text: &str, mut warnings: Vec<Warning>, limits: &Limits) -> Result<Parsed> {
    match fast::parse(text, limits) {
        Some(value) => Ok(Parsed { value, warnings }),
        None => {
            let value = lenient::parse(text, limits, &mut warnings)?;
            Ok(Parsed { value, warnings })
        }
    }
}

fn too_long(length: usize, limits: &Limits) -> Error {
    Error::new(
        ErrorKind::Limit,
        format!(
            "the input has {length} bytes, more than the limit of {}; raise `Limits::input` if you trust it",
            limits.input
        ),
    )
}

/// Collects warnings, listing only the first few of each code and counting the rest.
pub(crate) struct Collector<'a> {
    warnings: &'a mut Vec<Warning>,
    per_code: usize,
    counts: Vec<(&'static str, usize)>,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(warnings: &'a mut Vec<Warning>, limits: &Limits) -> Self {
        Self { warnings, per_code: limits.warnings_per_code, counts: Vec::new() }
    }

    /// Adds a warning, built only if it will be listed.
    pub(crate) fn push(&mut self, code: &'static str, build: impl FnOnce() -> (String, String)) {
        let index = match self.counts.iter().position(|(known, _)| *known == code) {
            Some(index) => index,
            None => {
                self.counts.push((code, 0));
                self.counts.len() - 1
            }
        };
        self.counts[index].1 += 1;
        if self.counts[index].1 <= self.per_code {
            let (message, at) = build();
            self.warnings.push(Warning::new(code, message).at(at));
        }
    }

    /// Says how many warnings were not listed.
    pub(crate) fn finish(self) {
        for (code, count) in self.counts {
            if let Some(more) = count.checked_sub(self.per_code).filter(|more| *more > 0) {
                self.warnings.push(Warning::new(code, format!("and {more} more of this kind")));
            }
        }
    }
}

#[cfg(test)]
mod tests;
