//! Finding matches in a text and putting others in their places.
//!
//! Without the flag `u`, JavaScript sees a character beyond U+FFFF as two halves, and `.` matches one of them. Such texts
//! are searched in UTF-16. While a half is part of a replacement it is written as a private character that stands for it;
//! when the text is put together, halves that meet again are one character.

use std::borrow::Cow;
use std::ops::Range;

use tavernkit_js::regex::{Exhausted, Fuel, Regex};
use tavernkit_js::string;

/// The first of the characters that stand for halves, and the first half.
const STAND_IN: u32 = 0x10_F800;
const HALF: u32 = 0xD800;

/// A text in the encoding its matches are counted in.
pub(super) enum Subject<'t> {
    Bytes(&'t str),
    Units { text: &'t str, units: Vec<u16> },
}

/// One match: its groups, the whole match first, and its place in the subject's encoding.
pub(super) struct Found<'t> {
    pub groups: Vec<Option<Cow<'t, str>>>,
    pub range: Range<usize>,
}

impl<'t> Subject<'t> {
    pub fn new(text: &'t str, regex: &Regex) -> Self {
        let wide = text.bytes().any(|byte| byte >= 0xF0);
        // Where somebody uses the private characters themselves, halves are not told apart.
        if wide && !regex.flags().is_unicode() && !text.chars().any(is_stand_in) {
            Self::Units { text, units: text.encode_utf16().collect() }
        } else {
            Self::Bytes(text)
        }
    }

    pub fn text(&self) -> &'t str {
        match self {
            Self::Bytes(text) | Self::Units { text, .. } => text,
        }
    }

    pub fn find_all(&self, regex: &Regex, fuel: &mut Fuel) -> Result<Vec<Found<'t>>, Exhausted> {
        match self {
            Self::Bytes(text) => {
                let found = regex.find_all(text, fuel)?;
                let groups = |m: &tavernkit_js::regex::Match<'t>| {
                    (0..m.group_len()).map(|group| m.group_text(group).map(Cow::Borrowed)).collect()
                };
                Ok(found.iter().map(|m| Found { groups: groups(m), range: m.range() }).collect())
            }
            Self::Units { units, .. } => find_all_units(units, regex, fuel),
        }
    }

    /// How many UTF-16 units stand before a place, counted on from the last place asked for.
    pub fn units_before(&self, place: usize, counted: &mut Counted) -> usize {
        let Self::Bytes(text) = self else { return place };
        if place < counted.bytes {
            *counted = Counted::default();
        }
        counted.units += string::length(text.get(counted.bytes..place).unwrap_or(""));
        counted.bytes = place;
        counted.units
    }

    /// The text with each match replaced.
    pub fn replace(&self, found: &[Found<'_>], replacements: &[String]) -> String {
        let ranges = found.iter().map(|found| found.range.clone());
        let mut done = 0;
        match self {
            Self::Bytes(text) => {
                let mut result = String::with_capacity(text.len());
                for (range, replacement) in ranges.zip(replacements) {
                    result.push_str(text.get(done..range.start).unwrap_or(""));
                    result.push_str(replacement);
                    done = range.end;
                }
                result.push_str(text.get(done..).unwrap_or(""));
                result
            }
            Self::Units { units, .. } => {
                let mut result = Vec::with_capacity(units.len());
                for (range, replacement) in ranges.zip(replacements) {
                    result.extend_from_slice(units.get(done..range.start).unwrap_or_default());
                    push_units(&mut result, replacement);
                    done = range.end;
                }
                result.extend_from_slice(units.get(done..).unwrap_or_default());
                String::from_utf16_lossy(&result)
            }
        }
    }
}

/// The place up to which units have been counted.
#[derive(Default)]
pub(super) struct Counted {
    bytes: usize,
    units: usize,
}

fn find_all_units<'t>(units: &[u16], regex: &Regex, fuel: &mut Fuel) -> Result<Vec<Found<'t>>, Exhausted> {
    let mut all = Vec::new();
    let mut start = 0;
    while let Some(found) = regex.find_utf16(units, start, fuel)? {
        let range = found.range();
        let group = |index: usize| {
            let units = units.get(found.group(index)?)?;
            Some(Cow::Owned(text_of(units)))
        };
        all.push(Found { groups: (0..found.group_len()).map(group).collect(), range: range.clone() });
        if !regex.flags().global {
            break;
        }
        start = if range.is_empty() { range.end + 1 } else { range.end };
    }
    Ok(all)
}

fn is_stand_in(c: char) -> bool {
    u32::from(c) >= STAND_IN
}

/// Units as a text; a lone half becomes the character that stands for it.
fn text_of(units: &[u16]) -> String {
    let decoded = char::decode_utf16(units.iter().copied());
    decoded
        .map(|c| {
            c.unwrap_or_else(|half| {
                let half = u32::from(half.unpaired_surrogate()) - HALF;
                char::from_u32(STAND_IN + half).unwrap_or(char::REPLACEMENT_CHARACTER)
            })
        })
        .collect()
}

fn push_units(units: &mut Vec<u16>, text: &str) {
    let mut buffer = [0; 2];
    for c in text.chars() {
        if is_stand_in(c) {
            // 2048 halves, so the sum fits.
            units.push((u32::from(c) - STAND_IN + HALF) as u16);
        } else {
            units.extend_from_slice(c.encode_utf16(&mut buffer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_come_back() {
        let units: Vec<u16> = vec![0x61, 0xD83D, 0x62, 0xDE00];
        let mut back = Vec::new();
        push_units(&mut back, &text_of(&units));
        assert_eq!(back, units);
    }
}
