//! The scan: sweep after sweep over the books until nothing new becomes active.
//!
//! The first sweep looks at every entry. Later ones look only at entries for which something changed: a key was found
//! in a new text, a recursion level opened, or they were candidates before and lost. So a long chain of entries that
//! activate each other costs what its links cost, and not the book times its length.

use std::collections::{HashMap, HashSet};

use super::budget::{EarlierText, GrowingText};
use super::buffer::Buffer;
use super::cache::LoreCache;
use super::entry::Entry;
use super::gates::{self, Fire, Moment, Stop, Timing};
use super::groups::{self, GroupHost, Member};
use super::input::{Detail, LoreHost, RunKind, ScanInput, VectorEntry, may_change};
use super::place::place;
use super::reason::{EntryId, Placed};
use super::record::Record;
use super::result::{ActiveEntry, LoreResult, ScanState, Sweep};
use super::search::Search;
use super::set::LoreSet;
use super::settings::LoreSettings;
use super::timed::{ActiveEffects, TimedEntry};
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

    fn load_effects(&mut self) {
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
    fn load_forced(&mut self) {
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

    /// The entries to look at in this sweep, in scan order.
    fn agenda(&mut self, state: ScanState) -> Vec<u32> {
        let set = self.set;
        let recursing = state == ScanState::Recursion;
        let open = set.waiting[self.let_in..].partition_point(|(level, _)| recursing && *level <= self.level);
        let opened = self.let_in..self.let_in + open;
        self.let_in += open;
        let mut touched = std::mem::take(&mut self.search.buffer.touched);
        if self.look_at_all || self.record.is_some() {
            // A sweep that sees no recursion texts leaves their turn to the next that does.
            self.look_at_all = state == ScanState::MinActivations;
            self.retry.clear();
            return (0..set.len() as u32).collect();
        }
        if state == ScanState::MinActivations {
            self.carried.extend_from_slice(&touched);
            touched.extend_from_slice(&self.blocked);
        } else {
            touched.append(&mut self.carried);
        }
        touched.extend(set.waiting[opened].iter().map(|(_, place)| *place));
        touched.append(&mut self.retry);
        touched.extend_from_slice(&set.restless);
        if self.search.buffer.has_unsure() {
            touched.extend(self.search.buffer.unsure_users());
        }
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// Candidates of this sweep: sticky ones first, then in scan order.
    fn candidates(&mut self, state: ScanState) -> Vec<Candidate> {
        let mut new: Vec<Candidate> = Vec::new();
        for place in self.agenda(state) {
            let slot = self.set.order[place as usize].slot;
            if self.marks[place as usize] & OUT != 0 || self.slots[slot as usize] != INACTIVE {
                continue;
            }
            match self.look(place, slot, state) {
                Ok(fire) => {
                    let copy = self.copy_of.get(&slot).copied().filter(|_| fire == Fire::Forced);
                    let known = copy.is_some() && new.iter().any(|other| other.copy == copy);
                    if !known {
                        new.push(Candidate { place, copy });
                    }
                }
                Err(stop) => self.stop(place, stop),
            }
        }
        // A copy is in no book, and so comes before all that are.
        new.sort_by_key(|c| (!self.is_sticky(*c), c.copy.is_none().then_some(c.place)));
        new
    }

    fn look(&mut self, place: u32, slot: u32, state: ScanState) -> Result<Fire, Stop> {
        let compiled = self.set.compiled(place);
        let marks = self.marks[place as usize];
        let timing = Timing { sticky: marks & STICKY != 0, cooling: marks & COOLING != 0 };
        let moment = Moment { state, level: self.level, recursive: self.settings.recursive };
        let forced = self.copy_of.contains_key(&slot);
        let view = self.search.view(compiled, self.depth, state);
        let fire = match gates::pass(compiled, self.input, timing, forced, moment)? {
            Some(fire) => fire,
            None => self.search.keys(place, view, self.host, self.cache)?,
        };
        if let Some(record) = &mut self.record {
            record.fired(place, fire, &self.search, view);
        }
        Ok(fire)
    }

    fn stop(&mut self, place: u32, stop: Stop) {
        let mark = &mut self.marks[place as usize];
        if stop.is_final() {
            *mark |= OUT;
        }
        let logic = self.set.compiled(place).entry.logic;
        let absent = matches!(stop, Stop::Secondary(..)) && logic.is_some_and(|logic| logic.is_negative());
        if absent && *mark & BLOCKED == 0 {
            *mark |= BLOCKED;
            self.blocked.push(place);
        }
        if let Some(record) = &mut self.record {
            record.stopped(place, stop, self.set, self.input, self.level, self.depth);
        }
    }

    /// Lets inclusion groups decide between the candidates.
    fn decide_groups(&mut self, new: Vec<Candidate>, state: ScanState) -> Vec<Candidate> {
        if new.iter().all(|c| self.entry(*c).group.is_empty()) {
            return new;
        }
        let member = |c: &Candidate| {
            let entry = self.entry(*c);
            Member {
                names: entry.groups().collect(),
                sticky: self.is_sticky(*c),
                cooling: self.marks[c.place as usize] & COOLING != 0,
                scoring: entry.group_scoring,
                overrides: entry.group_override,
                order: entry.order,
                weight: entry.group_weight,
            }
        };
        let members: Vec<Member<'_>> = new.iter().map(member).collect();
        let mut host =
            Scorer { search: &mut self.search, host: self.host, new: &new, depth: self.depth, state };
        let decision = groups::decide(&members, &self.active_groups, self.settings.group_scoring, &mut host);
        for (i, loss) in &decision.losses {
            let place = new[*i].place as usize;
            let settled = self.active_groups.contains(&loss.group) && !members[*i].sticky;
            if settled && self.set.order[place].plain_group && new[*i].copy.is_none() {
                // Its group is taken: it would lose once in every later sweep as well, and change nothing by it.
                self.marks[place] |= OUT;
            }
        }
        if let Some(record) = &mut self.record {
            record.groups(&decision, &new, self.set);
        }
        let kept: Vec<Candidate> = decision.kept.iter().map(|i| new[*i]).collect();
        // Whoever was cut tries again.
        let mut stays = vec![false; new.len()];
        decision.kept.iter().for_each(|i| stays[*i] = true);
        self.retry.extend(new.iter().zip(stays).filter(|(_, stays)| !stays).map(|(c, _)| c.place));
        kept
    }

    /// Rolls, expands and counts the candidates, and makes those active that fit.
    fn spend(&mut self, new: &[Candidate]) {
        let limit = self.result.budget.limit;
        let mut earlier = None;
        let mut growing = GrowingText::default();
        let mut ignoring = new.iter().filter(|c| self.entry(**c).ignore_budget).count();
        for (i, candidate) in new.iter().copied().enumerate() {
            let entry = self.entry(candidate);
            ignoring -= usize::from(entry.ignore_budget);
            if self.overflowed && !entry.ignore_budget {
                let skipped = if ignoring > 0 { &new[i..=i] } else { &new[i..] };
                for candidate in skipped {
                    if let Some(record) = &mut self.record {
                        record.budget_spent(candidate.place, limit);
                    }
                    self.turn_away(candidate.place);
                }
                if ignoring > 0 {
                    continue;
                }
                break;
            }
            if !self.roll(candidate) {
                continue;
            }
            if may_change(self.content(candidate)) {
                let content = self.texts.get(&candidate).map_or(&entry.content, |text| text);
                let expanded = self.host.expand(content);
                self.texts.insert(candidate, expanded);
            }
            growing.push(self.texts.get(&candidate).map_or(&entry.content, |text| text));
            if !entry.ignore_budget {
                let earlier = *earlier.get_or_insert_with(|| self.earlier.count(self.host));
                let tokens = growing.count(self.host);
                if (earlier + tokens) as f64 >= limit {
                    self.overflowed = true;
                    if let Some(record) = &mut self.record {
                        record.over_budget(candidate.place, tokens, earlier, limit);
                    }
                    self.turn_away(candidate.place);
                    continue;
                }
            }
            self.activate(candidate);
        }
    }

    /// The budget keeps an entry out. It stays a candidate.
    fn turn_away(&mut self, place: u32) {
        self.retry.push(place);
        if self.set.compiled(place).entry.constant {
            self.dropped.push(place);
        }
    }

    /// Whether the candidate passes its roll.
    fn roll(&mut self, candidate: Candidate) -> bool {
        let entry = self.entry(candidate);
        if !entry.use_probability || entry.probability == 100.0 || self.is_sticky(candidate) {
            return true;
        }
        let rolled = self.host.random() * 100.0;
        // A chance that is not a number is never met.
        if rolled <= entry.probability {
            return true;
        }
        match candidate.copy {
            // Only the copy failed; the entry may be forced again in the next sweep.
            Some(copy) => {
                self.failed_copies.insert(copy);
                self.retry.push(candidate.place);
            }
            None => self.marks[candidate.place as usize] |= OUT,
        }
        if let Some(record) = &mut self.record {
            record.rolled(candidate.place, rolled, entry.probability);
        }
        false
    }

    fn activate(&mut self, candidate: Candidate) {
        let slot = &mut self.slots[self.set.order[candidate.place as usize].slot as usize];
        if *slot == INACTIVE {
            *slot = self.active.len() as u32;
            self.active.push(candidate);
        } else {
            // Two entries with one identity: the later takes the place of the first.
            self.active[*slot as usize] = candidate;
        }
        let group = &self.entry(candidate).group;
        if !group.is_empty() {
            self.active_groups.insert(group.clone());
        }
        if let Some(record) = &mut self.record {
            record.activated(candidate.place);
        }
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
        if next == ScanState::None {
            if let Some(level) = self.set.levels.get(self.next_level) {
                next = ScanState::Recursion;
                self.level = *level;
                self.next_level += 1;
            }
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

/// An entry of the set, for timed effects.
struct InSet<'a> {
    set: &'a LoreSet,
    place: u32,
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
struct StandIn<'a> {
    own: InSet<'a>,
    entry: &'a Entry,
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

/// Answers the groups' questions.
struct Scorer<'s, 'a> {
    search: &'s mut Search<'a>,
    host: &'s mut dyn LoreHost,
    new: &'s [Candidate],
    depth: i64,
    state: ScanState,
}

impl GroupHost for Scorer<'_, '_> {
    fn score(&mut self, candidate: usize) -> usize {
        let place = self.new[candidate].place;
        let view = self.search.view(self.search.set.compiled(place), self.depth, self.state);
        self.search.score(place, view)
    }

    fn random(&mut self) -> f64 {
        self.host.random()
    }
}
