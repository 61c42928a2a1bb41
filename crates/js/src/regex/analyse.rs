//! What can be known of a program before it runs: with what each fork can go on, and where failures may be remembered.

use super::ast::{Assertion, Direction};
use super::program::{Encoding, Filter, Inst, Program, State};

/// How many steps to look at for one answer; beyond, nothing is known.
const LOOK: usize = 500;
/// The most rows one place may take in the table of failures.
const POINT_ROWS: u64 = 4096;

/// Fills in filters, memo rows and the facts about where a match can begin.
pub(super) fn analyse(program: &mut Program, backward_splits: &[u32]) {
    let mut backward = vec![false; program.splits.len()];
    for split in backward_splits {
        backward[*split as usize] = true;
    }
    let mut seen = Seen::new(program.insts.len());
    for at in 0..program.insts.len() {
        match program.insts[at] {
            Inst::Split { first, second, split } if !backward[split as usize] => {
                program.splits[split as usize].first = filter(program, first, &mut seen);
                program.splits[split as usize].second = filter(program, second, &mut seen);
            }
            Inst::Run(run) => {
                let next = filter(program, at as u32 + 1, &mut seen);
                let run = &mut program.runs[run as usize];
                run.next = next;
                let own = program.sets[run.set as usize].filter;
                run.possessive = run.greedy && !next.may_be_empty && next.is_disjoint(&own);
            }
            _ => {}
        }
    }
    program.first = filter(program, 0, &mut seen);
    program.anchored = is_anchored(program, &mut seen);
    memo_rows(program);
}

/// The steps seen in one walk; emptied without being written anew.
struct Seen {
    round: u32,
    rounds: Vec<u32>,
    count: usize,
}

impl Seen {
    fn new(steps: usize) -> Self {
        Seen { round: 0, rounds: vec![0; steps], count: 0 }
    }

    fn clear(&mut self) {
        self.round += 1;
        self.count = 0;
    }

    fn insert(&mut self, at: u32) -> bool {
        self.count += 1;
        std::mem::replace(&mut self.rounds[at as usize], self.round) != self.round
    }
}

/// With what the program can go on from a step; anything, when it can end there.
fn filter(program: &Program, from: u32, seen: &mut Seen) -> Filter {
    let mut found = Filter::NOTHING;
    let mut todo = vec![from];
    seen.clear();
    while let Some(at) = todo.pop() {
        if !seen.insert(at) {
            continue;
        }
        if seen.count > LOOK {
            return Filter::ANYTHING;
        }
        match program.insts[at as usize] {
            Inst::Literal { start, direction: Direction::Forward, .. } => {
                let start = start as usize;
                match program.encoding {
                    Encoding::Utf8 => found.add(program.literals.bytes[start]),
                    _ => found.add(program.literals.units[start].min(0x80) as u8),
                }
            }
            Inst::Set { set, direction: Direction::Forward } => {
                found.merge(&program.sets[set as usize].filter);
            }
            Inst::Run(run) => {
                let run = &program.runs[run as usize];
                found.merge(&program.sets[run.set as usize].filter);
                if run.min == 0 {
                    todo.push(at + 1);
                }
            }
            Inst::Split { first, second, .. } => todo.extend([second, first]),
            Inst::Jump(to) => todo.push(to),
            // Reached from the end of the body too, with any count.
            Inst::CounterLoop { exit, .. } => todo.extend([exit, at + 1]),
            // What is required besides can only narrow it.
            Inst::Look { after, .. } => todo.push(after),
            Inst::Fail => {}
            Inst::Save(_)
            | Inst::Unset { .. }
            | Inst::Mark(_)
            | Inst::CheckProgress(_)
            | Inst::CounterStart(_)
            | Inst::CounterNext(_)
            | Inst::CheckCounted { .. }
            | Inst::Assert(_) => todo.push(at + 1),
            Inst::Literal { .. }
            | Inst::Set { .. }
            | Inst::BackReference { .. }
            | Inst::LookEnd
            | Inst::Match => return Filter::ANYTHING,
        }
    }
    found
}

/// Whether every way into the pattern passes the start of the text.
fn is_anchored(program: &Program, seen: &mut Seen) -> bool {
    let mut todo = vec![0];
    seen.clear();
    while let Some(at) = todo.pop() {
        if !seen.insert(at) {
            continue;
        }
        if seen.count > LOOK {
            return false;
        }
        match program.insts[at as usize] {
            Inst::Assert(Assertion::TextStart) | Inst::Fail => {}
            Inst::Save(_) | Inst::Unset { .. } => todo.push(at + 1),
            Inst::Split { first, second, .. } => todo.extend([second, first]),
            Inst::Jump(to) => todo.push(to),
            _ => return false,
        }
    }
    true
}

/// Switches off the memory of places that depend on captures, and lays out the rows of the others.
fn memo_rows(program: &mut Program) {
    let depends = reaches_reference(program);
    let insts = std::mem::take(&mut program.insts);
    for (at, inst) in insts.iter().enumerate() {
        match *inst {
            Inst::Split { split, .. } | Inst::CounterLoop { split, .. } => {
                let point = program.splits[split as usize].point as usize;
                program.points[point].enabled = !depends[at];
            }
            Inst::Look { point, .. } => program.points[point as usize].enabled = !depends[at],
            Inst::Run(run) => program.runs[run as usize].memo &= !depends[at],
            _ => {}
        }
    }
    program.insts = insts;
    for point in &mut program.points {
        let rows = point.states.iter().fold(1_u64, |rows, state| {
            rows.saturating_mul(match state {
                State::Progress(_) => 2,
                State::Counter(_, values) => u64::from(*values),
            })
        });
        if rows > POINT_ROWS {
            point.enabled = false;
        }
        point.base = program.rows;
        if point.enabled {
            program.rows += rows;
        }
    }
}

/// For each step, whether a back reference can come after it (inside a look, before the look's end).
fn reaches_reference(program: &Program) -> Vec<bool> {
    let count = program.insts.len();
    let mut into: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut todo = Vec::new();
    for (at, inst) in program.insts.iter().enumerate() {
        let mut edge = |to: u32| into[to as usize].push(at as u32);
        match *inst {
            Inst::Split { first, second, .. } => {
                edge(first);
                edge(second);
            }
            Inst::Jump(to) => edge(to),
            Inst::CounterLoop { exit, .. } => {
                edge(exit);
                edge(at as u32 + 1);
            }
            Inst::Look { after, .. } => {
                edge(after);
                edge(at as u32 + 1);
            }
            Inst::Match | Inst::LookEnd | Inst::Fail => {}
            Inst::BackReference { .. } => {
                todo.push(at as u32);
                edge(at as u32 + 1);
            }
            _ => edge(at as u32 + 1),
        }
    }
    let mut depends = vec![false; count];
    while let Some(at) = todo.pop() {
        if !std::mem::replace(&mut depends[at as usize], true) {
            todo.extend_from_slice(&into[at as usize]);
        }
    }
    depends
}
