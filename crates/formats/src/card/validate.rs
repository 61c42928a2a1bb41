//! Does a card keep to its specification?

use serde_json::{Map, Value};

use super::convert::V3_ONLY;
use super::{Card, Version};
use crate::json::field::type_name;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Some programs will read the card differently.
    Warning,
    /// Against the specification: some programs will refuse the card or lose something.
    Error,
}

/// Something a validation found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The field.
    pub path: String,
    /// What is wrong and what to do.
    pub message: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Flag,
    List,
    Texts,
    Object,
    TextOrNumber,
}

impl Kind {
    fn holds(self, value: &Value) -> bool {
        match self {
            Kind::Text => value.is_string(),
            Kind::Number => value.is_number(),
            Kind::Flag => value.is_boolean(),
            Kind::List | Kind::Texts => value.is_array(),
            Kind::Object => value.is_object(),
            Kind::TextOrNumber => value.is_string() || value.is_number(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Text => "a text",
            Kind::Number => "a number",
            Kind::Flag => "true or false",
            Kind::List => "a list",
            Kind::Texts => "a list of texts",
            Kind::Object => "an object",
            Kind::TextOrNumber => "a text or a number",
        }
    }
}

const V1_FIELDS: [&str; 6] = ["name", "description", "personality", "scenario", "first_mes", "mes_example"];

const V2_FIELDS: [(&str, Kind); 14] = [
    ("name", Kind::Text),
    ("description", Kind::Text),
    ("personality", Kind::Text),
    ("scenario", Kind::Text),
    ("first_mes", Kind::Text),
    ("mes_example", Kind::Text),
    ("creator_notes", Kind::Text),
    ("system_prompt", Kind::Text),
    ("post_history_instructions", Kind::Text),
    ("alternate_greetings", Kind::Texts),
    ("tags", Kind::Texts),
    ("creator", Kind::Text),
    ("character_version", Kind::Text),
    ("extensions", Kind::Object),
];

const V3_FIELDS: [(&str, Kind); 7] = [
    ("nickname", Kind::Text),
    ("group_only_greetings", Kind::Texts),
    ("assets", Kind::List),
    ("creator_notes_multilingual", Kind::Object),
    ("source", Kind::Texts),
    ("creation_date", Kind::Number),
    ("modification_date", Kind::Number),
];

const ENTRY_FIELDS: [(&str, Kind, bool); 12] = [
    ("keys", Kind::Texts, true),
    ("content", Kind::Text, true),
    ("extensions", Kind::Object, true),
    ("enabled", Kind::Flag, true),
    ("insertion_order", Kind::Number, true),
    ("secondary_keys", Kind::Texts, false),
    ("constant", Kind::Flag, false),
    ("selective", Kind::Flag, false),
    ("case_sensitive", Kind::Flag, false),
    ("name", Kind::Text, false),
    ("priority", Kind::Number, false),
    ("id", Kind::TextOrNumber, false),
];

/// Checks a card against the specification of its version. Nothing found means it is clean.
///
/// ```
/// use tavernkit_formats::card::{self, Card, Severity};
///
/// let value = serde_json::json!({"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Bram", "tags": "sea"}});
/// let card = Card::from_value(value, &mut Vec::new())?;
/// let findings = card::validate(&card);
/// assert!(findings.iter().any(|f| f.path == "data.tags" && f.message == "expected a list of texts but found a text"));
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
pub fn validate(card: &Card) -> Vec<Finding> {
    let mut check = Check { findings: Vec::new() };
    check.marks(card);
    match card.version() {
        Version::V1 => {
            for field in V1_FIELDS {
                check.field(card.raw(), "", field, Kind::Text, Severity::Error);
            }
            let message = "this is a V1 card; it has no alternate greetings, no book and no room for extensions; convert it to V2 or V3";
            check.add(Severity::Note, "spec", message);
        }
        version => check.data(card, version),
    }
    check.name_and_greeting(card);
    check.findings
}

struct Check {
    findings: Vec<Finding>,
}

impl Check {
    fn add(&mut self, severity: Severity, path: impl Into<String>, message: impl Into<String>) {
        self.findings.push(Finding { severity, path: path.into(), message: message.into() });
    }

    fn marks(&mut self, card: &Card) {
        let spec_version = card.raw().get("spec_version");
        let said = spec_version.and_then(Value::as_str).unwrap_or_default();
        let (spec, fits) = match card.version() {
            Version::V1 => return,
            Version::V2 => ("chara_card_v2", said == "2.0"),
            Version::V3 => {
                ("chara_card_v3", said.parse::<f64>().is_ok_and(|number| (3.0..4.0).contains(&number)))
            }
        };
        if card.raw().get("spec").and_then(Value::as_str) != Some(spec) {
            self.add(Severity::Error, "spec", format!("`spec` must be {spec:?}"));
        }
        if !fits {
            let wanted = if card.version() == Version::V2 { "2.0" } else { "3.0" };
            self.add(Severity::Error, "spec_version", format!("`spec_version` must be the text {wanted:?}"));
        }
    }

    fn data(&mut self, card: &Card, version: Version) {
        let Some(Value::Object(data)) = card.raw().get("data") else {
            self.add(Severity::Error, "data", "`data` must be an object that holds the card's fields");
            return;
        };
        for (field, kind) in V2_FIELDS {
            self.field(data, "data.", field, kind, Severity::Error);
        }
        if version == Version::V3 {
            self.field(data, "data.", "group_only_greetings", Kind::Texts, Severity::Error);
            for (field, kind) in V3_FIELDS.into_iter().filter(|(field, _)| *field != "group_only_greetings") {
                self.optional(data, "data.", field, kind);
            }
            self.assets(data);
        } else {
            for field in V3_ONLY.into_iter().filter(|field| data.contains_key(*field)) {
                self.add(
                    Severity::Warning,
                    format!("data.{field}"),
                    "this is a V3 field; a V2 reader may drop it, so export the card as V3",
                );
            }
        }
        self.copies(card, data);
        match data.get("character_book") {
            None | Some(Value::Null) => {}
            Some(Value::Object(book)) => self.book(book),
            Some(other) => self.mistyped("data.character_book", Kind::Object, other),
        }
    }

    fn field(&mut self, map: &Map<String, Value>, prefix: &str, field: &str, kind: Kind, severity: Severity) {
        let path = format!("{prefix}{field}");
        match map.get(field) {
            None => self.add(
                severity,
                path,
                format!("the field is missing; it must be there as {}, even if empty", kind.name()),
            ),
            Some(value) => self.typed(&path, kind, value),
        }
    }

    fn optional(&mut self, map: &Map<String, Value>, prefix: &str, field: &str, kind: Kind) {
        if let Some(value) = map.get(field).filter(|value| !value.is_null()) {
            self.typed(&format!("{prefix}{field}"), kind, value);
        }
    }

    fn typed(&mut self, path: &str, kind: Kind, value: &Value) {
        if !kind.holds(value) {
            return self.mistyped(path, kind, value);
        }
        if let (Kind::Texts, Value::Array(items)) = (kind, value) {
            for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.is_string()) {
                self.mistyped(&format!("{path}[{index}]"), Kind::Text, item);
            }
        }
    }

    fn mistyped(&mut self, path: &str, kind: Kind, value: &Value) {
        self.add(Severity::Error, path, format!("expected {} but found {}", kind.name(), type_name(value)));
    }

    /// SillyTavern copies `data` over the fields at the top level.
    fn copies(&mut self, card: &Card, data: &Map<String, Value>) {
        for field in V1_FIELDS {
            let pair = card.raw().get(field).zip(data.get(field));
            if pair.is_some_and(|(top, inner)| top != inner) {
                let message =
                    format!("differs from `data.{field}`, which wins; remove it or make them equal");
                self.add(Severity::Warning, field, message);
            }
        }
    }

    fn name_and_greeting(&mut self, card: &Card) {
        let character = card.character();
        let path = |field: &str| card.field(field).map_or_else(|| field.to_owned(), |(path, _)| path);
        if character.name.trim().is_empty() {
            self.add(Severity::Error, path("name"), "the name is blank; give the character one");
        }
        if character.greetings().next().is_none() {
            self.add(Severity::Note, path("first_mes"), "there is no greeting; a chat will start empty");
        }
    }

    fn assets(&mut self, data: &Map<String, Value>) {
        let Some(Value::Array(assets)) = data.get("assets") else { return };
        for (index, asset) in assets.iter().enumerate() {
            let path = format!("data.assets[{index}]");
            match asset {
                Value::Object(asset) => {
                    for field in ["type", "uri", "name", "ext"] {
                        self.field(asset, &format!("{path}."), field, Kind::Text, Severity::Error);
                    }
                }
                other => self.mistyped(&path, Kind::Object, other),
            }
        }
    }

    fn book(&mut self, book: &Map<String, Value>) {
        let prefix = "data.character_book.";
        self.field(book, prefix, "extensions", Kind::Object, Severity::Error);
        self.field(book, prefix, "entries", Kind::List, Severity::Error);
        let Some(Value::Array(entries)) = book.get("entries") else { return };
        for (index, entry) in entries.iter().enumerate() {
            let path = format!("data.character_book.entries[{index}]");
            let Value::Object(entry) = entry else {
                self.mistyped(&path, Kind::Object, entry);
                continue;
            };
            for (field, kind, required) in ENTRY_FIELDS {
                if required {
                    self.field(entry, &format!("{path}."), field, kind, Severity::Error);
                } else {
                    self.optional(entry, &format!("{path}."), field, kind);
                }
            }
        }
    }
}
