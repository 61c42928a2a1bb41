//! Chats: whatever the lines are, reading ends, and what was read is written back byte for byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkit_formats::Limits;
use tavernkit_formats::chat::{ChatReader, Line, Party};

fuzz_target!(|data: &[u8]| {
    for party in [Party::Solo, Party::Group, Party::Unknown] {
        let mut reader = ChatReader::new(data, party, Limits::default());
        let mut lines = Vec::new();
        while let Ok(Some(line)) = reader.next_line() {
            if let Line::Message(message) = &line {
                assert!(message.to_line().len() >= 2);
            }
            lines.push(line.to_text());
        }
        // Only clean text can come back as it was: other bytes were replaced, with a warning.
        if let (Ok(text), true) = (std::str::from_utf8(data), reader.warnings().is_empty()) {
            assert_eq!(lines.join("\n"), text.strip_suffix('\n').unwrap_or(text));
        }
    }
});
