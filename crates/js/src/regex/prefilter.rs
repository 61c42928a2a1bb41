//! Finding where a match can begin, in UTF-8, without running the machine.

use std::collections::BTreeSet;

use aho_corasick::packed;
use memchr::memmem::Finder;

use super::ast::Node;
use super::parse::join_surrogates;
use super::program::Filter;

/// The most beginnings to look for at once.
const MAX_LITERALS: usize = 32;
/// Beginnings are cut to this length when there are several.
const MAX_LENGTH: usize = 4;
/// A set of more characters than this is not spelled out.
const MAX_CHARS: usize = 4;

/// A fast search for the places where a match can begin. It may stop at places where none does, never skip one.
#[derive(Clone, Debug)]
pub(super) enum Prefilter {
    /// Everywhere.
    Anywhere,
    /// Where this text is.
    Literal(Box<Finder<'static>>),
    /// Where one of these texts is.
    Literals(Box<packed::Searcher>),
    /// Where one of these bytes is.
    Byte(u8),
    Byte2(u8, u8),
    Byte3(u8, u8, u8),
    /// Where a byte of the table is.
    Table(Box<[bool; 256]>),
    /// Nowhere.
    Never,
}

impl Prefilter {
    /// The best search for a pattern whose matches begin as the filter says.
    pub fn new(node: &Node, first: &Filter) -> Self {
        if first.at_end {
            return Prefilter::Anywhere;
        }
        let beginnings = beginnings(node);
        let shortest = beginnings.texts.iter().map(Vec::len).min().unwrap_or(0);
        if let ([text], 2..) = (&beginnings.texts[..], shortest) {
            return Prefilter::Literal(Box::new(Finder::new(text).into_owned()));
        }
        let keys: Vec<u8> = first.keys().collect();
        if let ([], _) | ([_], _) = (&keys[..], shortest) {
            return Self::of_keys(&keys);
        }
        if shortest >= 2 {
            let cut: BTreeSet<&[u8]> =
                beginnings.texts.iter().map(|t| &t[..t.len().min(MAX_LENGTH)]).collect();
            if let Some(searcher) = packed::Searcher::new(cut) {
                return Prefilter::Literals(Box::new(searcher));
            }
        }
        Self::of_keys(&keys)
    }

    fn of_keys(keys: &[u8]) -> Self {
        match *keys {
            [] => Prefilter::Never,
            [a] => Prefilter::Byte(a),
            [a, b] => Prefilter::Byte2(a, b),
            [a, b, c] => Prefilter::Byte3(a, b, c),
            _ => {
                let mut table = [false; 256];
                keys.iter().for_each(|key| table[usize::from(*key)] = true);
                Prefilter::Table(Box::new(table))
            }
        }
    }

    /// The first place from a position on.
    pub fn next(&self, text: &[u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        let found = match self {
            Prefilter::Anywhere => Some(0),
            Prefilter::Literal(finder) => finder.find(rest),
            Prefilter::Literals(searcher) => searcher.find(rest).map(|found| found.start()),
            Prefilter::Byte(a) => memchr::memchr(*a, rest),
            Prefilter::Byte2(a, b) => memchr::memchr2(*a, *b, rest),
            Prefilter::Byte3(a, b, c) => memchr::memchr3(*a, *b, *c, rest),
            Prefilter::Table(table) => rest.iter().position(|b| table[usize::from(*b)]),
            Prefilter::Never => None,
        };
        found.map(|found| at + found)
    }
}

/// The texts with one of which every match begins.
struct Beginnings {
    texts: Vec<Vec<u8>>,
    /// Whether each text is all that the piece matches, so that what follows can be added.
    complete: bool,
}

impl Beginnings {
    fn one(text: &[u8], complete: bool) -> Self {
        Beginnings { texts: vec![text.to_vec()], complete }
    }

    /// Cuts the texts until there are not too many.
    fn shrink(&mut self) {
        let mut length = MAX_LENGTH;
        while self.texts.len() > MAX_LITERALS {
            self.texts.iter_mut().for_each(|text| text.truncate(length));
            self.texts.sort_unstable();
            self.texts.dedup();
            self.complete = false;
            length = length.saturating_sub(1);
        }
    }
}

fn beginnings(node: &Node) -> Beginnings {
    match node {
        Node::Empty | Node::Assert(_) | Node::Look(_) => Beginnings::one(b"", true),
        Node::BackReference { .. } => Beginnings::one(b"", false),
        Node::Char(c) => of_chars(std::iter::once(*c)),
        Node::Set(set) if set.chars().take(MAX_CHARS + 1).count() <= MAX_CHARS => of_chars(set.chars()),
        Node::Set(_) => Beginnings::one(b"", false),
        Node::Group(_, node) => beginnings(node),
        Node::Repeat(repeat) if repeat.min > 0 => {
            let inner = beginnings(&repeat.node);
            Beginnings { complete: inner.complete && repeat.max == 1, ..inner }
        }
        Node::Repeat(_) => Beginnings::one(b"", false),
        Node::Alternatives(nodes) => {
            let mut all = Beginnings { texts: Vec::new(), complete: true };
            for node in nodes {
                let more = beginnings(node);
                all.texts.extend(more.texts);
                all.complete &= more.complete;
                all.shrink();
            }
            all
        }
        Node::Sequence(nodes) => of_sequence(nodes),
    }
}

fn of_chars(chars: impl Iterator<Item = u32>) -> Beginnings {
    let mut texts = Vec::new();
    for c in chars {
        // A lone surrogate is in no text of UTF-8.
        let Some(c) = char::from_u32(c) else { return Beginnings::one(b"", false) };
        texts.push(c.encode_utf8(&mut [0; 4]).as_bytes().to_vec());
    }
    let complete = !texts.is_empty();
    Beginnings { texts: if complete { texts } else { vec![Vec::new()] }, complete }
}

fn of_sequence(nodes: &[Node]) -> Beginnings {
    let mut all = Beginnings::one(b"", true);
    let mut rest = nodes;
    while let ([node, after @ ..], true) = (rest, all.complete) {
        rest = after;
        let next = match (node, after) {
            (Node::Char(high @ 0xD800..=0xDBFF), [Node::Char(low @ 0xDC00..=0xDFFF), after @ ..]) => {
                rest = after;
                of_chars(std::iter::once(join_surrogates(*high, *low)))
            }
            _ => beginnings(node),
        };
        if all.texts.len() * next.texts.len() > MAX_LITERALS {
            all.complete = false;
            break;
        }
        let joined = all.texts.iter().flat_map(|a| next.texts.iter().map(|b| [&a[..], b].concat()));
        all.texts = joined.collect();
        all.complete = next.complete;
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::regex::{Prefilter, Regex};

    fn prefilter(pattern: &str, flags: &str) -> Prefilter {
        Regex::new(pattern, flags).unwrap().utf8_program().prefilter.clone()
    }

    #[test]
    fn literals_are_searched_as_texts() {
        assert!(matches!(prefilter("dragon", ""), Prefilter::Literal(_)));
        assert!(matches!(prefilter(r"\b(?:dragon)+\s", ""), Prefilter::Literal(_)));
        assert!(matches!(prefilter("<[^>]*>", ""), Prefilter::Byte(b'<')));
        assert!(matches!(prefilter("a*", ""), Prefilter::Anywhere));
        assert!(matches!(prefilter(r"\d+", ""), Prefilter::Table(_)));
        assert!(matches!(prefilter("[]a", ""), Prefilter::Never));
    }

    #[test]
    fn no_start_is_skipped() {
        let pattern = prefilter("dragon|lamp|[Kk]eys?|é+", "i");
        for text in ["xxdragon", "a LAMP", "KEYS", "keY", "x é", "É"] {
            let start = text.find(|c: char| "dlkDLKéÉ".contains(c)).unwrap();
            assert_eq!(pattern.next(text.as_bytes(), 0), Some(start), "{text}");
        }
        assert_eq!(pattern.next(b"nothing here", 0), None);
    }
}
