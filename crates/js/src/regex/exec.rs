//! The machine: a backtracking matcher with an own stack, a step limit and a memory of failures.

use super::ast::{Assertion, Direction, UNBOUNDED, Word};
use super::classes::is_line_end;
use super::error::Exhausted;
use super::fuel::Fuel;
use super::input::Input;
use super::memo::{self, Failures, RunMemo};
use super::program::{Inst, Point, Program, Reference, Scan};
use super::unicode::canonicalize;

/// A capture that did not take part.
pub(super) const UNSET: u32 = u32::MAX;

/// The most frames on the stack; more is exhaustion too. A frame has 16 bytes.
const MAX_FRAMES: usize = 2 << 20;

/// Failures are remembered once there were so many retries, and eight more for each character of the text: matching
/// that goes well never pays for it.
const MEMO_AFTER: usize = 2048;

/// What to do when the present way fails.
#[derive(Clone, Copy)]
enum Frame {
    /// Go on at a step and a position. `point` is where the fork was.
    Branch { pc: u32, at: u32, point: u32 },
    /// Try the run's next shorter length.
    Greedy { pc: u32, lo: u32, at: u32 },
    /// Try the run's next longer length.
    Lazy { pc: u32, at: u32, limit: u32 },
    /// Put back a capture.
    Slot { slot: u32, value: u32 },
    /// Put back where a round began.
    Register { register: u32, value: u32 },
    /// Put back a counter.
    Counter { counter: u32, value: u32 },
    /// All ways from here failed: remember it.
    Failed { row: u32, at: u32 },
    /// The look's body failed.
    Look { pc: u32, at: u32, outer: u32 },
}

/// The machine's working memory for one text. It can be used for many matches in the same text, and only there.
pub(super) struct Memory {
    stack: Vec<Frame>,
    pub slots: Vec<u32>,
    registers: Vec<u32>,
    counters: Vec<u32>,
    runs: Vec<RunMemo>,
    failures: Option<Failures>,
    /// Retries until failures are remembered.
    patience: usize,
}

impl Memory {
    pub fn new(program: &Program, length: usize) -> Self {
        Memory {
            stack: Vec::new(),
            slots: vec![UNSET; program.slots],
            registers: vec![0; program.registers],
            counters: vec![0; program.counters.len()],
            runs: vec![RunMemo::default(); program.runs.len()],
            failures: None,
            patience: MEMO_AFTER.saturating_add(length.saturating_mul(8)),
        }
    }

    /// Where the run that holds a position ends, if it was seen to.
    pub fn run_end(&self, run: u32, at: usize) -> Option<usize> {
        self.runs[run as usize].end_from(at)
    }
}

/// Tries to match with the match beginning at `start`. The captures are then in `memory.slots`.
pub(super) fn match_at<I: Input>(
    program: &Program,
    input: I,
    start: usize,
    memory: &mut Memory,
    fuel: &mut Fuel,
) -> Result<bool, Exhausted> {
    memory.stack.clear();
    memory.slots.fill(UNSET);
    let steps = fuel.steps;
    let mut machine = Machine { program, input, memory, steps, look: UNSET };
    let found = machine.run(start);
    fuel.steps = machine.steps;
    found
}

struct Machine<'m, I> {
    program: &'m Program,
    input: I,
    memory: &'m mut Memory,
    steps: u64,
    /// The frame of the innermost look.
    look: u32,
}

impl<I: Input> Machine<'_, I> {
    fn run(&mut self, start: usize) -> Result<bool, Exhausted> {
        let program = self.program;
        let input = self.input;
        let (mut pc, mut at) = (0_usize, start);
        loop {
            if self.steps == 0 || self.memory.stack.len() > MAX_FRAMES {
                self.steps = 0;
                return Err(Exhausted);
            }
            self.steps -= 1;
            // A step that can go on does so with `continue`; what falls through has failed.
            match program.insts[pc] {
                Inst::Literal { start, len, direction } => {
                    let (start, len) = (start as usize, len as usize);
                    let place = match direction {
                        Direction::Forward => Some(at),
                        Direction::Backward => at.checked_sub(len),
                    };
                    if let Some(place) = place
                        && input.has_literal(&program.literals, start, start + len, place)
                    {
                        at = if direction == Direction::Forward { at + len } else { place };
                        pc += 1;
                        continue;
                    }
                }
                Inst::Set { set, direction } => {
                    let set = &program.sets[set as usize];
                    let after = match direction {
                        Direction::Forward => input.step_set(set, at),
                        Direction::Backward => {
                            input.prev(at).and_then(|(c, before)| set.contains(c).then_some(before))
                        }
                    };
                    if let Some(after) = after {
                        at = after;
                        pc += 1;
                        continue;
                    }
                }
                Inst::Run(run) => {
                    if let Some(after) = self.start_run(pc, run, at) {
                        at = after;
                        pc += 1;
                        continue;
                    }
                }
                Inst::Split { first, second, split } => {
                    let info = &program.splits[split as usize];
                    let key = input.key(at);
                    let point = info.point;
                    match (info.first.allows(key), info.second.allows(key)) {
                        (true, true) => {
                            if self.may_try(point, at) {
                                self.memory.stack.push(Frame::Branch { pc: second, at: at as u32, point });
                                pc = first as usize;
                                continue;
                            }
                        }
                        (false, false) => {}
                        (first_may, _) => {
                            if self.try_only(point, at) {
                                pc = if first_may { first } else { second } as usize;
                                continue;
                            }
                        }
                    }
                }
                Inst::Jump(to) => {
                    pc = to as usize;
                    continue;
                }
                Inst::Save(slot) => {
                    self.set_slot(slot as usize, at as u32);
                    pc += 1;
                    continue;
                }
                Inst::Unset { from, to } => {
                    for slot in from..to {
                        if self.memory.slots[slot as usize] != UNSET {
                            self.set_slot(slot as usize, UNSET);
                        }
                    }
                    pc += 1;
                    continue;
                }
                Inst::Mark(register) => {
                    let value = std::mem::replace(&mut self.memory.registers[register as usize], at as u32);
                    self.memory.stack.push(Frame::Register { register, value });
                    pc += 1;
                    continue;
                }
                Inst::CheckProgress(register) => {
                    if self.memory.registers[register as usize] != at as u32 {
                        pc += 1;
                        continue;
                    }
                }
                Inst::CounterStart(counter) => {
                    self.set_counter(counter, 0);
                    pc += 1;
                    continue;
                }
                Inst::CounterNext(counter) => {
                    let count = self.memory.counters[counter as usize];
                    self.set_counter(counter, count.saturating_add(1));
                    pc += 1;
                    continue;
                }
                Inst::CounterLoop { counter, exit, split } => {
                    let bounds = program.counters[counter as usize];
                    let count = self.memory.counters[counter as usize];
                    if count < bounds.min {
                        pc += 1;
                        continue;
                    }
                    if count >= bounds.max {
                        pc = exit as usize;
                        continue;
                    }
                    let point = program.splits[split as usize].point;
                    if self.may_try(point, at) {
                        let body = pc as u32 + 1;
                        let (first, second) = if bounds.greedy { (body, exit) } else { (exit, body) };
                        self.memory.stack.push(Frame::Branch { pc: second, at: at as u32, point });
                        pc = first as usize;
                        continue;
                    }
                }
                Inst::CheckCounted { register, counter } => {
                    let bounds = program.counters[counter as usize];
                    if self.memory.registers[register as usize] != at as u32
                        || self.memory.counters[counter as usize] <= bounds.min
                    {
                        pc += 1;
                        continue;
                    }
                }
                Inst::Assert(assertion) => {
                    if holds(input, assertion, at) {
                        pc += 1;
                        continue;
                    }
                }
                Inst::BackReference { reference, direction } => {
                    if let Some(after) =
                        self.reference(&program.references[reference as usize], at, direction)
                    {
                        at = after;
                        pc += 1;
                        continue;
                    }
                }
                Inst::Look { point, .. } => {
                    if self.try_only(point, at) {
                        let outer = std::mem::replace(&mut self.look, self.memory.stack.len() as u32);
                        self.memory.stack.push(Frame::Look { pc: pc as u32, at: at as u32, outer });
                        pc += 1;
                        continue;
                    }
                }
                Inst::LookEnd => {
                    if let Some(next) = self.end_look() {
                        (pc, at) = next;
                        continue;
                    }
                }
                Inst::Match => return Ok(true),
                Inst::Fail => {}
            }
            match self.backtrack() {
                Some(next) => (pc, at) = next,
                None => return Ok(false),
            }
        }
    }

    fn set_slot(&mut self, slot: usize, value: u32) {
        let old = std::mem::replace(&mut self.memory.slots[slot], value);
        // With an empty stack the next failure ends the attempt, and captures need not be put back.
        if !self.memory.stack.is_empty() {
            self.memory.stack.push(Frame::Slot { slot: slot as u32, value: old });
        }
    }

    fn set_counter(&mut self, counter: u32, value: u32) {
        let value = std::mem::replace(&mut self.memory.counters[counter as usize], value);
        self.memory.stack.push(Frame::Counter { counter, value });
    }

    /// The row of a point, when failures are being remembered there.
    fn row(&self, point: u32, at: usize) -> Option<u32> {
        self.memory.failures.as_ref()?;
        let point: &Point = &self.program.points[point as usize];
        point.enabled.then(|| memo::row(point, at, &self.memory.registers, &self.memory.counters))
    }

    /// Whether it is not known that a point fails here.
    fn may_try(&self, point: u32, at: usize) -> bool {
        match (&self.memory.failures, self.row(point, at)) {
            (Some(failures), Some(row)) => !failures.has(row, at),
            _ => true,
        }
    }

    /// The same where there is only one way on: its failure will be the point's.
    fn try_only(&mut self, point: u32, at: usize) -> bool {
        let (Some(failures), Some(row)) = (&self.memory.failures, self.row(point, at)) else { return true };
        if failures.has(row, at) {
            return false;
        }
        self.memory.stack.push(Frame::Failed { row, at: at as u32 });
        true
    }

    /// Goes back to the last choice; nothing when there is none.
    fn backtrack(&mut self) -> Option<(usize, usize)> {
        self.memory.patience = self.memory.patience.saturating_sub(1);
        if self.memory.patience == 0 && self.memory.failures.is_none() {
            self.memory.failures = Failures::new(self.program, self.input.len());
            self.memory.patience = usize::MAX;
        }
        loop {
            match self.memory.stack.pop()? {
                Frame::Branch { pc, at, point } => {
                    if let Some(row) = self.row(point, at as usize) {
                        self.memory.stack.push(Frame::Failed { row, at });
                    }
                    return Some((pc as usize, at as usize));
                }
                Frame::Greedy { pc, lo, at } => {
                    if let Some(next) = self.shorter(pc as usize, lo as usize, at as usize) {
                        return Some((pc as usize + 1, next));
                    }
                }
                Frame::Lazy { pc, at, limit } => {
                    if let Some(next) = self.longer(pc as usize, at as usize, limit as usize) {
                        return Some((pc as usize + 1, next));
                    }
                }
                Frame::Failed { row, at } => {
                    if let Some(failures) = &mut self.memory.failures {
                        failures.note(row, at as usize);
                    }
                }
                Frame::Look { pc, at, outer } => {
                    self.look = outer;
                    if let Inst::Look { after, negative: true, .. } = self.program.insts[pc as usize] {
                        return Some((after as usize, at as usize));
                    }
                }
                restore => self.restore(restore),
            }
        }
    }

    fn restore(&mut self, frame: Frame) {
        match frame {
            Frame::Slot { slot, value } => self.memory.slots[slot as usize] = value,
            Frame::Register { register, value } => self.memory.registers[register as usize] = value,
            Frame::Counter { counter, value } => self.memory.counters[counter as usize] = value,
            _ => {}
        }
    }

    /// The body of the innermost look matched.
    fn end_look(&mut self) -> Option<(usize, usize)> {
        let base = self.look as usize;
        let Frame::Look { pc, at, outer } = self.memory.stack[base] else { return None };
        let Inst::Look { after, negative, .. } = self.program.insts[pc as usize] else { return None };
        self.look = outer;
        if negative {
            while self.memory.stack.len() > base {
                if let Some(frame) = self.memory.stack.pop() {
                    self.restore(frame);
                }
            }
            return None;
        }
        // The body's choices are dropped; what puts captures back is kept.
        let mut kept = base;
        for i in base + 1..self.memory.stack.len() {
            let frame = self.memory.stack[i];
            if matches!(frame, Frame::Slot { .. } | Frame::Register { .. } | Frame::Counter { .. }) {
                self.memory.stack[kept] = frame;
                kept += 1;
            }
        }
        self.memory.stack.truncate(kept);
        Some((after as usize, at as usize))
    }

    fn reference(&mut self, reference: &Reference, at: usize, direction: Direction) -> Option<usize> {
        let slots = &self.memory.slots;
        let group = reference.groups.iter().find_map(|g| {
            let (start, end) = (slots[2 * *g as usize], slots[2 * *g as usize + 1]);
            (start != UNSET && end != UNSET).then_some((start as usize, end as usize))
        });
        // A group that did not take part matches the empty text.
        let Some((start, end)) = group else { return Some(at) };
        self.steps = self.steps.saturating_sub((end - start) as u64 / 16);
        let input = self.input;
        if reference.fold == super::ast::Fold::Exact {
            let length = end - start;
            let place = match direction {
                Direction::Forward => at..at + length,
                Direction::Backward => at.checked_sub(length)?..at,
            };
            let after = if direction == Direction::Forward { place.end } else { place.start };
            if let Some(same) = input.same(start..end, place) {
                return same.then_some(after);
            }
        }
        let same =
            |a: u32, b: u32| a == b || canonicalize(a, reference.fold) == canonicalize(b, reference.fold);
        let mut here = at;
        match direction {
            Direction::Forward => {
                let mut there = start;
                while there < end {
                    let ((a, next), (b, after)) = (input.next(there)?, input.next(here)?);
                    if !same(a, b) {
                        return None;
                    }
                    (there, here) = (next, after);
                }
            }
            Direction::Backward => {
                let mut there = end;
                while there > start {
                    let ((a, next), (b, before)) = (input.prev(there)?, input.prev(here)?);
                    if !same(a, b) {
                        return None;
                    }
                    (there, here) = (next, before);
                }
            }
        }
        Some(here)
    }

    /// The first position to go on from after a run; the others are left on the stack.
    fn start_run(&mut self, pc: usize, id: u32, at: usize) -> Option<usize> {
        let program = self.program;
        let run = &program.runs[id as usize];
        let set = &program.sets[run.set as usize];
        let mut lo = at;
        for _ in 0..run.min {
            self.steps = self.steps.saturating_sub(u64::from(lo % 16 == 15));
            lo = self.input.step_set(set, lo)?;
        }
        let limit = match run.max {
            UNBOUNDED if run.greedy => self.run_end(id as usize, lo),
            UNBOUNDED => UNSET as usize,
            max => {
                let mut hi = lo;
                for _ in run.min..max {
                    match self.input.step_set(set, hi) {
                        Some(after) => hi = after,
                        None => break,
                    }
                }
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

    fn run_end(&mut self, id: usize, at: usize) -> usize {
        let set = &self.program.sets[self.program.runs[id].set as usize];
        let memo = &mut self.memory.runs[id];
        if let Some(end) = memo.end_from(at) {
            return end;
        }
        let end = self.input.run_end(set, at);
        memo.note_scan(at, end);
        self.steps = self.steps.saturating_sub((end - at) as u64 / 16);
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
        self.steps = self.steps.saturating_sub(steps / 16);
        if run.memo {
            memo.note_failures(found.map_or(lo, |at| at + 1), hi + 1);
        }
        let at = found?;
        if at > lo {
            self.memory.stack.push(Frame::Greedy { pc: pc as u32, lo: lo as u32, at: at as u32 });
        }
        Some(at)
    }

    /// The run of this length failed: the next shorter one.
    fn shorter(&mut self, pc: usize, lo: usize, at: usize) -> Option<usize> {
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
        self.steps = self.steps.saturating_sub(steps as u64 / 16);
        if memo {
            self.memory.runs[id].note_failures(lo, found.unwrap_or(at + 1));
        }
        let at = found?;
        if at < limit {
            self.memory.stack.push(Frame::Lazy { pc: pc as u32, at: at as u32, limit: limit as u32 });
        }
        Some(at)
    }

    /// The run of this length failed: the next longer one.
    fn longer(&mut self, pc: usize, at: usize, limit: usize) -> Option<usize> {
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

fn holds<I: Input>(input: I, assertion: Assertion, at: usize) -> bool {
    let is_word = |c: Option<(u32, usize)>, word: Word| {
        c.is_some_and(|(c, _)| match char::from_u32(c) {
            Some(c) if c.is_ascii_alphanumeric() || c == '_' => true,
            Some('\u{17F}' | '\u{212A}') => word == Word::Folded,
            _ => false,
        })
    };
    let at_boundary = |word| is_word(input.prev(at), word) != is_word(input.next(at), word);
    match assertion {
        Assertion::TextStart => at == 0,
        Assertion::TextEnd => at == input.len(),
        Assertion::LineStart => input.prev(at).is_none_or(|(c, _)| is_line_end(c)),
        Assertion::LineEnd => input.next(at).is_none_or(|(c, _)| is_line_end(c)),
        Assertion::Word(word) => at_boundary(word),
        Assertion::NotWord(word) => !at_boundary(word),
    }
}
