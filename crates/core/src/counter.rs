//! The contract between those who count and those who ask.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Whether a count is the number the model will see, or a guess at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Exactness {
    /// The very tokens of the model's own vocabulary.
    Exact,
    /// Another vocabulary or a rule of thumb stands in.
    Estimate,
}

impl fmt::Display for Exactness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Estimate => "estimate",
        })
    }
}

/// Counts the tokens of a text.
///
/// Two counters with the same [`id`](Self::id) must give the same number for the same text: caches rely on it.
///
/// ```
/// use tavernkit_core::{Exactness, TokenCounter};
///
/// /// One token per byte, as byte-level models have it.
/// struct Bytes;
///
/// impl TokenCounter for Bytes {
///     fn id(&self) -> &str { "bytes" }
///     fn exactness(&self) -> Exactness { Exactness::Exact }
///     fn count(&self, text: &str) -> usize { text.len() }
/// }
///
/// let counter: &dyn TokenCounter = &Bytes;
/// assert_eq!(counter.count_up_to("lantern", 7), Some(7));
/// assert_eq!(counter.count_up_to("lantern", 6), None);
/// ```
pub trait TokenCounter: Send + Sync {
    /// A stable name of the vocabulary or rule, such as `o200k_base`.
    fn id(&self) -> &str;

    /// Whether the numbers are the model's own.
    fn exactness(&self) -> Exactness;

    /// The number of tokens of `text`.
    fn count(&self, text: &str) -> usize;

    /// The number of tokens of `text`, or `None` when there are more than `limit`.
    ///
    /// Implementations stop early where that saves work, so asking "does it fit?" of a long text is cheap.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|&count| count <= limit)
    }
}

impl<T: TokenCounter + ?Sized> TokenCounter for Arc<T> {
    fn id(&self) -> &str {
        (**self).id()
    }

    fn exactness(&self) -> Exactness {
        (**self).exactness()
    }

    fn count(&self, text: &str) -> usize {
        (**self).count(text)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        (**self).count_up_to(text, limit)
    }
}
