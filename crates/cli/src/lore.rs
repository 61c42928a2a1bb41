//! `tavern lore`: look at lorebooks, find what cannot work in them, and convert them.

mod convert;
mod lint;
mod show;

use clap::{Args, Subcommand};
use tavernkit_core::{TokenCounter, Warning};
use tavernkit_formats::detect::{Detected, detect};
use tavernkit_formats::lorebook::Lorebook;
use tavernkit_formats::{Limits, card, json};
use tavernkit_tokens::Tokenizers;

use crate::failure::Failure;
use crate::files;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the entries of a lorebook, or of the book in a card.
    Show(show::Arguments),
    /// Find keys that never match, entries that never fire, texts that go nowhere.
    Lint(lint::Arguments),
    /// Write a lorebook as a SillyTavern world or as a card's book.
    Convert(convert::Arguments),
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    match arguments.command {
        Command::Show(arguments) => show::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
    }
}

/// Reads a lorebook file, or the book inside a card.
fn open(path: &str) -> Result<(Lorebook, Vec<Warning>), Failure> {
    let bytes = files::bytes(path)?;
    let limits = Limits::default();
    let fault = |error: tavernkit_formats::Error| Failure::input(format!("{path}: {error}"));
    if !matches!(detect(&bytes, Some(path), &limits), Some(Detected::Card(_))) {
        let read = Lorebook::parse(&bytes, &limits).map_err(fault)?;
        return Ok((read.value, read.warnings));
    }
    let file = card::read(&bytes, Some(path), &limits).map_err(fault)?;
    let mut warnings = file.warnings().to_vec();
    let Some(book) = file.card().book().and_then(|book| book.as_object()) else {
        return Err(Failure::input(format!("{path}: the card has no lorebook in it")));
    };
    let at = json::Path::Root.key("character_book");
    let book = Lorebook::from_character_book(book.clone(), &at, &mut warnings).map_err(fault)?;
    Ok((book, warnings))
}

fn counter(model: &str) -> impl TokenCounter {
    Tokenizers::new().for_model(model).into_counter()
}
