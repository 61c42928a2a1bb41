//! How one text is to be expanded.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;
use tavernkit_core::{Variables, Warning};
use tavernkit_js::RandomSource;

use super::registry::Macro;
use super::trace::Trace;

/// What differs from one expansion to the next in the same [`super::Environment`].
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// Another user name, for this text only.
    pub user: Option<Cow<'a, str>>,
    /// Another character name, for this text only.
    pub character: Option<Cow<'a, str>>,
    /// What `{{group}}` and its relatives say, for this text only.
    pub group: Option<Cow<'a, str>>,
    /// What `{{original}}` stands for, once.
    pub original: Option<Cow<'a, str>>,
    /// Macros that exist for this text only.
    pub dynamic: DynamicMacros,
    /// Are card fields visible?
    pub card: CardAccess,
    /// Applied to the text of every macro that was replaced, shorthands of variables excepted.
    pub post_process: Option<&'a (dyn Fn(String) -> String + Sync)>,
    /// Record what happened?
    pub tracing: Tracing,
    /// Keep what the text does to variables?
    pub effects: Effects,
}

/// Whether the fields of the card can be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CardAccess {
    /// Card macros give the card's texts.
    #[default]
    Visible,
    /// Card macros are empty, as inside of card fields.
    Hidden,
}

/// Whether to record a [`Trace`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tracing {
    /// Costs nothing.
    #[default]
    Off,
    /// Records every macro and variable.
    On,
}

/// What happens to the variables that a text changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Effects {
    /// They stay changed.
    #[default]
    Commit,
    /// They are as before when the expansion is done.
    Dry,
}

/// What an expansion changes: variables, and the source of random numbers.
pub struct State<'s> {
    /// The variables of the chat and of all chats.
    pub variables: &'s mut Variables,
    /// Stands for `Math.random`.
    pub random: &'s mut dyn RandomSource,
}

/// The expanded text and what there is to say about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expansion {
    /// The text.
    pub text: String,
    /// What was odd.
    pub warnings: Vec<Warning>,
    /// What happened, if it was asked for.
    pub trace: Option<Trace>,
    /// Words that `{{banned}}` forbids in the next generation.
    pub banned: Vec<String>,
}

/// A macro that exists for one text only.
#[derive(Clone)]
pub enum DynamicMacro {
    /// Stands for a text. Takes no arguments.
    Text(String),
    /// Calls a function. Takes no arguments.
    Function(Arc<dyn Fn() -> String + Send + Sync>),
    /// A macro as in the registry.
    Macro(Arc<Macro>),
    /// A value from JSON: texts, numbers and booleans are printed, anything else is ignored with a warning.
    Json(Value),
}

/// Macros that exist for one text only, by name in any case. They win over the registry.
///
/// ```
/// use tavernkit_sillytavern::macros::{DynamicMacro, DynamicMacros};
///
/// let mut dynamic = DynamicMacros::default();
/// dynamic.insert("Weather", DynamicMacro::Text("fog".into()));
/// assert!(!dynamic.is_empty());
/// ```
#[derive(Clone, Default)]
pub struct DynamicMacros {
    by_name: IndexMap<String, DynamicMacro>,
}

impl DynamicMacros {
    /// Adds a macro, or replaces the one of this name.
    pub fn insert(&mut self, name: &str, new: DynamicMacro) {
        self.by_name.insert(name.to_lowercase(), new);
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    pub(super) fn get(&self, name: &str) -> Option<&DynamicMacro> {
        if self.by_name.is_empty() { None } else { self.by_name.get(&name.to_ascii_lowercase()) }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &DynamicMacro)> {
        self.by_name.iter().map(|(name, dynamic)| (name.as_str(), dynamic))
    }
}
