//! The text that is scanned for an entry, and the test of one key.

use tavernkit_sillytavern::lore::*;

use super::{Item, ItemRef};

pub struct Buffer<'a> {
    settings: &'a LoreSettings,
    input: &'a ScanInput<'a>,
    messages: Vec<String>,
    recursion: Vec<String>,
    skew: i64,
}

impl<'a> Buffer<'a> {
    pub fn new(settings: &'a LoreSettings, input: &'a ScanInput<'a>) -> Self {
        let count = input.messages.len().min(1000);
        let messages = (0..count).map(|i| input.scan_text(i, settings.include_names).into_owned()).collect();
        Self { settings, input, messages, recursion: Vec::new(), skew: 0 }
    }

    pub fn depth(&self) -> i64 {
        self.settings.depth + self.skew
    }

    pub fn advance(&mut self) {
        self.skew += 1;
    }

    pub fn has_recursion(&self) -> bool {
        !self.recursion.is_empty()
    }

    pub fn add_recursion(&mut self, text: String) {
        self.recursion.push(text);
    }

    pub fn text(&self, item: &ItemRef, state: ScanState) -> String {
        let depth = item.entry.scan_depth.map_or(self.depth(), |depth| depth as i64);
        if depth <= 0 {
            return String::new();
        }
        let depth = depth.min(1000).min(self.messages.len() as i64) as usize;
        let mut parts = vec![self.messages[..depth].join("\n\u{1}")];
        for source in Source::ALL {
            let text = self.input.sources.get(source);
            if item.entry.sources.contains(source) && !text.is_empty() {
                parts.push(text.to_owned());
            }
        }
        parts.extend(
            self.input.injected.iter().filter(|text| !text.is_empty()).map(|text| (*text).to_owned()),
        );
        if state != ScanState::MinActivations {
            parts.extend(self.recursion.iter().cloned());
        }
        format!("\u{1}{}", parts.join("\n\u{1}"))
    }

    pub fn matches(&self, text: &str, key: &str, item: &Item) -> bool {
        if let Some(hit) = regex_key(key).and_then(|(pattern, flags)| test(pattern, flags, text)) {
            return hit;
        }
        let sensitive = item.entry.case_sensitive.unwrap_or(self.settings.case_sensitive);
        let fold = |text: &str| if sensitive { text.to_owned() } else { text.to_lowercase() };
        let (text, key) = (fold(text), fold(key));
        let whole = item.entry.match_whole_words.unwrap_or(self.settings.match_whole_words);
        if !whole || key.contains(tavernkit_core::number::is_js_space) {
            return text.contains(&key);
        }
        if key.is_empty() {
            return true;
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (0..text.len()).filter(|i| text.is_char_boundary(*i) && text[*i..].starts_with(&key)).any(|i| {
            !text[..i].chars().next_back().is_some_and(is_word)
                && !text[i + key.len()..].chars().next().is_some_and(is_word)
        })
    }

    /// How many keys match, for groups that keep score.
    pub fn score(&self, item: &ItemRef, state: ScanState) -> usize {
        let e = &item.entry;
        if e.keys.is_empty() {
            return 0;
        }
        let text = self.text(item, state);
        let hits = |keys: &[String]| keys.iter().filter(|key| self.matches(&text, key, item)).count();
        let (primary, secondary) = (hits(&e.keys), hits(&e.secondary_keys));
        if e.secondary_keys.is_empty() {
            return primary;
        }
        match e.logic {
            Some(SelectiveLogic::AndAny) => primary + secondary,
            Some(SelectiveLogic::AndAll) if secondary == e.secondary_keys.len() => primary + secondary,
            _ => primary,
        }
    }
}

/// Splits `/pattern/flags` at the first slash after which only flags follow.
fn regex_key(key: &str) -> Option<(&str, &str)> {
    let body = key.strip_prefix('/')?;
    let ends = |(i, _): &(usize, &str)| *i > 0 && body[i + 1..].chars().all(|c| "gimsuy".contains(c));
    let (end, _) = body.match_indices('/').find(ends)?;
    let pattern = &body[..end];
    let bytes = pattern.as_bytes();
    let bare = (0..bytes.len()).any(|i| bytes[i] == b'/' && (i == 0 || bytes[i - 1] != b'\\'));
    (!bare).then_some((pattern, &body[end + 1..]))
}

/// `None` when the pattern or the flags are invalid.
fn test(pattern: &str, flags: &str, text: &str) -> Option<bool> {
    let regex = tavernkit_js::regex::Regex::new(pattern, flags).ok()?;
    let mut fuel = tavernkit_js::regex::Fuel::new(1_000_000 + 64 * text.len() as u64);
    Some(regex.is_match(text, &mut fuel).unwrap_or(false))
}
