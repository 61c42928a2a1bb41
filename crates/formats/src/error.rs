//! The one error type of this crate.

use std::fmt;

/// Why something could not be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are none of the formats this reader knows.
    UnknownFormat,
    /// The container is fine, but there is nothing of the wanted kind in it.
    NothingInside,
    /// The text is not JSON, even read leniently.
    Json,
    /// The text is not YAML this reader understands.
    Yaml,
    /// The PNG's structure is broken.
    Png,
    /// The JPEG's or WebP's structure is broken.
    Image,
    /// The archive is broken.
    Archive,
    /// Base64 or compressed data cannot be decoded.
    Encoding,
    /// The input is larger, deeper or denser than [`Limits`](crate::Limits) allow.
    Limit,
    /// A field that must be there is missing.
    Missing,
    /// A field holds a value that cannot be used.
    Invalid,
    /// A known format, or a part of one, that is not supported.
    Unsupported,
}

/// Why something could not be read or written, where, and what to do about it.
///
/// ```
/// use tavernkit_formats::{json, ErrorKind, Limits};
///
/// let error = json::parse(b"{\"name\": Bram}", &Limits::default()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Json);
/// assert_eq!(error.offset(), Some(9));
/// assert_eq!(error.to_string(), "expected a value but found `B` at line 1, column 10; put text in double quotes (byte 9)");
/// ```
pub struct Error(Box<Detail>);

struct Detail {
    kind: ErrorKind,
    message: String,
    field: Option<String>,
    offset: Option<u64>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error with a sentence that says what is wrong and what to do.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Detail { kind, message: message.into(), field: None, offset: None, source: None }))
    }

    /// Names the field, file or entry the error is about.
    #[must_use]
    pub fn at_field(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(field.into());
        self
    }

    /// Says at which byte of the input.
    #[must_use]
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.0.offset = Some(offset);
        self
    }

    /// Keeps the error underneath.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// What went wrong, for programs.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The sentence for people, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The field path, file or archive entry the error is about.
    pub fn field(&self) -> Option<&str> {
        self.0.field.as_deref()
    }

    /// The byte of the input where it went wrong.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match (&self.0.field, self.0.offset) {
            (Some(field), Some(offset)) => write!(f, " (at {field}, byte {offset})"),
            (Some(field), None) => write!(f, " (at {field})"),
            (None, Some(offset)) => write!(f, " (byte {offset})"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|source| source.as_ref() as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_knows_of_the_place() {
        let error = || Error::new(ErrorKind::Missing, "the card has no name; give it one");
        assert_eq!(error().to_string(), "the card has no name; give it one");
        assert_eq!(
            error().at_field("data.name").to_string(),
            "the card has no name; give it one (at data.name)"
        );
        assert_eq!(
            error().at_field("data.name").at_offset(7).to_string(),
            "the card has no name; give it one (at data.name, byte 7)"
        );
        assert_eq!(format!("{:?}", error()), "Missing: the card has no name; give it one");
    }

    #[test]
    fn stays_one_word_wide() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }
}
