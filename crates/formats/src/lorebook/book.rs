//! The `character_book` of cards, and its conversion from and to SillyTavern's world entries.

use std::collections::HashMap;

use serde_json::{Value, json};
use tavernkit_core::Warning;

use super::entry::{LoreEntry, Slot};
use super::world::odd_entry;
use super::{Format, Frame, Lorebook, stash};
use crate::json::Path;
use crate::record::{Field, Object};
use crate::{Error, ErrorKind, Result};

/// Fields with another name, directly in the entry: world, book.
const DIRECT: [(&str, &str); 8] = [
    ("uid", "id"),
    ("key", "keys"),
    ("keysecondary", "secondary_keys"),
    ("comment", "comment"),
    ("content", "content"),
    ("constant", "constant"),
    ("selective", "selective"),
    ("order", "insertion_order"),
];

/// What stands for a missing or `null` value in a conversion.
#[derive(Clone, Copy)]
enum Fallback {
    /// The field is left out.
    Absent,
    Null,
    No,
    Yes,
    Number(i32),
    Text,
    List,
}

impl Fallback {
    fn value(self) -> Option<Value> {
        match self {
            Self::Absent => None,
            Self::Null => Some(Value::Null),
            Self::No => Some(json!(false)),
            Self::Yes => Some(json!(true)),
            Self::Number(number) => Some(json!(number)),
            Self::Text => Some(json!("")),
            Self::List => Some(json!([])),
        }
    }
}

use Fallback::{Absent, List, No, Null, Number, Text, Yes};

/// Fields in `extensions`: world, book, fallback when a book is written, fallback when one is read.
const EXTENSIONS: [(&str, &str, Fallback, Fallback); 31] = [
    ("position", "position", Absent, Absent),
    ("excludeRecursion", "exclude_recursion", Absent, No),
    ("displayIndex", "display_index", Absent, Absent),
    ("probability", "probability", Null, Number(100)),
    ("useProbability", "useProbability", No, Yes),
    ("depth", "depth", Number(4), Number(4)),
    ("selectiveLogic", "selectiveLogic", Number(0), Number(0)),
    ("outletName", "outlet_name", Text, Text),
    ("group", "group", Text, Text),
    ("groupOverride", "group_override", No, No),
    ("groupWeight", "group_weight", Null, Number(100)),
    ("preventRecursion", "prevent_recursion", No, No),
    ("delayUntilRecursion", "delay_until_recursion", No, No),
    ("scanDepth", "scan_depth", Null, Null),
    ("matchWholeWords", "match_whole_words", Null, Null),
    ("useGroupScoring", "use_group_scoring", No, Null),
    ("caseSensitive", "case_sensitive", Null, Null),
    ("automationId", "automation_id", Text, Text),
    ("role", "role", Number(0), Number(0)),
    ("vectorized", "vectorized", No, No),
    ("sticky", "sticky", Null, Null),
    ("cooldown", "cooldown", Null, Null),
    ("delay", "delay", Null, Null),
    ("matchPersonaDescription", "match_persona_description", No, No),
    ("matchCharacterDescription", "match_character_description", No, No),
    ("matchCharacterPersonality", "match_character_personality", No, No),
    ("matchCharacterDepthPrompt", "match_character_depth_prompt", No, No),
    ("matchScenario", "match_scenario", No, No),
    ("matchCreatorNotes", "match_creator_notes", No, No),
    ("triggers", "triggers", List, List),
    ("ignoreBudget", "ignore_budget", No, No),
];

/// Reads a `character_book`.
pub(super) fn read(mut top: Object, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Result<Lorebook> {
    let at = at.key("entries");
    let Some(Value::Array(values)) = top.get_mut("entries").map(Value::take) else {
        let message = "the character book's `entries` must be a list";
        return Err(Error::new(ErrorKind::Invalid, message).at_field(at.to_string()));
    };
    let mut entries = Vec::with_capacity(values.len());
    let mut odd = Vec::new();
    for (place, value) in values.into_iter().enumerate() {
        let at = at.index(place);
        match value {
            Value::Object(raw) => entries.push(read_entry(raw, place, &at, warnings)),
            value => {
                warnings.push(odd_entry(&value, &at));
                odd.push((place, place.to_string(), value));
            }
        }
    }
    let name = top.get("name").and_then(Value::as_str).map(str::to_owned);
    let frame = Frame { format: Format::CharacterBook, top, wrapper: None, list: false, odd };
    Ok(Lorebook { name, entries, frame })
}

fn read_entry(raw: Object, place: usize, at: &Path<'_>, warnings: &mut Vec<Warning>) -> LoreEntry {
    if !raw.contains_key("enabled") {
        let message =
            "`enabled` is missing; SillyTavern takes such an entry for disabled, so it is disabled here";
        warnings.push(Warning::new("lore.missing_field", message).at(at.to_string()));
    }
    let mut entry = LoreEntry::read(to_world_entry(&raw, place), at, warnings);
    entry.slot = Slot { place: Some(place), key: place.to_string(), book: Some(raw) };
    entry
}

/// JavaScript's truth of a value that may be missing.
fn truthy(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(flag)) => *flag,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(_) | Value::Object(_)) => true,
    }
}

/// The world entry that SillyTavern makes of a book entry, with our own stash unpacked.
pub(super) fn to_world_entry(book: &Object, index: usize) -> Object {
    let mut book = book.clone();
    let stashed = stash::take(&mut book, stash::WORLD);
    let empty = Object::new();
    let extensions = book.get("extensions").and_then(Value::as_object).unwrap_or(&empty);
    // Both spellings occur in the wild; SillyTavern's own comes first.
    let extension = |world: &str, name: &str| {
        [name, world].iter().find_map(|name| extensions.get(*name).filter(|value| !value.is_null()))
    };

    let mut out = Object::new();
    for (world, name) in DIRECT {
        let value = book.get(name).filter(|value| !value.is_null());
        let value = match (world, value) {
            ("uid", None) => Some(json!(index)),
            ("keysecondary", value) if !truthy(value) => Some(json!([])),
            ("comment", value) if !truthy(value) => Some(json!("")),
            ("constant" | "selective", value) if !truthy(value) => Some(json!(false)),
            (_, value) => value.cloned(),
        };
        if let Some(value) = value {
            out.insert(world.to_owned(), value);
        }
    }
    let before = book.get("position").is_some_and(|position| position == "before_char");
    let position = extension("position", "position").cloned();
    out.insert("position".into(), position.unwrap_or_else(|| json!(i32::from(!before))));
    out.insert("disable".into(), json!(!truthy(book.get("enabled"))));
    out.insert("addMemo".into(), json!(truthy(book.get("comment"))));
    out.insert(
        "displayIndex".into(),
        extension("displayIndex", "display_index").cloned().unwrap_or(json!(index)),
    );
    for (world, name, _, fallback) in EXTENSIONS {
        if let Some(value) = extension(world, name).cloned().or_else(|| fallback.value()) {
            out.entry(world).or_insert(value);
        }
    }
    out.insert("extensions".into(), book.get("extensions").cloned().unwrap_or_else(|| json!({})));
    out.extend(stashed);
    out
}

/// The book entry that SillyTavern makes of a world entry, with what it would drop in our stash.
fn from_world_entry(entry: &LoreEntry) -> Object {
    let mut world = entry.to_full_map();
    let mut out = Object::new();
    if entry.uid.is_none() {
        world.insert("uid".into(), entry.id().write());
    }
    for (alias, name) in LoreEntry::ALIASES {
        if !world.contains_key(*name)
            && let Some(value) = world.shift_remove(*alias)
        {
            world.insert((*name).to_owned(), value);
        }
    }
    for (name, book) in DIRECT {
        if let Some(value) = world.shift_remove(name) {
            out.insert(book.to_owned(), value);
        }
    }
    let disabled = world.shift_remove("disable");
    out.insert("enabled".into(), json!(!truthy(disabled.as_ref())));
    let position = world.get("position").filter(|position| position.as_f64() == Some(0.0));
    out.insert("position".into(), json!(if position.is_some() { "before_char" } else { "after_char" }));
    out.insert("use_regex".into(), json!(true));

    let mut extensions = match world.shift_remove("extensions") {
        Some(Value::Object(extensions)) => extensions,
        Some(Value::Null) | None => Object::new(),
        Some(odd) => {
            world.insert("extensions".into(), odd);
            Object::new()
        }
    };
    for (name, book, fallback, _) in EXTENSIONS {
        let value = world.shift_remove(name).filter(|value| !value.is_null()).or_else(|| fallback.value());
        if let Some(value) = value {
            extensions.insert(book.to_owned(), value);
        }
    }
    out.insert("extensions".into(), Value::Object(extensions));
    // `addMemo` is worked out from the comment when the book is read again.
    if world.get("addMemo") == Some(&json!(truthy(out.get("comment")))) {
        world.shift_remove("addMemo");
    }
    if world.get("characterFilter").is_some_and(|filter| filter.as_object().is_some_and(Object::is_empty)) {
        world.shift_remove("characterFilter");
    }
    stash::put(&mut out, stash::WORLD, world);
    out
}

/// A book entry as it was, with what changed in its world form since carried over.
fn patch_entry(raw: &Object, was: &Object, now: &Object) -> Object {
    let mut out = raw.clone();
    for (name, value) in now {
        if was.get(name) != Some(value) {
            set(&mut out, name, value);
        }
    }
    out
}

/// Sets one world field in a book entry.
fn set(book: &mut Object, name: &str, value: &Value) {
    if let Some((_, book_name)) = DIRECT.iter().find(|(world, _)| *world == name) {
        book.insert((*book_name).to_owned(), value.clone());
    } else if name == "disable" {
        book.insert("enabled".into(), json!(!truthy(Some(value))));
    } else if name == "extensions" {
        let kept = stash::take(book, stash::WORLD);
        book.insert("extensions".into(), value.clone());
        stash::put(book, stash::WORLD, kept);
    } else if let Some((_, book_name, ..)) = EXTENSIONS.iter().find(|(world, ..)| *world == name) {
        if name == "position" {
            let before = value.as_f64() == Some(0.0);
            book.insert("position".into(), json!(if before { "before_char" } else { "after_char" }));
        }
        let extensions = book.entry("extensions").or_insert_with(|| json!({}));
        if let Some(extensions) = extensions.as_object_mut() {
            let spelling = if extensions.contains_key(name) && !extensions.contains_key(*book_name) {
                name
            } else {
                book_name
            };
            extensions.insert(spelling.to_owned(), value.clone());
        }
    } else {
        let mut kept = stash::take(book, stash::WORLD);
        kept.insert(name.to_owned(), value.clone());
        stash::put(book, stash::WORLD, kept);
    }
}

/// Writes a `character_book`: its own object patched, or a conversion.
pub(super) fn write(book: &Lorebook, warnings: &mut Vec<Warning>) -> Value {
    let own = book.frame.format == Format::CharacterBook;
    let mut top = if own { book.frame.top.clone() } else { converted_top(book) };
    let named = top.get("name").and_then(Value::as_str);
    if named != book.name.as_deref() {
        match &book.name {
            Some(name) => top.insert("name".into(), json!(name)),
            None => top.shift_remove("name"),
        };
    }
    let originals = if own { HashMap::new() } else { original_entries(&book.frame.top) };
    let mut items: Vec<(usize, Value)> = Vec::with_capacity(book.entries.len());
    for entry in &book.entries {
        let value = match (&entry.slot.book, originals.get(&entry.id().to_string())) {
            (Some(raw), _) => patch_entry(raw, entry.raw(), &entry.to_map()),
            (None, Some((index, raw))) => patch_entry(raw, &to_world_entry(raw, *index), &entry.to_map()),
            (None, None) => from_world_entry(entry),
        };
        let place = if own { entry.slot.place.unwrap_or(usize::MAX) } else { items.len() };
        items.push((place, Value::Object(value)));
    }
    for (place, key, value) in &book.frame.odd {
        if !own {
            let message = format!(
                "entry {key:?} is no object; it stands at the end of the converted book, without effect"
            );
            warnings.push(Warning::new("lore.odd_entry", message));
        }
        items.push((if own { *place } else { usize::MAX }, value.clone()));
    }
    items.sort_by_key(|(place, _)| *place);
    top.insert("entries".into(), items.into_iter().map(|(_, value)| value).collect());
    match &book.frame.wrapper {
        Some(wrapper) => {
            let mut wrapper = wrapper.clone();
            wrapper.insert("data".into(), Value::Object(top));
            Value::Object(wrapper)
        }
        None => Value::Object(top),
    }
}

/// The fields around the entries when a world becomes a book.
fn converted_top(book: &Lorebook) -> Object {
    let mut world = book.frame.top.clone();
    world.shift_remove("entries");
    world.shift_remove("name");
    let mut top = Object::new();
    if let Some(name) = &book.name {
        top.insert("name".into(), json!(name));
    }
    top.insert("entries".into(), Value::Null);
    match world.shift_remove("originalData") {
        Some(Value::Object(mut original)) => {
            original.shift_remove("entries");
            original.shift_remove("name");
            top.extend(original);
        }
        Some(odd) => {
            world.insert("originalData".into(), odd);
        }
        None => {}
    }
    stash::put(&mut top, stash::WORLD, world);
    top
}

/// The entries of the card's book that a world was made from, by id.
fn original_entries(world: &Object) -> HashMap<String, (usize, &Object)> {
    let entries = world.get("originalData").and_then(|book| book.get("entries")).and_then(Value::as_array);
    let objects =
        entries.into_iter().flatten().enumerate().filter_map(|(i, entry)| Some((i, entry.as_object()?)));
    objects
        .map(|(index, entry)| {
            let id = entry.get("id").and_then(|id| match id {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => number.as_f64().map(tavernkit_core::number::format),
                _ => None,
            });
            (id.unwrap_or_else(|| index.to_string()), (index, entry))
        })
        .collect()
}
