//! What travels beside the state of a build: strictness, warnings, randomness, time, counting, instrumentation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::counter::TokenCounter;
use crate::error::{Error, Result};
use crate::instrument::{Event, Instrumenter};
use crate::random::RandomSource;
use crate::warning::Warning;

/// What a warning does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Strictness {
    /// It is recorded and the build goes on.
    #[default]
    Tolerant,
    /// It ends the build. For tests and debugging.
    Strict,
}

/// A point in time, and the offset of the person's clock from UTC. Builds read no other clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timestamp {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub unix_ms: i64,
    /// Minutes east of UTC.
    #[serde(default)]
    pub utc_offset_minutes: i32,
}

/// The scope of one build.
///
/// ```
/// use tavernkit_core::{BuildScope, Exactness, SeededRandom, Strictness, TokenCounter, Warning};
///
/// struct Words;
/// impl TokenCounter for Words {
///     fn id(&self) -> &str { "words" }
///     fn exactness(&self) -> Exactness { Exactness::Estimate }
///     fn count(&self, text: &str) -> usize { text.split_whitespace().count() }
/// }
///
/// let mut random = SeededRandom::new(1);
/// let mut scope = BuildScope::new(&Words, &mut random).with_strictness(Strictness::Strict);
/// let error = scope.warn(Warning::new("lore.bad_key", "key `/[/` is no regular expression")).unwrap_err();
/// assert_eq!(error.to_string(), "strict mode: [lore.bad_key] key `/[/` is no regular expression");
/// ```
pub struct BuildScope<'a> {
    /// The tokenizer of the model the prompt is for.
    pub counter: &'a dyn TokenCounter,
    /// Where random numbers come from.
    pub random: &'a mut dyn RandomSource,
    /// The time of the build.
    pub now: Timestamp,
    strictness: Strictness,
    warnings: Vec<Warning>,
    instrumenter: Option<&'a mut dyn Instrumenter>,
    stage: Option<String>,
}

impl<'a> BuildScope<'a> {
    /// A tolerant scope without instrumentation, at time zero.
    pub fn new(counter: &'a dyn TokenCounter, random: &'a mut dyn RandomSource) -> Self {
        Self {
            counter,
            random,
            now: Timestamp::default(),
            strictness: Strictness::Tolerant,
            warnings: Vec::new(),
            instrumenter: None,
            stage: None,
        }
    }

    /// Sets the time of the build.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.now = now;
        self
    }

    /// Sets what a warning does.
    #[must_use]
    pub fn with_strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// Lets someone watch.
    #[must_use]
    pub fn with_instrumenter(mut self, instrumenter: &'a mut dyn Instrumenter) -> Self {
        self.instrumenter = Some(instrumenter);
        self
    }

    /// Records a warning; in strict mode, fails with it.
    pub fn warn(&mut self, mut warning: Warning) -> Result<()> {
        if warning.stage.is_none() {
            warning.stage.clone_from(&self.stage);
        }
        self.instrument(|_| Event::Warning(warning.clone()));
        if self.strictness == Strictness::Strict {
            return Err(Error::strict(warning));
        }
        self.warnings.push(warning);
        Ok(())
    }

    /// The warnings so far.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Takes the warnings out, for the plan.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Is anybody watching? Ask before work that only a watcher needs.
    #[inline]
    pub fn is_instrumented(&self) -> bool {
        cfg!(feature = "instrument") && self.instrumenter.is_some()
    }

    /// Sends an event. The closure, given the current stage's name, runs only when somebody watches.
    #[inline]
    pub fn instrument(&mut self, event: impl FnOnce(&str) -> Event) {
        if cfg!(feature = "instrument")
            && let Some(instrumenter) = &mut self.instrumenter
        {
            instrumenter.event(event(self.stage.as_deref().unwrap_or_default()));
        }
    }

    /// Sends a measured number of the current stage; the value is built only when somebody watches.
    #[inline]
    pub fn stat(&mut self, key: &str, value: impl FnOnce() -> Value) {
        self.instrument(|stage| Event::Stat { stage: stage.into(), key: key.into(), value: value() });
    }

    /// The stage that runs now.
    pub fn stage(&self) -> Option<&str> {
        self.stage.as_deref()
    }

    pub(crate) fn enter(&mut self, stage: &str) {
        let name = self.stage.get_or_insert_default();
        name.clear();
        name.push_str(stage);
        self.instrument(|stage| Event::StageStart { stage: stage.into() });
    }

    pub(crate) fn leave(&mut self, outcome: &Result<()>) {
        self.instrument(|stage| match outcome {
            Ok(()) => Event::StageFinish { stage: stage.into() },
            Err(error) => Event::StageError { stage: stage.into(), message: error.detail().into() },
        });
        self.stage = None;
    }
}
