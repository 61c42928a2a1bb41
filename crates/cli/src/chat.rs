//! `tavern chat`: look at chats, convert them, and measure them.

mod convert;
mod show;
mod stats;

use clap::{Args, Subcommand};
use tavernkit_core::Warning;
use tavernkit_formats::Limits;
use tavernkit_formats::chat::{Chat, Names};

use crate::failure::Failure;
use crate::files;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the messages of a chat.
    Show(show::Arguments),
    /// Write a chat of any format as SillyTavern's, as plain messages, or as text.
    Convert(convert::Arguments),
    /// Count messages, swipes, characters and tokens.
    Stats(stats::Arguments),
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    match arguments.command {
        Command::Show(arguments) => show::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
    }
}

/// Which file, and which of the chats in it.
#[derive(Args)]
struct Source {
    /// A chat of any known format; `-` is standard input.
    file: String,
    /// Which chat, counted from 1, where a file holds several.
    #[arg(long, value_name = "N")]
    pick: Option<usize>,
    /// The user's name, where the file has none.
    #[arg(long)]
    user: Option<String>,
    /// The character's name, where the file has none.
    #[arg(long)]
    character: Option<String>,
}

impl Source {
    fn open(&self) -> Result<(Chat, Vec<Warning>), Failure> {
        let names = Names { user: self.user.clone(), character: self.character.clone() };
        let read = Chat::import(&files::bytes(&self.file)?, &names, &Limits::default())
            .map_err(|error| Failure::input(format!("{}: {error}", self.file)))?;
        let count = read.value.len();
        let index = match self.pick {
            None if count > 1 => {
                let message = format!("{}: the file holds {count} chats; choose one with --pick", self.file);
                return Err(Failure::input(message));
            }
            pick => pick.unwrap_or(1),
        };
        let chat = index.checked_sub(1).and_then(|index| read.value.into_iter().nth(index));
        match chat {
            Some(chat) => Ok((chat, read.warnings)),
            None => Err(Failure::input(format!(
                "{}: there is no chat {index}; the file holds {count}",
                self.file
            ))),
        }
    }
}
