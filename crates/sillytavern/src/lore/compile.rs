//! A lorebook made ready for scanning: once per content, shared by any number of scans and threads.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use tavernkit_core::number::is_js_space;

use super::book::Book;
use super::entry::Entry;
use super::index::{IndexBuilder, KeyIndex, Lookup, PartHits, PartKind};
use super::input::may_change;
use super::matcher::OwnRules;
use super::settings::KeyRules;

/// A compiled lorebook. Immutable; hold it in an `Arc`.
///
/// The hits of every content are found once and kept in it, so that recursion is a walk from entry to entry.
#[derive(Debug)]
pub struct CompiledBook {
    name: String,
    id: BookId,
    rules: KeyRules,
    pub(crate) entries: Vec<CompiledEntry>,
    pub(crate) index: KeyIndex,
    /// What the index finds in each content as it stands in the file; found when first asked for, because most entries of a large
    /// book are never active and expressions are dear.
    contents: Vec<OnceLock<PartHits>>,
    /// For each pattern, the entries that have it as a key.
    pub(crate) users: Users,
    /// Entries by descending order.
    pub(crate) by_order: Vec<u32>,
    /// The deepest scan depth that an entry asks for.
    pub(crate) max_depth: i64,
    /// All sources that entries ask for.
    pub(crate) sources: u8,
    hashes: OnceLock<Vec<u64>>,
}

/// Names the content of a compiled book: equal ids, equal books.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BookId(u64, u64);

/// An entry and its keys.
#[derive(Debug)]
pub(crate) struct CompiledEntry {
    pub(crate) entry: Entry,
    pub(crate) keys: Box<[CompiledKey]>,
    pub(crate) secondary: Box<[CompiledKey]>,
    pub(crate) rules: OwnRules,
    /// Own scan depth.
    pub(crate) depth: Option<i64>,
    /// Must be looked at in every sweep: its keys have macros or need the whole text.
    pub(crate) restless: bool,
    pub(crate) forced: bool,
    pub(crate) stopped: bool,
}

/// A key and how to look it up.
#[derive(Debug)]
pub(crate) struct CompiledKey {
    /// As written.
    pub(crate) raw: Box<str>,
    /// Macros could change it.
    pub(crate) may_change: bool,
    /// For activation: trimmed.
    pub(crate) lookup: Lookup,
    /// For group scores: as written.
    pub(crate) score: Lookup,
}

impl CompiledBook {
    /// Compiles a book. Keys that are invalid as expressions are plain text; nothing fails.
    ///
    /// ```
    /// use tavernkit_sillytavern::lore::{Book, CompiledBook, KeyRules};
    /// let file = serde_json::json!({"entries": {"0": {"uid": 0, "key": ["rope"], "content": "A rope."}}});
    /// let (book, _) = Book::read("Harbour", &file);
    /// let compiled = CompiledBook::compile(book.clone(), KeyRules::default());
    /// assert_eq!(compiled.len(), 1);
    /// assert_eq!(compiled.id(), CompiledBook::compile(book, KeyRules::default()).id());
    /// ```
    pub fn compile(book: Book, rules: KeyRules) -> Self {
        let id = BookId::of(&book, rules);
        let mut builder = IndexBuilder::default();
        let entries: Vec<_> =
            book.entries.into_iter().map(|entry| CompiledEntry::new(entry, rules, &mut builder)).collect();
        let index = builder.build();
        let contents = entries.iter().map(|_| OnceLock::new()).collect();
        let users = Users::of(&entries, index.len());
        let mut by_order: Vec<u32> = (0..entries.len() as u32).collect();
        by_order
            .sort_by(|a, b| entries[*b as usize].entry.order.total_cmp(&entries[*a as usize].entry.order));
        let max_depth = entries.iter().filter_map(|e| e.depth).max().unwrap_or(0);
        let sources = entries.iter().fold(0, |all, e| all | e.entry.sources.0);
        Self {
            name: book.name,
            id,
            rules,
            entries,
            index,
            contents,
            users,
            by_order,
            max_depth,
            sources,
            hashes: OnceLock::new(),
        }
    }

    /// The book's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of its content.
    pub fn id(&self) -> BookId {
        self.id
    }

    /// The key rules it was compiled with.
    pub fn rules(&self) -> KeyRules {
        self.rules
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Its entries, in the file's order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.entries.iter().map(|e| &e.entry)
    }

    /// The keys that an entry's own text holds, found once per book.
    pub(crate) fn content_hits(&self, entry: u32) -> &PartHits {
        let find = || self.index.read(&self.entries[entry as usize].entry.content, PartKind::Content);
        self.contents[entry as usize].get_or_init(find)
    }

    /// The hashes that timed effects name entries by; computed when first asked for.
    pub(crate) fn hashes(&self) -> &[u64] {
        self.hashes.get_or_init(|| self.entries.iter().map(|e| e.entry.hash(&self.name)).collect())
    }
}

impl CompiledEntry {
    fn new(entry: Entry, global: KeyRules, builder: &mut IndexBuilder) -> Self {
        let rules = OwnRules {
            case_sensitive: entry.case_sensitive.unwrap_or(global.case_sensitive),
            whole_words: entry.match_whole_words.unwrap_or(global.match_whole_words),
        };
        // Scores are only ever asked of entries in groups.
        let scored = !entry.group.is_empty();
        let mut compile = |keys: &[String]| -> Box<[CompiledKey]> {
            keys.iter().map(|key| CompiledKey::new(key, rules, scored, builder)).collect()
        };
        let (keys, secondary) = (compile(&entry.keys), compile(&entry.secondary_keys));
        let restless = keys.iter().chain(&secondary).any(|key| key.may_change || key.needs_whole_text());
        Self {
            rules,
            depth: entry.scan_depth.map(|depth| (depth as i64).clamp(0, MAX_DEPTH)),
            restless,
            forced: entry.forced_by_decorator(),
            stopped: entry.stopped_by_decorator(),
            keys,
            secondary,
            entry,
        }
    }
}

/// No scan goes deeper than this many messages.
pub(crate) const MAX_DEPTH: i64 = 1000;

impl CompiledKey {
    fn new(raw: &str, rules: OwnRules, scored: bool, builder: &mut IndexBuilder) -> Self {
        let trimmed = raw.trim_matches(is_js_space);
        let lookup = if raw.is_empty() { Lookup::Never } else { builder.add(trimmed, rules) };
        let score = match scored {
            false => Lookup::Never,
            true if raw == trimmed && !raw.is_empty() => lookup,
            // Blanks at the ends may lie in a separator.
            true => builder.add_untrimmed(raw, rules),
        };
        Self { raw: raw.into(), may_change: may_change(raw), lookup, score }
    }

    fn needs_whole_text(&self) -> bool {
        matches!(self.lookup, Lookup::Whole(_))
    }
}

impl BookId {
    fn of(book: &Book, rules: KeyRules) -> Self {
        let raws: Vec<_> = book.entries.iter().map(Entry::raw).collect();
        // Writing JSON objects cannot fail: their keys are texts.
        let text = serde_json::to_string(&(&book.name, rules, raws)).unwrap_or_default();
        let hash = |seed| foldhash::quality::FixedState::with_seed(seed).hash_one(&text);
        Self(hash(1), hash(2))
    }
}

/// For each pattern, the entries that have it as a key.
#[derive(Debug, Default)]
pub(crate) struct Users {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Users {
    fn of(entries: &[CompiledEntry], patterns: usize) -> Self {
        let mut pairs = Vec::new();
        for (i, entry) in (0_u32..).zip(entries) {
            for key in entry.keys.iter().chain(&entry.secondary) {
                if let Lookup::Part(pattern) = key.lookup {
                    pairs.push((pattern, i));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; patterns + 1];
        for (pattern, _) in &pairs {
            starts[*pattern as usize + 1] += 1;
        }
        for i in 0..patterns {
            starts[i + 1] += starts[i];
        }
        Self { starts, entries: pairs.into_iter().map(|(_, entry)| entry).collect() }
    }

    /// The entries with this pattern.
    pub(crate) fn of_pattern(&self, pattern: u32) -> &[u32] {
        let range = self.starts[pattern as usize] as usize..self.starts[pattern as usize + 1] as usize;
        &self.entries[range]
    }
}
