//! The `tavern` command. It parses arguments, reads files and prints; prompt logic lives in the engine.

mod build;
mod card;
mod chat;
mod conform;
mod disk;
mod explain;
mod failure;
mod files;
mod import;
mod lore;
mod macros;
mod notes;
mod regex;
mod schema;
mod style;
mod tokens;

use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

/// Build the prompts of character chat, and see why they are what they are.
#[derive(Parser)]
#[command(name = "tavern", version, propagate_version = true, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 all is well, 1 the input is at fault, 2 wrong usage, 3 a bug of ours.\n\
                        Colours appear on a terminal only; NO_COLOR turns them off."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the prompt of a scene.
    Build(build::Arguments),
    /// Show, check and convert character cards.
    Card(card::Arguments),
    /// Say of every lorebook entry of a scene why it fired or did not.
    Explain(explain::Arguments),
    /// Expand SillyTavern's macros in a text.
    Macro(macros::Arguments),
    /// Show, convert and measure chats.
    Chat(chat::Arguments),
    /// Show, check and convert lorebooks.
    Lore(lore::Arguments),
    /// Look through a SillyTavern data folder: what is in it, and what of it is broken.
    Import(import::Arguments),
    /// Count the tokens of a text.
    Tokens(tokens::Arguments),
    /// Try JavaScript regular expressions, with a limit.
    Regex(regex::Arguments),
    /// Print the JSON Schema of a scene or of a result.
    Schema(schema::Arguments),
    /// Run cases recorded from the real programs and count what agrees.
    Conform(conform::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // A panic has printed where it happened; it is a bug of ours whatever the input was.
    let outcome = catch_unwind(|| run(arguments))
        .unwrap_or_else(|_| Err(Failure::bug("the command stopped in the middle of its work")));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    match arguments.command {
        Command::Build(arguments) => build::run(arguments),
        Command::Card(arguments) => card::run(arguments),
        Command::Chat(arguments) => chat::run(arguments),
        Command::Lore(arguments) => lore::run(arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::Tokens(arguments) => tokens::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Macro(arguments) => macros::run(arguments),
        Command::Regex(arguments) => regex::run(arguments),
        Command::Schema(arguments) => schema::run(arguments),
        Command::Conform(arguments) => conform::run(arguments),
    }
}
