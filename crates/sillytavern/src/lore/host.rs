//! The engine's own macros, scripts and counters as the surroundings of a scan.

use tavernkit_core::{RandomSource, TokenCounter, Variables, Warning};
use tavernkit_formats::regex_script::Placement;

use super::counting::lines_add_up;
use super::input::LoreHost;
use crate::macros::{Engine, Environment, Options, State};
use crate::regex_scripts::{Call, EngineExpander, Occasion, ScriptSet};

/// What a scan needs, put together from the rest of this crate.
///
/// ```
/// use tavernkit_core::{Exactness, TokenCounter, Variables};
/// use tavernkit_sillytavern::lore::{EngineHost, LoreHost};
/// use tavernkit_sillytavern::macros::{Engine, Environment};
///
/// struct Letters;
/// impl TokenCounter for Letters {
///     fn id(&self) -> &str {
///         "letters"
///     }
///     fn exactness(&self) -> Exactness {
///         Exactness::Estimate
///     }
///     fn count(&self, text: &str) -> usize {
///         text.len()
///     }
/// }
///
/// let (engine, environment) = (Engine::default(), Environment::named("Ilse", "Bram"));
/// let (mut variables, mut random) = (Variables::default(), || 0.5);
/// let mut host = EngineHost::new(&engine, &environment, &mut variables, &mut random, &Letters);
/// assert_eq!(host.expand("{{char}} waits."), "Bram waits.");
/// ```
pub struct EngineHost<'h> {
    engine: &'h Engine,
    environment: &'h Environment<'h>,
    variables: &'h mut Variables,
    random: &'h mut dyn RandomSource,
    counter: &'h dyn TokenCounter,
    /// Tokens that every text costs on top of its own: 6 in chat completion with OpenAI's vocabularies, else 0.
    pub tokens_per_text: usize,
    /// The scripts for active texts.
    pub scripts: Option<&'h ScriptSet>,
    /// What macros and scripts found odd.
    pub warnings: Vec<Warning>,
}

impl<'h> EngineHost<'h> {
    /// Surroundings without scripts.
    pub fn new(
        engine: &'h Engine,
        environment: &'h Environment<'h>,
        variables: &'h mut Variables,
        random: &'h mut dyn RandomSource,
        counter: &'h dyn TokenCounter,
    ) -> Self {
        let warnings = Vec::new();
        Self { engine, environment, variables, random, counter, tokens_per_text: 0, scripts: None, warnings }
    }
}

impl LoreHost for EngineHost<'_> {
    fn expand(&mut self, text: &str) -> String {
        let state = State { variables: self.variables, random: self.random };
        let expansion = self.engine.expand(text, self.environment, &Options::default(), state);
        self.warnings.extend(expansion.warnings);
        expansion.text
    }

    fn random(&mut self) -> f64 {
        self.random.next_f64()
    }

    fn count_tokens(&mut self, text: &str) -> usize {
        if text.is_empty() { 0 } else { self.counter.count(text) + self.tokens_per_text }
    }

    fn counts_add_up(&self, left: &str, right: &str) -> Option<usize> {
        lines_add_up(self.counter.id(), left, right).then_some(self.tokens_per_text)
    }

    fn rewrite(&mut self, text: String, depth: Option<f64>) -> String {
        let Some(scripts) = self.scripts else { return text };
        let mut call = Call::new(Placement::WorldInfo, Occasion::Prompt);
        // A depth that is not a number says nothing to a script.
        call.depth = depth.filter(|depth| depth.is_finite()).map(|depth| depth as i64);
        let state = State { variables: &mut *self.variables, random: &mut *self.random };
        let mut macros = EngineExpander::new(self.engine, self.environment, state);
        let done = scripts.run(&text, &call, &mut macros);
        let (text, warnings) = (done.text.into_owned(), done.warnings);
        let odd = std::mem::take(&mut macros.warnings);
        self.warnings.extend(warnings.into_iter().chain(odd));
        text
    }
}
