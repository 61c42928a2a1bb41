//! `tavern card`: look at cards, check them, and move them between containers.

mod convert;
mod show;
mod validate;

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::{Args, Subcommand, ValueEnum};
use tavernkit_formats::card::{self, CardFile};
use tavernkit_formats::{Limits, png::Png};

use crate::failure::Failure;
use crate::files;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show what cards hold: of files, or of every card in a folder.
    Show(show::Arguments),
    /// Check cards against their specification, field by field.
    Validate(validate::Arguments),
    /// Write a card in another version or container.
    Convert(convert::Convert),
    /// Take a card's JSON and its assets out into a folder.
    Extract(convert::Extract),
    /// Put a card into a picture.
    Embed(convert::Embed),
}

/// Which version of the specification to write.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Spec {
    /// The version the card has.
    Same,
    /// Character Card V2.
    V2,
    /// Character Card V3.
    V3,
    /// V2 and V3 side by side, which every program can read (PNG only).
    Both,
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    match arguments.command {
        Command::Show(arguments) => show::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
        Command::Convert(arguments) => convert::convert(&arguments),
        Command::Extract(arguments) => convert::extract(&arguments),
        Command::Embed(arguments) => convert::embed(&arguments),
    }
}

/// The bytes of a file and the card in them.
fn open(path: &str) -> Result<(Vec<u8>, CardFile), Failure> {
    let bytes = files::bytes(path)?;
    let file = card::read(&bytes, Some(path), &Limits::default())
        .map_err(|error| Failure::input(format!("{path}: {error}")))?;
    Ok((bytes, file))
}

/// The files that are named, and those in folders that are named, sorted, without those that cannot be cards.
fn cards_in(paths: &[String]) -> Result<Vec<String>, Failure> {
    const ENDINGS: [&str; 10] =
        ["png", "apng", "json", "charx", "byaf", "yaml", "yml", "webp", "jpg", "jpeg"];
    let mut found = Vec::new();
    for path in paths {
        if !Path::new(path).is_dir() {
            found.push(path.clone());
            continue;
        }
        let unreadable = |error: io::Error| Failure::input(format!("{path}: {error}"));
        let entries = fs::read_dir(path).map_err(unreadable)?;
        let mut inside = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(unreadable)?;
        inside.retain(|path| {
            let ending =
                path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
            ENDINGS.contains(&ending.as_str()) && path.is_file()
        });
        inside.sort();
        found.extend(inside.into_iter().map(|path| path.to_string_lossy().into_owned()));
    }
    Ok(found)
}

/// Writes a file, but never over another one unasked.
fn save(path: &Path, bytes: &[u8], force: bool) -> Result<(), Failure> {
    if path.exists() && !force {
        return Err(Failure::input(format!(
            "{}: the file exists; give --force to replace it",
            path.display()
        )));
    }
    fs::write(path, bytes).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

/// The picture to write into: the one named, the card's own if that is a PNG, else one transparent pixel.
fn base_picture(image: Option<&PathBuf>, own: &[u8]) -> Result<Vec<u8>, Failure> {
    match image {
        Some(path) => files::bytes(&path.to_string_lossy()),
        None if Png::is_png(own) => Ok(own.to_vec()),
        None => Ok(Png::smallest()),
    }
}
