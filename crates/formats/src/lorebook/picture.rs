//! NovelAI's lorebooks also come as pictures, with the book in a text chunk.

use crate::png::{Keyword, Png, Text};
use crate::{Error, ErrorKind, Limits, Result, base64};

/// The JSON of the lorebook in a picture.
pub(super) fn book_in(bytes: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    let png = Png::parse(bytes, limits)?;
    let texts = Text::all(&png);
    let Some(text) = texts.iter().find(|text| text.keyword == Keyword::NovelAi) else {
        let message = "the picture holds no lorebook; if it is a card, the book is inside the card";
        return Err(Error::new(ErrorKind::NothingInside, message));
    };
    let (json, _) = base64::decode(&text.bytes(limits)?);
    Ok(json)
}
