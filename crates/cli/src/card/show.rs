//! `tavern card show`.

use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};
use tavernkit_formats::card::{CardFile, Character};

use super::{cards_in, open};
use crate::failure::Failure;
use crate::style;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Card files, or folders of cards.
    #[arg(required = true)]
    paths: Vec<String>,
    /// Print JSON, one object per card.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let paths = cards_in(&arguments.paths)?;
    let mut out = anstream::stdout().lock();
    let mut progress = Progress::new(paths.len());
    let mut failed = 0;
    for path in &paths {
        progress.step();
        match open(path) {
            Ok((_, file)) if arguments.json => writeln!(out, "{}", as_json(path, &file))?,
            Ok((_, file)) if paths.len() == 1 => whole(&mut out, path, &file)?,
            Ok((_, file)) => line(&mut out, path, &file)?,
            Err(Failure::Input(message)) if paths.len() > 1 => {
                failed += 1;
                progress.clear();
                anstream::eprintln!("{}error{}: {message}", style::BAD, style::BAD.render_reset());
            }
            Err(failure) => return Err(failure),
        }
    }
    progress.clear();
    if paths.is_empty() {
        return Err(Failure::input(
            "there is no card in the folder; cards are .png, .json, .charx, .byaf, .yaml, .webp or .jpg files",
        ));
    }
    if failed > 0 { Err(Failure::Reported) } else { Ok(()) }
}

fn as_json(path: &str, file: &CardFile) -> Value {
    let character = file.character();
    let assets = file.assets().iter().map(
        |asset| json!({"type": asset.kind, "name": asset.name, "ext": asset.extension, "uri": asset.uri}),
    );
    json!({
        "file": path,
        "container": format!("{:?}", file.container()).to_lowercase(),
        "version": format!("{:?}", file.card().version()).to_lowercase(),
        "name": character.name,
        "nickname": character.nickname,
        "creator": character.creator,
        "character_version": character.character_version,
        "tags": character.tags,
        "description": character.description,
        "personality": character.personality,
        "scenario": character.scenario,
        "first_mes": character.first_mes,
        "alternate_greetings": character.alternate_greetings,
        "mes_example": character.mes_example,
        "creator_notes": character.creator_notes,
        "system_prompt": character.system_prompt,
        "post_history_instructions": character.post_history_instructions,
        "book_entries": book_entries(file),
        "assets": assets.collect::<Vec<_>>(),
        "warnings": file.warnings(),
    })
}

fn line(out: &mut impl Write, path: &str, file: &CardFile) -> Result<(), Failure> {
    let character = file.character();
    let count = file.warnings().len();
    let warnings = if count == 0 {
        String::new()
    } else {
        format!("  {}{count} warnings{}", style::WARN, style::WARN.render_reset())
    };
    let strong = style::STRONG;
    writeln!(
        out,
        "{strong}{:<28}{} {:?} {:<5} {:>2} greetings {:>4} entries  {path}{warnings}",
        shorten(&character.name, 28),
        strong.render_reset(),
        file.card().version(),
        format!("{:?}", file.container()).to_lowercase(),
        character.greetings().count(),
        book_entries(file),
    )?;
    Ok(())
}

fn whole(out: &mut impl Write, path: &str, file: &CardFile) -> Result<(), Failure> {
    let character = file.character();
    let (strong, dim) = (style::STRONG, style::DIM);
    let container = format!("{:?}", file.container());
    writeln!(
        out,
        "{strong}{}{}  {:?} in {container}  {dim}{path}{}",
        character.name,
        strong.render_reset(),
        file.card().version(),
        dim.render_reset()
    )?;
    for (label, text) in rows(&character, file) {
        if !text.is_empty() {
            writeln!(out, "  {dim}{label:<12}{} {text}", dim.render_reset())?;
        }
    }
    for warning in file.warnings() {
        writeln!(out, "  {}warning{} {warning}", style::WARN, style::WARN.render_reset())?;
    }
    Ok(())
}

fn rows(character: &Character, file: &CardFile) -> Vec<(&'static str, String)> {
    let entries = match book_entries(file) {
        0 => String::new(),
        count => format!("{count} entries"),
    };
    let assets: Vec<String> =
        file.assets().iter().map(|asset| format!("{} ({})", asset.file_name(), asset.kind)).collect();
    let extensions: Vec<&str> =
        file.card().extensions().into_iter().flat_map(|map| map.keys()).map(String::as_str).collect();
    vec![
        ("nickname", character.nickname.clone()),
        ("creator", character.creator.clone()),
        ("version", character.character_version.clone()),
        ("tags", character.tags.join(", ")),
        ("description", excerpt(&character.description)),
        ("personality", excerpt(&character.personality)),
        ("scenario", excerpt(&character.scenario)),
        ("greeting", excerpt(&character.first_mes)),
        ("greetings", character.greetings().count().to_string()),
        ("examples", excerpt(&character.mes_example)),
        ("system", excerpt(&character.system_prompt)),
        ("jailbreak", excerpt(&character.post_history_instructions)),
        ("depth prompt", excerpt(&character.depth_prompt.prompt)),
        ("lorebook", entries),
        ("world", character.world.clone()),
        ("assets", assets.join(", ")),
        ("extensions", extensions.join(", ")),
        ("notes", excerpt(&character.creator_notes)),
    ]
}

fn book_entries(file: &CardFile) -> usize {
    let entries = file.card().book().and_then(|book| book.get("entries"));
    entries.map_or(0, |entries| {
        entries.as_array().map_or_else(|| entries.as_object().map_or(0, |map| map.len()), Vec::len)
    })
}

/// The start of a text on one line, and how long the whole is.
fn excerpt(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = text.chars().count();
    if count <= 80 { flat } else { format!("{} ({count} characters)", shorten(&flat, 70)) }
}

fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        text.to_owned()
    } else {
        text.chars().take(width - 1).chain(['…']).collect()
    }
}

/// A counter on the terminal while a folder is read.
struct Progress {
    total: usize,
    done: usize,
    shown: bool,
}

impl Progress {
    /// Few files are read before one could look. When the list itself goes to the terminal, it is the progress.
    fn new(total: usize) -> Self {
        let shown = total > 50 && io::stderr().is_terminal() && !io::stdout().is_terminal();
        Self { total, done: 0, shown }
    }

    fn step(&mut self) {
        self.done += 1;
        if self.shown && self.done.is_multiple_of(25) {
            let filled = self.done * 30 / self.total.max(1);
            anstream::eprint!(
                "\r[{}{}] {}/{} cards",
                "█".repeat(filled),
                "░".repeat(30 - filled),
                self.done,
                self.total
            );
        }
    }

    fn clear(&self) {
        if self.shown {
            anstream::eprint!("\r{}\r", " ".repeat(70));
        }
    }
}
