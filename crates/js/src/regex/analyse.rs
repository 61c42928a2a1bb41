//! What can be known of a program before it runs: with what each fork can go on, and where failures may be remembered.

use std::collections::HashMap;

use memchr::memmem::Finder;

use super::ast::{Assertion, Direction, UNBOUNDED};
use super::classes::line_ends;
use super::program::{ABOVE_ASCII, Encoding, Filter, Inst, Program, State, keys_of};

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
    let mut seen = Seen::new(program);
    // From the end: what comes later is then known already, and long alternatives cost no more than their length.
    for at in (0..program.insts.len()).rev() {
        match program.insts[at] {
            Inst::Look { negative: false, direction: Direction::Forward, .. } => {
                let body = filter(program, at as u32 + 1, &mut seen);
                seen.looks.insert(at as u32, body);
            }
            Inst::Split { first, second, split } if !backward[split as usize] => {
                program.splits[split as usize].first = filter(program, first, &mut seen);
                program.splits[split as usize].second = filter(program, second, &mut seen);
                seen.known_splits[split as usize] = true;
            }
            Inst::Run(run) => {
                let next = filter(program, at as u32 + 1, &mut seen);
                let accepts = cannot_fail(program, at + 1);
                let literal = literal_at(program, at + 1);
                let run = &mut program.runs[run as usize];
                run.next = next;
                let own = program.sets[run.set as usize].filter;
                run.possessive = accepts || (run.greedy && next.has_no_key_of(&own));
                run.literal = literal.filter(|_| !run.greedy).map(|text| Finder::new(&text).into_owned());
            }
            _ => {}
        }
    }
    program.first = filter(program, 0, &mut seen);
    program.anchored = is_anchored(program, &mut seen);
    memo_rows(program);
    program.leading_run = leading_run(program);
}

/// The step after those that only store positions.
fn skip_saves(program: &Program, at: usize) -> usize {
    let saves = program.insts[at..].iter().take_while(|inst| matches!(inst, Inst::Save(_))).count();
    at + saves
}

/// Whether the program ends from here without any condition.
fn cannot_fail(program: &Program, at: usize) -> bool {
    matches!(program.insts[skip_saves(program, at)], Inst::Match | Inst::LookEnd)
}

/// The literal that must come at once, in UTF-8.
fn literal_at(program: &Program, at: usize) -> Option<Vec<u8>> {
    match program.insts[skip_saves(program, at)] {
        Inst::Literal { start, len, direction: Direction::Forward } if program.encoding == Encoding::Utf8 => {
            program.literals.bytes.get(start as usize..(start + len) as usize).map(<[u8]>::to_vec)
        }
        _ => None,
    }
}

fn leading_run(program: &Program) -> Option<u32> {
    match program.insts[skip_saves(program, 0)] {
        Inst::Run(run) => {
            let found = &program.runs[run as usize];
            (found.memo && found.max == UNBOUNDED).then_some(run)
        }
        _ => None,
    }
}

/// The steps seen in one walk, each with what may come next there; emptied without being written anew.
struct Seen {
    round: u32,
    rounds: Vec<(u32, Filter)>,
    count: usize,
    /// With what the bodies of positive lookaheads can begin, by their steps.
    looks: HashMap<u32, Filter>,
    /// The forks whose filters are filled in.
    known_splits: Vec<bool>,
}

impl Seen {
    fn new(program: &Program) -> Self {
        Seen {
            round: 0,
            rounds: vec![(0, Filter::NOTHING); program.insts.len()],
            count: 0,
            looks: HashMap::new(),
            known_splits: vec![false; program.splits.len()],
        }
    }

    fn clear(&mut self) {
        self.round += 1;
        self.count = 0;
    }

    /// Notes a step; false when it was seen with as much as this before.
    fn insert(&mut self, at: u32, allowed: Filter) -> bool {
        self.count += 1;
        let (round, known) = &mut self.rounds[at as usize];
        let before = if *round == self.round { *known } else { Filter::NOTHING };
        let new = *round != self.round || before.union(&allowed) != before;
        *round = self.round;
        *known = before.union(&allowed);
        new
    }
}

/// What may come next for the program to go on from a step.
fn filter(program: &Program, from: u32, seen: &mut Seen) -> Filter {
    let mut found = Filter::NOTHING;
    // Each step with what may come next by the assertions on the way to it.
    let mut todo = vec![(from, Filter::ANYTHING)];
    seen.clear();
    while let Some((at, allowed)) = todo.pop() {
        if !seen.insert(at, allowed) {
            continue;
        }
        if seen.count > LOOK {
            return Filter::ANYTHING;
        }
        let mut take = |keys: &Filter| found = found.union(&keys.intersection(&allowed));
        match program.insts[at as usize] {
            Inst::Literal { start, direction: Direction::Forward, .. } => {
                let mut key = Filter::NOTHING;
                match program.encoding {
                    Encoding::Utf8 => key.add(program.literals.bytes[start as usize]),
                    _ => key.add(program.literals.units[start as usize].min(u16::from(ABOVE_ASCII)) as u8),
                }
                take(&key);
            }
            Inst::Set { set, direction: Direction::Forward } => take(&program.sets[set as usize].filter),
            Inst::Run(run) => {
                let run = &program.runs[run as usize];
                take(&program.sets[run.set as usize].filter);
                if run.min == 0 {
                    todo.push((at + 1, allowed));
                }
            }
            Inst::Split { split, .. } if seen.known_splits[split as usize] => {
                let info = &program.splits[split as usize];
                take(&info.first.union(&info.second));
            }
            Inst::Split { first, second, .. } => todo.extend([(second, allowed), (first, allowed)]),
            Inst::Jump(to) => todo.push((to, allowed)),
            // Reached from the end of the body too, with any count.
            Inst::CounterLoop { exit, .. } => todo.extend([(exit, allowed), (at + 1, allowed)]),
            // What a look requires can only narrow it.
            Inst::Look { after, .. } => {
                todo.push((after, allowed.intersection(seen.looks.get(&at).unwrap_or(&Filter::ANYTHING))));
            }
            Inst::Assert(Assertion::TextEnd) => {
                todo.push((at + 1, allowed.intersection(&Filter::NOTHING.or_end())));
            }
            Inst::Assert(Assertion::LineEnd) => {
                let ends = keys_of(&line_ends(), program.encoding).or_end();
                todo.push((at + 1, allowed.intersection(&ends)));
            }
            Inst::Fail => {}
            Inst::Save(_)
            | Inst::Unset { .. }
            | Inst::Mark(_)
            | Inst::CheckProgress(_)
            | Inst::CounterStart(_)
            | Inst::CounterNext(_)
            | Inst::CheckCounted { .. }
            | Inst::Assert(_) => todo.push((at + 1, allowed)),
            Inst::Literal { .. }
            | Inst::Set { .. }
            | Inst::BackReference { .. }
            | Inst::LookEnd
            | Inst::Match => take(&Filter::ANYTHING),
        }
    }
    found
}

/// Whether every way into the pattern passes the start of the text.
fn is_anchored(program: &Program, seen: &mut Seen) -> bool {
    let mut todo = vec![0];
    seen.clear();
    while let Some(at) = todo.pop() {
        if !seen.insert(at, Filter::ANYTHING) {
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
