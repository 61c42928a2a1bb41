//! Whether a pattern without `u` can tell a character above U+FFFF from its two UTF-16 units.
//!
//! To JavaScript such a character is a pair of surrogates, and a pattern without `u` can match one half. Most patterns
//! cannot: they name no surrogate, and their sets that have surrogates (`.`, `[^"]`) stand in endless loops, so that the
//! only question is whether the pattern could go on between the halves. Then UTF-8 gives the same matches, and the text
//! need not be turned into UTF-16. The answer here may be "it can" for a pattern that cannot, never the other way.

use super::ast::{Assertion, Direction, Node, Repeat, UNBOUNDED};
use super::classes::{CharSet, MAX};

/// Whether the pattern matches the same in UTF-8, whatever the text.
pub(super) fn is_blind_to_pairs(node: &Node) -> bool {
    // An empty match makes the search go on one unit further, which may be inside a pair.
    if node.can_be_empty() {
        return false;
    }
    // No match may begin inside a pair. One that begins with a loop over halves would have begun before the pair.
    (fails_inside(node, false) || begins_with_loop(node)) && is_blind(node, Rest::End)
}

/// What follows a piece.
#[derive(Clone, Copy, PartialEq)]
enum Rest {
    /// The end of the pattern.
    End,
    /// Something that cannot match from inside a pair.
    FailsInside,
    /// Anything else.
    Unknown,
}

impl Rest {
    fn fails(self) -> bool {
        self == Rest::FailsInside
    }

    fn of(fails: bool) -> Self {
        if fails { Rest::FailsInside } else { Rest::Unknown }
    }
}

/// How a set meets surrogates and the characters above U+FFFF.
#[derive(PartialEq)]
enum Meets {
    None,
    All,
    Some,
}

fn meets(set: &CharSet) -> Meets {
    let (surrogates, above) = ((0xD800, 0xDFFF), (0x1_0000, MAX));
    let part = set.intersect(&CharSet::from_ranges(vec![surrogates, above]));
    match part.ranges() {
        [] => Meets::None,
        found if found == [surrogates, above] => Meets::All,
        _ => Meets::Some,
    }
}

fn is_surrogate(c: u32) -> bool {
    (0xD800..=0xDFFF).contains(&c)
}

/// An endless loop over a set with all halves.
fn is_loop(repeat: &Repeat) -> bool {
    let over_halves = matches!(&repeat.node, Node::Set(set) if meets(set) == Meets::All);
    over_halves && repeat.min <= 1 && repeat.max == UNBOUNDED
}

fn begins_with_loop(node: &Node) -> bool {
    match node {
        Node::Repeat(repeat) => is_loop(repeat),
        Node::Group(_, node) => begins_with_loop(node),
        Node::Sequence(nodes) => nodes.first().is_some_and(begins_with_loop),
        _ => false,
    }
}

/// Whether a piece and what follows it cannot match from between the halves of a pair.
fn fails_inside(node: &Node, rest_fails: bool) -> bool {
    match node {
        Node::Empty => rest_fails,
        Node::Char(c) => !(0xDC00..=0xDFFF).contains(c),
        Node::Set(set) => meets(set) == Meets::None,
        Node::Sequence(nodes) => nodes.iter().rev().fold(rest_fails, |rest, node| fails_inside(node, rest)),
        Node::Alternatives(nodes) => nodes.iter().all(|node| fails_inside(node, rest_fails)),
        Node::Group(_, node) => fails_inside(node, rest_fails),
        Node::Repeat(repeat) if repeat.max == 0 => rest_fails,
        Node::Repeat(repeat) if repeat.min > 0 => fails_inside(&repeat.node, rest_fails),
        Node::Repeat(repeat) => rest_fails && fails_inside(&repeat.node, rest_fails),
        // Halves are no word characters.
        Node::Assert(Assertion::NotWord(_)) => rest_fails,
        Node::Assert(_) => true,
        Node::Look(look) if !look.negative && look.direction == Direction::Forward => {
            rest_fails || fails_inside(&look.node, false)
        }
        Node::Look(_) => rest_fails,
        Node::BackReference { .. } => false,
    }
}

fn is_blind(node: &Node, rest: Rest) -> bool {
    match node {
        Node::Empty | Node::Assert(_) | Node::BackReference { .. } => true,
        Node::Char(c) => !is_surrogate(*c),
        Node::Set(set) => meets(set) == Meets::None,
        Node::Sequence(nodes) => is_blind_sequence(nodes, rest),
        Node::Alternatives(nodes) => nodes.iter().all(|node| is_blind(node, rest)),
        Node::Group(_, node) => is_blind(node, rest),
        Node::Repeat(repeat) if is_loop(repeat) => rest.fails() || (rest == Rest::End && repeat.greedy),
        Node::Repeat(repeat) => {
            let again = match repeat.max {
                0 | 1 => rest.fails(),
                _ => rest.fails() && fails_inside(&repeat.node, false),
            };
            is_blind(&repeat.node, Rest::of(again))
        }
        Node::Look(look) => match look.direction {
            Direction::Forward => is_blind(&look.node, Rest::Unknown),
            Direction::Backward => is_plain(&look.node),
        },
    }
}

fn is_blind_sequence(nodes: &[Node], rest: Rest) -> bool {
    let mut rest = rest;
    let mut left = nodes;
    while let [before @ .., node] = left {
        // Both halves side by side are the whole character.
        if let (Node::Char(0xDC00..=0xDFFF), [before @ .., Node::Char(0xD800..=0xDBFF)]) = (node, before) {
            left = before;
            rest = Rest::FailsInside;
            continue;
        }
        if !is_blind(node, rest) {
            return false;
        }
        rest = Rest::of(fails_inside(node, rest.fails()));
        left = before;
    }
    true
}

/// Whether a piece has nothing to do with surrogates at all.
fn is_plain(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Assert(_) => true,
        Node::Char(c) => !is_surrogate(*c),
        Node::Set(set) => meets(set) == Meets::None,
        Node::Sequence(nodes) | Node::Alternatives(nodes) => nodes.iter().all(is_plain),
        Node::Group(_, node) => is_plain(node),
        Node::Repeat(repeat) => is_plain(&repeat.node),
        Node::Look(look) => is_plain(&look.node),
        Node::BackReference { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::regex::Regex;

    fn is_blind(pattern: &str) -> bool {
        !Regex::new(pattern, "").unwrap().needs_units("😀")
    }

    #[test]
    fn usual_patterns_need_no_units() {
        for pattern in [
            "dragon",
            r"\*([^*]+)\*",
            "\"[^\"]*\"",
            r"<think>[\s\S]*?<\/think>",
            "😀",
            r"\bword\b",
            ".+",
            r".*dragon.*",
            r"^\s*#+ .*$",
            r"(\w+)\s+\1",
            "<[^>]+>",
        ] {
            assert!(is_blind(pattern), "{pattern}");
        }
    }

    #[test]
    fn patterns_that_see_halves_need_units() {
        for pattern in [
            ".", "a.", "x*", r"\S{2}", "😀+", "[😀]", r"\ud83d", ".+?", r"\B", "(?<=.)x", r"[^x]+\B",
            "(?:.a?)+", ".+(?!x)",
        ] {
            assert!(!is_blind(pattern), "{pattern}");
        }
    }
}
