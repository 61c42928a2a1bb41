//! `tavern regex test`.

use std::io::Write;

use clap::Subcommand;
use serde_json::{Value, json};
use tavernkit_js::regex::{Fuel, Match, Regex, RegexError};

use crate::failure::Failure;
use crate::{files, style};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show what a JavaScript regular expression matches, and what that costs.
    Test(Test),
}

#[derive(clap::Args)]
struct Test {
    /// The pattern, bare or as `/pattern/flags`.
    pattern: String,
    /// A file to search; `-` or nothing reads standard input.
    file: Option<String>,
    /// JavaScript's flags, such as `gi`.
    #[arg(long, default_value = "")]
    flags: String,
    /// Search this text instead of a file.
    #[arg(long, conflicts_with = "file")]
    text: Option<String>,
    /// Show the text with the matches replaced, by JavaScript's rules (`$1`, `$<name>`, `$&`).
    #[arg(long)]
    replace: Option<String>,
    /// Give up after this many steps.
    #[arg(long, value_name = "STEPS")]
    fuel: Option<u64>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let Command::Test(test) = arguments.command;
    let regex = compile(&test)
        .map_err(|error| Failure::at("pattern", &test.pattern, place(&test, &error), error.message()))?;
    let text = match &test.text {
        Some(text) => text.clone(),
        None => files::text(test.file.as_deref().unwrap_or("-"))?,
    };
    let given = test.fuel.map_or_else(Fuel::default, Fuel::new);
    let mut fuel = given;
    let found = regex.find_all(&text, &mut fuel);
    let steps = given.remaining() - fuel.remaining();
    let exhausted = found.is_err();
    let found = found.unwrap_or_default();
    let replaced =
        test.replace.as_ref().and_then(|replacement| regex.replace(&text, replacement, &mut { given }).ok());
    let mut out = anstream::stdout().lock();
    if test.json {
        let matches: Vec<Value> = found.iter().map(|m| to_json(&regex, m)).collect();
        writeln!(
            out,
            "{}",
            json!({"matches": matches, "steps": steps, "exhausted": exhausted, "replaced": replaced})
        )?;
    } else {
        print(&regex, &found, &mut out)?;
        if let Some(replaced) = &replaced {
            writeln!(out, "{replaced}")?;
        }
        writeln!(
            anstream::stderr(),
            "{}{} matches, {steps} steps{}",
            style::DIM,
            found.len(),
            style::DIM.render_reset()
        )?;
    }
    if exhausted {
        return Err(Failure::input(format!(
            "gave up after {steps} steps: the pattern backtracks too much on this text; this is not \"no match\""
        )));
    }
    Ok(())
}

fn compile(test: &Test) -> Result<Regex, RegexError> {
    if test.flags.is_empty() && is_literal(&test.pattern) {
        Regex::from_literal(&test.pattern)
    } else {
        Regex::new(&test.pattern, &test.flags)
    }
}

fn is_literal(pattern: &str) -> bool {
    pattern.len() > 2 && pattern.starts_with('/') && pattern[1..].contains('/')
}

/// Where in the pattern the error is; a literal's offset does not count the first slash.
fn place(test: &Test, error: &RegexError) -> Option<(usize, usize)> {
    let slash = usize::from(test.flags.is_empty() && is_literal(&test.pattern));
    let column = test.pattern.get(..error.offset()).map_or(error.offset(), |before| before.chars().count());
    Some((1, column + slash + 1))
}

fn to_json(regex: &Regex, hit: &Match<'_>) -> Value {
    let groups: Vec<_> = (1..hit.group_len()).map(|i| hit.group_text(i)).collect();
    let named: serde_json::Map<String, Value> =
        regex.group_names().map(|(name, _)| (name.to_owned(), json!(hit.name_text(name)))).collect();
    json!({"start": hit.start(), "end": hit.end(), "text": hit.text(), "groups": groups, "named": named})
}

fn print(regex: &Regex, matches: &[Match<'_>], out: &mut impl Write) -> std::io::Result<()> {
    let (strong, dim) = (style::STRONG, style::DIM);
    for hit in matches {
        writeln!(out, "{dim}{:>6}..{:<6}{dim:#} {strong}{:?}{strong:#}", hit.start(), hit.end(), hit.text())?;
        for index in 1..hit.group_len() {
            let name = regex
                .group_names()
                .find(|(_, indices)| indices.contains(&(index as u32)))
                .map(|(name, _)| name);
            let label = name.map_or_else(|| format!("${index}"), |name| format!("${index} <{name}>"));
            match hit.group_text(index) {
                Some(text) => writeln!(out, "               {dim}{label}{dim:#} {text:?}")?,
                None => writeln!(out, "               {dim}{label} unset{dim:#}")?,
            }
        }
    }
    Ok(())
}
