//! What a scan knows before its first sweep: timed effects and forced entries.

use std::collections::HashMap;

use super::{COOLING, STICKY, Scan};
use crate::lore::entry::Entry;
use crate::lore::input::{RunKind, VectorEntry};
use crate::lore::set::LoreSet;
use crate::lore::timed::{ActiveEffects, TimedEntry};

impl Scan<'_> {
    pub(super) fn load_effects(&mut self) {
        let timed = &mut self.result.timed;
        if self.input.run == RunKind::Dry || (timed.sticky.is_empty() && timed.cooldown.is_empty()) {
            return;
        }
        let set = self.set;
        let mut by_hash: HashMap<u64, Vec<u32>> = HashMap::new();
        for (place, own) in (0_u32..).zip(&set.order) {
            let hash = set.books[own.book as usize].hashes()[own.entry as usize];
            by_hash.entry(hash).or_default().push(place);
        }
        let length = self.input.messages.len() as f64;
        let find = |hash| Some(InSet { set, place: *by_hash.get(&hash)?.first()? });
        let effects = ActiveEffects::load(timed, length, find);
        for (list, bit) in [(&effects.sticky, STICKY), (&effects.cooldown, COOLING)] {
            for (hash, effect) in list {
                for place in by_hash.get(hash).into_iter().flatten() {
                    self.marks[*place as usize] |= bit;
                    if let Some(record) = &mut self.record {
                        record.effect(*place, bit == STICKY, effect.end);
                    }
                }
            }
        }
    }

    /// Entries that something outside asks for, and those that similarity search finds.
    pub(super) fn load_forced(&mut self) {
        let set = self.set;
        for forced in self.input.forced {
            let key = format!("{}.{}", forced.world, forced.uid);
            if let Some(slot) = set.slots.get(&key) {
                self.copy_of.insert(*slot, self.copies.len() as u32);
                self.copies.push(forced.replacement.as_deref());
            }
        }
        if !set.has_vectorized {
            return;
        }
        let meant = |place: &u32| {
            let entry = &set.compiled(*place).entry;
            entry.vectorized && !entry.disabled && !entry.content.is_empty()
        };
        let places: Vec<u32> = (0..set.len() as u32).filter(meant).collect();
        let offer =
            |place: &u32| VectorEntry { world: set.world(*place), entry: &set.compiled(*place).entry };
        let offered: Vec<VectorEntry<'_>> = places.iter().map(offer).collect();
        for hit in self.host.vector_hits(&offered) {
            if let Some(place) = places.get(hit) {
                self.copy_of.insert(set.order[*place as usize].slot, self.copies.len() as u32);
                self.copies.push(None);
            }
        }
    }
}

/// An entry of the set, for timed effects.
pub(super) struct InSet<'a> {
    pub(super) set: &'a LoreSet,
    pub(super) place: u32,
}

impl TimedEntry for InSet<'_> {
    fn hash(&self) -> u64 {
        self.set.compiled(self.place).entry.hash(self.set.world(self.place))
    }
    fn key(&self) -> String {
        format!("{}.{}", self.set.world(self.place), self.set.compiled(self.place).entry.uid)
    }
    fn sticky(&self) -> Option<f64> {
        self.set.compiled(self.place).entry.sticky
    }
    fn cooldown(&self) -> Option<f64> {
        self.set.compiled(self.place).entry.cooldown
    }
}

/// An active entry or its copy: the copy's durations under the entry's name.
pub(super) struct StandIn<'a> {
    pub(super) own: InSet<'a>,
    pub(super) entry: &'a Entry,
}

impl TimedEntry for StandIn<'_> {
    fn hash(&self) -> u64 {
        self.own.hash()
    }
    fn key(&self) -> String {
        self.own.key()
    }
    fn sticky(&self) -> Option<f64> {
        self.entry.sticky
    }
    fn cooldown(&self) -> Option<f64> {
        self.entry.cooldown
    }
}
