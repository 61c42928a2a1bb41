//! Stage `plan_assembly`.

use serde_json::json;
use tavernkit_core::{Block, BudgetGroup, BuildScope, Plan, Result, Role, Source, Stage};

use crate::state::State;

/// Input: `history`, `user_message`. Output: `plan`. Adds no text of its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlanAssembly;

impl Stage<State> for PlanAssembly {
    fn run(&self, state: &mut State, scope: &mut BuildScope<'_>) -> Result<()> {
        let history = std::mem::take(&mut state.history);
        let mut blocks: Vec<Block> = Vec::with_capacity(history.len() + 1);
        for (index, message) in history.into_iter().enumerate() {
            let block = Block::from_message(message).with_slot("history").with_group(BudgetGroup::History);
            blocks.push(block.with_source(Source::new("history").index(index)));
        }
        if !state.user_message.trim().is_empty() {
            let message = std::mem::take(&mut state.user_message);
            let block =
                Block::new(Role::User, message).with_slot("user_message").with_group(BudgetGroup::History);
            blocks.push(block.with_source(Source::new("user_message")));
        }
        scope.stat("plan_blocks", || json!(blocks.len()));
        state.plan.set(Plan::new(blocks))
    }
}
