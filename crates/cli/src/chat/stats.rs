//! `tavern chat stats`. SillyTavern's chats are read message by message, so their size does not matter.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};

use serde::Serialize;
use tavernkit_core::{TokenCounter, Warning};
use tavernkit_formats::Limits;
use tavernkit_formats::chat::{ChatMessage, ChatReader, Line, Party};
use tavernkit_tokens::Tokenizers;

use crate::failure::Failure;
use crate::{notes, style};

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: super::Source,
    /// Count tokens as this model does.
    #[arg(long)]
    model: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Default, Serialize)]
struct Stats {
    messages: usize,
    user: usize,
    character: usize,
    narrator: usize,
    hidden: usize,
    swipes: usize,
    tool_calls: usize,
    attachments: usize,
    characters: usize,
    tokens: Option<usize>,
    first: Option<String>,
    last: Option<String>,
    speakers: BTreeMap<String, usize>,
    warnings: Vec<Warning>,
}

impl Stats {
    fn add(&mut self, message: &ChatMessage, counter: Option<&dyn TokenCounter>) {
        self.messages += 1;
        if message.is_hidden() {
            self.hidden += 1;
        } else if message.is_narrator() {
            self.narrator += 1;
        } else if message.is_user {
            self.user += 1;
        } else {
            self.character += 1;
        }
        self.swipes += message.swipes.len().saturating_sub(1);
        self.tool_calls += message.extra.tool_invocations.len();
        self.attachments += message.extra.media.len() + message.extra.files.len();
        self.characters += message.text.chars().count();
        if let Some(counter) = counter {
            *self.tokens.get_or_insert(0) += counter.count(&message.text);
        }
        if let Some(date) = &message.send_date {
            let date = date.to_string();
            self.first.get_or_insert_with(|| date.clone());
            self.last = Some(date);
        }
        *self.speakers.entry(message.name.clone()).or_default() += 1;
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let counter = arguments.model.as_deref().map(|model| Tokenizers::new().for_model(model).into_counter());
    let counter = counter.as_ref().map(|counter| counter as &dyn TokenCounter);
    let mut stats = Stats::default();
    let file = &arguments.source.file;
    match stream(file)? {
        Some(input) => {
            let mut reader = ChatReader::new(input, Party::Unknown, Limits::default()).forgetting_lines();
            let fault = |error: tavernkit_formats::Error| Failure::input(format!("{file}: {error}"));
            while let Some(line) = reader.next_line().map_err(fault)? {
                if let Line::Message(message) = line {
                    stats.add(&message, counter);
                }
            }
            stats.warnings = reader.into_warnings();
        }
        None => {
            let (chat, warnings) = arguments.source.open()?;
            chat.messages.iter().for_each(|message| stats.add(message, counter));
            stats.warnings = warnings;
        }
    }
    let mut out = anstream::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", serde_json::json!(stats))?;
        return Ok(());
    }
    print(&stats, &mut out)?;
    notes::warnings(file, &stats.warnings)
}

/// The file line by line, if it is one of lines: named so, and not a single JSON value.
fn stream(file: &str) -> Result<Option<impl BufRead>, Failure> {
    if !file.to_lowercase().ends_with(".jsonl") {
        return Ok(None);
    }
    let input = File::open(file).map_err(|error| Failure::input(format!("{file}: {error}")))?;
    Ok(Some(BufReader::with_capacity(1 << 16, input)))
}

fn print(stats: &Stats, out: &mut impl Write) -> Result<(), Failure> {
    let strong = style::STRONG;
    writeln!(out, "{strong}{} messages{strong:#}, {} characters", stats.messages, stats.characters)?;
    if let Some(tokens) = stats.tokens {
        writeln!(out, "{tokens:>8}  tokens")?;
    }
    for (count, what) in [
        (stats.user, "by the user"),
        (stats.character, "by characters"),
        (stats.narrator, "by the narrator"),
        (stats.hidden, "hidden from prompts"),
        (stats.swipes, "other swipes"),
        (stats.tool_calls, "tool calls"),
        (stats.attachments, "attachments"),
    ] {
        if count > 0 {
            writeln!(out, "{count:>8}  {what}")?;
        }
    }
    for (name, count) in &stats.speakers {
        writeln!(out, "{count:>8}  {name}")?;
    }
    if let (Some(first), Some(last)) = (&stats.first, &stats.last) {
        writeln!(out, "from {first} to {last}")?;
    }
    Ok(())
}
