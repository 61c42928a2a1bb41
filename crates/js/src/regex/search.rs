//! Finding matches: one, or all of them as `g` and `y` want.

use super::error::Exhausted;
use super::exec::{self, Memory, Starts, UNSET};
use super::fuel::Fuel;
use super::input::{Input, Utf8, Utf16};
use super::program::Program;
use super::{Flags, Match, MatchUtf16, Regex};

/// Texts this long or longer are not matched: positions are kept in 32 bits.
const MAX_LENGTH: usize = u32::MAX as usize - 1;

/// A text in one of its forms, and what is known of it while it is searched.
pub(super) struct Search<'p, I> {
    program: &'p Program,
    pub(super) input: I,
    pub(super) memory: Memory,
    flags: Flags,
}

impl<'p, I: Input> Search<'p, I> {
    pub(super) fn new(program: &'p Program, input: I, flags: Flags) -> Self {
        Search { program, input, memory: Memory::new(program, input.len()), flags }
    }

    /// Finds the first match from a position on; the captures are then in the memory.
    pub(super) fn find(&mut self, from: usize, fuel: &mut Fuel) -> Result<bool, Exhausted> {
        if self.input.len() >= MAX_LENGTH {
            return Err(Exhausted);
        }
        let starts = if self.flags.sticky || self.program.anchored { Starts::Here } else { Starts::Onwards };
        if self.program.anchored && from > 0 {
            return Ok(false);
        }
        exec::find(self.program, self.input, from, starts, &mut self.memory, fuel)
    }

    /// Calls `each` with the captures of every match: of all with `g`, else of the first.
    pub(super) fn each(&mut self, fuel: &mut Fuel, mut each: impl FnMut(&[u32])) -> Result<(), Exhausted> {
        let mut from = 0;
        while self.find(from, fuel)? {
            each(&self.memory.slots);
            if !self.flags.global {
                break;
            }
            let (start, end) = (self.memory.slots[0] as usize, self.memory.slots[1] as usize);
            from = end;
            if start == end {
                if end >= self.input.len() {
                    break;
                }
                from = self.input.forth(end);
            }
        }
        Ok(())
    }

    pub(super) fn spans(&self) -> Vec<Option<(usize, usize)>> {
        spans(&self.memory.slots)
    }
}

/// The captures as ranges.
pub(super) fn spans(slots: &[u32]) -> Vec<Option<(usize, usize)>> {
    let pair = |pair: &[u32]| match *pair {
        [start, end] if start != UNSET && end != UNSET => Some((start as usize, end as usize)),
        _ => None,
    };
    slots.chunks(2).map(pair).collect()
}

/// Whether a text has characters that are two units in UTF-16.
pub(super) fn has_pairs(text: &str) -> bool {
    // By the greatest byte of a stretch, which the compiler can do for many bytes at once.
    let greatest = |bytes: &[u8]| bytes.iter().fold(0, |max: u8, byte| max.max(*byte));
    text.as_bytes().chunks(256).any(|bytes| greatest(bytes) >= 0xF0)
}

/// A text in UTF-16 with the way back to the bytes of the text it came from.
pub(super) struct Units {
    pub(super) units: Vec<u16>,
    /// For each unit, and for the end, the byte where its character begins.
    bytes: Vec<usize>,
}

impl Units {
    pub(super) fn new(text: &str) -> Self {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        for (at, c) in text.char_indices() {
            bytes.extend(std::iter::repeat_n(at, c.len_utf16()));
        }
        bytes.push(text.len());
        Units { units: text.encode_utf16().collect(), bytes }
    }

    /// The unit at a byte.
    fn unit_of(&self, byte: usize) -> usize {
        self.bytes.partition_point(|b| *b < byte)
    }

    /// Whether a position is between the two units of one character.
    fn is_inside(&self, unit: usize) -> bool {
        unit > 0 && self.bytes[unit] == self.bytes[unit - 1]
    }

    /// The bytes of a range, with the whole of a character that it cuts.
    pub(super) fn bytes_of(&self, (start, end): (usize, usize)) -> (usize, usize) {
        let end = if self.is_inside(end) && end > start { end + 1 } else { end };
        (self.bytes[start], self.bytes[end])
    }
}

impl Regex {
    /// Whether a text must be matched by UTF-16 units.
    pub(super) fn needs_units(&self, text: &str) -> bool {
        !self.inner.utf8_is_exact && has_pairs(text)
    }

    fn to_match<'t>(&self, text: &'t str, spans: Vec<Option<(usize, usize)>>) -> Match<'t> {
        Match { text, spans, regex: self.clone() }
    }

    /// The first match at or after byte `start` (exactly at it with `y`). A start inside a character is taken as the
    /// character's own. `Err` when the fuel ran out: then nothing is known.
    ///
    /// To find all matches use [`Regex::find_all`], which prepares the text once.
    ///
    /// ```
    /// use tavernkit_js::regex::{Fuel, Regex};
    /// let regex = Regex::new(r"(?<key>\w+)=(\d+)?", "").unwrap();
    /// let found = regex.find_at("hp=12 mp=", 3, &mut Fuel::default()).unwrap().unwrap();
    /// assert_eq!((found.range(), found.name_text("key"), found.group(2)), (6..9, Some("mp"), None));
    /// ```
    pub fn find_at<'t>(
        &self,
        text: &'t str,
        start: usize,
        fuel: &mut Fuel,
    ) -> Result<Option<Match<'t>>, Exhausted> {
        if start > text.len() {
            return Ok(None);
        }
        let start = (0..=start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        if self.needs_units(text) {
            let units = Units::new(text);
            let mut search = Search::new(self.utf16_program(), Utf16::<false>(&units.units), self.flags());
            let found = search.find(units.unit_of(start), fuel)?;
            let spans = || search.spans().into_iter().map(|span| span.map(|s| units.bytes_of(s))).collect();
            return Ok(found.then(|| self.to_match(text, spans())));
        }
        let mut search = Search::new(self.utf8_program(), Utf8(text.as_bytes()), self.flags());
        let found = search.find(start, fuel)?;
        Ok(found.then(|| self.to_match(text, search.spans())))
    }

    /// Whether there is a match anywhere (at the start with `y`).
    pub fn is_match(&self, text: &str, fuel: &mut Fuel) -> Result<bool, Exhausted> {
        if self.needs_units(text) {
            return Ok(self.find_at(text, 0, fuel)?.is_some());
        }
        Search::new(self.utf8_program(), Utf8(text.as_bytes()), self.flags()).find(0, fuel)
    }

    /// All matches with `g`, as `matchAll` gives them; else the first, if any.
    pub fn find_all<'t>(&self, text: &'t str, fuel: &mut Fuel) -> Result<Vec<Match<'t>>, Exhausted> {
        let mut found = Vec::new();
        if self.needs_units(text) {
            let units = Units::new(text);
            let mut search = Search::new(self.utf16_program(), Utf16::<false>(&units.units), self.flags());
            search.each(fuel, |slots| {
                let spans = spans(slots).into_iter().map(|span| span.map(|s| units.bytes_of(s))).collect();
                found.push(self.to_match(text, spans));
            })?;
            return Ok(found);
        }
        let mut search = Search::new(self.utf8_program(), Utf8(text.as_bytes()), self.flags());
        search.each(fuel, |slots| found.push(self.to_match(text, spans(slots))))?;
        Ok(found)
    }

    /// How many matches there are: all with `g`, else at most one.
    pub fn count(&self, text: &str, fuel: &mut Fuel) -> Result<usize, Exhausted> {
        let mut count = 0;
        if self.needs_units(text) {
            let units: Vec<u16> = text.encode_utf16().collect();
            Search::new(self.utf16_program(), Utf16::<false>(&units), self.flags())
                .each(fuel, |_| count += 1)?;
        } else {
            Search::new(self.utf8_program(), Utf8(text.as_bytes()), self.flags())
                .each(fuel, |_| count += 1)?;
        }
        Ok(count)
    }

    /// The first match at or after unit `start` of a text in UTF-16, which may have lone surrogates.
    pub fn find_utf16(
        &self,
        text: &[u16],
        start: usize,
        fuel: &mut Fuel,
    ) -> Result<Option<MatchUtf16>, Exhausted> {
        if start > text.len() {
            return Ok(None);
        }
        if !self.flags().is_unicode() {
            return self.find_in_units(Utf16::<false>(text), start, fuel);
        }
        let low = |at: usize| text.get(at).is_some_and(|unit| (0xDC00..=0xDFFF).contains(unit));
        let high = |at: usize| text.get(at).is_some_and(|unit| (0xD800..=0xDBFF).contains(unit));
        let inside = start > 0 && low(start) && high(start - 1);
        self.find_in_units(Utf16::<true>(text), start - usize::from(inside), fuel)
    }

    fn find_in_units<I: Input>(
        &self,
        input: I,
        start: usize,
        fuel: &mut Fuel,
    ) -> Result<Option<MatchUtf16>, Exhausted> {
        let mut search = Search::new(self.utf16_program(), input, self.flags());
        let found = search.find(start, fuel)?;
        Ok(found.then(|| MatchUtf16 { spans: search.spans() }))
    }
}
