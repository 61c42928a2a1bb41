//! Personas: who the user is, from SillyTavern's settings or a persona backup.

use serde_json::Value;
use tavernkit_core::Warning;

use crate::json::{self, Path};
use crate::lorebook::Role;
use crate::record::{Dict, List, Object, Read, coded, record};
use crate::{Error, ErrorKind, Limits, Result};

coded! {
    /// Where the persona's description goes.
    pub enum PersonaPosition {
        /// In the prompt, at the persona's own place.
        InPrompt = 0,
        /// After the character; an old value that means `InPrompt` today.
        AfterCharacter = 1,
        /// Above the author's note.
        NoteTop = 2,
        /// Below the author's note.
        NoteBottom = 3,
        /// Into the chat, `depth` messages from its end.
        AtDepth = 4,
        /// Nowhere.
        None = 9,
    }
}

record! {
    /// What SillyTavern stores about a persona beside its name.
    pub struct PersonaDescription {
        /// The text.
        description: String = "description" => String::new();
        /// Where the text goes.
        position: PersonaPosition = "position" => PersonaPosition::InPrompt;
        /// Depth for [`PersonaPosition::AtDepth`].
        depth: f64 = "depth" => 2.0;
        /// Role for [`PersonaPosition::AtDepth`].
        role: Role = "role" => Role::System;
        /// Name of the persona's lorebook; empty is none.
        lorebook: String = "lorebook" => String::new();
        /// A title for people.
        title: String = "title" => String::new();
        /// Characters and groups that bring up this persona.
        connections: List<Connection> = "connections" => List::default();
    }
}

record! {
    /// A character or group that brings up a persona.
    pub struct Connection {
        /// `character` or `group`.
        kind: String = "type" => String::new();
        /// The character's file name or the group's id.
        id: String = "id" => String::new();
    }
}

record! {
    /// The persona library: part of `power_user` in the settings, and the whole of a persona backup.
    pub struct Personas {
        /// Names by avatar file.
        names: Dict<String> = "personas" => Dict::default();
        /// Descriptions by avatar file.
        descriptions: Dict<PersonaDescription> = "persona_descriptions" => Dict::default();
        /// The avatar file of the default persona.
        default_persona: Option<String> = "default_persona" => None;
    }
}

/// One persona, put together.
#[derive(Debug, Clone, PartialEq)]
pub struct Persona {
    /// The avatar file, which is its id.
    pub avatar: String,
    /// Its name: what `{{user}}` becomes.
    pub name: String,
    /// Its text and where that goes.
    pub description: PersonaDescription,
}

impl Personas {
    /// Reads a persona backup file.
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Read<Self>> {
        let parsed = json::parse(bytes, limits)?;
        let mut warnings = parsed.warnings;
        match parsed.value {
            Value::Object(raw) if Self::is_one(&raw) => {
                let value = Self::read(raw, &Path::Root, &mut warnings);
                value.note(&Path::Root, &mut warnings);
                Ok(Read { value, warnings })
            }
            _ => Err(Error::new(
                ErrorKind::UnknownFormat,
                "this is not a persona backup: it has no `personas` object",
            )),
        }
    }

    /// Whether this could be a persona backup.
    pub fn is_one(object: &Object) -> bool {
        object.get("personas").is_some_and(Value::is_object)
    }

    /// The persona with this avatar file.
    ///
    /// ```
    /// use tavernkit_formats::{Limits, persona::Personas};
    ///
    /// let file = br#"{"personas": {"ilse.png": "Ilse"}, "persona_descriptions": {"ilse.png": {"description": "A ferrywoman."}}}"#;
    /// let personas = Personas::parse(file, &Limits::default())?.value;
    /// let ilse = personas.get("ilse.png").unwrap();
    /// assert_eq!((ilse.name.as_str(), ilse.description.description.as_str()), ("Ilse", "A ferrywoman."));
    /// # Ok::<(), tavernkit_formats::Error>(())
    /// ```
    pub fn get(&self, avatar: &str) -> Option<Persona> {
        let name = self.names.get(avatar)?.clone();
        let description = self.descriptions.get(avatar).cloned().unwrap_or_default();
        Some(Persona { avatar: avatar.to_owned(), name, description })
    }

    /// All personas, in file order.
    pub fn iter(&self) -> impl Iterator<Item = Persona> {
        self.names.iter().filter_map(|(avatar, _)| self.get(avatar))
    }

    /// Warns about what does not fit together.
    pub fn note(&self, at: &Path<'_>, warnings: &mut Vec<Warning>) {
        for (avatar, _) in self.descriptions.iter().filter(|(avatar, _)| self.names.get(avatar).is_none()) {
            let message = "a description without a persona of that name; it is kept, without effect";
            let place = at.key("persona_descriptions").key(avatar).to_string();
            warnings.push(Warning::new("persona.no_name", message).at(place));
        }
        if let Some(default) =
            self.default_persona.as_deref().filter(|default| self.names.get(default).is_none())
        {
            let message = format!("the default persona {default:?} does not exist");
            warnings.push(Warning::new("persona.missing", message).at(at.key("default_persona").to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_comes_back_as_it_was_and_says_what_is_loose() {
        let text = r#"{"z":1,"personas":{"a.png":"A","b.png":5},"persona_descriptions":{"x.png":{"description":"?"},"a.png":{"position":4,"depth":"3","q":[]}},"default_persona":"gone.png"}"#;
        let read = Personas::parse(text.as_bytes(), &Limits::default()).unwrap();
        assert_eq!(serde_json::to_string(&read.value).unwrap(), text);
        let a = read.value.get("a.png").unwrap().description;
        assert_eq!((a.position, a.depth), (PersonaPosition::AtDepth, 3.0));
        assert_eq!(read.value.iter().map(|p| p.name).collect::<Vec<_>>(), ["A", "5"]);
        let texts: Vec<String> = read.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "[field.type] expected a text but found a number; \"5\" was used (at personas[\"b.png\"])",
                "[field.type] expected a number but found a text; 3 was used (at persona_descriptions[\"a.png\"].depth)",
                "[persona.no_name] a description without a persona of that name; it is kept, without effect (at persona_descriptions[\"x.png\"])",
                "[persona.missing] the default persona \"gone.png\" does not exist (at default_persona)",
            ]
        );
    }

    #[test]
    fn what_is_no_backup_is_refused() {
        let error = Personas::parse(b"[]", &Limits::default()).unwrap_err();
        assert_eq!(error.to_string(), "this is not a persona backup: it has no `personas` object");
    }
}
