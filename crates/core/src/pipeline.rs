//! A pipeline: an ordered list of uniquely named stages over a platform's own state.
//!
//! All first halves run in order, then all second halves in reverse, so that the first stage can wrap the rest.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::scope::BuildScope;

/// One step of a build.
///
/// A stage is a value without state of its own: what it needs it reads from `S`, what it makes it writes there.
pub trait Stage<S>: Send + Sync {
    /// The first half: what the stage does.
    fn run(&self, state: &mut S, scope: &mut BuildScope<'_>) -> Result<()>;

    /// The second half, after all stages have run. Most stages have none.
    fn finish(&self, _state: &mut S, _scope: &mut BuildScope<'_>) -> Result<()> {
        Ok(())
    }
}

impl<S, F> Stage<S> for F
where
    F: Fn(&mut S, &mut BuildScope<'_>) -> Result<()> + Send + Sync,
{
    fn run(&self, state: &mut S, scope: &mut BuildScope<'_>) -> Result<()> {
        self(state, scope)
    }
}

/// An ordered list of uniquely named stages.
///
/// Copies share the stages, so an application can change its own copy of a platform's pipeline.
///
/// ```
/// use tavernkit_core::{BuildScope, Pipeline, Result};
///
/// let mut pipeline: Pipeline<Vec<&str>> = Pipeline::new();
/// pipeline.push("greet", |state: &mut Vec<&str>, _: &mut BuildScope<'_>| -> Result<()> {
///     state.push("hello");
///     Ok(())
/// })?;
/// pipeline.insert_before("greet", "bow", |state: &mut Vec<&str>, _: &mut BuildScope<'_>| -> Result<()> {
///     state.push("bow");
///     Ok(())
/// })?;
/// assert_eq!(pipeline.names().collect::<Vec<_>>(), ["bow", "greet"]);
/// # Ok::<(), tavernkit_core::Error>(())
/// ```
pub struct Pipeline<S> {
    stages: Vec<(String, Arc<dyn Stage<S>>)>,
}

impl<S> Clone for Pipeline<S> {
    fn clone(&self) -> Self {
        Self { stages: self.stages.clone() }
    }
}

impl<S> Default for Pipeline<S> {
    fn default() -> Self {
        Self { stages: Vec::new() }
    }
}

impl<S> Pipeline<S> {
    /// No stages.
    pub fn new() -> Self {
        Self::default()
    }

    /// The names of the stages, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.stages.iter().map(|(name, _)| name.as_str())
    }

    /// Adds a stage at the end.
    pub fn push(&mut self, name: impl Into<String>, stage: impl Stage<S> + 'static) -> Result<&mut Self> {
        self.insert(self.stages.len(), name.into(), stage)
    }

    /// Adds a stage before another.
    pub fn insert_before(
        &mut self,
        anchor: &str,
        name: impl Into<String>,
        stage: impl Stage<S> + 'static,
    ) -> Result<&mut Self> {
        self.insert(self.position(anchor)?, name.into(), stage)
    }

    /// Adds a stage after another.
    pub fn insert_after(
        &mut self,
        anchor: &str,
        name: impl Into<String>,
        stage: impl Stage<S> + 'static,
    ) -> Result<&mut Self> {
        self.insert(self.position(anchor)? + 1, name.into(), stage)
    }

    /// Puts another stage under a name.
    pub fn replace(&mut self, name: &str, stage: impl Stage<S> + 'static) -> Result<&mut Self> {
        let at = self.position(name)?;
        self.stages[at].1 = Arc::new(stage);
        Ok(self)
    }

    /// Takes a stage out.
    pub fn remove(&mut self, name: &str) -> Result<&mut Self> {
        let at = self.position(name)?;
        self.stages.remove(at);
        Ok(self)
    }

    /// Runs all first halves in order, then all second halves in reverse. The first error ends the run and carries its stage's name.
    pub fn run(&self, state: &mut S, scope: &mut BuildScope<'_>) -> Result<()> {
        for (name, stage) in &self.stages {
            half(name, scope, |scope| stage.run(state, scope))?;
        }
        for (name, stage) in self.stages.iter().rev() {
            half(name, scope, |scope| stage.finish(state, scope))?;
        }
        Ok(())
    }

    fn insert(&mut self, at: usize, name: String, stage: impl Stage<S> + 'static) -> Result<&mut Self> {
        if self.names().any(|known| known == name) {
            return Err(Error::new(
                ErrorKind::DuplicateStage,
                format!("the pipeline already has a stage `{name}`"),
            ));
        }
        self.stages.insert(at, (name, Arc::new(stage)));
        Ok(self)
    }

    fn position(&self, name: &str) -> Result<usize> {
        self.names().position(|known| known == name).ok_or_else(|| {
            let known = self.names().collect::<Vec<_>>().join(", ");
            Error::new(
                ErrorKind::UnknownStage,
                format!("the pipeline has no stage `{name}`; it has: {known}"),
            )
        })
    }
}

fn half(
    name: &str,
    scope: &mut BuildScope<'_>,
    run: impl FnOnce(&mut BuildScope<'_>) -> Result<()>,
) -> Result<()> {
    scope.enter(name);
    let outcome = run(scope);
    scope.leave(&outcome);
    outcome.map_err(|error| error.in_stage(name))
}
