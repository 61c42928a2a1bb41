//! Lorebooks of every kind people have, as one typed [`Lorebook`].
//!
//! Whatever the format, entries are read into SillyTavern's terms, in the order in which SillyTavern walks them. What has no
//! counterpart there is kept: world files and character books come back as they were, and converting one into the
//! other carries along what the other has no name for.

mod book;
mod entry;
mod foreign;
mod key;
mod kinds;
pub mod lint;
mod picture;
mod stash;
mod world;

use serde_json::Value;
use tavernkit_core::Warning;

pub use entry::{CharacterFilter, Level, LoreEntry};
pub use key::KeyForm;
pub use kinds::{Logic, Position, Role, Uid};

use crate::json::{self, Path};
use crate::png::Png;
use crate::record::{Object, Read};
use crate::{Error, ErrorKind, Limits, Result};

/// The formats a lorebook can come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// SillyTavern's world file.
    World,
    /// The `character_book` of a V2 or V3 card, or a standalone V3 lorebook.
    CharacterBook,
    /// RisuAI's lorebook export.
    RisuAi,
    /// NovelAI's lorebook.
    NovelAi,
    /// Agnai's memory book.
    Agnai,
}

impl Format {
    /// Which lorebook format a value has, if any.
    ///
    /// ```
    /// use tavernkit_formats::lorebook::Format;
    /// let value = serde_json::json!({"kind": "memory", "entries": []});
    /// assert_eq!(Format::of(&value), Some(Format::Agnai));
    /// ```
    pub fn of(value: &Value) -> Option<Self> {
        let object = value.as_object()?;
        if object.get("type").is_some_and(|kind| kind == "risu")
            && object.get("data").is_some_and(Value::is_array)
        {
            return Some(Self::RisuAi);
        }
        if object.get("spec").is_some_and(|spec| spec == "lorebook_v3") {
            return Some(Self::CharacterBook);
        }
        let entries = object.get("entries")?;
        if object.contains_key("lorebookVersion") {
            return Some(Self::NovelAi);
        }
        if object.get("kind").is_some_and(|kind| kind == "memory") {
            return Some(Self::Agnai);
        }
        match entries {
            Value::Object(_) => Some(Self::World),
            Value::Array(entries) => {
                let native =
                    entries.iter().filter_map(Value::as_object).any(|entry| entry.contains_key("key"));
                Some(if native { Self::World } else { Self::CharacterBook })
            }
            _ => None,
        }
    }
}

/// A lorebook: a list of [`LoreEntry`]s and a name.
///
/// ```
/// use tavernkit_formats::{Limits, lorebook::{Lorebook, Uid}};
///
/// let file = br#"{"entries": {"10": {"uid": 10, "key": ["mill"]}, "2": {"uid": 2, "constant": true, "x": 1}}}"#;
/// let mut book = Lorebook::parse(file, &Limits::default())?.value;
/// assert_eq!(book.entries[0].uid, Some(Uid::Number(2.0)), "as JavaScript orders keys");
///
/// book.entries[1].content = "The mill burned down.".into();
/// assert_eq!(
///     serde_json::to_string(&book.to_world().value).unwrap(),
///     r#"{"entries":{"10":{"uid":10,"key":["mill"],"content":"The mill burned down."},"2":{"uid":2,"constant":true,"x":1}}}"#
/// );
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lorebook {
    /// The name in the file. SillyTavern itself goes by the file's name.
    pub name: Option<String>,
    /// The entries, in the order in which SillyTavern walks them.
    pub entries: Vec<LoreEntry>,
    frame: Frame,
}

/// What surrounds the entries in the file.
#[derive(Debug, Clone, PartialEq)]
struct Frame {
    format: Format,
    /// The object that holds `entries`, with `entries` itself blanked.
    top: Object,
    /// The object around that one, for a standalone V3 lorebook.
    wrapper: Option<Object>,
    /// Whether a world's entries are a list instead of an object.
    list: bool,
    /// Entries that are no objects: place, key, value.
    odd: Vec<(usize, String, Value)>,
}

impl Default for Lorebook {
    fn default() -> Self {
        Self::new()
    }
}

impl Lorebook {
    /// An empty book in SillyTavern's world format.
    pub fn new() -> Self {
        let mut top = Object::new();
        top.insert("entries".into(), Value::Null);
        Self {
            name: None,
            entries: Vec::new(),
            frame: Frame { format: Format::World, top, wrapper: None, list: false, odd: Vec::new() },
        }
    }

    /// Reads a lorebook file of any known format, also a picture of NovelAI's.
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Read<Self>> {
        if Png::is_png(bytes) {
            return Self::parse_json(&picture::book_in(bytes, limits)?, limits);
        }
        Self::parse_json(bytes, limits)
    }

    fn parse_json(bytes: &[u8], limits: &Limits) -> Result<Read<Self>> {
        let parsed = json::parse(bytes, limits)?;
        let mut read = Self::from_value(parsed.value)?;
        read.warnings.splice(0..0, parsed.warnings);
        Ok(read)
    }

    /// Reads a lorebook from a JSON value of any known format.
    pub fn from_value(value: Value) -> Result<Read<Self>> {
        let Some(format) = Format::of(&value) else {
            return Err(not_a_book(&value));
        };
        let Value::Object(object) = value else {
            return Err(not_a_book(&value));
        };
        let mut warnings = Vec::new();
        let book = match format {
            Format::World => world::read(object, &mut warnings)?,
            Format::CharacterBook => Self::read_book(object, &mut warnings)?,
            Format::RisuAi | Format::NovelAi | Format::Agnai => foreign::read(format, object, &mut warnings)?,
        };
        Ok(Read { value: book, warnings })
    }

    /// Reads the `character_book` of a card, which stands at `at` in it.
    pub fn from_character_book(object: Object, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Result<Self> {
        book::read(object, at, warnings)
    }

    fn read_book(mut object: Object, warnings: &mut Vec<Warning>) -> Result<Self> {
        if object.contains_key("entries") {
            return book::read(object, &Path::Root, warnings);
        }
        let Some(Value::Object(data)) = object.get_mut("data").map(Value::take) else {
            return Err(Error::new(ErrorKind::Missing, "the lorebook has no `data` object with its entries")
                .at_field("data"));
        };
        let mut book = book::read(data, &Path::Root.key("data"), warnings)?;
        book.frame.wrapper = Some(object);
        Ok(book)
    }

    /// The format this book was read from.
    pub fn format(&self) -> Format {
        self.frame.format
    }

    /// The fields around the entries, as read; `entries` is `null` in it.
    pub fn raw(&self) -> &Object {
        &self.frame.top
    }

    /// The book in its own format, or as a SillyTavern world if it came from one we do not write.
    pub fn to_value(&self) -> Read<Value> {
        match self.frame.format {
            Format::CharacterBook => self.to_character_book(),
            _ => self.to_world(),
        }
    }

    /// The book as a SillyTavern world file.
    ///
    /// A book of another format is converted as SillyTavern converts it on import; what it would drop is kept under
    /// `originalData` or `extensions.tavernkit`. Entries with the same id get a new one instead of replacing each other.
    pub fn to_world(&self) -> Read<Value> {
        let mut warnings = Vec::new();
        let value = world::write(self, &mut warnings);
        Read { value, warnings }
    }

    /// The book as a card's `character_book`.
    ///
    /// A book of another format is converted as SillyTavern converts it on export; what it would drop is kept under
    /// `extensions.tavernkit`.
    pub fn to_character_book(&self) -> Read<Value> {
        let mut warnings = Vec::new();
        let value = book::write(self, &mut warnings);
        Read { value, warnings }
    }

    /// The smallest whole number that no entry has as its id, for a new entry.
    pub fn free_uid(&self) -> usize {
        let used: std::collections::HashSet<String> =
            self.entries.iter().map(|entry| entry.id().to_string()).collect();
        (0..).find(|uid: &usize| !used.contains(&uid.to_string())).unwrap_or_default()
    }
}

fn not_a_book(value: &Value) -> Error {
    let message = match value {
        Value::Object(object) if object.contains_key("entries") => {
            "the lorebook's `entries` must be an object or a list".to_owned()
        }
        Value::Object(_) => "this is not a lorebook: it has no `entries`".to_owned(),
        _ => {
            format!("this is not a lorebook: expected an object but found {}", json::field::type_name(value))
        }
    };
    Error::new(ErrorKind::UnknownFormat, message)
}

#[cfg(test)]
mod tests;
