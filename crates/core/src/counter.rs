//! The seam between prompts and tokenizers.

use serde::{Deserialize, Serialize};

/// Can a count be trusted to the token?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exactness {
    /// The model's own tokenizer.
    Exact,
    /// A stand-in: the true count differs by some percent.
    Estimate,
}

/// Counts the tokens of a text.
pub trait TokenCounter: Send + Sync {
    /// The tokenizer's stable name, such as `o200k_base`.
    fn id(&self) -> &str;

    /// Are its counts exact or estimated?
    fn exactness(&self) -> Exactness;

    /// The number of tokens of a text.
    fn count(&self, text: &str) -> usize;

    /// The number of tokens if it is at most `limit`, else `None`. Counters that can stop early do.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|count| *count <= limit)
    }
}
