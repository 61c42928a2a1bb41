//! Counting with a model's own `tokenizer.json`.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Deserialize;
use serde_json::Value;
use tokenizers::normalizers::Precompiled;
use tokenizers::{ModelWrapper, NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

use crate::error::TokensError;
use crate::heuristic::HeuristicCounter;
use tavernkit_core::{Exactness, TokenCounter};

/// What a special token's string, such as `<|im_start|>`, counts as when it stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpecialText {
    /// One token, as local servers read the prompt of a text completion, where such strings are the instruct template.
    #[default]
    Recognised,
    /// The characters it is made of, as chat servers read what a user typed.
    ///
    /// Added tokens that the file does not call special are plain vocabulary and count as one token still.
    Ordinary,
}

/// Exact counts with a Hugging Face `tokenizer.json`, by Hugging Face's own implementation.
///
/// What the file would put around a text (begin and end tokens), cut off (truncation) or fill up (padding) is left out:
/// that depends on the request, not on the text. Unpacking a large file takes a second, and counting is slower than with
/// an embedded vocabulary: keep the counter, behind a [`CountCache`](crate::CountCache).
///
/// ```
/// use tavernkit_tokens::{Exactness, TokenCounter, hf::{HfCounter, SpecialText}};
///
/// // In real life this is read from the folder of the model.
/// let file = br#"{
///     "added_tokens": [{"id": 3, "content": "<|end|>", "special": true, "normalized": false,
///         "single_word": false, "lstrip": false, "rstrip": false}],
///     "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
///     "model": {"type": "BPE", "vocab": {"h": 0, "i": 1, "hi": 2}, "merges": ["h i"]}
/// }"#;
/// let counter = HfCounter::from_bytes("tiny", file, SpecialText::Recognised)?;
/// assert_eq!((counter.id(), counter.exactness()), ("tiny", Exactness::Exact));
/// assert_eq!(counter.count("hi<|end|>"), 2);
///
/// let error = HfCounter::from_bytes("tiny", b"{}", SpecialText::Recognised).unwrap_err();
/// assert_eq!(error.to_string(), "tokenizer file for `tiny`: the field `model` is missing");
/// # Ok::<(), tavernkit_tokens::TokensError>(())
/// ```
pub struct HfCounter {
    id: String,
    tokenizer: Tokenizer,
}

impl HfCounter {
    /// Reads the bytes of a `tokenizer.json`.
    ///
    /// `name` becomes the counter's id (with `+ordinary` behind it for [`SpecialText::Ordinary`]). Give different files
    /// different names: caches tell tokenizers apart by their ids.
    pub fn from_bytes(name: &str, bytes: &[u8], special: SpecialText) -> Result<Self, TokensError> {
        let broken = |reason: String| TokensError::TokenizerFile { id: name.to_owned(), reason };
        if let Some(reason) = not_a_tokenizer(bytes) {
            return Err(broken(reason.to_owned()));
        }
        let mut file: Value =
            serde_json::from_slice(bytes).map_err(|error| broken(format!("not JSON: {error}")))?;
        check(&file).map_err(broken)?;
        for unused in ["truncation", "padding", "post_processor", "decoder"] {
            file[unused] = Value::Null;
        }
        let mut tokenizer = read(&file).map_err(broken)?;
        let id = match special {
            SpecialText::Recognised => name.to_owned(),
            SpecialText::Ordinary => format!("{name}+ordinary"),
        };
        tokenizer.set_encode_special_tokens(special == SpecialText::Ordinary);
        // A vocabulary without an unknown token fails on the first character it lacks: better now than in a build.
        tokenizer.encode_fast(NEVER_IN_A_VOCABULARY, false).map_err(|error| broken(error.to_string()))?;
        Ok(Self { id, tokenizer })
    }

    /// The token ids of `text`, without begin and end tokens; `None` when the file cannot split this text.
    ///
    /// Reading the file has made sure that an unknown character is no reason for that.
    pub fn encode(&self, text: &str) -> Option<Vec<u32>> {
        self.tokenizer.encode_fast(text, false).ok().map(|encoding| encoding.get_ids().to_vec())
    }
}

/// A character that no text has, in a word of its own.
const NEVER_IN_A_VOCABULARY: &str = "a \u{10fffe}";

impl TokenCounter for HfCounter {
    fn id(&self) -> &str {
        &self.id
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn count(&self, text: &str) -> usize {
        // The estimate is for a text that the file cannot split, which `from_bytes` has all but excluded.
        self.tokenizer
            .encode_fast(text, false)
            .map_or_else(|_| HeuristicCounter.count(text), |encoding| encoding.len())
    }
}

impl fmt::Debug for HfCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HfCounter").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The files that people give by mistake.
fn not_a_tokenizer(bytes: &[u8]) -> Option<&'static str> {
    let start = bytes.trim_ascii_start();
    if start.is_empty() {
        Some("the file is empty")
    } else if start.starts_with(b"version https://git-lfs") {
        Some("this is a Git LFS pointer; fetch the file itself (git lfs pull)")
    } else if start.starts_with(b"<") {
        Some("this is a web page; download the raw tokenizer.json")
    } else if start.starts_with(b"GGUF") {
        Some("this is a GGUF model; give the tokenizer.json of the original model")
    } else if start[0].is_ascii_control() {
        Some("this looks like a SentencePiece model; give the tokenizer.json instead")
    } else {
        None
    }
}

/// Names what a file lacks before the loader sees it, in words about the file.
fn check(file: &Value) -> Result<(), String> {
    let fields = file.as_object().ok_or("not a JSON object; a tokenizer.json is one")?;
    let Some(model) = fields.get("model") else {
        return Err(if fields.contains_key("tokenizer_class") {
            "the field `model` is missing: this is tokenizer_config.json, give tokenizer.json".to_owned()
        } else {
            "the field `model` is missing".to_owned()
        });
    };
    if let Some(kind) = model.get("type")
        && !matches!(kind.as_str(), Some("BPE" | "Unigram" | "WordPiece" | "WordLevel"))
    {
        return Err(format!("`model.type` {kind} is none of BPE, Unigram, WordPiece and WordLevel"));
    }
    match model.get("vocab") {
        Some(Value::Object(_) | Value::Array(_)) => Ok(()),
        Some(_) => Err("the field `model.vocab` is neither an object nor a list".to_owned()),
        None => Err("the field `model.vocab` is missing".to_owned()),
    }
}

/// Lets the library read the file.
fn read(file: &Value) -> Result<Tokenizer, String> {
    precompiled_maps_are_readable(file.get("normalizer"))?;
    // The check above is for the one panic we know. Should the library have others, they end here.
    let read = catch_unwind(AssertUnwindSafe(|| Tokenizer::deserialize(file)));
    let error = match read {
        Ok(Ok(tokenizer)) => return Ok(tokenizer),
        Ok(Err(error)) => error.to_string(),
        Err(_) => return Err("the file has parts that do not fit together".to_owned()),
    };
    // The library does not say where.
    Err(refused::<NormalizerWrapper>(file, "normalizer", "normalizers")
        .or_else(|| refused::<PreTokenizerWrapper>(file, "pre_tokenizer", "pretokenizers"))
        .or_else(|| refused::<ModelWrapper>(file, "model", ""))
        .unwrap_or(error))
}

/// SentencePiece's character map is decoded by a library that panics when it is damaged.
fn precompiled_maps_are_readable(normalizer: Option<&Value>) -> Result<(), String> {
    let mut waiting: Vec<&Value> = normalizer.into_iter().collect();
    while let Some(part) = waiting.pop() {
        waiting.extend(part.get("normalizers").and_then(Value::as_array).into_iter().flatten());
        if part.get("type").and_then(Value::as_str) == Some("Precompiled") {
            Precompiled::deserialize(part)
                .map_err(|error| format!("cannot use a `normalizer` of type \"Precompiled\": {error}"))?;
        }
    }
    Ok(())
}

/// Whether the part `name` is refused and, when it is a sequence, which of its `items`.
fn refused<'f, T: Deserialize<'f>>(file: &'f Value, name: &str, items: &str) -> Option<String> {
    let says = |place: String, part: &Value, error: serde_json::Error| match part.get("type") {
        Some(kind) => format!("cannot use `{place}` of type {kind}: {error}"),
        None => format!("cannot use `{place}`: {error}"),
    };
    let part = file.get(name).filter(|part| !part.is_null())?;
    let error = T::deserialize(part).err()?;
    let list = part.get(items).and_then(Value::as_array).into_iter().flatten();
    let item = list.enumerate().find_map(|(at, item)| Some((at, item, T::deserialize(item).err()?)));
    Some(match item {
        Some((at, item, error)) => says(format!("{name}.{items}[{at}]"), item, error),
        None => says(name.to_owned(), part, error),
    })
}
