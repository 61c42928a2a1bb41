//! From the parsed pattern to a program.

use std::collections::HashMap;

use super::analyse;
use super::ast::{Direction, Node, Pattern, Repeat, UNBOUNDED};
use super::classes::CharSet;
use super::flags::Flags;
use super::parse::join_surrogates;
use super::prefilter::Prefilter;
use super::program::{
    Counter, Encoding, Filter, Inst, Literals, Point, Program, Reference, Run, SetMatcher, SplitInfo, State,
};

/// A counted loop is written out in full up to this many steps; beyond, it counts. Written out, it can be remembered
/// without its counter and its forks can be decided one by one.
const UNROLL: usize = 1000;
/// Once a program has so many steps, nothing more is written out.
const UNROLL_TOTAL: usize = 20_000;

/// Compiles a pattern for texts of an encoding.
pub(super) fn compile(pattern: &Pattern, flags: Flags, encoding: Encoding) -> Program {
    let mut compiler = Compiler {
        program: Program {
            encoding,
            insts: Vec::new(),
            literals: Literals::default(),
            sets: Vec::new(),
            runs: Vec::new(),
            splits: Vec::new(),
            points: Vec::new(),
            counters: Vec::new(),
            references: Vec::new(),
            slots: 2 * (pattern.groups as usize + 1),
            registers: 0,
            first: Filter::ANYTHING,
            prefilter: Prefilter::Anywhere,
            leading_run: None,
            anchored: false,
            rows: 0,
        },
        join_pairs: encoding == Encoding::Utf8 && !flags.is_unicode(),
        known_sets: HashMap::new(),
        states: Vec::new(),
        backward_splits: Vec::new(),
    };
    compiler.node(&pattern.node, Direction::Forward);
    compiler.push(Inst::Match);
    let Compiler { mut program, backward_splits, .. } = compiler;
    analyse::analyse(&mut program, &backward_splits);
    if encoding == Encoding::Utf8 {
        program.prefilter = Prefilter::new(&pattern.node, &program.first);
    }
    program
}

struct Compiler {
    program: Program,
    /// Halves of a surrogate pair in the pattern that stand side by side are one character of the text.
    join_pairs: bool,
    known_sets: HashMap<CharSet, u32>,
    /// The loops around the present place, as far as they decide how it goes on.
    states: Vec<State>,
    /// Forks inside lookbehinds, for which the next character says nothing.
    backward_splits: Vec<u32>,
}

impl Compiler {
    fn push(&mut self, inst: Inst) -> usize {
        self.program.insts.push(inst);
        self.program.insts.len() - 1
    }

    fn here(&self) -> u32 {
        self.program.insts.len() as u32
    }

    fn point(&mut self) -> u32 {
        self.program.points.push(Point { states: self.states.clone(), enabled: true, base: 0 });
        self.program.points.len() as u32 - 1
    }

    fn new_split(&mut self, direction: Direction) -> u32 {
        let point = self.point();
        let split = self.program.splits.len() as u32;
        self.program.splits.push(SplitInfo { first: Filter::ANYTHING, second: Filter::ANYTHING, point });
        if direction == Direction::Backward {
            self.backward_splits.push(split);
        }
        split
    }

    /// A fork whose preferred way is the next step; the other is set later.
    fn fork(&mut self, greedy: bool, direction: Direction) -> Fork {
        let split = self.new_split(direction);
        let at = self.push(Inst::Fail);
        Fork { at, split, greedy }
    }

    fn set_fork(&mut self, fork: Fork, inside: u32, outside: u32) {
        let (first, second) = if fork.greedy { (inside, outside) } else { (outside, inside) };
        self.program.insts[fork.at] = Inst::Split { first, second, split: fork.split };
    }

    fn node(&mut self, node: &Node, direction: Direction) {
        match node {
            Node::Empty => {}
            Node::Char(c) => self.chars(&[*c], direction),
            Node::Set(set) => {
                let set = self.set(set);
                self.push(Inst::Set { set, direction });
            }
            Node::Sequence(nodes) => self.sequence(nodes, direction),
            Node::Alternatives(nodes) => self.alternatives(nodes, direction),
            Node::Group(group, node) => {
                let (open, close) = match direction {
                    Direction::Forward => (2 * group, 2 * group + 1),
                    Direction::Backward => (2 * group + 1, 2 * group),
                };
                self.push(Inst::Save(open));
                self.node(node, direction);
                self.push(Inst::Save(close));
            }
            Node::Repeat(repeat) => self.repeat(repeat, direction),
            Node::Assert(assertion) => {
                self.push(Inst::Assert(*assertion));
            }
            Node::Look(look) => {
                let point = self.point();
                let at = self.push(Inst::Fail);
                // The body's outcome does not depend on the loops around the look.
                let outer = std::mem::take(&mut self.states);
                self.node(&look.node, look.direction);
                self.states = outer;
                self.push(Inst::LookEnd);
                let (after, negative, direction) = (self.here(), look.negative, look.direction);
                self.program.insts[at] = Inst::Look { after, negative, direction, point };
            }
            Node::BackReference { groups, fold } => {
                let reference = self.program.references.len() as u32;
                self.program.references.push(Reference { groups: groups.clone(), fold: *fold });
                self.push(Inst::BackReference { reference, direction });
            }
        }
    }

    fn sequence(&mut self, nodes: &[Node], direction: Direction) {
        let mut rest = nodes;
        while !rest.is_empty() {
            let piece;
            match direction {
                Direction::Forward => {
                    let chars = rest.iter().take_while(|n| matches!(n, Node::Char(_))).count();
                    (piece, rest) = rest.split_at(chars.max(1));
                }
                Direction::Backward => {
                    let chars = rest.iter().rev().take_while(|n| matches!(n, Node::Char(_))).count();
                    (rest, piece) = rest.split_at(rest.len() - chars.max(1));
                }
            }
            match piece {
                [node] => self.node(node, direction),
                _ => {
                    let chars =
                        piece.iter().filter_map(|n| if let Node::Char(c) = n { Some(*c) } else { None });
                    let chars: Vec<u32> = chars.collect();
                    self.chars(&chars, direction);
                }
            }
        }
    }

    /// A literal.
    fn chars(&mut self, chars: &[u32], direction: Direction) {
        let mut joined: Vec<u32> = Vec::with_capacity(chars.len());
        for &c in chars {
            match joined.last_mut() {
                Some(high)
                    if self.join_pairs
                        && (0xD800..=0xDBFF).contains(high)
                        && (0xDC00..=0xDFFF).contains(&c) =>
                {
                    *high = join_surrogates(*high, c);
                }
                _ => joined.push(c),
            }
        }
        let lone = |c: &u32| (0xD800..=0xDFFF).contains(c);
        match self.program.encoding {
            Encoding::Utf8 if joined.iter().any(lone) => {
                // No such character is in a text of UTF-8.
                self.push(Inst::Fail);
            }
            Encoding::CodePoints if joined.iter().any(lone) => {
                // Half of a pair in the text is not this character, so it must be read as a character.
                if direction == Direction::Backward {
                    joined.reverse();
                }
                for c in joined {
                    let set = self.set(&CharSet::single(c));
                    self.push(Inst::Set { set, direction });
                }
            }
            encoding => {
                let literals = &mut self.program.literals;
                let (start, end) = if encoding == Encoding::Utf8 {
                    let start = literals.bytes.len();
                    let text: String = joined.iter().filter_map(|c| char::from_u32(*c)).collect();
                    literals.bytes.extend_from_slice(text.as_bytes());
                    (start, literals.bytes.len())
                } else {
                    let start = literals.units.len();
                    for &c in &joined {
                        match char::from_u32(c) {
                            Some(c) => literals.units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
                            None => literals.units.push(c as u16),
                        }
                    }
                    (start, literals.units.len())
                };
                self.push(Inst::Literal { start: start as u32, len: (end - start) as u32, direction });
            }
        }
    }

    fn set(&mut self, set: &CharSet) -> u32 {
        if let Some(known) = self.known_sets.get(set) {
            return *known;
        }
        let id = self.program.sets.len() as u32;
        self.program.sets.push(SetMatcher::new(set, self.program.encoding));
        self.known_sets.insert(set.clone(), id);
        id
    }

    fn alternatives(&mut self, nodes: &[Node], direction: Direction) {
        let mut jumps = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            if i + 1 == nodes.len() {
                self.node(node, direction);
                break;
            }
            let fork = self.fork(true, direction);
            let inside = self.here();
            self.node(node, direction);
            jumps.push(self.push(Inst::Fail));
            let next = self.here();
            self.set_fork(fork, inside, next);
        }
        let end = self.here();
        for jump in jumps {
            self.program.insts[jump] = Inst::Jump(end);
        }
    }

    fn repeat(&mut self, repeat: &Repeat, direction: Direction) {
        let Repeat { node, min, max, .. } = repeat;
        let (min, max) = (*min, *max);
        if max == 0 {
            return;
        }
        if node.is_always_empty() {
            // Rounds that take nothing do not count once they need not be; those that must be are all alike.
            if min > 0 {
                self.unset(repeat);
                self.node(node, direction);
            }
            return;
        }
        if direction == Direction::Forward
            && let Some(set) = node.as_set()
        {
            let set = self.set(&set);
            let run = self.program.runs.len() as u32;
            let greedy = repeat.greedy;
            let memo = self.states.is_empty();
            self.program.runs.push(Run {
                set,
                min,
                max,
                greedy,
                next: Filter::ANYTHING,
                possessive: false,
                literal: None,
                memo,
            });
            self.push(Inst::Run(run));
            return;
        }
        let nullable = node.can_be_empty();
        if min == 1 && max == UNBOUNDED && !nullable {
            // The body, and back to it: no second copy.
            let body = self.here();
            self.unset(repeat);
            self.node(node, direction);
            let fork = self.fork(repeat.greedy, direction);
            let outside = self.here();
            self.set_fork(fork, body, outside);
            return;
        }
        let rounds = if max == UNBOUNDED { min.saturating_add(1) } else { max } as usize;
        let fits = rounds.saturating_mul(size(node)) <= UNROLL && self.program.insts.len() < UNROLL_TOTAL;
        if fits || (min == 0 && (max == 1 || max == UNBOUNDED)) {
            self.unrolled(repeat, nullable, direction);
        } else {
            self.counted(repeat, nullable, direction);
        }
    }

    fn unset(&mut self, repeat: &Repeat) {
        let (from, to) = repeat.groups;
        if from < to {
            self.push(Inst::Unset { from: 2 * from, to: 2 * to });
        }
    }

    /// A round that need not be: it must take something.
    fn optional_round(&mut self, repeat: &Repeat, nullable: bool, direction: Direction) {
        self.unset(repeat);
        if !nullable {
            return self.node(&repeat.node, direction);
        }
        let register = self.program.registers as u32;
        self.program.registers += 1;
        self.push(Inst::Mark(register));
        self.states.push(State::Progress(register));
        self.node(&repeat.node, direction);
        self.states.pop();
        self.push(Inst::CheckProgress(register));
    }

    fn unrolled(&mut self, repeat: &Repeat, nullable: bool, direction: Direction) {
        for _ in 0..repeat.min {
            self.unset(repeat);
            self.node(&repeat.node, direction);
        }
        if repeat.max == UNBOUNDED {
            let head = self.here();
            let fork = self.fork(repeat.greedy, direction);
            let inside = self.here();
            self.optional_round(repeat, nullable, direction);
            self.push(Inst::Jump(head));
            let outside = self.here();
            self.set_fork(fork, inside, outside);
            return;
        }
        let mut forks = Vec::new();
        for _ in repeat.min..repeat.max {
            let fork = self.fork(repeat.greedy, direction);
            forks.push((fork, self.here()));
            self.optional_round(repeat, nullable, direction);
        }
        let outside = self.here();
        for (fork, inside) in forks {
            self.set_fork(fork, inside, outside);
        }
    }

    fn counted(&mut self, repeat: &Repeat, nullable: bool, direction: Direction) {
        let Repeat { min, max, greedy, .. } = *repeat;
        let counter = self.program.counters.len() as u32;
        self.program.counters.push(Counter { min, max, greedy });
        // Past the minimum of an endless loop the count no longer matters.
        let values = if max == UNBOUNDED { min.saturating_add(2) } else { max.saturating_add(1) };
        self.push(Inst::CounterStart(counter));
        self.states.push(State::Counter(counter, values));
        let split = self.new_split(Direction::Backward);
        let head = self.push(Inst::Fail);
        self.push(Inst::CounterNext(counter));
        self.unset(repeat);
        let register = self.program.registers as u32;
        if nullable {
            self.program.registers += 1;
            self.push(Inst::Mark(register));
            self.states.push(State::Progress(register));
        }
        self.node(&repeat.node, direction);
        if nullable {
            self.states.pop();
            self.push(Inst::CheckCounted { register, counter });
        }
        self.states.pop();
        self.push(Inst::Jump(head as u32));
        self.program.insts[head] = Inst::CounterLoop { counter, exit: self.here(), split };
    }
}

/// A fork to be set.
struct Fork {
    at: usize,
    split: u32,
    greedy: bool,
}

/// About how many steps a piece takes when compiled.
fn size(node: &Node) -> usize {
    match node {
        Node::Empty => 0,
        Node::Char(_) | Node::Set(_) | Node::Assert(_) | Node::BackReference { .. } => 1,
        Node::Sequence(nodes) => nodes.iter().map(size).fold(0, usize::saturating_add),
        Node::Alternatives(nodes) => nodes.iter().map(|n| size(n) + 2).fold(0, usize::saturating_add),
        Node::Group(_, node) => size(node) + 2,
        Node::Look(look) => size(&look.node) + 2,
        Node::Repeat(repeat) if repeat.node.as_set().is_some() => 1,
        Node::Repeat(repeat) => {
            let rounds = match (repeat.min, repeat.max) {
                (1, UNBOUNDED) if !repeat.node.can_be_empty() => 1,
                (min, UNBOUNDED) => min as usize + 1,
                (_, max) => max as usize,
            };
            let one = size(&repeat.node) + 4;
            let all = rounds.saturating_mul(one);
            // A loop that is too long to write out is counted.
            if all > UNROLL { one + 4 } else { all }
        }
    }
}
