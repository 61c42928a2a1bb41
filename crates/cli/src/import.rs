//! `tavern import`: what is in a SillyTavern data folder, and what of it is broken.

use std::io::Write;

use serde_json::json;
use tavernkit_formats::Limits;
use tavernkit_formats::st_data::{Bundle, DataFolder, Inventory, Kind, NamedBook, Request};

use crate::disk::Disk;
use crate::failure::Failure;
use crate::notes::{self, Progress};
use crate::style;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder of one user, such as `data/default-user`.
    folder: String,
    /// Put together what belongs to this character: file name or name.
    #[arg(long, conflicts_with = "group")]
    character: Option<String>,
    /// Put together what belongs to this group: id or name.
    #[arg(long)]
    group: Option<String>,
    /// With this chat; else the one that was open last.
    #[arg(long)]
    chat: Option<String>,
    /// With this persona; else the one SillyTavern would choose.
    #[arg(long)]
    persona: Option<String>,
    /// With this chat-completion preset; else the settings in use.
    #[arg(long)]
    preset: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let disk = Disk::at(&arguments.folder);
    let root = disk.root();
    let fault = |error: tavernkit_formats::Error| Failure::input(format!("{root}: {error}"));
    let data = DataFolder::open(disk, Limits::default()).map_err(fault)?;
    if arguments.character.is_some() || arguments.group.is_some() {
        let request = Request {
            character: arguments.character.clone(),
            group: arguments.group.clone(),
            chat: arguments.chat.clone(),
            persona: arguments.persona.clone(),
            preset: arguments.preset.clone(),
        };
        return show_bundle(arguments, &data.resolve(&request).map_err(fault)?);
    }
    let files = data.all_files().map_err(fault)?;
    let mut progress = Progress::new(files.len());
    let items = files.iter().map(|(kind, path)| {
        let item = data.look_at(*kind, path);
        progress.step();
        item
    });
    let items = items.collect();
    drop(progress);
    show_inventory(arguments, &root, &data.inventory_of(items).map_err(fault)?)
}

const KINDS: [(Kind, &str); 11] = [
    (Kind::Character, "characters"),
    (Kind::Chat, "chats"),
    (Kind::Group, "groups"),
    (Kind::GroupChat, "group chats"),
    (Kind::World, "lorebooks"),
    (Kind::ChatPreset, "chat-completion presets"),
    (Kind::TextPreset, "text-completion presets"),
    (Kind::Instruct, "instruct templates"),
    (Kind::Context, "context templates"),
    (Kind::SystemPrompt, "system prompts"),
    (Kind::Reasoning, "reasoning templates"),
];

fn show_inventory(arguments: &Arguments, root: &str, inventory: &Inventory) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    let broken = inventory.broken().count();
    if arguments.json {
        writeln!(out, "{}", json!(inventory))?;
    } else {
        let strong = style::STRONG;
        writeln!(out, "{strong}{root}{strong:#}")?;
        let rows = KINDS.map(|(kind, name)| (inventory.count(kind), name));
        let more = [(inventory.personas, "personas"), (inventory.scripts, "regex scripts")];
        for (count, name) in rows.into_iter().chain(more).filter(|(count, _)| *count > 0) {
            writeln!(out, "{count:>8}  {name}")?;
        }
        for item in inventory.broken() {
            let bad = style::BAD;
            writeln!(
                out,
                "{bad}broken{bad:#}: {}: {}",
                item.path,
                item.error.as_deref().unwrap_or_default()
            )?;
        }
        for item in &inventory.items {
            notes::warnings(&item.path, &item.warnings)?;
        }
        notes::warnings(root, &inventory.warnings)?;
    }
    if broken > 0 { Err(Failure::Reported) } else { Ok(()) }
}

fn show_bundle(arguments: &Arguments, bundle: &Bundle) -> Result<(), Failure> {
    let names = |books: &[NamedBook]| books.iter().map(|book| book.name.clone()).collect::<Vec<_>>();
    let one = |book: &Option<NamedBook>| book.as_ref().map(|book| book.name.clone());
    let cards: Vec<_> = bundle.characters.iter().map(|(file, card)| (file, card.character().name)).collect();
    let mut out = anstream::stdout().lock();
    if arguments.json {
        let report = json!({
            "characters": cards.iter().map(|(file, name)| json!({"file": file, "name": name})).collect::<Vec<_>>(),
            "group": bundle.group, "chat": bundle.chat_name,
            "messages": bundle.chat.as_ref().map(|chat| chat.messages.len()),
            "persona": {"name": bundle.persona.name, "avatar": bundle.persona.avatar, "why": format!("{:?}", bundle.persona_choice)},
            "books": {"global": names(&bundle.books.global), "character": names(&bundle.books.character),
                "chat": one(&bundle.books.chat), "persona": one(&bundle.books.persona)},
            "preset": bundle.preset_name, "warnings": bundle.warnings,
        });
        writeln!(out, "{report}")?;
        return Ok(());
    }
    let strong = style::STRONG;
    for (file, name) in &cards {
        writeln!(out, "{strong}{name}{strong:#}  characters/{file}")?;
    }
    if let Some(name) = &bundle.chat_name {
        let count = bundle.chat.as_ref().map_or(0, |chat| chat.messages.len());
        writeln!(out, "chat      {name} ({count} messages)")?;
    }
    writeln!(out, "persona   {} ({:?})", bundle.persona.name, bundle.persona_choice)?;
    writeln!(out, "preset    {}", bundle.preset_name.as_deref().unwrap_or("the settings in use"))?;
    for (place, books) in
        [("global", names(&bundle.books.global)), ("character", names(&bundle.books.character))]
    {
        for name in books {
            writeln!(out, "lorebook  {name} ({place})")?;
        }
    }
    for (place, book) in [("chat", one(&bundle.books.chat)), ("persona", one(&bundle.books.persona))] {
        if let Some(name) = book {
            writeln!(out, "lorebook  {name} ({place})")?;
        }
    }
    let scripts = bundle.scripts.global.len() + bundle.scripts.preset.len();
    let own: usize = bundle.scripts.characters.iter().map(|(_, scripts)| scripts.len()).sum();
    if scripts + own > 0 {
        writeln!(out, "scripts   {} regex scripts", scripts + own)?;
    }
    notes::warnings(&arguments.folder, &bundle.warnings)
}
