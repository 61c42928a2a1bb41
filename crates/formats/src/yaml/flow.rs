//! Flow style: `[a, b]` and `{a: 1}`.

use serde_json::{Map, Value};

use super::{error, scalar, too_deep};
use crate::Result;

/// The list or mapping that starts at `start`, and where it ends.
pub(super) fn parse(text: &str, start: usize, levels: usize, limit: usize) -> Result<(Value, usize)> {
    let mut reader = Reader { text, at: start, limit };
    let value = reader.value(levels)?;
    Ok((value, reader.at))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    limit: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn takes(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// Blanks, line breaks and comments.
    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            if self.peek() != Some('#') {
                return;
            }
            self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |end| self.at + end);
        }
    }

    fn value(&mut self, levels: usize) -> Result<Value> {
        let Some(levels) = levels.checked_sub(1) else { return Err(too_deep(self.limit)) };
        match self.peek() {
            Some('[') => self.list(levels),
            Some('{') => self.mapping(levels),
            Some('"' | '\'') => {
                let (text, end) = scalar::quoted(self.text, self.at)?;
                self.at = end;
                Ok(Value::String(text))
            }
            _ => self.plain().map(|text| scalar::resolve(&text)),
        }
    }

    fn list(&mut self, levels: usize) -> Result<Value> {
        self.at += 1;
        let mut list = Vec::new();
        loop {
            self.skip();
            if self.takes(']') {
                return Ok(Value::Array(list));
            }
            list.push(self.value(levels)?);
            self.comma_or(']')?;
        }
    }

    fn mapping(&mut self, levels: usize) -> Result<Value> {
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.skip();
            if self.takes('}') {
                return Ok(Value::Object(map));
            }
            let key = match self.peek() {
                Some('"' | '\'') => {
                    let (text, end) = scalar::quoted(self.text, self.at)?;
                    self.at = end;
                    text
                }
                _ => self.plain()?,
            };
            self.skip();
            let value = if self.takes(':') {
                self.skip();
                if matches!(self.peek(), Some(',' | '}')) { Value::Null } else { self.value(levels)? }
            } else {
                Value::Null
            };
            map.insert(key, value);
            self.comma_or('}')?;
        }
    }

    fn comma_or(&mut self, close: char) -> Result<()> {
        self.skip();
        if self.takes(',') || self.peek() == Some(close) {
            return Ok(());
        }
        Err(error(self.text, self.at, &format!("`,` or `{close}` is expected here")))
    }

    fn plain(&mut self) -> Result<String> {
        let rest = &self.text[self.at..];
        let mut end = rest.len();
        let mut before = ' ';
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let colon =
                c == ':' && chars.peek().is_none_or(|(_, next)| matches!(next, ' ' | '\n' | ',' | ']' | '}'));
            if colon || matches!(c, ',' | '[' | ']' | '{' | '}') || (c == '#' && before.is_whitespace()) {
                end = at;
                break;
            }
            before = c;
        }
        if rest[..end].trim().is_empty() {
            return Err(error(self.text, self.at, "a value is expected here"));
        }
        self.at += end;
        let mut folded = scalar::Folded::default();
        rest[..end].trim().split('\n').for_each(|line| folded.line(line.trim()));
        Ok(folded.finish())
    }
}
