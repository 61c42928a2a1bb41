//! What a build gives back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tavernkit_core::{Exactness, Plan, Variables, Warning};

use crate::request::Platform;

/// A finished build: what to send, and everything that explains it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BuildResult {
    /// Whose rules built it.
    pub platform: Platform,
    /// The provider's format of `request`.
    pub dialect: String,
    /// The messages in that format, ready to send.
    pub request: Value,
    /// A hash of what is sent.
    pub fingerprint: String,
    /// What it costs.
    pub tokens: TokenReport,
    /// The blocks, with roles, sources, what was cut and why, warnings and, on request, a trace.
    pub plan: Plan,
    /// The variables afterwards, to be saved with the chat.
    pub variables: Variables,
    /// What the dialect could not express. Warnings of the build are in the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dialect_warnings: Vec<Warning>,
}

impl BuildResult {
    /// All warnings: of the build, then of the dialect.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.plan.warnings.iter().chain(&self.dialect_warnings)
    }
}

/// What a prompt costs, by block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenReport {
    /// The tokenizer.
    pub tokenizer: String,
    /// Are the counts exact?
    pub exactness: Exactness,
    /// Why this tokenizer, when it was chosen by the model's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// All enabled blocks. What a provider adds around each message is not in it.
    pub total: usize,
    /// Each block of the plan, disabled ones too, in order.
    pub blocks: Vec<usize>,
}
