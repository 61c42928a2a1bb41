//! The vocabularies that travel inside the binary.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use splintr::{AnyTokenizer, Backend, PretrainedVocab, Tokenizer};

use crate::cut::Pieces;
use crate::error::TokensError;
use tavernkit_core::{Exactness, TokenCounter};

/// The library remembers the pieces it has split, however long. Forgetting after so many bytes of text bounds that
/// memory (five bytes per byte at the very worst) at a price nobody notices.
const FORGET_AFTER_BYTES: usize = 32 * 1024 * 1024;

/// No token of the embedded vocabularies is longer (a run of 128 spaces); a test holds that.
const LONGEST_TOKEN_BYTES: usize = 128;

/// A vocabulary inside the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// `o200k_base`: GPT-4o, GPT-4.1, GPT-5, the o series, gpt-oss.
    O200kBase,
    /// `cl100k_base`: GPT-4, GPT-3.5, the text embeddings.
    Cl100kBase,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// The name OpenAI gave it, also the counter's id.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    fn vocabulary(self) -> PretrainedVocab {
        match self {
            Self::O200kBase => PretrainedVocab::O200kBase,
            Self::Cl100kBase => PretrainedVocab::Cl100kBase,
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Encoding {
    type Err = TokensError;

    fn from_str(name: &str) -> Result<Self, TokensError> {
        Self::ALL.into_iter().find(|encoding| encoding.as_str() == name).ok_or_else(|| {
            TokensError::UnknownTokenizer {
                id: name.to_owned(),
                known: Self::ALL.map(|encoding| encoding.as_str().to_owned()).into(),
            }
        })
    }
}

/// Exact counts with an embedded vocabulary.
///
/// Unpacking one and counting a first text costs about 200 ms and 40 MB: let [`Tokenizers`](crate::Tokenizers) do it
/// once.
///
/// ```
/// use tavernkit_tokens::{EmbeddedCounter, Encoding, TokenCounter};
///
/// let counter = EmbeddedCounter::new(Encoding::Cl100kBase);
/// assert_eq!(counter.count("hello world"), 2);
/// // Not a control token, just characters.
/// assert_eq!(counter.count("<|endoftext|>"), 7);
/// ```
pub struct EmbeddedCounter {
    encoding: Encoding,
    tokenizer: Tokenizer,
    /// Bytes counted since the tokenizer last forgot.
    counted: AtomicUsize,
}

impl EmbeddedCounter {
    /// Unpacks the vocabulary.
    pub fn new(encoding: Encoding) -> Self {
        let tokenizer = splintr::from_vocab(encoding.vocabulary())
            .map(AnyTokenizer::into_backend)
            .ok()
            .and_then(|backend| match backend {
                Backend::Bpe(tokenizer) => Some(tokenizer),
                _ => None,
            })
            .expect("both vocabularies are byte-pair encodings compiled into the binary by Cargo features of this crate");
        Self { encoding, tokenizer, counted: AtomicUsize::new(0) }
    }

    /// Which vocabulary.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The token ids of `text`, special-token strings read as ordinary text.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        if self.counted.fetch_add(text.len(), Ordering::Relaxed) >= FORGET_AFTER_BYTES {
            self.counted.store(0, Ordering::Relaxed);
            self.tokenizer.clear_cache();
        }
        self.tokenizer.encode_ordinary(text)
    }
}

impl TokenCounter for EmbeddedCounter {
    fn id(&self) -> &str {
        self.encoding.as_str()
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn count(&self, text: &str) -> usize {
        self.encode(text).len()
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        if text.len() > limit.saturating_mul(LONGEST_TOKEN_BYTES) {
            return None;
        }
        let mut total = 0;
        // A piece holds about as many tokens as may still come, so that little is counted beyond the limit.
        for piece in Pieces::new(text, limit.saturating_mul(4).clamp(256, 16 * 1024)) {
            total += self.count(piece);
            if total > limit {
                return None;
            }
        }
        Some(total)
    }
}

impl fmt::Debug for EmbeddedCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedCounter").field("encoding", &self.encoding).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_token_is_known() {
        for encoding in Encoding::ALL {
            let counter = EmbeddedCounter::new(encoding);
            let longest = counter.tokenizer.encoder().keys().map(<[u8]>::len).max();
            assert_eq!(longest, Some(LONGEST_TOKEN_BYTES), "{encoding}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for encoding in Encoding::ALL {
            assert_eq!(encoding.as_str().parse(), Ok(encoding));
        }
        let error = "p50k_base".parse::<Encoding>().unwrap_err();
        assert_eq!(error.to_string(), "unknown tokenizer `p50k_base`; known are o200k_base, cl100k_base");
    }

    #[test]
    fn pieces_are_forgotten_in_time() {
        let counter = EmbeddedCounter::new(Encoding::Cl100kBase);
        for n in 0..100 {
            counter.count(&format!(" pragulruskpra{}", "lunfenor".repeat(n)));
        }
        assert!(counter.tokenizer.cache_len() > 90);
        counter.counted.store(FORGET_AFTER_BYTES, Ordering::Relaxed);
        assert_eq!(counter.count("hello world"), 2);
        assert!(counter.tokenizer.cache_len() < 3);
    }

    #[test]
    fn count_up_to_stops_at_the_limit() {
        let counter = EmbeddedCounter::new(Encoding::O200kBase);
        let text = "Rain on the salt market. ".repeat(400);
        let count = counter.count(&text);
        assert_eq!(counter.count_up_to(&text, count), Some(count));
        assert_eq!(counter.count_up_to(&text, count + 1), Some(count));
        assert_eq!(counter.count_up_to(&text, count - 1), None);
        assert_eq!(counter.count_up_to(&text, 0), None);
        assert_eq!(counter.count_up_to("", 0), Some(0));
    }
}
