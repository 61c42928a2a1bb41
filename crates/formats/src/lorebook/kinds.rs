//! The enumerations of a lorebook entry.

use crate::record::{Scalar, coded};

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
pub type Uid = Scalar;
