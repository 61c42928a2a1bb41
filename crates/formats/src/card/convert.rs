//! From one version of the card specification to another, without loss.

use serde_json::{Map, Value};

use super::{Card, Version, normalise};

/// The fields that V3 added. A V2 reader may drop them from `data`, but must keep `extensions`.
pub(super) const V3_ONLY: [&str; 7] = [
    "nickname",
    "group_only_greetings",
    "assets",
    "creator_notes_multilingual",
    "source",
    "creation_date",
    "modification_date",
];

/// Where V3's values wait inside a V2 card.
const SHELTER: &str = "tavernkit/v3";

/// Where another tool keeps them.
const FOREIGN_SHELTER: &str = "cc_extractor/v3";

pub(super) fn to_v2(card: &Card) -> Card {
    match card.version() {
        Version::V2 => card.clone(),
        Version::V1 => normalise::v1_to_v2(card.raw(), normalise::Extra::Carry),
        Version::V3 => {
            let mut raw = card.raw().clone();
            let spec_version = raw.get("spec_version").filter(|version| **version != "3.0").cloned();
            mark(&mut raw, "chara_card_v2", "2.0".into());
            if let Some(Value::Object(data)) = raw.get_mut("data") {
                shelter(data, spec_version);
            }
            Card::from_parts(raw, Version::V2)
        }
    }
}

pub(super) fn to_v3(card: &Card) -> Card {
    match card.version() {
        Version::V3 => card.clone(),
        Version::V1 => to_v3(&to_v2(card)),
        Version::V2 => {
            let mut raw = card.raw().clone();
            let mut spec_version = Value::from("3.0");
            if let Some(Value::Object(data)) = raw.get_mut("data") {
                let was_v3 = leave_shelter(data, &mut spec_version);
                if !was_v3 && !data.contains_key("group_only_greetings") {
                    data.insert("group_only_greetings".into(), Value::Array(Vec::new()));
                }
            }
            mark(&mut raw, "chara_card_v3", spec_version);
            Card::from_parts(raw, Version::V3)
        }
    }
}

/// Sets the two marks where they stand, or puts them first as every program does.
fn mark(raw: &mut Map<String, Value>, spec: &str, version: Value) {
    for (place, (key, value)) in
        [("spec", Value::from(spec)), ("spec_version", version)].into_iter().enumerate()
    {
        match raw.get_mut(key) {
            Some(old) => *old = value,
            None => {
                raw.shift_insert(place.min(raw.len()), key.to_owned(), value);
            }
        }
    }
}

/// Moves what only V3 knows under `extensions`. Where `extensions` is no object it stays in `data`.
fn shelter(data: &mut Map<String, Value>, spec_version: Option<Value>) {
    if data.get("extensions").is_some_and(|extensions| !extensions.is_object()) {
        return;
    }
    let mut kept = Map::new();
    for key in V3_ONLY {
        if let Some(value) = data.shift_remove(key) {
            kept.insert(key.to_owned(), value);
        }
    }
    if let Some(version) = spec_version {
        kept.insert("spec_version".into(), version);
    }
    // Even an empty shelter says that the card was V3, so that nothing is added on the way back.
    let extensions = data.entry("extensions").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(extensions) = extensions {
        extensions.insert(SHELTER.into(), kept.into());
    }
}

/// Brings back what waits under `extensions`; what `data` has already is newer and wins.
/// Says whether the card was V3 before we made it V2.
fn leave_shelter(data: &mut Map<String, Value>, spec_version: &mut Value) -> bool {
    let Some(Value::Object(extensions)) = data.get_mut("extensions") else {
        return false;
    };
    let own = extensions.shift_remove(SHELTER);
    let foreign = extensions.get(FOREIGN_SHELTER).cloned();
    let was_v3 = own.is_some();
    if let Some(version) = own.as_ref().and_then(|own| own.get("spec_version")) {
        *spec_version = version.clone();
    }
    for kept in [own, foreign].into_iter().flatten() {
        let Value::Object(kept) = kept else { continue };
        for (key, value) in kept {
            if V3_ONLY.contains(&key.as_str()) && !data.contains_key(&key) {
                data.insert(key, value);
            }
        }
    }
    was_v3
}
