//! The enumerations of a lorebook entry.

use std::fmt;

use serde_json::Value;
use tavernkit_core::{Warning, number};

use crate::json::Path;
use crate::record::{Field, coded};

coded! {
    /// Where an activated entry goes.
    pub enum Position {
        /// Before the character's definitions.
        Before = 0,
        /// After the character's definitions.
        After = 1,
        /// Above the author's note.
        NoteTop = 2,
        /// Below the author's note.
        NoteBottom = 3,
        /// Into the chat, `depth` messages from its end.
        AtDepth = 4,
        /// Above the example dialogues.
        ExamplesTop = 5,
        /// Below the example dialogues.
        ExamplesBottom = 6,
        /// Nowhere by itself; a macro with the outlet's name fetches it.
        Outlet = 7,
    }
}

coded! {
    /// How the secondary keys decide, once a primary key matched.
    pub enum Logic {
        /// At least one secondary key matches.
        AndAny = 0,
        /// At least one secondary key does not match.
        NotAll = 1,
        /// No secondary key matches.
        NotAny = 2,
        /// All secondary keys match.
        AndAll = 3,
    }
}

coded! {
    /// The role an in-chat text is sent with.
    pub enum Role {
        /// System.
        System = 0,
        /// User.
        User = 1,
        /// Assistant.
        Assistant = 2,
    }
}

/// The id of an entry. Most are numbers; some tools write texts.
#[derive(Debug, Clone, PartialEq)]
pub enum Uid {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl From<usize> for Uid {
    fn from(number: usize) -> Self {
        Self::Number(number as f64)
    }
}

/// As JavaScript prints it, so `7.0` is `7`.
impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => f.write_str(&number::format(*value)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Field for Uid {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_f64().map(Self::Number),
            _ => String::read(value, at, warnings).map(Self::Text),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Number(value) => value.write(),
            Self::Text(text) => text.write(),
        }
    }
}
