//! The parsed form of a pattern. Case folding and modifiers are already worked into its character sets.

use super::classes::CharSet;

/// No upper bound of a repeat.
pub(super) const UNBOUNDED: u32 = u32::MAX;

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// Matches the empty text.
    Empty,
    /// One character, exactly.
    Char(u32),
    /// One character of a set.
    Set(CharSet),
    /// One after another.
    Sequence(Vec<Node>),
    /// The first that leads to a match.
    Alternatives(Vec<Node>),
    /// A capturing group.
    Group(u32, Box<Node>),
    /// A quantified piece.
    Repeat(Box<Repeat>),
    /// `^`, `$`, `\b`, `\B`.
    Assert(Assertion),
    /// Lookahead or lookbehind.
    Look(Box<Look>),
    /// `\1`, `\k<name>`; several groups when the name is used more than once.
    BackReference { groups: Vec<u32>, fold: Fold },
}

/// `{min,max}` and its short forms.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Repeat {
    pub node: Node,
    pub min: u32,
    pub max: u32,
    pub greedy: bool,
    /// The groups inside (first, one past the last): each round begins with them unset.
    pub groups: (u32, u32),
}

/// A zero-width look to one side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Look {
    pub node: Node,
    pub direction: Direction,
    pub negative: bool,
}

/// Which way a piece is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// A test of the place between two characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Assertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    Word(Word),
    NotWord(Word),
}

/// What counts as a word character at a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Word {
    Ascii,
    /// With `u` and `i`: also the letters that fold to ASCII ones.
    Folded,
}

/// How characters are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fold {
    Exact,
    /// By `toUpperCase` of units: `i` without `u`.
    Upper,
    /// By simple case folding: `i` with `u` or `v`.
    Simple,
}

/// A parsed pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub node: Node,
    /// Capturing groups, the whole match not counted.
    pub groups: u32,
    /// Group names in the order of the pattern, each with its groups.
    pub names: Vec<(String, Vec<u32>)>,
}

impl Node {
    /// A sequence, simplified.
    pub fn sequence(mut nodes: Vec<Node>) -> Node {
        nodes.retain(|n| *n != Node::Empty);
        match nodes.len() {
            0 => Node::Empty,
            1 => nodes.remove(0),
            _ => Node::Sequence(nodes),
        }
    }

    /// A set, simplified to a character when it has only one.
    pub fn set(set: CharSet) -> Node {
        match set.ranges() {
            [(lo, hi)] if lo == hi => Node::Char(*lo),
            _ => Node::Set(set),
        }
    }

    /// The set of a piece that always takes exactly one character.
    pub fn as_set(&self) -> Option<CharSet> {
        match self {
            Node::Char(c) => Some(CharSet::single(*c)),
            Node::Set(set) => Some(set.clone()),
            _ => None,
        }
    }

    /// Alternatives, simplified: neighbours that take one character each become one set.
    pub fn alternatives(nodes: Vec<Node>) -> Node {
        let mut out: Vec<Node> = Vec::with_capacity(nodes.len());
        for node in nodes {
            if let (Some(set), Some(last)) = (node.as_set(), out.last_mut())
                && let Some(before) = last.as_set()
            {
                *last = Node::set(before.union(&set));
                continue;
            }
            out.push(node);
        }
        match out.len() {
            0 => Node::Empty,
            1 => out.remove(0),
            _ => Node::Alternatives(out),
        }
    }

    /// Whether the piece can match without taking a character.
    pub fn can_be_empty(&self) -> bool {
        match self {
            Node::Empty | Node::Assert(_) | Node::Look(_) | Node::BackReference { .. } => true,
            Node::Char(_) | Node::Set(_) => false,
            Node::Sequence(nodes) => nodes.iter().all(Node::can_be_empty),
            Node::Alternatives(nodes) => nodes.iter().any(Node::can_be_empty),
            Node::Group(_, node) => node.can_be_empty(),
            Node::Repeat(repeat) => repeat.min == 0 || repeat.node.can_be_empty(),
        }
    }

    /// Whether the piece never takes a character.
    pub fn is_always_empty(&self) -> bool {
        match self {
            Node::Empty | Node::Assert(_) | Node::Look(_) => true,
            Node::Char(_) | Node::Set(_) | Node::BackReference { .. } => false,
            Node::Sequence(nodes) | Node::Alternatives(nodes) => nodes.iter().all(Node::is_always_empty),
            Node::Group(_, node) => node.is_always_empty(),
            Node::Repeat(repeat) => repeat.max == 0 || repeat.node.is_always_empty(),
        }
    }
}
