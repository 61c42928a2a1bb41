//! Making a prompt fit: which blocks go, in which order, and why.
//!
//! Trimming disables blocks, it never removes or reorders them. What belongs together goes together: the blocks of a bundle, and a tool
//! call with its results. The cost is linear in the number of blocks (and a sort by priority where that is the strategy).

mod report;
mod units;

use serde::{Deserialize, Serialize};

pub use report::{EvictionReason, EvictionRecord, MandatoryBlock, MaxTokensExceeded, TrimReport, TrimResult};

use crate::block::{Block, BudgetGroup};
use crate::counter::TokenCounter;
use units::{Units, units};

/// The order in which blocks go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Examples, then lore, then the chat from its oldest message; system blocks never.
    #[default]
    GroupOrder,
    /// Lowest priority first, among equals the earliest.
    Priority,
}

/// What happens when everything that may go has gone and the rest still does not fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OverflowPolicy {
    /// An error that names what is left and what it costs; the blocks stay as they were.
    #[default]
    Fail,
    /// The report says so, and what had to stay stays.
    Report,
}

/// The budget of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// The model's context window.
    pub max_tokens: usize,
    /// Tokens kept free for the reply.
    #[serde(default)]
    pub reserve_tokens: usize,
}

impl Budget {
    /// What the prompt may cost.
    pub fn prompt_tokens(self) -> usize {
        self.max_tokens.saturating_sub(self.reserve_tokens)
    }
}

/// Fits blocks into a budget.
///
/// ```
/// use tavernkit_core::trim::{Budget, Trimmer};
/// use tavernkit_core::{Block, BudgetGroup, Role};
///
/// let mut blocks = vec![
///     Block::new(Role::System, "You are Bram.").with_group(BudgetGroup::System),
///     Block::new(Role::User, "An old question.").with_group(BudgetGroup::History),
///     Block::new(Role::User, "A new question.").with_group(BudgetGroup::History),
/// ];
/// let trimmer = Trimmer::new(Budget { max_tokens: 7, reserve_tokens: 1 });
/// let result = trimmer.trim(&mut blocks, |block| block.content.split(' ').count())?;
/// assert_eq!(result.evicted, [1]);
/// assert!(!blocks[1].enabled);
/// assert_eq!(result.report.final_tokens, 6);
/// # Ok::<(), tavernkit_core::trim::MaxTokensExceeded>(())
/// ```
#[derive(Debug, Clone)]
pub struct Trimmer {
    budget: Budget,
    strategy: Strategy,
    overflow: OverflowPolicy,
    stage: String,
}

impl Trimmer {
    /// A trimmer by group order that fails on overflow.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            strategy: Strategy::GroupOrder,
            overflow: OverflowPolicy::Fail,
            stage: "trimming".into(),
        }
    }

    /// Sets the order in which blocks go.
    #[must_use]
    pub fn with_strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets what happens when the rest does not fit.
    #[must_use]
    pub fn with_overflow(mut self, overflow: OverflowPolicy) -> Self {
        self.overflow = overflow;
        self
    }

    /// Disables blocks until the enabled ones fit. Each block's cost is asked once.
    ///
    /// Never disabled are required blocks, the latest user message of the chat and, by group order, system blocks; nor anything that
    /// hangs together with one of these.
    pub fn trim(
        &self,
        blocks: &mut [Block],
        cost: impl Fn(&Block) -> usize,
    ) -> Result<TrimResult, MaxTokensExceeded> {
        let costs: Vec<usize> =
            blocks.iter().map(|block| if block.enabled { cost(block) } else { 0 }).collect();
        let initial_tokens: usize = costs.iter().sum();
        let budget = self.budget.prompt_tokens();
        let mut report = TrimReport {
            strategy: self.strategy,
            budget_tokens: budget,
            initial_tokens,
            final_tokens: initial_tokens,
            evictions: Vec::new(),
        };
        let mut doomed = vec![false; blocks.len()];
        if initial_tokens > budget {
            let units = units(blocks);
            for unit in self.candidates(blocks, &units) {
                if report.final_tokens <= budget {
                    break;
                }
                self.evict(units.members(unit), blocks, &costs, &mut doomed, &mut report);
            }
        }
        if report.final_tokens > budget && self.overflow == OverflowPolicy::Fail {
            return Err(self.exceeded(blocks, &costs, &doomed, report.final_tokens));
        }
        let mut result = TrimResult { kept: Vec::new(), evicted: Vec::new(), report };
        for (index, block) in blocks.iter_mut().enumerate() {
            if doomed[index] {
                block.enabled = false;
                result.evicted.push(index);
            } else if block.enabled {
                result.kept.push(index);
            }
        }
        Ok(result)
    }

    /// What may go, in the order it goes.
    fn candidates(&self, blocks: &[Block], units: &Units) -> Vec<usize> {
        let latest_user = latest_user_message(blocks);
        let is_protected = |index: usize| {
            let block = &blocks[index];
            let system = self.strategy == Strategy::GroupOrder && block.group == BudgetGroup::System;
            !block.removable || system || latest_user == Some(index)
        };
        let free = |unit: &usize| !units.members(*unit).iter().copied().any(is_protected);
        let mut candidates: Vec<usize> = (0..units.len()).filter(free).collect();
        match self.strategy {
            // A unit over several groups goes with the last of them.
            Strategy::GroupOrder => {
                candidates.sort_by_cached_key(|unit| {
                    units.members(*unit).iter().map(|&i| rank(&blocks[i].group)).max()
                });
            }
            Strategy::Priority => {
                candidates.sort_by_cached_key(|unit| {
                    units.members(*unit).iter().map(|&i| blocks[i].priority).min()
                });
            }
        }
        candidates
    }

    fn evict(
        &self,
        unit: &[usize],
        blocks: &[Block],
        costs: &[usize],
        doomed: &mut [bool],
        report: &mut TrimReport,
    ) {
        let reason = match self.strategy {
            Strategy::Priority => EvictionReason::PriorityCutoff,
            Strategy::GroupOrder if unit.len() > 1 => EvictionReason::GroupOverflow,
            Strategy::GroupOrder => EvictionReason::BudgetExceeded,
        };
        for &index in unit {
            doomed[index] = true;
            report.final_tokens -= costs[index];
            report.evictions.push(EvictionRecord::new(index, &blocks[index], costs[index], reason));
        }
    }

    fn exceeded(
        &self,
        blocks: &[Block],
        costs: &[usize],
        doomed: &[bool],
        estimated: usize,
    ) -> MaxTokensExceeded {
        let mandatory = blocks.iter().enumerate().filter(|(i, block)| block.enabled && !doomed[*i]);
        MaxTokensExceeded {
            stage: self.stage.clone(),
            max_tokens: self.budget.max_tokens,
            reserve_tokens: self.budget.reserve_tokens,
            estimated_tokens: estimated,
            mandatory: mandatory.map(|(i, block)| MandatoryBlock::new(i, block, costs[i])).collect(),
        }
    }
}

/// What a block costs: its text, its name, and a fixed sum per message that some providers charge.
pub fn token_cost(counter: &dyn TokenCounter, per_message: usize) -> impl Fn(&Block) -> usize {
    move |block| {
        let name = block.name.as_deref().map_or(0, |name| counter.count(name));
        let calls: usize = block
            .metadata
            .tool_calls
            .iter()
            .map(|call| counter.count(&call.function.name) + counter.count(&call.function.arguments))
            .sum();
        counter.count(&block.content) + name + calls + per_message
    }
}

fn latest_user_message(blocks: &[Block]) -> Option<usize> {
    let is_chat = |group: &BudgetGroup| rank(group) == Some(HISTORY);
    blocks.iter().rposition(|b| b.enabled && b.role == crate::message::Role::User && is_chat(&b.group))
}

const HISTORY: u8 = 2;

/// The place of a group in the order of eviction; `None` for what never goes by group order.
fn rank(group: &BudgetGroup) -> Option<u8> {
    match group {
        BudgetGroup::Examples => Some(0),
        BudgetGroup::Lore => Some(1),
        BudgetGroup::History | BudgetGroup::Default | BudgetGroup::Other(_) => Some(HISTORY),
        BudgetGroup::System => None,
    }
}

#[cfg(test)]
mod tests;
