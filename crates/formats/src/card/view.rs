//! One card: a typed view over JSON that keeps everything.

use serde_json::{Map, Value};
use tavernkit_core::Warning;

use super::{Character, convert};
use crate::{Error, ErrorKind, Result};

/// Which specification a card follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Fields at the top level, no `spec`. Pygmalion's and text-generation-webui's names are understood too.
    V1,
    /// `chara_card_v2`: fields under `data`.
    V2,
    /// `chara_card_v3`.
    V3,
}

/// A character card. The JSON it came as is kept whole: unknown fields and the order of keys survive.
///
/// ```
/// use tavernkit_formats::card::{Card, Version};
///
/// let value = serde_json::json!({"name": "Bram", "first_mes": "You picked a poor evening.", "my_field": 1});
/// let card = Card::from_value(value, &mut Vec::new())?;
/// assert_eq!(card.version(), Version::V1);
/// assert_eq!(card.character().first_mes, "You picked a poor evening.");
/// assert_eq!(card.to_v3().raw()["my_field"], 1);
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    raw: Map<String, Value>,
    version: Version,
}

/// Fields that SillyTavern writes both under `data` and at the top level.
const MIRRORED: [&str; 7] =
    ["name", "description", "personality", "scenario", "first_mes", "mes_example", "tags"];

/// Other names of V1 fields, from Pygmalion and text-generation-webui.
fn v1_names(field: &str) -> &'static [&'static str] {
    match field {
        "name" => &["name", "char_name"],
        "description" => &["description", "char_persona", "context"],
        "first_mes" => &["first_mes", "char_greeting", "greeting"],
        "mes_example" => &["mes_example", "example_dialogue"],
        "scenario" => &["scenario", "world_scenario"],
        "creator_notes" => &["creatorcomment", "creator_notes"],
        _ => &[],
    }
}

impl Card {
    /// Recognises a card. Oddities of its shape become warnings; what is no card is an error that says what it seems to be.
    pub fn from_value(value: Value, warnings: &mut Vec<Warning>) -> Result<Self> {
        let Value::Object(raw) = value else {
            let found = crate::json::field::type_name(&value);
            return Err(Error::new(
                ErrorKind::NothingInside,
                format!("a character card is a JSON object, but this is {found}"),
            ));
        };
        let version = recognise(&raw, warnings)?;
        Ok(Self { raw, version })
    }

    /// A V2 card from its `data`.
    pub(crate) fn new_v2(data: Map<String, Value>) -> Self {
        let mut raw = Map::new();
        raw.insert("spec".into(), "chara_card_v2".into());
        raw.insert("spec_version".into(), "2.0".into());
        raw.insert("data".into(), data.into());
        Self { raw, version: Version::V2 }
    }

    /// A card whose shape is known.
    pub(crate) fn from_parts(raw: Map<String, Value>, version: Version) -> Self {
        Self { raw, version }
    }

    /// Which specification the card follows.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The whole JSON object.
    pub fn raw(&self) -> &Map<String, Value> {
        &self.raw
    }

    /// The whole JSON object, for changes the setters do not know. The version is found anew from `spec`.
    pub fn edit(&mut self, change: impl FnOnce(&mut Map<String, Value>)) {
        change(&mut self.raw);
        if let Ok(version) = recognise(&self.raw, &mut Vec::new()) {
            self.version = version;
        }
    }

    /// The object that holds the card's fields: `data`, or the top level of a V1 card.
    pub fn data(&self) -> &Map<String, Value> {
        match (self.version, self.raw.get("data")) {
            (Version::V2 | Version::V3, Some(Value::Object(data))) => data,
            _ => &self.raw,
        }
    }

    /// A field by its V2/V3 name, wherever this version keeps it, with the path it was found at.
    pub fn field(&self, name: &str) -> Option<(String, &Value)> {
        let present =
            |map: &'_ Map<String, Value>, key: &str| map.get(key).is_some_and(|value| !value.is_null());
        if self.version == Version::V1 || !matches!(self.raw.get("data"), Some(Value::Object(_))) {
            let names = v1_names(name);
            let key = names.iter().copied().find(|key| present(&self.raw, key)).unwrap_or(name);
            return Some((key.to_owned(), self.raw.get(key)?)).filter(|(_, value)| !value.is_null());
        }
        let data = self.data();
        if present(data, name) {
            return Some((format!("data.{name}"), &data[name]));
        }
        // SillyTavern keeps the top-level value of a field that `data` does not have.
        (MIRRORED.contains(&name) && !data.contains_key(name) && present(&self.raw, name))
            .then(|| (name.to_owned(), &self.raw[name]))
    }

    /// Sets a field by its V2/V3 name, and its copy at the top level if there is one.
    ///
    /// ```
    /// # use tavernkit_formats::card::Card;
    /// let value = serde_json::json!({"spec": "chara_card_v2", "name": "Bram", "data": {"name": "Bram"}});
    /// let mut card = Card::from_value(value, &mut Vec::new())?;
    /// card.set("name", "Ilse");
    /// assert_eq!((&card.raw()["name"], &card.raw()["data"]["name"]), (&"Ilse".into(), &"Ilse".into()));
    /// # Ok::<(), tavernkit_formats::Error>(())
    /// ```
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        let in_data = self.version != Version::V1 && matches!(self.raw.get("data"), Some(Value::Object(_)));
        if !in_data {
            let key = v1_names(name).iter().copied().find(|key| self.raw.contains_key(*key)).unwrap_or(name);
            self.raw.insert(key.to_owned(), value);
            return;
        }
        if MIRRORED.contains(&name) && self.raw.contains_key(name) {
            self.raw.insert(name.to_owned(), value.clone());
        }
        if let Some(Value::Object(data)) = self.raw.get_mut("data") {
            data.insert(name.to_owned(), value);
        }
    }

    /// The typed fields, with the defaults SillyTavern uses.
    pub fn character(&self) -> Character {
        Character::of(self, &mut Vec::new())
    }

    /// The embedded lorebook, as it stands.
    pub fn book(&self) -> Option<&Value> {
        self.data().get("character_book").filter(|book| !book.is_null())
    }

    /// What programs have stored under `extensions`.
    pub fn extensions(&self) -> Option<&Map<String, Value>> {
        self.data().get("extensions").and_then(Value::as_object)
    }

    /// The same card as V2. What only V3 knows is kept under `extensions`, and [`to_v3`](Self::to_v3) finds it there.
    pub fn to_v2(&self) -> Card {
        convert::to_v2(self)
    }

    /// The same card as V3.
    pub fn to_v3(&self) -> Card {
        convert::to_v3(self)
    }

    /// The whole card as a JSON value.
    pub fn into_value(self) -> Value {
        Value::Object(self.raw)
    }
}

fn recognise(raw: &Map<String, Value>, warnings: &mut Vec<Warning>) -> Result<Version> {
    let data = raw.get("data").and_then(Value::as_object);
    match raw.get("spec") {
        Some(spec) => {
            let version = match spec.as_str() {
                Some("chara_card_v2") => Version::V2,
                Some("chara_card_v3") => Version::V3,
                _ if data.is_none() && raw.contains_key("name") => Version::V1,
                _ => Version::V2,
            };
            if !matches!(spec.as_str(), Some("chara_card_v2" | "chara_card_v3")) {
                let shown: String = crate::json::compact(spec).chars().take(60).collect();
                let message =
                    format!("`spec` is {shown}, which is not known; the card was read as {version:?}");
                warnings.push(Warning::new("card.spec", message).at("spec"));
            }
            if data.is_none() && version != Version::V1 {
                let message = "`data` is missing or no object; the fields at the top level were used";
                warnings.push(Warning::new("card.data", message).at("data"));
            }
            Ok(version)
        }
        None if data.is_some_and(|data| data.contains_key("name")) => {
            let message = "`spec` is missing; the card was read as V2 because it has `data.name`";
            warnings.push(Warning::new("card.spec", message).at("spec"));
            Ok(Version::V2)
        }
        None if raw.contains_key("name") || raw.contains_key("char_name") => {
            if looks_like_a_card(raw) {
                Ok(Version::V1)
            } else {
                Err(not_a_card(raw))
            }
        }
        None => Err(not_a_card(raw)),
    }
}

/// A name alone is on many things: presets, books, templates.
fn looks_like_a_card(raw: &Map<String, Value>) -> bool {
    let fields = ["description", "personality", "scenario", "first_mes", "mes_example"];
    let known = fields.iter().flat_map(|field| std::iter::once(field).chain(v1_names(field)));
    raw.contains_key("char_name") || known.clone().any(|key| raw.contains_key(*key)) || raw.len() <= 2
}

fn not_a_card(raw: &Map<String, Value>) -> Error {
    let guess = if raw.contains_key("entries") {
        "it looks like a lorebook"
    } else if raw.contains_key("prompts")
        || raw.contains_key("temperature")
        || raw.contains_key("input_sequence")
    {
        "it looks like a preset or template"
    } else if raw.contains_key("chat_metadata") || raw.contains_key("mes") {
        "it looks like a chat"
    } else {
        "it has neither `spec` nor a `name` with a description or greeting"
    };
    Error::new(ErrorKind::NothingInside, format!("this JSON is not a character card: {guess}"))
}
