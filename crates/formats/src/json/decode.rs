//! From bytes to text: byte order marks, UTF-16, and bytes that are no text at all.

use std::borrow::Cow;

use tavernkit_core::Warning;

use super::Collector;
use crate::Limits;

/// Turns bytes into text. A byte order mark decides the encoding and is dropped; without one, UTF-16 is recognised
/// by its zero bytes. What cannot be decoded becomes U+FFFD, with a warning.
///
/// ```
/// use tavernkit_formats::{json, Limits};
///
/// let (text, warnings) = json::decode(b"\xff\xfe[\x001\x00]\x00", &Limits::default());
/// assert_eq!((text.as_ref(), warnings.len()), ("[1]", 0));
/// ```
pub fn decode<'a>(bytes: &'a [u8], limits: &Limits) -> (Cow<'a, str>, Vec<Warning>) {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest, 3, limits),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes, limits),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes, limits),
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => utf16(bytes, u16::from_le_bytes, limits),
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => utf16(bytes, u16::from_be_bytes, limits),
        _ => utf8(bytes, 0, limits),
    }
}

fn utf8<'a>(bytes: &'a [u8], skipped: usize, limits: &Limits) -> (Cow<'a, str>, Vec<Warning>) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let mut warnings = Vec::new();
    let mut collector = Collector::new(&mut warnings, limits);
    let mut text = String::with_capacity(bytes.len() + 16);
    let mut offset = skipped;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        offset += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            collector.push("json.invalid_utf8", || {
                (
                    format!("bytes {:02x?} are not UTF-8; U+FFFD stands in their place", chunk.invalid()),
                    format!("byte {offset}"),
                )
            });
            text.push('\u{fffd}');
            offset += chunk.invalid().len();
        }
    }
    collector.finish();
    (Cow::Owned(text), warnings)
}

fn utf16<'a>(bytes: &'a [u8], unit: fn([u8; 2]) -> u16, limits: &Limits) -> (Cow<'a, str>, Vec<Warning>) {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut warnings = Vec::new();
    let mut collector = Collector::new(&mut warnings, limits);
    let mut text = String::with_capacity(bytes.len() / 2);
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        text.push(decoded.unwrap_or_else(|lone| {
            collector.push("json.lone_surrogate", || {
                let code = lone.unpaired_surrogate();
                (
                    format!("half of a character (U+{code:04X}) stands alone; U+FFFD stands in its place"),
                    "UTF-16 text".into(),
                )
            });
            '\u{fffd}'
        }));
    }
    if !rest.is_empty() {
        collector.push("json.invalid_utf16", || {
            (
                "the UTF-16 text ends with half a unit, which was dropped".into(),
                format!("byte {}", bytes.len() - 1),
            )
        });
    }
    collector.finish();
    (Cow::Owned(text), warnings)
}
