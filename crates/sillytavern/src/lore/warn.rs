//! What a scan found odd.

use std::collections::BTreeSet;

use tavernkit_core::Warning;

use super::entry::{Depth, Position};
use super::index::{Lookup, PatternId};
use super::result::LoreResult;
use super::set::LoreSet;
use super::settings::LoreSettings;

/// What a scan noticed on its way.
pub(crate) struct Oddities<'a> {
    /// Keys whose search was given up on the whole text.
    pub(crate) given_up: &'a BTreeSet<(u32, String)>,
    /// Keys whose search was given up on a part, by book and pattern.
    pub(crate) exhausted: &'a BTreeSet<(u32, PatternId)>,
    /// Constant entries that the budget kept out.
    pub(crate) dropped_constants: Vec<u32>,
}

/// How many names a warning lists.
const LISTED: usize = 5;

/// The warnings of a scan.
pub(crate) fn warnings(
    set: &LoreSet,
    settings: &LoreSettings,
    result: &LoreResult,
    odd: &Oddities<'_>,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let name = |place: u32| format!("{}.{}", set.world(place), set.compiled(place).entry.uid);
    let mut given_up = odd.given_up.clone();
    for (book, pattern) in odd.exhausted {
        for entry in set.books[*book as usize].users.of_pattern(*pattern) {
            let compiled = &set.books[*book as usize].entries[*entry as usize];
            let keys = compiled.keys.iter().chain(&compiled.secondary);
            let key = keys.filter(|key| key.lookup == Lookup::Part(*pattern)).map(|key| key.raw.to_string());
            given_up.extend(key.map(|key| (set.places[*book as usize][*entry as usize], key)));
        }
    }
    for (place, key) in given_up {
        let message = format!("the key {key} took too many steps; it counts as not found");
        warnings.push(Warning::new("lore.key_exhausted", message).at(name(place)));
    }
    if !odd.dropped_constants.is_empty() {
        let listed: Vec<String> =
            odd.dropped_constants.iter().take(LISTED).map(|place| name(*place)).collect();
        let message = format!(
            "{} constant entries did not fit into the lore budget of {} tokens",
            odd.dropped_constants.len(),
            tavernkit_core::number::format(result.budget.limit),
        );
        warnings.push(Warning::new("lore.constant_dropped", message).at(listed.join(", ")));
    }
    for group in result.at_depth.iter().filter(|group| !matches!(group.depth, Depth::At(_))) {
        let ids: Vec<String> =
            group.texts.iter().map(|text| result.activated[text.entry].id.to_string()).collect();
        let message = "the entry has no depth; set one, or its text may be lost";
        warnings.push(Warning::new("lore.no_depth", message).at(ids.join(", ")));
    }
    let unnamed = result.activated.iter().filter(|a| matches!(a.position, Position::Unknown));
    for entry in unnamed.take(LISTED) {
        let message = "the entry's position is unknown; its text is placed nowhere";
        warnings.push(Warning::new("lore.unknown_position", message).at(entry.id.to_string()));
    }
    for book in set.books.iter().filter(|book| book.rules() != settings.key_rules()) {
        let message = "the book was compiled with other case or whole-word rules; compile it again";
        warnings.push(Warning::new("lore.rules_differ", message).at(book.name().to_owned()));
    }
    warnings
}
