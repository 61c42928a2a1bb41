//! Character classes: the plain ones, and those of `v` with set operations and strings.

use std::collections::BTreeSet;

use super::ast::{Fold, Node};
use super::classes::CharSet;
use super::flags::UnicodeMode;
use super::parse::{Parsed, Parser, ch};
use super::parse_escape::{ClassEscape, Place};
use super::unicode;

/// What stands between two operators of a class.
enum Atom {
    Char(u32),
    Set(CharSet),
}

/// The value of a class of `v`. With `i`, characters are in their folded form.
#[derive(Clone, Default)]
struct ClassSet {
    chars: CharSet,
    /// Members that are not exactly one character.
    strings: BTreeSet<Vec<u32>>,
    /// Whether the class could have such members by its form: then it cannot be negated.
    may_have_strings: bool,
}

/// An operand of a class of `v`.
enum Operand {
    Char(u32),
    Set(ClassSet),
}

impl Parser<'_> {
    /// After `[`.
    pub(super) fn class(&mut self, start: usize) -> Parsed<Node> {
        if self.flags.unicode == UnicodeMode::Sets {
            let class = self.set_class(start)?;
            return Ok(self.class_set_node(class));
        }
        let negative = self.eat("^");
        let mut set = Vec::new();
        loop {
            if self.eat("]") {
                break;
            }
            let at = self.at;
            let atom = self.class_atom(start)?;
            if !self.looking_at("-") || self.peek_at(1) == Some(ch(']')) {
                push_atom(&mut set, atom);
                continue;
            }
            self.at += 1;
            match (atom, self.class_atom(start)?) {
                (Atom::Char(lo), Atom::Char(hi)) if lo <= hi => set.push((lo, hi)),
                (Atom::Char(_), Atom::Char(_)) => {
                    return Err(self.error_at(at, "range out of order in a class"));
                }
                _ if self.is_unicode() => {
                    return Err(self.error_at(at, "a class cannot be the end of a range"));
                }
                (first, last) => {
                    push_atom(&mut set, first);
                    push_atom(&mut set, Atom::Char(ch('-')));
                    push_atom(&mut set, last);
                }
            }
        }
        let set = unicode::close_over_case(&CharSet::from_ranges(set), self.fold());
        Ok(Node::set(if negative { set.complement() } else { set }))
    }

    fn class_atom(&mut self, start: usize) -> Parsed<Atom> {
        match self.next() {
            None => Err(self.error_at(start, "unterminated class")),
            Some(c) if c == ch('\\') => {
                if self.eat("b") {
                    return Ok(Atom::Char(0x08));
                }
                match self.class_escape()? {
                    Some(ClassEscape::Chars { set, negative }) => {
                        Ok(Atom::Set(if negative { set.complement() } else { set }))
                    }
                    Some(ClassEscape::Strings(_)) => {
                        Err(self.error("a property of strings needs the v flag"))
                    }
                    None => Ok(Atom::Char(self.character_escape(Place::Class)?)),
                }
            }
            Some(c) => Ok(Atom::Char(c)),
        }
    }

    /// After `[`, with `v`.
    fn set_class(&mut self, start: usize) -> Parsed<ClassSet> {
        self.enter()?;
        let negative = self.eat("^");
        let mut class = self.set_class_contents(start)?;
        if negative {
            if class.may_have_strings {
                return Err(self.error_at(start, "a negated class cannot have strings"));
            }
            class.chars = unicode::all_folded(self.fold()).subtract(&class.chars);
        }
        self.leave();
        Ok(class)
    }

    fn set_class_contents(&mut self, start: usize) -> Parsed<ClassSet> {
        let mut class = ClassSet::default();
        if self.eat("]") {
            return Ok(class);
        }
        let first = self.operand(start)?;
        if self.looking_at("--") || self.looking_at("&&") {
            class = self.operand_set(first);
            return self.set_operation(class, start);
        }
        let mut operand = first;
        loop {
            if let (Operand::Char(lo), true) = (&operand, self.looking_at("-") && !self.looking_at("--")) {
                let at = self.at;
                self.at += 1;
                let Operand::Char(hi) = self.operand(start)? else {
                    return Err(self.error_at(at, "a class cannot be the end of a range"));
                };
                if *lo > hi {
                    return Err(self.error_at(at, "range out of order in a class"));
                }
                let range = CharSet::from_ranges(vec![(*lo, hi)]);
                class.chars = class.chars.union(&unicode::fold_set(&range, self.fold()));
            } else {
                let more = self.operand_set(operand);
                class.chars = class.chars.union(&more.chars);
                class.strings.extend(more.strings);
                class.may_have_strings |= more.may_have_strings;
            }
            if self.eat("]") {
                return Ok(class);
            }
            if self.looking_at("--") || self.looking_at("&&") {
                return Err(self.error("operators of different kinds in one class"));
            }
            operand = self.operand(start)?;
        }
    }

    /// `A--B--C` or `A&&B&&C` after `A`.
    fn set_operation(&mut self, mut class: ClassSet, start: usize) -> Parsed<ClassSet> {
        let operator = if self.looking_at("--") { "--" } else { "&&" };
        while !self.eat("]") {
            if !self.eat(operator) {
                return Err(self.error("operators of different kinds in one class"));
            }
            if operator == "&&" && self.looking_at("&") {
                return Err(self.error("invalid character in a class"));
            }
            let operand = self.operand(start)?;
            let other = self.operand_set(operand);
            if operator == "--" {
                class.chars = class.chars.subtract(&other.chars);
                class.strings.retain(|s| !other.strings.contains(s));
            } else {
                class.chars = class.chars.intersect(&other.chars);
                class.strings.retain(|s| other.strings.contains(s));
                class.may_have_strings &= other.may_have_strings;
            }
        }
        Ok(class)
    }

    fn operand_set(&self, operand: Operand) -> ClassSet {
        match operand {
            Operand::Set(set) => set,
            Operand::Char(c) => {
                let chars = CharSet::single(unicode::canonicalize(c, self.fold()));
                ClassSet { chars, ..ClassSet::default() }
            }
        }
    }

    fn operand(&mut self, start: usize) -> Parsed<Operand> {
        let at = self.at;
        if self.eat("[") {
            return Ok(Operand::Set(self.set_class(at)?));
        }
        if self.eat("\\q{") {
            return Ok(Operand::Set(self.quoted_strings(at)?));
        }
        if self.eat("\\") {
            if let Some(escape) = self.class_escape()? {
                return Ok(Operand::Set(self.escape_class_set(escape)));
            }
            self.at = at;
        }
        Ok(Operand::Char(self.set_character(start)?))
    }

    fn escape_class_set(&self, escape: ClassEscape) -> ClassSet {
        let fold = self.fold();
        match escape {
            ClassEscape::Chars { set, negative } => {
                let chars = unicode::fold_set(&set, fold);
                let chars = if negative { unicode::all_folded(fold).subtract(&chars) } else { chars };
                ClassSet { chars, ..ClassSet::default() }
            }
            ClassEscape::Strings(strings) => self.class_set_of(strings),
        }
    }

    /// Strings as a class: those of one character are characters.
    fn class_set_of(&self, strings: Vec<Vec<u32>>) -> ClassSet {
        let fold = self.fold();
        let mut class = ClassSet::default();
        let mut chars = Vec::new();
        for string in strings {
            let string: Vec<u32> = string.into_iter().map(|c| unicode::canonicalize(c, fold)).collect();
            if let [c] = string[..] {
                chars.push((c, c));
            } else {
                class.may_have_strings = true;
                class.strings.insert(string);
            }
        }
        class.chars = CharSet::from_ranges(chars);
        class
    }

    /// After `\q{`.
    fn quoted_strings(&mut self, start: usize) -> Parsed<ClassSet> {
        let mut strings = vec![Vec::new()];
        loop {
            if self.eat("}") {
                return Ok(self.class_set_of(strings));
            }
            if self.eat("|") {
                strings.push(Vec::new());
                continue;
            }
            let c = self.set_character(start)?;
            if let Some(last) = strings.last_mut() {
                last.push(c);
            }
        }
    }

    /// One character in a class of `v`: its own punctuation must be escaped, and so must doubled punctuation.
    fn set_character(&mut self, start: usize) -> Parsed<u32> {
        let at = self.at;
        let Some(c) = self.next() else { return Err(self.error_at(start, "unterminated class")) };
        match char::from_u32(c) {
            Some('\\') => {
                if self.eat("b") {
                    return Ok(0x08);
                }
                if let Some(p) = self.peek().and_then(char::from_u32)
                    && "&-!#%,:;<=>@`~".contains(p)
                {
                    self.at += 1;
                    return Ok(ch(p));
                }
                self.character_escape(Place::Class)
            }
            Some('(' | ')' | '[' | ']' | '{' | '}' | '/' | '-' | '|') => {
                Err(self.error_at(at, "this character must be escaped in a class of v"))
            }
            Some(p) if "&!#$%*+,.:;<=>?@^`~".contains(p) && self.peek() == Some(c) => {
                Err(self.error_at(at, "doubled punctuation is reserved in a class of v"))
            }
            _ => Ok(c),
        }
    }

    fn class_set_node(&self, class: ClassSet) -> Node {
        let fold = self.fold();
        let chars = unicode::unfold_set(&class.chars, fold);
        if class.strings.is_empty() {
            return Node::set(chars);
        }
        // Longer strings go first. Those that match at one place are beginnings of each other, so that a tree of them,
        // tried from its leaves, does the same.
        let strings: Vec<&[u32]> =
            class.strings.iter().map(Vec::as_slice).filter(|s| !s.is_empty()).collect();
        let mut nodes = vec![tree(&strings, fold, 0), Node::set(chars)];
        if class.strings.contains(&Vec::new()) {
            nodes.push(Node::Empty);
        }
        Node::Alternatives(nodes)
    }

    /// `\p{…}` of a property of strings outside a class.
    pub(super) fn strings_node(&self, strings: Vec<Vec<u32>>) -> Node {
        self.class_set_node(self.class_set_of(strings))
    }
}

fn push_atom(set: &mut Vec<(u32, u32)>, atom: Atom) {
    match atom {
        Atom::Char(c) => set.push((c, c)),
        Atom::Set(chars) => set.extend_from_slice(chars.ranges()),
    }
}

/// How many characters of strings are joined in a tree; what comes after is left apart.
const TREE_DEPTH: usize = 16;

/// Strings, sorted, as alternatives with common beginnings joined, and characters with the same continuation in one set.
fn tree(strings: &[&[u32]], fold: Fold, depth: usize) -> Node {
    let whole = |string: &&[u32]| {
        Node::sequence(string.iter().map(|c| Node::set(unicode::same_without_case(*c, fold))).collect())
    };
    if depth == TREE_DEPTH {
        let mut longest_first = strings.to_vec();
        longest_first.sort_by_key(|string| std::cmp::Reverse(string.len()));
        return Node::alternatives(longest_first.iter().map(whole).collect());
    }
    let mut branches: Vec<(CharSet, Node)> = Vec::new();
    for group in strings.chunk_by(|a, b| a.first() == b.first()) {
        let Some(&c) = group[0].first() else { continue };
        let same = unicode::same_without_case(c, fold);
        let rest: Vec<&[u32]> = group.iter().map(|string| &string[1..]).collect();
        let after = tree(&rest, fold, depth + 1);
        match branches.iter_mut().find(|(_, known)| *known == after) {
            Some((set, _)) => *set = set.union(&same),
            None => branches.push((same, after)),
        }
    }
    let ends_here = strings.iter().any(|string| string.is_empty());
    let joined = branches.into_iter().map(|(set, after)| Node::sequence(vec![Node::set(set), after]));
    let mut nodes: Vec<Node> = joined.collect();
    if ends_here {
        nodes.push(Node::Empty);
    }
    Node::alternatives(nodes)
}
