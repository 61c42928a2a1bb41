//! The first line of a chat: names and metadata.

use serde_json::Value;

use crate::json;
use crate::lorebook::Role;
use crate::record::{Dict, Object, Scalar, coded, record};

coded! {
    /// Where an injected text goes.
    pub enum InjectPosition {
        /// Nowhere; only macros and scans see it.
        None = -1,
        /// After the main prompt.
        After = 0,
        /// Into the chat, at a depth.
        InChat = 1,
        /// Before the main prompt.
        Before = 2,
    }
}

record! {
    /// The first line of a chat file.
    pub struct ChatHeader {
        /// The user's name; newer files have "unused".
        user_name: Option<String> = "user_name" => None;
        /// The character's name; newer files have "unused".
        character_name: Option<String> = "character_name" => None;
        /// When the chat was begun, in older files.
        create_date: Option<Scalar> = "create_date" => None;
        /// What the chat remembers.
        metadata: ChatMetadata = "chat_metadata" => ChatMetadata::default();
    }
    keep {
        /// The line it was read from.
        line: Option<Box<str>>,
    }
}

record! {
    /// What a chat remembers beside its messages.
    pub struct ChatMetadata {
        /// The author's note.
        note_prompt: Option<String> = "note_prompt" => None;
        /// Every how many user messages the note is due.
        note_interval: Option<f64> = "note_interval" => None;
        /// The note's depth.
        note_depth: Option<f64> = "note_depth" => None;
        /// The note's position.
        note_position: Option<InjectPosition> = "note_position" => None;
        /// The note's role.
        note_role: Option<Role> = "note_role" => None;
        /// Replaces the card's scenario.
        scenario: Option<String> = "scenario" => None;
        /// Replaces the card's examples.
        mes_example: Option<String> = "mes_example" => None;
        /// Replaces the card's system prompt.
        system_prompt: Option<String> = "system_prompt" => None;
        /// Name of the chat's lorebook.
        world_info: Option<String> = "world_info" => None;
        /// Lore that is sticky or on cooldown.
        timed_world_info: TimedWorldInfo = "timedWorldInfo" => TimedWorldInfo::default();
        /// The chat's variables.
        variables: Object = "variables" => Object::new();
        /// Texts injected by scripts.
        script_injects: Dict<ScriptInject> = "script_injects" => Dict::default();
        /// Avatar file of the persona this chat is locked to.
        persona: Option<String> = "persona" => None;
        /// Name of narrator messages.
        narrator_name: Option<String> = "narrator_name" => None;
        /// Seeds `{{pick}}`.
        chat_id_hash: Option<f64> = "chat_id_hash" => None;
        /// Changes what `{{pick}}` picks.
        pick_reroll_seed: Option<Scalar> = "pick_reroll_seed" => None;
        /// The chat this one branched off.
        main_chat: Option<String> = "main_chat" => None;
        /// Guards against overwriting; no effect on prompts.
        integrity: Option<String> = "integrity" => None;
        /// The oldest message of the last prompt.
        last_in_context: Option<f64> = "lastInContextMessageId" => None;
    }
}

record! {
    /// Lore that is sticky or on cooldown, by `book.uid`.
    pub struct TimedWorldInfo {
        /// Entries that stay active.
        sticky: Dict<TimedEffect> = "sticky" => Dict::default();
        /// Entries that rest.
        cooldown: Dict<TimedEffect> = "cooldown" => Dict::default();
    }
}

record! {
    /// How long a lore entry stays active or rests.
    pub struct TimedEffect {
        /// The entry, by the hash of its content.
        hash: f64 = "hash" => 0.0;
        /// Message count when it began.
        start: f64 = "start" => 0.0;
        /// Message count when it ends.
        end: f64 = "end" => 0.0;
        /// Whether going back in the chat leaves it alone.
        protected: bool = "protected" => false;
    }
}

record! {
    /// A text injected by a script.
    pub struct ScriptInject {
        /// The text.
        value: String = "value" => String::new();
        /// Where it goes.
        position: InjectPosition = "position" => InjectPosition::After;
        /// Its depth in the chat.
        depth: f64 = "depth" => 4.0;
        /// Whether lore keys are looked for in it.
        scan: bool = "scan" => false;
        /// Its role in the chat.
        role: Role = "role" => Role::System;
        /// Source of a script that decides whether it is used.
        filter: Option<String> = "filter" => None;
    }
}

impl ChatHeader {
    /// The header of a new chat, as SillyTavern writes it.
    pub fn new() -> Self {
        Self { user_name: Some("unused".into()), character_name: Some("unused".into()), ..Self::default() }
    }

    /// The JSON line: the one it was read from if nothing changed.
    pub fn to_line(&self) -> String {
        let mut map = self.to_map();
        if let Some(line) = &self.line
            && map == *self.raw()
        {
            return line.to_string();
        }
        if !map.contains_key("chat_metadata") {
            // Without it, a group's chat would take this line for a message.
            map.shift_insert(0, "chat_metadata".into(), Value::Object(Object::new()));
        }
        json::compact(&Value::Object(map))
    }

    /// Whether an object looks like a header rather than a message.
    pub fn is_one(object: &Object) -> bool {
        object.contains_key("chat_metadata")
            || (!object.contains_key("mes")
                && (object.contains_key("user_name") || object.contains_key("character_name")))
    }
}
