//! What a scan gives back.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use tavernkit_core::Warning;

use super::entry::{Depth, Position};
use super::reason::{EntryId, EntryReport};
use super::timed::TimedEffects;

/// The result of a scan: plain data, complete in itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LoreResult {
    /// Active entries in order of activation.
    pub activated: Vec<ActiveEntry>,
    /// The tokens of the active entries' contents, one per line.
    pub total_tokens: usize,
    /// Texts before the character's definition, in order.
    pub before: Vec<LoreText>,
    /// Texts after the character's definition, in order.
    pub after: Vec<LoreText>,
    /// Texts above the author's note, in order.
    pub note_top: Vec<LoreText>,
    /// Texts below the author's note, in order.
    pub note_bottom: Vec<LoreText>,
    /// Texts for the example messages, in order.
    pub examples: Vec<ExampleText>,
    /// Texts in the chat, by depth and role.
    pub at_depth: Vec<DepthTexts>,
    /// Texts of each outlet, in order.
    pub outlets: IndexMap<String, Vec<LoreText>>,
    /// The chat's timed effects after this turn.
    pub timed: TimedEffects,
    /// The budget and what it did.
    pub budget: BudgetReport,
    /// Whether any book had any entry. The author's note is only rewritten if so.
    pub had_entries: bool,
    /// What each sweep did, on request.
    pub sweeps: Vec<Sweep>,
    /// The account of every entry, on request, in scan order.
    pub reasons: Vec<EntryReport>,
    /// What was odd.
    pub warnings: Vec<Warning>,
}

impl LoreResult {
    /// The text before the character's definition.
    pub fn before_text(&self) -> String {
        join(&self.before)
    }

    /// The text after the character's definition.
    pub fn after_text(&self) -> String {
        join(&self.after)
    }

    /// The text of an outlet.
    pub fn outlet_text(&self, name: &str) -> Option<String> {
        self.outlets.get(name).map(|texts| join(texts))
    }

    /// The author's note with the texts above and below it. Call it only when the note is due.
    ///
    /// ```
    /// use tavernkit_sillytavern::lore::LoreResult;
    /// assert_eq!(LoreResult::default().wrap_note("A note."), "A note.");
    /// ```
    pub fn wrap_note(&self, note: &str) -> String {
        if !self.had_entries {
            return note.to_owned();
        }
        let whole = format!("{}\n{note}\n{}", join(&self.note_top), join(&self.note_bottom));
        let whole = whole.strip_prefix('\n').unwrap_or(&whole);
        whole.strip_suffix('\n').unwrap_or(whole).to_owned()
    }
}

/// Texts joined by line feeds.
fn join(texts: &[LoreText]) -> String {
    let mut out = String::new();
    for (i, text) in texts.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        out.push_str(&text.text);
    }
    out
}

/// An active entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActiveEntry {
    /// Which entry.
    #[serde(flatten)]
    pub id: EntryId,
    /// Its title.
    pub comment: String,
    /// Its text, expanded, before regex scripts.
    pub content: String,
    /// Where it goes.
    pub position: Position,
    /// Its order.
    pub order: f64,
}

/// A text in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoreText {
    /// The index of its entry in [`LoreResult::activated`].
    pub entry: usize,
    /// The text, after regex scripts.
    pub text: String,
}

/// A text for the example messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExampleText {
    /// Before or after the examples.
    pub anchor: Anchor,
    /// The text.
    #[serde(flatten)]
    pub text: LoreText,
}

/// A side of the example messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Anchor {
    /// Before them.
    Before,
    /// After them.
    After,
}

/// The texts of one depth and role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DepthTexts {
    /// The depth; anything but a number has its own odd meaning, see [`Depth`].
    pub depth: Depth,
    /// 0 system, 1 user, 2 assistant.
    pub role: f64,
    /// The texts in order.
    pub texts: Vec<LoreText>,
}

impl DepthTexts {
    /// The texts joined by line feeds.
    pub fn text(&self) -> String {
        join(&self.texts)
    }
}

/// The budget and what it did.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BudgetReport {
    /// The limit in tokens.
    pub limit: f64,
    /// Whether some entry reached it. From then on only entries that ignore the budget became active.
    pub overflowed: bool,
}

/// One pass over the books.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// What kind of pass.
    pub state: ScanState,
    /// What kind follows.
    pub next: ScanState,
    /// Candidates left after inclusion groups, in order.
    pub found: Vec<EntryId>,
    /// Those that did not fail their roll.
    pub successful: Vec<EntryId>,
    /// Whether the budget was overflowed at its end.
    pub overflowed: bool,
}

/// The kind of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScanState {
    /// No further pass.
    None,
    /// The first pass.
    Initial,
    /// A pass over the texts of entries that became active.
    Recursion,
    /// A pass one message deeper.
    MinActivations,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_loses_one_line_feed_on_each_side() {
        let text = |text: &str| LoreText { entry: 0, text: text.into() };
        let mut result =
            LoreResult { had_entries: true, note_top: vec![text("top A")], ..Default::default() };
        assert_eq!(result.wrap_note(""), "top A\n");
        assert_eq!(result.wrap_note("NOTE"), "top A\nNOTE");
        result.note_bottom = vec![text("b1"), text("b2")];
        assert_eq!(result.wrap_note("NOTE"), "top A\nNOTE\nb1\nb2");
    }
}
