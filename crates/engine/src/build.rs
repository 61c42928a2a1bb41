//! The engine: picks the platform, runs its pipeline, renders and counts.

use std::sync::Arc;
use std::time::Duration;

use tavernkit_core::dialect::{Dialect, Dialects};
use tavernkit_core::instrument::{Instrumenter, TraceCollector};
use tavernkit_core::trim::{Budget, Trimmer, token_cost};
use tavernkit_core::{BuildScope, Plan, SeededRandom, TokenCounter, Variables, Warning};
use tavernkit_tokens::{CountCache, Tokenizers};
use tavernkit_vibetavern as vibetavern;

use crate::error::EngineError;
use crate::request::{Persona, Platform};
use crate::resolve::ResolvedRequest;
use crate::result::{BuildResult, TokenReport};

/// What is shared between builds: vocabularies, a cache of counts, dialects. Make one per program and share it between threads.
#[derive(Clone, Default)]
pub struct Engine {
    tokenizers: Tokenizers,
    pub(crate) counts: CountCache,
    dialects: Dialects,
}

/// The tokenizer of one build.
pub(crate) struct Chosen {
    pub(crate) counter: Arc<dyn TokenCounter>,
    pub(crate) why: Option<String>,
}

impl Engine {
    /// An engine with the built-in dialects.
    pub fn new() -> Self {
        Self { dialects: Dialects::builtin(), ..Self::default() }
    }

    /// Adds a dialect, or replaces one.
    #[must_use]
    pub fn with_dialect(mut self, dialect: impl Dialect + 'static) -> Self {
        self.dialects.register(dialect);
        self
    }

    /// Replaces the tokenizers, for example by some with more models.
    #[must_use]
    pub fn with_tokenizers(mut self, tokenizers: Tokenizers) -> Self {
        self.tokenizers = tokenizers;
        self
    }

    /// The tokenizers.
    pub fn tokenizers(&self) -> &Tokenizers {
        &self.tokenizers
    }

    /// Builds a prompt. A trace, if asked for, has no times: see [`build_timed`](Self::build_timed).
    pub fn build(&self, request: ResolvedRequest) -> Result<BuildResult, EngineError> {
        self.build_timed(request, || Duration::ZERO)
    }

    /// Builds a prompt. `clock` counts up from any fixed point and gives a trace its times; nothing else reads it.
    pub fn build_timed(
        &self,
        request: ResolvedRequest,
        clock: impl FnMut() -> Duration,
    ) -> Result<BuildResult, EngineError> {
        let dialect = self.dialects.get(&request.dialect)?;
        let Chosen { counter, why } = self.choose_tokenizer(&request)?;
        // The first count loads the vocabulary; no stage shall be charged for that.
        counter.count("a");
        let counter = self.counts.wrap(counter);
        let mut random = SeededRandom::new(request.seed);
        let mut collector = request.trace.then(|| TraceCollector::new(clock));
        let mut scope =
            BuildScope::new(&counter, &mut random).at(request.now).with_strictness(request.strictness);
        if let Some(collector) = &mut collector {
            scope = scope.with_instrumenter(collector as &mut dyn Instrumenter);
        }
        let platform = request.platform;
        let (mut plan, variables) = match platform {
            Platform::Vibetavern => build_vibetavern(request, &mut scope)?,
            Platform::Sillytavern => {
                let why = "whole SillyTavern prompts cannot be built yet; `tavern explain` and `tavern macro` take such scenes";
                return Err(EngineError::Field { field: "platform", why: why.into() });
            }
        };
        plan.trace = collector.map(TraceCollector::into_trace);

        let rendered = plan.render(dialect)?;
        let blocks: Vec<usize> = plan.blocks.iter().map(token_cost(&counter, 0)).collect();
        let total = plan
            .blocks
            .iter()
            .zip(&blocks)
            .filter(|(block, _)| block.enabled)
            .map(|(_, tokens)| tokens)
            .sum();
        Ok(BuildResult {
            platform,
            dialect: dialect.name().to_owned(),
            fingerprint: plan.fingerprint(dialect)?,
            request: rendered.body,
            tokens: TokenReport {
                tokenizer: counter.id().to_owned(),
                exactness: counter.exactness(),
                why,
                total,
                blocks,
            },
            plan,
            variables,
            dialect_warnings: rendered.warnings,
        })
    }

    pub(crate) fn choose_tokenizer(&self, request: &ResolvedRequest) -> Result<Chosen, EngineError> {
        match (&request.tokenizer, &request.model) {
            (Some(id), _) => {
                let by_id = self.tokenizers.by_id(id);
                let counter = by_id
                    .map_err(|error| EngineError::Field { field: "tokenizer", why: error.to_string() })?;
                Ok(Chosen { counter, why: None })
            }
            (None, model) => {
                let chosen = self.tokenizers.for_model(model.as_deref().unwrap_or_default());
                Ok(Chosen { why: Some(chosen.why().to_owned()), counter: chosen.into_counter() })
            }
        }
    }
}

fn build_vibetavern(
    request: ResolvedRequest,
    scope: &mut BuildScope<'_>,
) -> Result<(Plan, Variables), EngineError> {
    warn_of_unused(&request, scope)?;
    let mut pipeline = vibetavern::pipeline();
    if let Some(trim) = request.trim {
        let budget = Budget { max_tokens: trim.max_tokens, reserve_tokens: trim.reserve_tokens };
        let trimmer = Trimmer::new(budget).with_strategy(trim.strategy);
        pipeline.push("trimming", vibetavern::stages::Trimming::new(trimmer))?;
    }
    let input = vibetavern::Input::new()
        .history(request.history)
        .message(request.message)
        .runtime(request.runtime)
        .variables(request.variables);
    let built = vibetavern::build_with(&pipeline, input, scope)?;
    Ok((built.plan, built.variables))
}

/// This platform adds nothing to the chat; who gives it a card or a book should know.
fn warn_of_unused(request: &ResolvedRequest, scope: &mut BuildScope<'_>) -> Result<(), EngineError> {
    for warning in &request.warnings {
        scope.warn(warning.clone())?;
    }
    let unused = [
        ("character", request.character.is_some()),
        ("persona", request.persona != Persona::default()),
        ("lorebooks", !request.lorebooks.is_empty()),
        ("settings", !request.settings.is_empty()),
    ];
    for (field, _) in unused.into_iter().filter(|(_, given)| *given) {
        let message = format!("platform vibetavern does not use `{field}`; it was left out");
        scope.warn(Warning::new("engine.field_without_effect", message).at(field))?;
    }
    Ok(())
}
