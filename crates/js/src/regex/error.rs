//! What can go wrong: a pattern that is not valid, or a match that ran out of fuel.

use std::fmt;

/// Why a pattern was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegexErrorKind {
    /// A flag that does not exist, is given twice, or does not go with another.
    Flags,
    /// Text that is not a `/pattern/flags` literal.
    Literal,
    /// The pattern breaks the grammar.
    Syntax,
    /// The pattern nests deeper, or compiles to more steps, than we allow.
    TooLarge,
}

/// A pattern that JavaScript would refuse (or that passes our size limits).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegexError {
    kind: RegexErrorKind,
    offset: usize,
    message: String,
}

impl RegexError {
    pub(super) fn new(kind: RegexErrorKind, offset: usize, message: impl Into<String>) -> Self {
        RegexError { kind, offset, message: message.into() }
    }

    /// What kind of fault.
    pub fn kind(&self) -> RegexErrorKind {
        self.kind
    }

    /// Where in the given text: a byte offset (a unit offset for a pattern given as UTF-16).
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// What is wrong, in words.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.kind == RegexErrorKind::Flags { "flags" } else { "regular expression" };
        write!(f, "invalid {what}, at {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for RegexError {}

/// The fuel was used up, or the backtracking memory: nothing is known about the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the regular expression used up its step limit")
    }
}

impl std::error::Error for Exhausted {}
