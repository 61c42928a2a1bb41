//! Our embedded vocabularies against tiktoken-rs, an implementation that shares no code with ours.
#![allow(clippy::unwrap_used)] // Its helpers are tests too.

mod sample;

use std::sync::LazyLock;

use proptest::prelude::*;
use tavernkit_tokens::{EmbeddedCounter, Encoding, TokenCounter};
use tiktoken_rs::CoreBPE;

/// A vocabulary twice.
struct Pair {
    ours: EmbeddedCounter,
    theirs: CoreBPE,
}

static PAIRS: LazyLock<[Pair; 2]> = LazyLock::new(|| {
    let theirs = [tiktoken_rs::o200k_base().unwrap(), tiktoken_rs::cl100k_base().unwrap()];
    let mut encodings = Encoding::ALL.into_iter();
    theirs.map(|theirs| Pair { ours: EmbeddedCounter::new(encodings.next().unwrap()), theirs })
});

/// The same ids, the same count, and the same answer at every kind of limit.
fn assert_same(text: &str) {
    for Pair { ours, theirs } in &*PAIRS {
        let expected: Vec<u32> = theirs.encode_ordinary(text);
        let encoding = ours.encoding();
        assert_eq!(ours.encode(text), expected, "{encoding} of {text:?}");
        let count = expected.len();
        assert_eq!(ours.count(text), count, "{encoding} of {text:?}");
        assert_eq!(ours.count_up_to(text, count), Some(count), "{encoding} of {text:?}");
        assert_eq!(ours.count_up_to(text, usize::MAX), Some(count), "{encoding} of {text:?}");
        if count > 0 {
            assert_eq!(ours.count_up_to(text, count - 1), None, "{encoding} of {text:?}");
        }
    }
}

#[test]
fn every_script_alone() {
    for script in sample::SCRIPTS {
        assert_same(&script.text(8_000));
    }
}

#[test]
fn all_scripts_mixed() {
    assert_same(&sample::mixed(120_000));
}

#[test]
fn special_token_strings_are_ordinary_text() {
    for text in [
        "<|endoftext|>",
        "<|endofprompt|>",
        "<|fim_prefix|>a<|fim_middle|>b<|fim_suffix|>c",
        "<|im_start|>user\nhi<|im_end|>\n",
        "<|start|>assistant<|channel|>final<|message|>hi<|return|>",
        "text <|endoftext|> text<|endoftext|>",
    ] {
        assert_same(text);
        assert!(PAIRS[0].ours.count(text) > 2, "{text}");
    }
}

#[test]
fn odd_text() {
    for text in [
        "",
        " ",
        "\n",
        "\r\n",
        "\0",
        "\u{feff}bom",
        "a\u{301}e\u{308}\u{323}",
        "\u{200d}\u{200d}\u{fe0f}",
        "İıſK Ǆǅǆ ẞß ŉ ﬁ",
        "don't DON'T don’t 'tis 'S 'ſ we'Re y'all'd've",
        "١٢٣٤٥ ४५६७ Ⅷ² ½ 1234567890",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠀋𡈽 🀄︎",
        "https://example.org/a/b?c=d&e=%20f#g//\n/\r\n///",
        "x\t\ty  z   \n   \n w",
        "\u{85}\u{a0}\u{1680}\u{2028}\u{2029}\u{3000}",
        "\u{e000}\u{10ffff}\u{fffd}\u{fffe}",
        "ไทย ภาษาไทย हिन्दी العربية עברית தமிழ் ქართული ᠮᠣᠩᠭᠣᠯ",
    ] {
        assert_same(text);
    }
}

#[test]
fn long_runs() {
    for unit in ["a", " ", "\n", "ab", "=", "嗚", "🔥", "\t \n", "0"] {
        assert_same(&unit.repeat(3_000));
    }
}

/// Bits of text that meet at the borders where the splitting rules are decided.
fn bit() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\u{a0}",
        "\u{3000}",
        "'",
        "’",
        "'s",
        "'LL",
        "/",
        "//",
        ".",
        "...",
        "-",
        "_",
        "*",
        "\"",
        "，",
        "。",
        "、",
        "「",
        "」",
        "{{",
        "}}",
        "<|",
        "|>",
        "\u{301}",
        "\u{200d}",
        "\u{fe0f}",
        "0",
        "42",
        "2026",
        "a",
        "The",
        "lantern",
        "iPhone",
        "ÉTÉ",
        "ß",
        "ж",
        "Ночь",
        "雨",
        "盐市",
        "ミヅキ",
        "ー",
        "비",
        "등불",
        "😀",
        "👩‍👧",
        "É",
        "ǅ",
        "ʰ",
        "Ⅷ",
        "²",
        "ไทย",
        "हिन्दी",
    ]);
    prop_oneof![8 => fixed.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from), 1 => "[a-zA-Z]{1,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bits_in_any_order(bits in prop::collection::vec(bit(), 0..60)) {
        assert_same(&bits.concat());
    }

    #[test]
    fn any_text(text in any::<String>()) {
        assert_same(&text);
    }

    /// Long enough to be cut by `count_up_to`, whatever stands at the cuts.
    #[test]
    fn cut_text(bits in prop::collection::vec(bit(), 100..600), limit in 0usize..400) {
        let text = bits.concat();
        for Pair { ours, .. } in &*PAIRS {
            let count = ours.count(&text);
            prop_assert_eq!(ours.count_up_to(&text, limit), (count <= limit).then_some(count));
            prop_assert_eq!(ours.count_up_to(&text, count), Some(count));
        }
    }
}
