//! Colours, all in one place. The streams drop them when they do not write to a terminal.

use anstyle::{AnsiColor, Style};
use tavernkit_core::Role;

pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const STRONG: Style = Style::new().bold();

pub(crate) fn role(role: &Role) -> Style {
    let colour = match role {
        Role::System => AnsiColor::Magenta,
        Role::User => AnsiColor::Green,
        Role::Assistant => AnsiColor::Cyan,
        Role::Tool | Role::Function => AnsiColor::Yellow,
        Role::Thinking | Role::Other(_) => AnsiColor::Blue,
    };
    colour.on_default().bold()
}
