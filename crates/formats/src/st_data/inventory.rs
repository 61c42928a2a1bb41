//! What is in a data folder, and what of it is broken.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;
use tavernkit_core::Warning;

use super::{DataFolder, Folder, stem};
use crate::chat::{Line, Party};
use crate::json;
use crate::preset;
use crate::{Error, ErrorKind, Result};

/// The kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A card.
    Character,
    /// A lorebook.
    World,
    /// A chat with one character.
    Chat,
    /// A group.
    Group,
    /// A chat of a group.
    GroupChat,
    /// A chat-completion preset.
    ChatPreset,
    /// A text-completion preset.
    TextPreset,
    /// An instruct template.
    Instruct,
    /// A context template.
    Context,
    /// A system prompt.
    SystemPrompt,
    /// A reasoning template.
    Reasoning,
}

/// Where each kind of file is: folder, extensions.
const PLACES: [(Kind, &str, &[&str]); 9] = [
    (Kind::World, "worlds", &["json"]),
    (Kind::Group, "groups", &["json"]),
    (Kind::GroupChat, "group chats", &["jsonl"]),
    (Kind::ChatPreset, "OpenAI Settings", &["json"]),
    (Kind::TextPreset, "TextGen Settings", &["json"]),
    (Kind::Instruct, "instruct", &["json"]),
    (Kind::Context, "context", &["json"]),
    (Kind::SystemPrompt, "sysprompt", &["json"]),
    (Kind::Reasoning, "reasoning", &["json"]),
];

/// One file that was looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub path: String,
    /// Its name for people.
    pub name: String,
    /// How many entries, messages or members it has, where that means something.
    pub count: Option<usize>,
    /// Why it cannot be used at all.
    pub error: Option<String>,
    /// What is odd about it.
    pub warnings: Vec<Warning>,
}

/// What is in a data folder.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Inventory {
    /// The files.
    pub items: Vec<Item>,
    /// How many personas the settings have.
    pub personas: usize,
    /// How many global regex scripts the settings have.
    pub scripts: usize,
    /// What is odd about the settings, and links that lead nowhere.
    pub warnings: Vec<Warning>,
}

impl Inventory {
    /// How many files of a kind there are.
    pub fn count(&self, kind: Kind) -> usize {
        self.items.iter().filter(|item| item.kind == kind).count()
    }

    /// The files that cannot be used at all.
    pub fn broken(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.error.is_some())
    }
}

impl<F: Folder> DataFolder<F> {
    /// Every file there is to look at, for showing progress: kind and path.
    pub fn all_files(&self) -> Result<Vec<(Kind, String)>> {
        let mut files: Vec<(Kind, String)> = self
            .characters()?
            .into_iter()
            .map(|name| (Kind::Character, format!("characters/{name}")))
            .collect();
        for (kind, dir, extensions) in PLACES {
            files
                .extend(self.files(dir, extensions)?.into_iter().map(|name| (kind, format!("{dir}/{name}"))));
        }
        let mut owners = self.folder.list("chats")?;
        owners.sort();
        for owner in owners {
            let dir = format!("chats/{owner}");
            files.extend(
                self.files(&dir, &["jsonl"])?.into_iter().map(|name| (Kind::Chat, format!("{dir}/{name}"))),
            );
        }
        Ok(files)
    }

    /// Looks at one file. Nothing that is wrong with it stops the look at the others.
    pub fn look_at(&self, kind: Kind, path: &str) -> Item {
        let file = path.rsplit_once('/').map_or(path, |(_, name)| name);
        let mut item = Item {
            kind,
            path: path.to_owned(),
            name: stem(file).to_owned(),
            count: None,
            error: None,
            warnings: Vec::new(),
        };
        if let Err(error) = self.look(&mut item, file) {
            item.error = Some(error.to_string());
        }
        item
    }

    fn look(&self, item: &mut Item, file: &str) -> Result<()> {
        match item.kind {
            Kind::Character => {
                let card = self.card(file)?;
                item.name = card.character().name;
                item.warnings = card.warnings().to_vec();
            }
            Kind::World => {
                if let Some(book) = self.world(stem(file))? {
                    item.count = Some(book.value.entries.len());
                    item.warnings = book.warnings;
                }
            }
            Kind::Chat | Kind::GroupChat => {
                let party = if item.kind == Kind::Chat { Party::Solo } else { Party::Group };
                let mut count = 0;
                item.warnings = self.walk_chat(&item.path, party, |line| {
                    count += usize::from(matches!(line, Line::Message(_)))
                })?;
                item.count = Some(count);
            }
            Kind::Group => {
                let group = self.group_file(file)?;
                item.count = Some(group.value.members.len());
                item.warnings = group.warnings;
                item.name = group.value.name;
            }
            Kind::ChatPreset => {
                let preset = self.chat_preset(stem(file))?;
                item.warnings = preset.warnings;
                item.warnings.extend(preset.value.prompt_set().warnings);
                item.count = Some(preset.value.prompts.len());
            }
            Kind::TextPreset | Kind::Instruct | Kind::Context | Kind::SystemPrompt | Kind::Reasoning => {
                self.look_at_template(item)?;
            }
        }
        Ok(())
    }

    fn look_at_template(&self, item: &mut Item) -> Result<()> {
        let parsed = json::parse(&self.bytes(&item.path)?, &self.limits)?;
        item.warnings = parsed.warnings;
        let wanted = match item.kind {
            Kind::TextPreset => preset::Kind::Text,
            Kind::Instruct => preset::Kind::Instruct,
            Kind::Context => preset::Kind::Context,
            Kind::SystemPrompt => preset::Kind::SystemPrompt,
            _ => preset::Kind::Reasoning,
        };
        if !parsed.value.is_object() {
            let found = json::field::type_name(&parsed.value);
            return Err(Error::new(
                ErrorKind::Invalid,
                format!("a template must be an object but this is {found}"),
            ));
        }
        if preset::Kind::of(&parsed.value) != Some(wanted) {
            let message =
                "the file lacks fields that its kind should have; SillyTavern's defaults stand in for them";
            item.warnings.push(Warning::new("data.odd_template", message));
        }
        if let Some(name) = parsed.value.get("name").and_then(Value::as_str) {
            item.name = name.to_owned();
        }
        Ok(())
    }

    /// Looks at everything. For progress, see [`DataFolder::all_files`] and [`DataFolder::look_at`].
    pub fn inventory(&self) -> Result<Inventory> {
        let items = self.all_files()?.into_iter().map(|(kind, path)| self.look_at(kind, &path)).collect();
        self.inventory_of(items)
    }

    /// The inventory of files that were looked at, completed with what the settings say.
    pub fn inventory_of(&self, items: Vec<Item>) -> Result<Inventory> {
        let mut warnings = self.warnings.clone();
        warnings.extend(self.loose_links()?);
        Ok(Inventory {
            items,
            personas: self.settings.power_user.persona_names.len(),
            scripts: self.settings.extension_settings.regex.len(),
            warnings,
        })
    }

    /// Links in the settings that lead nowhere.
    fn loose_links(&self) -> Result<Vec<Warning>> {
        let worlds: HashSet<String> = self.worlds()?.into_iter().collect();
        let cards: HashSet<String> = self.characters()?.iter().map(|file| stem(file).to_owned()).collect();
        let mut warnings = Vec::new();
        let mut loose = |place: String, name: &str| {
            if !name.is_empty() && !worlds.contains(name) {
                let message = format!("the lorebook {name:?} does not exist");
                warnings
                    .push(Warning::new("data.missing_book", message).at(format!("settings.json: {place}")));
            }
        };
        let links = &self.settings.world_info.links;
        for (index, name) in links.global.iter().enumerate() {
            loose(format!("world_info_settings.world_info.globalSelect[{index}]"), name);
        }
        for (index, lore) in links.characters.iter().enumerate() {
            for name in &lore.extra_books {
                loose(format!("world_info_settings.world_info.charLore[{index}]"), name);
            }
        }
        for (avatar, persona) in self.settings.power_user.persona_descriptions.iter() {
            loose(format!("power_user.persona_descriptions.{avatar}"), &persona.lorebook);
        }
        for (index, lore) in
            links.characters.iter().enumerate().filter(|(_, lore)| !cards.contains(&lore.name))
        {
            let message = format!("there is no card {:?} to have extra lorebooks", lore.name);
            let place = format!("settings.json: world_info_settings.world_info.charLore[{index}]");
            warnings.push(Warning::new("data.missing_card", message).at(place));
        }
        Ok(warnings)
    }
}
