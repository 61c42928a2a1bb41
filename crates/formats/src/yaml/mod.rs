//! The part of YAML that character files use: mappings, lists, every kind of text, numbers and booleans.
//!
//! Anchors, tags, several documents and keys that are not texts are refused with a clear error: a character file needs none
//! of them, and without them a small file can neither grow nor nest without end.

mod block;
mod flow;
mod scalar;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::{Error, ErrorKind, Limits, Result};

/// Reads one YAML document.
///
/// ```
/// use tavernkit_formats::{yaml, Limits};
///
/// let value = yaml::parse("name: Bram\ncontext: |-\n  Keeper of the lamp.\n  Distrusts calm water.\ntags: [sea, storm]", &Limits::default())?;
/// assert_eq!(value["context"], "Keeper of the lamp.\nDistrusts calm water.");
/// assert_eq!(value["tags"][1], "storm");
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
pub fn parse(text: &str, limits: &Limits) -> Result<Value> {
    if text.len() as u64 > limits.input {
        let message = format!(
            "the YAML has {} bytes, more than the limit of {}; raise `Limits::input` if you trust it",
            text.len(),
            limits.input
        );
        return Err(Error::new(ErrorKind::Limit, message));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    block::Reader::new(&text, limits).document()
}

/// An error at a byte of the text, told with its line.
fn error(text: &str, at: usize, message: &str) -> Error {
    let line = text.get(..at).unwrap_or(text).matches('\n').count() + 1;
    Error::new(ErrorKind::Yaml, format!("line {line}: {message}")).at_offset(at as u64)
}

fn too_deep(limit: usize) -> Error {
    let message = format!(
        "lists and mappings nest deeper than {limit} levels; flatten the data or raise `Limits::depth`"
    );
    Error::new(ErrorKind::Limit, message)
}
