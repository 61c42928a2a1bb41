//! The compiled form of a pattern: instructions for the machine in `exec.rs`, and their tables.

use super::ast::{Assertion, Direction, Fold};
use super::classes::CharSet;
use super::prefilter::Prefilter;
use memchr::memmem::Finder;

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
        direction: Direction,
        point: u32,
    },
    LookEnd,
    Match,
    Fail,
}

/// What may come next for something to go on: lead bytes (UTF-8) or units (UTF-16, all above ASCII as one), or the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    bits: [u64; 4],
    /// Whether it can go on at the end of the text.
    pub at_end: bool,
}

impl Filter {
    pub const NOTHING: Filter = Filter { bits: [0; 4], at_end: false };
    pub const ANYTHING: Filter = Filter { bits: [u64::MAX; 4], at_end: true };

    /// The same, or the end.
    pub fn or_end(self) -> Filter {
        Filter { at_end: true, ..self }
    }

    pub fn add(&mut self, key: u8) {
        self.bits[usize::from(key >> 6)] |= 1 << (key & 63);
    }

    #[inline]
    pub fn has(&self, key: u8) -> bool {
        self.bits[usize::from(key >> 6)] >> (key & 63) & 1 != 0
    }

    pub fn union(&self, other: &Filter) -> Filter {
        let bits = std::array::from_fn(|i| self.bits[i] | other.bits[i]);
        Filter { bits, at_end: self.at_end || other.at_end }
    }

    pub fn intersection(&self, other: &Filter) -> Filter {
        let bits = std::array::from_fn(|i| self.bits[i] & other.bits[i]);
        Filter { bits, at_end: self.at_end && other.at_end }
    }

    /// Whether something can go on before this key, or at the end of the text.
    #[inline]
    pub fn allows(&self, key: Option<u8>) -> bool {
        key.map_or(self.at_end, |key| self.has(key))
    }

    /// Whether no key is in both; the end is not looked at.
    pub fn has_no_key_of(&self, other: &Filter) -> bool {
        self.intersection(other).bits == [0; 4]
    }

    pub fn keys(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255).filter(|key| self.has(*key))
    }
}

/// The keys of a character set in an encoding.
pub(super) fn keys_of(set: &CharSet, encoding: Encoding) -> Filter {
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
    /// By byte of UTF-8; those above ASCII count as members only when all characters above ASCII are.
    pub bytes: [bool; 256],
    pub above: Above,
    pub scan: Scan,
    /// What is above ASCII.
    ranges: Vec<(u32, u32)>,
    /// With what bytes its members begin.
    pub filter: Filter,
}

/// How to find the end of a run in UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// Every character is in the set.
    Everything,
    /// Only these bytes are not.
    Until1(u8),
    Until2(u8, u8),
    Until3(u8, u8, u8),
    /// Byte by byte.
    Table,
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
        let mut bytes = [false; 256];
        let mut ranges = Vec::new();
        for &(lo, hi) in set.ranges() {
            (lo..=hi.min(0x7F)).for_each(|c| bytes[c as usize] = true);
            if hi >= 0x80 {
                ranges.push((lo.max(0x80), hi));
            }
        }
        let above = match ranges[..] {
            [] => Above::None,
            [(0x80, super::classes::MAX)] => Above::All,
            _ => Above::Some,
        };
        let outside: Vec<u8> = (0..0x80_u8).filter(|b| !bytes[usize::from(*b)]).collect();
        let scan = match (above, &outside[..]) {
            (Above::All, []) => Scan::Everything,
            (Above::All, [a]) => Scan::Until1(*a),
            (Above::All, [a, b]) => Scan::Until2(*a, *b),
            (Above::All, [a, b, c]) => Scan::Until3(*a, *b, *c),
            _ => Scan::Table,
        };
        bytes[0x80..].fill(above == Above::All);
        SetMatcher { bytes, above, scan, ranges, filter: keys_of(set, encoding) }
    }

    /// Whether a character is in the set.
    #[inline]
    pub fn contains(&self, c: u32) -> bool {
        if c < 0x80 {
            return self.bytes[c as usize];
        }
        match self.above {
            Above::None => false,
            Above::All => true,
            Above::Some => self.contains_above(c),
        }
    }

    /// The same for a character above ASCII in a set that has some of them.
    pub fn contains_above(&self, c: u32) -> bool {
        let i = self.ranges.partition_point(|&(_, hi)| hi < c);
        self.ranges.get(i).is_some_and(|&(lo, _)| lo <= c)
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
    /// Only the first length to be tried can lead to a match: what goes on cannot begin with a character of the set,
    /// or cannot fail.
    pub possessive: bool,
    /// A literal that must follow at once: where a lazy run can end. Only in UTF-8.
    pub literal: Option<Finder<'static>>,
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
    /// Finds where a match can begin.
    pub prefilter: Prefilter,
    /// The pattern begins with this endless run, and a match that fails from one of its characters fails from all that
    /// follow in the same run.
    pub leading_run: Option<u32>,
    /// A match can only begin at the start of the text.
    pub anchored: bool,
    /// Rows in the table of failures.
    pub rows: u64,
}
