//! `tavern lore convert`.

use clap::ValueEnum;
use tavernkit_formats::json;

use crate::failure::Failure;
use crate::notes;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// A SillyTavern world file.
    World,
    /// The `character_book` of a card.
    Book,
}

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A lorebook of any format, or a card; `-` is standard input.
    file: String,
    /// What to write.
    #[arg(long, value_enum)]
    to: Target,
    /// The file to write; else standard output.
    #[arg(short, long)]
    output: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (book, warnings) = super::open(&arguments.file)?;
    notes::warnings(&arguments.file, &warnings)?;
    let written = match arguments.to {
        Target::World => book.to_world(),
        Target::Book => book.to_character_book(),
    };
    notes::warnings(&arguments.file, &written.warnings)?;
    // Four spaces, as SillyTavern writes its worlds.
    notes::write(arguments.output.as_deref(), json::indented(&written.value, 4).as_bytes())
}
