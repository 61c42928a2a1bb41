//! The macros of SillyTavern 1.19, a file per subject.

mod chat;
mod extensions;
mod instruct;
mod names;
mod random;
mod state;
mod time;
mod utility;
mod variables;

pub(super) use random::choices;
pub(super) use time::{time_difference, zoned_time};

use super::invocation::{Failure, Invocation};
use super::registry::{Action, ArgumentType, Macro, Registry};

type Builtin = fn(&mut Invocation<'_, '_>) -> Result<String, Failure>;

pub(super) fn register(registry: &mut Registry) {
    names::register(registry);
    chat::register(registry);
    utility::register(registry);
    random::register(registry);
    time::register(registry);
    variables::register(registry);
    state::register(registry);
    instruct::register(registry);
}

pub(super) fn register_extensions(registry: &mut Registry) {
    extensions::register(registry);
}

/// A macro under its name and aliases.
fn builtin(names: &[&str], least: usize, most: usize, handler: Builtin) -> Macro {
    with_names(names, Macro::with_action(names[0].into(), least, Some(most), Action::Builtin(handler)))
}

/// A macro that takes a list of any length.
fn list(names: &[&str], handler: Builtin) -> Macro {
    with_names(names, Macro::with_action(names[0].into(), 0, None, Action::Builtin(handler)))
}

fn with_names(names: &[&str], new: Macro) -> Macro {
    names[1..].iter().fold(new, |new, alias| new.alias(*alias))
}

const INTEGER: [ArgumentType; 1] = [ArgumentType::Integer];
