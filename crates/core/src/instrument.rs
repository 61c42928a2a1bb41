//! Watching a build: events while it runs, a trace when it is done.
//!
//! Without an instrumenter an event costs one branch: payloads are built by closures that then never run. Core reads no clock;
//! a [`TraceCollector`] is given one.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::warning::Warning;

/// Something that happened during a build.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// One half of a stage begins.
    StageStart {
        /// The stage.
        stage: String,
    },
    /// It ended well.
    StageFinish {
        /// The stage.
        stage: String,
    },
    /// It failed.
    StageError {
        /// The stage.
        stage: String,
        /// What it said.
        message: String,
    },
    /// A warning was recorded.
    Warning(Warning),
    /// A stage measured something.
    Stat {
        /// The stage.
        stage: String,
        /// What was measured.
        key: String,
        /// How much.
        value: Value,
    },
}

/// Receives events.
pub trait Instrumenter {
    /// Called for each event, in order.
    fn event(&mut self, event: Event);
}

/// What happened in a build, stage by stage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trace {
    /// The stages in the order they first ran.
    pub stages: Vec<StageTrace>,
}

impl Trace {
    /// No stage failed.
    pub fn is_success(&self) -> bool {
        self.stages.iter().all(|stage| stage.error.is_none())
    }

    /// The trace of one stage.
    pub fn stage(&self, name: &str) -> Option<&StageTrace> {
        self.stages.iter().find(|stage| stage.name == name)
    }
}

/// What one stage did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageTrace {
    /// Its name.
    pub name: String,
    /// The time of both its halves, without the stages between them.
    pub duration: Duration,
    /// What it measured, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stats: Vec<(String, Value)>,
    /// What it warned about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Gathers events into a [`Trace`].
///
/// ```
/// use std::time::Duration;
/// use tavernkit_core::instrument::{Event, Instrumenter, TraceCollector};
///
/// let mut ticks = 0;
/// let mut collector = TraceCollector::new(move || {
///     ticks += 5;
///     Duration::from_millis(ticks)
/// });
/// collector.event(Event::StageStart { stage: "lore".into() });
/// collector.event(Event::StageFinish { stage: "lore".into() });
/// assert_eq!(collector.into_trace().stages[0].duration, Duration::from_millis(5));
/// ```
pub struct TraceCollector<C> {
    clock: C,
    started: Option<Duration>,
    trace: Trace,
}

impl<C: FnMut() -> Duration> TraceCollector<C> {
    /// A collector that reads the time from `clock`, which counts up from any fixed point.
    pub fn new(clock: C) -> Self {
        Self { clock, started: None, trace: Trace::default() }
    }

    /// The trace so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The finished trace.
    pub fn into_trace(self) -> Trace {
        self.trace
    }

    fn stage(&mut self, name: &str) -> &mut StageTrace {
        let at = self.trace.stages.iter().position(|stage| stage.name == name).unwrap_or_else(|| {
            self.trace.stages.push(StageTrace { name: name.into(), ..StageTrace::default() });
            self.trace.stages.len() - 1
        });
        &mut self.trace.stages[at]
    }

    fn stop(&mut self, name: &str) -> &mut StageTrace {
        let spent =
            self.started.take().map_or(Duration::ZERO, |started| (self.clock)().saturating_sub(started));
        let stage = self.stage(name);
        stage.duration += spent;
        stage
    }
}

impl<C: FnMut() -> Duration> Instrumenter for TraceCollector<C> {
    fn event(&mut self, event: Event) {
        match event {
            Event::StageStart { stage } => {
                self.stage(&stage);
                self.started = Some((self.clock)());
            }
            Event::StageFinish { stage } => {
                self.stop(&stage);
            }
            Event::StageError { stage, message } => self.stop(&stage).error = Some(message),
            Event::Warning(warning) => {
                let stage = warning.stage.clone().unwrap_or_default();
                self.stage(&stage).warnings.push(warning);
            }
            Event::Stat { stage, key, value } => self.stage(&stage).stats.push((key, value)),
        }
    }
}
