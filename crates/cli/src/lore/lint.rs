//! `tavern lore lint`.

use std::io::Write;

use serde_json::json;
use tavernkit_core::TokenCounter;
use tavernkit_formats::lorebook::lint::{Finding, Options, Severity, lint};

use crate::failure::Failure;
use crate::{notes, style};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Lorebooks or cards; `-` is standard input.
    #[arg(required = true)]
    files: Vec<String>,
    /// Tokens for all lore together; entries are weighed against it.
    #[arg(long)]
    budget: Option<usize>,
    /// Count tokens as this model does.
    #[arg(long, default_value = "gpt-4o")]
    model: String,
    /// Keys also match inside words, where an entry does not say.
    #[arg(long)]
    partial_words: bool,
    /// Entries do not activate each other.
    #[arg(long)]
    no_recursion: bool,
    /// Leave out hints.
    #[arg(long)]
    quiet: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let counter = super::counter(&arguments.model);
    let count = |text: &str| counter.count(text);
    let options = Options {
        match_whole_words: !arguments.partial_words,
        recursive: !arguments.no_recursion,
        budget: arguments.budget,
        count: Some(&count),
        ..Options::default()
    };
    let mut out = anstream::stdout().lock();
    let mut reports = Vec::new();
    let mut failed = false;
    for file in &arguments.files {
        let (book, warnings) = super::open(file)?;
        let mut findings = lint(&book, &options);
        findings.retain(|finding| !arguments.quiet || finding.severity > Severity::Hint);
        failed |= findings.iter().any(|finding| finding.severity == Severity::Error);
        if arguments.json {
            reports.push(json!({"file": file, "entries": book.entries.len(), "findings": findings, "warnings": warnings}));
            continue;
        }
        for finding in &findings {
            print(file, finding, &mut out)?;
        }
        notes::warnings(file, &warnings)?;
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
        writeln!(
            out,
            "{file}: {} entries, {} findings, {errors} of them errors",
            book.entries.len(),
            findings.len()
        )?;
    }
    if arguments.json {
        writeln!(out, "{}", json!(reports))?;
    }
    if failed { Err(Failure::Reported) } else { Ok(()) }
}

fn print(file: &str, finding: &Finding, out: &mut impl Write) -> Result<(), Failure> {
    let (style, word) = match finding.severity {
        Severity::Error => (style::BAD, "error"),
        Severity::Warning => (style::WARN, "warning"),
        Severity::Hint => (style::DIM, "hint"),
    };
    let entry = match (&finding.entry, &finding.label) {
        (Some(id), Some(label)) => format!("{label} (#{id})"),
        _ => file.to_owned(),
    };
    let subject = finding.subject.as_deref().filter(|subject| !subject.is_empty());
    let subject = subject.map_or_else(String::new, |subject| format!(" `{subject}`"));
    writeln!(out, "{style}{word}{style:#}: {entry}{subject}: {}", finding.message)?;
    Ok(())
}
