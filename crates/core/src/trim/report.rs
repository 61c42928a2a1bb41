//! What was cut, and why.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Strategy;
use crate::block::{Block, BlockId, BudgetGroup};
use crate::source::Source;

/// Why a block was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EvictionReason {
    /// The prompt was too long and this was next.
    BudgetExceeded,
    /// It hangs together with a block that was next.
    GroupOverflow,
    /// Its priority was the lowest left.
    PriorityCutoff,
}

/// One block that was cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvictionRecord {
    /// The block.
    pub block: BlockId,
    /// Its position in the plan.
    pub index: usize,
    /// Its slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Cow<'static, str>>,
    /// What it would have cost.
    pub tokens: usize,
    /// Why it was cut.
    pub reason: EvictionReason,
    /// Its share of the budget.
    pub group: BudgetGroup,
    /// Its priority.
    pub priority: i64,
    /// The bundle it went with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Arc<str>>,
    /// Where its text came from.
    pub source: Source,
}

impl EvictionRecord {
    pub(super) fn new(index: usize, block: &Block, tokens: usize, reason: EvictionReason) -> Self {
        Self {
            block: block.id.clone(),
            index,
            slot: block.slot.clone(),
            tokens,
            reason,
            group: block.group.clone(),
            priority: block.priority,
            bundle: block.bundle.clone(),
            source: block.source.clone(),
        }
    }
}

/// The numbers of a trimming.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrimReport {
    /// How the order was decided.
    pub strategy: Strategy,
    /// What the prompt may cost.
    pub budget_tokens: usize,
    /// What it cost before.
    pub initial_tokens: usize,
    /// What it costs now.
    pub final_tokens: usize,
    /// What was cut, in the order it was cut.
    pub evictions: Vec<EvictionRecord>,
}

impl TrimReport {
    /// Was the prompt too long before?
    pub fn was_over_budget(&self) -> bool {
        self.initial_tokens > self.budget_tokens
    }

    /// Does it fit now? Only [`OverflowPolicy::Report`](super::OverflowPolicy::Report) lets it not fit.
    pub fn fits(&self) -> bool {
        self.final_tokens <= self.budget_tokens
    }
}

/// What came of a trimming: positions of enabled blocks that stay and go, and the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrimResult {
    /// Enabled before and after, ascending.
    pub kept: Vec<usize>,
    /// Disabled by this trimming, ascending.
    pub evicted: Vec<usize>,
    /// The numbers and the reasons.
    pub report: TrimReport,
}

/// A block that had to stay, and its cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MandatoryBlock {
    /// The block.
    pub block: BlockId,
    /// Its position in the plan.
    pub index: usize,
    /// Its slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Cow<'static, str>>,
    /// What it costs.
    pub tokens: usize,
    /// Where its text came from.
    pub source: Source,
}

impl MandatoryBlock {
    pub(super) fn new(index: usize, block: &Block, tokens: usize) -> Self {
        let Block { id, slot, source, .. } = block;
        Self { block: id.clone(), index, slot: slot.clone(), tokens, source: source.clone() }
    }
}

/// What must be in the prompt does not fit: by how much, and what it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaxTokensExceeded {
    /// The stage that found out.
    pub stage: String,
    /// The context window.
    pub max_tokens: usize,
    /// Kept free for the reply.
    pub reserve_tokens: usize,
    /// What the prompt costs after everything that may go has gone.
    pub estimated_tokens: usize,
    /// What had to stay, in order.
    pub mandatory: Vec<MandatoryBlock>,
}

impl MaxTokensExceeded {
    /// How many tokens are too many.
    pub fn excess(&self) -> usize {
        self.estimated_tokens.saturating_sub(self.max_tokens.saturating_sub(self.reserve_tokens))
    }
}

impl fmt::Display for MaxTokensExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { max_tokens, reserve_tokens, estimated_tokens, .. } = self;
        let excess = self.excess();
        write!(
            f,
            "what must be in the prompt costs {estimated_tokens} tokens, {excess} more than the context of {max_tokens} less {reserve_tokens} \
             for the reply allows; the largest parts are "
        )?;
        let mut largest: Vec<_> = self.mandatory.iter().collect();
        largest.sort_by_key(|block| std::cmp::Reverse(block.tokens));
        for (i, block) in largest.iter().take(3).enumerate() {
            let name = block.slot.as_deref().unwrap_or(block.block.as_str());
            write!(f, "{}`{name}` ({})", if i == 0 { "" } else { ", " }, block.tokens)?;
        }
        Ok(())
    }
}

impl std::error::Error for MaxTokensExceeded {}
