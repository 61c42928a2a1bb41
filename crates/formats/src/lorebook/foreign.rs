//! Lorebooks of RisuAI, NovelAI and Agnai, read as SillyTavern imports them.

use serde_json::{Value, json};
use tavernkit_core::Warning;

use super::entry::{LoreEntry, Slot};
use super::world::odd_entry;
use super::{Format, Frame, Lorebook, stash};
use crate::json::Path;
use crate::record::Object;
use crate::{Error, ErrorKind, Result};

/// Reads a foreign book. Fields that SillyTavern drops on import travel in `extensions.tavernkit`.
pub(super) fn read(format: Format, mut file: Object, warnings: &mut Vec<Warning>) -> Result<Lorebook> {
    let (list, part) = match format {
        Format::RisuAi => ("data", "risuai"),
        Format::NovelAi => ("entries", "novelai"),
        _ => ("entries", "agnai"),
    };
    let root = Path::Root;
    let at = root.key(list);
    let Some(Value::Array(values)) = file.shift_remove(list) else {
        let message = format!("the lorebook's `{list}` must be a list of entries");
        return Err(Error::new(ErrorKind::Invalid, message).at_field(list));
    };
    let mut entries = Vec::with_capacity(values.len());
    let mut odd = Vec::new();
    for (place, value) in values.into_iter().enumerate() {
        let at = at.index(place);
        let Value::Object(mut raw) = value else {
            warnings.push(odd_entry(&value, &at));
            odd.push((place, place.to_string(), value));
            continue;
        };
        let mut world = template(place);
        match format {
            Format::RisuAi => risu(&mut raw, &mut world, &at, warnings),
            Format::NovelAi => novel(&mut raw, &mut world, &at, warnings),
            _ => agnai(&mut raw, &mut world),
        }
        stash::put(&mut world, part, raw);
        // The conversion decides the types; what it cannot is read silently, the raw value is in the world form.
        let mut entry = LoreEntry::read(world, &at, &mut Vec::new());
        entry.slot = Slot { place: Some(place), key: place.to_string(), book: None };
        entries.push(entry);
    }
    let name = file.get("name").and_then(Value::as_str).map(str::to_owned);
    let mut top = Object::new();
    top.insert("entries".into(), Value::Null);
    if let Some(name) = file.shift_remove("name") {
        top.insert("name".into(), name);
    }
    stash::put(&mut top, part, file);
    Ok(Lorebook { name, entries, frame: Frame { format, top, wrapper: None, list: false, odd } })
}

/// SillyTavern's entry template with an id.
fn template(uid: usize) -> Object {
    let mut world = LoreEntry::new(uid).to_full_map();
    // These two are not in the template.
    world.shift_remove("characterFilter");
    world.shift_remove("extensions");
    world.insert("displayIndex".into(), json!(uid));
    world.insert("delayUntilRecursion".into(), json!(false));
    world
}

/// Moves a field over under its new name; a missing or `null` one leaves the template's value.
fn carry(raw: &mut Object, from: &str, world: &mut Object, to: &str) {
    if raw.get(from).is_some_and(|value| !value.is_null())
        && let Some(value) = raw.shift_remove(from)
    {
        world.insert(to.to_owned(), value);
    }
}

/// Turns `enabled` into `disable`. A missing `enabled` disables, as it does in SillyTavern.
fn carry_enabled(raw: &mut Object, world: &mut Object) {
    let enabled = match raw.get("enabled") {
        Some(Value::Bool(flag)) => {
            let flag = *flag;
            raw.shift_remove("enabled");
            flag
        }
        // Stays in the stash, since the flag alone would not bring it back.
        Some(Value::Null) | None => false,
        Some(_) => true,
    };
    world.insert("disable".into(), json!(!enabled));
}

fn is_blank(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_none_or(|text| text.trim().is_empty())
}

fn novel(raw: &mut Object, world: &mut Object, at: &Path<'_>, warnings: &mut Vec<Warning>) {
    if raw.get("forceActivation") == Some(&Value::Bool(true)) {
        let message = "`forceActivation` is not taken over by SillyTavern's import; make the entry constant if it should always be there";
        warnings.push(Warning::new("lore.no_effect", message).at(at.to_string()));
    }
    carry(raw, "keys", world, "key");
    carry(raw, "displayName", world, "comment");
    carry(raw, "text", world, "content");
    carry_enabled(raw, world);
    let priority = raw.get("contextConfig").and_then(|config| config.get("budgetPriority"));
    world.insert("order".into(), priority.filter(|value| !value.is_null()).cloned().unwrap_or(json!(0)));
    world.insert("selective".into(), json!(false));
    let named = !is_blank(world.get("comment"));
    world.insert("addMemo".into(), json!(named));
}

fn agnai(raw: &mut Object, world: &mut Object) {
    carry(raw, "keywords", world, "key");
    carry(raw, "name", world, "comment");
    carry(raw, "entry", world, "content");
    carry(raw, "weight", world, "order");
    carry_enabled(raw, world);
    world.insert("selective".into(), json!(false));
    let named = !is_blank(world.get("comment"));
    world.insert("addMemo".into(), json!(named));
}

fn risu(raw: &mut Object, world: &mut Object, at: &Path<'_>, warnings: &mut Vec<Warning>) {
    if raw.get("mode").is_some_and(|mode| mode == "folder" || mode == "child") {
        let message = "folders of RisuAI have no counterpart; the entry stands by itself";
        warnings.push(Warning::new("lore.no_effect", message).at(at.to_string()));
    }
    for (from, to) in [("key", "key"), ("secondkey", "keysecondary")] {
        let Some(Value::String(text)) = raw.get(from) else { continue };
        let keys: Vec<&str> = text.split(',').map(str::trim).filter(|_| !text.is_empty()).collect();
        world.insert(to.to_owned(), json!(keys));
        // The list is worth the text unless spaces got lost; then the text stays in the stash.
        if keys.join(", ") == *text {
            raw.shift_remove(from);
        }
    }
    carry(raw, "comment", world, "comment");
    carry(raw, "content", world, "content");
    carry(raw, "alwaysActive", world, "constant");
    carry(raw, "insertorder", world, "order");
    world.insert("selective".into(), json!(false));
    carry(raw, "selective", world, "selective");
    // SillyTavern writes the percentage into both fields.
    let percent = raw.get("activationPercent").filter(|value| !value.is_null()).cloned();
    if let Some(percent) = percent {
        raw.shift_remove("activationPercent");
        world.insert("probability".into(), percent.clone());
        world.insert("useProbability".into(), percent);
    }
    world.insert("addMemo".into(), json!(true));
}
