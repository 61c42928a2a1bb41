//! Chance and budget: which candidates become active.

use super::{Candidate, INACTIVE, OUT, Scan};
use crate::lore::budget::GrowingText;
use crate::lore::input::may_change;

impl Scan<'_> {
    /// Rolls, expands and counts the candidates, and makes those active that fit.
    pub(super) fn spend(&mut self, new: &[Candidate]) {
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
}
