//! The engine: a registry, limits, and the choice between SillyTavern's two engines.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tavernkit_core::Variables;

use super::env::Environment;
use super::eval::{Evaluator, Run};
use super::legacy;
use super::options::{Effects, Expansion, Options, State, Tracing};
use super::registry::Registry;
use super::template::Template;
use super::trace::Trace;

/// Which of SillyTavern's macro engines to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// Macros 2.0, the default since 1.19: nesting, scopes, conditions, shorthands.
    #[default]
    V2,
    /// The old engine: one replacement after the other over the whole text.
    Legacy,
}

/// How much work a text may cause. What exceeds a limit stays as it is written, with a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How deep macros may nest.
    pub depth: usize,
    /// Steps of one expansion: one per macro, and one per 64 bytes that macros make.
    pub fuel: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 128, fuel: 2_000_000 }
    }
}

/// Expands macros. Cheap to clone, usable from many threads.
///
/// ```
/// use tavernkit_core::Variables;
/// use tavernkit_js::random::Mulberry32;
/// use tavernkit_sillytavern::macros::{Engine, Environment, Options, State};
///
/// let engine = Engine::default();
/// let template = engine.parse("{{if .met}}Welcome back, {{user}}.{{else}}{{.met = yes}}Who are you?{{/if}}");
///
/// let environment = Environment::named("Ilse", "Bram");
/// let mut variables = Variables::default();
/// let mut random = Mulberry32::new(1);
/// let mut say = || {
///     let state = State { variables: &mut variables, random: &mut random };
///     engine.evaluate(&template, &environment, &Options::default(), state).text
/// };
/// assert_eq!(say(), "Who are you?");
/// assert_eq!(say(), "Welcome back, Ilse.");
/// ```
#[derive(Debug, Clone)]
pub struct Engine {
    kind: EngineKind,
    registry: Arc<Registry>,
    limits: Limits,
}

impl Default for Engine {
    fn default() -> Self {
        Self::with_registry(Registry::standard())
    }
}

impl Engine {
    /// The standard macros with one of the two engines.
    pub fn new(kind: EngineKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Macros 2.0 with an own registry.
    pub fn with_registry(registry: Registry) -> Self {
        Self { kind: EngineKind::V2, registry: Arc::new(registry), limits: Limits::default() }
    }

    /// The same engine with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Which engine this is.
    pub fn kind(&self) -> EngineKind {
        self.kind
    }

    /// The macros it knows.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Finds the macros of a text, for evaluating it more than once.
    pub fn parse(&self, text: &str) -> Template {
        Template::parse(text, self.kind, &self.registry, &self.limits)
    }

    /// Parses and evaluates.
    pub fn expand(
        &self,
        text: &str,
        environment: &Environment<'_>,
        options: &Options<'_>,
        state: State<'_>,
    ) -> Expansion {
        if text.is_empty() {
            return Expansion::default();
        }
        self.evaluate(&self.parse(text), environment, options, state)
    }

    /// Expands with the defaults: no variables are kept, and chance always falls on the first of its choices.
    pub fn expand_simple(&self, text: &str, environment: &Environment<'_>) -> String {
        let state = State { variables: &mut Variables::default(), random: &mut || 0.0 };
        self.expand(text, environment, &Options::default(), state).text
    }

    /// Evaluates a parsed text.
    pub fn evaluate(
        &self,
        template: &Template,
        environment: &Environment<'_>,
        options: &Options<'_>,
        state: State<'_>,
    ) -> Expansion {
        let mut overlay;
        let variables = match options.effects {
            Effects::Commit => state.variables,
            Effects::Dry => {
                overlay = state.variables.clone();
                &mut overlay
            }
        };
        let mut run = Run::new(self.limits.fuel);
        run.trace = (options.tracing == Tracing::On).then(Trace::default);
        run.warnings.extend_from_slice(template.warnings());
        let mut evaluator = Evaluator::new(
            self,
            environment,
            options,
            variables,
            state.random,
            &mut run,
            template.original(),
        );
        let text = match template.kind {
            EngineKind::V2 => evaluator.whole(template),
            EngineKind::Legacy => legacy::expand(&mut evaluator, template.original()),
        };
        Expansion { text, warnings: run.warnings, trace: run.trace, banned: run.banned }
    }
}
