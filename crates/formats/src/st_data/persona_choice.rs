//! Which persona the user is, and why.

use crate::chat::ChatMetadata;
use crate::persona::{Persona, Personas};

use super::settings::Settings;

/// Why a persona was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonaChoice {
    /// It was asked for.
    Requested,
    /// The chat is locked to it.
    ChatLock,
    /// It is connected with the character or group.
    Connection,
    /// It is the default persona.
    Default,
    /// It is the one the settings have in use.
    Active,
}

/// Chooses as SillyTavern does when a chat is opened: the chat's lock, then a connection, then the default, then whoever was
/// in use. `who` is the character's card file or the group's id.
pub(super) fn choose(
    settings: &Settings,
    requested: Option<&Persona>,
    metadata: &ChatMetadata,
    who: &str,
) -> (Persona, PersonaChoice) {
    if let Some(persona) = requested {
        return (persona.clone(), PersonaChoice::Requested);
    }
    let personas = settings.power_user.personas();
    if let Some(persona) = metadata.persona.as_deref().and_then(|avatar| personas.get(avatar)) {
        return (persona, PersonaChoice::ChatLock);
    }
    if let Some(persona) = connected(&personas, who) {
        return (persona, PersonaChoice::Connection);
    }
    if let Some(persona) = personas.default_persona.as_deref().and_then(|avatar| personas.get(avatar)) {
        return (persona, PersonaChoice::Default);
    }
    (active(settings, &personas), PersonaChoice::Active)
}

fn connected(personas: &Personas, who: &str) -> Option<Persona> {
    personas
        .iter()
        .find(|persona| persona.description.connections.iter().any(|connection| connection.id == who))
}

/// The persona in use: the settings hold a copy of its description.
fn active(settings: &Settings, personas: &Personas) -> Persona {
    let avatar = settings.user_avatar.clone().unwrap_or_default();
    let stored = personas.get(&avatar);
    let name = stored.as_ref().map_or_else(|| settings.username.clone(), |persona| persona.name.clone());
    Persona { avatar, name, description: settings.power_user.active_description() }
}
