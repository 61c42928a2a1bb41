//! The slow path: goes on where the meaning is plain, stops with line and column where it is not.

use serde_json::{Map, Number, Value};
use tavernkit_core::{Warning, number};

use super::{Collector, Path};
use crate::{Error, ErrorKind, Limits, Result};

/// Reads JSON that may be out of order. The warnings name field paths.
pub(super) fn parse(text: &str, limits: &Limits, warnings: &mut Vec<Warning>) -> Result<Value> {
    let mut parser = Parser { text, at: 0, depth: limits.depth, collector: Collector::new(warnings, limits) };
    let value = parser.value(&Path::Root, 0)?;
    parser.skip_space();
    let padding = parser.at;
    while parser.peek() == Some(0) {
        parser.at += 1;
        parser.skip_space();
    }
    if parser.at < text.len() {
        return Err(parser.unexpected("the end of the text", "remove what follows the value"));
    }
    if parser.at > padding {
        parser.collector.push("json.padding", || {
            ("zero bytes after the value were ignored".into(), format!("byte {padding}"))
        });
    }
    parser.collector.finish();
    Ok(value)
}

struct Parser<'t, 'w> {
    text: &'t str,
    at: usize,
    depth: usize,
    collector: Collector<'w>,
}

impl Parser<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Moves past `word` if it stands here.
    fn takes(&mut self, word: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        if found {
            self.at += word.len();
        }
        found
    }

    fn value(&mut self, path: &Path<'_>, level: usize) -> Result<Value> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(path, level),
            Some(b'[') => self.array(path, level),
            Some(b'"') => self.string(path).map(Value::String),
            Some(b'-' | b'0'..=b'9') if !self.text[self.at..].starts_with("-Infinity") => self.number(path),
            _ if self.takes("true") => Ok(Value::Bool(true)),
            _ if self.takes("false") => Ok(Value::Bool(false)),
            _ if self.takes("null") => Ok(Value::Null),
            _ => {
                for word in ["NaN", "Infinity", "-Infinity"] {
                    if self.takes(word) {
                        self.collector.push("json.not_finite", || {
                            (
                                format!("`{word}` is not JSON; it was read as null, as JavaScript writes it"),
                                place(path),
                            )
                        });
                        return Ok(Value::Null);
                    }
                }
                Err(self.unexpected("a value", "put text in double quotes"))
            }
        }
    }

    fn enter(&self, level: usize) -> Result<()> {
        if level < self.depth {
            return Ok(());
        }
        let message = format!(
            "lists and objects nest deeper than {} levels; flatten the data or raise `Limits::depth`",
            self.depth
        );
        Err(Error::new(ErrorKind::Limit, message).at_offset(self.at as u64))
    }

    fn object(&mut self, path: &Path<'_>, level: usize) -> Result<Value> {
        self.enter(level)?;
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Object(map));
                }
                Some(b'"') => {}
                _ => return Err(self.unexpected("a key in double quotes or `}`", "quote the key")),
            }
            let key = self.string(path)?;
            self.skip_space();
            if !self.takes(":") {
                return Err(self.unexpected("`:` after the key", "give the key a value"));
            }
            let here = path.key(&key);
            let value = self.value(&here, level + 1)?;
            if map.contains_key(&key) {
                self.collector.push("json.duplicate_key", || {
                    (
                        "the key stands more than once; the last value was used, as JavaScript does".into(),
                        here.to_string(),
                    )
                });
            }
            map.insert(key, value);
            self.comma_or(b'}', path)?;
        }
    }

    fn array(&mut self, path: &Path<'_>, level: usize) -> Result<Value> {
        self.enter(level)?;
        self.at += 1;
        let mut list = Vec::new();
        loop {
            self.skip_space();
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Value::Array(list));
            }
            let value = self.value(&path.index(list.len()), level + 1)?;
            list.push(value);
            self.comma_or(b']', path)?;
        }
    }

    /// After an item: a comma, or the closing bracket (left for the caller).
    fn comma_or(&mut self, close: u8, path: &Path<'_>) -> Result<()> {
        self.skip_space();
        if self.peek() == Some(close) {
            return Ok(());
        }
        if !self.takes(",") {
            let expected = format!("`,` or `{}`", char::from(close));
            return Err(self.unexpected(
                &expected,
                "a comma or bracket is missing, or a quote inside a text is not escaped",
            ));
        }
        self.skip_space();
        if self.peek() == Some(close) {
            self.collector.push("json.trailing_comma", || {
                ("a comma stands before the closing bracket; it was ignored".into(), place(path))
            });
        }
        Ok(())
    }

    fn string(&mut self, path: &Path<'_>) -> Result<String> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.bytes().position(|b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(rest.len());
            out.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                None => {
                    self.at = start;
                    return Err(self.failure("a text has no closing quote; the file may be cut off"));
                }
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => self.escape(path, &mut out)?,
                Some(control) => {
                    self.collector.push("json.control_character", || {
                        (
                            format!(
                                "a raw control character (U+{control:04X}) stands in a text; it was kept"
                            ),
                            place(path),
                        )
                    });
                    out.push(char::from(control));
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self, path: &Path<'_>, out: &mut String) -> Result<()> {
        let letter = self.text.as_bytes().get(self.at + 1).copied();
        out.push(match letter {
            Some(letter @ (b'"' | b'\\' | b'/')) => char::from(letter),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(path, out),
            _ => return Err(self.failure("a backslash starts no known escape; write `\\\\` for a backslash")),
        });
        self.at += 2;
        Ok(())
    }

    fn unicode_escape(&mut self, path: &Path<'_>, out: &mut String) -> Result<()> {
        let Some(first) = self.hex_unit(self.at) else {
            return Err(self.failure("`\\u` needs four hexadecimal digits after it"));
        };
        let pair = match self.hex_unit(self.at + 6) {
            Some(second) => char::decode_utf16([first, second]).next().and_then(std::result::Result::ok),
            None => None,
        };
        match (char::from_u32(u32::from(first)), pair) {
            (Some(character), _) => {
                out.push(character);
                self.at += 6;
            }
            (None, Some(character)) => {
                out.push(character);
                self.at += 12;
            }
            (None, None) => {
                self.collector.push("json.lone_surrogate", || {
                    (
                        format!(
                            "half of a character (\\u{first:04x}) stands alone; U+FFFD stands in its place"
                        ),
                        place(path),
                    )
                });
                out.push('\u{fffd}');
                self.at += 6;
            }
        }
        Ok(())
    }

    /// The code of `\uXXXX` at `at`.
    fn hex_unit(&self, at: usize) -> Option<u16> {
        let digits = self.text.as_bytes().get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |code, digit| Some(code << 4 | char::from(*digit).to_digit(16)? as u16))
    }

    fn number(&mut self, path: &Path<'_>) -> Result<Value> {
        let rest = &self.text[self.at..];
        let length = rest
            .bytes()
            .position(|b| !matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .unwrap_or(rest.len());
        let token = &rest[..length];
        let double = number::parse(token);
        if double.is_nan() || !has_json_shape(token) {
            return Err(
                self.failure(&format!("`{token}` is not a number JSON knows; write it like 12, -0.5 or 1e3"))
            );
        }
        self.at += length;
        if let Ok(integer) =
            token.parse::<i64>().map(Number::from).or_else(|_| token.parse::<u64>().map(Number::from))
        {
            // "-0" is a double in JavaScript; as an integer it would lose its sign.
            return Ok(Value::Number(if token == "-0" {
                Number::from_f64(-0.0).unwrap_or(integer)
            } else {
                integer
            }));
        }
        let Some(number) = Number::from_f64(double) else {
            self.collector.push("json.number_range", || {
                (format!("{} is too large for a number; it was kept as text", shortened(token)), place(path))
            });
            return Ok(Value::String(token.to_owned()));
        };
        if !token.contains(['.', 'e', 'E']) && number::format(double) != token {
            self.collector.push("json.number_precision", || {
                let printed = number::format(double);
                (
                    format!(
                        "{} has more digits than a number keeps; it was read as {printed}",
                        shortened(token)
                    ),
                    place(path),
                )
            });
        }
        Ok(Value::Number(number))
    }

    fn unexpected(&self, expected: &str, advice: &str) -> Error {
        let found = match self.text[self.at..].chars().next() {
            Some(found) if found.is_control() => format!("U+{:04X}", u32::from(found)),
            Some(found) => format!("`{found}`"),
            None => "the end".into(),
        };
        let advice = if self.at == self.text.len() { "the file may be cut off" } else { advice };
        let (line, column) = self.line_and_column();
        self.error(format!("expected {expected} but found {found} at line {line}, column {column}; {advice}"))
    }

    fn failure(&self, message: &str) -> Error {
        let (line, column) = self.line_and_column();
        self.error(format!("{message} (line {line}, column {column})"))
    }

    fn error(&self, message: String) -> Error {
        Error::new(ErrorKind::Json, message).at_offset(self.at as u64)
    }

    fn line_and_column(&self) -> (usize, usize) {
        let before = &self.text[..self.at];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// JSON wants digits on both sides of the point and no leading zero or plus.
fn has_json_shape(token: &str) -> bool {
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let point_is_followed = unsigned.as_bytes().get(digits) != Some(&b'.')
        || unsigned.as_bytes().get(digits + 1).is_some_and(u8::is_ascii_digit);
    digits > 0 && (digits == 1 || !unsigned.starts_with('0')) && point_is_followed
}

fn shortened(token: &str) -> String {
    if token.len() <= 40 { token.to_owned() } else { format!("{}…", &token[..40]) }
}

fn place(path: &Path<'_>) -> String {
    match path {
        Path::Root => "the top level".into(),
        _ => path.to_string(),
    }
}
