//! The compiled form of a pattern: instructions for the machine in `exec.rs`, and their tables.

use super::ast::{Assertion, Direction, Fold};
use super::classes::CharSet;

/// How the text is given, and so what one character is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8; a character is a code point.
    Utf8,
    /// UTF-16; a character is a unit.
    Units,
    /// UTF-16; a character is a code point, lone surrogates included.
    CodePoints,
}

/// One step of the machine. Steps that do not jump go on to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inst {
    /// The literal in `literals[start..start + len]`.
    Literal {
        start: u32,
        len: u32,
        direction: Direction,
    },
    /// One character of a set.
    Set {
        set: u32,
        direction: Direction,
    },
    /// A repeat of one character's set, forwards only.
    Run(u32),
    /// Tries `first`, then `second`.
    Split {
        first: u32,
        second: u32,
        split: u32,
    },
    Jump(u32),
    /// Stores the position in a slot of the captures.
    Save(u32),
    /// Unsets slots.
    Unset {
        from: u32,
        to: u32,
    },
    /// Stores the position in a register: where a round of a loop began.
    Mark(u32),
    /// Fails when the round that began at the register took nothing.
    CheckProgress(u32),
    /// Sets a counter to nought.
    CounterStart(u32),
    /// The head of a counted loop: on to the body, or out, or both.
    CounterLoop {
        counter: u32,
        exit: u32,
        split: u32,
    },
    /// Counts a round.
    CounterNext(u32),
    /// As `CheckProgress`, but a round that had to be is let through.
    CheckCounted {
        register: u32,
        counter: u32,
    },
    Assert(Assertion),
    /// A reference to what a group matched.
    BackReference {
        reference: u32,
        direction: Direction,
    },
    /// A look: its body follows and ends with `LookEnd`; the pattern goes on at `after`.
    Look {
        after: u32,
        negative: bool,
        point: u32,
    },
    LookEnd,
    Match,
    Fail,
}

/// The lead bytes (UTF-8) or units (UTF-16, all above ASCII as one) with which something can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    bits: [u64; 4],
    /// Whether it can also go on without taking a character.
    pub may_be_empty: bool,
}

impl Filter {
    pub const NOTHING: Filter = Filter { bits: [0; 4], may_be_empty: false };
    pub const ANYTHING: Filter = Filter { bits: [u64::MAX; 4], may_be_empty: true };

    pub fn add(&mut self, key: u8) {
        self.bits[usize::from(key >> 6)] |= 1 << (key & 63);
    }

    pub fn has(&self, key: u8) -> bool {
        self.bits[usize::from(key >> 6)] >> (key & 63) & 1 != 0
    }

    pub fn merge(&mut self, other: &Filter) {
        for (a, b) in self.bits.iter_mut().zip(other.bits) {
            *a |= b;
        }
        self.may_be_empty |= other.may_be_empty;
    }

    /// Whether something can go on before this key, or at the end of the text.
    #[inline]
    pub fn allows(&self, key: Option<u8>) -> bool {
        self.may_be_empty || key.is_some_and(|key| self.has(key))
    }

    pub fn is_disjoint(&self, other: &Filter) -> bool {
        self.bits.iter().zip(other.bits).all(|(a, b)| a & b == 0)
    }
}

/// The keys of a character set in an encoding.
fn keys_of(set: &CharSet, encoding: Encoding) -> Filter {
    let mut filter = Filter::NOTHING;
    for &(lo, hi) in set.ranges() {
        (lo..=hi.min(0x7F)).for_each(|c| filter.add(c as u8));
        if hi < 0x80 {
            continue;
        }
        if encoding == Encoding::Utf8 {
            (lead_byte(lo.max(0x80))..=lead_byte(hi)).for_each(|b| filter.add(b));
        } else {
            filter.add(ABOVE_ASCII);
        }
    }
    filter
}

/// The key of every UTF-16 unit above ASCII.
pub(super) const ABOVE_ASCII: u8 = 0x80;

/// The first byte of a character in UTF-8.
pub(super) fn lead_byte(c: u32) -> u8 {
    match c {
        0..0x80 => c as u8,
        0x80..0x800 => 0xC0 | (c >> 6) as u8,
        0x800..0x1_0000 => 0xE0 | (c >> 12) as u8,
        _ => 0xF0 | (c >> 18) as u8,
    }
}

/// A set in the form the machine tests.
#[derive(Clone, Debug)]
pub(super) struct SetMatcher {
    /// By ASCII character.
    pub ascii: [bool; 128],
    pub above: Above,
    /// What is above ASCII.
    ranges: Vec<(u32, u32)>,
    /// With what bytes its members begin.
    pub filter: Filter,
}

/// Which characters above ASCII a set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Above {
    None,
    All,
    Some,
}

impl SetMatcher {
    pub fn new(set: &CharSet, encoding: Encoding) -> Self {
        let mut ascii = [false; 128];
        let mut ranges = Vec::new();
        for &(lo, hi) in set.ranges() {
            (lo..=hi.min(0x7F)).for_each(|c| ascii[c as usize] = true);
            if hi >= 0x80 {
                ranges.push((lo.max(0x80), hi));
            }
        }
        let above = match ranges[..] {
            [] => Above::None,
            [(0x80, super::classes::MAX)] => Above::All,
            _ => Above::Some,
        };
        SetMatcher { ascii, above, ranges, filter: keys_of(set, encoding) }
    }

    /// Whether a character is in the set.
    #[inline]
    pub fn contains(&self, c: u32) -> bool {
        match self.ascii.get(c as usize) {
            Some(found) => *found,
            None => match self.above {
                Above::None => false,
                Above::All => true,
                Above::Some => self.contains_above(c),
            },
        }
    }

    fn contains_above(&self, c: u32) -> bool {
        let i = self.ranges.partition_point(|&(_, hi)| hi < c);
        self.ranges.get(i).is_some_and(|&(lo, _)| lo <= c)
    }

    /// Whether every character is in the set.
    pub fn is_everything(&self) -> bool {
        self.above == Above::All && self.ascii.iter().all(|found| *found)
    }
}

/// A repeat of one set.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub set: u32,
    pub min: u32,
    pub max: u32,
    pub greedy: bool,
    /// With what the pattern can go on after it.
    pub next: Filter,
    /// What goes on cannot begin with a character of the set: only the longest run can lead to a match.
    pub possessive: bool,
    /// Whether a position from which the pattern could not go on will never do: see `memo.rs`.
    pub memo: bool,
}

/// A fork of the program.
#[derive(Clone, Debug)]
pub(super) struct SplitInfo {
    pub first: Filter,
    pub second: Filter,
    /// Its row in `Program::points`.
    pub point: u32,
}

/// A place where the machine remembers that it could not go on.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Where the program goes on from here may depend on these, besides the place in program and text.
    pub states: Vec<State>,
    /// Off when it also depends on what groups matched.
    pub enabled: bool,
    /// Its first row in the table of failures; it has one for each combination of its states.
    pub base: u64,
}

/// A part of the machine's state that decides how a loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Whether the present round of a loop has taken something.
    Progress(u32),
    /// The value of a counter, and how many values it has.
    Counter(u32, u32),
}

/// The bounds of a counted loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    pub min: u32,
    pub max: u32,
    pub greedy: bool,
}

/// A reference to groups.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub groups: Vec<u32>,
    pub fold: Fold,
}

/// A literal's characters, in the encoding of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct Literals {
    pub bytes: Vec<u8>,
    pub units: Vec<u16>,
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub encoding: Encoding,
    pub insts: Vec<Inst>,
    pub literals: Literals,
    pub sets: Vec<SetMatcher>,
    pub runs: Vec<Run>,
    pub splits: Vec<SplitInfo>,
    pub points: Vec<Point>,
    pub counters: Vec<Counter>,
    pub references: Vec<Reference>,
    /// Two for the match and for each group.
    pub slots: usize,
    pub registers: usize,
    /// With what a match can begin.
    pub first: Filter,
    /// A match can only begin at the start of the text.
    pub anchored: bool,
    /// Rows in the table of failures.
    pub rows: u64,
}
