//! Chat files line by line: constant memory per message, whatever the size of the chat.

use std::io::{BufRead, Write};

use serde_json::Value;
use tavernkit_core::Warning;

use super::header::ChatHeader;
use super::message::ChatMessage;
use crate::json::{self, Path};
use crate::record::Object;
use crate::{Error, ErrorKind, Limits, Result};

/// Who takes part, which decides how the first line is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Party {
    /// One character: SillyTavern always takes the first line for the header.
    Solo,
    /// A group: the first line is the header only if it has `chat_metadata`.
    Group,
    /// Not known: the first line is the header if it looks like one.
    #[default]
    Unknown,
}

/// One line of a chat file.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// The first line.
    Header(Box<ChatHeader>),
    /// A message.
    Message(Box<ChatMessage>),
    /// A line that is no JSON object. SillyTavern drops it; we keep it.
    Broken(String),
    /// An empty line.
    Blank(String),
}

impl Line {
    /// The line as text, as it was read if nothing changed.
    pub fn to_text(&self) -> String {
        match self {
            Self::Header(header) => header.to_line(),
            Self::Message(message) => message.to_line(),
            Self::Broken(text) | Self::Blank(text) => text.clone(),
        }
    }
}

/// Reads a chat file line by line.
///
/// ```
/// use tavernkit_formats::{Limits, chat::{ChatReader, Line, Party}};
///
/// let file = "{\"chat_metadata\":{}}\n{\"name\":\"Ilse\",\"is_user\":true,\"mes\":\"Hello\"}\n{oops";
/// let mut reader = ChatReader::new(file.as_bytes(), Party::Solo, Limits::default());
/// let mut texts = Vec::new();
/// while let Some(line) = reader.next_line()? {
///     if let Line::Message(message) = line {
///         texts.push(message.text);
///     }
/// }
/// assert_eq!(texts, ["Hello"]);
/// assert_eq!(reader.warnings()[0].at.as_deref(), Some("line 3"));
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
pub struct ChatReader<R> {
    input: R,
    party: Party,
    limits: Limits,
    /// Number of the last line read, from 1.
    number: usize,
    seen_object: bool,
    ended_with_newline: bool,
    keep_lines: bool,
    warnings: Vec<Warning>,
    counts: Vec<(String, usize)>,
}

impl<R: BufRead> ChatReader<R> {
    /// Reads from `input`, which should be buffered well.
    pub fn new(input: R, party: Party, limits: Limits) -> Self {
        Self {
            input,
            party,
            limits,
            number: 0,
            seen_object: false,
            ended_with_newline: false,
            keep_lines: true,
            warnings: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Does not keep the text of lines, which saves memory when nothing is written back.
    #[must_use]
    pub fn forgetting_lines(mut self) -> Self {
        self.keep_lines = false;
        self
    }

    /// The next line, or `None` at the end.
    pub fn next_line(&mut self) -> Result<Option<Line>> {
        let Some(bytes) = self.read_bytes()? else { return Ok(None) };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Some(Line::Blank(String::from_utf8_lossy(&bytes).into_owned())));
        }
        let parsed = match json::parse(&bytes, &self.limits) {
            Ok(parsed) => parsed,
            Err(error) => {
                // The parser saw one line only; which one it is in the file is said beside the message.
                let why = error.message().replace("line 1, column", "column");
                return Ok(Some(self.broken(&bytes, &format!("the line is no JSON ({why})"))));
            }
        };
        for warning in parsed.warnings {
            let place = match &warning.at {
                Some(at) => format!("line {}, {at}", self.number),
                None => format!("line {}", self.number),
            };
            self.warn(warning.at(place));
        }
        let Value::Object(raw) = parsed.value else {
            let found = json::field::type_name(&parsed.value);
            return Ok(Some(self.broken(&bytes, &format!("expected an object but found {found}"))));
        };
        Ok(Some(self.object(raw, bytes)))
    }

    /// Number of the last line read, from 1.
    pub fn line_number(&self) -> usize {
        self.number
    }

    /// What was odd so far, each with its line.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Takes the warnings, adding how many were not listed.
    pub fn into_warnings(mut self) -> Vec<Warning> {
        for (code, count) in std::mem::take(&mut self.counts) {
            if let Some(more) = count.checked_sub(self.limits.warnings_per_code).filter(|more| *more > 0) {
                self.warnings.push(Warning::new(code, format!("and {more} more of this kind")));
            }
        }
        self.warnings
    }

    /// Whether the last line read ended with a line break.
    pub fn ended_with_newline(&self) -> bool {
        self.ended_with_newline
    }

    fn object(&mut self, raw: Object, bytes: Vec<u8>) -> Line {
        let first = !self.seen_object;
        self.seen_object = true;
        let header = first
            && match self.party {
                Party::Solo => true,
                Party::Group => raw.contains_key("chat_metadata"),
                Party::Unknown => ChatHeader::is_one(&raw),
            };
        if header && raw.contains_key("mes") && !raw.contains_key("chat_metadata") {
            let message = "the first line is a message, but SillyTavern takes it for the header; it is not part of the chat";
            self.warn(Warning::new("chat.message_as_header", message).at(format!("line {}", self.number)));
        }
        let line = self.keep_lines.then(|| String::from_utf8_lossy(&bytes).into_owned().into_boxed_str());
        drop(bytes);
        let mut warnings = Vec::new();
        let place = format!("line {}", self.number);
        let read = if header {
            let mut header = ChatHeader::read(raw, &Path::Root, &mut warnings);
            header.line = line;
            Line::Header(Box::new(header))
        } else {
            let mut message = ChatMessage::read(raw, &Path::Root, &mut warnings);
            message.note(&Path::Root, &mut warnings);
            message.line = line;
            Line::Message(Box::new(message))
        };
        for warning in warnings {
            let place = warning.at.as_ref().map_or_else(|| place.clone(), |at| format!("{place}, {at}"));
            self.warn(warning.at(place));
        }
        read
    }

    fn broken(&mut self, bytes: &[u8], why: &str) -> Line {
        let message = format!("{why}; it is kept, and is not part of the chat");
        self.warn(Warning::new("chat.broken_line", message).at(format!("line {}", self.number)));
        Line::Broken(String::from_utf8_lossy(bytes).into_owned())
    }

    fn warn(&mut self, warning: Warning) {
        let count = match self.counts.iter_mut().find(|(code, _)| *code == warning.code) {
            Some((_, count)) => count,
            None => {
                self.counts.push((warning.code.to_string(), 0));
                match self.counts.last_mut() {
                    Some((_, count)) => count,
                    None => return,
                }
            }
        };
        *count += 1;
        if *count <= self.limits.warnings_per_code {
            self.warnings.push(warning);
        }
    }

    /// One line without its line break.
    fn read_bytes(&mut self) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let limit = self.limits.text_chunk;
        let mut input = std::io::Read::take(&mut self.input, limit + 1);
        let read = input.read_until(b'\n', &mut bytes).map_err(|error| {
            Error::new(ErrorKind::Invalid, format!("the chat cannot be read after line {}", self.number))
                .caused_by(error)
        })?;
        if read == 0 {
            // The end. After a line break there is one more line, which is empty; it is not reported.
            return Ok(None);
        }
        self.number += 1;
        self.ended_with_newline = bytes.last() == Some(&b'\n');
        if self.ended_with_newline {
            bytes.pop();
        } else if bytes.len() as u64 > limit {
            let message = format!(
                "line {} is longer than the limit of {limit} bytes; raise `Limits::text_chunk` if you trust it",
                self.number
            );
            return Err(Error::new(ErrorKind::Limit, message));
        }
        Ok(Some(bytes))
    }
}

/// Writes a chat file line by line, joined by line breaks and without one at the end, as SillyTavern does.
pub struct ChatWriter<W> {
    output: W,
    started: bool,
}

impl<W: Write> ChatWriter<W> {
    /// Writes to `output`.
    pub fn new(output: W) -> Self {
        Self { output, started: false }
    }

    /// Writes one line.
    pub fn write(&mut self, line: &Line) -> Result<()> {
        self.write_text(&line.to_text())
    }

    /// Writes the header.
    pub fn write_header(&mut self, header: &ChatHeader) -> Result<()> {
        self.write_text(&header.to_line())
    }

    /// Writes one message.
    pub fn write_message(&mut self, message: &ChatMessage) -> Result<()> {
        self.write_text(&message.to_line())
    }

    /// The output, with a line break at the end if `newline`.
    pub fn finish(mut self, newline: bool) -> Result<W> {
        if newline {
            self.put(b"\n")?;
        }
        self.output.flush().map_err(cannot_write)?;
        Ok(self.output)
    }

    fn write_text(&mut self, text: &str) -> Result<()> {
        if self.started {
            self.put(b"\n")?;
        }
        self.started = true;
        self.put(text.as_bytes())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.output.write_all(bytes).map_err(cannot_write)
    }
}

fn cannot_write(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Invalid, "the chat cannot be written").caused_by(error)
}
