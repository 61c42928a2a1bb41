//! The books of a chat, put in scan order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::book::SourceKind;
use super::compile::{CompiledBook, CompiledEntry};
use super::settings::InsertionStrategy;

/// The books that a chat uses, in scan order. Immutable; build it when links, books or the strategy change.
#[derive(Debug, Default)]
pub struct LoreSet {
    pub(crate) books: Vec<Arc<CompiledBook>>,
    /// All entries in scan order.
    pub(crate) order: Vec<SetEntry>,
    /// For each book and entry, its place in the scan order.
    pub(crate) places: Vec<Vec<u32>>,
    /// Identities, `book.uid`, to slots. Entries that share an identity share a slot.
    pub(crate) slots: HashMap<String, u32>,
    /// The recursion levels that entries wait for, ascending.
    pub(crate) levels: Vec<f64>,
    /// Entries that wait for recursion, by level.
    pub(crate) waiting: Vec<(f64, u32)>,
    /// Entries to look at in every sweep.
    pub(crate) restless: Vec<u32>,
    /// Whether any entry is meant for similarity search.
    pub(crate) has_vectorized: bool,
}

/// An entry's place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetEntry {
    pub(crate) book: u32,
    pub(crate) entry: u32,
    pub(crate) slot: u32,
    /// Its only group has only members of that one group. See `groups`.
    pub(crate) plain_group: bool,
}

impl LoreSet {
    /// Puts books in scan order: chat, persona, then character and global ones as the strategy says.
    ///
    /// Links must be resolved ([`super::BookLinks::resolve`]); within a kind the given order counts.
    pub fn new(books: Vec<(SourceKind, Arc<CompiledBook>)>, strategy: InsertionStrategy) -> Self {
        let sorted = |kinds: &[SourceKind]| {
            let mut list: Vec<(f64, u32, u32)> = Vec::new();
            // Global entries stand before character ones of the same order when both are sorted together.
            for kind in kinds {
                for (b, (_, book)) in (0_u32..).zip(&books).filter(|(_, (k, _))| k == kind) {
                    let entry = |e: &u32| (book.entries[*e as usize].entry.order, b, *e);
                    list.extend(book.by_order.iter().map(entry));
                }
            }
            // Books are sorted already, so this only merges.
            list.sort_by(|a, b| b.0.total_cmp(&a.0));
            list
        };
        use SourceKind::{Character, Chat, Global, Persona};
        let mut list = [sorted(&[Chat]), sorted(&[Persona])].concat();
        match strategy {
            InsertionStrategy::Evenly => list.extend(sorted(&[Global, Character])),
            InsertionStrategy::CharacterFirst => {
                list.extend([sorted(&[Character]), sorted(&[Global])].concat())
            }
            InsertionStrategy::GlobalFirst => list.extend([sorted(&[Global]), sorted(&[Character])].concat()),
        }
        let books = books.into_iter().map(|(_, book)| book).collect();
        Self::with_order(books, list.into_iter().map(|(_, book, entry)| (book, entry)).collect())
    }

    fn with_order(books: Vec<Arc<CompiledBook>>, list: Vec<(u32, u32)>) -> Self {
        let mut set =
            Self { places: books.iter().map(|b| vec![0; b.len()]).collect(), books, ..Self::default() };
        let mixed = set.mixed_groups();
        for (place, (book, entry)) in (0_u32..).zip(list) {
            set.places[book as usize][entry as usize] = place;
            let compiled = &set.books[book as usize].entries[entry as usize];
            let own = &compiled.entry;
            let key = format!("{}.{}", set.books[book as usize].name(), own.uid);
            let next = set.slots.len() as u32;
            let slot = *set.slots.entry(key).or_insert(next);
            // Keys with macros must run in every sweep, so such an entry is never left out.
            let plain_group =
                !own.group.is_empty() && !mixed.contains(own.group.as_str()) && !compiled.restless;
            set.waiting.extend(own.delay_until_recursion.map(|level| (level, place)));
            if compiled.restless {
                set.restless.push(place);
            }
            set.has_vectorized |= own.vectorized;
            set.order.push(SetEntry { book, entry, slot, plain_group });
        }
        set.waiting.sort_by(|a, b| a.0.total_cmp(&b.0));
        set.levels = set.waiting.iter().map(|(level, _)| *level).collect();
        set.levels.dedup();
        set
    }

    /// The groups that have a member in several groups, and those members' own group texts.
    fn mixed_groups(&self) -> HashSet<String> {
        let mut mixed = HashSet::new();
        let entries = self.books.iter().flat_map(|book| book.entries());
        for entry in entries.filter(|entry| !entry.group.is_empty()) {
            if entry.groups().ne([entry.group.as_str()]) {
                mixed.extend(entry.groups().map(str::to_owned));
                mixed.insert(entry.group.clone());
            }
        }
        mixed
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The books, as given.
    pub fn books(&self) -> &[Arc<CompiledBook>] {
        &self.books
    }

    pub(crate) fn compiled(&self, place: u32) -> &CompiledEntry {
        let SetEntry { book, entry, .. } = self.order[place as usize];
        &self.books[book as usize].entries[entry as usize]
    }

    pub(crate) fn world(&self, place: u32) -> &str {
        self.books[self.order[place as usize].book as usize].name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lore::{Book, KeyRules};
    use serde_json::json;

    fn book(name: &str, orders: &[i64]) -> Arc<CompiledBook> {
        let entries: Vec<_> = (0..orders.len()).map(|i| json!({"uid": i, "order": orders[i]})).collect();
        Arc::new(CompiledBook::compile(
            Book::read(name, &json!({ "entries": entries })).0,
            KeyRules::default(),
        ))
    }

    fn names(strategy: InsertionStrategy) -> Vec<String> {
        let books = vec![
            (SourceKind::Global, book("G", &[100, 50])),
            (SourceKind::Character, book("C", &[100, 75])),
            (SourceKind::Persona, book("P", &[1])),
            (SourceKind::Chat, book("H", &[2, 3])),
        ];
        let set = LoreSet::new(books, strategy);
        (0..set.len() as u32).map(|i| format!("{}{}", set.world(i), set.compiled(i).entry.uid)).collect()
    }

    #[test]
    fn chat_and_persona_come_first_and_the_strategy_orders_the_rest() {
        assert_eq!(names(InsertionStrategy::Evenly), ["H1", "H0", "P0", "G0", "C0", "C1", "G1"]);
        assert_eq!(names(InsertionStrategy::CharacterFirst), ["H1", "H0", "P0", "C0", "C1", "G0", "G1"]);
        assert_eq!(names(InsertionStrategy::GlobalFirst), ["H1", "H0", "P0", "G0", "G1", "C0", "C1"]);
    }
}
