//! Entries that nothing can activate.

use super::super::kinds::Logic;
use super::{Lint, LoreEntry, Rule, Severity};

/// The generation types that SillyTavern knows.
const TRIGGERS: [&str; 6] = ["normal", "continue", "impersonate", "swipe", "regenerate", "quiet"];

pub(super) fn check(entry: &LoreEntry, lint: &mut Lint<'_, '_>) {
    if let Some((field, why)) = never(entry, lint.options.recursive) {
        lint.say(Rule::Unreachable, Severity::Error, entry, Some(field), why);
        return;
    }
    if entry.vectorized && entry.key.is_empty() && !entry.constant {
        let message = "without keys the entry waits for a vector search";
        lint.say(Rule::Unreachable, Severity::Hint, entry, Some("vectorized"), message);
    }
    for trigger in entry.triggers.iter().filter(|trigger| !TRIGGERS.contains(&trigger.as_str())) {
        let message = format!("there is no generation type {trigger:?}");
        lint.say(Rule::FieldWithoutEffect, Severity::Warning, entry, Some("triggers"), message);
    }
}

/// The field and the reason why an entry can never become active.
fn never(entry: &LoreEntry, recursive: bool) -> Option<(&'static str, &'static str)> {
    let header = || entry.content.lines().take_while(|line| line.starts_with("@@"));
    if !entry.triggers.is_empty()
        && !entry.triggers.iter().any(|trigger| TRIGGERS.contains(&trigger.as_str()))
    {
        return Some(("triggers", "none of the triggers is a generation type, so the entry never fires"));
    }
    if entry.delay_until_recursion.0 > 0.0 && entry.exclude_recursion && recursive {
        return Some((
            "excludeRecursion",
            "the entry waits for recursion and is excluded from it, so it never fires",
        ));
    }
    if entry.use_probability && entry.probability <= 0.0 {
        return Some(("probability", "the probability is 0, so the entry never fires"));
    }
    if header().any(|line| line == "@@activate") {
        return None;
    }
    if header().any(|line| line == "@@dont_activate") {
        return Some(("content", "@@dont_activate keeps the entry off; only a script can bring it in"));
    }
    if entry.constant {
        return None;
    }
    if entry.key.iter().all(String::is_empty) && !entry.vectorized {
        return Some(("key", "the entry has no key and is not constant, so nothing activates it"));
    }
    if entry.scan_depth.is_some_and(|depth| depth <= 0.0) {
        return Some(("scanDepth", "with a scan depth of 0 no text is searched for the keys"));
    }
    if entry.selective && !entry.keysecondary.is_empty() {
        let none = entry.keysecondary.iter().all(String::is_empty);
        let some = entry.keysecondary.iter().any(String::is_empty);
        match &entry.logic {
            Logic::Other(_) => {
                return Some((
                    "selectiveLogic",
                    "the logic of the secondary keys is unknown, so they never agree",
                ));
            }
            Logic::AndAny if none => {
                return Some(("keysecondary", "all secondary keys are empty, so none of them ever matches"));
            }
            Logic::AndAll if some => {
                return Some((
                    "keysecondary",
                    "one of the secondary keys is empty, so they never match all together",
                ));
            }
            _ => {}
        }
    }
    None
}
