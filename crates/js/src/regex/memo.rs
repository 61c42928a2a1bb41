//! What the machine remembers of its failures within one text, so that no pattern without back references can make it
//! try the same thing for ever.
//!
//! Whether the program can reach its end from a step at a position depends on nothing else, but for the rounds of the
//! loops around it (see `State`) and, through back references, the captures. So a step that failed at a position once will
//! fail there always, for every start of the match and every later match in the same text. Places that a back
//! reference can follow are left out. A failure is noted only when all ways from it were tried, never when a look ended
//! early with success, so that the same holds inside looks.

use super::program::{Point, Program, State};

/// The table of failures is not made larger than this many bits.
const MAX_BITS: u64 = 1 << 28;

/// Failures by place and position.
pub(super) struct Failures {
    bits: Vec<u64>,
    rows: u64,
}

impl Failures {
    /// A table for a text of that length, if it is not too large.
    pub fn new(program: &Program, length: usize) -> Option<Failures> {
        let rows = program.rows;
        let bits = rows.checked_mul(length as u64 + 1).filter(|bits| rows > 0 && *bits <= MAX_BITS)?;
        Some(Failures { bits: vec![0; (bits / 64) as usize + 1], rows })
    }

    /// The index of a row at a position.
    fn bit(&self, row: u32, at: usize) -> (usize, u64) {
        let bit = at as u64 * self.rows + u64::from(row);
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    pub fn has(&self, row: u32, at: usize) -> bool {
        let (word, mask) = self.bit(row, at);
        self.bits[word] & mask != 0
    }

    pub fn note(&mut self, row: u32, at: usize) {
        let (word, mask) = self.bit(row, at);
        self.bits[word] |= mask;
    }
}

/// The row of a point in the present state of its loops.
pub(super) fn row(point: &Point, at: usize, registers: &[u32], counters: &[u32]) -> u32 {
    let mut row = 0;
    for state in &point.states {
        row = match *state {
            State::Progress(register) => row * 2 + u32::from(registers[register as usize] != at as u32),
            State::Counter(counter, values) => row * values + counters[counter as usize].min(values - 1),
        };
    }
    point.base as u32 + row
}

/// What is known of one run: the last stretch of its characters, and the last stretch of positions from which the
/// pattern could not go on.
#[derive(Clone, Copy, Default)]
pub(super) struct RunMemo {
    scan: (usize, usize),
    fails: (usize, usize),
}

impl RunMemo {
    /// The end of the run from a position, if it is known.
    pub fn end_from(&self, at: usize) -> Option<usize> {
        (self.scan.0 <= at && at <= self.scan.1 && self.scan.1 > self.scan.0).then_some(self.scan.1)
    }

    /// The same, if the known stretch begins exactly there.
    pub fn end_when_beginning_at(&self, at: usize) -> Option<usize> {
        (self.scan.0 == at && self.scan.1 > at).then_some(self.scan.1)
    }

    /// All characters from `start` to `end` are of the run, the next is not.
    pub fn note_scan(&mut self, start: usize, end: usize) {
        self.scan = (start, end);
    }

    /// The stretch of failures that a position is in: first, and one past the last.
    pub fn failure_at(&self, at: usize) -> Option<(usize, usize)> {
        (self.fails.0 <= at && at < self.fails.1).then_some(self.fails)
    }

    /// Every position from `lo` up to `hi`, not included, is a failure.
    pub fn note_failures(&mut self, lo: usize, hi: usize) {
        if lo >= hi {
            return;
        }
        let (a, b) = self.fails;
        self.fails = if lo <= b && hi >= a && a < b { (a.min(lo), b.max(hi)) } else { (lo, hi) };
    }
}
