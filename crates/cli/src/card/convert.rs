//! `tavern card convert`, `extract` and `embed`.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use tavernkit_formats::Limits;
use tavernkit_formats::card::{CardFile, Form, Place, PngForm};

use super::{Spec, base_picture, open, save};
use crate::failure::Failure;

#[derive(clap::Args)]
pub(crate) struct Convert {
    /// The card to read.
    card: String,
    /// The file to write; its ending decides: .json, .png or .charx.
    output: PathBuf,
    /// Which version to write.
    #[arg(long, value_enum, default_value = "same")]
    spec: Spec,
    /// The picture for a PNG; without it the card's own, or one transparent pixel.
    #[arg(long)]
    image: Option<PathBuf>,
    /// Replace the output if it exists.
    #[arg(long)]
    force: bool,
}

#[derive(clap::Args)]
pub(crate) struct Extract {
    /// The card to read.
    card: String,
    /// The folder to write to; it is made if need be.
    folder: PathBuf,
    /// Replace files that exist.
    #[arg(long)]
    force: bool,
}

#[derive(clap::Args)]
pub(crate) struct Embed {
    /// The card to read, in any container.
    card: String,
    /// The PNG picture to put it into.
    image: PathBuf,
    /// The PNG to write.
    output: PathBuf,
    /// Which version to write.
    #[arg(long, value_enum, default_value = "both")]
    spec: Spec,
    /// Replace the output if it exists.
    #[arg(long)]
    force: bool,
}

pub(crate) fn convert(arguments: &Convert) -> Result<(), Failure> {
    let (source, file) = open(&arguments.card)?;
    let limits = Limits::default();
    let ending =
        arguments.output.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    let failed =
        |error: tavernkit_formats::Error| Failure::input(format!("{}: {error}", arguments.output.display()));
    let bytes = match ending.as_str() {
        "json" => match arguments.spec {
            Spec::Same => file.write_json(Form::AsIs),
            Spec::V2 => file.write_json(Form::V2),
            Spec::V3 => file.write_json(Form::V3),
            Spec::Both => {
                return Err(Failure::input("--spec both is for PNG only; a JSON file holds one version"));
            }
        },
        "png" | "apng" => {
            let base = base_picture(arguments.image.as_ref(), &source)?;
            file.write_png(&base, png_form(arguments.spec), &limits).map_err(failed)?
        }
        "charx" if matches!(arguments.spec, Spec::Same | Spec::V3) => {
            file.write_charx(Some(&source), &limits).map_err(failed)?
        }
        "charx" => return Err(Failure::input("a CHARX file holds a V3 card; leave --spec out or say v3")),
        _ => {
            let message = format!("{}: the ending must be .json, .png or .charx", arguments.output.display());
            return Err(Failure::input(message));
        }
    };
    save(&arguments.output, &bytes, arguments.force)?;
    warn(&file);
    Ok(())
}

pub(crate) fn embed(arguments: &Embed) -> Result<(), Failure> {
    let (source, file) = open(&arguments.card)?;
    let base = base_picture(Some(&arguments.image), &source)?;
    let bytes = file
        .write_png(&base, png_form(arguments.spec), &Limits::default())
        .map_err(|error| Failure::input(format!("{}: {error}", arguments.image.display())))?;
    save(&arguments.output, &bytes, arguments.force)?;
    warn(&file);
    Ok(())
}

pub(crate) fn extract(arguments: &Extract) -> Result<(), Failure> {
    let (source, file) = open(&arguments.card)?;
    fs::create_dir_all(&arguments.folder)
        .map_err(|error| Failure::input(format!("{}: {error}", arguments.folder.display())))?;
    let mut out = anstream::stdout().lock();
    let mut written = HashSet::from(["card.json".to_owned()]);
    let card = arguments.folder.join("card.json");
    save(&card, &file.write_json(Form::AsIs), arguments.force)?;
    writeln!(out, "{}", card.display())?;
    for asset in file.assets().iter().filter(|asset| !matches!(asset.place, Place::Remote | Place::Missing)) {
        let bytes = match file.asset_bytes(asset, &source, &Limits::default()) {
            Ok(bytes) => bytes,
            Err(error) => {
                anstream::eprintln!("warning: {error}");
                continue;
            }
        };
        let path = arguments.folder.join(unique(asset.file_name(), &mut written));
        save(&path, &bytes, arguments.force)?;
        writeln!(out, "{}", path.display())?;
    }
    warn(&file);
    Ok(())
}

/// A name that no file of this card has yet. Letter case does not tell files apart everywhere.
fn unique(name: String, written: &mut HashSet<String>) -> String {
    let mut candidate = name.clone();
    let mut number = 2;
    while !written.insert(candidate.to_lowercase()) {
        let path = Path::new(&name);
        let stem = path.file_stem().map_or_else(|| name.clone(), |stem| stem.to_string_lossy().into_owned());
        let ending =
            path.extension().map_or_else(String::new, |ending| format!(".{}", ending.to_string_lossy()));
        candidate = format!("{stem} {number}{ending}");
        number += 1;
    }
    candidate
}

fn png_form(spec: Spec) -> PngForm {
    match spec {
        Spec::Same => PngForm::AsRead,
        Spec::V2 => PngForm::V2,
        Spec::V3 => PngForm::V3,
        Spec::Both => PngForm::Both,
    }
}

fn warn(file: &CardFile) {
    for warning in file.warnings() {
        anstream::eprintln!("warning: {warning}");
    }
}
