//! `tavern chat convert`.

use clap::ValueEnum;
use tavernkit_formats::json;

use crate::failure::Failure;
use crate::notes;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// SillyTavern's JSONL.
    Jsonl,
    /// A list of messages with roles, as chat-completion APIs take it.
    Openai,
    /// Plain text for people.
    Text,
}

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: super::Source,
    /// What to write.
    #[arg(long, value_enum)]
    to: Target,
    /// The file to write; else standard output.
    #[arg(short, long)]
    output: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (chat, warnings) = arguments.source.open()?;
    notes::warnings(&arguments.source.file, &warnings)?;
    let text = match arguments.to {
        Target::Jsonl => chat.to_jsonl(),
        Target::Openai => json::indented(&chat.to_openai(), 2),
        Target::Text => chat.to_text(),
    };
    notes::write(arguments.output.as_deref(), text.as_bytes())
}
