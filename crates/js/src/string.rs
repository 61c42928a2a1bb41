//! JavaScript's string operations that platforms use.
//!
//! Rust texts are UTF-8 and well formed; JavaScript counts UTF-16 units and allows halves of a pair. Positions here are
//! UTF-16 units, as platforms count them. Where a cut would leave half a pair, the half becomes U+FFFD, which is
//! what JavaScript's own `toWellFormed` and every UTF-8 encoder make of it.

use crate::number::is_js_space;
use std::borrow::Cow;
use std::cmp::Ordering;

/// `text.trim()`.
///
/// ```
/// use tavernkit_js::string;
/// assert_eq!(string::trim("\u{feff} a\u{3000}\n"), "a");
/// ```
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// `text.trimStart()`.
pub fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_js_space)
}

/// `text.trimEnd()`.
pub fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_js_space)
}

/// `text.length`: UTF-16 units.
///
/// ```
/// assert_eq!(tavernkit_js::string::length("a😀"), 3);
/// ```
pub fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// `a < b` and friends: order by UTF-16 units, which puts astral characters before U+E000.
///
/// ```
/// use std::cmp::Ordering;
/// assert_eq!(tavernkit_js::string::compare("😀", "\u{ffee}"), Ordering::Less);
/// ```
pub fn compare(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// `list.sort()` of texts: stable, by UTF-16 units.
pub fn sort<T: AsRef<str>>(list: &mut [T]) {
    list.sort_by(|a, b| compare(a.as_ref(), b.as_ref()));
}

/// `text.toLowerCase()`.
///
/// ```
/// use tavernkit_js::string;
/// assert_eq!(string::to_lower_case("ΟΔΟΣ"), "οδος");
/// ```
pub fn to_lower_case(text: &str) -> String {
    text.to_lowercase()
}

/// `text.toUpperCase()`.
pub fn to_upper_case(text: &str) -> String {
    text.to_uppercase()
}

/// `text.slice(start, end)`: negative positions count from the end.
///
/// ```
/// use tavernkit_js::string;
/// assert_eq!(string::slice("a😀b龙c", -2, None), "龙c");
/// assert_eq!(string::slice("abc", 1, Some(-1)), "b");
/// ```
pub fn slice(text: &str, start: i64, end: Option<i64>) -> Cow<'_, str> {
    let length = length(text) as i64;
    let resolve = |at: i64| if at < 0 { (length + at).max(0) } else { at.min(length) };
    let (start, end) = (resolve(start), resolve(end.unwrap_or(length)));
    units(text, start as usize, end.max(start) as usize)
}

/// `text.substring(start, end)`: negative positions count as 0, and the smaller one comes first.
///
/// ```
/// assert_eq!(tavernkit_js::string::substring("abc", 2, Some(-1)), "ab");
/// ```
pub fn substring(text: &str, start: i64, end: Option<i64>) -> Cow<'_, str> {
    let length = length(text) as i64;
    let start = start.clamp(0, length);
    let end = end.unwrap_or(length).clamp(0, length);
    units(text, start.min(end) as usize, start.max(end) as usize)
}

/// `text.substr(start, length)`.
pub fn substr(text: &str, start: i64, count: Option<i64>) -> Cow<'_, str> {
    let length = length(text) as i64;
    let start = if start < 0 { (length + start).max(0) } else { start.min(length) };
    let count = count.unwrap_or(length).clamp(0, length - start);
    units(text, start as usize, (start + count) as usize)
}

/// The units `start..end` of a text; both are within its length and in order.
fn units(text: &str, start: usize, end: usize) -> Cow<'_, str> {
    if start == end {
        return Cow::Borrowed("");
    }
    match (unit_to_byte(text, start), unit_to_byte(text, end)) {
        (Some(from), Some(to)) => Cow::Borrowed(&text[from..to]),
        _ => {
            let cut: Vec<u16> = text.encode_utf16().skip(start).take(end - start).collect();
            Cow::Owned(String::from_utf16_lossy(&cut))
        }
    }
}

/// The byte position of a UTF-16 position; `None` inside a surrogate pair or beyond the end.
///
/// ```
/// use tavernkit_js::string;
/// assert_eq!(string::unit_to_byte("😀b", 2), Some(4));
/// assert_eq!(string::unit_to_byte("😀b", 1), None);
/// ```
pub fn unit_to_byte(text: &str, unit: usize) -> Option<usize> {
    if text.is_ascii() {
        return (unit <= text.len()).then_some(unit);
    }
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        if seen >= unit {
            return (seen == unit).then_some(at);
        }
        seen += c.len_utf16();
    }
    (seen == unit).then_some(text.len())
}

/// `text.padStart(length, fill)`.
///
/// ```
/// assert_eq!(tavernkit_js::string::pad_start("5", 3, "0"), "005");
/// ```
pub fn pad_start(text: &str, target: usize, fill: &str) -> String {
    padding(text, target, fill) + text
}

/// `text.padEnd(length, fill)`.
pub fn pad_end(text: &str, target: usize, fill: &str) -> String {
    text.to_owned() + &padding(text, target, fill)
}

fn padding(text: &str, target: usize, fill: &str) -> String {
    let missing = target.saturating_sub(length(text));
    let units: Vec<u16> = fill.encode_utf16().cycle().take(missing).collect();
    String::from_utf16_lossy(&units)
}

/// `text.split(separator)`: an empty separator gives single units; halves of a pair become U+FFFD.
///
/// ```
/// use tavernkit_js::string;
/// assert_eq!(string::split("a,b,", ","), ["a", "b", ""]);
/// assert_eq!(string::split("abc", ""), ["a", "b", "c"]);
/// assert!(string::split("", "").is_empty());
/// ```
pub fn split<'t>(text: &'t str, separator: &str) -> Vec<Cow<'t, str>> {
    if separator.is_empty() {
        let single = |c: char| match c.len_utf16() {
            1 => vec![Cow::Owned(c.to_string())],
            _ => vec![Cow::Borrowed("\u{fffd}"); 2],
        };
        return text.chars().flat_map(single).collect();
    }
    text.split(separator).map(Cow::Borrowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_inside_a_pair_leave_no_broken_text() {
        assert_eq!(slice("a😀b", 0, Some(2)), "a\u{fffd}");
        assert_eq!(slice("a😀b", 2, None), "\u{fffd}b");
        assert_eq!(slice("abc", 2, Some(1)), "");
        assert_eq!(slice("abc", -9, Some(9)), "abc");
    }

    #[test]
    fn substr_counts_from_its_start() {
        assert_eq!(substr("abcdef", -3, Some(2)), "de");
        assert_eq!(substr("abc", 1, Some(-1)), "");
        assert_eq!(substr("abc", 9, None), "");
    }

    #[test]
    fn case_follows_the_whole_word() {
        assert_eq!(to_upper_case("straße ﬁ ŉ"), "STRASSE FI ʼN");
        assert_eq!(to_lower_case("İΣ ΑΣ. Σ"), "i̇ς ας. σ");
    }

    #[test]
    fn padding_counts_units() {
        assert_eq!(pad_start("a", 5, "😀"), "😀😀a");
        assert_eq!(pad_end("x", 3, ""), "x");
    }
}
