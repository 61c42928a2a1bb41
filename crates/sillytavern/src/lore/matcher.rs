//! One key against one text, by SillyTavern's rules.

use std::borrow::Cow;

use tavernkit_core::number::is_js_space;

use super::key_regex::KeyRegex;

/// A key whose form is known: what it looks for and how.
#[derive(Debug, Clone)]
pub(crate) enum KeyForm {
    /// Found in every text.
    Always,
    /// A piece of text. It is folded already when case does not count.
    Plain { needle: Box<str>, folded: bool, whole: bool },
    /// A regular expression, tested on the text as it is.
    Regex(KeyRegex),
}

/// The rules that hold for one entry's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OwnRules {
    pub(crate) case_sensitive: bool,
    pub(crate) whole_words: bool,
}

impl KeyForm {
    /// Reads a key: `/pattern/flags` when that is valid, else plain text. White space around it counts here.
    pub(crate) fn new(key: &str, rules: OwnRules) -> Self {
        if let Some(regex) = split_regex(key).and_then(|(pattern, flags)| KeyRegex::new(pattern, flags)) {
            return Self::Regex(regex);
        }
        let folded = !rules.case_sensitive;
        let needle: Box<str> = if folded { fold(key).into() } else { key.into() };
        if needle.is_empty() {
            return Self::Always;
        }
        let whole = rules.whole_words && !needle.contains(is_js_space);
        Self::Plain { needle, folded, whole }
    }
}

/// Splits `/pattern/flags` at the first slash after which only flags follow. A bare slash in the pattern makes it text.
pub(crate) fn split_regex(key: &str) -> Option<(&str, &str)> {
    let body = key.strip_prefix('/')?;
    // Flags hold no slash, so the closing slash is the last one.
    let is_flag = |b: &u8| b"gimsuy".contains(b);
    let flags = body.bytes().rev().take_while(is_flag).count();
    let end = body.len() - flags;
    let end = end.checked_sub(1).filter(|end| body.as_bytes()[*end] == b'/')?;
    let pattern = &body[..end];
    let bytes = pattern.as_bytes();
    let bare = (0..end).any(|i| bytes[i] == b'/' && (i == 0 || bytes[i - 1] != b'\\'));
    (end > 0 && !bare).then_some((pattern, &body[end + 1..]))
}

/// Lower case, as JavaScript's `toLowerCase` has it.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        return Cow::Owned(text.to_lowercase());
    }
    if text.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether the bytes at both ends of a hit are no ASCII word characters.
pub(crate) fn is_whole_word(text: &[u8], start: usize, end: usize) -> bool {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let before = start.checked_sub(1).and_then(|i| text.get(i));
    !before.is_some_and(is_word) && !text.get(end).is_some_and(is_word)
}

/// Whether plain text is in a text, folded alike.
pub(crate) fn contains(text: &str, needle: &str, whole: bool) -> bool {
    if !whole {
        return text.contains(needle);
    }
    // Hits may overlap, so the search goes on one character after the start of each.
    let mut from = 0;
    while let Some(at) = text[from..].find(needle) {
        let start = from + at;
        if is_whole_word(text.as_bytes(), start, start + needle.len()) {
            return true;
        }
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regex_key_closes_at_the_first_slash_with_only_flags_after_it() {
        assert_eq!(split_regex("/ro(pe|ad)/"), Some(("ro(pe|ad)", "")));
        assert_eq!(split_regex("/rope/gi"), Some(("rope", "gi")));
        assert_eq!(split_regex(r"/a\/b/"), Some((r"a\/b", "")));
        assert_eq!(split_regex("/a/b/"), None);
        assert_eq!(split_regex("//"), None);
        assert_eq!(split_regex("///"), None);
        assert_eq!(split_regex("/rope/x"), None);
        assert_eq!(split_regex("/rope"), None);
        assert_eq!(split_regex("rope/g"), None);
        // The escaped slash closes it, and the pattern is then invalid.
        assert_eq!(split_regex(r"/a\/i"), Some((r"a\", "i")));
    }

    #[test]
    fn word_characters_are_ascii() {
        assert!(contains("灯塔", "灯", true) && contains("море", "мор", true));
        assert!(contains("un été", "été", true));
        assert!(!contains("anchors", "anchor", true) && !contains("_anchor", "anchor", true));
        assert!(contains("anchors anchor", "anchor", true));
        assert!(contains("aXaa a!a", "a!a", true));
        assert!(!contains("aaaa", "aa", true));
    }

    #[test]
    fn keys_with_blanks_are_substrings() {
        let rules = OwnRules { case_sensitive: false, whole_words: true };
        assert!(matches!(KeyForm::new("Old Rope", rules), KeyForm::Plain { whole: false, folded: true, .. }));
        assert!(matches!(KeyForm::new("rope", rules), KeyForm::Plain { whole: true, .. }));
        assert!(matches!(KeyForm::new("", rules), KeyForm::Always));
        assert!(matches!(KeyForm::new("/bad(/", rules), KeyForm::Plain { .. }));
        assert!(matches!(KeyForm::new("/ok/i", rules), KeyForm::Regex(_)));
    }

    #[test]
    fn folding_is_unicode_lower_case() {
        assert_eq!(fold("МОРЕ"), "море");
        assert_eq!(fold("İ"), "i\u{307}");
        assert_eq!(fold("ΟΔΟΣ"), "οδος");
        assert!(matches!(fold("plain"), Cow::Borrowed(_)));
    }
}
