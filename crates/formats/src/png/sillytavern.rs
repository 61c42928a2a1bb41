//! What SillyTavern 1.19 itself reads from a PNG and writes into it.
//!
//! It is stricter than this crate's own reader: every checksum must be right, only `tEXt` counts, and the first
//! chunk of a keyword is taken. Use it to know whether a file will load there, or to write what it would write.

use std::borrow::Cow;

use serde_json::Value;

use super::text::split_at_nul;
use super::{Chunk, Keyword, Png, Text};
use crate::{Error, ErrorKind, Limits, Result, base64, json};

/// The card text SillyTavern would find. It need not be JSON.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<String> {
    let png = strict(bytes, limits)?;
    let mut found = None;
    for (keyword, text) in texts(&png)? {
        match keyword {
            Keyword::Ccv3 if !matches!(found, Some((Keyword::Ccv3, _))) => found = Some((keyword, text)),
            Keyword::Chara if found.is_none() => found = Some((keyword, text)),
            _ => {}
        }
    }
    let Some((_, text)) = found else {
        let message = "there is no tEXt chunk `chara` or `ccv3` in the picture; export the card again as PNG";
        return Err(Error::new(ErrorKind::NothingInside, message));
    };
    let (decoded, _) = base64::decode(text);
    Ok(String::from_utf8_lossy(&decoded).into_owned())
}

/// The file SillyTavern would write: `chara` holds the text as given, `ccv3` the same object marked as V3 if the text is JSON.
/// Other chunks stay, what follows `IEND` goes.
pub fn write(image: &[u8], card: &str, limits: &Limits) -> Result<Vec<u8>> {
    if card.is_empty() {
        return Err(Error::new(
            ErrorKind::Missing,
            "an empty text cannot be written as a card; give the card's JSON",
        ));
    }
    let mut png = strict(image, limits)?;
    texts(&png)?;
    let stale: Vec<usize> = Text::all(&png)
        .into_iter()
        .filter(|text| {
            &png.chunks[text.chunk].kind == b"tEXt" && matches!(text.keyword, Keyword::Chara | Keyword::Ccv3)
        })
        .map(|text| text.chunk)
        .collect();
    png.remove(&stale);
    png.trailing = &[];
    png.insert_before_end(Text::to_chunk(&Keyword::Chara, &base64::encode(card.as_bytes()))?);
    if let Some(v3) = as_v3(card, limits) {
        png.insert_before_end(Text::to_chunk(&Keyword::Ccv3, &base64::encode(v3.as_bytes()))?);
    }
    Ok(png.to_bytes())
}

/// Stands for half a character while JSON is read: JavaScript keeps those and prints them as escapes, our texts cannot.
const HALF: char = '\u{fdd0}';

/// The same JSON as JavaScript would print it, marked as V3. `None` for what JavaScript cannot read or mark.
fn as_v3(card: &str, limits: &Limits) -> Option<String> {
    if card.starts_with('\u{feff}') {
        return None;
    }
    let parsed = json::parse_text(&mark_halves(card), limits).ok()?;
    // JavaScript accepts these two oddities, but none of our other repairs.
    let accepted = |code: &str| matches!(code, "json.duplicate_key" | "json.number_precision");
    if parsed.warnings.iter().any(|warning| !accepted(&warning.code)) {
        return None;
    }
    let mut value = json::order::as_javascript(&parsed.value);
    match &mut value {
        Value::Object(map) => {
            map.insert("spec".into(), "chara_card_v3".into());
            map.insert("spec_version".into(), "3.0".into());
        }
        // A list takes the two properties but does not print them.
        Value::Array(_) => {}
        _ => return None,
    }
    Some(json::compact(&value).replace(HALF, "\\u"))
}

/// Replaces the escapes of lone surrogates by [`HALF`] and their digits.
fn mark_halves(card: &str) -> Cow<'_, str> {
    if !card.contains("\\u") || card.contains(HALF) {
        return Cow::Borrowed(card);
    }
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
    };
    let mut out = String::with_capacity(card.len());
    let mut rest = card;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match unit(rest) {
            Some(0xd800..=0xdbff) if matches!(rest.get(6..).and_then(unit), Some(0xdc00..=0xdfff)) => 12,
            Some(half @ 0xd800..=0xdfff) => {
                out.push(HALF);
                out.push_str(&format!("{half:04x}"));
                rest = &rest[6..];
                continue;
            }
            // A backslash and what it escapes: the next one may be an escaped backslash.
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn strict<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Png<'a>> {
    let mut png = Png::parse(bytes, limits)?;
    // SillyTavern takes the name IEND for the end, whether or not its checksum follows.
    let ends = png.is_complete() || png.trailing.get(4..8) == Some(b"IEND");
    if !ends {
        let message = "the picture is cut off before its end; get a whole copy of it";
        return Err(Error::new(ErrorKind::Png, message).at_offset(bytes.len() as u64));
    }
    if png.is_complete() {
        png.chunks.pop();
    }
    if let Some(chunk) = png.first_bad_crc() {
        let message =
            format!("the checksum of chunk {} is wrong; SillyTavern refuses such a file", chunk.kind_name());
        return Err(Error::new(ErrorKind::Png, message).at_offset(chunk.offset as u64));
    }
    png.chunks.push(Chunk::new(*b"IEND", &[][..]));
    Ok(png)
}

/// Keyword and text of every `tEXt` chunk.
fn texts<'a>(png: &'a Png<'_>) -> Result<Vec<(Keyword, &'a [u8])>> {
    let chunks = png.chunks.iter().filter(|chunk| &chunk.kind == b"tEXt");
    chunks
        .map(|chunk| {
            let (keyword, text) = split_at_nul(chunk.data());
            if text.contains(&0) {
                let message = "a tEXt chunk holds a zero byte; SillyTavern refuses such a file";
                return Err(Error::new(ErrorKind::Png, message).at_offset(chunk.offset as u64));
            }
            let keyword: String = keyword.iter().map(|byte| char::from(*byte)).collect();
            Ok((Keyword::parse(&keyword), text))
        })
        .collect()
}
