//! Walks through a chat of any size, one message in memory at a time: `cargo run --example chat_stream -- chat.jsonl`.

use std::fs::File;
use std::io::BufReader;

use tavernkit_formats::Limits;
use tavernkit_formats::chat::{ChatReader, Line, Party};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a chat file")?;
    let input = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut reader = ChatReader::new(input, Party::Unknown, Limits::default()).forgetting_lines();
    let (mut messages, mut characters) = (0u64, 0usize);
    while let Some(line) = reader.next_line()? {
        if let Line::Message(message) = line {
            messages += 1;
            characters += message.text.chars().count();
        }
    }
    println!("{messages} messages, {characters} characters, {} warnings", reader.warnings().len());
    Ok(())
}
