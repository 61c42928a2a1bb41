//! What happened in an evaluation, for those who ask.

use std::ops::Range;

use serde::Serialize;
use tavernkit_core::Scope;

/// Every macro that was met and every variable that was touched. Recorded only on request.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Trace {
    /// In the order in which they were reached; an inner macro comes after the one that holds it.
    pub macros: Vec<MacroEvent>,
    /// In the order in which they were touched.
    pub variables: Vec<VariableEvent>,
}

/// One macro that was met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MacroEvent {
    /// Its name as written; `.` or `$` and the name for a variable.
    pub name: String,
    /// Where it stands, in bytes of the text that was expanded, or of the card field named in `field`.
    pub source: Range<usize>,
    /// The card field it stands in, when it was not the text itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'static str>,
    /// The macro that holds it, as an index into [`Trace::macros`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Where its text is in the result, in bytes; `None` when it went into another macro.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Range<usize>>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It was replaced.
    Expanded,
    /// Nobody knows this name; it stays.
    Unknown,
    /// Wrong number or type of arguments; it stays.
    BadArguments,
    /// Its handler refused; it stays.
    Refused,
    /// A limit was reached; it stays.
    LimitReached,
}

/// One touch of a variable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariableEvent {
    /// By which macro, as an index into [`Trace::macros`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<usize>,
    /// Of the chat or of all chats.
    pub scope: Scope,
    /// Its name.
    pub name: String,
    /// What was done.
    pub access: Access,
}

/// What was done with a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Its value was used.
    Read,
    /// It got a value.
    Write,
    /// It was removed.
    Delete,
    /// Only its existence was asked for.
    Test,
}
