//! Cuts a template into tokens.

use crate::number::is_js_space;

/// What a token is. Tags carry their `~`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Content(String),
    Comment {
        open: bool,
        close: bool,
    },
    OpenRawBlock,
    CloseRawBlock,
    EndRawBlock(String),
    OpenPartial {
        strip: bool,
    },
    OpenPartialBlock {
        strip: bool,
    },
    OpenBlock {
        strip: bool,
        decorator: bool,
    },
    OpenEndBlock {
        strip: bool,
    },
    /// `{{else}}` or `{{^}}`.
    Inverse {
        open: bool,
        close: bool,
    },
    OpenInverse {
        strip: bool,
    },
    OpenInverseChain {
        strip: bool,
    },
    OpenUnescaped {
        strip: bool,
    },
    Open {
        strip: bool,
        decorator: bool,
    },
    CloseUnescaped {
        strip: bool,
    },
    Close {
        strip: bool,
    },
    OpenSexpr,
    CloseSexpr,
    Equals,
    /// A name as written, and its part in a path (without brackets).
    Id {
        written: String,
        part: String,
    },
    Separator(char),
    Text(String),
    Data,
    Bool(bool),
    Undefined,
    Null,
    Number(f64),
    OpenBlockParams,
    CloseBlockParams,
    End,
    /// No token, and why.
    Invalid(&'static str),
}

/// All tokens with their byte positions, up to and including the end or the first thing that is none.
pub(super) fn tokens(source: &str) -> Vec<(usize, Token)> {
    let mut lexer = Lexer { source, at: 0, tokens: Vec::new() };
    while lexer.at < source.len() {
        if let Err(problem) = lexer.content() {
            lexer.push(Token::Invalid(problem));
            return lexer.tokens;
        }
    }
    lexer.push(Token::End);
    lexer.tokens
}

/// Why the text at a place is no token.
type Problem = &'static str;

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    tokens: Vec<(usize, Token)>,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn push(&mut self, token: Token) {
        self.tokens.push((self.at, token));
    }

    /// Plain text up to the next tag, then that tag.
    fn content(&mut self) -> Result<(), Problem> {
        let rest = self.rest();
        let Some(length) = rest.find("{{") else {
            return self.plain(rest.len());
        };
        let text = &rest[..length];
        if text.ends_with("\\\\") {
            // Two backslashes are one, and the tag counts.
            self.plain_as(&text[..length - 1], length)?;
            return self.tag();
        }
        if text.ends_with('\\') {
            self.plain_as(&text[..length - 1], length)?;
            return self.escaped();
        }
        self.plain_as(text, length)?;
        self.tag()
    }

    /// What follows a backslash: text from a tag's braces up to the next tag, escaped or not.
    fn escaped(&mut self) -> Result<(), Problem> {
        let rest = self.rest();
        let after = &rest[2..];
        let length = match after.find("{{") {
            Some(at) => {
                let before = &after[..at];
                // At least the two braces belong to the text, and backslashes before the next tag do not.
                let backslashes = if before.ends_with("\\\\") {
                    2
                } else if before.ends_with('\\') {
                    1
                } else {
                    0
                };
                2 + at - backslashes
            }
            None => rest.len(),
        };
        self.plain(length)
    }

    fn plain(&mut self, length: usize) -> Result<(), Problem> {
        let text = &self.rest()[..length];
        self.plain_as(text, length)
    }

    /// Takes `length` bytes and calls them `text`.
    fn plain_as(&mut self, text: &str, length: usize) -> Result<(), Problem> {
        if text.contains('\0') {
            return Err("a NUL character cannot stand in a template");
        }
        if !text.is_empty() {
            self.push(Token::Content(text.to_owned()));
        }
        self.at += length;
        Ok(())
    }

    /// From `{{` to its end, whatever it is.
    fn tag(&mut self) -> Result<(), Problem> {
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { return Ok(()) };
            if is_js_space(first) {
                self.at += first.len_utf8();
                continue;
            }
            if let Some(comment) = long_comment(rest) {
                let (length, token) = comment.ok_or("a comment does not end")?;
                self.push(token);
                self.at += length;
                return Ok(());
            }
            let (length, token) = token(rest).ok_or("this cannot stand between braces")?;
            let ends = matches!(
                token,
                Token::Comment { .. }
                    | Token::Inverse { .. }
                    | Token::CloseUnescaped { .. }
                    | Token::Close { .. }
            );
            let raw = token == Token::CloseRawBlock;
            self.push(token);
            self.at += length;
            if raw {
                return self.raw();
            }
            if ends {
                return Ok(());
            }
        }
    }

    /// The text of a raw block up to its own end; raw blocks inside are text.
    fn raw(&mut self) -> Result<(), Problem> {
        let mut depth = 1usize;
        while self.at < self.source.len() {
            let rest = self.rest();
            if let Some((length, name)) = raw_end(rest) {
                depth -= 1;
                if depth == 0 {
                    self.push(Token::EndRawBlock(name.to_owned()));
                    self.at += length;
                    return Ok(());
                }
                self.plain(length)?;
            } else if rest.starts_with("{{{{") && !matches!(rest.as_bytes().get(4), None | Some(b'/')) {
                depth += 1;
                self.plain(4)?;
            } else {
                // Braces that neither open nor close are text, up to the next ones.
                let next = rest
                    .char_indices()
                    .nth(1)
                    .and_then(|(second, _)| rest[second..].find("{{{{").map(|at| second + at));
                let length = next.ok_or("a raw block does not end")?;
                self.plain(length)?;
            }
        }
        Ok(())
    }
}

/// `{{{{/name}}}}` at the start: its length and the name.
fn raw_end(text: &str) -> Option<(usize, &str)> {
    let inner = text.strip_prefix("{{{{/")?;
    let length = name_length(inner)?;
    let rest = &inner[length..];
    rest.starts_with("}}}}").then_some((5 + length + 4, &inner[..length]))
}

/// `{{!-- … --}}`: its length and token; the inner `None` when it does not end.
#[expect(clippy::option_option, reason = "not such a comment, or one without an end")]
fn long_comment(text: &str) -> Option<Option<(usize, Token)>> {
    let (open, inner) = tag_start(text)?;
    inner.strip_prefix("!--")?;
    // The dashes that open may also close: `{{!--}}`.
    let from = text.len() - inner.len() + 1;
    let end = text[from..].match_indices("}}").find_map(|(at, _)| {
        let before = &text[from..from + at];
        let close = before.ends_with('~');
        let dashes = before.strip_suffix('~').unwrap_or(before);
        dashes.ends_with("--").then_some((from + at + 2, close))
    });
    Some(end.map(|(length, close)| (length, Token::Comment { open, close })))
}

/// The `~` of a tag's start, and what follows.
fn tag_start(text: &str) -> Option<(bool, &str)> {
    let inner = text.strip_prefix("{{")?;
    Some(match inner.strip_prefix('~') {
        Some(inner) => (true, inner),
        None => (false, inner),
    })
}

/// The token at the start of a text inside a tag, and its length.
fn token(text: &str) -> Option<(usize, Token)> {
    let first = text.chars().next()?;
    match first {
        '(' => Some((1, Token::OpenSexpr)),
        ')' => Some((1, Token::CloseSexpr)),
        '{' => opening(text),
        '}' | '~' => closing(text),
        '=' => Some((1, Token::Equals)),
        '@' => Some((1, Token::Data)),
        '|' => Some((1, Token::CloseBlockParams)),
        '.' if text.starts_with("..") => Some((2, id(".."))),
        '.' if text[1..].starts_with(ends_name) => Some((1, id("."))),
        '.' | '/' => Some((1, Token::Separator(first))),
        '"' | '\'' => quoted(text, first).map(|(length, inner)| {
            let escaped = format!("\\{first}");
            (length, Token::Text(inner.replace(&escaped, &first.to_string())))
        }),
        '[' => quoted(text, ']').map(|(length, inner)| (length, bracketed(inner))),
        _ => word(text),
    }
}

fn opening(text: &str) -> Option<(usize, Token)> {
    if text.starts_with("{{{{") {
        return Some((4, Token::OpenRawBlock));
    }
    let (strip, inner) = tag_start(text)?;
    let start = text.len() - inner.len();
    if inner.starts_with("#>") {
        return Some((start + 2, Token::OpenPartialBlock { strip }));
    }
    if let Some(rest) = inner.strip_prefix('#') {
        let decorator = rest.starts_with('*');
        return Some((start + 1 + usize::from(decorator), Token::OpenBlock { strip, decorator }));
    }
    if let Some(inverse) = inverse(text, strip, inner) {
        return Some(inverse);
    }
    let one = |token| Some((start + 1, token));
    match inner.chars().next() {
        Some('>') => one(Token::OpenPartial { strip }),
        Some('/') => one(Token::OpenEndBlock { strip }),
        Some('^') => one(Token::OpenInverse { strip }),
        Some('{') => one(Token::OpenUnescaped { strip }),
        Some('&') => one(Token::Open { strip, decorator: false }),
        Some('!') => {
            let end = inner.find("}}")?;
            let close = inner[..end].ends_with('~');
            Some((start + end + 2, Token::Comment { open: strip, close }))
        }
        Some('*') => one(Token::Open { strip, decorator: true }),
        _ => Some((start, Token::Open { strip, decorator: false })),
    }
}

/// `{{^}}`, `{{else}}` and `{{else` before a name.
fn inverse(text: &str, strip: bool, inner: &str) -> Option<(usize, Token)> {
    let skip = |text: &'_ str| text.len() - text.trim_start_matches(is_js_space).len();
    let (after, is_else) = match inner.strip_prefix('^') {
        Some(after) => (after, false),
        None => (inner[skip(inner)..].strip_prefix("else")?, true),
    };
    let tail = &after[skip(after)..];
    let close = tail.starts_with('~');
    let braces = if close { &tail[1..] } else { tail };
    if braces.starts_with("}}") {
        return Some((text.len() - braces.len() + 2, Token::Inverse { open: strip, close }));
    }
    let ends_word = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    (is_else && ends_word).then(|| (text.len() - after.len(), Token::OpenInverseChain { strip }))
}

fn closing(text: &str) -> Option<(usize, Token)> {
    if text.starts_with("}}}}") {
        return Some((4, Token::CloseRawBlock));
    }
    for (mark, strip) in [("}}}", false), ("}~}}", true)] {
        if text.starts_with(mark) {
            return Some((mark.len(), Token::CloseUnescaped { strip }));
        }
    }
    for (mark, strip) in [("}}", false), ("~}}", true)] {
        if text.starts_with(mark) {
            return Some((mark.len(), Token::Close { strip }));
        }
    }
    None
}

fn id(text: &str) -> Token {
    Token::Id { written: text.to_owned(), part: text.to_owned() }
}

/// A name in brackets. Handlebars keeps the brackets when a line break stands between them.
fn bracketed(inner: &str) -> Token {
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(&next @ ('\\' | ']'))) => {
                text.push(next);
                chars.next();
            }
            _ => text.push(c),
        }
    }
    let written = format!("[{text}]");
    let broken = text.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
    let part = if broken { written.clone() } else { text };
    Token::Id { written, part }
}

/// A text between quotes: its length with them, and what is inside, escapes untouched.
///
/// It ends at the first quote without a backslash, or, if there is none, at the last one with.
fn quoted(text: &str, quote: char) -> Option<(usize, &str)> {
    let mut last_escaped = None;
    let mut after_backslash = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote {
            if !after_backslash {
                return Some((at + 1, &text[1..at]));
            }
            last_escaped = Some(at);
        }
        after_backslash = c == '\\';
    }
    last_escaped.map(|at| (at + 1, &text[1..at]))
}

/// Names, numbers and the words that are values.
fn word(text: &str) -> Option<(usize, Token)> {
    let ends_value =
        |length: usize| text[length..].starts_with(|c: char| matches!(c, '~' | '}' | ')') || is_js_space(c));
    for (word, token) in [
        ("true", Token::Bool(true)),
        ("false", Token::Bool(false)),
        ("undefined", Token::Undefined),
        ("null", Token::Null),
    ] {
        if text.starts_with(word) && ends_value(word.len()) {
            return Some((word.len(), token));
        }
    }
    if let Some(length) = number_length(text).filter(|length| ends_value(*length)) {
        return text[..length].parse().ok().map(|number| (length, Token::Number(number)));
    }
    if let Some(after) = text.strip_prefix("as") {
        let bar = after.trim_start_matches(is_js_space);
        if bar.len() < after.len() && bar.starts_with('|') {
            return Some((text.len() - bar.len() + 1, Token::OpenBlockParams));
        }
    }
    let length = name_length(text)?;
    text[length..].starts_with(ends_name).then(|| (length, id(&text[..length])))
}

fn number_length(text: &str) -> Option<usize> {
    let digits =
        |from: usize| text.as_bytes()[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(text.starts_with('-'));
    let whole = digits(sign);
    if whole == 0 {
        return None;
    }
    let end = sign + whole;
    let fraction = if text[end..].starts_with('.') { digits(end + 1) } else { 0 };
    Some(if fraction > 0 { end + 1 + fraction } else { end })
}

/// The length of the name at the start; names may hold `:`, `?`, `$`, `-` and anything beyond ASCII.
fn name_length(text: &str) -> Option<usize> {
    let outside = |c: char| match c {
        '!' | '"' | '#' | '%'..=',' | '.' | '/' | ';'..='>' | '@' | '['..='^' | '`' | '{'..='~' => true,
        _ => is_js_space(c),
    };
    Some(text.find(outside).unwrap_or(text.len())).filter(|length| *length > 0)
}

/// May this character follow a name?
fn ends_name(c: char) -> bool {
    matches!(c, '=' | '~' | '}' | '/' | '.' | ')' | '|') || is_js_space(c)
}
