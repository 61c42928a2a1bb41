//! CHARX: an archive with `card.json` and the card's assets.

use serde_json::{Value, json};

use super::asset::Held;
use super::source::Found;
use super::{Asset, Card, Container, Place, asset};
use crate::archive::{Archive, Writer};
use crate::png::{Keyword, Png, Text};
use crate::{Limits, Result, json as text};

/// The entry that is the card: `card.json`, at the top or in a folder.
pub(super) fn card_entry(archive: &Archive<'_>) -> Option<String> {
    let top = archive.names().find(|name| *name == "card.json");
    let nested =
        || archive.names().find(|name| name.ends_with("/card.json") && !name.starts_with("__MACOSX"));
    top.or_else(nested).map(str::to_owned)
}

pub(super) fn read(archive: &mut Archive<'_>, card: &str, limits: &Limits) -> Result<Found> {
    let content = archive.read(card, limits)?.unwrap_or_default();
    let parsed = text::parse(&content, limits).map_err(|error| error.at_field(card))?;
    let mut warnings = std::mem::take(&mut archive.warnings);
    warnings.extend(parsed.warnings);
    let entries = archive.names().filter(|name| *name != card).map(str::to_owned).collect();
    let held = Held { entries, ..Held::default() };
    Ok(Found { container: Container::CharX, value: parsed.value, text: Some(content), held, warnings })
}

/// The archive `base` with its card replaced; everything else in it stays as it is.
pub(super) fn replace_card(base: &[u8], card: &Card, limits: &Limits) -> Result<Option<Vec<u8>>> {
    let mut archive = Archive::open(base, limits)?;
    let Some(entry) = card_entry(&archive) else { return Ok(None) };
    let old = archive.read(&entry, limits)?.unwrap_or_default();
    let unchanged = text::parse(&old, limits).is_ok_and(|old| text::compact(&old.value) == compact(card));
    if unchanged {
        return Ok(Some(base.to_vec()));
    }
    archive.with_file(&entry, text::indented(&Value::Object(card.raw().clone()), 4).as_bytes()).map(Some)
}

/// A new archive: the card, the picture it came in as its icon, and every asset whose bytes are at hand.
pub(super) fn build(
    card: &Card,
    assets: &[Asset],
    container: Container,
    base: Option<&[u8]>,
    limits: &Limits,
) -> Result<Vec<u8>> {
    let mut card = card.clone();
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    if let Some(base) = base {
        for (index, asset) in assets.iter().enumerate() {
            if !matches!(asset.place, Place::Chunk(_) | Place::Entry(_)) {
                continue;
            }
            let path = format!("assets/{}/{index}_{}", folder(&asset.kind), asset.file_name());
            files.push((path.clone(), asset::bytes(asset, &card, base, limits)?));
            card.edit(|raw| refer(raw, asset, &format!("embeded://{path}")));
        }
        let picture = match container {
            Container::Png => Some(("png", without_card(base, limits)?)),
            Container::Jpeg => Some(("jpeg", base.to_vec())),
            Container::WebP => Some(("webp", base.to_vec())),
            _ => None,
        };
        if let Some((extension, picture)) = picture {
            let path = format!("assets/icon/image/main.{extension}");
            card.edit(|raw| set_icon(raw, &format!("embeded://{path}"), extension));
            files.push((path, picture));
        }
    }
    let mut writer = Writer::default();
    writer.add("card.json", text::indented(&card.into_value(), 4).as_bytes())?;
    for (path, content) in &files {
        writer.add(path, content)?;
    }
    writer.finish()
}

/// The folder names the specification suggests.
fn folder(kind: &str) -> &str {
    match kind {
        "icon" | "background" | "emotion" | "user_icon" => kind,
        _ => "other",
    }
}

/// Points the field that mentions an asset to its new place, or adds a mention.
fn refer(raw: &mut serde_json::Map<String, Value>, asset: &Asset, uri: &str) {
    let Some(data) = raw.get_mut("data") else { return };
    let place = asset.path.strip_suffix(']').and_then(|path| path.rsplit_once('['));
    let index = place.and_then(|(_, index)| index.parse::<usize>().ok());
    let slot = match (place.map(|(list, _)| list), index) {
        (Some("data.assets"), Some(index)) => data.pointer_mut(&format!("/assets/{index}/uri")),
        (Some(list), Some(index)) => match list.strip_prefix("data.extensions.risuai.") {
            Some(key) => data.pointer_mut(&format!("/extensions/risuai/{key}/{index}/1")),
            None => None,
        },
        _ => None,
    };
    match slot {
        Some(slot) => *slot = uri.into(),
        None => {
            let kind = if asset.kind == "file" { "x-file" } else { &asset.kind };
            push_asset(data, json!({"type": kind, "uri": uri, "name": asset.name, "ext": asset.extension}));
        }
    }
}

/// Makes the picture the main icon: the asset that stood for it, or a new one.
fn set_icon(raw: &mut serde_json::Map<String, Value>, uri: &str, extension: &str) {
    let Some(data) = raw.get_mut("data") else { return };
    let assets = data.get_mut("assets").and_then(Value::as_array_mut);
    let standing = assets.and_then(|assets| {
        assets.iter_mut().find(|asset| {
            asset.get("uri").and_then(Value::as_str).is_some_and(|uri| uri.starts_with("ccdefault:"))
        })
    });
    match standing {
        Some(asset) => asset["uri"] = uri.into(),
        None => push_asset(data, json!({"type": "icon", "uri": uri, "name": "main", "ext": extension})),
    }
}

fn push_asset(data: &mut Value, asset: Value) {
    if let Value::Object(data) = data {
        let assets = data.entry("assets").or_insert_with(|| json!([]));
        if let Value::Array(assets) = assets {
            assets.push(asset);
        }
    }
}

/// The picture alone.
fn without_card(base: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    let mut png = Png::parse(base, limits)?;
    let ours = |keyword: &Keyword| matches!(keyword, Keyword::Chara | Keyword::Ccv3 | Keyword::RisuAsset(_));
    let stale: Vec<usize> =
        Text::all(&png).iter().filter(|text| ours(&text.keyword)).map(|text| text.chunk).collect();
    png.remove(&stale);
    Ok(png.to_bytes())
}

pub(super) fn compact(card: &Card) -> String {
    text::compact(&Value::Object(card.raw().clone()))
}
