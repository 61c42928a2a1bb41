//! A card with the file it came in.

use tavernkit_core::Warning;

use super::{Asset, Card, Character, Container, Finding, Version, asset, charx, picture, validate};
use crate::png::{Keyword, Png, Text};
use crate::{Error, ErrorKind, Limits, Result, base64, json};

/// Which version to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// The card as it is.
    AsIs,
    /// V2.
    V2,
    /// V3.
    V3,
}

/// Which chunks to write into a PNG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PngForm {
    /// Those the picture has; both if it has none.
    AsRead,
    /// `chara` only.
    V2,
    /// `ccv3` only.
    V3,
    /// `chara` and `ccv3`, which every program can read.
    Both,
}

/// A card, what it came in, what belongs to it, and what was odd about it.
///
/// The bytes of the file are not kept: pass them again where they are needed.
#[derive(Debug, Clone, PartialEq)]
pub struct CardFile {
    card: Card,
    container: Container,
    text: Option<Vec<u8>>,
    assets: Vec<Asset>,
    warnings: Vec<Warning>,
}

impl CardFile {
    pub(super) fn new(
        card: Card,
        container: Container,
        text: Option<Vec<u8>>,
        assets: Vec<Asset>,
        warnings: Vec<Warning>,
    ) -> Self {
        Self { card, container, text, assets, warnings }
    }

    /// The card.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// The card, to be changed.
    pub fn card_mut(&mut self) -> &mut Card {
        // From here on the text it was read from is no longer its text.
        self.text = None;
        &mut self.card
    }

    /// The typed fields.
    pub fn character(&self) -> Character {
        self.card.character()
    }

    /// What the card came in.
    pub fn container(&self) -> Container {
        self.container
    }

    /// The files that belong to the card.
    pub fn assets(&self) -> &[Asset] {
        &self.assets
    }

    /// What was odd.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The card as V2.
    pub fn to_v2(&self) -> Card {
        self.card.to_v2()
    }

    /// The card as V3.
    pub fn to_v3(&self) -> Card {
        self.card.to_v3()
    }

    /// Checks the card against its specification.
    pub fn validate(&self) -> Vec<Finding> {
        validate(&self.card)
    }

    /// The bytes of an asset. `source` is the file the card was read from.
    pub fn asset_bytes(&self, asset: &Asset, source: &[u8], limits: &Limits) -> Result<Vec<u8>> {
        asset::bytes(asset, &self.card, source, limits)
    }

    /// The card as JSON. A card that was not changed comes back as the very text it was read from;
    /// otherwise four spaces indent, as in SillyTavern's exports.
    pub fn write_json(&self, form: Form) -> Vec<u8> {
        let card = match (form, self.card.version()) {
            (Form::AsIs, _) | (Form::V2, Version::V2) | (Form::V3, Version::V3) => {
                if let Some(text) = &self.text {
                    return text.clone();
                }
                self.card.clone()
            }
            (Form::V2, _) => self.to_v2(),
            (Form::V3, _) => self.to_v3(),
        };
        json::indented(&card.into_value(), 4).into_bytes()
    }

    /// The card in the picture `base`. Pixels and all other chunks stay byte for byte; a chunk that holds the same card
    /// already is not touched.
    ///
    /// ```
    /// use tavernkit_formats::{card, png::Png, Limits};
    ///
    /// let limits = Limits::default();
    /// let file = card::read(br#"{"name": "Bram", "description": "Keeps the lamp."}"#, None, &limits)?;
    /// let png = file.write_png(&Png::smallest(), card::PngForm::Both, &limits)?;
    /// let again = card::read(&png, None, &limits)?;
    /// assert_eq!(again.card().version(), card::Version::V3);
    /// assert_eq!(again.character(), file.character());
    /// # Ok::<(), tavernkit_formats::Error>(())
    /// ```
    pub fn write_png(&self, base: &[u8], form: PngForm, limits: &Limits) -> Result<Vec<u8>> {
        if !Png::is_png(base) {
            let message = "a card can be written only into a PNG picture; convert the picture to PNG first";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let mut png = Png::parse(base, limits)?;
        let texts = Text::all(&png);
        let has = |keyword: Keyword| texts.iter().any(|text| text.keyword == keyword);
        let slots = match form {
            PngForm::AsRead => {
                let same = picture::pick(&png, &texts, limits, &mut Vec::new()).ok().flatten();
                if same.is_some_and(|(value, _)| json::compact(&value) == charx::compact(&self.card)) {
                    return Ok(base.to_vec());
                }
                match (has(Keyword::Chara), has(Keyword::Ccv3)) {
                    (true, false) => vec![Keyword::Chara],
                    (false, true) => vec![Keyword::Ccv3],
                    _ => vec![Keyword::Chara, Keyword::Ccv3],
                }
            }
            PngForm::V2 => vec![Keyword::Chara],
            PngForm::V3 => vec![Keyword::Ccv3],
            PngForm::Both => vec![Keyword::Chara, Keyword::Ccv3],
        };
        let mut kept = Vec::new();
        let mut added = Vec::new();
        for slot in slots {
            let text = self.slot_text(&slot, form);
            match texts.iter().find(|old| old.keyword == slot).filter(|old| holds(old, &text, limits)) {
                Some(old) => kept.push(old.chunk),
                None => added.push(Text::to_chunk(&slot, &base64::encode(text.as_bytes()))?),
            }
        }
        let stale: Vec<usize> = texts
            .iter()
            .filter(|text| {
                matches!(text.keyword, Keyword::Chara | Keyword::Ccv3) && !kept.contains(&text.chunk)
            })
            .map(|text| text.chunk)
            .collect();
        png.remove(&stale);
        for chunk in added {
            png.insert_before_end(chunk);
        }
        Ok(png.to_bytes())
    }

    /// What a chunk shall hold. The text as read is used where it is the same card.
    fn slot_text(&self, slot: &Keyword, form: PngForm) -> String {
        let version = self.card.version();
        let as_it_is = match slot {
            Keyword::Ccv3 => version == Version::V3,
            _ => version == Version::V2 || (version == Version::V1 && form == PngForm::AsRead),
        };
        let card = match (as_it_is, slot) {
            (true, _) => {
                if let Some(text) = self.text.as_deref().and_then(|text| std::str::from_utf8(text).ok()) {
                    return text.to_owned();
                }
                self.card.clone()
            }
            (false, Keyword::Ccv3) => self.to_v3(),
            (false, _) => self.to_v2(),
        };
        json::compact(&card.into_value())
    }

    /// The card as CHARX. A CHARX `base` keeps everything else it holds, still packed, and what stands before the archive.
    /// From another file the picture becomes the icon and assets move into the archive.
    pub fn write_charx(&self, base: Option<&[u8]>, limits: &Limits) -> Result<Vec<u8>> {
        let card = self.to_v3();
        if let (Some(base), Container::CharX) = (base, self.container) {
            // An untouched card comes back untouched, whatever its version.
            let card = if self.text.is_some() { &self.card } else { &card };
            if let Some(bytes) = charx::replace_card(base, card, limits)? {
                return Ok(bytes);
            }
        }
        charx::build(&card, &self.assets, self.container, base, limits)
    }
}

/// Whether a chunk holds exactly this JSON already.
fn holds(text: &Text<'_>, wanted: &str, limits: &Limits) -> bool {
    let Ok(payload) = text.bytes(limits) else { return false };
    let (decoded, _) = base64::decode(&payload);
    decoded == wanted.as_bytes()
}
