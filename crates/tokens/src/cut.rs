//! Where a text may be cut so that the counts of its pieces add up to the count of the whole.
//!
//! Both embedded vocabularies first split text by a regular expression and never merge across a split. None of the
//! alternatives of either expression matches a letter or digit followed by a space, a line feed or an ideographic
//! comma or full stop, and none looks behind; so between these two characters there is always a split, whatever stands
//! around them. (A letter may be followed by an apostrophe or by a combining mark: these are not cut points.)

/// The pieces of a text, each at least `size` bytes long but for the last, cut where counts add up.
///
/// Text without any cut point comes out whole: right, only not early.
pub(crate) struct Pieces<'t> {
    rest: &'t str,
    size: usize,
}

impl<'t> Pieces<'t> {
    pub(crate) fn new(text: &'t str, size: usize) -> Self {
        Self { rest: text, size: size.max(1) }
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let (piece, rest) = self.rest.split_at(cut_after(self.rest, self.size));
        self.rest = rest;
        Some(piece)
    }
}

/// The first cut point behind the character at byte `from` or later, or the end of the text.
fn cut_after(text: &str, from: usize) -> usize {
    let from = (from..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let mut ends_word = false;
    for (at, c) in text[from..].char_indices() {
        if ends_word && is_gap(c) {
            return from + at;
        }
        ends_word = is_word(c);
    }
    text.len()
}

/// Characters that surely are `\p{L}` or `\p{N}`.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, 'а'..='я' | 'А'..='Я' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '一'..='龥' | '가'..='힣')
}

/// Characters that never continue a match after a letter or a digit.
fn is_gap(c: char) -> bool {
    matches!(c, ' ' | '\n' | '，' | '。' | '、')
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::{EmbeddedCounter, Encoding, TokenCounter};

    static COUNTERS: LazyLock<[EmbeddedCounter; 2]> =
        LazyLock::new(|| Encoding::ALL.map(EmbeddedCounter::new));

    /// What stands at cut points and what could be mistaken for one.
    fn bit() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            " ", "  ", "\n", "\r", "\t", "\u{3000}", "'", "'s", "'t", "'Re", "’", "/", ".", "-", "，", "。",
            "、", "「", "\u{301}", "\u{3099}", "\u{fe0f}", "1", "2026", "a", "The", "don", "it", "É", "ж",
            "Ночь", "ё", "雨", "盐", "ミ", "ー", "・", "か", "비", "불", "😀", "ʰ", "²",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

        /// Cut wherever a cut is allowed: the counts add up.
        #[test]
        fn counts_of_pieces_add_up(bits in prop::collection::vec(bit(), 0..24)) {
            let text = bits.concat();
            for counter in &*COUNTERS {
                let sum: usize = Pieces::new(&text, 1).map(|piece| counter.count(piece)).sum();
                prop_assert_eq!(sum, counter.count(&text), "{} of {:?}", counter.id(), text);
            }
        }
    }

    fn pieces(text: &str, size: usize) -> Vec<&str> {
        Pieces::new(text, size).collect()
    }

    #[test]
    fn cuts_between_a_word_and_a_gap() {
        assert_eq!(pieces("one two three", 1), ["one", " two", " three"]);
        assert_eq!(pieces("雨，停了。好\n", 1), ["雨，停了", "。好", "\n"]);
        assert_eq!(pieces("one two three", 5), ["one two", " three"]);
    }

    #[test]
    fn leaves_the_rest_whole() {
        assert_eq!(pieces("it's", 1), ["it's"]);
        assert_eq!(pieces("-- -- --", 1), ["-- -- --"]);
        assert_eq!(pieces("a", 100), ["a"]);
        assert!(pieces("", 4).is_empty());
    }
}
