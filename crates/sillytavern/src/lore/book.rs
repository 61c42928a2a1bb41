//! Lorebooks, and which of them a chat uses.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tavernkit_core::Warning;
use tavernkit_formats::lorebook::Lorebook;

use super::entry::Entry;
use super::json;

/// A lorebook: a name and entries in the order SillyTavern walks them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Book {
    /// The name that links use. It is part of every entry's identity.
    pub name: String,
    /// The entries, integer-like keys of the file first and ascending.
    pub entries: Vec<Entry>,
}

impl Book {
    /// Reads a world file. What is not an object is left out, with a warning.
    ///
    /// ```
    /// use tavernkit_sillytavern::lore::Book;
    /// let file = serde_json::json!({"entries": {"10": {"uid": 10}, "2": {"uid": 2}}});
    /// let (book, warnings) = Book::read("Harbour", &file);
    /// assert_eq!(book.entries.iter().map(|e| e.uid.as_str()).collect::<Vec<_>>(), ["2", "10"]);
    /// assert!(warnings.is_empty());
    /// ```
    pub fn read(name: impl Into<String>, file: &Value) -> (Self, Vec<Warning>) {
        let name = name.into();
        let mut warnings = Vec::new();
        let mut entries = Vec::new();
        let mut add = |key: &str, value: &Value| match value {
            Value::Object(object) => entries.push(Entry::read(object)),
            _ => warnings.push(
                Warning::new("lore.entry_not_object", "an entry that is not an object was left out")
                    .at(format!("{name}.entries.{key}")),
            ),
        };
        match file.get("entries") {
            Some(Value::Object(object)) => {
                let mut items: Vec<_> = object.iter().collect();
                json::sort_properties(&mut items, |(key, _)| key.as_str());
                items.into_iter().for_each(|(key, value)| add(key, value));
            }
            Some(Value::Array(items)) => {
                items.iter().enumerate().for_each(|(i, value)| add(&i.to_string(), value));
            }
            _ => warnings.push(
                Warning::new("lore.no_entries", "the book has no `entries` object; it contributes nothing")
                    .at(name.clone()),
            ),
        }
        (Self { name, entries }, warnings)
    }

    /// Takes over a lorebook of any format, a card's own book included: as SillyTavern would import it.
    ///
    /// ```
    /// use tavernkit_formats::lorebook::Lorebook;
    /// use tavernkit_sillytavern::lore::Book;
    /// let card_book = serde_json::json!({"entries": [{"keys": ["rope"], "content": "A rope.", "enabled": true}]});
    /// let lorebook = Lorebook::from_value(card_book).unwrap().value;
    /// let (book, _) = Book::from_lorebook("Bram's book", &lorebook);
    /// assert_eq!(book.entries[0].keys, ["rope"]);
    /// ```
    pub fn from_lorebook(name: impl Into<String>, lorebook: &Lorebook) -> (Self, Vec<Warning>) {
        let world = lorebook.to_world();
        let (book, warnings) = Self::read(name, &world.value);
        (book, world.warnings.into_iter().chain(warnings).collect())
    }
}

/// The books an app has linked, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BookLinks {
    /// Books switched on for every chat, in order.
    pub global: Vec<String>,
    /// The card's own book.
    pub character: Option<String>,
    /// Further books of the character.
    pub character_extra: Vec<String>,
    /// The chat's book.
    pub chat: Option<String>,
    /// The persona's book.
    pub persona: Option<String>,
}

/// Where a book came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Linked to the chat.
    Chat,
    /// Linked to the persona.
    Persona,
    /// Linked to the character.
    Character,
    /// Switched on everywhere.
    Global,
}

impl BookLinks {
    /// The books that take part in a scan, each under one kind only (a global book linked twice counts twice, as the
    /// program has it).
    ///
    /// ```
    /// use tavernkit_sillytavern::lore::{BookLinks, SourceKind};
    /// let links = BookLinks {
    ///     global: vec!["World".into()],
    ///     character: Some("World".into()),
    ///     chat: Some("Notes".into()),
    ///     ..Default::default()
    /// };
    /// assert_eq!(links.resolve(), [(SourceKind::Chat, "Notes"), (SourceKind::Global, "World")]);
    /// ```
    pub fn resolve(&self) -> Vec<(SourceKind, &str)> {
        // An empty name is no link.
        let is_global = |name: &str| name.is_empty() || self.global.iter().any(|global| global == name);
        let is = |link: &Option<String>, name: &str| link.as_deref() == Some(name);
        let mut books = Vec::new();
        let chat = self.chat.as_deref().filter(|name| !is_global(name));
        books.extend(chat.map(|name| (SourceKind::Chat, name)));
        let persona = self.persona.as_deref().filter(|name| !is_global(name) && !is(&self.chat, name));
        books.extend(persona.map(|name| (SourceKind::Persona, name)));
        for name in self.character.iter().chain(&self.character_extra).map(String::as_str) {
            let elsewhere = is_global(name) || is(&self.chat, name) || is(&self.persona, name);
            if !elsewhere && !books.contains(&(SourceKind::Character, name)) {
                books.push((SourceKind::Character, name));
            }
        }
        books.extend(self.global.iter().map(|name| (SourceKind::Global, name.as_str())));
        books
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_book_is_used_under_one_kind() {
        let links = BookLinks {
            global: vec!["G".into()],
            character: Some("C".into()),
            character_extra: vec!["X".into(), "C".into(), "G".into(), "H".into(), "P".into()],
            chat: Some("H".into()),
            persona: Some("P".into()),
        };
        use SourceKind::*;
        assert_eq!(
            links.resolve(),
            [(Chat, "H"), (Persona, "P"), (Character, "C"), (Character, "X"), (Global, "G")]
        );
        let same = BookLinks { chat: Some("B".into()), persona: Some("B".into()), ..Default::default() };
        assert_eq!(same.resolve(), [(Chat, "B")]);
    }

    #[test]
    fn broken_entries_are_reported() {
        let (book, warnings) = Book::read("B", &json!({"entries": [{"uid": 1}, 5]}));
        assert_eq!((book.entries.len(), warnings.len()), (1, 1));
        assert_eq!(warnings[0].at.as_deref(), Some("B.entries.1"));
        assert_eq!(Book::read("B", &json!([])).1[0].code, "lore.no_entries");
    }
}
