//! Single values: quoted text, folding, and what plain text means.

use std::iter::Peekable;

use serde_json::{Number, Value};

use super::error;
use crate::Result;

/// Lines joined as YAML folds them: a line break is a space, an empty line is a line break.
#[derive(Default)]
pub(super) struct Folded {
    text: String,
    breaks: usize,
    started: bool,
}

impl Folded {
    pub(super) fn line(&mut self, line: &str) {
        if self.started && line.is_empty() {
            self.breaks += 1;
            return;
        }
        if self.started {
            self.join();
        }
        self.text.push_str(line);
        self.started = true;
    }

    fn join(&mut self) {
        match self.breaks {
            0 => self.text.push(' '),
            breaks => self.text.extend(std::iter::repeat_n('\n', breaks)),
        }
        self.breaks = 0;
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// What a plain text means: nothing, a truth, a number, or itself.
pub(super) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let radix = |prefix: &str, radix| {
        text.strip_prefix(prefix).and_then(|digits| i64::from_str_radix(digits, radix).ok())
    };
    if let Some(integer) = text.parse().ok().or_else(|| radix("0x", 16)).or_else(|| radix("0o", 8)) {
        return Value::from(integer);
    }
    let looks_numeric = text.bytes().any(|b| b.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    match text.parse().ok().filter(|_| looks_numeric).and_then(Number::from_f64) {
        Some(number) => Value::Number(number),
        None => Value::String(text.to_owned()),
    }
}

/// The quoted text that starts at `start`, and where it ends.
pub(super) fn quoted(text: &str, start: usize) -> Result<(String, usize)> {
    let quote = if text[start..].starts_with('\'') { '\'' } else { '"' };
    let mut out = String::new();
    let mut chars = text[start + 1..].char_indices().map(|(at, c)| (start + 1 + at, c)).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' if quote == '\'' => match chars.next_if(|(_, next)| *next == '\'') {
                Some(_) => out.push('\''),
                None => return Ok((out, at + 1)),
            },
            '"' if quote == '"' => return Ok((out, at + 1)),
            '\\' if quote == '"' => escape(text, at, &mut chars, &mut out)?,
            '\n' => {
                // Blanks around a line break go; the break folds.
                out.truncate(out.trim_end_matches([' ', '\t']).len());
                let mut breaks = 0;
                while let Some((_, c)) = chars.next_if(|(_, c)| matches!(c, ' ' | '\t' | '\n')) {
                    breaks += usize::from(c == '\n');
                }
                match breaks {
                    0 => out.push(' '),
                    breaks => out.extend(std::iter::repeat_n('\n', breaks)),
                }
            }
            _ => out.push(c),
        }
    }
    Err(error(text, start, "a quoted text has no closing quote; the file may be cut off"))
}

fn escape<I: Iterator<Item = (usize, char)>>(
    text: &str,
    at: usize,
    chars: &mut Peekable<I>,
    out: &mut String,
) -> Result<()> {
    let unknown = || {
        error(text, at, "a backslash in double quotes starts no known escape; write `\\\\` for a backslash")
    };
    let (_, letter) = chars.next().ok_or_else(unknown)?;
    let digits = match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        '\n' => {
            while chars.next_if(|(_, c)| matches!(c, ' ' | '\t')).is_some() {}
            return Ok(());
        }
        _ => {
            let plain = ESCAPES.iter().find(|(known, _)| *known == letter).ok_or_else(unknown)?;
            out.push(plain.1);
            return Ok(());
        }
    };
    let mut code = 0u32;
    for _ in 0..digits {
        let digit = chars.next().and_then(|(_, c)| c.to_digit(16)).ok_or_else(unknown)?;
        code = code.wrapping_shl(4) | digit;
    }
    // Half a character is no character; the rest of the text matters more.
    out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
    Ok(())
}

const ESCAPES: [(char, char); 18] = [
    ('0', '\0'),
    ('a', '\u{7}'),
    ('b', '\u{8}'),
    ('t', '\t'),
    ('\t', '\t'),
    ('n', '\n'),
    ('v', '\u{b}'),
    ('f', '\u{c}'),
    ('r', '\r'),
    ('e', '\u{1b}'),
    (' ', ' '),
    ('"', '"'),
    ('/', '/'),
    ('\\', '\\'),
    ('N', '\u{85}'),
    ('_', '\u{a0}'),
    ('L', '\u{2028}'),
    ('P', '\u{2029}'),
];

/// What stands behind `|` or `>`.
pub(super) struct Header {
    folded: bool,
    chomp: Chomp,
    pub(super) indent: Option<usize>,
}

/// What happens to line breaks at the end.
enum Chomp {
    Clip,
    Strip,
    Keep,
}

impl Header {
    pub(super) fn parse(header: &str) -> Option<Self> {
        let mut parsed = Self { folded: header.starts_with('>'), chomp: Chomp::Clip, indent: None };
        for c in header.chars().skip(1) {
            match c {
                '-' => parsed.chomp = Chomp::Strip,
                '+' => parsed.chomp = Chomp::Keep,
                '1'..='9' => parsed.indent = c.to_digit(10).map(|digit| digit as usize),
                _ => return None,
            }
        }
        Some(parsed)
    }

    pub(super) fn assemble(&self, rows: &[&str]) -> String {
        let filled = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
        let (body, blank) = rows.split_at(filled);
        let mut out = if self.folded { fold(body) } else { body.join("\n") };
        match self.chomp {
            Chomp::Strip => {}
            Chomp::Clip if !body.is_empty() => out.push('\n'),
            Chomp::Clip => {}
            Chomp::Keep => {
                // The last row of the file is what follows its last line break.
                out.extend(std::iter::repeat_n('\n', blank.len() + usize::from(!body.is_empty())));
            }
        }
        out
    }
}

/// Folds rows; rows that are indented further keep their line breaks.
fn fold(rows: &[&str]) -> String {
    let mut out = String::new();
    let mut breaks = 0;
    let mut before_is_plain = None;
    for row in rows {
        if row.is_empty() {
            breaks += 1;
            continue;
        }
        let plain = !row.starts_with([' ', '\t']);
        match before_is_plain {
            Some(true) if plain && breaks == 0 => out.push(' '),
            Some(true) if plain => out.extend(std::iter::repeat_n('\n', breaks)),
            Some(_) => out.extend(std::iter::repeat_n('\n', breaks + 1)),
            None => out.extend(std::iter::repeat_n('\n', breaks)),
        }
        out.push_str(row);
        breaks = 0;
        before_is_plain = Some(plain);
    }
    out
}
