//! `String.prototype.replace` with a replacement string or a function.

use std::ops::Range;

use super::error::Exhausted;
use super::exec::UNSET;
use super::fuel::Fuel;
use super::input::{Utf8, Utf16};
use super::search::{Search, Units, has_pairs, spans};
use super::{Match, Regex};

/// A part of a replacement string.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Text of the replacement, as it is.
    Text(Range<usize>),
    /// `$&`.
    Whole,
    /// `` $` ``.
    Before,
    /// `$'`.
    After,
    /// `$1`, `$<name>`: the first of these groups that took part.
    Groups(Vec<u32>),
}

/// A replacement string in UTF-8 or UTF-16.
trait Unit: Copy + Into<u32> {
    fn text(units: &[Self]) -> String;
}

impl Unit for u8 {
    fn text(units: &[u8]) -> String {
        String::from_utf8_lossy(units).into_owned()
    }
}

impl Unit for u16 {
    fn text(units: &[u16]) -> String {
        String::from_utf16_lossy(units)
    }
}

/// Splits a replacement string into its parts. `$` that begins nothing is itself.
fn parts<T: Unit>(replacement: &[T], group_count: usize, names: &[(String, Vec<u32>)]) -> Vec<Part> {
    let at = |i: usize| replacement.get(i).and_then(|unit| char::from_u32((*unit).into()));
    let find = |from: usize, c: char| (from..replacement.len()).find(|i| at(*i) == Some(c));
    let mut out = Vec::new();
    let mut text_start = 0;
    let mut from = 0;
    while let Some(dollar) = find(from, '$') {
        let after = dollar + 1;
        let form = match at(after) {
            // The first dollar goes in with the text before it.
            Some('$') => Some((Part::Text(text_start..after), after + 1)),
            Some('&') => Some((Part::Whole, after + 1)),
            Some('`') => Some((Part::Before, after + 1)),
            Some('\'') => Some((Part::After, after + 1)),
            Some('0'..='9') => {
                let digits = [at(after), at(after + 1)].map(|c| c.and_then(|c| c.to_digit(10)));
                let number = group_number(digits, group_count);
                number.map(|(group, length)| (Part::Groups(vec![group]), after + length))
            }
            Some('<') if !names.is_empty() => find(after, '>').map(|close| {
                let name = T::text(&replacement[after + 1..close]);
                let known = names.iter().find(|(known, _)| *known == name);
                (Part::Groups(known.map_or(Vec::new(), |(_, groups)| groups.clone())), close + 1)
            }),
            _ => None,
        };
        let Some((part, end)) = form else {
            from = after;
            continue;
        };
        if !matches!(part, Part::Text(_)) {
            out.push(Part::Text(text_start..dollar));
        }
        out.push(part);
        text_start = end;
        from = end;
    }
    out.push(Part::Text(text_start..replacement.len()));
    out.retain(|part| !matches!(part, Part::Text(range) if range.is_empty()));
    out
}

/// The group that digits name: two digits when there is such a group, else one.
fn group_number(digits: [Option<u32>; 2], group_count: usize) -> Option<(u32, usize)> {
    let is_group = |n: u32| n >= 1 && n as usize <= group_count;
    let one = digits[0]?;
    match digits[1].map(|two| one * 10 + two) {
        Some(both) if is_group(both) => Some((both, 2)),
        _ => is_group(one).then_some((one, 1)),
    }
}

/// Appends what a replacement's parts stand for at one match.
fn expand<T: Copy>(out: &mut Vec<T>, parts: &[Part], replacement: &[T], text: &[T], slots: &[u32]) {
    let (start, end) = (slots[0] as usize, slots[1] as usize);
    for part in parts {
        match part {
            Part::Text(range) => out.extend_from_slice(&replacement[range.clone()]),
            Part::Whole => out.extend_from_slice(&text[start..end]),
            Part::Before => out.extend_from_slice(&text[..start]),
            Part::After => out.extend_from_slice(&text[end..]),
            Part::Groups(groups) => {
                let span = |g: &u32| (slots[2 * *g as usize], slots[2 * *g as usize + 1]);
                let set = groups.iter().map(span).find(|(start, end)| *start != UNSET && *end != UNSET);
                if let Some((start, end)) = set {
                    out.extend_from_slice(&text[start as usize..end as usize]);
                }
            }
        }
    }
}

impl Regex {
    /// `text.replace(regex, replacement)`: all matches with `g`, else the first. The replacement is a JavaScript
    /// replacement string: `$1`, `$<name>`, `$&`, `` $` ``, `$'`, `$$`.
    ///
    /// ```
    /// use tavernkit_js::regex::{Fuel, Regex};
    /// let regex = Regex::new(r"(\w+), (?<first>\w+)", "g").unwrap();
    /// let swap = |replacement| regex.replace("Vale, Ilse; Moor, Bram", replacement, &mut Fuel::default()).unwrap();
    /// assert_eq!(swap("$<first> $1"), "Ilse Vale; Bram Moor");
    /// assert_eq!(swap("$$[$&]$9"), "$[Vale, Ilse]$9; $[Moor, Bram]$9");
    /// ```
    pub fn replace(&self, text: &str, replacement: &str, fuel: &mut Fuel) -> Result<String, Exhausted> {
        if self.needs_units(text) {
            let text: Vec<u16> = text.encode_utf16().collect();
            let replacement: Vec<u16> = replacement.encode_utf16().collect();
            return Ok(String::from_utf16_lossy(&self.replace_utf16(&text, &replacement, fuel)?));
        }
        let parts = parts(replacement.as_bytes(), self.group_count(), &self.inner.pattern.names);
        let mut search = Search::new(self.utf8_program(), Utf8(text.as_bytes()), self.flags());
        let mut out = String::with_capacity(text.len());
        let mut piece = Vec::new();
        let mut done = 0;
        search.each(fuel, |slots| {
            out.push_str(text.get(done..slots[0] as usize).unwrap_or(""));
            piece.clear();
            expand(&mut piece, &parts, replacement.as_bytes(), text.as_bytes(), slots);
            // Only what is put in is checked to be UTF-8; the rest of a long text is known to be.
            out.push_str(&String::from_utf8_lossy(&piece));
            done = slots[1] as usize;
        })?;
        out.push_str(text.get(done..).unwrap_or(""));
        Ok(out)
    }

    /// As [`Regex::replace`] with a function that gives the text for each match; it is put in as it is.
    pub fn replace_with(
        &self,
        text: &str,
        fuel: &mut Fuel,
        mut f: impl FnMut(&Match) -> String,
    ) -> Result<String, Exhausted> {
        let matches = |spans| Match { text, spans, regex: self.clone() };
        if self.needs_units(text) {
            let units = Units::new(text);
            let mut search = Search::new(self.utf16_program(), Utf16::<false>(&units.units), self.flags());
            let mut out = Vec::with_capacity(units.units.len());
            let mut done = 0;
            search.each(fuel, |slots| {
                out.extend_from_slice(&units.units[done..slots[0] as usize]);
                let spans = spans(slots).into_iter().map(|span| span.map(|s| units.bytes_of(s))).collect();
                out.extend(f(&matches(spans)).encode_utf16());
                done = slots[1] as usize;
            })?;
            out.extend_from_slice(&units.units[done..]);
            return Ok(String::from_utf16_lossy(&out));
        }
        let mut search = Search::new(self.utf8_program(), Utf8(text.as_bytes()), self.flags());
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        search.each(fuel, |slots| {
            out.push_str(text.get(done..slots[0] as usize).unwrap_or(""));
            out.push_str(&f(&matches(spans(slots))));
            done = slots[1] as usize;
        })?;
        out.push_str(text.get(done..).unwrap_or(""));
        Ok(out)
    }

    /// As [`Regex::replace`] for UTF-16, which may have lone surrogates.
    pub fn replace_utf16(
        &self,
        text: &[u16],
        replacement: &[u16],
        fuel: &mut Fuel,
    ) -> Result<Vec<u16>, Exhausted> {
        if self.flags().is_unicode() {
            self.replace_units(text, replacement, Utf16::<true>(text), fuel)
        } else {
            self.replace_units(text, replacement, Utf16::<false>(text), fuel)
        }
    }

    fn replace_units<I: super::input::Input>(
        &self,
        text: &[u16],
        replacement: &[u16],
        input: I,
        fuel: &mut Fuel,
    ) -> Result<Vec<u16>, Exhausted> {
        let parts = parts(replacement, self.group_count(), &self.inner.pattern.names);
        let mut search = Search::new(self.utf16_program(), input, self.flags());
        let mut out = Vec::with_capacity(text.len());
        let mut done = 0;
        search.each(fuel, |slots| {
            out.extend_from_slice(&text[done..slots[0] as usize]);
            expand(&mut out, &parts, replacement, text, slots);
            done = slots[1] as usize;
        })?;
        out.extend_from_slice(&text[done..]);
        Ok(out)
    }
}

/// Which places of a plain text are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// The first, as `replace` does.
    First,
    /// All, as `replaceAll` does.
    All,
}

/// `text.replace(pattern, replacement)` or `replaceAll` with a plain text as pattern. The `$` forms of the replacement are
/// those of [`Regex::replace`]; there are no groups.
///
/// ```
/// use tavernkit_js::regex::{Places, replace_text};
/// assert_eq!(replace_text("a.b.c", ".", "[$&]", Places::All), "a[.]b[.]c");
/// ```
pub fn replace_text(text: &str, pattern: &str, replacement: &str, places: Places) -> String {
    if pattern.is_empty() && has_pairs(text) {
        // Between all units, also those of one character.
        let [text, replacement] = [text, replacement].map(|text| text.encode_utf16().collect::<Vec<u16>>());
        return String::from_utf16_lossy(&replace_text_utf16(&text, &[], &replacement, places));
    }
    let found = text.match_indices(pattern).map(|(at, _)| at).take(places.limit());
    let out = replace_places(text.as_bytes(), found, pattern.len(), replacement.as_bytes());
    into_text(out)
}

/// As [`replace_text`] for UTF-16, which may have lone surrogates.
pub fn replace_text_utf16(text: &[u16], pattern: &[u16], replacement: &[u16], places: Places) -> Vec<u16> {
    let mut next = 0;
    let find = || {
        let at = (next..=text.len()).find(|at| text[*at..].starts_with(pattern))?;
        next = at + pattern.len().max(1);
        Some(at)
    };
    let found = std::iter::from_fn(find).take(places.limit());
    replace_places(text, found, pattern.len(), replacement)
}

impl Places {
    fn limit(self) -> usize {
        match self {
            Places::First => 1,
            Places::All => usize::MAX,
        }
    }
}

fn replace_places<T: Unit>(
    text: &[T],
    places: impl Iterator<Item = usize>,
    length: usize,
    replacement: &[T],
) -> Vec<T> {
    let parts = parts(replacement, 0, &[]);
    let mut out = Vec::with_capacity(text.len());
    let mut done = 0;
    for at in places {
        out.extend_from_slice(&text[done..at]);
        expand(&mut out, &parts, replacement, text, &[at as u32, (at + length) as u32]);
        done = at + length;
    }
    out.extend_from_slice(&text[done..]);
    out
}

/// Bytes put together from pieces of valid texts, cut at characters: nothing is lost here.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(pattern: &str, flags: &str, text: &str, replacement: &str) -> String {
        Regex::new(pattern, flags).unwrap().replace(text, replacement, &mut Fuel::default()).unwrap()
    }

    #[test]
    fn digits_take_two_when_there_is_such_a_group() {
        assert_eq!(replace("(a)", "", "a", "$1 $01 $10 $2 $0 $00 $001"), "a a a0 $2 $0 $00 $001");
        assert_eq!(replace("(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)", "", "abcdefghij", "$10$1"), "ja");
        assert_eq!(replace("a", "", "a", "$1$"), "$1$");
    }

    #[test]
    fn names_need_named_groups() {
        assert_eq!(replace("(?<x>a)", "", "a", "[$<x>][$<y>][$<x"), "[a][][$<x");
        assert_eq!(replace("(a)", "", "a", "$<x>"), "$<x>");
        assert_eq!(replace("(?:(?<x>a)|(?<x>b))", "g", "ab", "<$<x>>"), "<a><b>");
    }

    #[test]
    fn context_and_dollars() {
        assert_eq!(replace("b", "", "abc", "[$`|$&|$'|$$&]"), "a[a|b|c|$&]c");
        assert_eq!(replace_text("a.b.c", ".", "$$$&", Places::First), "a$.b.c");
        assert_eq!(replace_text("a.b.c", ".", "$1", Places::All), "a$1b$1c");
        assert_eq!(replace_text("ab", "", "-", Places::All), "-a-b-");
    }

    #[test]
    fn halves_of_characters_become_replacement_characters() {
        assert_eq!(replace(".", "g", "😀", "[$&]"), "[\u{FFFD}][\u{FFFD}]");
        assert_eq!(replace(".", "gu", "😀", "[$&]"), "[😀]");
        assert_eq!(replace("x", "g", "😀x", "y"), "😀y");
    }
}
