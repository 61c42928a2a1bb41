//! Blocks: structure by indentation.

use serde_json::{Map, Value};

use super::{error, flow, scalar, too_deep};
use crate::{Limits, Result};

/// One line of the text. A list item's dash is blanked by moving `start` and `indent` past it.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: usize,
    end: usize,
    indent: usize,
}

pub(super) struct Reader<'t> {
    text: &'t str,
    lines: Vec<Line>,
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, limits: &Limits) -> Self {
        let mut lines = Vec::new();
        let mut offset = 0;
        for line in text.split('\n') {
            let indent = line.len() - line.trim_start_matches(' ').len();
            lines.push(Line { start: offset + indent, end: offset + line.len(), indent });
            offset += line.len() + 1;
        }
        Self { text, lines, at: 0, depth: limits.depth }
    }

    pub(super) fn document(mut self) -> Result<Value> {
        self.skip_blank();
        while self.line().is_some_and(|line| self.content(line).starts_with('%')) {
            self.at += 1;
            self.skip_blank();
        }
        if let Some(line) = self.line()
            && let Some(rest) = marker(self.content(line), "---")
        {
            if rest.trim().is_empty() {
                self.at += 1;
            } else {
                let skipped = self.content(line).len() - rest.trim_start().len();
                self.lines[self.at] = Line { start: line.start + skipped, ..line };
            }
        }
        let value = self.node(0, 0)?;
        self.skip_blank();
        match self.line() {
            Some(line) if marker(self.content(line), "...").is_none() => Err(error(
                self.text,
                line.start,
                "this line does not fit the indentation above; one document is expected",
            )),
            _ => Ok(value),
        }
    }

    fn line(&self) -> Option<Line> {
        self.lines.get(self.at).copied()
    }

    fn content(&self, line: Line) -> &'t str {
        self.text.get(line.start..line.end).unwrap_or_default()
    }

    fn is_blank(&self, line: Line) -> bool {
        let content = self.content(line).trim_start();
        content.is_empty() || content.starts_with('#')
    }

    fn skip_blank(&mut self) {
        while self.line().is_some_and(|line| self.is_blank(line)) {
            self.at += 1;
        }
    }

    /// The value that starts on the next line with content, if that is indented by at least `least`.
    fn node(&mut self, least: usize, level: usize) -> Result<Value> {
        if level > self.depth {
            return Err(too_deep(self.depth));
        }
        self.skip_blank();
        let Some(line) = self.line().filter(|line| line.indent >= least) else {
            return Ok(Value::Null);
        };
        let content = self.content(line);
        if is_dash(content) {
            self.list(line.indent, level)
        } else if self.key(line)?.is_some() {
            self.mapping(line.indent, level)
        } else {
            self.value(line.start, least.checked_sub(1), level)
        }
    }

    fn list(&mut self, indent: usize, level: usize) -> Result<Value> {
        let mut list = Vec::new();
        loop {
            self.skip_blank();
            let Some(line) = self.line().filter(|line| line.indent == indent && is_dash(self.content(*line)))
            else {
                return Ok(Value::Array(list));
            };
            let rest = &self.content(line)[1..];
            if rest.trim_start().is_empty() || rest.trim_start().starts_with('#') {
                self.at += 1;
            } else {
                // What follows the dash is a block of its own, indented to where it starts.
                let skipped = 1 + rest.len() - rest.trim_start_matches(' ').len();
                self.lines[self.at] =
                    Line { start: line.start + skipped, end: line.end, indent: indent + skipped };
            }
            list.push(self.node(indent + 1, level + 1)?);
        }
    }

    fn mapping(&mut self, indent: usize, level: usize) -> Result<Value> {
        let mut map = Map::new();
        loop {
            self.skip_blank();
            let Some(line) = self.line().filter(|line| line.indent == indent) else {
                return Ok(Value::Object(map));
            };
            if ["---", "..."].iter().any(|mark| marker(self.content(line), mark).is_some()) {
                return Ok(Value::Object(map));
            }
            let Some((key, after)) = self.key(line)? else {
                return Err(error(self.text, line.start, "a key with a colon is expected here"));
            };
            let rest = self.text.get(after..line.end).unwrap_or_default();
            let trimmed = rest.trim_start();
            let value = if trimmed.is_empty() || trimmed.starts_with('#') {
                self.at += 1;
                self.skip_blank();
                // A list may stand under its key without being indented further.
                let dash_below =
                    self.line().is_some_and(|line| line.indent == indent && is_dash(self.content(line)));
                if dash_below { self.list(indent, level + 1)? } else { self.node(indent + 1, level + 1)? }
            } else {
                self.value(after + rest.len() - trimmed.len(), Some(indent), level + 1)?
            };
            map.insert(key, value);
        }
    }

    /// The key that starts the line, and where its value may start.
    fn key(&self, line: Line) -> Result<Option<(String, usize)>> {
        let content = self.content(line);
        if content.starts_with('\t') {
            return Err(error(self.text, line.start, "a tab cannot indent; use spaces"));
        }
        if content.starts_with(['"', '\'']) {
            let (text, end) = scalar::quoted(self.text, line.start)?;
            let rest = self.text.get(end..line.end).unwrap_or_default();
            let spaces = rest.len() - rest.trim_start().len();
            let is_key = rest
                .trim_start()
                .strip_prefix(':')
                .is_some_and(|after| after.is_empty() || after.starts_with([' ', '\t']));
            return Ok(is_key.then_some((text, end + spaces + 1)));
        }
        if content.starts_with("? ") {
            return Err(error(
                self.text,
                line.start,
                "keys with a question mark are not supported; write `key: value`",
            ));
        }
        if content.starts_with(['[', '{', '|', '>', '#']) {
            return Ok(None);
        }
        let colon = content
            .match_indices(':')
            .find(|(at, _)| content[at + 1..].chars().next().is_none_or(|c| c == ' ' || c == '\t'));
        let comment = content.find(" #").unwrap_or(content.len());
        Ok(colon
            .filter(|(at, _)| *at < comment)
            .map(|(at, _)| (content[..at].trim_end().to_owned(), line.start + at + 1)))
    }

    /// The value that starts at `start` on the current line. Lines below belong to it if they are indented more than `parent`.
    fn value(&mut self, start: usize, parent: Option<usize>, level: usize) -> Result<Value> {
        if level > self.depth {
            return Err(too_deep(self.depth));
        }
        let first = self.text[start..].chars().next().unwrap_or(' ');
        match first {
            '|' | '>' => self.block_text(start, parent),
            '"' | '\'' => {
                let (text, end) = scalar::quoted(self.text, start)?;
                self.finish(end)?;
                Ok(Value::String(text))
            }
            '[' | '{' => {
                let (value, end) =
                    flow::parse(self.text, start, self.depth.saturating_sub(level), self.depth)?;
                self.finish(end)?;
                Ok(value)
            }
            '&' | '*' | '!' => Err(error(
                self.text,
                start,
                "anchors, aliases and tags are not supported; write the value out or use JSON",
            )),
            '%' | '@' | '`' => {
                Err(error(self.text, start, "text that starts with this character must be in quotes"))
            }
            _ => Ok(self.plain(start, parent)),
        }
    }

    /// Moves past the line a value ended on; only a comment may follow the value there.
    fn finish(&mut self, end: usize) -> Result<()> {
        while self.line().is_some_and(|line| line.end < end) {
            self.at += 1;
        }
        let Some(line) = self.line() else { return Ok(()) };
        let rest = self.text.get(end..line.end).unwrap_or_default().trim_start();
        if !rest.is_empty() && !rest.starts_with('#') {
            return Err(error(
                self.text,
                end,
                "nothing may follow the closing quote or bracket; is a quote inside not doubled?",
            ));
        }
        self.at += 1;
        Ok(())
    }

    fn plain(&mut self, start: usize, parent: Option<usize>) -> Value {
        let Some(line) = self.line() else { return Value::Null };
        let mut folded = scalar::Folded::default();
        let (first, ended) = without_comment(self.text.get(start..line.end).unwrap_or_default());
        folded.line(first);
        self.at += 1;
        let mut ended = ended;
        while let (Some(line), false) = (self.line(), ended) {
            let content = self.content(line);
            let belongs = parent.is_none_or(|parent| line.indent > parent) && !content.starts_with('#');
            let blank = content.trim().is_empty();
            if !blank
                && (!belongs
                    || (line.indent == 0
                        && ["---", "..."].iter().any(|mark| marker(content, mark).is_some())))
            {
                break;
            }
            let (text, commented) = without_comment(content);
            folded.line(text);
            ended = commented;
            self.at += 1;
        }
        scalar::resolve(&folded.finish())
    }

    fn block_text(&mut self, start: usize, parent: Option<usize>) -> Result<Value> {
        let Some(line) = self.line() else { return Ok(Value::Null) };
        let (header, _) = without_comment(self.text.get(start..line.end).unwrap_or_default());
        let Some(header) = scalar::Header::parse(header) else {
            return Err(error(
                self.text,
                start,
                "`|` or `>` may be followed only by `+`, `-` or a digit; put the text in quotes",
            ));
        };
        self.at += 1;
        let least = parent.map_or(0, |parent| parent + 1);
        let indent = match header.indent {
            Some(more) => least.saturating_sub(1) + more,
            None => {
                let below = self.lines[self.at..].iter().find(|line| line.start < line.end);
                below.map_or(least, |line| line.indent).max(least)
            }
        };
        let mut rows = Vec::new();
        while let Some(line) = self.line() {
            let blank = line.start >= line.end;
            if !blank && line.indent < indent {
                break;
            }
            let from = line.start - line.indent.min(line.start);
            rows.push(self.text.get(from + indent..line.end).unwrap_or_default());
            self.at += 1;
        }
        Ok(Value::String(header.assemble(&rows)))
    }
}

fn is_dash(content: &str) -> bool {
    content.strip_prefix('-').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// What follows a document marker.
fn marker<'t>(content: &'t str, mark: &str) -> Option<&'t str> {
    content.strip_prefix(mark).filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// The text before a comment, and whether there was one.
fn without_comment(content: &str) -> (&str, bool) {
    let comment =
        content.match_indices('#').find(|(at, _)| *at == 0 || content[..*at].ends_with([' ', '\t']));
    match comment {
        Some((at, _)) => (content[..at].trim(), true),
        None => (content.trim(), false),
    }
}
