//! One sweep: who is looked at, who becomes a candidate, who wins in its group.

use super::{BLOCKED, COOLING, Candidate, INACTIVE, OUT, STICKY, Scan};
use crate::lore::gates::{self, Fire, Moment, Stop, Timing};
use crate::lore::groups::{self, GroupHost, Member};
use crate::lore::input::LoreHost;
use crate::lore::result::ScanState;
use crate::lore::search::Search;

impl Scan<'_> {
    /// The entries to look at in this sweep, in scan order.
    fn agenda(&mut self, state: ScanState) -> Vec<u32> {
        let set = self.set;
        let recursing = state == ScanState::Recursion;
        let open = set.waiting[self.let_in..].partition_point(|(level, _)| recursing && *level <= self.level);
        let opened = self.let_in..self.let_in + open;
        self.let_in += open;
        let mut touched = std::mem::take(&mut self.search.buffer.touched);
        // Whoever was a candidate stays on the list until it is settled, even through sweeps that it sits out.
        self.retry.sort_unstable();
        self.retry.dedup();
        let slot = |place: u32| set.order[place as usize].slot as usize;
        let (marks, slots) = (&self.marks, &self.slots);
        self.retry.retain(|place| marks[*place as usize] & OUT == 0 && slots[slot(*place)] == INACTIVE);
        if self.look_at_all || self.record.is_some() {
            // A sweep that sees no recursion texts leaves their turn to the next that does.
            self.look_at_all = state == ScanState::MinActivations;
            return (0..set.len() as u32).collect();
        }
        if state == ScanState::MinActivations {
            self.carried.extend_from_slice(&touched);
            touched.extend_from_slice(&self.blocked);
        } else {
            touched.append(&mut self.carried);
        }
        touched.extend(set.waiting[opened].iter().map(|(_, place)| *place));
        touched.extend_from_slice(&self.retry);
        touched.extend_from_slice(&set.restless);
        if self.search.buffer.has_unsure() {
            touched.extend(self.search.buffer.unsure_users());
        }
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// Candidates of this sweep: sticky ones first, then in scan order.
    pub(super) fn candidates(&mut self, state: ScanState) -> Vec<Candidate> {
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
    pub(super) fn decide_groups(&mut self, new: Vec<Candidate>, state: ScanState) -> Vec<Candidate> {
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
