//! Stage `trimming`. Not part of the standard pipeline: push it where a prompt must fit.

use serde_json::json;
use tavernkit_core::trim::{Trimmer, token_cost};
use tavernkit_core::{BuildScope, Result, Stage};

use crate::state::State;

/// Input: `plan`. Output: `plan` with blocks disabled until it fits, and the report in it.
#[derive(Debug, Clone)]
pub struct Trimming {
    trimmer: Trimmer,
}

impl Trimming {
    /// Trims with these rules.
    pub fn new(trimmer: Trimmer) -> Self {
        Self { trimmer }
    }
}

impl Stage<State> for Trimming {
    fn run(&self, state: &mut State, scope: &mut BuildScope<'_>) -> Result<()> {
        let plan = state.plan.get_mut()?;
        let report = self.trimmer.trim(&mut plan.blocks, token_cost(scope.counter, 0))?.report;
        scope.stat("initial_tokens", || json!(report.initial_tokens));
        scope.stat("final_tokens", || json!(report.final_tokens));
        scope.stat("budget_tokens", || json!(report.budget_tokens));
        scope.stat("eviction_count", || json!(report.evictions.len()));
        plan.trim_report = Some(report);
        Ok(())
    }
}
