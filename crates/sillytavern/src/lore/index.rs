//! All keys of a book in one index, so that a text is read once whatever the number of keys.

use std::collections::HashMap;

use daachorse::CharwiseDoubleArrayAhoCorasick;

use super::key_regex::{Answer, KeyRegex};
use super::matcher::{self, KeyForm};

/// The number of a pattern within its book.
pub(crate) type PatternId = u32;

/// How a key is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// Never found.
    Never,
    /// Always found.
    Always,
    /// Found where the pattern is found in one part of the text.
    Part(PatternId),
    /// Must be tested on the whole text, because it may look over the border between parts.
    Whole(u32),
}

/// Where a part of the text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PartKind {
    /// A message, card text or injection: a separator stands before it.
    Framed,
    /// An entry's content: others may stand next to it, with a line feed between.
    Content,
}

/// What the index found in one part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PartHits {
    /// Patterns found, ascending.
    pub(crate) hits: Box<[PatternId]>,
    /// Patterns whose answer depends on what stands next to the part.
    pub(crate) unsure: Box<[PatternId]>,
    /// Patterns whose search was given up.
    pub(crate) exhausted: Box<[PatternId]>,
}

impl PartHits {
    #[cfg(test)]
    fn has(&self, pattern: PatternId) -> bool {
        self.hits.binary_search(&pattern).is_ok()
    }
}

/// The index of a book's keys. Immutable once built.
#[derive(Debug, Default)]
pub(crate) struct KeyIndex {
    folded: Words,
    exact: Words,
    regexes: Vec<PartRegex>,
    /// For each pattern that is a literal of regexes: those to try when it is found.
    by_literal: HashMap<PatternId, Vec<u32>>,
    /// Regexes without literals.
    always_tried: Vec<u32>,
    /// Keys that need the whole text.
    pub(crate) wholes: Vec<WholeKey>,
    patterns: u32,
}

/// A regex that can be tested part by part.
#[derive(Debug)]
struct PartRegex {
    pattern: PatternId,
    regex: KeyRegex,
    form: KeyForm,
    literals: Vec<PatternId>,
}

/// A key that must be tested on the whole text.
#[derive(Debug)]
pub(crate) struct WholeKey {
    pub(crate) form: KeyForm,
    /// Patterns that must all be found for it to have a chance.
    pub(crate) literals: Vec<PatternId>,
}

/// Plain texts of one case rule.
#[derive(Default)]
struct Words {
    texts: Vec<Box<str>>,
    slots: Vec<Slot>,
    automaton: Option<CharwiseDoubleArrayAhoCorasick<u32>>,
}

/// The patterns that one text stands for.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    anywhere: Option<PatternId>,
    whole_word: Option<PatternId>,
}

impl KeyIndex {
    /// How many patterns there are.
    pub(crate) fn len(&self) -> usize {
        self.patterns as usize
    }

    /// Reads one part.
    pub(crate) fn read(&self, text: &str, kind: PartKind) -> PartHits {
        let mut hits = Vec::new();
        if !self.folded.texts.is_empty() {
            self.folded.read(&matcher::fold(text), &mut hits);
        }
        self.exact.read(text, &mut hits);
        hits.sort_unstable();
        hits.dedup();
        let (mut unsure, mut exhausted) = (Vec::new(), Vec::new());
        if !self.regexes.is_empty() {
            self.read_regexes(text, kind, &mut hits, &mut unsure, &mut exhausted);
        }
        PartHits { hits: hits.into(), unsure: unsure.into(), exhausted: exhausted.into() }
    }

    fn read_regexes(
        &self,
        text: &str,
        kind: PartKind,
        hits: &mut Vec<PatternId>,
        unsure: &mut Vec<PatternId>,
        exhausted: &mut Vec<PatternId>,
    ) {
        let mut tried: Vec<u32> = self.always_tried.clone();
        for hit in hits.iter() {
            let promising = self.by_literal.get(hit).into_iter().flatten().copied();
            tried.extend(promising.filter(|r| {
                let literals = &self.regexes[*r as usize].literals;
                literals.iter().all(|literal| hits.binary_search(literal).is_ok())
            }));
        }
        if tried.is_empty() {
            return;
        }
        // As much as could stand around the part. Who finds nothing here finds nothing at all.
        let framed = format!("\u{1}{text}\n");
        let mut found = Vec::new();
        for regex in tried {
            let PartRegex { pattern, regex, .. } = &self.regexes[regex as usize];
            match regex.test(&framed) {
                Answer::Hit => {}
                Answer::Miss => continue,
                Answer::Exhausted => {
                    exhausted.push(*pattern);
                    continue;
                }
            }
            let by_itself = match kind {
                PartKind::Framed if regex.reach.newline => regex.test(&framed[..framed.len() - 1]),
                PartKind::Content if regex.reach.newline || regex.reach.control => regex.test(text),
                _ => Answer::Hit,
            };
            match by_itself {
                Answer::Hit => found.push(*pattern),
                Answer::Miss => unsure.push(*pattern),
                Answer::Exhausted => exhausted.push(*pattern),
            }
        }
        hits.extend(found);
        hits.sort_unstable();
    }

    /// The expression behind a pattern, if it is one.
    pub(crate) fn regex_form(&self, pattern: PatternId) -> Option<&KeyForm> {
        // Patterns are numbered in the order in which regexes were added.
        let at = self.regexes.binary_search_by_key(&pattern, |regex| regex.pattern).ok()?;
        Some(&self.regexes[at].form)
    }

    /// Regexes that could match over the line feed between two contents, with their literals.
    pub(crate) fn crossing(&self) -> impl Iterator<Item = (PatternId, &[PatternId])> {
        let crossing = self.regexes.iter().filter(|r| r.regex.reach.newline);
        crossing.map(|r| (r.pattern, r.literals.as_slice()))
    }
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words").field("texts", &self.texts.len()).finish_non_exhaustive()
    }
}

impl Words {
    fn read(&self, text: &str, hits: &mut Vec<PatternId>) {
        let mut found = |slot: Slot, start: usize, end: usize| {
            hits.extend(slot.anywhere);
            if slot.whole_word.is_some() && matcher::is_whole_word(text.as_bytes(), start, end) {
                hits.extend(slot.whole_word);
            }
        };
        match &self.automaton {
            Some(automaton) => {
                for hit in automaton.find_overlapping_iter(text) {
                    found(self.slots[hit.value() as usize], hit.start(), hit.end());
                }
            }
            // The automaton could not be built: slower, and right.
            None => {
                for (needle, slot) in self.texts.iter().zip(&self.slots) {
                    hits.extend(slot.anywhere.filter(|_| text.contains(&**needle)));
                    hits.extend(slot.whole_word.filter(|_| matcher::contains(text, needle, true)));
                }
            }
        }
    }

    fn build(&mut self) {
        let texts = self.texts.iter().zip(0_u32..).map(|(text, i)| (&**text, i));
        if !self.texts.is_empty() {
            self.automaton = CharwiseDoubleArrayAhoCorasick::with_values(texts).ok();
        }
    }
}

/// Collects keys and builds the index.
#[derive(Default)]
pub(crate) struct IndexBuilder {
    index: KeyIndex,
    words: HashMap<(bool, Box<str>), usize>,
    keys: HashMap<(Box<str>, super::matcher::OwnRules), Lookup>,
}

impl IndexBuilder {
    /// Adds a key, which may be one that is there already.
    pub(crate) fn add(&mut self, key: &str, rules: super::matcher::OwnRules) -> Lookup {
        if let Some(known) = self.keys.get(&(key.into(), rules)) {
            return *known;
        }
        let lookup = match KeyForm::new(key, rules) {
            KeyForm::Always => Lookup::Always,
            // It could stand across a separator.
            form @ KeyForm::Plain { .. } if key.contains(['\n', '\u{1}']) => self.add_whole(form, Vec::new()),
            KeyForm::Plain { needle, folded, whole } => Lookup::Part(self.add_word(needle, folded, whole)),
            KeyForm::Regex(regex) => self.add_regex(regex),
        };
        self.keys.insert((key.into(), rules), lookup);
        lookup
    }

    /// Adds a key with blanks at its ends, which may lie in a separator; or an empty one.
    pub(crate) fn add_untrimmed(&mut self, key: &str, rules: super::matcher::OwnRules) -> Lookup {
        match KeyForm::new(key, rules) {
            KeyForm::Always => Lookup::Always,
            form => self.add_whole(form, Vec::new()),
        }
    }

    fn add_word(&mut self, text: Box<str>, folded: bool, whole: bool) -> PatternId {
        let words = if folded { &mut self.index.folded } else { &mut self.index.exact };
        let slot = *self.words.entry((folded, text)).or_insert_with_key(|(_, text)| {
            words.texts.push(text.clone());
            words.slots.push(Slot::default());
            words.texts.len() - 1
        });
        let slot = &mut words.slots[slot];
        let pattern = if whole { &mut slot.whole_word } else { &mut slot.anywhere };
        *pattern.get_or_insert_with(|| {
            self.index.patterns += 1;
            self.index.patterns - 1
        })
    }

    fn add_regex(&mut self, regex: KeyRegex) -> Lookup {
        let literals: Vec<_> = regex.literals.iter().map(|l| self.add_word(l.clone(), true, false)).collect();
        if !regex.reach.is_local() {
            return self.add_whole(KeyForm::Regex(regex), literals);
        }
        let pattern = self.index.patterns;
        self.index.patterns += 1;
        let number = self.index.regexes.len() as u32;
        match literals.first() {
            Some(longest) => self.index.by_literal.entry(*longest).or_default().push(number),
            None => self.index.always_tried.push(number),
        }
        let form = KeyForm::Regex(regex.clone());
        self.index.regexes.push(PartRegex { pattern, regex, form, literals });
        Lookup::Part(pattern)
    }

    fn add_whole(&mut self, form: KeyForm, literals: Vec<PatternId>) -> Lookup {
        self.index.wholes.push(WholeKey { form, literals });
        Lookup::Whole(self.index.wholes.len() as u32 - 1)
    }

    pub(crate) fn build(mut self) -> KeyIndex {
        self.index.folded.build();
        self.index.exact.build();
        self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lore::matcher::OwnRules;

    const ANY: OwnRules = OwnRules { case_sensitive: false, whole_words: false };

    fn pattern(lookup: Lookup) -> PatternId {
        match lookup {
            Lookup::Part(pattern) => pattern,
            other => panic!("{other:?} is not a part pattern"),
        }
    }

    #[test]
    fn one_reading_finds_every_kind_of_key() {
        let mut builder = IndexBuilder::default();
        let plain = pattern(builder.add("ROPE", ANY));
        let whole = pattern(builder.add("rope", OwnRules { whole_words: true, ..ANY }));
        let exact = pattern(builder.add("Rope", OwnRules { case_sensitive: true, ..ANY }));
        let regex = pattern(builder.add(r"/tar+ed\s+rope/i", ANY));
        assert_eq!(builder.add("ROPE", ANY), Lookup::Part(plain));
        assert!(matches!(builder.add("/^rope/", ANY), Lookup::Whole(0)));
        assert!(matches!(builder.add("a\nb", ANY), Lookup::Whole(1)));
        let index = builder.build();
        let read = |text: &str| index.read(text, PartKind::Framed);
        let hits = read("tarred ropes");
        assert!(hits.has(plain) && !hits.has(whole) && !hits.has(exact) && hits.has(regex));
        let hits = read("A Rope.");
        assert!(hits.has(plain) && hits.has(whole) && hits.has(exact) && !hits.has(regex));
    }

    #[test]
    fn a_regex_at_the_edge_of_a_part_is_unsure() {
        let mut builder = IndexBuilder::default();
        let blank_after = pattern(builder.add(r"/rope\s/", ANY));
        let any_before = pattern(builder.add(r"/.sail/", ANY));
        let index = builder.build();
        let message = index.read("a rope", PartKind::Framed);
        assert!(!message.has(blank_after) && message.unsure.contains(&blank_after));
        // A message always has a separator before it, a content may not.
        assert!(index.read("sail", PartKind::Framed).has(any_before));
        assert!(index.read("sail", PartKind::Content).unsure.contains(&any_before));
        assert!(index.read("a rope sail", PartKind::Content).has(blank_after));
    }
}
