//! Reasons in words.

use std::fmt::{self, Display, Formatter, Write};

use tavernkit_core::number::format as number;

use super::entry::{Position, SelectiveLogic, Source};
use super::reason::{Cause, EntryReport, Gate, GroupLoss, Place, Placed, Verdict};
use super::result::LoreResult;

impl LoreResult {
    /// The account of the scan for people: a summary, then one line per entry, active ones first in order of
    /// activation. `wanted` chooses entries by title, uid or `book.uid`; all are told when it is `None`.
    ///
    /// Needs a scan with [`Detail::Reasons`](super::Detail::Reasons).
    pub fn explain(&self, wanted: Option<&str>) -> String {
        let mut out = String::new();
        let limit = number(self.budget.limit);
        let state = if self.budget.overflowed { "reached" } else { "not reached" };
        let (active, all) = (self.activated.len(), self.reasons.len());
        let tokens = self.total_tokens;
        let sweeps = self.sweeps.len();
        // Writing to a text cannot fail.
        let _ = writeln!(
            out,
            "{active} of {all} entries active in {sweeps} sweeps, {tokens} tokens; budget of {limit} {state}"
        );
        let is_wanted = |report: &&EntryReport| wanted.is_none_or(|name| report.is_called(name));
        let mut reports: Vec<&EntryReport> = self.reasons.iter().filter(is_wanted).collect();
        reports.sort_by_key(|report| match report.verdict {
            Verdict::Active { sweep, .. } => (0, sweep),
            Verdict::Stopped { .. } => (1, 0),
        });
        for report in reports {
            let _ = writeln!(out, "{report}");
        }
        for warning in &self.warnings {
            let _ = writeln!(out, "warning: {warning}");
        }
        out
    }
}

impl EntryReport {
    /// Is this what people call the entry: its title, its uid, or `book.uid`?
    pub fn is_called(&self, name: &str) -> bool {
        self.title == name || self.id.uid == name || self.id.to_string() == name
    }
}

impl Display for EntryReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)?;
        if !self.title.is_empty() {
            write!(f, " “{}”", self.title)?;
        }
        match &self.verdict {
            Verdict::Active { sweep, cause, placed } => {
                write!(f, ": active since sweep {sweep}, {cause}; ")?;
                match placed {
                    Placed::Yes => write!(f, "{}, order {}", self.position, number(self.order)),
                    Placed::Empty => write!(f, "its text is empty and stands nowhere"),
                    Placed::Nowhere => write!(f, "its position is not a place, so its text stands nowhere"),
                }
            }
            Verdict::Stopped { gate, .. } => write!(f, ": not active, {gate}"),
        }
    }
}

impl Display for Cause {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decorator => write!(f, "by its @@activate line"),
            Self::Forced => write!(f, "forced from outside"),
            Self::Constant => write!(f, "because it is constant"),
            Self::Sticky { until } => write!(f, "still sticky until message {}", number(*until)),
            Self::Key { key, place, secondary } => {
                write!(f, "by key `{key}` in {place}")?;
                if !secondary.is_empty() {
                    write!(f, " with `{}`", secondary.join("`, `"))?;
                }
                Ok(())
            }
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message { index: 0 } => write!(f, "the newest message"),
            Self::Message { index } => write!(f, "message {index} before the newest"),
            Self::Source { source } => write!(f, "{source}"),
            Self::Injected { index } => write!(f, "injected text {}", index + 1),
            Self::Entry { entry } => write!(f, "the text of {entry}"),
            Self::Across => write!(f, "the text as a whole"),
        }
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PersonaDescription => "the persona's description",
            Self::CharacterDescription => "the character's description",
            Self::CharacterPersonality => "the character's personality",
            Self::CharacterDepthPrompt => "the character's depth prompt",
            Self::Scenario => "the scenario",
            Self::CreatorNotes => "the creator's notes",
        })
    }
}

impl Display for Position {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Before => "before the character",
            Self::After => "after the character",
            Self::NoteTop => "above the author's note",
            Self::NoteBottom => "below the author's note",
            Self::AtDepth => "in the chat",
            Self::ExamplesTop => "before the examples",
            Self::ExamplesBottom => "after the examples",
            Self::Outlet => "in its outlet",
            Self::Unknown => "nowhere",
        })
    }
}

impl Display for Gate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => write!(f, "it is switched off"),
            Self::Trigger { wanted, actual } => {
                write!(f, "it is for {} and this is a {actual} generation", wanted.join(", "))
            }
            Self::CharacterName => write!(f, "its filter rules out this character's name"),
            Self::CharacterTag => write!(f, "its filter rules out this character's tags"),
            Self::Delay { needed, length } => {
                write!(f, "it waits for {} messages and the chat has {length}", number(*needed))
            }
            Self::Cooldown { until, length } => {
                write!(f, "it rests until message {} and the chat has {length}", number(*until))
            }
            Self::WaitsForRecursion { level } => {
                write!(f, "it waits for recursion (level {}), which did not happen", number(*level))
            }
            Self::RecursionLevel { level, reached } => {
                write!(
                    f,
                    "it waits for recursion level {}, level {} was reached",
                    number(*level),
                    number(*reached)
                )
            }
            Self::ExcludedFromRecursion => {
                write!(f, "none of its keys is in the chat, and it takes no part in recursion")
            }
            Self::Decorator => write!(f, "its @@dont_activate line stops it"),
            Self::NoKeys => write!(f, "it has no keys and is not constant"),
            Self::NoKeyFound { depth } if *depth <= 0 => {
                write!(f, "its scan depth is 0, so nothing is scanned")
            }
            Self::NoKeyFound { depth: 1 } => write!(f, "none of its keys is in the newest message"),
            Self::NoKeyFound { depth } => write!(f, "none of its keys is in the newest {depth} messages"),
            Self::Secondary { key, logic, found } => {
                let rule = match logic {
                    Some(SelectiveLogic::AndAny) => "one of its secondary keys must be there",
                    Some(SelectiveLogic::AndAll) => "all of its secondary keys must be there",
                    Some(SelectiveLogic::NotAny) => "none of its secondary keys may be there",
                    Some(SelectiveLogic::NotAll) => "one of its secondary keys must be missing",
                    None => "its logic for secondary keys is unknown",
                };
                write!(f, "key `{key}` was found, but {rule}; found: ")?;
                if found.is_empty() { write!(f, "none") } else { write!(f, "`{}`", found.join("`, `")) }
            }
            Self::Group { group, how, winner } => {
                match how {
                    GroupLoss::Bystander => return write!(f, "{how}"),
                    _ => write!(f, "it lost in group “{group}”: {how}")?,
                }
                winner.as_ref().map_or(Ok(()), |winner| write!(f, "; {winner} won"))
            }
            Self::Probability { rolled, needed } if needed.is_nan() => {
                write!(f, "its chance is not a number (rolled {rolled:.2})")
            }
            Self::Probability { rolled, needed } => {
                write!(f, "it rolled {rolled:.2} and needed {} or less", number(*needed))
            }
            Self::Budget { tokens, earlier, budget } => write!(
                f,
                "its text did not fit: {tokens} tokens with it in this sweep, {earlier} before, budget {}",
                number(*budget)
            ),
            Self::BudgetSpent { budget } => {
                write!(f, "the budget of {} tokens was spent before its turn", number(*budget))
            }
            Self::SameIdentity => write!(f, "another entry with its book and uid is active in its place"),
        }
    }
}

impl Display for GroupLoss {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sticky => write!(f, "a sticky member stays"),
            Self::Timed => write!(f, "it is resting"),
            Self::Score { score, best } => write!(f, "{score} keys matched, the best had {best}"),
            Self::AlreadyActive => write!(f, "a member is active already"),
            Self::Override => write!(f, "a member overrides"),
            Self::Weight { rolled, total } => write!(f, "the roll was {rolled:.2} of {}", number(*total)),
            Self::Bystander => {
                write!(
                    f,
                    "it stood last when another entry lost in two groups, which removes the last candidate"
                )
            }
        }
    }
}
