//! `tokenizer.json` files: every family against a second implementation, and files that are not what they should be.
//!
//! The files are trained here, on the sample text, one per family of real models.
#![allow(clippy::unwrap_used)] // Its helpers are tests too.

mod sample;

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;
use tavernkit_tokens::hf::{HfCounter, SpecialText};
use tavernkit_tokens::{Exactness, TokenCounter, TokensError};
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::models::unigram::{Unigram, UnigramTrainer};
use tokenizers::models::wordpiece::{WordPiece, WordPieceTrainer};
use tokenizers::normalizers::{BertNormalizer, NFKC, Prepend, Replace, Sequence as Normalizers};
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{AddedToken, ModelWrapper, SplitDelimiterBehavior, Tokenizer};

const LLAMA3_SPLIT: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

const VOCABULARY: usize = 1_500;

static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut texts: Vec<String> = sample::SCRIPTS.iter().map(|script| script.text(3_000)).collect();
    texts.push(sample::mixed(20_000));
    texts
});

/// Trains `model` and adds control tokens, a plain added token among them.
fn trained(mut tokenizer: Tokenizer, mut trainer: TrainerWrapper) -> String {
    tokenizer.train(&mut trainer, TEXTS.iter().map(String::as_str)).unwrap();
    let special = ["<|im_start|>", "<|im_end|>", "</s>"].map(|content| AddedToken::from(content, true));
    tokenizer.add_special_tokens(special).unwrap();
    tokenizer.add_tokens([AddedToken::from("<blockquote>", false)]).unwrap();
    tokenizer.to_string(false).unwrap()
}

fn bpe() -> TrainerWrapper {
    let alphabet = ByteLevel::alphabet().into_iter().collect();
    BpeTrainer::builder()
        .show_progress(false)
        .vocab_size(VOCABULARY)
        .initial_alphabet(alphabet)
        .build()
        .into()
}

/// GPT-2's way: its regular expression and the byte alphabet.
fn byte_level() -> String {
    let mut tokenizer = Tokenizer::new(BPE::default());
    tokenizer.with_pre_tokenizer(Some(ByteLevel::new(false, true, true)));
    trained(tokenizer, bpe())
}

/// Llama 3's and Qwen's way: an expression of their own before the byte alphabet.
fn split_byte_level() -> String {
    let pattern = SplitPattern::Regex(LLAMA3_SPLIT.to_owned());
    let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false).unwrap();
    let mut tokenizer = Tokenizer::new(BPE::default());
    tokenizer.with_pre_tokenizer(Some(Sequence::new(vec![
        split.into(),
        ByteLevel::new(false, true, false).into(),
    ])));
    trained(tokenizer, bpe())
}

/// Llama 2's way: spaces become `▁`, nothing is split, unknown characters fall back to bytes.
fn byte_fallback() -> String {
    let bytes = (0..=255u8).map(|byte| AddedToken::from(format!("<0x{byte:02X}>"), false));
    let mut special = vec![AddedToken::from("<unk>", true)];
    special.extend(bytes);
    let model =
        BPE::builder().unk_token("<unk>".to_owned()).fuse_unk(true).byte_fallback(true).build().unwrap();
    let mut tokenizer = Tokenizer::new(model);
    tokenizer
        .with_normalizer(Some(Normalizers::new(vec![
            Prepend::new("▁".to_owned()).into(),
            Replace::new(" ", "▁").unwrap().into(),
        ])))
        .unwrap();
    let trainer = BpeTrainer::builder()
        .show_progress(false)
        .vocab_size(VOCABULARY)
        .special_tokens(special)
        .limit_alphabet(200)
        .max_token_length(Some(12))
        .build();
    let mut file: Value = serde_json::from_str(&trained(tokenizer, trainer.into())).unwrap();
    // The byte tokens belong to the vocabulary; they are no text that may be recognised.
    let added = file["added_tokens"].as_array_mut().unwrap();
    added.retain(|token| !token["content"].as_str().unwrap().starts_with("<0x"));
    file.to_string()
}

/// T5's and Gemma 1's way: the likeliest pieces.
fn unigram() -> String {
    let mut tokenizer = Tokenizer::new(Unigram::default());
    tokenizer.with_normalizer(Some(NFKC)).unwrap();
    tokenizer.with_pre_tokenizer(Some(Metaspace::new('▁', PrependScheme::Always, true)));
    let trainer = UnigramTrainer::builder()
        .show_progress(false)
        .vocab_size(VOCABULARY as u32)
        .unk_token(Some("<unk>".to_owned()))
        .special_tokens(vec![AddedToken::from("<unk>", true)])
        .build()
        .unwrap();
    trained(tokenizer, trainer.into())
}

/// BERT's way: whole words, then pieces with `##`.
fn word_piece() -> String {
    let model = WordPiece::builder().unk_token("[UNK]".to_owned()).build().unwrap();
    let mut tokenizer = Tokenizer::new(ModelWrapper::from(model));
    tokenizer.with_normalizer(Some(BertNormalizer::default())).unwrap();
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
    let special = ["[UNK]", "[CLS]", "[SEP]"].map(|content| AddedToken::from(content, true));
    let trainer = WordPieceTrainer::builder()
        .show_progress(false)
        .vocab_size(VOCABULARY)
        .special_tokens(special.into())
        .build();
    trained(tokenizer, trainer.into())
}

static FILES: LazyLock<[(&str, String); 5]> = LazyLock::new(|| {
    [
        ("byte_level", byte_level()),
        ("split_byte_level", split_byte_level()),
        ("byte_fallback", byte_fallback()),
        ("unigram", unigram()),
        ("word_piece", word_piece()),
    ]
});

/// One file read by both implementations.
struct Pair {
    ours: HfCounter,
    theirs: splintr::AnyTokenizer,
}

static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    let pair = |(name, file): &(&str, String)| Pair {
        ours: HfCounter::from_bytes(name, file.as_bytes(), SpecialText::Recognised).unwrap(),
        theirs: splintr::from_json_bytes(file.as_bytes()).unwrap(),
    };
    FILES.iter().map(pair).collect()
});

fn assert_same(pairs: &[Pair], text: &str) {
    for Pair { ours, theirs } in pairs {
        let expected = theirs.encode_raw(text);
        assert_eq!(ours.encode(text).as_ref(), Some(&expected), "{} of {text:?}", ours.id());
        assert_eq!(ours.count(text), expected.len(), "{} of {text:?}", ours.id());
    }
}

#[test]
fn every_family_counts_the_sample_text() {
    for text in &*TEXTS {
        assert_same(&PAIRS, text);
    }
}

#[test]
fn special_tokens_are_recognised_or_not() {
    for text in
        ["<|im_start|>user\nIs it raining?<|im_end|>\n", "a</s>b </s> c", "<|im_start|><|im_start|> <|im_"]
    {
        assert_same(&PAIRS, text);
    }
    for (name, file) in &*FILES {
        let [recognised, ordinary] = [SpecialText::Recognised, SpecialText::Ordinary]
            .map(|special| HfCounter::from_bytes(name, file.as_bytes(), special).unwrap());
        let marked = recognised.count("<|im_end|>");
        assert!(ordinary.count("<|im_end|>") > marked, "{name}");
        // An added token that is not special stays one token.
        assert_eq!(ordinary.count("<blockquote>"), recognised.count("<blockquote>"), "{name}");
        assert_eq!(ordinary.id(), format!("{name}+ordinary"));
        assert_eq!(ordinary.exactness(), Exactness::Exact);
    }
    assert_eq!(PAIRS[0].ours.count("<|im_end|>"), 1);
}

#[test]
fn begin_and_end_tokens_truncation_and_padding_do_not_count() {
    let mut file: Value = serde_json::from_str(&FILES[0].1).unwrap();
    file["truncation"] =
        serde_json::json!({"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0});
    file["padding"] = serde_json::json!({
        "strategy": {"Fixed": 64}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0, "pad_type_id": 0,
        "pad_token": "!"
    });
    file["post_processor"] = serde_json::json!({
        "type": "BertProcessing", "sep": ["<|im_end|>", 1], "cls": ["<|im_start|>", 0]
    });
    let counter =
        HfCounter::from_bytes("around", file.to_string().as_bytes(), SpecialText::Recognised).unwrap();
    let text = "Rain on the salt market, rain on the bridge.";
    assert_eq!(counter.count(text), PAIRS[0].ours.count(text));
    assert_eq!(counter.count(""), 0);
}

fn error(bytes: &[u8]) -> String {
    let error = HfCounter::from_bytes("mine", bytes, SpecialText::Recognised).unwrap_err();
    assert!(matches!(&error, TokensError::TokenizerFile { id, .. } if id == "mine"));
    error.to_string().strip_prefix("tokenizer file for `mine`: ").unwrap().to_owned()
}

#[test]
fn errors_say_what_is_wrong() {
    for (file, expected) in [
        (&b""[..], "the file is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "Git LFS pointer"),
        (b"<!doctype html>", "web page"),
        (b"GGUF\x03\0\0\0", "GGUF"),
        (b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02", "SentencePiece"),
        (b"{\"model\": ", "not JSON: EOF while parsing a value at line 1 column 10"),
        (b"[1]", "not a JSON object"),
        (b"{\"tokenizer_class\": \"LlamaTokenizer\"}", "tokenizer_config.json"),
        (b"{\"model\": 3}", "`model.vocab` is missing"),
        (b"{\"model\": {\"vocab\": \"a\"}}", "`model.vocab` is neither"),
        (b"{\"model\": {\"type\": \"Runes\", \"vocab\": {\"a\": 0}}}", "`model.type` \"Runes\" is none of"),
        (
            br#"{"normalizer": {"type": "Shout"}, "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}"#,
            "cannot use `normalizer` of type \"Shout\"",
        ),
        (
            br#"{"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Whitespace"}, {"type": "Tear"}]},
                "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}"#,
            "cannot use `pre_tokenizer.pretokenizers[1]` of type \"Tear\"",
        ),
        (
            br#"{"normalizer": {"type": "Sequence", "normalizers": [{"type": "Precompiled", "precompiled_charsmap": "?"}]},
                "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}"#,
            "cannot use a `normalizer` of type \"Precompiled\"",
        ),
        (
            br#"{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}"#,
            "cannot use `model` of type \"BPE\"",
        ),
        (
            br#"{"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"}}"#,
            "WordLevel error: Missing [UNK] token",
        ),
    ] {
        let error = error(file);
        assert!(error.contains(expected), "{error:?} does not say {expected:?}");
    }
}

#[test]
fn a_cut_file_is_an_error() {
    for (_, file) in &*FILES {
        for part in 1..20 {
            error(&file.as_bytes()[..file.len() * part / 20]);
        }
    }
}

/// Every place in a JSON value, as the numbers of the steps to it.
fn damage(value: &mut Value, steps: &mut impl Iterator<Item = usize>, by: Value) {
    let step = steps.next().unwrap_or(0);
    let next = match value {
        Value::Object(fields) if !fields.is_empty() => {
            let nth = step % fields.len();
            fields.values_mut().nth(nth)
        }
        Value::Array(items) if !items.is_empty() => {
            let nth = step % items.len();
            items.get_mut(nth)
        }
        _ => None,
    };
    match next {
        Some(next) if step % 5 != 4 => damage(next, steps, by),
        _ => *value = by,
    }
}

fn odd_value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        Value::Null,
        Value::Bool(true),
        (-1).into(),
        4_294_967_296_u64.into(),
        1e300.into(),
        "".into(),
        "(".into(),
        "[UNK]".into(),
        Value::Array(vec![]),
        serde_json::json!({}),
        serde_json::json!([["a", "b", "c"]]),
        serde_json::json!({"type": "Sequence", "pretokenizers": [], "normalizers": []}),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        // The others depend on the version of Unicode when they normalise, and so on the implementation.
        assert_same(&PAIRS[..3], &text);
    }

    /// A file with something odd in it is refused or counts; it never panics.
    #[test]
    fn damaged_files_do_not_panic(
        file in 0..5usize,
        steps in prop::collection::vec(0..10_000usize, 6),
        by in odd_value(),
    ) {
        let mut value: Value = serde_json::from_str(&FILES[file].1).unwrap();
        damage(&mut value, &mut steps.into_iter(), by);
        if let Ok(counter) = HfCounter::from_bytes("odd", value.to_string().as_bytes(), SpecialText::Ordinary) {
            counter.count("Rain on the 盐市 <|im_end|> 😀\n\n");
        }
    }
}
