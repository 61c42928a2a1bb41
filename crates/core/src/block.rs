//! A block: one message to be, with everything that decides its place, its fate and its origin.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::{Attachment, Message, Metadata, Role};
use crate::source::Source;

/// Names a block within one plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct BlockId(Arc<str>);

impl BlockId {
    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Arc<str>>> From<T> for BlockId {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Which share of the token budget a block belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BudgetGroup {
    /// Instructions; the last to go.
    System,
    /// Example dialogues; the first to go.
    Examples,
    /// Lorebook entries.
    Lore,
    /// The chat.
    History,
    /// Nothing said: treated like the chat.
    #[default]
    Default,
    /// A platform's own group: treated like the chat.
    Other(Cow<'static, str>),
}

/// Where a block wants to stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// In the order of the blocks.
    #[default]
    Relative,
    /// In the chat, counted from its end by `depth`.
    InChat,
}

/// One message to be.
///
/// Blocks are plain data. Trimming disables a block instead of removing it, so that a finished plan still shows what was cut.
///
/// ```
/// use tavernkit_core::{Block, BudgetGroup, Role, Source};
///
/// let block = Block::new(Role::System, "You are Bram.")
///     .with_slot("main")
///     .with_group(BudgetGroup::System)
///     .with_source(Source::new("preset").field("main"));
/// assert!(block.enabled && block.removable);
/// assert_eq!(block.message().content.as_ref(), "You are Bram.");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Block {
    /// Unique in the plan; an empty id is filled in by [`Plan::new`](crate::Plan::new).
    #[serde(default)]
    pub id: BlockId,
    /// Who speaks.
    pub role: Role,
    /// The text.
    #[serde(default)]
    pub content: Arc<str>,
    /// The speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Images, sounds and files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// Carried into the message.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The platform's name for this part of the prompt, such as `main` or `history`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Cow<'static, str>>,
    /// Does it reach the prompt?
    #[serde(default = "yes")]
    pub enabled: bool,
    /// May trimming disable it?
    #[serde(default = "yes")]
    pub removable: bool,
    /// Where it wants to stand.
    #[serde(default)]
    pub placement: Placement,
    /// Messages from the end of the chat, for blocks in the chat.
    #[serde(default)]
    pub depth: usize,
    /// Order among blocks of the same place.
    #[serde(default = "hundred")]
    pub order: i64,
    /// The lower, the earlier it is trimmed under [`Strategy::Priority`](crate::trim::Strategy::Priority).
    #[serde(default = "hundred")]
    pub priority: i64,
    /// Its share of the budget.
    #[serde(default)]
    pub group: BudgetGroup,
    /// Blocks with the same bundle are kept or cut together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Arc<str>>,
    /// Free marks for applications.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Cow<'static, str>>,
    /// Where the text came from.
    #[serde(default)]
    pub source: Source,
}

fn yes() -> bool {
    true
}

fn hundred() -> i64 {
    100
}

impl Block {
    /// An enabled, removable block with a role and a text.
    pub fn new(role: Role, content: impl Into<Arc<str>>) -> Self {
        Self {
            id: BlockId::default(),
            role,
            content: content.into(),
            name: None,
            attachments: Vec::new(),
            metadata: Metadata::default(),
            slot: None,
            enabled: true,
            removable: true,
            placement: Placement::Relative,
            depth: 0,
            order: 100,
            priority: 100,
            group: BudgetGroup::Default,
            bundle: None,
            tags: Vec::new(),
            source: Source::default(),
        }
    }

    /// A block that carries a message as it is.
    pub fn from_message(message: Message) -> Self {
        let Message { role, content, name, attachments, metadata } = message;
        Self { name, attachments, metadata, ..Self::new(role, content) }
    }

    /// The message this block becomes.
    pub fn message(&self) -> Message {
        Message {
            role: self.role.clone(),
            content: self.content.clone(),
            name: self.name.clone(),
            attachments: self.attachments.clone(),
            metadata: self.metadata.clone(),
        }
    }

    /// Sets the id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<BlockId>) -> Self {
        self.id = id.into();
        self
    }

    /// Sets the slot.
    #[must_use]
    pub fn with_slot(mut self, slot: impl Into<Cow<'static, str>>) -> Self {
        self.slot = Some(slot.into());
        self
    }

    /// Sets the budget group.
    #[must_use]
    pub fn with_group(mut self, group: BudgetGroup) -> Self {
        self.group = group;
        self
    }

    /// Protects the block from trimming.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.removable = false;
        self
    }

    /// Sets the priority.
    #[must_use]
    pub fn with_priority(mut self, priority: i64) -> Self {
        self.priority = priority;
        self
    }

    /// Puts the block into a bundle.
    #[must_use]
    pub fn with_bundle(mut self, bundle: impl Into<Arc<str>>) -> Self {
        self.bundle = Some(bundle.into());
        self
    }

    /// Says where the text came from.
    #[must_use]
    pub fn with_source(mut self, source: Source) -> Self {
        self.source = source;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_fields_read_as_the_defaults() {
        let block: Block = serde_json::from_str(r#"{"role":"user","content":"hi"}"#).unwrap();
        assert_eq!(block, Block::new(Role::User, "hi"));
        let again: Block = serde_json::from_str(&serde_json::to_string(&block).unwrap()).unwrap();
        assert_eq!(again, block);
    }
}
