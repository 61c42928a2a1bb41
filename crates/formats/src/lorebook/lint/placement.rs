//! Texts that go nowhere, and fields that do nothing where the entry stands.

use super::super::kinds::{Position, Role};
use super::{Lint, LoreEntry, Rule, Severity, shown};

pub(super) fn check(entry: &LoreEntry, lint: &mut Lint<'_, '_>) {
    let nowhere = Rule::PositionWithoutEffect;
    match &entry.position {
        Position::Other(value) => {
            let message = format!("position {value} is unknown, so the text goes nowhere");
            lint.say(nowhere, Severity::Error, entry, Some("position"), message);
        }
        Position::Outlet if entry.outlet_name.trim().is_empty() => {
            let message = "the outlet has no name, so no macro can fetch the text";
            lint.say(nowhere, Severity::Error, entry, Some("outletName"), message);
        }
        Position::AtDepth if entry.depth.is_none() => {
            let message =
                "the depth is null: the text goes to depth 0, and of several such entries only one is kept";
            lint.say(nowhere, Severity::Warning, entry, Some("depth"), message);
        }
        Position::AtDepth => {
            if let Some(depth) = entry.depth.filter(|depth| !(0.0..=10_000.0).contains(depth)) {
                let message =
                    format!("depth {} is outside 0 to 10000, so the text goes nowhere", shown(depth));
                lint.say(nowhere, Severity::Error, entry, Some("depth"), message);
            }
        }
        Position::NoteTop | Position::NoteBottom => {
            let message = "the text goes with the author's note, and is dropped whenever the note is not due";
            lint.say(nowhere, Severity::Hint, entry, Some("position"), message);
        }
        _ => {}
    }
    let mut unused = |field: &str, message: &str| {
        lint.say(Rule::FieldWithoutEffect, Severity::Hint, entry, Some(field), message);
    };
    if entry.position != Position::AtDepth {
        if entry.role != Role::System {
            unused("role", "the role only counts for entries at a depth");
        }
        if entry.depth.is_some_and(|depth| depth != 4.0) {
            unused("depth", "the depth only counts for entries at a depth");
        }
    }
    if entry.position != Position::Outlet && !entry.outlet_name.is_empty() {
        unused("outletName", "the outlet's name only counts for entries in an outlet");
    }
    if entry.groups().next().is_none() && (entry.group_override || entry.use_group_scoring == Some(true)) {
        unused("group", "the entry is in no group, so its group settings do nothing");
    }
}
