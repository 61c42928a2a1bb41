//! The plan: the finished prompt, with everything that explains it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::block::{Block, BlockId};
use crate::dialect::{Dialect, Rendered};
use crate::error::Result;
use crate::instrument::Trace;
use crate::message::Message;
use crate::trim::TrimReport;
use crate::warning::Warning;

/// The greeting a chat opens with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Greeting {
    /// Its text.
    pub text: String,
    /// Which of the card's greetings it is.
    pub index: usize,
}

/// A finished prompt: blocks in order, and what explains them.
///
/// ```
/// use serde_json::json;
/// use tavernkit_core::dialect::OpenAi;
/// use tavernkit_core::{Block, Plan, Role};
///
/// let plan = Plan::new(vec![Block::new(Role::System, "You are Bram."), Block::new(Role::User, "Hello.")]);
/// assert_eq!(plan.render(&OpenAi)?.body[1], json!({"role": "user", "content": "Hello."}));
/// assert_eq!(plan.fingerprint(&OpenAi)?.len(), 64);
/// # Ok::<(), tavernkit_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// All blocks in order, disabled ones too.
    pub blocks: Vec<Block>,
    /// Texts that templates fetch by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub outlets: IndexMap<String, String>,
    /// The greeting, if the chat opens with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub greeting: Option<Greeting>,
    /// What was odd in the input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim_report: Option<TrimReport>,
    /// What the stages did, when somebody watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Request fields beside the messages, such as an assistant prefill or stop strings.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub llm_options: Map<String, Value>,
}

impl Plan {
    /// A plan of blocks. Blocks without an id, or with one already taken, get one from their slot and position.
    pub fn new(mut blocks: Vec<Block>) -> Self {
        let mut taken: HashSet<BlockId> = HashSet::with_capacity(blocks.len());
        for (index, block) in blocks.iter_mut().enumerate() {
            let slot = block.slot.as_deref().unwrap_or("block");
            let mut name = format!("{slot}-{index}");
            if !block.id.as_str().is_empty() {
                name = block.id.to_string();
            }
            while !taken.insert(name.as_str().into()) {
                name.push('\'');
            }
            block.id = name.into();
        }
        Self { blocks, ..Self::default() }
    }

    /// The blocks that reach the prompt.
    pub fn enabled_blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.enabled)
    }

    /// The messages of the prompt.
    pub fn messages(&self) -> Vec<Message> {
        self.enabled_blocks().map(Block::message).collect()
    }

    /// The messages in a provider's shape.
    pub fn render(&self, dialect: &dyn Dialect) -> Result<Rendered> {
        dialect.render(&self.messages())
    }

    /// A hash of what would be sent: the rendered messages and the options. Block ids, sources and traces do not count.
    pub fn fingerprint(&self, dialect: &dyn Dialect) -> Result<String> {
        let sent = json!({"messages": self.render(dialect)?.body, "llm_options": self.llm_options});
        Ok(blake3::hash(sent.to_string().as_bytes()).to_hex().to_string())
    }

    /// Puts a block before the first block of a slot; at the end if there is none.
    pub fn insert_before(&mut self, slot: &str, block: Block) {
        let at = self.blocks.iter().position(|known| is_slot(known, slot)).unwrap_or(self.blocks.len());
        self.blocks.insert(at, block);
    }

    /// Puts a block after the last block of a slot; at the end if there is none.
    pub fn insert_after(&mut self, slot: &str, block: Block) {
        let at =
            self.blocks.iter().rposition(|known| is_slot(known, slot)).map_or(self.blocks.len(), |at| at + 1);
        self.blocks.insert(at, block);
    }

    /// One line a block, for people: position, role, slot, source, and the beginning of the text. Cut blocks are marked.
    pub fn summary(&self) -> String {
        let mut out = String::new();
        for (index, block) in self.blocks.iter().enumerate() {
            let mark = if block.enabled { ' ' } else { '×' };
            let slot = block.slot.as_deref().unwrap_or("-");
            let text: Cow<'_, str> = match block.content.char_indices().nth(60) {
                Some((at, _)) => format!("{}…", &block.content[..at]).into(),
                None => block.content.as_ref().into(),
            };
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "{index:>3}{mark} {:<9} {slot:<16} {:<24} {}",
                block.role,
                block.source.to_string(),
                text.replace('\n', "⏎")
            );
        }
        out
    }
}

fn is_slot(block: &Block, slot: &str) -> bool {
    block.slot.as_deref() == Some(slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::OpenAi;
    use crate::message::Role;

    fn block(text: &str) -> Block {
        Block::new(Role::User, text).with_slot("history")
    }

    #[test]
    fn the_fingerprint_sees_what_is_sent_and_nothing_else() {
        let plan = Plan::new(vec![block("a"), block("b")]);
        let renamed = Plan::new(vec![block("a").with_id("x"), block("b").with_slot("other")]);
        assert_eq!(plan.fingerprint(&OpenAi).unwrap(), renamed.fingerprint(&OpenAi).unwrap());
        let mut cut = plan.clone();
        cut.blocks[0].enabled = false;
        assert_ne!(plan.fingerprint(&OpenAi).unwrap(), cut.fingerprint(&OpenAi).unwrap());
        let mut option = plan.clone();
        option.llm_options.insert("prefill".into(), "So".into());
        assert_ne!(plan.fingerprint(&OpenAi).unwrap(), option.fingerprint(&OpenAi).unwrap());
    }

    #[test]
    fn ids_are_filled_in_and_unique() {
        let plan = Plan::new(vec![
            block("a"),
            block("b").with_id("history-2"),
            block("c").with_id("history-2"),
            Block::new(Role::User, ""),
        ]);
        let ids: Vec<_> = plan.blocks.iter().map(|b| b.id.as_str()).collect();
        assert_eq!(ids, ["history-0", "history-2", "history-2'", "block-3"]);
    }

    #[test]
    fn blocks_go_beside_slots() {
        let mut plan = Plan::new(vec![block("a"), Block::new(Role::User, "z").with_slot("end")]);
        plan.insert_before("history", block("first"));
        plan.insert_after("history", block("second"));
        plan.insert_after("nowhere", block("last"));
        let texts: Vec<_> = plan.blocks.iter().map(|b| b.content.as_ref()).collect();
        assert_eq!(texts, ["first", "a", "second", "z", "last"]);
        assert!(plan.summary().starts_with("  0  user      history"));
    }
}
