//! Finds what cannot work, or will not work as meant, in a lorebook.

mod activation;
mod keys;
mod placement;

use std::collections::HashMap;

use serde::Serialize;

use super::{Format, LoreEntry, Lorebook};
use crate::record::Scalar;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Hint,
    /// Probably not what was meant.
    Warning,
    /// The entry or key can never do anything.
    Error,
}

/// What was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// A key that is empty or blank.
    BlankKey,
    /// A key that no text can match.
    KeyNeverMatches,
    /// A key that matches less than it seems to.
    KeyMatchesLess,
    /// A key written like a regular expression that is none.
    InvalidRegex,
    /// An entry that nothing can activate.
    Unreachable,
    /// Two entries with one id.
    DuplicateUid,
    /// An entry that takes too much of the budget.
    BudgetHog,
    /// An entry whose text goes nowhere.
    PositionWithoutEffect,
    /// A field that is set but has no effect.
    FieldWithoutEffect,
    /// An entry without text.
    EmptyContent,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What was looked for.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// The id of the entry; `None` for the book itself.
    pub entry: Option<String>,
    /// The entry's name for people.
    pub label: Option<String>,
    /// The key or field it is about.
    pub subject: Option<String>,
    /// One sentence for people.
    pub message: String,
}

/// The settings a book is judged under.
pub struct Options<'a> {
    /// Whether keys match whole words where an entry does not say.
    pub match_whole_words: bool,
    /// Whether entries activate each other.
    pub recursive: bool,
    /// Tokens for all lore together.
    pub budget: Option<usize>,
    /// Counts tokens; without it no entry is weighed.
    pub count: Option<&'a dyn Fn(&str) -> usize>,
    /// The share of the budget from which on an entry is called a hog.
    pub hog_share: f64,
}

/// As in SillyTavern's shipped settings; no budget.
impl Default for Options<'_> {
    fn default() -> Self {
        Self { match_whole_words: true, recursive: true, budget: None, count: None, hog_share: 0.25 }
    }
}

/// What is being looked at, and where findings go.
struct Lint<'a, 'o> {
    options: &'a Options<'o>,
    findings: Vec<Finding>,
}

impl Lint<'_, '_> {
    fn say(
        &mut self,
        rule: Rule,
        severity: Severity,
        entry: &LoreEntry,
        subject: Option<&str>,
        message: impl Into<String>,
    ) {
        self.findings.push(Finding {
            rule,
            severity,
            entry: Some(entry.id().to_string()),
            label: Some(entry.label()),
            subject: subject.map(str::to_owned),
            message: message.into(),
        });
    }
}

/// Looks through a book. Findings come in the order of its entries.
///
/// ```
/// use tavernkit_formats::{Limits, lorebook::{Lorebook, lint::{lint, Options, Rule}}};
///
/// let file = br#"{"entries": {"0": {"uid": 0, "key": ["/ferry(/i"], "content": "A ferry.", "position": 0}}}"#;
/// let book = Lorebook::parse(file, &Limits::default())?.value;
/// let findings = lint(&book, &Options::default());
/// assert_eq!(findings[0].rule, Rule::InvalidRegex);
/// assert_eq!(findings[0].entry.as_deref(), Some("0"));
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
pub fn lint(book: &Lorebook, options: &Options<'_>) -> Vec<Finding> {
    let mut lint = Lint { options, findings: Vec::new() };
    book_fields(book, &mut lint);
    let mut seen: HashMap<String, String> = HashMap::with_capacity(book.entries.len());
    for entry in &book.entries {
        let id = entry.id().to_string();
        if let Some(first) = seen.get(&id) {
            let message = format!(
                "the id {id} is already that of {first:?}; only one of the two can be active at a time"
            );
            lint.say(Rule::DuplicateUid, Severity::Error, entry, Some("uid"), message);
        } else {
            seen.insert(id, entry.label());
        }
        if entry.disable {
            // Switched off on purpose; what else is wrong with it does not matter.
            continue;
        }
        keys::check(entry, &mut lint);
        activation::check(entry, &mut lint);
        placement::check(entry, &mut lint);
        weigh(entry, &mut lint);
    }
    lint.findings
}

/// A book's own fields that SillyTavern does not read.
fn book_fields(book: &Lorebook, lint: &mut Lint<'_, '_>) {
    if book.format() != Format::CharacterBook {
        return;
    }
    for name in ["scan_depth", "token_budget", "recursive_scanning"] {
        if book.raw().get(name).is_some_and(|value| !value.is_null()) {
            lint.findings.push(Finding {
                rule: Rule::FieldWithoutEffect,
                severity: Severity::Hint,
                entry: None,
                label: None,
                subject: Some(name.to_owned()),
                message: format!("SillyTavern does not read a book's `{name}`; the user's settings decide"),
            });
        }
    }
}

fn weigh(entry: &LoreEntry, lint: &mut Lint<'_, '_>) {
    if entry.content.trim().is_empty() {
        let message = "the entry has no text, so activating it adds nothing";
        lint.say(Rule::EmptyContent, Severity::Hint, entry, Some("content"), message);
        return;
    }
    let (Some(count), Some(budget)) = (lint.options.count, lint.options.budget) else { return };
    let tokens = count(&entry.content);
    if tokens >= budget && !entry.ignore_budget {
        let message = format!("the text has {tokens} tokens and never fits into the budget of {budget}");
        lint.say(Rule::BudgetHog, Severity::Error, entry, Some("content"), message);
    } else if tokens as f64 >= budget as f64 * lint.options.hog_share {
        let share = (tokens * 100).checked_div(budget).unwrap_or(100);
        let message = format!("the text has {tokens} tokens, {share} % of the budget of {budget}");
        lint.say(Rule::BudgetHog, Severity::Warning, entry, Some("content"), message);
    }
}

/// A number as people write it.
fn shown(number: f64) -> String {
    Scalar::Number(number).to_string()
}

#[cfg(test)]
mod tests;
