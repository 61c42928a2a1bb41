//! A SillyTavern data folder (`data/<user>`): settings, cards, books, chats, groups and presets, and how they hang together.
//!
//! This crate opens no files. A [`Folder`] brings the bytes; [`MemoryFolder`] is one for tests, and a program has its own
//! for the disk.

mod bundle;
mod folder;
mod group;
mod inventory;
mod overlay;
mod persona_choice;
mod settings;

pub use bundle::{Books, Bundle, NamedBook, Request, Scripts};
pub use folder::{Folder, MemoryFolder};
pub use group::{ActivationStrategy, GenerationMode, Group};
pub use inventory::{Inventory, Item, Kind};
pub use persona_choice::PersonaChoice;
pub use settings::{
    CharacterLore, CharacterNote, CharacterNotePosition, ExtensionSettings, GlobalVariables,
    InsertionStrategy, NoteSettings, PowerUser, Settings, Tag, WorldInfoLinks, WorldInfoSettings,
};
use tavernkit_core::Warning;

use crate::card::{self, CardFile};
use crate::chat::{Chat, ChatReader, Line, Party};
use crate::json::{self, Path};
use crate::lorebook::Lorebook;
use crate::preset::ChatPreset;
use crate::record::{Field, Read};
use crate::{Error, ErrorKind, Limits, Result};

/// One user's data folder.
///
/// ```
/// use tavernkit_formats::{Limits, st_data::{DataFolder, MemoryFolder, Request}};
///
/// let mut files = MemoryFolder::default();
/// files.insert("settings.json", r#"{"username": "Ilse", "world_info_settings": {"world_info": {"globalSelect": ["Fens"]}}}"#);
/// files.insert("characters/Bram.png.json", "not a card");
/// files.insert("characters/Bram.json", r#"{"name": "Bram", "description": "Keeps the lamp."}"#);
/// files.insert("worlds/Fens.json", r#"{"entries": {}}"#);
///
/// let data = DataFolder::open(files, Limits::default())?;
/// let bundle = data.resolve(&Request::character("Bram"))?;
/// assert_eq!(bundle.speaker().unwrap().character().description, "Keeps the lamp.");
/// assert_eq!(bundle.persona.name, "Ilse");
/// assert_eq!(bundle.books.global[0].name, "Fens");
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DataFolder<F> {
    folder: F,
    limits: Limits,
    settings: Settings,
    warnings: Vec<Warning>,
}

impl<F: Folder> DataFolder<F> {
    /// Opens a data folder: reads its settings and nothing else.
    pub fn open(folder: F, limits: Limits) -> Result<Self> {
        let (settings, warnings) = match folder.read("settings.json")? {
            Some(bytes) => {
                let read =
                    Settings::parse(&bytes, &limits).map_err(|error| in_file(error, "settings.json"))?;
                let warnings =
                    read.warnings.into_iter().map(|warning| in_file_warning(warning, "settings.json"));
                (read.value, warnings.collect())
            }
            None => {
                let known = ["characters", "worlds", "chats", "groups", "OpenAI Settings"];
                let found = folder.list("")?.iter().any(|name| known.contains(&name.as_str()));
                if !found {
                    let message = "this is not a data folder of SillyTavern: it has neither settings.json nor a `characters` folder; give the folder of one user, such as data/default-user";
                    return Err(Error::new(ErrorKind::UnknownFormat, message));
                }
                let message = "there is no settings.json; SillyTavern's defaults are used";
                (Settings::default(), vec![Warning::new("data.no_settings", message)])
            }
        };
        Ok(Self { folder, limits, settings, warnings })
    }

    /// The user's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What was odd about the settings.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The limits in use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Reads a file that must be there.
    fn bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.folder
            .read(path)?
            .ok_or_else(|| Error::new(ErrorKind::Missing, "there is no such file").at_field(path))
    }

    /// The files of a folder with one of these extensions, sorted.
    fn files(&self, dir: &str, extensions: &[&str]) -> Result<Vec<String>> {
        let mut names = self.folder.list(dir)?;
        names.retain(|name| extensions.iter().any(|extension| has_extension(name, extension)));
        names.sort();
        Ok(names)
    }

    /// The card files: names in `characters`.
    pub fn characters(&self) -> Result<Vec<String>> {
        self.files("characters", &["png", "json", "charx", "webp", "jpg", "jpeg", "yaml", "yml"])
    }

    /// The names of the lorebooks.
    pub fn worlds(&self) -> Result<Vec<String>> {
        Ok(self.files("worlds", &["json"])?.iter().map(|name| stem(name).to_owned()).collect())
    }

    /// The names of a character's chats, by its card file.
    pub fn chats(&self, avatar: &str) -> Result<Vec<String>> {
        Ok(self
            .files(&format!("chats/{}", stem(avatar)), &["jsonl"])?
            .iter()
            .map(|name| stem(name).to_owned())
            .collect())
    }

    /// Reads a card by its file name.
    pub fn card(&self, avatar: &str) -> Result<CardFile> {
        let path = format!("characters/{}", plain(avatar)?);
        let bytes = self.bytes(&path)?;
        card::read(&bytes, Some(avatar), &self.limits).map_err(|error| in_file(error, &path))
    }

    /// The card file of a character given by file name, file name without extension, or name on the card.
    pub fn find_character(&self, wanted: &str) -> Result<String> {
        let files = self.characters()?;
        let exact = files.iter().find(|file| *file == wanted);
        if let Some(file) = exact.or_else(|| files.iter().find(|file| stem(file) == wanted)) {
            return Ok(file.clone());
        }
        for file in &files {
            // Broken cards are the inventory's business.
            if self.card(file).is_ok_and(|card| card.character().name == wanted) {
                return Ok(file.clone());
            }
        }
        let message = format!("there is no character {wanted:?} among the {} in `characters`", files.len());
        Err(Error::new(ErrorKind::Missing, message))
    }

    /// Reads a lorebook by name.
    pub fn world(&self, name: &str) -> Result<Option<Read<Lorebook>>> {
        let path = format!("worlds/{}.json", plain(name)?);
        let Some(bytes) = self.folder.read(&path)? else { return Ok(None) };
        Lorebook::parse(&bytes, &self.limits).map(Some).map_err(|error| in_file(error, &path))
    }

    /// Reads a chat of a character.
    pub fn chat(&self, avatar: &str, name: &str) -> Result<Read<Chat>> {
        self.chat_file(&format!("chats/{}/{}.jsonl", plain(stem(avatar))?, plain(name)?), Party::Solo)
    }

    /// Reads a chat of a group.
    pub fn group_chat(&self, id: &str) -> Result<Read<Chat>> {
        self.chat_file(&format!("group chats/{}.jsonl", plain(id)?), Party::Group)
    }

    fn chat_file(&self, path: &str, party: Party) -> Result<Read<Chat>> {
        Chat::parse(&self.bytes(path)?, party, &self.limits).map_err(|error| in_file(error, path))
    }

    /// Walks through a chat line by line without holding it in memory.
    pub fn walk_chat(&self, path: &str, party: Party, mut visit: impl FnMut(Line)) -> Result<Vec<Warning>> {
        let input = self.folder.open(path)?;
        let input =
            input.ok_or_else(|| Error::new(ErrorKind::Missing, "there is no such file").at_field(path))?;
        let mut reader = ChatReader::new(input, party, self.limits.clone()).forgetting_lines();
        while let Some(line) = reader.next_line().map_err(|error| in_file(error, path))? {
            visit(line);
        }
        Ok(reader.into_warnings())
    }

    /// Reads a group by id or name.
    pub fn group(&self, wanted: &str) -> Result<Read<Group>> {
        let files = self.files("groups", &["json"])?;
        if let Some(file) = files.iter().find(|file| stem(file) == wanted) {
            return self.group_file(file);
        }
        for file in &files {
            match self.group_file(file) {
                Ok(group) if group.value.name == wanted => return Ok(group),
                _ => {}
            }
        }
        Err(Error::new(
            ErrorKind::Missing,
            format!("there is no group {wanted:?} among the {} in `groups`", files.len()),
        ))
    }

    fn group_file(&self, file: &str) -> Result<Read<Group>> {
        let path = format!("groups/{file}");
        let parsed = json::parse(&self.bytes(&path)?, &self.limits).map_err(|error| in_file(error, &path))?;
        let mut warnings = parsed.warnings;
        let group = <Group as Field>::read(&parsed.value, &Path::Root, &mut warnings);
        let group = group
            .ok_or_else(|| Error::new(ErrorKind::Invalid, "a group must be an object").at_field(path))?;
        Ok(Read { value: group, warnings })
    }

    /// Reads a chat-completion preset by name.
    pub fn chat_preset(&self, name: &str) -> Result<Read<ChatPreset>> {
        let path = format!("OpenAI Settings/{}.json", plain(name)?);
        let parsed = json::parse(&self.bytes(&path)?, &self.limits).map_err(|error| in_file(error, &path))?;
        let mut warnings = parsed.warnings;
        let preset = <ChatPreset as Field>::read(&parsed.value, &Path::Root, &mut warnings);
        let preset = preset
            .ok_or_else(|| Error::new(ErrorKind::Invalid, "a preset must be an object").at_field(path))?;
        Ok(Read { value: preset, warnings })
    }
}

/// A name that stays in its folder. Links come out of files that other people made.
fn plain(name: &str) -> Result<&str> {
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\', '\0']) {
        let message = format!("{name:?} is not the name of a file in its folder, so it is not followed");
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    Ok(name)
}

/// A file name without its extension.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, own)| !stem.is_empty() && own.eq_ignore_ascii_case(extension))
}

/// Says in which file an error happened.
fn in_file(error: Error, path: &str) -> Error {
    let place = error.field().map_or_else(|| path.to_owned(), |field| format!("{path}: {field}"));
    error.at_field(place)
}

/// Says in which file something was odd.
fn in_file_warning(warning: Warning, path: &str) -> Warning {
    let place = warning.at.as_ref().map_or_else(|| path.to_owned(), |at| format!("{path}: {at}"));
    warning.at(place)
}

#[cfg(test)]
mod tests;
