//! What macros of a SillyTavern scene can see.

use tavernkit_core::Role;
use tavernkit_formats::card::Character;
use tavernkit_sillytavern::macros::{ChatView, Clock, Environment, MessageView};

use crate::resolve::ResolvedRequest;

impl ResolvedRequest {
    /// The character of the scene, as its card says.
    pub fn card(&self) -> Option<Character> {
        self.character.as_ref().map(|file| file.character())
    }

    /// The chat as macros see it, oldest message first.
    pub fn chat_view(&self) -> Vec<MessageView<'_>> {
        let messages = self.history.iter();
        messages
            .map(|m| MessageView {
                text: &m.content,
                is_user: m.role == Role::User,
                ..MessageView::default()
            })
            .collect()
    }

    /// What macros can see. `card` and `chat` come from [`card`](Self::card) and [`chat_view`](Self::chat_view); the caller keeps them
    /// because the environment borrows them.
    pub fn environment<'r>(&'r self, card: Option<&'r Character>, chat: &'r dyn ChatView) -> Environment<'r> {
        let character = card.map_or("", Character::display_name);
        let mut environment = Environment::named(self.persona.name.as_str(), character);
        environment.clock =
            Clock { unix_ms: self.now.unix_ms, utc_offset_minutes: self.now.utc_offset_minutes };
        environment.persona = self.persona.description.as_str().into();
        environment.model = self.model.as_deref().unwrap_or_default().into();
        environment.input = self.message.as_str().into();
        environment.last_generation_type = self.generation.as_str().into();
        environment.chat = Some(chat);
        if let Some(card) = card {
            environment.card.description = card.description.as_str().into();
            environment.card.personality = card.personality.as_str().into();
            environment.card.scenario = card.scenario.as_str().into();
            environment.card.first_message = card.first_mes.as_str().into();
            environment.card.examples = card.mes_example.as_str().into();
            environment.card.system_prompt = card.system_prompt.as_str().into();
            environment.card.post_history_instructions = card.post_history_instructions.as_str().into();
            environment.card.depth_prompt = card.depth_prompt.prompt.as_str().into();
            environment.card.creator_notes = card.creator_notes.as_str().into();
            environment.card.alternate_greetings =
                card.alternate_greetings.iter().map(|text| text.as_str().into()).collect();
            environment.card.version = card.character_version.as_str().into();
        }
        environment
    }
}
