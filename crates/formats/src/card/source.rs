//! What the bytes are, and the card in them.

use serde_json::Value;
use tavernkit_core::Warning;

use super::asset::{self, Held};
use super::{Card, CardFile, Character, byaf, charx, picture};
use crate::archive::Archive;
use crate::png::Png;
use crate::{Error, ErrorKind, Limits, Result, json, yaml};

/// What a card came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Container {
    /// Plain JSON.
    Json,
    /// A YAML character file.
    Yaml,
    /// A PNG or APNG picture.
    Png,
    /// A JPEG picture with the card in a comment.
    Jpeg,
    /// A WebP picture with the card in a comment.
    WebP,
    /// An archive with `card.json`, maybe behind a picture.
    CharX,
    /// A Backyard archive with `manifest.json`.
    Byaf,
}

/// A card as found, before it is looked at.
pub(super) struct Found {
    pub(super) container: Container,
    pub(super) value: Value,
    /// The exact text the value was read from, if it was JSON.
    pub(super) text: Option<Vec<u8>>,
    pub(super) held: Held,
    pub(super) warnings: Vec<Warning>,
}

/// Reads a card from bytes of any kind. `file_name` helps only where the bytes do not tell.
///
/// ```
/// use tavernkit_formats::{card, Limits};
///
/// let file = card::read(br#"{"name": "Bram", "description": "Keeps the lamp.", "mood": "dry"}"#, None, &Limits::default())?;
/// assert_eq!(file.container(), card::Container::Json);
/// assert_eq!(file.character().name, "Bram");
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
pub fn read(bytes: &[u8], file_name: Option<&str>, limits: &Limits) -> Result<CardFile> {
    if bytes.len() as u64 > limits.input {
        let message = format!(
            "the file has {} bytes, more than the limit of {}; raise `Limits::input` if you trust it",
            bytes.len(),
            limits.input
        );
        return Err(Error::new(ErrorKind::Limit, message));
    }
    let Found { container, value, text, held, mut warnings } = find(bytes, file_name, limits)?;
    let card = Card::from_value(value, &mut warnings)?;
    // Reading the typed fields once tells what is wrong with their types.
    let character = Character::of(&card, &mut warnings);
    if character.name.trim().is_empty() {
        let message = "the card has no name; most programs will not load it";
        warnings.push(
            Warning::new("card.name", message)
                .at(card.field("name").map_or("name".to_owned(), |(path, _)| path)),
        );
    }
    let assets = asset::list(&card, container, &held, &mut warnings);
    Ok(CardFile::new(card, container, text, assets, warnings))
}

fn find(bytes: &[u8], file_name: Option<&str>, limits: &Limits) -> Result<Found> {
    if Png::is_png(bytes) {
        return picture::read_png(bytes, limits);
    }
    if bytes.starts_with(b"\xff\xd8") {
        return picture::read_commented(bytes, Container::Jpeg, limits);
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return picture::read_commented(bytes, Container::WebP, limits);
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return read_archive(bytes, limits);
    }
    // Text has no zero bytes, unless it is UTF-16, which has them in pairs with others.
    let (text, decode_warnings) = json::decode(bytes, limits);
    let start = text.trim_start().chars().next();
    if matches!(start, Some('{' | '[')) {
        let parsed = json::parse(bytes, limits)?;
        return Ok(Found {
            container: Container::Json,
            value: parsed.value,
            text: Some(bytes.to_vec()),
            held: Held::default(),
            warnings: parsed.warnings,
        });
    }
    if Archive::is_at_the_end_of(bytes) {
        return read_archive(bytes, limits);
    }
    let named_yaml = file_name.is_some_and(|name| {
        let name = name.to_lowercase();
        name.ends_with(".yaml") || name.ends_with(".yml")
    });
    let looks_yaml = !text.contains('\0')
        && text.lines().take(200).any(|line| line.starts_with("name:") || line.starts_with("char_name:"));
    if named_yaml || looks_yaml {
        let value = yaml::parse(&text, limits)?;
        return Ok(Found {
            container: Container::Yaml,
            value,
            text: None,
            held: Held::default(),
            warnings: decode_warnings,
        });
    }
    let message = match bytes {
        [] => "the file is empty",
        _ => "this is not a card: it is neither PNG, JPEG, WebP, CHARX, BYAF, JSON nor YAML",
    };
    Err(Error::new(ErrorKind::UnknownFormat, message))
}

/// An archive: CHARX if it has a card, BYAF if it has a manifest.
pub(super) fn read_archive(bytes: &[u8], limits: &Limits) -> Result<Found> {
    let mut archive = Archive::open(bytes, limits)?;
    if let Some(name) = charx::card_entry(&archive) {
        return charx::read(&mut archive, &name, limits);
    }
    if archive.contains("manifest.json") {
        return byaf::read(&mut archive, limits);
    }
    let message =
        "the archive holds no `card.json` (CHARX) and no `manifest.json` (BYAF), so there is no card in it";
    Err(Error::new(ErrorKind::NothingInside, message))
}
