//! Which macros exist, under which names, and what they take.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::builtins;
use super::invocation::{Failure, Invocation};

/// What an argument has to look like. The handler still receives it as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentType {
    /// Anything.
    Text,
    /// Digits, perhaps with a minus.
    Integer,
    /// What JavaScript reads as a finite number; the empty text is 0.
    Number,
    /// `on`, `true`, `1`, `off`, `false` or `0`.
    Boolean,
}

impl ArgumentType {
    pub(super) fn accepts(self, argument: &str) -> bool {
        let argument = argument.trim_matches(tavernkit_core::number::is_js_space);
        match self {
            ArgumentType::Text => true,
            ArgumentType::Integer => {
                let digits = argument.strip_prefix('-').unwrap_or(argument);
                !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
            }
            ArgumentType::Number => tavernkit_core::number::parse(argument).is_finite(),
            ArgumentType::Boolean => ["on", "true", "1", "off", "false", "0"]
                .iter()
                .any(|word| word.eq_ignore_ascii_case(argument)),
        }
    }
}

/// What runs when a macro is met: it gets the call and answers with text, or says why the macro has to stay as written.
pub type Handler = dyn Fn(&mut Invocation<'_, '_>) -> Result<String, Failure> + Send + Sync;

/// When the arguments of a macro are expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// Before the handler runs, from left to right.
    Expanded,
    /// Never; the handler gets them as written and may expand them with [`Invocation::expand`].
    Raw,
}

/// One macro: its names, what it takes and what it does.
///
/// ```
/// use tavernkit_sillytavern::macros::{Engine, Environment, Macro, Registry};
///
/// let mut registry = Registry::standard();
/// registry.register(
///     Macro::new("shout", 1..=1, |call| Ok(call.argument(0).to_uppercase())).alias("yell"),
/// );
/// let engine = Engine::with_registry(registry);
/// let environment = Environment::named("Ilse", "Bram");
/// assert_eq!(engine.expand_simple("{{yell::{{char}}}}!", &environment), "BRAM!");
/// ```
#[derive(Clone)]
pub struct Macro {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) least: usize,
    /// `None` when the last argument is a list of any length.
    pub(super) most: Option<usize>,
    pub(super) types: Vec<ArgumentType>,
    pub(super) arguments: Arguments,
    pub(super) action: Action,
}

#[derive(Clone)]
pub(super) enum Action {
    /// `{{if}}`: compiled, because it chooses what is expanded at all.
    If,
    Builtin(fn(&mut Invocation<'_, '_>) -> Result<String, Failure>),
    Custom(Arc<Handler>),
}

impl fmt::Debug for Macro {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, aliases, least, most, types, arguments, .. } = self;
        f.debug_struct("Macro")
            .field("name", name)
            .field("aliases", aliases)
            .field("arguments", &(least, most, types, arguments))
            .finish()
    }
}

impl Macro {
    /// A macro that takes as many arguments as the range says. A scoped body counts as the last argument.
    pub fn new(
        name: impl Into<String>,
        arguments: std::ops::RangeInclusive<usize>,
        handler: impl Fn(&mut Invocation<'_, '_>) -> Result<String, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self::with_action(
            name.into(),
            *arguments.start(),
            Some(*arguments.end()),
            Action::Custom(Arc::new(handler)),
        )
    }

    /// A macro that takes any number of arguments. Such a macro has no scoped form.
    pub fn list(
        name: impl Into<String>,
        handler: impl Fn(&mut Invocation<'_, '_>) -> Result<String, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self::with_action(name.into(), 0, None, Action::Custom(Arc::new(handler)))
    }

    pub(super) fn with_action(name: String, least: usize, most: Option<usize>, action: Action) -> Self {
        let (aliases, types, arguments) = (Vec::new(), Vec::new(), Arguments::Expanded);
        Self { name, aliases, least, most, types, arguments, action }
    }

    /// Another name for the same macro.
    #[must_use]
    pub fn alias(mut self, name: impl Into<String>) -> Self {
        self.aliases.push(name.into());
        self
    }

    /// What the arguments have to look like, from the first on. Those not mentioned may be any text.
    #[must_use]
    pub fn types(mut self, types: impl Into<Vec<ArgumentType>>) -> Self {
        self.types = types.into();
        self
    }

    /// The handler gets its arguments as written.
    #[must_use]
    pub fn raw_arguments(mut self) -> Self {
        self.arguments = Arguments::Raw;
        self
    }

    /// The main name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn accepts_count(&self, count: usize) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }
}

/// The macros an engine knows. Names are case-insensitive; a later registration wins.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    macros: Vec<Macro>,
    by_name: HashMap<String, usize>,
}

impl Registry {
    /// No macro at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Every macro of SillyTavern 1.19 that does not belong to a bundled extension, and `{{slot::name}}` for `{{outlet::name}}`.
    pub fn standard() -> Self {
        let mut registry = Self::default();
        builtins::register(&mut registry);
        registry
    }

    /// Adds the macros of the bundled extensions (summary, expressions, image generation).
    #[must_use]
    pub fn with_bundled_extensions(mut self) -> Self {
        builtins::register_extensions(&mut self);
        self
    }

    /// Adds a macro, or replaces the one that had one of its names.
    pub fn register(&mut self, new: Macro) {
        let index = self.macros.len();
        self.by_name.insert(new.name.to_ascii_lowercase(), index);
        for alias in &new.aliases {
            self.by_name.insert(alias.to_ascii_lowercase(), index);
        }
        self.macros.push(new);
    }

    /// The macro of this name or alias.
    pub fn get(&self, name: &str) -> Option<&Macro> {
        self.index(name).map(|index| &self.macros[index])
    }

    /// Every name and alias, lower-cased, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    pub(super) fn index(&self, name: &str) -> Option<usize> {
        // Nearly every name fits the buffer; a longer one cannot be a built-in but may be an application's.
        let mut buffer = [0; 48];
        match buffer.get_mut(..name.len()) {
            Some(lower) => {
                lower.copy_from_slice(name.as_bytes());
                lower.make_ascii_lowercase();
                self.by_name.get(std::str::from_utf8(lower).ok()?).copied()
            }
            None => self.by_name.get(&name.to_ascii_lowercase()).copied(),
        }
    }

    pub(super) fn at(&self, index: usize) -> &Macro {
        &self.macros[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_look_at_the_trimmed_text() {
        assert!(ArgumentType::Integer.accepts(" -12 "));
        assert!(!ArgumentType::Integer.accepts("+1"));
        assert!(!ArgumentType::Integer.accepts(""));
        assert!(ArgumentType::Number.accepts(""));
        assert!(ArgumentType::Number.accepts("1e3"));
        assert!(!ArgumentType::Number.accepts("Infinity"));
        assert!(ArgumentType::Boolean.accepts(" ON "));
        assert!(!ArgumentType::Boolean.accepts("yes"));
    }

    #[test]
    fn names_are_case_insensitive_and_the_last_registration_wins() {
        let mut registry = Registry::standard();
        assert_eq!(registry.get("CHARIFNOTGROUP").unwrap().name(), "group");
        registry.register(Macro::new("User", 0..=0, |_| Ok("me".into())));
        assert_eq!(registry.get("user").unwrap().name(), "User");
        assert!(registry.get("no such thing, and a name longer than any buffer would be").is_none());
    }
}
