//! Escapes outside and inside classes.

use super::ast::Node;
use super::classes::{self, CharSet};
use super::flags::UnicodeMode;
use super::parse::{Parsed, Parser, ch, join_surrogates};
use super::unicode::{self, Property};

/// Where an escape stands.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    Outside,
    Class,
}

/// A class escape: `\d`, `\p{…}` and their opposites.
pub(super) enum ClassEscape {
    Chars { set: CharSet, negative: bool },
    Strings(Vec<Vec<u32>>),
}

impl Parser<'_> {
    /// After a backslash outside a class (`\b` and `\B` are seen to before).
    pub(super) fn atom_escape(&mut self) -> Parsed<Node> {
        let start = self.at;
        match self.peek().and_then(char::from_u32) {
            Some('1'..='9') => {
                let n = self.number().unwrap_or(0);
                if n <= self.group_total {
                    return Ok(Node::BackReference { groups: vec![n], fold: self.fold() });
                }
                if self.is_unicode() {
                    return Err(self.error_at(start, format!("there is no group {n}")));
                }
                self.at = start;
            }
            Some('k') if self.is_unicode() || self.has_names() => {
                self.at += 1;
                if !self.eat("<") {
                    return Err(self.error_at(start, "a group name must follow \\k"));
                }
                let name = self.group_name()?;
                let Some((_, groups)) = self.names.iter().find(|(known, _)| *known == name) else {
                    return Err(self.error_at(start, format!("there is no group named \"{name}\"")));
                };
                return Ok(Node::BackReference { groups: groups.clone(), fold: self.fold() });
            }
            _ => {}
        }
        match self.class_escape()? {
            Some(ClassEscape::Strings(strings)) => Ok(self.strings_node(strings)),
            Some(ClassEscape::Chars { set, negative }) => Ok(Node::set(self.escape_set(set, negative))),
            None => {
                let c = self.character_escape(Place::Outside)?;
                Ok(self.char_node(c))
            }
        }
    }

    /// The characters that a class escape matches on its own, outside a class or in one of `u`.
    pub(super) fn escape_set(&self, set: CharSet, negative: bool) -> CharSet {
        let fold = self.fold();
        if self.flags.unicode == UnicodeMode::Sets {
            let folded = unicode::fold_set(&set, fold);
            let folded = if negative { unicode::all_folded(fold).subtract(&folded) } else { folded };
            return unicode::unfold_set(&folded, fold);
        }
        let set = if negative { set.complement() } else { set };
        unicode::close_over_case(&set, fold)
    }

    /// `\d \D \s \S \w \W \p \P`, if it is one.
    pub(super) fn class_escape(&mut self) -> Parsed<Option<ClassEscape>> {
        let Some(c) = self.peek().and_then(char::from_u32) else { return Ok(None) };
        let unicode_ignore_case = self.is_unicode() && self.fold() != super::ast::Fold::Exact;
        let set = match c {
            'd' | 'D' => classes::digits(),
            's' | 'S' => classes::space(),
            'w' | 'W' => classes::word(unicode_ignore_case),
            'p' | 'P' if self.is_unicode() => return self.property_escape().map(Some),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(ClassEscape::Chars { set, negative: c.is_ascii_uppercase() }))
    }

    fn property_escape(&mut self) -> Parsed<ClassEscape> {
        let start = self.at;
        let negative = self.next() == Some(ch('P'));
        let invalid =
            |parser: &Self, what: &str| Err(parser.error_at(start, format!("invalid property: {what}")));
        if !self.eat("{") {
            return invalid(self, "\"{\" must follow");
        }
        let mut text = String::new();
        loop {
            match self.next().and_then(char::from_u32) {
                Some('}') => break,
                Some(c) if c.is_ascii_alphanumeric() || c == '_' || c == '=' => text.push(c),
                _ => return invalid(self, "a name and \"}\" must follow"),
            }
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text.as_str(), None),
        };
        match unicode::property(name, value) {
            Some(Property::Chars(set)) => Ok(ClassEscape::Chars { set, negative }),
            Some(Property::Strings(strings)) if self.flags.unicode == UnicodeMode::Sets && !negative => {
                Ok(ClassEscape::Strings(strings))
            }
            Some(Property::Strings(_)) => {
                invalid(self, "a property of strings, only for \\p with the v flag")
            }
            None => invalid(self, &text),
        }
    }

    /// An escape that stands for one character.
    pub(super) fn character_escape(&mut self, place: Place) -> Parsed<u32> {
        let start = self.at;
        let Some(c) = self.next() else { return Err(self.error("\\ at the end of the pattern")) };
        let unicode = self.is_unicode();
        let invalid = |parser: &Self| Err(parser.error_at(start, "invalid escape"));
        match char::from_u32(c) {
            Some('f') => Ok(0x0C),
            Some('n') => Ok(0x0A),
            Some('r') => Ok(0x0D),
            Some('t') => Ok(0x09),
            Some('v') => Ok(0x0B),
            Some('c') => {
                let letter = self.peek().and_then(char::from_u32).filter(|c| {
                    c.is_ascii_alphabetic()
                        || (!unicode && place == Place::Class && (c.is_ascii_digit() || *c == '_'))
                });
                match letter {
                    Some(letter) => {
                        self.at += 1;
                        Ok(ch(letter) % 32)
                    }
                    None if unicode => invalid(self),
                    None => {
                        // The backslash is itself, and the c comes again as a plain character.
                        self.at = start;
                        Ok(ch('\\'))
                    }
                }
            }
            Some('0') if !self.peek().and_then(char::from_u32).is_some_and(|c| c.is_ascii_digit()) => Ok(0),
            Some('0'..='9') if unicode => invalid(self),
            Some('0'..='7') => {
                self.at = start;
                Ok(self.octal())
            }
            Some('x') => match self.hex(2) {
                Some(value) => Ok(value),
                None if unicode => invalid(self),
                None => Ok(c),
            },
            Some('u') => match self.unicode_escape() {
                Some(value) => Ok(value),
                None if unicode => invalid(self),
                None => Ok(c),
            },
            Some(
                '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/',
            ) => Ok(c),
            Some('-') if place == Place::Class => Ok(c),
            _ if unicode => invalid(self),
            Some('k') if self.has_names() => invalid(self),
            _ => Ok(c),
        }
    }

    /// Up to three octal digits, at most `\377`.
    fn octal(&mut self) -> u32 {
        let mut value = 0;
        for _ in 0..3 {
            match self.peek().and_then(char::from_u32).and_then(|c| c.to_digit(8)) {
                Some(digit) if value * 8 + digit <= 0o377 => value = value * 8 + digit,
                _ => break,
            }
            self.at += 1;
        }
        value
    }

    /// Exactly so many hexadecimal digits, or nothing taken.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let mut value = 0;
        for i in 0..digits {
            value = value * 16 + self.peek_at(i).and_then(char::from_u32)?.to_digit(16)?;
        }
        self.at += digits;
        Some(value)
    }

    /// After `\u`, by the rules of the mode; nothing taken when it is not an escape.
    fn unicode_escape(&mut self) -> Option<u32> {
        if self.is_unicode() { self.unicode_escape_any() } else { self.hex(4) }
    }

    /// After `\u`, with `{…}` and pairs of surrogates: in group names both are allowed in every mode.
    pub(super) fn unicode_escape_any(&mut self) -> Option<u32> {
        let start = self.at;
        if self.eat("{") {
            let mut value: u32 = 0;
            let mut digits = 0;
            while let Some(digit) = self.peek().and_then(char::from_u32).and_then(|c| c.to_digit(16)) {
                value = value.saturating_mul(16).saturating_add(digit);
                digits += 1;
                self.at += 1;
            }
            if digits > 0 && value <= classes::MAX && self.eat("}") {
                return Some(value);
            }
            self.at = start;
            return None;
        }
        let first = self.hex(4)?;
        let after = self.at;
        if (0xD800..=0xDBFF).contains(&first) && self.eat("\\u") {
            if let Some(low @ 0xDC00..=0xDFFF) = self.hex(4) {
                return Some(join_surrogates(first, low));
            }
            self.at = after;
        }
        Some(first)
    }
}
