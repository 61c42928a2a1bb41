//! `tavern lore show`.

use std::io::Write;

use serde_json::{Value, json};
use tavernkit_core::TokenCounter;
use tavernkit_formats::lorebook::{LoreEntry, Lorebook, Position};

use crate::failure::Failure;
use crate::{notes, style};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A lorebook or a card; `-` is standard input.
    file: String,
    /// Count tokens as this model does.
    #[arg(long, default_value = "gpt-4o")]
    model: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (book, warnings) = super::open(&arguments.file)?;
    let counter = super::counter(&arguments.model);
    let mut out = anstream::stdout().lock();
    if arguments.json {
        let entries: Vec<Value> = book.entries.iter().map(|entry| to_json(entry, &counter)).collect();
        let format = format!("{:?}", book.format());
        writeln!(
            out,
            "{}",
            json!({"name": book.name, "format": format, "entries": entries, "warnings": warnings})
        )?;
        return Ok(());
    }
    print(&book, &counter, &mut out)?;
    notes::warnings(&arguments.file, &warnings)
}

fn to_json(entry: &LoreEntry, counter: &impl TokenCounter) -> Value {
    json!({
        "uid": entry.id().to_string(), "label": entry.label(), "tokens": counter.count(&entry.content), "entry": entry
    })
}

fn print(book: &Lorebook, counter: &impl TokenCounter, out: &mut impl Write) -> Result<(), Failure> {
    let (strong, dim) = (style::STRONG, style::DIM);
    let name = book.name.as_deref().unwrap_or("Lorebook");
    let total: usize = book.entries.iter().map(|entry| counter.count(&entry.content)).sum();
    writeln!(
        out,
        "{strong}{name}{strong:#}: {} entries, {total} tokens {dim}({:?}, {}){dim:#}",
        book.entries.len(),
        book.format(),
        counter.id()
    )?;
    for entry in &book.entries {
        let state = match (entry.disable, entry.constant) {
            (true, _) => "off",
            (false, true) => "always",
            (false, false) => "keys",
        };
        let place = place(entry);
        writeln!(
            out,
            "{dim}{:>5}{dim:#}  {strong}{}{strong:#}  {state}, {place}, order {}, {} tokens",
            entry.id().to_string(),
            entry.label(),
            entry.order,
            counter.count(&entry.content)
        )?;
        if !entry.key.is_empty() && !entry.constant {
            writeln!(out, "       {dim}{}{dim:#}", keys(entry))?;
        }
    }
    Ok(())
}

fn keys(entry: &LoreEntry) -> String {
    let mut text = entry.key.join(", ");
    if entry.selective && !entry.keysecondary.is_empty() {
        text.push_str(&format!("  {:?} {}", entry.logic, entry.keysecondary.join(", ")));
    }
    text
}

fn place(entry: &LoreEntry) -> String {
    match &entry.position {
        Position::Before => "before the character".into(),
        Position::After => "after the character".into(),
        Position::NoteTop => "above the note".into(),
        Position::NoteBottom => "below the note".into(),
        Position::AtDepth => match entry.depth {
            Some(depth) => format!("at depth {depth}"),
            None => "at depth null".into(),
        },
        Position::ExamplesTop => "above the examples".into(),
        Position::ExamplesBottom => "below the examples".into(),
        Position::Outlet => format!("outlet {:?}", entry.outlet_name),
        Position::Other(value) => format!("unknown position {value}"),
    }
}
