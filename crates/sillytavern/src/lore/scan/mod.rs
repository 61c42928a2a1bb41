//! The scan: sweep after sweep over the books until nothing new becomes active.
//!
//! The first sweep looks at every entry. Later ones look only at entries for which something changed: a key was found
//! in a new text, a recursion level opened, or they were candidates before and lost. So a long chain of entries that
//! activate each other costs what its links cost, and not the book times its length.

mod setup;
mod spend;
mod sweep;

use std::collections::{HashMap, HashSet};

use setup::{InSet, StandIn};

use super::budget::{EarlierText, GrowingText};
use super::buffer::Buffer;
use super::cache::LoreCache;
use super::entry::Entry;
use super::input::{Detail, LoreHost, RunKind, ScanInput};
use super::place::place;
use super::reason::{EntryId, Placed};
use super::record::Record;
use super::result::{ActiveEntry, LoreResult, ScanState, Sweep};
use super::search::Search;
use super::set::LoreSet;
use super::settings::LoreSettings;
use super::warn::{Oddities, warnings};

impl LoreSet {
    /// Runs one scan.
    ///
    /// Reads the settings and the input, asks the host, and changes nothing but the cache. The result holds everything
    /// that follows, the chat's new timed effects included.
    pub fn scan(
        &self,
        settings: &LoreSettings,
        input: &ScanInput<'_>,
        host: &mut dyn LoreHost,
        cache: &mut LoreCache,
    ) -> LoreResult {
        let mut result = LoreResult { timed: input.timed.cloned().unwrap_or_default(), ..Default::default() };
        result.budget.limit = settings.budget(input.max_prompt);
        if self.is_empty() {
            return result;
        }
        result.had_entries = true;
        cache.tidy();
        Scan::new(self, settings, input, host, cache, result).run()
    }
}

/// An entry, or a copy that stands in for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Candidate {
    pub(crate) place: u32,
    copy: Option<u32>,
}

// What is known about an entry, as bits.
const STICKY: u8 = 1;
const COOLING: u8 = 2;
/// Failed its roll, or stopped for good.
const OUT: u8 = 4;
/// Stopped by secondary keys that must be absent.
const BLOCKED: u8 = 8;

struct Scan<'a> {
    set: &'a LoreSet,
    settings: &'a LoreSettings,
    input: &'a ScanInput<'a>,
    host: &'a mut dyn LoreHost,
    cache: &'a mut LoreCache,
    search: Search<'a>,
    result: LoreResult,
    record: Option<Record>,
    marks: Vec<u8>,
    /// By slot: the index in `active`.
    slots: Vec<u32>,
    active: Vec<Candidate>,
    active_groups: HashSet<String>,
    /// Entries that outside forces stand in for, by slot.
    copies: Vec<Option<&'a Entry>>,
    copy_of: HashMap<u32, u32>,
    failed_copies: HashSet<u32>,
    /// Contents that macros changed.
    texts: HashMap<Candidate, String>,
    /// Candidates that neither became active nor failed.
    retry: Vec<u32>,
    /// Constant entries that the budget kept out.
    dropped: Vec<u32>,
    /// Touched in a sweep that did not see the recursion texts.
    carried: Vec<u32>,
    /// Stopped by secondary keys that must be absent.
    blocked: Vec<u32>,
    /// How many of the waiting entries have been let in.
    let_in: usize,
    look_at_all: bool,
    depth: i64,
    level: f64,
    next_level: usize,
    earlier: EarlierText,
    overflowed: bool,
}

const INACTIVE: u32 = u32::MAX;

impl<'a> Scan<'a> {
    fn new(
        set: &'a LoreSet,
        settings: &'a LoreSettings,
        input: &'a ScanInput<'a>,
        host: &'a mut dyn LoreHost,
        cache: &'a mut LoreCache,
        result: LoreResult,
    ) -> Self {
        let buffer = Buffer::new(set, input, settings.include_names, settings.depth, cache);
        let search = Search { set, buffer, given_up: Default::default(), produced: None };
        Self {
            set,
            settings,
            input,
            host,
            cache,
            search,
            result,
            record: (input.detail >= Detail::Reasons).then(|| Record::new(set.len())),
            marks: vec![0; set.len()],
            slots: vec![INACTIVE; set.slots.len()],
            active: Vec::new(),
            active_groups: HashSet::new(),
            copies: Vec::new(),
            copy_of: HashMap::new(),
            failed_copies: HashSet::new(),
            texts: HashMap::new(),
            retry: Vec::new(),
            dropped: Vec::new(),
            carried: Vec::new(),
            blocked: Vec::new(),
            let_in: 0,
            look_at_all: true,
            depth: settings.depth,
            level: set.levels.first().copied().unwrap_or(0.0),
            next_level: 1,
            earlier: EarlierText::default(),
            overflowed: false,
        }
    }

    fn run(mut self) -> LoreResult {
        self.load_effects();
        self.load_forced();
        let mut state = ScanState::Initial;
        let mut sweep = 0;
        while state != ScanState::None {
            if self.settings.max_recursion_steps > 0 && sweep >= self.settings.max_recursion_steps {
                break;
            }
            sweep += 1;
            if let Some(record) = &mut self.record {
                record.begin_sweep(sweep);
            }
            let mut new = self.candidates(state);
            new = self.decide_groups(new, state);
            self.spend(&new);
            state = self.next_state(&new, state);
        }
        self.finish()
    }

    /// The entry that counts for a candidate.
    fn entry(&self, candidate: Candidate) -> &'a Entry {
        let copy = candidate.copy.and_then(|copy| self.copies[copy as usize]);
        copy.unwrap_or(&self.set.compiled(candidate.place).entry)
    }

    fn is_sticky(&self, candidate: Candidate) -> bool {
        self.marks[candidate.place as usize] & STICKY != 0
    }

    fn content(&self, candidate: Candidate) -> &str {
        self.texts.get(&candidate).map_or(&self.entry(candidate).content, String::as_str)
    }

    fn next_state(&mut self, new: &[Candidate], state: ScanState) -> ScanState {
        let failed = |c: &Candidate| match c.copy {
            Some(copy) => self.failed_copies.contains(&copy),
            None => self.marks[c.place as usize] & OUT != 0,
        };
        let successful: Vec<Candidate> = new.iter().copied().filter(|c| !failed(c)).collect();
        let recursing: Vec<Candidate> =
            successful.iter().copied().filter(|c| !self.entry(*c).prevent_recursion).collect();
        let may_recurse = self.settings.recursive && !self.overflowed;
        let mut next = ScanState::None;
        let leaving = state == ScanState::MinActivations && self.search.buffer.has_recursion();
        if may_recurse && (!recursing.is_empty() || leaving) {
            next = ScanState::Recursion;
        }
        if next == ScanState::None && !self.overflowed && self.settings.min_activations > self.active.len() {
            let max = self.settings.min_activations_depth_max;
            let over = (max > 0 && self.depth > max) || self.depth > self.input.messages.len() as i64;
            if !over {
                next = ScanState::MinActivations;
                self.search.buffer.deepen(self.depth, self.cache);
                // Below depth 1 nothing at all was in view.
                self.look_at_all |= self.depth <= 0;
                self.depth += 1;
            }
        }
        let deeper = self.set.levels.get(self.next_level).filter(|_| next == ScanState::None);
        if let Some(level) = deeper {
            next = ScanState::Recursion;
            self.level = *level;
            self.next_level += 1;
        }
        if next != ScanState::None {
            self.add_recursion(&recursing);
        }
        if self.input.detail >= Detail::Sweeps {
            let ids = |list: &[Candidate]| list.iter().map(|c| self.id(c.place)).collect();
            let (found, successful) = (ids(new), ids(&successful));
            self.result.sweeps.push(Sweep { state, next, found, successful, overflowed: self.overflowed });
        }
        next
    }

    fn add_recursion(&mut self, recursing: &[Candidate]) {
        let contents: Vec<(u32, String)> =
            recursing.iter().map(|c| (c.place, self.content(*c).to_owned())).collect();
        let contents: Vec<(u32, &str)> =
            contents.iter().map(|(place, text)| (*place, text.as_str())).collect();
        // One empty text is nothing; two are a line feed.
        if contents.is_empty() || (contents.len() == 1 && contents[0].1.is_empty()) {
            return;
        }
        if let Some(record) = &mut self.record {
            record.recursion(&contents);
        }
        let text = self.search.buffer.add_recursion(&contents, self.cache);
        self.earlier.push_front(text);
    }

    fn id(&self, place: u32) -> EntryId {
        EntryId { world: self.set.world(place).to_owned(), uid: self.set.compiled(place).entry.uid.clone() }
    }

    fn finish(mut self) -> LoreResult {
        if self.input.run == RunKind::Real {
            let length = self.input.messages.len() as f64;
            for candidate in &self.active {
                let stand_in = StandIn {
                    own: InSet { set: self.set, place: candidate.place },
                    entry: self.entry(*candidate),
                };
                self.result.timed.store(&stand_in, length);
            }
        }
        let mut total = GrowingText::default();
        let mut activated = Vec::with_capacity(self.active.len());
        for candidate in &self.active {
            let entry = self.entry(*candidate);
            let content = self.content(*candidate).to_owned();
            total.push(&content);
            let (id, comment) = (self.id(candidate.place), entry.comment.clone());
            activated.push(ActiveEntry {
                id,
                comment,
                content,
                position: entry.position,
                order: entry.order,
            });
        }
        self.result.total_tokens = total.count(self.host);
        let texts: Vec<(&Entry, &str)> =
            self.active.iter().zip(&activated).map(|(c, a)| (self.entry(*c), a.content.as_str())).collect();
        let placed = place(&texts, self.host, &mut self.result);
        self.result.budget.overflowed = self.overflowed;
        self.result.activated = activated;
        if let Some(record) = self.record.take() {
            let placed: HashMap<u32, Placed> = self.active.iter().map(|c| c.place).zip(placed).collect();
            self.result.reasons = record.finish(self.set, |place| placed.get(&place).copied());
        }
        let mut dropped_constants = std::mem::take(&mut self.dropped);
        dropped_constants.sort_unstable();
        dropped_constants.dedup();
        let (given_up, exhausted) = (&self.search.given_up, &self.search.buffer.exhausted);
        let odd = Oddities { given_up, exhausted, dropped_constants };
        self.result.warnings = warnings(self.set, self.settings, &self.result, &odd);
        self.result
    }
}
