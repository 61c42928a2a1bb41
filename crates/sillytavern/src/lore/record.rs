//! Writing down, on request, what was decided about each entry and why.

use std::collections::HashMap;

use tavernkit_core::number::is_js_space;

use super::buffer::View;
use super::gates::{Fire, Stop};
use super::groups::Decision;
use super::input::ScanInput;
use super::key_regex::Answer;
use super::matcher::{self, KeyForm};
use super::reason::{Cause, EntryId, EntryReport, Gate, GroupLoss, Place, Placed, Verdict};
use super::scan::Candidate;
use super::search::Search;
use super::set::LoreSet;

/// The record of one scan.
#[derive(Debug)]
pub(crate) struct Record {
    sweep: usize,
    /// By place: the last thing that stopped the entry, and in which sweep.
    gates: Vec<Option<(usize, Gate)>>,
    /// What made an entry a candidate last.
    causes: HashMap<u32, Cause>,
    /// Active entries and their sweep.
    active: HashMap<u32, usize>,
    /// When timed effects end, by place and stickiness.
    ends: HashMap<(u32, bool), f64>,
    /// Contents that became part of the scanned text.
    contents: Vec<(u32, String)>,
}

impl Record {
    pub(crate) fn new(entries: usize) -> Self {
        Self {
            sweep: 0,
            gates: vec![None; entries],
            causes: HashMap::new(),
            active: HashMap::new(),
            ends: HashMap::new(),
            contents: Vec::new(),
        }
    }

    pub(crate) fn begin_sweep(&mut self, sweep: usize) {
        self.sweep = sweep;
    }

    pub(crate) fn effect(&mut self, place: u32, sticky: bool, end: f64) {
        self.ends.insert((place, sticky), end);
    }

    pub(crate) fn recursion(&mut self, contents: &[(u32, &str)]) {
        self.contents.extend(contents.iter().map(|(place, text)| (*place, (*text).to_owned())));
    }

    pub(crate) fn activated(&mut self, place: u32) {
        self.active.insert(place, self.sweep);
    }

    fn gate(&mut self, place: u32, gate: Gate) {
        self.gates[place as usize] = Some((self.sweep, gate));
    }

    pub(crate) fn fired(&mut self, place: u32, fire: Fire, search: &Search<'_>, view: View) {
        let cause = match fire {
            Fire::Decorator => Cause::Decorator,
            Fire::Forced => Cause::Forced,
            Fire::Constant => Cause::Constant,
            Fire::Sticky => {
                Cause::Sticky { until: self.ends.get(&(place, true)).copied().unwrap_or(f64::NAN) }
            }
            Fire::Key(key, secondary) => {
                let compiled = search.set.compiled(place);
                let raw = &compiled.keys[key].raw;
                let as_matched = search.produced.as_deref().unwrap_or(raw).trim_matches(is_js_space);
                let form = KeyForm::new(as_matched, compiled.rules);
                Cause::Key {
                    key: raw.to_string(),
                    place: self.locate(&form, search, view),
                    secondary: named(&compiled.entry.secondary_keys, secondary),
                }
            }
        };
        self.causes.insert(place, cause);
    }

    /// The first part of the view that has the key by itself.
    fn locate(&self, form: &KeyForm, search: &Search<'_>, view: View) -> Place {
        if let Some((place, _)) = search.buffer.parts(view).find(|(_, text)| is_in(form, text)) {
            return place;
        }
        let contents = self.contents.iter().filter(|_| view.recursion && view.depth > 0);
        match contents.into_iter().find(|(_, text)| is_in(form, text)) {
            Some((place, _)) => Place::Entry { entry: id(search.set, *place) },
            None => Place::Across,
        }
    }

    pub(crate) fn stopped(
        &mut self,
        place: u32,
        stop: Stop,
        set: &LoreSet,
        input: &ScanInput<'_>,
        level: f64,
        depth: i64,
    ) {
        let compiled = set.compiled(place);
        let entry = &compiled.entry;
        let length = input.messages.len();
        let own_level = entry.delay_until_recursion.unwrap_or(0.0);
        let gate = match stop {
            Stop::Disabled => Gate::Disabled,
            Stop::Trigger => {
                Gate::Trigger { wanted: entry.triggers.clone(), actual: input.known_trigger().to_owned() }
            }
            Stop::Name => Gate::CharacterName,
            Stop::Tag => Gate::CharacterTag,
            Stop::Delay => Gate::Delay { needed: entry.delay.unwrap_or(0.0), length },
            Stop::Cooldown => {
                Gate::Cooldown { until: self.ends.get(&(place, false)).copied().unwrap_or(f64::NAN), length }
            }
            Stop::Waits => Gate::WaitsForRecursion { level: own_level },
            Stop::Level => Gate::RecursionLevel { level: own_level, reached: level },
            Stop::Excluded => Gate::ExcludedFromRecursion,
            Stop::Decorator => Gate::Decorator,
            Stop::NoKeys => Gate::NoKeys,
            Stop::NoKeyFound => Gate::NoKeyFound { depth: compiled.depth.unwrap_or(depth) },
            Stop::Secondary(key, found) => Gate::Secondary {
                key: entry.keys[key].clone(),
                logic: entry.logic,
                found: named(&entry.secondary_keys, found),
            },
        };
        // What happened to a candidate says more than that its key is out of view in a later sweep.
        let was_candidate = self.causes.contains_key(&place);
        let says_less = matches!(
            gate,
            Gate::NoKeyFound { .. } | Gate::ExcludedFromRecursion | Gate::WaitsForRecursion { .. }
        );
        if !(was_candidate && says_less && self.gates[place as usize].is_some()) {
            self.gate(place, gate);
        }
    }

    pub(crate) fn groups(&mut self, decision: &Decision, new: &[Candidate], set: &LoreSet) {
        let mut lost = vec![true; new.len()];
        decision.kept.iter().for_each(|i| lost[*i] = false);
        for (i, loss) in &decision.losses {
            lost[*i] = false;
            // Who won in an earlier sweep says more than that the group is taken since.
            let known = matches!(self.gates[new[*i].place as usize], Some((_, Gate::Group { .. })));
            if known && loss.how == GroupLoss::AlreadyActive {
                continue;
            }
            let winner = loss.winner.map(|winner| id(set, new[winner].place));
            self.gate(
                new[*i].place,
                Gate::Group { group: loss.group.clone(), how: loss.how.clone(), winner },
            );
        }
        for (i, _) in lost.iter().enumerate().filter(|(_, lost)| **lost) {
            let gate = Gate::Group { group: String::new(), how: GroupLoss::Bystander, winner: None };
            self.gate(new[i].place, gate);
        }
    }

    pub(crate) fn rolled(&mut self, place: u32, rolled: f64, needed: f64) {
        self.gate(place, Gate::Probability { rolled, needed });
    }

    pub(crate) fn over_budget(&mut self, place: u32, tokens: usize, earlier: usize, budget: f64) {
        self.gate(place, Gate::Budget { tokens, earlier, budget });
    }

    pub(crate) fn budget_spent(&mut self, place: u32, budget: f64) {
        // The one that reached the budget keeps its numbers.
        if !matches!(self.gates[place as usize], Some((_, Gate::Budget { .. }))) {
            self.gate(place, Gate::BudgetSpent { budget });
        }
    }

    /// The account of every entry, in scan order. `placed` says what became of active ones.
    pub(crate) fn finish(
        mut self,
        set: &LoreSet,
        placed: impl Fn(u32) -> Option<Placed>,
    ) -> Vec<EntryReport> {
        let report = |(place, gate): (u32, Option<(usize, Gate)>)| {
            let entry = &set.compiled(place).entry;
            let active = self.active.get(&place).copied().zip(self.causes.remove(&place)).zip(placed(place));
            let verdict = match (active, gate) {
                (Some(((sweep, cause), placed)), _) => Verdict::Active { sweep, cause, placed },
                (None, Some((sweep, gate))) => Verdict::Stopped { sweep, gate },
                // Its identity was taken by another entry before it was looked at.
                (None, None) => Verdict::Stopped { sweep: 1, gate: Gate::SameIdentity },
            };
            let title = if entry.comment.is_empty() { entry.keys.first() } else { Some(&entry.comment) };
            EntryReport {
                id: id(set, place),
                title: title.cloned().unwrap_or_default(),
                position: entry.position,
                order: entry.order,
                verdict,
            }
        };
        let gates = std::mem::take(&mut self.gates);
        (0_u32..).zip(gates).map(report).collect()
    }
}

fn id(set: &LoreSet, place: u32) -> EntryId {
    EntryId { world: set.world(place).to_owned(), uid: set.compiled(place).entry.uid.clone() }
}

/// The keys whose bits are set.
fn named(keys: &[String], bits: u64) -> Vec<String> {
    let is_set = |i: usize| 1_u64.checked_shl(i as u32).is_some_and(|bit| bits & bit != 0);
    keys.iter().enumerate().filter(|(i, _)| is_set(*i)).map(|(_, key)| key.clone()).collect()
}

fn is_in(form: &KeyForm, text: &str) -> bool {
    match form {
        KeyForm::Always => true,
        KeyForm::Plain { needle, folded: true, whole } => {
            matcher::contains(&matcher::fold(text), needle, *whole)
        }
        KeyForm::Plain { needle, folded: false, whole } => matcher::contains(text, needle, *whole),
        KeyForm::Regex(regex) => regex.test(text) == Answer::Hit,
    }
}
