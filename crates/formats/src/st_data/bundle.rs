//! Everything one build needs, with every link followed.

use serde_json::Value;
use tavernkit_core::Warning;

use super::overlay::overlay;
use super::persona_choice::{self, PersonaChoice};
use super::{DataFolder, Folder, Group, Settings, in_file_warning, stem};
use crate::card::CardFile;
use crate::chat::{Chat, ChatMetadata};
use crate::lorebook::Lorebook;
use crate::persona::Persona;
use crate::preset::ChatPreset;
use crate::record::List;
use crate::regex_script::RegexScript;
use crate::{Error, ErrorKind, Result};

/// What to put together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The character: card file, file name without extension, or name.
    pub character: Option<String>,
    /// A group instead of a character: id or name.
    pub group: Option<String>,
    /// The chat's name; else the one that was open last.
    pub chat: Option<String>,
    /// A persona by avatar file or name; else the one SillyTavern would choose.
    pub persona: Option<String>,
    /// A chat-completion preset by name; else the settings in use.
    pub preset: Option<String>,
}

impl Request {
    /// A character with the chat that was open last.
    pub fn character(name: impl Into<String>) -> Self {
        Self { character: Some(name.into()), ..Self::default() }
    }

    /// A group with the chat that was open last.
    pub fn group(name: impl Into<String>) -> Self {
        Self { group: Some(name.into()), ..Self::default() }
    }

    /// The same with this chat.
    #[must_use]
    pub fn with_chat(mut self, name: impl Into<String>) -> Self {
        self.chat = Some(name.into());
        self
    }
}

/// A lorebook and the name it is linked by.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedBook {
    /// The name: that of its file.
    pub name: String,
    /// The book.
    pub book: Lorebook,
    /// Card files of the characters that link it; empty for books that no character brings in.
    pub owners: Vec<String>,
}

/// The lorebooks in use, by where they come from. A book that is linked twice is listed once, where SillyTavern takes it from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Books {
    /// For every chat.
    pub global: Vec<NamedBook>,
    /// The characters': for each the one named on the card, then the extra ones.
    pub character: Vec<NamedBook>,
    /// The chat's.
    pub chat: Option<NamedBook>,
    /// The persona's.
    pub persona: Option<NamedBook>,
}

impl Books {
    /// The books of one character.
    pub fn of<'a>(&'a self, avatar: &'a str) -> impl Iterator<Item = &'a NamedBook> {
        self.character.iter().filter(move |book| book.owners.iter().any(|owner| owner == avatar))
    }
}

/// The regex scripts that may run, in the order in which they do.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scripts {
    /// The user's.
    pub global: List<RegexScript>,
    /// The preset's, if they are allowed.
    pub preset: List<RegexScript>,
    /// The cards', where they are allowed: card file and scripts. Only the speaker's run.
    pub characters: Vec<(String, List<RegexScript>)>,
}

impl Scripts {
    /// The scripts that run while this character speaks, in order.
    pub fn of<'a>(&'a self, avatar: &'a str) -> impl Iterator<Item = &'a RegexScript> {
        let own = self.characters.iter().filter(move |(owner, _)| owner == avatar).flat_map(|(_, own)| own);
        self.global.iter().chain(&self.preset).chain(own)
    }
}

/// Everything one build needs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Bundle {
    /// The cards: file name and card. One, or a group's members in their order.
    pub characters: Vec<(String, CardFile)>,
    /// The group, if it is one.
    pub group: Option<Group>,
    /// The chat's name.
    pub chat_name: Option<String>,
    /// The chat.
    pub chat: Option<Chat>,
    /// Who the user is.
    pub persona: Persona,
    /// Why that persona.
    pub persona_choice: PersonaChoice,
    /// The lorebooks in use.
    pub books: Books,
    /// The regex scripts that may run.
    pub scripts: Scripts,
    /// Name of the chat-completion preset.
    pub preset_name: Option<String>,
    /// The chat-completion settings in use.
    pub preset: ChatPreset,
    /// The user's settings.
    pub settings: Settings,
    /// What was odd or missing, each with its file.
    pub warnings: Vec<Warning>,
}

impl Bundle {
    /// The one character; `None` in a group, where the speaker is chosen per turn.
    pub fn speaker(&self) -> Option<&CardFile> {
        match (&self.group, self.characters.first()) {
            (None, Some((_, card))) => Some(card),
            _ => None,
        }
    }

    /// What the chat remembers.
    pub fn metadata(&self) -> ChatMetadata {
        self.chat.as_ref().map(Chat::metadata).unwrap_or_default()
    }
}

impl<F: Folder> DataFolder<F> {
    /// Puts together everything for a character or group and a chat, following every link.
    ///
    /// What is linked but missing or broken becomes a warning; only the character, group, chat, preset or persona that was
    /// asked for must be there.
    pub fn resolve(&self, request: &Request) -> Result<Bundle> {
        let mut warnings = self.warnings.clone();
        let (group, characters) = match (&request.group, &request.character) {
            (Some(group), _) => {
                let group = self.group(group)?;
                warnings.extend(group.warnings);
                let members = self.members(&group.value, &mut warnings);
                (Some(group.value), members)
            }
            (None, Some(character)) => {
                let avatar = self.find_character(character)?;
                let card = self.card(&avatar)?;
                (None, vec![(avatar, card)])
            }
            (None, None) => {
                return Err(Error::new(ErrorKind::Missing, "name a character or a group to put together"));
            }
        };
        for (avatar, card) in &characters {
            let path = format!("characters/{avatar}");
            warnings.extend(card.warnings().iter().cloned().map(|warning| in_file_warning(warning, &path)));
        }

        let (chat_name, chat) = self.find_chat(request, group.as_ref(), &characters, &mut warnings)?;
        let metadata = chat.as_ref().map(Chat::metadata).unwrap_or_default();
        let requested = request.persona.as_deref().map(|wanted| self.find_persona(wanted)).transpose()?;
        let who = match &group {
            Some(group) => group.id.as_ref().map(ToString::to_string).unwrap_or_default(),
            None => characters.first().map(|(avatar, _)| avatar.clone()).unwrap_or_default(),
        };
        let (persona, persona_choice) =
            persona_choice::choose(&self.settings, requested.as_ref(), &metadata, &who);
        let (preset_name, preset) = self.find_preset(request, &mut warnings)?;
        let books = self.books(&characters, &metadata, &persona, &mut warnings);
        let scripts = self.scripts(&characters, preset_name.as_deref(), &preset, &mut warnings);
        Ok(Bundle {
            characters,
            group,
            chat_name,
            chat,
            persona,
            persona_choice,
            books,
            scripts,
            preset_name,
            preset,
            settings: self.settings.clone(),
            warnings,
        })
    }

    fn members(&self, group: &Group, warnings: &mut Vec<Warning>) -> Vec<(String, CardFile)> {
        let mut members = Vec::with_capacity(group.members.len());
        for avatar in &group.members {
            match self.card(avatar) {
                Ok(card) => members.push((avatar.clone(), card)),
                Err(error) => {
                    let message =
                        format!("member {avatar:?} of group {:?} cannot be read: {error}", group.name);
                    warnings.push(Warning::new("data.missing_member", message));
                }
            }
        }
        members
    }

    /// The chat that was asked for, else the one that was open last.
    fn find_chat(
        &self,
        request: &Request,
        group: Option<&Group>,
        characters: &[(String, CardFile)],
        warnings: &mut Vec<Warning>,
    ) -> Result<(Option<String>, Option<Chat>)> {
        let last = match (group, characters.first()) {
            (Some(group), _) => group.chat_id.clone(),
            (None, Some((_, card))) => {
                card.card().raw().get("chat").and_then(Value::as_str).map(str::to_owned)
            }
            (None, None) => None,
        };
        let Some(name) = request.chat.clone().or(last) else { return Ok((None, None)) };
        let path = match (group, characters.first()) {
            (None, Some((avatar, _))) => format!("chats/{}/{name}.jsonl", stem(avatar)),
            _ => format!("group chats/{name}.jsonl"),
        };
        let read = match (group, characters.first()) {
            (None, Some((avatar, _))) => self.chat(avatar, &name),
            _ => self.group_chat(&name),
        };
        match read {
            Ok(chat) => {
                warnings.extend(chat.warnings.into_iter().map(|warning| in_file_warning(warning, &path)));
                Ok((Some(name), Some(chat.value)))
            }
            // A card names a chat before its first message is saved.
            Err(error) if error.kind() == ErrorKind::Missing && request.chat.is_none() => {
                Ok((Some(name), None))
            }
            Err(error) => Err(error),
        }
    }

    fn find_persona(&self, wanted: &str) -> Result<Persona> {
        let personas = self.settings.power_user.personas();
        let by_name = || personas.iter().find(|persona| persona.name == wanted);
        personas.get(wanted).or_else(by_name).ok_or_else(|| {
            Error::new(ErrorKind::Missing, format!("there is no persona {wanted:?} in the settings"))
        })
    }

    fn find_preset(
        &self,
        request: &Request,
        warnings: &mut Vec<Warning>,
    ) -> Result<(Option<String>, ChatPreset)> {
        let current = &self.settings.oai_settings;
        let (name, mut preset) = match &request.preset {
            Some(name) => {
                let read = self.chat_preset(name)?;
                let path = format!("OpenAI Settings/{name}.json");
                warnings.extend(read.warnings.into_iter().map(|warning| in_file_warning(warning, &path)));
                (Some(name.clone()), overlay(current, name, &read.value))
            }
            None => (self.settings.chat_preset_name().map(str::to_owned), current.clone()),
        };
        let place = if request.preset.is_some() { "preset" } else { "settings.json: oai_settings" };
        let old = preset.migrate(name.as_deref().unwrap_or_default());
        warnings.extend(old.into_iter().map(|warning| in_file_warning(warning, place)));
        Ok((name, preset))
    }

    fn scripts(
        &self,
        characters: &[(String, CardFile)],
        preset_name: Option<&str>,
        preset: &ChatPreset,
        warnings: &mut Vec<Warning>,
    ) -> Scripts {
        let extensions = &self.settings.extension_settings;
        if extensions.disabled.iter().any(|name| name == "regex") {
            return Scripts::default();
        }
        let mut scripts = Scripts { global: extensions.regex.clone(), ..Scripts::default() };
        let own = preset.regex_scripts(warnings);
        let allowed = extensions.preset_allowed_regex.get("openai");
        let is_allowed =
            preset_name.is_some_and(|name| allowed.is_some_and(|list| list.iter().any(|one| one == name)));
        if is_allowed {
            scripts.preset = own;
        } else if !own.is_empty() {
            let message = format!(
                "the preset brings {} regex scripts that the user has not allowed; they do not run",
                own.len()
            );
            warnings.push(Warning::new("data.scripts_not_allowed", message));
        }
        for (avatar, card) in characters {
            let own = card.card().extensions().map(|extensions| {
                RegexScript::from_extensions(extensions, &crate::json::Path::Root.key("extensions"), warnings)
            });
            let own = own.unwrap_or_default();
            if extensions.character_allowed_regex.contains(avatar) {
                scripts.characters.push((avatar.clone(), own));
            } else if !own.is_empty() {
                let message = format!(
                    "{avatar} brings {} regex scripts that the user has not allowed; they do not run",
                    own.len()
                );
                warnings.push(Warning::new("data.scripts_not_allowed", message));
            }
        }
        scripts
    }

    fn books(
        &self,
        characters: &[(String, CardFile)],
        metadata: &ChatMetadata,
        persona: &Persona,
        warnings: &mut Vec<Warning>,
    ) -> Books {
        let links = &self.settings.world_info.links;
        let is_global = |name: &str| links.global.iter().any(|global| global == name);
        let chat = metadata.world_info.clone().filter(|name| !name.is_empty());
        let own = Some(persona.description.lorebook.clone()).filter(|name| !name.is_empty());

        let mut books = Books::default();
        for name in &links.global {
            books.global.extend(self.book(name, "selected for all chats", warnings));
        }
        for (avatar, card) in characters {
            let world = card.character().world;
            let extra = links
                .characters
                .iter()
                .filter(|lore| lore.name == stem(avatar))
                .flat_map(|lore| &lore.extra_books);
            for name in std::iter::once(&world).chain(extra).filter(|name| !name.is_empty()) {
                let elsewhere = is_global(name) || chat.as_ref() == Some(name) || own.as_ref() == Some(name);
                if elsewhere {
                    continue;
                }
                let known = books.character.iter().position(|book| book.name == *name);
                let index = known.unwrap_or(books.character.len());
                if known.is_none() {
                    books.character.extend(self.book(name, &format!("linked by {avatar}"), warnings));
                }
                if let Some(book) = books.character.get_mut(index)
                    && !book.owners.contains(avatar)
                {
                    book.owners.push(avatar.clone());
                }
            }
            if card.card().book().is_some() && world.is_empty() {
                let message =
                    format!("{avatar} brings a book that was never imported; SillyTavern does not use it");
                warnings
                    .push(Warning::new("data.book_not_imported", message).at(format!("characters/{avatar}")));
            }
        }
        if let Some(name) = chat.as_ref().filter(|name| !is_global(name)) {
            books.chat = self.book(name, "linked by the chat", warnings);
        }
        if let Some(name) = own.as_ref().filter(|name| !is_global(name) && chat.as_ref() != Some(*name)) {
            books.persona = self.book(name, &format!("linked by the persona {:?}", persona.name), warnings);
        }
        books
    }

    /// A linked book; one that is missing or broken contributes nothing.
    fn book(&self, name: &str, link: &str, warnings: &mut Vec<Warning>) -> Option<NamedBook> {
        let path = format!("worlds/{name}.json");
        match self.world(name) {
            Ok(Some(read)) => {
                warnings.extend(read.warnings.into_iter().map(|warning| in_file_warning(warning, &path)));
                Some(NamedBook { name: name.to_owned(), book: read.value, owners: Vec::new() })
            }
            Ok(None) => {
                let message = format!("the lorebook {name:?}, {link}, does not exist");
                warnings.push(Warning::new("data.missing_book", message).at(path));
                None
            }
            Err(error) => {
                let message = format!("the lorebook {name:?}, {link}, cannot be read: {error}");
                warnings.push(Warning::new("data.broken_book", message).at(path));
                None
            }
        }
    }
}
