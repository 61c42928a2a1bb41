//! Texts as the machine reads them: UTF-8, or UTF-16 by units or by code points.

use super::parse::join_surrogates;
use super::prefilter::Prefilter;
use super::program::{ABOVE_ASCII, Above, Filter, Literals, Run, Scan, SetMatcher};

/// A text and how to step through it. Positions are bytes in UTF-8 and units in UTF-16; a position handed in is always
/// one that a step gave, or the start or the end.
pub(super) trait Input: Copy {
    fn len(self) -> usize;
    /// The character at a position, and the position after it.
    fn next(self, at: usize) -> Option<(u32, usize)>;
    /// The character before a position, and where it begins.
    fn prev(self, at: usize) -> Option<(u32, usize)>;
    /// What a `Filter` is asked with; nothing at the end.
    fn key(self, at: usize) -> Option<u8>;
    /// Whether the literal `start..end` stands at this position.
    fn has_literal(self, literals: &Literals, start: usize, end: usize, at: usize) -> bool;
    /// The position after one character of the set.
    fn step_set(self, set: &SetMatcher, at: usize) -> Option<usize>;
    /// The end of the run of characters of the set.
    fn run_end(self, set: &SetMatcher, at: usize) -> usize;
    /// The first position, from this one on, where a match can begin.
    fn next_start(self, prefilter: &Prefilter, first: &Filter, at: usize) -> Option<usize>;
    /// Where the literal that must follow a run comes next; nothing known without such a literal.
    fn next_literal(self, run: &Run, at: usize) -> Option<Option<usize>>;
    /// Whether two pieces of the text are the same, when that can be told without reading characters.
    fn same(self, a: std::ops::Range<usize>, b: std::ops::Range<usize>) -> Option<bool>;

    /// The start of the character before a position that is not the text's start.
    #[inline]
    fn back(self, at: usize) -> usize {
        self.prev(at).map_or(0, |(_, before)| before)
    }

    /// The position after the character here; the end stays.
    #[inline]
    fn forth(self, at: usize) -> usize {
        self.next(at).map_or(at, |(_, after)| after)
    }
}

/// A text in UTF-8.
#[derive(Clone, Copy)]
pub(super) struct Utf8<'t>(pub &'t [u8]);

/// The number of bytes of a character with this first byte.
#[inline]
fn width(lead: u8) -> usize {
    match lead {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

impl Utf8<'_> {
    /// A continuation byte's six bits; the text is valid, so it is there.
    #[inline]
    fn bits(self, at: usize) -> u32 {
        u32::from(self.0.get(at).copied().unwrap_or(0) & 0x3F)
    }

    /// How long a run goes on, by a byte search.
    fn far_end(self, scan: Scan, at: usize) -> usize {
        let rest = self.0.get(at..).unwrap_or_default();
        let found = match scan {
            Scan::Until1(a) => memchr::memchr(a, rest),
            Scan::Until2(a, b) => memchr::memchr2(a, b, rest),
            Scan::Until3(a, b, c) => memchr::memchr3(a, b, c, rest),
            Scan::Everything | Scan::Table => None,
        };
        found.unwrap_or(rest.len())
    }

    fn decode(self, lead: u8, at: usize) -> (u32, usize) {
        let lead_bits = u32::from(lead);
        match width(lead) {
            1 => (lead_bits, at + 1),
            2 => ((lead_bits & 0x1F) << 6 | self.bits(at + 1), at + 2),
            3 => ((lead_bits & 0x0F) << 12 | self.bits(at + 1) << 6 | self.bits(at + 2), at + 3),
            _ => {
                let rest = self.bits(at + 1) << 12 | self.bits(at + 2) << 6 | self.bits(at + 3);
                ((lead_bits & 0x07) << 18 | rest, at + 4)
            }
        }
    }
}

impl Input for Utf8<'_> {
    #[inline]
    fn len(self) -> usize {
        self.0.len()
    }

    #[inline]
    fn next(self, at: usize) -> Option<(u32, usize)> {
        let lead = *self.0.get(at)?;
        Some(if lead < 0x80 { (u32::from(lead), at + 1) } else { self.decode(lead, at) })
    }

    #[inline]
    fn prev(self, at: usize) -> Option<(u32, usize)> {
        let mut start = at.checked_sub(1)?;
        let last = *self.0.get(start)?;
        if last < 0x80 {
            return Some((u32::from(last), start));
        }
        while start > 0 && self.0[start] & 0xC0 == 0x80 {
            start -= 1;
        }
        Some((self.decode(self.0[start], start).0, start))
    }

    #[inline]
    fn key(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    #[inline]
    fn has_literal(self, literals: &Literals, start: usize, end: usize, at: usize) -> bool {
        self.0.get(at..at + (end - start)) == literals.bytes.get(start..end)
    }

    #[inline]
    fn step_set(self, set: &SetMatcher, at: usize) -> Option<usize> {
        let lead = *self.0.get(at)?;
        if lead < 0x80 {
            return set.bytes[usize::from(lead)].then_some(at + 1);
        }
        match set.above {
            Above::None => None,
            Above::All => Some(at + width(lead)),
            Above::Some => {
                let (c, after) = self.decode(lead, at);
                set.contains_above(c).then_some(after)
            }
        }
    }

    fn run_end(self, set: &SetMatcher, at: usize) -> usize {
        // Most runs are short: a byte search pays only after a while.
        let near = self.0.len().min(at + 16);
        let mut at = at;
        loop {
            let limit = if set.scan == Scan::Table { self.0.len() } else { near };
            let Some(rest) = self.0.get(at..limit) else { return at };
            match rest.iter().position(|b| !set.bytes[usize::from(*b)]) {
                Some(length) => at += length,
                None if set.scan == Scan::Table => return limit,
                None => return limit + self.far_end(set.scan, limit),
            }
            if set.above != Above::Some {
                return at;
            }
            match self.step_set(set, at) {
                Some(after) => at = after,
                None => return at,
            }
        }
    }

    fn next_start(self, prefilter: &Prefilter, _: &Filter, at: usize) -> Option<usize> {
        prefilter.next(self.0, at)
    }

    fn next_literal(self, run: &Run, at: usize) -> Option<Option<usize>> {
        let finder = run.literal.as_ref()?;
        Some(self.0.get(at..).and_then(|rest| finder.find(rest)).map(|found| at + found))
    }

    #[inline]
    fn same(self, a: std::ops::Range<usize>, b: std::ops::Range<usize>) -> Option<bool> {
        Some(self.0.get(a) == self.0.get(b))
    }

    #[inline]
    fn back(self, at: usize) -> usize {
        let mut start = at.saturating_sub(1);
        while start > 0 && self.0.get(start).is_some_and(|b| b & 0xC0 == 0x80) {
            start -= 1;
        }
        start
    }

    #[inline]
    fn forth(self, at: usize) -> usize {
        self.0.get(at).map_or(at, |lead| at + width(*lead))
    }
}

/// A text in UTF-16; with `PAIRS`, a pair of surrogates is one character.
#[derive(Clone, Copy)]
pub(super) struct Utf16<'t, const PAIRS: bool>(pub &'t [u16]);

impl<const PAIRS: bool> Input for Utf16<'_, PAIRS> {
    fn len(self) -> usize {
        self.0.len()
    }

    #[inline]
    fn next(self, at: usize) -> Option<(u32, usize)> {
        let unit = u32::from(*self.0.get(at)?);
        if PAIRS
            && (0xD800..=0xDBFF).contains(&unit)
            && let Some(low @ 0xDC00..=0xDFFF) = self.0.get(at + 1).copied()
        {
            return Some((join_surrogates(unit, low.into()), at + 2));
        }
        Some((unit, at + 1))
    }

    #[inline]
    fn prev(self, at: usize) -> Option<(u32, usize)> {
        let unit = u32::from(*self.0.get(at.checked_sub(1)?)?);
        if PAIRS
            && (0xDC00..=0xDFFF).contains(&unit)
            && at >= 2
            && let Some(high @ 0xD800..=0xDBFF) = self.0.get(at - 2).copied()
        {
            return Some((join_surrogates(high.into(), unit), at - 2));
        }
        Some((unit, at - 1))
    }

    #[inline]
    fn key(self, at: usize) -> Option<u8> {
        self.0.get(at).map(|unit| u8::try_from(*unit).unwrap_or(ABOVE_ASCII).min(ABOVE_ASCII))
    }

    fn has_literal(self, literals: &Literals, start: usize, end: usize, at: usize) -> bool {
        self.0.get(at..at + (end - start)) == literals.units.get(start..end)
    }

    fn step_set(self, set: &SetMatcher, at: usize) -> Option<usize> {
        let (c, after) = self.next(at)?;
        set.contains(c).then_some(after)
    }

    fn run_end(self, set: &SetMatcher, at: usize) -> usize {
        let mut at = at;
        while let Some(after) = self.step_set(set, at) {
            at = after;
        }
        at
    }

    fn next_start(self, _: &Prefilter, first: &Filter, at: usize) -> Option<usize> {
        let mut at = at;
        while !first.allows(self.key(at)) {
            if at >= self.len() {
                return None;
            }
            at = self.forth(at);
        }
        Some(at)
    }

    fn next_literal(self, _: &Run, _: usize) -> Option<Option<usize>> {
        None
    }

    fn same(self, a: std::ops::Range<usize>, b: std::ops::Range<usize>) -> Option<bool> {
        // Halves of pairs are not characters of their own, so with pairs the characters must be read.
        if PAIRS { None } else { Some(self.0.get(a) == self.0.get(b)) }
    }
}
