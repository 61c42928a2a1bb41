//! What was found in texts before. It belongs to the caller and can be thrown away at any time.

use std::collections::HashMap;
use std::sync::Arc;

use super::compile::{BookId, CompiledBook};
use super::index::{PartHits, PartKind};
use super::matcher::{KeyForm, OwnRules};

type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// Answers kept between scans: the hits in each text, for each book.
///
/// Results never depend on it. Texts that no scan asks for any more leave it when it is full.
#[derive(Debug)]
pub struct LoreCache {
    young: Generation,
    old: Generation,
    limit: usize,
    /// Keys with macros, as they came out.
    forms: Map<(Box<str>, OwnRules), Arc<KeyForm>>,
}

#[derive(Debug, Default)]
struct Generation {
    books: Map<(BookId, PartKind), Map<Box<str>, Arc<PartHits>>>,
    bytes: usize,
}

/// Keys that macros produced are few; a flood of them is not kept.
const MAX_FORMS: usize = 4096;

impl Default for LoreCache {
    fn default() -> Self {
        Self::with_limit(64 << 20)
    }
}

impl LoreCache {
    /// A cache that holds texts of about `bytes` bytes, or twice that for a moment.
    pub fn with_limit(bytes: usize) -> Self {
        Self { young: Generation::default(), old: Generation::default(), limit: bytes, forms: Map::default() }
    }

    /// Makes room if it is full. Called between scans.
    pub(crate) fn tidy(&mut self) {
        if self.young.bytes > self.limit / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        if self.forms.len() > MAX_FORMS {
            self.forms.clear();
        }
    }

    /// What the book's index finds in a text.
    pub(crate) fn hits(&mut self, book: &CompiledBook, text: &str, kind: PartKind) -> Arc<PartHits> {
        let key = (book.id(), kind);
        let young = self.young.books.entry(key).or_default();
        if let Some(hits) = young.get(text) {
            return hits.clone();
        }
        let before = self.old.books.get_mut(&key).and_then(|old| old.remove(text));
        let hits = before.unwrap_or_else(|| Arc::new(book.index.read(text, kind)));
        young.insert(text.into(), hits.clone());
        self.young.bytes += text.len() + 64 + 4 * hits.hits.len();
        hits
    }

    /// The form of a key that macros produced.
    pub(crate) fn form(&mut self, key: &str, rules: OwnRules) -> Arc<KeyForm> {
        let entry = self.forms.entry((key.into(), rules));
        entry.or_insert_with(|| Arc::new(KeyForm::new(key, rules))).clone()
    }

    /// How many texts it holds, over all books.
    pub fn len(&self) -> usize {
        let texts = |generation: &Generation| generation.books.values().map(HashMap::len).sum::<usize>();
        texts(&self.young) + texts(&self.old)
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lore::{Book, KeyRules};

    #[test]
    fn it_forgets_what_nobody_asks_for() {
        let book = CompiledBook::compile(Book::default(), KeyRules::default());
        let mut cache = LoreCache::with_limit(400);
        for round in 0..20 {
            cache.tidy();
            cache.hits(&book, "asked for in every round", PartKind::Framed);
            cache.hits(&book, &format!("round {round}"), PartKind::Framed);
        }
        assert!(cache.len() < 10, "{} texts are kept", cache.len());
        assert!(!cache.is_empty());
    }
}
