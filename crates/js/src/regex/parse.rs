//! The parser: ECMAScript 2025 with Annex B (what browsers accept without `u`).
//!
//! Works on UTF-16 units without `u`, on code points with `u` or `v`, as the specification does. Escapes are in
//! `parse_escape.rs`, classes in `parse_class.rs`.

use super::ast::{Assertion, Direction, Fold, Look, Node, Pattern, Repeat, UNBOUNDED, Word};
use super::classes::{self, CharSet};
use super::error::{RegexError, RegexErrorKind};
use super::flags::{Flags, UnicodeMode};
use super::unicode;

/// How deep groups, or nested classes, may go. Deeper patterns are refused, so that no pattern can use up the stack.
const MAX_DEPTH: u32 = 200;

/// Parses a pattern given as units (without `u`) or code points. Offsets in errors are indices into `source`.
pub(super) fn parse(source: &[u32], flags: Flags) -> Result<Pattern, RegexError> {
    let mut parser = Parser {
        source,
        at: 0,
        flags,
        modifiers: Modifiers {
            ignore_case: flags.ignore_case,
            multiline: flags.multiline,
            dot_all: flags.dot_all,
        },
        group_total: 0,
        names: Vec::new(),
        groups_open: 0,
        depth: 0,
    };
    parser.scan_groups();
    let (node, _) = parser.disjunction()?;
    match parser.peek() {
        None => Ok(Pattern { node, groups: parser.group_total, names: parser.names }),
        Some(c) if c == ch(')') => Err(parser.error("unmatched \")\"")),
        Some(_) => Err(parser.error("unexpected character")),
    }
}

/// A character as the parser sees it.
pub(super) const fn ch(c: char) -> u32 {
    c as u32
}

/// The flags that `(?i:…)` can change.
#[derive(Clone, Copy)]
struct Modifiers {
    ignore_case: bool,
    multiline: bool,
    dot_all: bool,
}

pub(super) struct Parser<'a> {
    source: &'a [u32],
    pub(super) at: usize,
    pub(super) flags: Flags,
    modifiers: Modifiers,
    /// All capturing groups of the pattern, known before the parse.
    pub(super) group_total: u32,
    /// All names, with their groups.
    pub(super) names: Vec<(String, Vec<u32>)>,
    /// Groups opened so far.
    groups_open: u32,
    depth: u32,
}

pub(super) type Parsed<T> = Result<T, RegexError>;

impl Parser<'_> {
    pub(super) fn error(&self, message: impl Into<String>) -> RegexError {
        RegexError::new(RegexErrorKind::Syntax, self.at, message)
    }

    pub(super) fn peek(&self) -> Option<u32> {
        self.source.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u32> {
        self.source.get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Option<u32> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.peek_at(i) == Some(ch(c)))
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        if found {
            self.at += text.len();
        }
        found
    }

    pub(super) fn is_unicode(&self) -> bool {
        self.flags.is_unicode()
    }

    pub(super) fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    pub(super) fn fold(&self) -> Fold {
        match (self.modifiers.ignore_case, self.is_unicode()) {
            (false, _) => Fold::Exact,
            (true, false) => Fold::Upper,
            (true, true) => Fold::Simple,
        }
    }

    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH}");
            return Err(RegexError::new(RegexErrorKind::TooLarge, self.at, message));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Counts the groups and collects their names before the parse: `\2` and `\k<a>` may stand before their groups,
    /// and what `\k` means depends on whether any group has a name.
    fn scan_groups(&mut self) {
        let mut class_depth = 0;
        while let Some(c) = self.next() {
            match char::from_u32(c) {
                Some('\\') => self.at += 1,
                Some('[') if class_depth == 0 || self.flags.unicode == UnicodeMode::Sets => class_depth += 1,
                Some(']') if class_depth > 0 => class_depth -= 1,
                Some('(') if class_depth == 0 => {
                    let named = self.looking_at("?<") && !self.looking_at("?<=") && !self.looking_at("?<!");
                    if self.looking_at("?") && !named {
                        continue;
                    }
                    self.group_total += 1;
                    if named {
                        self.at += 2;
                        self.note_name();
                    }
                }
                _ => {}
            }
        }
        self.at = 0;
    }

    fn note_name(&mut self) {
        let group = self.group_total;
        // A name that is wrong is reported when the parse comes to it.
        let Ok(name) = self.group_name() else { return };
        match self.names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, groups)) => groups.push(group),
            None => self.names.push((name, vec![group])),
        }
    }

    /// Alternatives up to `)` or the end, with the names of the groups inside.
    fn disjunction(&mut self) -> Parsed<(Node, Vec<String>)> {
        self.enter()?;
        let (first, mut names) = self.alternative()?;
        let mut nodes = vec![first];
        while self.eat("|") {
            let (node, more) = self.alternative()?;
            nodes.push(node);
            names.extend(more);
        }
        self.leave();
        Ok((Node::alternatives(nodes), names))
    }

    fn alternative(&mut self) -> Parsed<(Node, Vec<String>)> {
        let mut nodes = Vec::new();
        let mut names: Vec<String> = Vec::new();
        while let Some(c) = self.peek() {
            if c == ch('|') || c == ch(')') {
                break;
            }
            let start = self.at;
            let (node, more) = self.term()?;
            if let Some(twice) = more.iter().find(|name| names.contains(name)) {
                let message = format!("two groups named \"{twice}\" that can both take part");
                return Err(RegexError::new(RegexErrorKind::Syntax, start, message));
            }
            names.extend(more);
            nodes.push(node);
        }
        Ok((Node::sequence(nodes), names))
    }

    /// One atom or assertion with its quantifier.
    fn term(&mut self) -> Parsed<(Node, Vec<String>)> {
        let groups_before = self.groups_open;
        let start = self.at;
        let mut names = Vec::new();
        let Some(c) = self.next() else { return Ok((Node::Empty, names)) };
        let mut can_repeat = true;
        let node = match char::from_u32(c) {
            Some('^') => return Ok((self.line_assertion(true), names)),
            Some('$') => return Ok((self.line_assertion(false), names)),
            Some('\\') if self.looking_at("b") || self.looking_at("B") => {
                let word = if self.fold() == Fold::Simple { Word::Folded } else { Word::Ascii };
                let assertion = if self.eat("b") {
                    Assertion::Word(word)
                } else {
                    self.at += 1;
                    Assertion::NotWord(word)
                };
                return Ok((Node::Assert(assertion), names));
            }
            Some('\\') => self.atom_escape()?,
            Some('(') => {
                let (node, more, repeatable) = self.group(start)?;
                names = more;
                can_repeat = repeatable;
                node
            }
            Some('[') => self.class(start)?,
            Some('.') if self.modifiers.dot_all => Node::Set(CharSet::all()),
            Some('.') => Node::Set(classes::line_ends().complement()),
            Some('*' | '+' | '?') => return Err(self.error_at(start, "nothing to repeat")),
            Some('{') if self.is_unicode() => return Err(self.error_at(start, "nothing to repeat")),
            Some('{') => {
                self.at = start;
                if self.braces()?.is_some() {
                    return Err(self.error_at(start, "nothing to repeat"));
                }
                self.at = start + 1;
                self.char_node(c)
            }
            Some(']' | '}') if self.is_unicode() => return Err(self.error_at(start, "lone bracket")),
            _ => self.char_node(c),
        };
        let node = self.quantified(node, can_repeat, groups_before)?;
        Ok((node, names))
    }

    pub(super) fn error_at(&self, at: usize, message: impl Into<String>) -> RegexError {
        RegexError::new(RegexErrorKind::Syntax, at, message)
    }

    fn line_assertion(&self, start: bool) -> Node {
        Node::Assert(match (start, self.modifiers.multiline) {
            (true, false) => Assertion::TextStart,
            (true, true) => Assertion::LineStart,
            (false, false) => Assertion::TextEnd,
            (false, true) => Assertion::LineEnd,
        })
    }

    /// A literal character under the current modifiers.
    pub(super) fn char_node(&self, c: u32) -> Node {
        Node::set(unicode::same_without_case(c, self.fold()))
    }

    fn quantified(&mut self, node: Node, can_repeat: bool, groups_before: u32) -> Parsed<Node> {
        let start = self.at;
        let (min, max) = match self.peek().and_then(char::from_u32) {
            Some('*') => (0, UNBOUNDED),
            Some('+') => (1, UNBOUNDED),
            Some('?') => (0, 1),
            Some('{') => match self.braces()? {
                Some(bounds) => {
                    self.at -= 1;
                    bounds
                }
                None if self.is_unicode() => return Err(self.error("incomplete quantifier")),
                None => return Ok(node),
            },
            _ => return Ok(node),
        };
        self.at += 1;
        if !can_repeat {
            return Err(self.error_at(start, "this group cannot be repeated"));
        }
        let greedy = !self.eat("?");
        let groups = (groups_before + 1, self.groups_open + 1);
        Ok(Node::Repeat(Box::new(Repeat { node, min, max, greedy, groups })))
    }

    /// `{n}`, `{n,}`, `{n,m}`; stays in place and gives nothing when the text is not of that form.
    fn braces(&mut self) -> Parsed<Option<(u32, u32)>> {
        let start = self.at;
        self.at += 1;
        let bounds = self.brace_bounds();
        match bounds {
            Some((min, max)) if min > max => {
                Err(self.error_at(start, "numbers out of order in the quantifier"))
            }
            Some(bounds) => Ok(Some(bounds)),
            None => {
                self.at = start;
                Ok(None)
            }
        }
    }

    fn brace_bounds(&mut self) -> Option<(u32, u32)> {
        let min = self.number()?;
        let max = match self.eat(",") {
            false => min,
            true if self.looking_at("}") => UNBOUNDED,
            true => self.number()?,
        };
        self.eat("}").then_some((min, max))
    }

    /// Decimal digits; as large as it gets, `UNBOUNDED`.
    pub(super) fn number(&mut self) -> Option<u32> {
        let start = self.at;
        let mut value: u32 = 0;
        while let Some(digit) = self.peek().and_then(char::from_u32).and_then(|c| c.to_digit(10)) {
            value = value.saturating_mul(10).saturating_add(digit);
            self.at += 1;
        }
        (self.at > start).then_some(value)
    }

    /// After `(`: the group, the names inside, and whether it may be repeated.
    fn group(&mut self, start: usize) -> Parsed<(Node, Vec<String>, bool)> {
        let look = |direction, negative| Some((direction, negative));
        let kind = if self.eat("?=") {
            look(Direction::Forward, false)
        } else if self.eat("?!") {
            look(Direction::Forward, true)
        } else if self.eat("?<=") {
            look(Direction::Backward, false)
        } else if self.eat("?<!") {
            look(Direction::Backward, true)
        } else {
            None
        };
        if let Some((direction, negative)) = kind {
            let (node, names) = self.disjunction()?;
            self.close(start)?;
            let repeatable = direction == Direction::Forward && !self.is_unicode();
            return Ok((Node::Look(Box::new(Look { node, direction, negative })), names, repeatable));
        }
        if self.looking_at("?") && !self.looking_at("?<") {
            self.at += 1;
            let outer = self.modifiers;
            self.modifiers = self.group_modifiers()?;
            let (node, names) = self.disjunction()?;
            self.close(start)?;
            self.modifiers = outer;
            return Ok((node, names, true));
        }
        self.groups_open += 1;
        let group = self.groups_open;
        let mut own = Vec::new();
        if self.eat("?<") {
            own.push(self.group_name()?);
        }
        let (node, names) = self.disjunction()?;
        self.close(start)?;
        if let Some(twice) = own.iter().find(|name| names.contains(name)) {
            return Err(self.error_at(start, format!("two groups named \"{twice}\" that can both take part")));
        }
        own.extend(names);
        Ok((Node::Group(group, Box::new(node)), own, true))
    }

    fn close(&mut self, start: usize) -> Parsed<()> {
        if self.eat(")") { Ok(()) } else { Err(self.error_at(start, "unterminated group")) }
    }

    /// After `(?`: `:`, or modifiers up to `:`.
    fn group_modifiers(&mut self) -> Parsed<Modifiers> {
        let mut modifiers = self.modifiers;
        let mut seen = Vec::new();
        let mut on = true;
        loop {
            let c = self.next().and_then(char::from_u32);
            let field = match c {
                Some(':') => break,
                Some('-') if on => {
                    on = false;
                    continue;
                }
                Some('i') => &mut modifiers.ignore_case,
                Some('m') => &mut modifiers.multiline,
                Some('s') => &mut modifiers.dot_all,
                _ => return Err(self.error_at(self.at.saturating_sub(1), "invalid group")),
            };
            *field = on;
            if seen.contains(&c) {
                return Err(self.error_at(self.at - 1, "the same modifier twice"));
            }
            seen.push(c);
        }
        if !on && seen.is_empty() {
            return Err(self.error_at(self.at - 1, "modifiers are missing after \"-\""));
        }
        Ok(modifiers)
    }

    /// A name up to `>`, which is taken too.
    pub(super) fn group_name(&mut self) -> Parsed<String> {
        let start = self.at;
        let mut name = String::new();
        loop {
            let at = self.at;
            let Some(mut c) = self.next() else {
                return Err(self.error_at(start, "unterminated group name"));
            };
            if c == ch('>') {
                break;
            }
            if c == ch('\\') {
                let escaped = if self.eat("u") { self.unicode_escape_any() } else { None };
                c = escaped.ok_or_else(|| self.error_at(at, "invalid escape in a group name"))?;
            } else if let (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) = (c, self.peek()) {
                c = join_surrogates(c, low);
                self.at += 1;
            }
            let fits = if name.is_empty() { unicode::is_name_start(c) } else { unicode::is_name_part(c) };
            match char::from_u32(c) {
                Some(c) if fits => name.push(c),
                _ => return Err(self.error_at(at, "invalid character in a group name")),
            }
        }
        if name.is_empty() {
            return Err(self.error_at(start, "empty group name"));
        }
        Ok(name)
    }
}

/// The code point of a pair of surrogates.
pub(super) fn join_surrogates(high: u32, low: u32) -> u32 {
    0x1_0000 + ((high & 0x3FF) << 10) + (low & 0x3FF)
}
