//! Cards in pictures: the text chunks of PNG, the comments of JPEG and WebP.

use serde_json::Value;
use tavernkit_core::Warning;

use super::Container;
use super::asset::Held;
use super::source::{Found, read_archive};
use crate::archive::Archive;
use crate::base64::{self, Shape};
use crate::png::{Keyword, Png, Text};
use crate::{Error, ErrorKind, Limits, Result, exif, json};

pub(super) fn read_png(bytes: &[u8], limits: &Limits) -> Result<Found> {
    let mut png = Png::parse(bytes, limits)?;
    let mut warnings = std::mem::take(&mut png.warnings);
    let texts = Text::all(&png);
    match pick(&png, &texts, limits, &mut warnings) {
        Ok(Some((value, text))) => {
            let chunks = texts.iter().filter_map(|text| match &text.keyword {
                Keyword::RisuAsset(name) => Some(name.clone()),
                _ => None,
            });
            let held = Held { chunks: chunks.collect(), ..Held::default() };
            Ok(Found { container: Container::Png, value, text: Some(text), held, warnings })
        }
        Ok(None) if Archive::is_at_the_end_of(png.trailing) => read_archive(bytes, limits),
        Ok(None) => {
            let novelai = texts.iter().any(|text| text.keyword == Keyword::NovelAi);
            let message = if novelai {
                "the picture holds a NovelAI lorebook (`naidata`), not a character card"
            } else if !png.is_complete() {
                "the picture is cut off and the part that is there holds no card; get a whole copy of it"
            } else {
                "the picture holds no card: there is no text chunk `chara` or `ccv3`; was it saved by a site that strips them?"
            };
            Err(Error::new(ErrorKind::NothingInside, message))
        }
        Err(error) => Err(error),
    }
}

/// The card of a PNG: V3 wins, then the first chunk that can be read.
pub(super) fn pick(
    png: &Png<'_>,
    texts: &[Text<'_>],
    limits: &Limits,
    warnings: &mut Vec<Warning>,
) -> Result<Option<(Value, Vec<u8>)>> {
    let mut first_error = None;
    for wanted in [Keyword::Ccv3, Keyword::Chara] {
        let candidates: Vec<&Text<'_>> = texts.iter().filter(|text| text.keyword == wanted).collect();
        if candidates.len() > 1 {
            let message = format!(
                "there are {} chunks `{wanted}`; the first that can be read was used",
                candidates.len()
            );
            warnings.push(Warning::new("card.several_chunks", message));
        }
        for text in candidates {
            let chunk = &png.chunks[text.chunk];
            if !chunk.has_good_crc() {
                let message =
                    format!("the checksum of the chunk `{}` is wrong; its text was used", text.raw_keyword);
                warnings.push(Warning::new("card.bad_crc", message).at(format!("byte {}", chunk.offset)));
            }
            let mut heard = Vec::new();
            match text
                .bytes(limits)
                .and_then(|payload| decode(&payload, &text.raw_keyword, limits, &mut heard))
            {
                Ok(found) => {
                    warnings.append(&mut heard);
                    return Ok(Some(found));
                }
                Err(error) => {
                    let message = format!("the chunk `{}` cannot be read: {error}", text.raw_keyword);
                    warnings.push(Warning::new("card.chunk", message).at(format!("byte {}", chunk.offset)));
                    first_error.get_or_insert(error);
                }
            }
        }
    }
    match first_error {
        Some(error) => Err(error),
        None => Ok(None),
    }
}

/// A payload: JSON in base64, or plain JSON.
fn decode(
    payload: &[u8],
    place: &str,
    limits: &Limits,
    warnings: &mut Vec<Warning>,
) -> Result<(Value, Vec<u8>)> {
    let start = payload.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let (text, shape) = match payload.get(start) {
        Some(b'{') => (payload.to_vec(), Shape::Strict),
        _ => base64::decode(payload),
    };
    if text.starts_with(b"rcc||") {
        let message = "the card is encrypted by RisuAI; export it there without protection";
        return Err(Error::new(ErrorKind::Unsupported, message).at_field(place));
    }
    if shape == Shape::Broken {
        let message = "the base64 holds characters that do not belong there; they were skipped";
        warnings.push(Warning::new("card.base64", message).at(place.to_owned()));
    }
    match json::parse(&text, limits) {
        Ok(parsed) => {
            warnings.extend(parsed.warnings);
            Ok((parsed.value, text))
        }
        Err(error) if shape == Shape::Broken => {
            let message = "the card's base64 is damaged and what it decodes to is not JSON; get a whole copy of the file";
            Err(Error::new(ErrorKind::Encoding, message).at_field(place).caused_by(error))
        }
        Err(error) => Err(error.at_field(place)),
    }
}

/// A JPEG or WebP: an archive may follow it, or a comment holds the card.
pub(super) fn read_commented(bytes: &[u8], container: Container, limits: &Limits) -> Result<Found> {
    let mut first_error = None;
    if Archive::is_at_the_end_of(bytes) {
        match read_archive(bytes, limits) {
            Ok(found) => return Ok(found),
            Err(error) => first_error = Some(error),
        }
    }
    let comments = match container {
        Container::WebP => exif::webp_comments(bytes)?,
        _ => exif::jpeg_comments(bytes)?,
    };
    for comment in comments {
        if comment.len() as u64 > limits.text_chunk {
            continue;
        }
        let comment = comment.trim_ascii();
        let numbers = as_byte_list(comment);
        let payload = numbers.as_deref().unwrap_or(comment);
        let (text, utf16_warnings) = json::decode(payload, limits);
        let mut warnings = utf16_warnings;
        match decode(text.trim_end_matches('\0').as_bytes(), "comment", limits, &mut warnings) {
            Ok((value, text)) if value.is_object() => {
                return Ok(Found { container, value, text: Some(text), held: Held::default(), warnings });
            }
            Ok(_) => {}
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    let message = "the picture holds no card: neither an archive behind it nor a comment with one; use the PNG of the card";
    let error = Error::new(ErrorKind::NothingInside, message);
    Err(match first_error {
        Some(source) => error.caused_by(source),
        None => error,
    })
}

/// Old files hold the card's bytes as decimal numbers with commas.
fn as_byte_list(comment: &[u8]) -> Option<Vec<u8>> {
    if !comment.first()?.is_ascii_digit() {
        return None;
    }
    let text = std::str::from_utf8(comment).ok()?;
    text.trim_end_matches('\0').split(',').map(|number| number.trim().parse().ok()).collect()
}
