//! The machine: a backtracking matcher with an own stack, a step limit and a memory of failures.

use super::ast::{Assertion, Direction, Word};
use super::classes::is_line_end;
use super::error::Exhausted;
use super::fuel::Fuel;
use super::input::Input;
use super::memo::{self, Failures, RunMemo};
use super::program::{Inst, Point, Program, Reference};
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
pub(super) enum Frame {
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
    /// Whether a slot may be set.
    dirty: bool,
    registers: Vec<u32>,
    counters: Vec<u32>,
    pub runs: Vec<RunMemo>,
    failures: Option<Failures>,
    /// Retries until failures are remembered.
    patience: usize,
}

impl Memory {
    pub fn new(program: &Program, length: usize) -> Self {
        Memory {
            stack: Vec::new(),
            slots: vec![UNSET; program.slots],
            dirty: false,
            registers: vec![0; program.registers],
            counters: vec![0; program.counters.len()],
            runs: vec![RunMemo::default(); program.runs.len()],
            failures: None,
            patience: MEMO_AFTER.saturating_add(length.saturating_mul(8)),
        }
    }
}

/// Where a match may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Starts {
    /// At the first position only.
    Here,
    /// From there on.
    Onwards,
}

/// Finds the first match from a position on. Its captures are then in `memory.slots`.
pub(super) fn find<I: Input>(
    program: &Program,
    input: I,
    from: usize,
    starts: Starts,
    memory: &mut Memory,
    fuel: &mut Fuel,
) -> Result<bool, Exhausted> {
    let steps = fuel.steps;
    let mut machine = Machine { program, input, memory, steps, cost: 0, look: UNSET };
    machine.clear();
    let found = machine.run(from, starts);
    fuel.steps = machine.steps;
    if let Ok(Some((start, end))) = found {
        memory.dirty = true;
        memory.slots[0] = start as u32;
        memory.slots[1] = end as u32;
    }
    found.map(|span| span.is_some())
}

pub(super) struct Machine<'m, I> {
    pub program: &'m Program,
    pub input: I,
    pub memory: &'m mut Memory,
    steps: u64,
    /// Steps to be taken off for work inside a step.
    pub cost: u64,
    /// The frame of the innermost look.
    look: u32,
}

impl<I: Input> Machine<'_, I> {
    /// Forgets the last attempt.
    fn clear(&mut self) {
        self.memory.stack.clear();
        if std::mem::take(&mut self.memory.dirty) {
            self.memory.slots.iter_mut().for_each(|slot| *slot = UNSET);
        }
    }

    /// The first place from a position on where a match can begin.
    fn next_start(&mut self, at: usize) -> Option<usize> {
        let start = self.input.next_start(&self.program.prefilter, &self.program.first, at)?;
        self.cost += (start - at) as u64 / 64;
        Some(start)
    }

    /// No match begins at `start`: the next place to try.
    fn start_after(&mut self, start: usize) -> Option<usize> {
        if start >= self.input.len() {
            return None;
        }
        let mut at = self.input.forth(start);
        if let Some(end) =
            self.program.leading_run.and_then(|run| self.memory.runs[run as usize].end_from(start))
        {
            at = at.max(end);
        }
        self.clear();
        self.next_start(at)
    }

    /// Runs the program from a position on; gives where the match is.
    fn run(&mut self, from: usize, starts: Starts) -> Result<Option<(usize, usize)>, Exhausted> {
        let start = if starts == Starts::Here { Some(from) } else { self.next_start(from) };
        let Some(mut start) = start else { return Ok(None) };
        let program = self.program;
        let input = self.input;
        let insts = &program.insts[..];
        let mut steps = self.steps;
        let (mut pc, mut at) = (0_usize, start);
        loop {
            if steps == 0 {
                self.steps = 0;
                return Err(Exhausted);
            }
            steps -= 1;
            // A step that can go on does so with `continue`; what falls through has failed.
            match insts[pc] {
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
                    let after = self.start_run(pc, run, at);
                    steps = steps.saturating_sub(std::mem::take(&mut self.cost));
                    if let Some(after) = after {
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
                                self.push(Frame::Branch { pc: second, at: at as u32, point });
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
                    self.push(Frame::Register { register, value });
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
                        self.push(Frame::Branch { pc: second, at: at as u32, point });
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
                        self.push(Frame::Look { pc: pc as u32, at: at as u32, outer });
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
                Inst::Match => {
                    self.steps = steps;
                    return Ok(Some((start, at)));
                }
                Inst::Fail => {}
            }
            let mut next = None;
            if !self.memory.stack.is_empty() {
                next = self.backtrack();
            }
            if next.is_none() && starts == Starts::Onwards {
                next = self.start_after(start).map(|at| (0, at));
                start = next.map_or(start, |(_, at)| at);
            }
            steps = steps.saturating_sub(std::mem::take(&mut self.cost));
            match next {
                Some(next) => (pc, at) = next,
                None => {
                    self.steps = steps;
                    return Ok(None);
                }
            }
        }
    }

    /// Keeps a frame for later; a stack that grows too large uses up the fuel.
    #[inline]
    pub(super) fn push(&mut self, frame: Frame) {
        self.memory.stack.push(frame);
        if self.memory.stack.len() > MAX_FRAMES {
            self.cost = u64::MAX / 2;
        }
    }

    fn set_slot(&mut self, slot: usize, value: u32) {
        let old = std::mem::replace(&mut self.memory.slots[slot], value);
        self.memory.dirty = true;
        // With an empty stack the next failure ends the attempt, and captures need not be put back.
        if !self.memory.stack.is_empty() {
            self.push(Frame::Slot { slot: slot as u32, value: old });
        }
    }

    fn set_counter(&mut self, counter: u32, value: u32) {
        let value = std::mem::replace(&mut self.memory.counters[counter as usize], value);
        self.push(Frame::Counter { counter, value });
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
        self.push(Frame::Failed { row, at: at as u32 });
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
                        self.push(Frame::Failed { row, at });
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
        self.cost += (end - start) as u64 / 16;
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
