//! What is odd about a book by itself, before any scan.

use std::collections::HashMap;

use tavernkit_core::Warning;

use super::compile::CompiledBook;
use super::index::Lookup;
use super::key_regex::KeyRegex;
use super::matcher::split_regex;

/// A group of more members than this is likely a mistake.
const LARGE_GROUP: usize = 1_000;
/// How many names a warning lists.
const LISTED: usize = 5;

impl CompiledBook {
    /// What an author may want to know: entries that activate each other in a circle or contain their own key, keys
    /// that look like expressions and are none, very large groups. All of it is harmless to a scan.
    pub fn lint(&self) -> Vec<Warning> {
        let mut warnings = self.broken_expressions();
        warnings.extend(self.circles());
        warnings.extend(self.large_groups());
        warnings
    }

    fn at(&self, entry: u32) -> String {
        format!("{}.{}", self.name(), self.entries[entry as usize].entry.uid)
    }

    fn broken_expressions(&self) -> Vec<Warning> {
        let keys = |e: u32| {
            let compiled = &self.entries[e as usize];
            compiled.keys.iter().chain(&compiled.secondary).map(move |key| (e, key))
        };
        let broken = (0..self.len() as u32).flat_map(keys).filter(|(_, key)| {
            !key.may_change && split_regex(&key.raw).is_some_and(|(p, f)| KeyRegex::new(p, f).is_none())
        });
        broken
            .map(|(e, key)| {
                let message =
                    format!("the key {} is no valid expression; it is taken as plain text", key.raw);
                Warning::new("lore.key_not_regex", message).at(self.at(e))
            })
            .collect()
    }

    fn circles(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for circle in components(self) {
            let names: Vec<String> = circle.iter().take(LISTED).map(|e| self.at(*e)).collect();
            let warning = match circle.len() {
                1 => Warning::new(
                    "lore.own_key",
                    "the entry's text contains its own key; it is activated once",
                ),
                count => {
                    let message = format!(
                        "{count} entries can activate each other in a circle; each is activated once"
                    );
                    Warning::new("lore.circle", message)
                }
            };
            warnings.push(warning.at(names.join(", ")));
        }
        warnings
    }

    fn large_groups(&self) -> Vec<Warning> {
        let mut sizes: HashMap<&str, usize> = HashMap::new();
        for entry in self.entries() {
            entry.groups().for_each(|name| *sizes.entry(name).or_default() += 1);
        }
        let mut large: Vec<_> = sizes.into_iter().filter(|(_, size)| *size > LARGE_GROUP).collect();
        large.sort_unstable();
        let warn = |(name, size): (&str, usize)| {
            let message =
                format!("the inclusion group “{name}” has {size} members, of which one can be active");
            Warning::new("lore.large_group", message).at(self.name().to_owned())
        };
        large.into_iter().map(warn).collect()
    }

    /// The nodes that follow a node: entries come first, then patterns. A content leads to the patterns in it, a
    /// pattern to the entries it is a primary key of.
    fn follows(&self, node: u32) -> Vec<u32> {
        let entries = self.len() as u32;
        let can_fire = |e: &u32| {
            let compiled = &self.entries[*e as usize];
            !compiled.entry.exclude_recursion && !compiled.entry.disabled
        };
        match node.checked_sub(entries) {
            None => {
                let own = &self.entries[node as usize].entry;
                let silent = own.prevent_recursion || own.disabled;
                let hits = self.content_hits(node).hits.iter().filter(|_| !silent);
                hits.map(|pattern| entries + pattern).collect()
            }
            Some(pattern) => {
                let is_primary = |e: &u32| {
                    self.entries[*e as usize].keys.iter().any(|key| key.lookup == Lookup::Part(pattern))
                };
                let users = self.users.of_pattern(pattern).iter().copied();
                users.filter(can_fire).filter(is_primary).collect()
            }
        }
    }
}

/// Entries that can reach themselves, grouped by circle (Tarjan's algorithm, without recursion).
fn components(book: &CompiledBook) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let entries = book.len() as u32;
    let count = book.len() + book.index.len();
    let mut number = vec![UNSEEN; count];
    let mut low = vec![0; count];
    let mut open = vec![false; count];
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..entries {
        if number[root as usize] != UNSEEN {
            continue;
        }
        let mut path = vec![(root, book.follows(root), 0)];
        while let Some((node, follows, at)) = path.last_mut() {
            let (node, index) = (*node, *node as usize);
            if *at == 0 && number[index] == UNSEEN {
                number[index] = next;
                low[index] = next;
                next += 1;
                open[index] = true;
                stack.push(node);
            }
            if let Some(child) = follows.get(*at).copied() {
                *at += 1;
                if number[child as usize] == UNSEEN {
                    path.push((child, book.follows(child), 0));
                } else if open[child as usize] {
                    low[index] = low[index].min(number[child as usize]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, ..)) = path.last() {
                low[*parent as usize] = low[*parent as usize].min(low[index]);
            }
            if low[index] == number[index] {
                let from = stack.iter().rposition(|n| *n == node).unwrap_or(0);
                let component: Vec<u32> = stack.split_off(from);
                component.iter().for_each(|n| open[*n as usize] = false);
                // A lone entry is no circle; with a pattern beside it, it is.
                if component.len() > 1 {
                    let mut members: Vec<u32> = component.into_iter().filter(|n| *n < entries).collect();
                    members.sort_unstable();
                    found.push(members);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lore::{Book, KeyRules};
    use serde_json::{Value, json};

    fn lint(entries: Value) -> Vec<(String, String)> {
        let (book, _) = Book::read("B", &json!({ "entries": entries }));
        let warnings = CompiledBook::compile(book, KeyRules::default()).lint();
        warnings.into_iter().map(|w| (w.code.into_owned(), w.at.unwrap_or_default())).collect()
    }

    fn found(code: &str, at: &str) -> (String, String) {
        (code.to_owned(), at.to_owned())
    }

    #[test]
    fn circles_and_own_keys_are_told() {
        let circle = json!([{"uid": 0, "key": ["rope"], "content": "see kelp"}, {"uid": 1, "key": ["kelp"], "content": "a rope"},
            {"uid": 2, "key": ["tide"], "content": "rope and kelp"}, {"uid": 3, "key": ["sail"], "content": "a sail"}]);
        assert_eq!(lint(circle), [found("lore.circle", "B.0, B.1"), found("lore.own_key", "B.3")]);
        let broken = json!([{"uid": 0, "key": ["rope"], "content": "see kelp", "preventRecursion": true},
            {"uid": 1, "key": ["kelp"], "content": "a rope"}, {"uid": 2, "key": ["sail"], "content": "sail", "excludeRecursion": true}]);
        assert_eq!(lint(broken), []);
    }

    #[test]
    fn keys_that_only_look_like_expressions_are_told() {
        assert_eq!(
            lint(json!([{"uid": 0, "key": ["/bad(/", "/fine/", "a/b"]}])),
            [found("lore.key_not_regex", "B.0")]
        );
    }

    #[test]
    fn large_groups_are_told() {
        let entries: Vec<Value> = (0..1_001).map(|i| json!({"uid": i, "group": "g"})).collect();
        assert_eq!(lint(json!(entries)), [found("lore.large_group", "B")]);
    }
}
