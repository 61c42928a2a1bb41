//! SillyTavern's world files.

use std::collections::HashSet;

use serde_json::Value;
use tavernkit_core::Warning;

use super::entry::{LoreEntry, Slot};
use super::{Format, Frame, Lorebook, Uid, book, stash};
use crate::json::order::integer_key;
use crate::json::{Path, field};
use crate::record::{Field, Object};
use crate::{Error, ErrorKind, Result};

/// Reads a world file's object.
pub(super) fn read(mut top: Object, warnings: &mut Vec<Warning>) -> Result<Lorebook> {
    let entries = top.get_mut("entries").map(Value::take).unwrap_or_default();
    let list = entries.is_array();
    let root = Path::Root;
    let at = root.key("entries");
    let items: Vec<(String, Value)> = match entries {
        Value::Object(entries) => entries.into_iter().collect(),
        Value::Array(entries) => {
            entries.into_iter().enumerate().map(|(i, entry)| (i.to_string(), entry)).collect()
        }
        _ => {
            let message = "the world's `entries` must be an object or a list";
            return Err(Error::new(ErrorKind::Invalid, message).at_field("entries"));
        }
    };
    let mut read = Vec::with_capacity(items.len());
    let mut odd = Vec::new();
    for (place, (key, value)) in items.into_iter().enumerate() {
        let at = if list { at.index(place) } else { at.key(&key) };
        match value {
            Value::Object(raw) => {
                note_missing(&raw, &at, warnings);
                let mut entry = LoreEntry::read(raw, &at, warnings);
                entry.slot = Slot { place: Some(place), key, book: None };
                read.push(entry);
            }
            value => {
                warnings.push(odd_entry(&value, &at));
                odd.push((place, key, value));
            }
        }
    }
    // JavaScript walks integer-like keys first, ascending; the sort is stable for the others.
    read.sort_by_key(|entry: &LoreEntry| integer_key(&entry.slot.key).map_or(u64::MAX, u64::from));
    Ok(Lorebook {
        name: name_of(&top),
        entries: read,
        frame: Frame { format: Format::World, top, wrapper: None, list, odd },
    })
}

/// A world's own name, else the name of the book it was made from.
fn name_of(top: &Object) -> Option<String> {
    let own = top.get("name").and_then(Value::as_str);
    own.or_else(|| top.get("originalData")?.get("name")?.as_str()).map(str::to_owned)
}

pub(super) fn odd_entry(value: &Value, at: &Path<'_>) -> Warning {
    let found = field::type_name(value);
    Warning::new(
        "lore.odd_entry",
        format!("an entry must be an object but this is {found}; it is kept, without effect"),
    )
    .at(at.to_string())
}

/// SillyTavern fills nothing in when it loads a book, so some missing fields mean something else than in a new entry.
fn note_missing(raw: &Object, at: &Path<'_>, warnings: &mut Vec<Warning>) {
    let mut note = |name: &str, effect: &str| {
        warnings.push(
            Warning::new("lore.missing_field", format!("`{name}` is missing; {effect}")).at(at.to_string()),
        );
    };
    if !raw.contains_key("position") {
        note("position", "SillyTavern places such an entry nowhere (a new entry has 0)");
    }
    let has_secondary =
        raw.get("keysecondary").and_then(Value::as_array).is_some_and(|keys| !keys.is_empty());
    if !raw.contains_key("selective") && has_secondary {
        note("selective", "SillyTavern ignores the secondary keys then (a new entry has true)");
    }
    let chance = raw.get("probability").and_then(Value::as_f64).unwrap_or(100.0);
    if chance < 100.0 && !raw.contains_key("useProbability") && !raw.contains_key("use_probability") {
        note("useProbability", "SillyTavern does not roll the probability then (a new entry has true)");
    }
}

/// Writes a world: its own file patched, or a conversion.
pub(super) fn write(book: &Lorebook, warnings: &mut Vec<Warning>) -> Value {
    let mut top = match book.frame.format {
        Format::World | Format::RisuAi | Format::NovelAi | Format::Agnai => book.frame.top.clone(),
        Format::CharacterBook => {
            let mut top = Object::new();
            top.insert("entries".into(), Value::Null);
            let original = book::write(book, &mut Vec::new());
            let original = match (&book.frame.wrapper, original) {
                (Some(_), Value::Object(mut wrapper)) => wrapper.remove("data").unwrap_or_default(),
                (_, original) => original,
            };
            let mut own = original.as_object().cloned().unwrap_or_default();
            top.extend(stash::take(&mut own, stash::WORLD));
            top.insert("originalData".into(), original);
            top
        }
    };
    if name_of(&top) != book.name {
        top.insert("name".into(), book.name.clone().map_or(Value::Null, Value::String));
    }
    let entries = if book.frame.list { write_list(book) } else { write_map(book, warnings) };
    top.insert("entries".into(), entries);
    Value::Object(top)
}

/// Something in `entries`.
enum Item<'a> {
    Entry(&'a LoreEntry),
    Odd(&'a Value),
}

impl Item<'_> {
    fn value(&self) -> Value {
        match self {
            Self::Entry(entry) => Value::Object(entry.to_map()),
            Self::Odd(value) => (*value).clone(),
        }
    }
}

/// Entries and odd items in file order, new entries last.
fn in_file_order(book: &Lorebook) -> Vec<(&str, Item<'_>)> {
    let mut items: Vec<(usize, &str, Item<'_>)> = Vec::with_capacity(book.entries.len());
    for entry in &book.entries {
        items.push((entry.slot.place.unwrap_or(usize::MAX), &entry.slot.key, Item::Entry(entry)));
    }
    for (place, key, value) in &book.frame.odd {
        items.push((*place, key, Item::Odd(value)));
    }
    items.sort_by_key(|(place, ..)| *place);
    items.into_iter().map(|(_, key, item)| (key, item)).collect()
}

fn write_list(book: &Lorebook) -> Value {
    in_file_order(book).into_iter().map(|(_, item)| item.value()).collect()
}

fn write_map(book: &Lorebook, warnings: &mut Vec<Warning>) -> Value {
    let items = in_file_order(book);
    let native = book.frame.format == Format::World;
    let mut taken: HashSet<String> = HashSet::with_capacity(items.len());
    if native {
        taken.extend(items.iter().map(|(key, _)| (*key).to_owned()));
    } else {
        taken.extend(book.entries.iter().map(|entry| entry.id().to_string()));
    }
    let mut free = 0usize;
    let mut out = Object::new();
    for (key, item) in items {
        let wanted = match &item {
            Item::Entry(entry) if !native || entry.slot.place.is_none() => entry.id().to_string(),
            // What is no entry must not take an entry's id; `originalData` has a card's odd items already.
            Item::Odd(_) if book.frame.format == Format::CharacterBook => continue,
            Item::Odd(_) if !native => format!("odd-{key}"),
            _ => key.to_owned(),
        };
        let mut value = item.value();
        if !out.contains_key(&wanted) && !wanted.is_empty() {
            taken.insert(wanted.clone());
            out.insert(wanted, value);
            continue;
        }
        // The id is in use: SillyTavern would let the later entry replace the earlier one. Ours gets a new id.
        while taken.contains(&free.to_string()) {
            free += 1;
        }
        let uid = Uid::from(free);
        let place = Path::Root;
        warnings.push(
            Warning::new(
                "lore.duplicate_id",
                format!("id {wanted:?} is used twice; the later entry became {uid}"),
            )
            .at(place.key("entries").key(&uid.to_string()).to_string()),
        );
        if let Value::Object(map) = &mut value {
            map.insert("uid".into(), uid.write());
        }
        taken.insert(free.to_string());
        out.insert(free.to_string(), value);
    }
    Value::Object(out)
}
