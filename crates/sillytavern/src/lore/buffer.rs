//! The text that is scanned, as parts, and where in it each pattern was found.
//!
//! The text for an entry is a choice of parts: the newest messages up to a depth, the card texts it asks for, all
//! injections, and the contents of entries that became active. So for each pattern it is enough to know the newest
//! message it is in, and which of the other kinds of parts.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::cache::LoreCache;
use super::compile::MAX_DEPTH;
use super::entry::Source;
use super::index::{PartHits, PartKind, PatternId};
use super::input::ScanInput;
use super::key_regex::Answer;
use super::matcher::{self, KeyForm};
use super::reason::Place;
use super::set::LoreSet;

/// Which parts an entry is matched against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct View {
    /// How many messages; 0 is no text at all.
    pub(crate) depth: i64,
    /// The card texts it asks for.
    pub(crate) sources: u8,
    /// Whether contents of active entries are in it.
    pub(crate) recursion: bool,
}

const INJECTED: u8 = 1 << 6;
const RECURSION: u8 = 1 << 7;
const NOWHERE: u16 = u16::MAX;

/// Where the patterns of one book were found so far.
#[derive(Debug)]
struct Found {
    /// The newest message with the pattern.
    message: Vec<u16>,
    /// Other kinds of parts with the pattern, as bits.
    elsewhere: Vec<u8>,
    /// Patterns that depend on what stands next to some part.
    unsure: BTreeSet<PatternId>,
}

/// The scanned text of one scan.
pub(crate) struct Buffer<'a> {
    set: &'a LoreSet,
    input: &'a ScanInput<'a>,
    /// The messages that some view has seen, newest first.
    messages: Vec<Cow<'a, str>>,
    include_names: bool,
    recursion: Vec<String>,
    found: Vec<Found>,
    /// Whole texts by view, plain and folded; and answers on them. Emptied when the text grows.
    texts: HashMap<(View, bool), Arc<str>>,
    answers: HashMap<(View, *const KeyForm), Answer>,
    /// Entries to look at because of what was found, in no order, with repetitions.
    pub(crate) touched: Vec<u32>,
    /// Keys whose search was given up, by book and pattern.
    pub(crate) exhausted: BTreeSet<(u32, PatternId)>,
}

impl<'a> Buffer<'a> {
    /// Reads messages down to `depth` or deeper if an entry asks, card texts and injections.
    pub(crate) fn new(
        set: &'a LoreSet,
        input: &'a ScanInput<'a>,
        include_names: bool,
        depth: i64,
        cache: &mut LoreCache,
    ) -> Self {
        let deepest = set.books.iter().map(|book| book.max_depth).fold(depth, i64::max);
        let found = |patterns: usize| Found {
            message: vec![NOWHERE; patterns],
            elsewhere: vec![0; patterns],
            unsure: BTreeSet::new(),
        };
        let mut buffer = Self {
            set,
            input,
            messages: Vec::new(),
            include_names,
            recursion: Vec::new(),
            found: set.books.iter().map(|book| found(book.index.len())).collect(),
            texts: HashMap::new(),
            answers: HashMap::new(),
            touched: Vec::new(),
            exhausted: BTreeSet::new(),
        };
        buffer.read_messages(deepest);
        for (b, book) in set.books.iter().enumerate() {
            let deepest = depth.max(book.max_depth).clamp(1, buffer.messages.len() as i64) as usize;
            for i in 0..deepest {
                let hits = cache.hits(book, &buffer.messages[i], PartKind::Framed);
                buffer.note_message(b, i, &hits);
            }
            for source in Source::ALL {
                let (bit, text) = (1 << source as u8, input.sources.get(source));
                if book.sources & bit != 0 && !text.is_empty() {
                    let hits = cache.hits(book, text, PartKind::Framed);
                    buffer.note(b, bit, &hits);
                }
            }
            for text in input.injected.iter().filter(|text| !text.is_empty()) {
                let hits = cache.hits(book, text, PartKind::Framed);
                buffer.note(b, INJECTED, &hits);
            }
        }
        buffer.touched.clear();
        buffer
    }

    /// Makes sure that `depth` messages are there, if the chat has them.
    fn read_messages(&mut self, depth: i64) {
        let wanted = depth.clamp(1, MAX_DEPTH) as usize;
        let have = self.messages.len();
        let more = (have..wanted.min(self.input.messages.len()))
            .map(|i| self.input.scan_text(i, self.include_names));
        self.messages.extend(more);
        if self.messages.is_empty() {
            // The separator before the messages stands there even without any.
            self.messages.push(Cow::Borrowed(""));
        }
    }

    fn note_message(&mut self, book: usize, message: usize, hits: &PartHits) {
        let found = &mut self.found[book];
        for pattern in &hits.hits {
            let first = &mut found.message[*pattern as usize];
            *first = (*first).min(message as u16);
        }
        self.note_rest(book, hits);
    }

    /// Notes hits in a part that is no message, and who may be touched by them.
    fn note(&mut self, book: usize, bit: u8, hits: &PartHits) {
        for pattern in &hits.hits {
            self.note_pattern(book, bit, *pattern);
        }
        self.note_rest(book, hits);
    }

    fn note_pattern(&mut self, book: usize, bit: u8, pattern: PatternId) {
        let elsewhere = &mut self.found[book].elsewhere[pattern as usize];
        if *elsewhere & bit == 0 {
            *elsewhere |= bit;
            self.touch(book, pattern);
        }
    }

    fn note_rest(&mut self, book: usize, hits: &PartHits) {
        if !hits.unsure.is_empty() {
            self.found[book].unsure.extend(hits.unsure.iter().copied());
        }
        self.exhausted.extend(hits.exhausted.iter().map(|pattern| (book as u32, *pattern)));
    }

    fn touch(&mut self, book: usize, pattern: PatternId) {
        let users = self.set.books[book].users.of_pattern(pattern);
        self.touched.extend(users.iter().map(|entry| self.set.places[book][*entry as usize]));
    }

    /// Lets one more message into the views that follow the global depth, which was `depth`.
    pub(crate) fn deepen(&mut self, depth: i64, cache: &mut LoreCache) {
        self.forget_texts();
        self.read_messages(depth + 1);
        let Some(text) = usize::try_from(depth).ok().and_then(|depth| self.messages.get(depth)).cloned()
        else {
            return;
        };
        for b in 0..self.set.books.len() {
            let hits = cache.hits(&self.set.books[b], &text, PartKind::Framed);
            self.note_message(b, depth as usize, &hits);
            for pattern in &hits.hits {
                // Found in a newer message: seen already.
                if i64::from(self.found[b].message[*pattern as usize]) == depth {
                    self.touch(b, *pattern);
                }
            }
        }
    }

    /// Adds the contents of entries that became active, given by place and text, as one part; returns its text.
    pub(crate) fn add_recursion(&mut self, contents: &[(u32, &str)], cache: &mut LoreCache) -> &str {
        self.forget_texts();
        let whole = contents.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n");
        for b in 0..self.set.books.len() {
            let book = self.set.books[b].clone();
            for (place, text) in contents {
                let own = self.set.order[*place as usize];
                let as_written = &self.set.compiled(*place).entry.content;
                if own.book as usize == b && as_written == text {
                    // Known since the book was compiled.
                    self.note(b, RECURSION, &book.contents[own.entry as usize]);
                } else {
                    let hits = cache.hits(&book, text, PartKind::Content);
                    self.note(b, RECURSION, &hits);
                }
            }
            if contents.len() > 1 {
                self.note_crossing(b, &whole, cache);
            }
        }
        self.recursion.push(whole);
        self.recursion.last().map_or("", String::as_str)
    }

    /// Expressions that may match from one content into the next are tested on all of them together.
    fn note_crossing(&mut self, b: usize, whole: &str, cache: &mut LoreCache) {
        let book = self.set.books[b].clone();
        let found = &self.found[b];
        let seen = |pattern: PatternId| found.elsewhere[pattern as usize] & RECURSION != 0;
        let promising = book.index.crossing().filter(|(pattern, literals)| {
            !seen(*pattern)
                && !found.unsure.contains(pattern)
                && literals.iter().all(|literal| seen(*literal))
        });
        let promising: Vec<PatternId> = promising.map(|(pattern, _)| pattern).collect();
        if promising.is_empty() {
            return;
        }
        let hits = cache.hits(&book, whole, PartKind::Content);
        for pattern in promising {
            if hits.hits.binary_search(&pattern).is_ok() {
                self.note_pattern(b, RECURSION, pattern);
            }
        }
        self.note_rest(b, &hits);
    }

    pub(crate) fn has_recursion(&self) -> bool {
        !self.recursion.is_empty()
    }

    fn forget_texts(&mut self) {
        self.texts.clear();
        self.answers.clear();
    }

    /// Whether a pattern is in the view, so far as single parts tell.
    pub(crate) fn is_found(&self, book: usize, pattern: PatternId, view: View) -> bool {
        let found = &self.found[book];
        let kinds = view.sources | INJECTED | if view.recursion { RECURSION } else { 0 };
        view.depth > 0
            && (i64::from(found.message[pattern as usize]) < view.depth
                || found.elsewhere[pattern as usize] & kinds != 0)
    }

    /// Whether a pattern may be in the view although no single part has it.
    pub(crate) fn is_unsure(&self, book: usize, pattern: PatternId) -> bool {
        self.found[book].unsure.contains(&pattern)
    }

    pub(crate) fn has_unsure(&self) -> bool {
        self.found.iter().any(|found| !found.unsure.is_empty())
    }

    /// The entries whose keys depend on what stands next to some part.
    pub(crate) fn unsure_users(&self) -> impl Iterator<Item = u32> {
        self.found.iter().enumerate().flat_map(move |(b, found)| {
            let users = found.unsure.iter().flat_map(move |p| self.set.books[b].users.of_pattern(*p));
            users.map(move |entry| self.set.places[b][*entry as usize])
        })
    }

    /// The parts of a view but for contents, with their places.
    pub(crate) fn parts(&self, view: View) -> impl Iterator<Item = (Place, &str)> {
        let depth = (view.depth.max(0) as usize).min(self.messages.len());
        let some = usize::from(view.depth > 0);
        let messages = self.messages[..depth].iter().enumerate();
        let messages = messages.map(|(index, text)| (Place::Message { index }, &**text));
        let asked = Source::ALL.into_iter().filter(move |source| view.sources & 1 << *source as u8 != 0);
        let sources = asked.map(|source| (Place::Source { source }, self.input.sources.get(source)));
        let injected = self.input.injected.iter().enumerate();
        let injected = injected.map(|(index, text)| (Place::Injected { index }, *text));
        let others = sources.chain(injected).filter(|(_, text)| !text.is_empty());
        messages.chain(others.take(some * usize::MAX))
    }

    /// Tests a key on the whole text of a view.
    pub(crate) fn test_whole(&mut self, form: &KeyForm, view: View) -> Answer {
        let id = (view, std::ptr::from_ref(form));
        if let Some(answer) = self.answers.get(&id) {
            return *answer;
        }
        let as_answer = |hit: bool| if hit { Answer::Hit } else { Answer::Miss };
        let answer = match form {
            KeyForm::Always => Answer::Hit,
            KeyForm::Plain { needle, folded, whole } => {
                as_answer(matcher::contains(&self.text(view, *folded), needle, *whole))
            }
            KeyForm::Regex(regex) => regex.test(&self.text(view, false)),
        };
        self.answers.insert(id, answer);
        answer
    }

    /// The whole text of a view.
    fn text(&mut self, view: View, folded: bool) -> Arc<str> {
        if let Some(text) = self.texts.get(&(view, folded)) {
            return text.clone();
        }
        let text: Arc<str> = if folded {
            let plain = self.text(view, false);
            match matcher::fold(&plain) {
                Cow::Borrowed(_) => plain,
                Cow::Owned(folded) => folded.into(),
            }
        } else if view.depth <= 0 {
            "".into()
        } else {
            let depth = (view.depth as usize).min(self.messages.len());
            let mut text = String::from("\u{1}");
            text.push_str(&self.messages[..depth].join("\n\u{1}"));
            let mut add = |part: &str| {
                text.push_str("\n\u{1}");
                text.push_str(part);
            };
            let asked = Source::ALL.into_iter().filter(|source| view.sources & 1 << *source as u8 != 0);
            asked.map(|s| self.input.sources.get(s)).filter(|text| !text.is_empty()).for_each(&mut add);
            self.input.injected.iter().copied().filter(|text| !text.is_empty()).for_each(&mut add);
            if view.recursion {
                self.recursion.iter().map(String::as_str).for_each(&mut add);
            }
            text.into()
        };
        self.texts.insert((view, folded), text.clone());
        text
    }
}
