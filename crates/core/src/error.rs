//! The one error of this crate.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use crate::trim::MaxTokensExceeded;
use crate::warning::Warning;

/// What went wrong, cheap to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A warning in strict mode.
    Strict,
    /// What must be in the prompt does not fit.
    MaxTokensExceeded,
    /// The input cannot be used.
    InvalidInput,
    /// A stage read what no stage has written yet, or wrote what another owns.
    StageOrder,
    /// A pipeline has no stage of that name.
    UnknownStage,
    /// A pipeline already has a stage of that name.
    DuplicateStage,
    /// No dialect is registered under that name.
    UnknownDialect,
    /// Anything a stage or a hook reports.
    Other,
}

/// An error of a build: what, in which stage, and why.
///
/// ```
/// use tavernkit_core::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::InvalidInput, "the card has no name").in_stage("entries");
/// assert_eq!(error.to_string(), "stage `entries`: the card has no name");
/// assert_eq!(error.stage(), Some("entries"));
/// ```
pub struct Error {
    repr: Box<Repr>,
}

struct Repr {
    kind: ErrorKind,
    stage: Option<String>,
    detail: Cow<'static, str>,
    source: Option<Box<dyn StdError + Send + Sync>>,
    max_tokens: Option<MaxTokensExceeded>,
    warning: Option<Warning>,
}

/// What a stage returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a sentence for people.
    pub fn new(kind: ErrorKind, detail: impl Into<Cow<'static, str>>) -> Self {
        let repr =
            Repr { kind, stage: None, detail: detail.into(), source: None, max_tokens: None, warning: None };
        Self { repr: Box::new(repr) }
    }

    /// Any other error, kept as the cause.
    pub fn wrap(detail: impl Into<Cow<'static, str>>, source: impl StdError + Send + Sync + 'static) -> Self {
        let mut error = Self::new(ErrorKind::Other, detail);
        error.repr.source = Some(Box::new(source));
        error
    }

    /// A warning that strict mode does not let pass.
    pub fn strict(warning: Warning) -> Self {
        let mut error = Self::new(ErrorKind::Strict, format!("strict mode: {warning}"));
        error.repr.stage = warning.stage.clone();
        error.repr.warning = Some(warning);
        error
    }

    /// Says in which stage; the innermost stage stays.
    #[must_use]
    pub fn in_stage(mut self, stage: impl Into<String>) -> Self {
        self.repr.stage.get_or_insert_with(|| stage.into());
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.repr.kind
    }

    /// The stage it happened in.
    pub fn stage(&self) -> Option<&str> {
        self.repr.stage.as_deref()
    }

    /// The sentence, without the stage.
    pub fn detail(&self) -> &str {
        &self.repr.detail
    }

    /// The numbers, when what must be in the prompt does not fit.
    pub fn max_tokens_exceeded(&self) -> Option<&MaxTokensExceeded> {
        self.repr.max_tokens.as_ref()
    }

    /// The warning that strict mode did not let pass.
    pub fn warning(&self) -> Option<&Warning> {
        self.repr.warning.as_ref()
    }
}

impl From<MaxTokensExceeded> for Error {
    fn from(numbers: MaxTokensExceeded) -> Self {
        let mut error =
            Self::new(ErrorKind::MaxTokensExceeded, numbers.to_string()).in_stage(numbers.stage.clone());
        error.repr.max_tokens = Some(numbers);
        error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(stage) = self.stage() {
            write!(f, "stage `{stage}`: ")?;
        }
        f.write_str(self.detail())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.repr.kind)
            .field("stage", &self.repr.stage)
            .field("detail", &self.repr.detail)
            .field("source", &self.repr.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.repr.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
