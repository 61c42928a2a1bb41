//! Pictures and other files that belong to a card.

use std::collections::HashSet;

use serde_json::Value;
use tavernkit_core::Warning;

use super::{Card, Container};
use crate::archive::{Archive, normalise};
use crate::png::{Keyword, Png, Text};
use crate::{Error, ErrorKind, Limits, Result, base64};

/// A file that belongs to a card. Its bytes stay where they are until [`CardFile::asset_bytes`](super::CardFile::asset_bytes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// `icon`, `emotion`, `background`, …; `file` for what the card does not mention.
    pub kind: String,
    /// The asset's name in the card.
    pub name: String,
    /// The file extension, lower case, without a dot.
    pub extension: String,
    /// How the card refers to it. Long inline data is cut off here.
    pub uri: String,
    /// Where the bytes are.
    pub place: Place,
    /// The field that mentions it.
    pub path: String,
}

/// Where the bytes of an asset are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// A file in the same archive.
    Entry(String),
    /// A RisuAI asset chunk of the same PNG.
    Chunk(String),
    /// Base64 inside the card itself.
    Inline,
    /// The picture that carries the card.
    Picture,
    /// Somewhere else, to be fetched by whoever may.
    Remote,
    /// Nowhere: the card refers to something that is not there.
    Missing,
}

const EMBEDDED: [&str; 3] = ["embeded://", "embedded://", "__asset:"];

impl Asset {
    /// A file name that is safe on any system: the asset's name and extension, without anything a path could hide in.
    pub fn file_name(&self) -> String {
        let clean = |text: &str| -> String {
            let kept = text
                .chars()
                .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | ' ' | '.') { c } else { '_' });
            kept.take(100).collect::<String>().trim_matches(['.', ' ']).to_owned()
        };
        let (name, extension) = (clean(&self.name), clean(&self.extension));
        let name = if name.is_empty() { "unnamed".to_owned() } else { name };
        // Device names of Windows.
        let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
        let reserved = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
            || (stem.len() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")));
        let name = if reserved { format!("_{name}") } else { name };
        match extension.as_str() {
            "" => name,
            extension if name.to_lowercase().ends_with(&format!(".{extension}")) => name,
            extension => format!("{name}.{extension}"),
        }
    }
}

/// What a container holds beside the card.
#[derive(Default)]
pub(super) struct Held {
    /// Files of an archive, in its order.
    pub(super) entries: Vec<String>,
    /// RisuAI asset chunks of a PNG, in its order.
    pub(super) chunks: Vec<String>,
}

/// All assets of a card: those it mentions, then those it does not.
pub(super) fn list(
    card: &Card,
    container: Container,
    held: &Held,
    warnings: &mut Vec<Warning>,
) -> Vec<Asset> {
    let mut assets = Vec::new();
    mentioned(card, &mut assets);
    let entries: HashSet<&str> = held.entries.iter().map(String::as_str).collect();
    let chunks: HashSet<&str> = held.chunks.iter().map(String::as_str).collect();
    for asset in &mut assets {
        asset.place = find(&asset.uri, container, &entries, &chunks);
        if asset.extension.is_empty() {
            asset.extension = extension_of(&asset.uri);
        }
        if asset.place == Place::Missing {
            let message =
                format!("asset {:?} is not in the file; the reference was kept", shorten(&asset.name));
            warnings.push(Warning::new("card.asset_missing", message).at(asset.path.clone()));
        }
        asset.uri = shorten(&asset.uri);
    }
    unmentioned(held, &mut assets);
    assets
}

fn mentioned(card: &Card, assets: &mut Vec<Asset>) {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(Value::Array(list)) = card.data().get("assets") {
        for (index, item) in list.iter().enumerate() {
            assets.push(Asset {
                kind: text(item.get("type")).to_lowercase(),
                name: text(item.get("name")),
                extension: text(item.get("ext")).trim().to_lowercase().trim_start_matches('.').to_owned(),
                uri: text(item.get("uri")),
                place: Place::Missing,
                path: format!("data.assets[{index}]"),
            });
        }
    }
    let risu = card.extensions().and_then(|extensions| extensions.get("risuai"));
    for (key, kind) in [("emotions", "emotion"), ("additionalAssets", "x-risu-asset")] {
        let Some(Value::Array(list)) = risu.and_then(|risu| risu.get(key)) else { continue };
        for (index, item) in list.iter().enumerate() {
            assets.push(Asset {
                kind: kind.to_owned(),
                name: text(item.get(0)),
                extension: text(item.get(2)).to_lowercase(),
                uri: text(item.get(1)),
                place: Place::Missing,
                path: format!("data.extensions.risuai.{key}[{index}]"),
            });
        }
    }
}

fn unmentioned(held: &Held, assets: &mut Vec<Asset>) {
    let known: HashSet<Place> = assets.iter().map(|asset| asset.place.clone()).collect();
    let entries = held.entries.iter().map(|name| (name, Place::Entry(name.clone())));
    let chunks = held.chunks.iter().map(|name| (name, Place::Chunk(name.clone())));
    for (name, place) in entries.chain(chunks).filter(|(_, place)| !known.contains(place)) {
        assets.push(Asset {
            kind: "file".into(),
            name: name.rsplit('/').next().unwrap_or_default().to_owned(),
            extension: extension_of(name),
            uri: String::new(),
            place,
            path: name.clone(),
        });
    }
}

fn find(uri: &str, container: Container, entries: &HashSet<&str>, chunks: &HashSet<&str>) -> Place {
    let uri = uri.trim();
    // Inline data may be megabytes; only its start is compared.
    let start = uri.get(..uri.len().min(16)).unwrap_or_default().to_ascii_lowercase();
    if start.starts_with("ccdefault:") {
        let pictured = matches!(container, Container::Png | Container::Jpeg | Container::WebP);
        return if pictured { Place::Picture } else { Place::Missing };
    }
    if start.starts_with("data:") {
        return Place::Inline;
    }
    if let Some(prefix) = EMBEDDED.iter().find(|prefix| start.starts_with(**prefix)) {
        let target = &uri[prefix.len()..];
        let path = normalise(target).filter(|path| entries.contains(path.as_str()));
        return match path {
            Some(path) => Place::Entry(path),
            None if chunks.contains(target) => Place::Chunk(target.to_owned()),
            None => Place::Missing,
        };
    }
    match uri {
        "" => Place::Missing,
        _ if start.contains("://") => Place::Remote,
        // RisuAI keeps plain base64 in JSON cards. Nothing shorter is a picture.
        _ if uri.len() >= 32
            && uri.bytes().take(64).all(|b| b.is_ascii_alphanumeric() || b"+/=\r\n".contains(&b)) =>
        {
            Place::Inline
        }
        _ => Place::Remote,
    }
}

/// The bytes of an asset. `source` is the file the card was read from.
pub(super) fn bytes(asset: &Asset, card: &Card, source: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    let missing = || {
        let message = "the asset is not in the file; pass the file the card was read from";
        Error::new(ErrorKind::Missing, message).at_field(asset.path.clone())
    };
    match &asset.place {
        Place::Entry(name) => Archive::open(source, limits)?.read(name, limits)?.ok_or_else(missing),
        Place::Chunk(name) => {
            let png = Png::parse(source, limits)?;
            let wanted = Keyword::RisuAsset(name.clone());
            let text = Text::all(&png).into_iter().find(|text| text.keyword == wanted).ok_or_else(missing)?;
            Ok(base64::decode(&text.bytes(limits)?).0)
        }
        Place::Inline => {
            let data = inline(asset, card).ok_or_else(missing)?;
            let encoded = match data.split_once(',') {
                Some((head, encoded)) if head.starts_with("data:") => encoded,
                _ => data,
            };
            Ok(base64::decode(encoded.as_bytes()).0)
        }
        Place::Picture => Ok(source.to_vec()),
        Place::Remote => {
            let message = "the asset is not in the file but somewhere else; fetch its address yourself";
            Err(Error::new(ErrorKind::Unsupported, message).at_field(asset.path.clone()))
        }
        Place::Missing => Err(missing()),
    }
}

/// Inline data, read again from the field that holds it.
fn inline<'c>(asset: &Asset, card: &'c Card) -> Option<&'c str> {
    let (list, index) = asset.path.strip_suffix(']')?.rsplit_once('[')?;
    let index: usize = index.parse().ok()?;
    let item = match list {
        "data.assets" => card.data().get("assets")?.get(index)?.get("uri")?,
        _ => {
            let key = list.strip_prefix("data.extensions.risuai.")?;
            card.extensions()?.get("risuai")?.get(key)?.get(index)?.get(1)?
        }
    };
    item.as_str()
}

fn extension_of(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((_, extension))
            if extension.len() <= 5 && extension.bytes().all(|b| b.is_ascii_alphanumeric()) =>
        {
            extension.to_lowercase()
        }
        _ => String::new(),
    }
}

fn shorten(text: &str) -> String {
    if text.len() <= 200 { text.to_owned() } else { text.chars().take(80).chain(['…']).collect() }
}
