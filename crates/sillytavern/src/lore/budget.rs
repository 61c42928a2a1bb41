//! Counting texts that grow.
//!
//! SillyTavern counts the whole of a sweep's texts again after each entry. Where the tokeniser is known to count line
//! by line, the sum is the same and only the new line is counted.

use super::input::LoreHost;

/// Texts put one after the other, each with a line feed at its end, and their count.
#[derive(Debug, Default)]
pub(crate) struct GrowingText {
    text: String,
    /// The count of the first so many bytes.
    counted: usize,
    tokens: usize,
}

impl GrowingText {
    /// Adds a text and its line feed.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The count of all that was added.
    pub(crate) fn count(&mut self, host: &mut dyn LoreHost) -> usize {
        if self.counted == self.text.len() {
            return self.tokens;
        }
        let (left, right) = self.text.split_at(self.counted);
        self.tokens = match host.counts_add_up(left, right).filter(|_| !left.is_empty()) {
            Some(constant) => (self.tokens + host.count_tokens(right)).saturating_sub(constant),
            None => host.count_tokens(&self.text),
        };
        self.counted = self.text.len();
        self.tokens
    }
}

/// The texts of earlier sweeps, the latest first.
#[derive(Debug, Default)]
pub(crate) struct EarlierText {
    /// Latest last.
    parts: Vec<String>,
    /// How many parts are counted, and their count.
    counted: usize,
    tokens: usize,
}

impl EarlierText {
    /// Puts a text and a line feed before the others.
    pub(crate) fn push_front(&mut self, text: &str) {
        self.parts.push(format!("{text}\n"));
    }

    /// The count of all texts.
    pub(crate) fn count(&mut self, host: &mut dyn LoreHost) -> usize {
        while self.counted < self.parts.len() {
            let new = &self.parts[self.counted];
            let before = self.counted.checked_sub(1).map(|i| &self.parts[i]);
            let joint = before.and_then(|right| host.counts_add_up(new, right));
            match (before, joint) {
                (None, _) => self.tokens = host.count_tokens(new),
                (_, Some(constant)) => {
                    self.tokens = (self.tokens + host.count_tokens(new)).saturating_sub(constant);
                }
                (_, None) => {
                    let whole: String = self.parts.iter().rev().map(String::as_str).collect();
                    self.tokens = host.count_tokens(&whole);
                    self.counted = self.parts.len();
                    return self.tokens;
                }
            }
            self.counted += 1;
        }
        self.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts words, and knows that lines add up when told so.
    struct Words {
        additive: bool,
        counted_bytes: usize,
    }

    impl LoreHost for Words {
        fn expand(&mut self, text: &str) -> String {
            text.to_owned()
        }
        fn random(&mut self) -> f64 {
            0.0
        }
        fn count_tokens(&mut self, text: &str) -> usize {
            self.counted_bytes += text.len();
            text.split_whitespace().count() + 6
        }
        fn counts_add_up(&self, _: &str, _: &str) -> Option<usize> {
            self.additive.then_some(6)
        }
    }

    #[test]
    fn sums_equal_recounts() {
        let mut bytes = Vec::new();
        for additive in [false, true] {
            let mut host = Words { additive, counted_bytes: 0 };
            let (mut growing, mut earlier) = (GrowingText::default(), EarlierText::default());
            assert_eq!((growing.count(&mut host), earlier.count(&mut host)), (0, 0));
            for i in 1..=20 {
                growing.push("one two");
                earlier.push_front("one two three");
                assert_eq!(growing.count(&mut host), 2 * i + 6);
                assert_eq!(earlier.count(&mut host), 3 * i + 6);
            }
            bytes.push(host.counted_bytes);
        }
        assert!(bytes[1] * 5 < bytes[0], "{bytes:?}");
    }
}
