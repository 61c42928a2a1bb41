//! SillyTavern's regex scripts: find and replace on messages, lore and reasoning.
//!
//! A [`ScriptSet`] is compiled once from the user's global scripts, the preset's and the card's, and run on every text.
//! A [`Call`] says which text it is and on what occasion; each [`Script`] decides whether it is meant. A script that
//! cannot run (a pattern that is none, a step limit reached) leaves the text as it was and says so in a warning.
//!
//! Macros are expanded by a [`MacroExpander`]: in patterns that ask for it, in trim strings and in every replacement.

mod expander;
mod pattern;
mod replacement;
mod script;
mod subject;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use tavernkit_core::Warning;
use tavernkit_formats::regex_script::{Placement, RegexScript};

pub use expander::{EngineExpander, MacroExpander, escape_macro_result};
pub use script::{Origin, Script};

/// Steps each script may take on one text, if nothing else is said.
const DEFAULT_FUEL: u64 = 1_000_000;

/// On what occasion a text goes through the scripts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Occasion {
    /// A message is made; the change stays in the chat.
    #[default]
    Creation,
    /// A message was edited; the change stays in the chat.
    Edit,
    /// A message is shown.
    Display,
    /// A prompt is built.
    Prompt,
}

/// One text on its way through the scripts.
///
/// ```
/// use tavernkit_formats::regex_script::Placement;
/// use tavernkit_sillytavern::regex_scripts::{Call, Occasion};
///
/// let call = Call::new(Placement::AiOutput, Occasion::Prompt).at_depth(0);
/// assert_eq!(call.depth, Some(0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Call<'c> {
    /// What kind of text it is.
    pub placement: Placement,
    /// Why it is looked at.
    pub occasion: Occasion,
    /// How far it is from the end of the chat; without it, depth limits do not count.
    pub depth: Option<i64>,
    /// The character's name for trim strings, where it is not the current one.
    pub character: Option<&'c str>,
}

impl<'c> Call<'c> {
    /// A text without a depth.
    pub fn new(placement: Placement, occasion: Occasion) -> Self {
        Self { placement, occasion, depth: None, character: None }
    }

    /// The same at a depth: 0 is the last message.
    #[must_use]
    pub fn at_depth(mut self, depth: i64) -> Self {
        self.depth = Some(depth);
        self
    }

    /// The same for the message of another character.
    #[must_use]
    pub fn by(mut self, character: &'c str) -> Self {
        self.character = Some(character);
        self
    }
}

/// What became of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Regexed<'t> {
    /// The text, borrowed if no script changed it.
    pub text: Cow<'t, str>,
    /// Positions in the set of the scripts that changed it, in the order they ran.
    pub changed_by: Vec<usize>,
    /// Scripts that could not run.
    pub warnings: Vec<Warning>,
}

/// Compiled scripts in the order they run: the user's, the preset's, the card's.
///
/// ```
/// use tavernkit_formats::{Limits, regex_script::{Placement, RegexScript}};
/// use tavernkit_sillytavern::macros::{Engine, Environment};
/// use tavernkit_sillytavern::regex_scripts::{Call, EngineExpander, Occasion, Origin, ScriptSet};
///
/// let file = br#"{"scriptName": "Bold names", "findRegex": "/\\b(Ilse|Bram)\\b/g", "replaceString": "**$1**",
///     "placement": [2], "promptOnly": true}"#;
/// let scripts = RegexScript::parse(file, &Limits::default())?.value;
/// let mut set = ScriptSet::default();
/// set.add(Origin::Global, &scripts);
///
/// let (engine, environment) = (Engine::default(), Environment::named("Ilse", "Bram"));
/// let mut macros = EngineExpander::without_state(&engine, &environment);
/// let call = Call::new(Placement::AiOutput, Occasion::Prompt);
/// assert_eq!(set.run("Bram nods.", &call, &mut macros).text, "**Bram** nods.");
/// assert_eq!(set.run("Bram nods.", &Call::new(Placement::UserInput, Occasion::Prompt), &mut macros).text, "Bram nods.");
/// # Ok::<(), tavernkit_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct ScriptSet {
    scripts: Vec<Script>,
    fuel: u64,
}

impl Default for ScriptSet {
    fn default() -> Self {
        Self { scripts: Vec::new(), fuel: DEFAULT_FUEL }
    }
}

impl ScriptSet {
    /// Adds scripts of one origin. Origins run in their own order, whichever was added first.
    pub fn add<'s>(&mut self, origin: Origin, scripts: impl IntoIterator<Item = &'s RegexScript>) {
        self.scripts.extend(scripts.into_iter().map(|script| Script::compile(script, origin)));
        self.scripts.sort_by_key(Script::origin);
    }

    /// The same set with another step limit for each script and text.
    #[must_use]
    pub fn with_fuel(mut self, steps: u64) -> Self {
        self.fuel = steps;
        self
    }

    /// The scripts in the order they run.
    pub fn scripts(&self) -> &[Script] {
        &self.scripts
    }

    /// What is wrong with the scripts themselves, before any of them has run.
    pub fn warnings(&self) -> Vec<Warning> {
        self.scripts.iter().filter_map(Script::warning).collect()
    }

    /// Runs the scripts that are meant on a text; each gets what the one before made.
    pub fn run<'t>(&self, text: &'t str, call: &Call<'_>, macros: &mut dyn MacroExpander) -> Regexed<'t> {
        let mut result = Regexed { text: Cow::Borrowed(text), changed_by: Vec::new(), warnings: Vec::new() };
        if text.is_empty() {
            return result;
        }
        for (index, script) in self.scripts.iter().enumerate() {
            if !script.is_meant(call) {
                continue;
            }
            match script.run(&result.text, call.character, macros, self.fuel) {
                Ok(None) => {}
                Ok(Some(text)) => {
                    result.text = Cow::Owned(text);
                    result.changed_by.push(index);
                }
                Err(warning) => result.warnings.push(*warning),
            }
        }
        result
    }
}
