//! What can go wrong: a tokenizer file that cannot be used, a name that nobody knows.

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokensError {
    /// The bytes given as a `tokenizer.json` cannot be used.
    #[error("tokenizer file for `{id}`: {reason}")]
    TokenizerFile {
        /// The name the caller gave to the tokenizer.
        id: String,
        /// What is wrong with the file and, where we know it, what to give instead.
        reason: String,
    },
    /// No tokenizer has this id.
    #[error("unknown tokenizer `{id}`; known are {}", known.join(", "))]
    UnknownTokenizer {
        /// The id that was asked for.
        id: String,
        /// The ids that would have worked.
        known: Vec<String>,
    },
}
