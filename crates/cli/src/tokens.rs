//! `tavern tokens`.

use std::io::Write;

use serde_json::json;
use tavernkit_core::{Exactness, TokenCounter};
use tavernkit_tokens::Tokenizers;

use crate::failure::Failure;
use crate::{files, style};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files to count; `-` or nothing reads standard input.
    files: Vec<String>,
    /// Count this text instead of files.
    #[arg(long, conflicts_with = "files")]
    text: Option<String>,
    /// Use the tokenizer of this model.
    #[arg(long, default_value = "gpt-4o")]
    model: String,
    /// Use this tokenizer, whatever the model.
    #[arg(long, conflicts_with = "model")]
    tokenizer: Option<String>,
    /// List the tokenizers.
    #[arg(long)]
    list: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    let tokenizers = Tokenizers::new();
    if arguments.list {
        for id in tokenizers.ids() {
            writeln!(out, "{id}")?;
        }
        return Ok(());
    }
    let (counter, why) = match &arguments.tokenizer {
        Some(id) => (tokenizers.by_id(id).map_err(|error| Failure::input(error.to_string()))?, None),
        None => {
            let chosen = tokenizers.for_model(&arguments.model);
            let why = chosen.why().to_owned();
            (chosen.into_counter(), Some(why))
        }
    };
    let texts = match arguments.text {
        Some(text) => vec![("text".to_owned(), text)],
        None if arguments.files.is_empty() => vec![("-".to_owned(), files::text("-")?)],
        None => arguments
            .files
            .into_iter()
            .map(|file| files::text(&file).map(|text| (file, text)))
            .collect::<Result<_, _>>()?,
    };
    let counts: Vec<_> = texts.iter().map(|(name, text)| (name, counter.count(text))).collect();
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    if arguments.json {
        let files: Vec<_> =
            counts.iter().map(|(name, count)| json!({"name": name, "tokens": count})).collect();
        let report = json!({"tokenizer": counter.id(), "exactness": counter.exactness(), "why": why, "total": total, "files": files});
        writeln!(out, "{report}")?;
        return Ok(());
    }
    for (name, count) in &counts {
        writeln!(out, "{count:>8}  {name}")?;
    }
    if counts.len() > 1 {
        writeln!(out, "{total:>8}  total")?;
    }
    let label = match counter.exactness() {
        Exactness::Exact => "exact",
        Exactness::Estimate => "estimate",
    };
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    writeln!(
        anstream::stderr(),
        "{}{} ({label}){why}{}",
        style::DIM,
        counter.id(),
        style::DIM.render_reset()
    )?;
    Ok(())
}
