//! Runs: repeats of one character's set, tried length by length.

use super::ast::UNBOUNDED;
use super::exec::{Frame, Machine, UNSET};
use super::input::Input;
use super::program::{Inst, Scan};

impl<I: Input> Machine<'_, I> {
    /// The first position to go on from after a run; the others are left on the stack.
    pub(super) fn start_run(&mut self, pc: usize, id: u32, at: usize) -> Option<usize> {
        let program = self.program;
        let run = &program.runs[id as usize];
        let set = &program.sets[run.set as usize];
        if run.possessive && run.greedy && run.max == UNBOUNDED && run.min <= 1 {
            let end = self.run_end(id as usize, at);
            return (end > at || run.min == 0).then_some(end);
        }
        let mut lo = at;
        for _ in 0..run.min {
            self.cost += u64::from(lo % 16 == 15);
            lo = self.input.step_set(set, lo)?;
        }
        let limit = match run.max {
            // From the first character on: where the run begins is worth knowing too.
            UNBOUNDED if run.greedy => self.run_end(id as usize, at),
            UNBOUNDED => UNSET as usize,
            max => {
                let mut hi = lo;
                for _ in run.min..max {
                    match self.input.step_set(set, hi) {
                        Some(after) => hi = after,
                        None => break,
                    }
                }
                self.cost += (hi - lo) as u64 / 16;
                hi
            }
        };
        match (run.greedy, run.possessive) {
            (true, true) => Some(limit),
            (false, true) => Some(lo),
            (true, false) => self.greedy_from(pc, id as usize, lo, limit),
            (false, false) => self.lazy_from(pc, id as usize, lo, limit),
        }
    }

    #[inline]
    pub(super) fn run_end(&mut self, id: usize, at: usize) -> usize {
        let set = &self.program.sets[self.program.runs[id].set as usize];
        let memo = &mut self.memory.runs[id];
        if let Some(end) = memo.end_from(at) {
            return end;
        }
        // Runs are often asked for from the end backwards, one character at a time.
        let joined = self.input.step_set(set, at).and_then(|after| memo.end_when_beginning_at(after));
        if let Some(end) = joined {
            memo.note_scan(at, end);
            return end;
        }
        let end = self.input.run_end(set, at);
        memo.note_scan(at, end);
        self.cost += (end - at) as u64 / 16;
        end
    }

    /// The longest length, of those up to `hi`, with which the pattern could go on.
    fn greedy_from(&mut self, pc: usize, id: usize, lo: usize, hi: usize) -> Option<usize> {
        let run = &self.program.runs[id];
        let memo = &mut self.memory.runs[id];
        let mut at = hi;
        let mut steps = 0;
        let found = loop {
            if run.memo
                && let Some((first, _)) = memo.failure_at(at)
            {
                if first <= lo {
                    break None;
                }
                at = self.input.back(first);
                if at < lo {
                    break None;
                }
                continue;
            }
            if run.next.allows(self.input.key(at)) {
                break Some(at);
            }
            if at <= lo {
                break None;
            }
            at = self.input.back(at);
            steps += 1;
        };
        self.cost += steps / 16;
        if run.memo {
            memo.note_failures(found.map_or(lo, |at| at + 1), hi + 1);
        }
        let at = found?;
        if at > lo {
            self.push(Frame::Greedy { pc: pc as u32, lo: lo as u32, at: at as u32 });
        }
        Some(at)
    }

    /// The run of this length failed: the next shorter one.
    pub(super) fn shorter(&mut self, pc: usize, lo: usize, at: usize) -> Option<usize> {
        let Inst::Run(id) = self.program.insts[pc] else { return None };
        let id = id as usize;
        let before = self.input.back(at);
        if self.program.runs[id].memo {
            self.memory.runs[id].note_failures(before + 1, at + 1);
        }
        self.greedy_from(pc, id, lo, before)
    }

    /// The shortest length, from `at` on, with which the pattern could go on.
    fn lazy_from(&mut self, pc: usize, id: usize, lo: usize, limit: usize) -> Option<usize> {
        let run = &self.program.runs[id];
        let set = &self.program.sets[run.set as usize];
        let memo = run.memo && run.max == UNBOUNDED;
        let mut at = lo;
        let mut steps = 0;
        let found = loop {
            if memo && let Some((_, past)) = self.memory.runs[id].failure_at(at) {
                let end = self.run_end(id, at);
                if past > end {
                    at = end;
                    break None;
                }
                at = past;
            }
            if run.max == UNBOUNDED
                && let Some(next) = self.input.next_literal(run, at)
            {
                let end = if set.scan == Scan::Everything { self.input.len() } else { self.run_end(id, at) };
                let stop = next.unwrap_or(self.input.len());
                steps += stop - at;
                at = stop.min(end);
                break next.filter(|next| *next <= end);
            }
            if run.next.allows(self.input.key(at)) {
                break Some(at);
            }
            if at >= limit {
                break None;
            }
            match self.input.step_set(set, at) {
                Some(after) => at = after,
                None => break None,
            }
            steps += 1;
        };
        self.cost += steps as u64 / 16;
        if memo {
            self.memory.runs[id].note_failures(lo, found.unwrap_or(at + 1));
        }
        let at = found?;
        if at < limit {
            self.push(Frame::Lazy { pc: pc as u32, at: at as u32, limit: limit as u32 });
        }
        Some(at)
    }

    /// The run of this length failed: the next longer one.
    pub(super) fn longer(&mut self, pc: usize, at: usize, limit: usize) -> Option<usize> {
        let Inst::Run(id) = self.program.insts[pc] else { return None };
        let id = id as usize;
        let run = &self.program.runs[id];
        let after = self.input.step_set(&self.program.sets[run.set as usize], at);
        if run.memo && run.max == UNBOUNDED {
            self.memory.runs[id].note_failures(at, after.unwrap_or(at + 1));
        }
        self.lazy_from(pc, id, after?, limit)
    }
}
