//! Keys that cannot match, or match something else than meant.

use super::super::key::KeyForm;
use super::{Lint, LoreEntry, Rule, Severity};

pub(super) fn check(entry: &LoreEntry, lint: &mut Lint<'_, '_>) {
    if entry.constant {
        // Keys do not matter then.
        return;
    }
    let secondary = entry.selective.then_some(&entry.keysecondary).into_iter().flatten();
    for key in entry.key.iter().chain(secondary) {
        check_key(entry, key, lint);
    }
}

fn check_key(entry: &LoreEntry, key: &str, lint: &mut Lint<'_, '_>) {
    if key.is_empty() {
        lint.say(Rule::BlankKey, Severity::Warning, entry, Some(key), "an empty key is skipped");
        return;
    }
    if key.contains("{{") {
        // Macros decide what the key is.
        return;
    }
    let trimmed = key.trim();
    if trimmed.is_empty() {
        let message = "a key of blanks matches every text; remove it, or make the entry constant";
        lint.say(Rule::BlankKey, Severity::Warning, entry, Some(key), message);
        return;
    }
    match KeyForm::of(trimmed) {
        KeyForm::Broken(error) => {
            let message =
                format!("not a valid regular expression ({error}), so it is looked for as it is written");
            lint.say(Rule::InvalidRegex, Severity::Error, entry, Some(key), message);
        }
        KeyForm::AlmostRegex if trimmed.len() > 1 && trimmed[1..].contains('/') => {
            let message = "looks like a regular expression but is none: only the flags g i m s u y may follow the last slash, and slashes inside need a backslash";
            lint.say(Rule::InvalidRegex, Severity::Warning, entry, Some(key), message);
        }
        KeyForm::AlmostRegex => {}
        KeyForm::Regex { pattern, flags, .. } => check_anchors(entry, key, &pattern, &flags, lint),
        KeyForm::Plain => check_whole_word(entry, key, trimmed, lint),
    }
}

/// The scanned text begins with a control character, and so does every message in it.
fn check_anchors(entry: &LoreEntry, key: &str, pattern: &str, flags: &str, lint: &mut Lint<'_, '_>) {
    if flags.contains('y') {
        let message = "with the flag y the expression must match at the very start of the scanned text, where there is a control character";
        lint.say(Rule::KeyNeverMatches, Severity::Error, entry, Some(key), message);
        return;
    }
    if has_alternatives(pattern) {
        return;
    }
    let wants_control = pattern.contains("\\x01") || pattern.contains("\\u0001") || pattern.contains("\\c");
    if pattern.starts_with('^') && !flags.contains('m') && !wants_control && is_anchor(pattern) {
        let message = "^ stands for the very start of the scanned text, where there is a control character; leave it out";
        lint.say(Rule::KeyNeverMatches, Severity::Error, entry, Some(key), message);
    } else if pattern.ends_with('$') && !pattern.ends_with("\\$") && !flags.contains('m') {
        let message = "$ stands for the end of all scanned text, not of each message; add the flag m for the end of a line";
        lint.say(Rule::KeyMatchesLess, Severity::Hint, entry, Some(key), message);
    }
}

/// Whether a leading `^` must match: nothing makes it optional.
fn is_anchor(pattern: &str) -> bool {
    !matches!(pattern.as_bytes().get(1), Some(b'*' | b'?' | b'{'))
}

/// Whether there is a `|` outside of groups and classes.
fn has_alternatives(pattern: &str) -> bool {
    let (mut depth, mut in_class, mut escaped) = (0usize, false, false);
    for c in pattern.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth = depth.saturating_sub(1),
            '|' if !in_class && depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// Whole words end at anything but ASCII letters, digits and `_`; so they also end inside words of other scripts.
fn check_whole_word(entry: &LoreEntry, key: &str, trimmed: &str, lint: &mut Lint<'_, '_>) {
    let whole = entry.match_whole_words.unwrap_or(lint.options.match_whole_words);
    if !whole || trimmed.contains(char::is_whitespace) {
        return;
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let first = trimmed.chars().next().filter(|c| !is_word(*c) && !c.is_alphabetic());
    let last = trimmed.chars().next_back().filter(|c| !is_word(*c) && !c.is_alphabetic());
    if let Some(edge) = last.or(first) {
        let message = format!(
            "with whole words on, the {edge:?} at the edge must have a blank or sign beside it, so the key is not found next to a letter or digit"
        );
        lint.say(Rule::KeyMatchesLess, Severity::Hint, entry, Some(key), message);
    }
}
