//! Groups of characters.

use crate::record::{Scalar, coded, record};

coded! {
    /// Who answers.
    pub enum ActivationStrategy {
        /// Whoever is mentioned or talkative.
        Natural = 0,
        /// Everyone, in order.
        List = 1,
        /// Whoever the user picks.
        Manual = 2,
        /// Whoever has not spoken since the user did.
        Pooled = 3,
    }
}

coded! {
    /// Whose card is in the prompt.
    pub enum GenerationMode {
        /// The speaker's.
        Swap = 0,
        /// Everyone's but those of muted members.
        Append = 1,
        /// Everyone's.
        AppendDisabled = 2,
    }
}

record! {
    /// A group: `groups/<id>.json`.
    pub struct Group {
        /// Its id.
        id: Option<Scalar> = "id" => None;
        /// Its name.
        name: String = "name" => String::new();
        /// Card files of the members.
        members: Vec<String> = "members" => Vec::new();
        /// Card files of muted members.
        disabled_members: Vec<String> = "disabled_members" => Vec::new();
        /// Who answers.
        activation_strategy: ActivationStrategy = "activation_strategy" => ActivationStrategy::Natural;
        /// Whose card is in the prompt.
        generation_mode: GenerationMode = "generation_mode" => GenerationMode::Swap;
        /// Before each joined field.
        join_prefix: String = "generation_mode_join_prefix" => String::new();
        /// After each joined field.
        join_suffix: String = "generation_mode_join_suffix" => String::new();
        /// Whether a member may answer itself.
        allow_self_responses: bool = "allow_self_responses" => false;
        /// Seconds between answers in auto mode.
        auto_mode_delay: f64 = "auto_mode_delay" => 5.0;
        /// The chat in use.
        chat_id: Option<String> = "chat_id" => None;
        /// All chats.
        chats: Vec<String> = "chats" => Vec::new();
    }
}
