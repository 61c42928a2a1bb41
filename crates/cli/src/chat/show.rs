//! `tavern chat show`.

use std::io::Write;

use serde_json::json;
use tavernkit_core::Role;
use tavernkit_formats::chat::{Chat, ChatMessage};

use crate::failure::Failure;
use crate::{notes, style};

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: super::Source,
    /// Only the last messages.
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// Also what is hidden from prompts.
    #[arg(long)]
    hidden: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (chat, warnings) = arguments.source.open()?;
    let numbered = chat.messages.iter().enumerate();
    let mut shown: Vec<(usize, &ChatMessage)> =
        numbered.filter(|(_, message)| arguments.hidden || !message.is_hidden()).collect();
    if let Some(last) = arguments.last {
        shown.drain(..shown.len().saturating_sub(last));
    }
    let mut out = anstream::stdout().lock();
    if arguments.json {
        let messages: Vec<_> = shown.iter().map(|(_, message)| message).collect();
        writeln!(out, "{}", json!({"header": chat.header, "messages": messages, "warnings": warnings}))?;
        return Ok(());
    }
    print_head(&chat, &mut out)?;
    for (number, message) in shown {
        print(number, message, &mut out)?;
    }
    notes::warnings(&arguments.source.file, &warnings)
}

/// What the chat brings into prompts beside its messages.
fn print_head(chat: &Chat, out: &mut impl Write) -> Result<(), Failure> {
    let dim = style::DIM;
    let metadata = chat.metadata();
    let mut lines = Vec::new();
    lines.extend(
        metadata.note_prompt.filter(|note| !note.is_empty()).map(|note| format!("author's note: {note}")),
    );
    lines.extend(metadata.world_info.map(|book| format!("lorebook: {book}")));
    lines.extend(metadata.persona.map(|persona| format!("persona: {persona}")));
    lines.extend(metadata.scenario.filter(|text| !text.is_empty()).map(|text| format!("scenario: {text}")));
    if !metadata.variables.is_empty() {
        lines.push(format!("variables: {}", json!(metadata.variables)));
    }
    for line in lines {
        writeln!(out, "{dim}{line}{dim:#}")?;
    }
    Ok(())
}

fn print(number: usize, message: &ChatMessage, out: &mut impl Write) -> Result<(), Failure> {
    let dim = style::DIM;
    let role = if message.is_narrator() {
        Role::System
    } else if message.is_user {
        Role::User
    } else {
        Role::Assistant
    };
    let style = style::role(&role);
    let mut marks = Vec::new();
    if message.is_hidden() {
        marks.push("hidden".to_owned());
    }
    if message.swipes.len() > 1 {
        let id = message.swipe_id.map_or_else(|| "?".to_owned(), |id| (id + 1.0).to_string());
        marks.push(format!("swipe {id} of {}", message.swipes.len()));
    }
    for (count, what) in [
        (message.extra.media.len(), "media"),
        (message.extra.files.len(), "files"),
        (message.extra.tool_invocations.len(), "tool calls"),
    ] {
        if count > 0 {
            marks.push(format!("{count} {what}"));
        }
    }
    writeln!(out, "{dim}#{number}{dim:#} {style}{}{style:#} {dim}{}{dim:#}", message.name, marks.join(", "))?;
    writeln!(out, "{}\n", message.text)?;
    Ok(())
}
