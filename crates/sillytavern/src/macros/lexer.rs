//! Cuts a document into tokens.
//!
//! The language is modal: what a character means depends on where in a macro it stands, and a mode is left as soon
//! as nothing in it fits. Half-written macros are everyday input, so the lexer never fails; it hands the rubbish to
//! the parser, which decides what stays text.

use memchr::{memchr, memchr3};
use tavernkit_core::number::is_js_space;

/// What a token is. Runs of argument text are one token: no rule looks inside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text outside of macros.
    Text,
    /// `{{`
    Open,
    /// `}}`
    Close,
    /// `//` in the place of a name.
    Comment,
    /// `.` or `$` before a variable name.
    Prefix,
    /// One of `! ? ~ # / >` before a name.
    Flag,
    /// A macro's name.
    Name,
    /// `::`
    DoubleColon,
    /// `:`
    Colon,
    /// Anything else in an argument or a value, without the blanks around it.
    Word,
    /// A variable's name after its prefix.
    Variable,
    /// `++` or `--`
    Step,
    /// Any operator that takes a value.
    Operator,
    /// The end of the document. Never in the list; what a look beyond it sees.
    End,
}

/// A token and its place, in bytes of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Head,
    NameEnd,
    Arguments,
    VariableName,
    VariableOperator,
    VariableValue,
}

/// The document nests macros deeper than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooDeep;

/// Operators that take a value, in the order in which they are tried.
const OPERATORS: [&str; 13] = ["??=", "??", "||=", "||", "-=", "==", "!=", ">=", ">", "<=", "<", "+=", "="];

/// Cuts `text[start..end]`; positions count from the start of `text`.
pub(super) fn tokenize(
    text: &str,
    start: usize,
    end: usize,
    max_depth: usize,
) -> Result<Vec<Token>, TooDeep> {
    let mut lexer = Lexer { text: &text[..end], at: start, tokens: Vec::new(), modes: Vec::new(), max_depth };
    lexer.run()?;
    Ok(lexer.tokens)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    /// Empty means: outside of all macros.
    modes: Vec<Mode>,
    max_depth: usize,
}

impl Lexer<'_> {
    fn run(&mut self) -> Result<(), TooDeep> {
        while self.at < self.text.len() {
            match self.modes.last() {
                None => self.plain(),
                Some(Mode::Head) => self.head(),
                Some(Mode::NameEnd) => self.name_end(),
                Some(Mode::Arguments) => self.arguments(),
                Some(Mode::VariableName) => self.variable_name(),
                Some(Mode::VariableOperator) => self.variable_operator(),
                Some(Mode::VariableValue) => self.variable_value(),
            }
            // Every nested macro holds a head and one inner mode.
            if self.modes.len() > 2 * self.max_depth {
                return Err(TooDeep);
            }
        }
        Ok(())
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn sees(&self, what: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(what.as_bytes())
    }

    fn push(&mut self, kind: Kind, len: usize) {
        self.tokens.push(Token { kind, start: self.at, end: self.at + len });
        self.at += len;
    }

    fn enter(&mut self, mode: Mode) {
        self.modes.push(mode);
    }

    fn leave(&mut self) {
        self.modes.pop();
    }

    fn swap(&mut self, mode: Mode) {
        self.leave();
        self.enter(mode);
    }

    fn skip_blanks(&mut self) -> bool {
        let blanks = blank_len(self.rest());
        self.at += blanks;
        blanks > 0
    }

    /// Text up to the next `{{`; of three and more braces the last two open.
    fn plain(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while let Some(found) = memchr(b'{', &bytes[at..]) {
            at += found;
            let run = bytes[at..].iter().take_while(|b| **b == b'{').count();
            at += run;
            if run >= 2 {
                at -= 2;
                if at > self.at {
                    self.push(Kind::Text, at - self.at);
                }
                self.push(Kind::Open, 2);
                self.enter(Mode::Head);
                return;
            }
        }
        self.push(Kind::Text, bytes.len() - self.at);
    }

    fn head(&mut self) {
        if self.sees("}}") {
            self.push(Kind::Close, 2);
            self.leave();
        } else if self.sees("//") {
            self.push(Kind::Comment, 2);
            self.enter(Mode::Arguments);
        } else {
            match self.byte(0) {
                Some(b'.' | b'$') => {
                    self.push(Kind::Prefix, 1);
                    self.enter(Mode::VariableName);
                }
                Some(b'!' | b'?' | b'~' | b'#' | b'/' | b'>') => self.push(Kind::Flag, 1),
                Some(b) if b.is_ascii_alphabetic() => {
                    let len =
                        self.text.as_bytes()[self.at..].iter().take_while(|b| is_name_byte(**b)).count();
                    self.push(Kind::Name, len);
                    self.enter(Mode::NameEnd);
                }
                _ if self.skip_blanks() => {}
                _ => self.leave(),
            }
        }
    }

    /// Rubbish glued to a name is skipped: `{{user's}}` is `{{user}}`.
    fn name_end(&mut self) {
        if self.sees("}}") {
            self.leave();
        } else if self.skip_blanks() || matches!(self.byte(0), Some(b':' | b'|' | b'}')) {
            self.swap(Mode::Arguments);
        } else {
            let rest = self.rest();
            let acceptable = |c: char| is_js_space(c) || matches!(c, ':' | '|' | '}');
            self.at += rest.find(acceptable).unwrap_or(rest.len());
        }
    }

    fn arguments(&mut self) {
        if self.sees("{{") {
            self.push(Kind::Open, 2);
            self.enter(Mode::Head);
        } else if self.sees("}}") {
            self.leave();
        } else if self.sees("::") {
            self.push(Kind::DoubleColon, 2);
        } else if self.sees(":") {
            self.push(Kind::Colon, 1);
        } else if !self.skip_blanks() {
            self.word(true);
        }
    }

    fn variable_name(&mut self) {
        if self.skip_blanks() {
            return;
        }
        match variable_name_len(self.rest()) {
            0 => self.leave(),
            len => {
                self.push(Kind::Variable, len);
                self.swap(Mode::VariableOperator);
            }
        }
    }

    fn variable_operator(&mut self) {
        if self.skip_blanks() {
            return;
        }
        if self.sees("++") || self.sees("--") {
            self.push(Kind::Step, 2);
        } else if let Some(operator) = OPERATORS.iter().find(|operator| self.sees(operator)) {
            self.push(Kind::Operator, operator.len());
            self.swap(Mode::VariableValue);
        } else {
            self.leave();
        }
    }

    fn variable_value(&mut self) {
        if self.sees("{{") {
            self.push(Kind::Open, 2);
            self.enter(Mode::Head);
        } else if self.sees("}}") {
            self.leave();
        } else if !self.skip_blanks() {
            self.word(false);
        }
    }

    /// A run of argument text up to `{{`, `}}` or, where it separates, a colon.
    fn word(&mut self, colons: bool) {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            let rest = &bytes[at..];
            let next =
                if colons { memchr3(b'{', b'}', b':', rest) } else { memchr::memchr2(b'{', b'}', rest) };
            let Some(found) = next else {
                at = bytes.len();
                break;
            };
            at += found;
            if bytes[at] == b':' || bytes.get(at + 1) == Some(&bytes[at]) {
                break;
            }
            at += 1;
        }
        let len = self.text[self.at..at].trim_end_matches(is_js_space).len();
        self.push(Kind::Word, len);
        self.at = at;
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn blank_len(text: &str) -> usize {
    text.len() - text.trim_start_matches(is_js_space).len()
}

/// The length of the variable name at the start of `text`: a letter, then letters, digits, `_` and `-`, not ending in `-`.
pub(super) fn variable_name_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_alphabetic) {
        return 0;
    }
    let len = bytes.iter().take_while(|b| is_name_byte(**b)).count();
    text[..len].trim_end_matches('-').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Kind, &str)> {
        let tokens = tokenize(text, 0, text.len(), 64).unwrap();
        tokens.into_iter().map(|t| (t.kind, &text[t.start..t.end])).collect()
    }

    #[test]
    fn of_many_braces_the_last_two_open() {
        assert_eq!(
            cut("a{{{user}}}"),
            [
                (Kind::Text, "a{"),
                (Kind::Open, "{{"),
                (Kind::Name, "user"),
                (Kind::Close, "}}"),
                (Kind::Text, "}")
            ]
        );
    }

    #[test]
    fn arguments_are_words_and_colons() {
        assert_eq!(
            cut("{{m ::  a b :{x}y }}"),
            [
                (Kind::Open, "{{"),
                (Kind::Name, "m"),
                (Kind::DoubleColon, "::"),
                (Kind::Word, "a b"),
                (Kind::Colon, ":"),
                (Kind::Word, "{x}y"),
                (Kind::Close, "}}")
            ]
        );
    }

    #[test]
    fn a_variable_name_does_not_eat_its_operator() {
        assert_eq!(
            cut("{{.my-var--}}")[1..4],
            [(Kind::Prefix, "."), (Kind::Variable, "my-var"), (Kind::Step, "--")]
        );
    }

    #[test]
    fn what_fits_no_head_is_text_again() {
        assert_eq!(cut("{{1x}}"), [(Kind::Open, "{{"), (Kind::Text, "1x}}")]);
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "{{a ".repeat(1000);
        assert_eq!(tokenize(&deep, 0, deep.len(), 64), Err(TooDeep));
        let braces = "{".repeat(100_000);
        assert_eq!(tokenize(&braces, 0, braces.len(), 64).unwrap().len(), 2);
    }
}
