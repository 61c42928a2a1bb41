//! What hangs together: a unit is kept or cut as a whole.

use std::collections::HashMap;

use crate::block::Block;
use crate::message::Role;

/// Blocks that are kept or cut together, by ascending index.
pub(super) struct Unit {
    pub(super) members: Vec<usize>,
}

/// The units of the enabled blocks, in the order of their first blocks.
///
/// Two things bind: a bundle, and a tool call with its results. Some backends use one call id again and again, so a result belongs to
/// the nearest call before it.
pub(super) fn units(blocks: &[Block]) -> Vec<Unit> {
    let mut links = Links::new(blocks.len());
    let mut bundles: HashMap<&str, usize> = HashMap::new();
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for (index, block) in blocks.iter().enumerate().filter(|(_, block)| block.enabled) {
        if let Some(bundle) = block.bundle.as_deref() {
            links.join(*bundles.entry(bundle).or_insert(index), index);
        }
        if block.role == Role::Tool
            && let Some(call) = block.metadata.tool_call_id.as_deref().and_then(|id| calls.get(id))
        {
            links.join(*call, index);
        }
        for call in &block.metadata.tool_calls {
            calls.insert(&call.id, index);
        }
    }
    let mut unit_of_root: HashMap<usize, usize> = HashMap::new();
    let mut units: Vec<Unit> = Vec::new();
    for index in (0..blocks.len()).filter(|&index| blocks[index].enabled) {
        let unit = *unit_of_root.entry(links.root(index)).or_insert_with(|| {
            units.push(Unit { members: Vec::new() });
            units.len() - 1
        });
        units[unit].members.push(index);
    }
    units
}

/// Union-find with path halving.
struct Links {
    parent: Vec<usize>,
}

impl Links {
    fn new(len: usize) -> Self {
        Self { parent: (0..len).collect() }
    }

    fn root(&mut self, mut index: usize) -> usize {
        while self.parent[index] != index {
            self.parent[index] = self.parent[self.parent[index]];
            index = self.parent[index];
        }
        index
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        // The smaller index stays the root, so that trees stay shallow when blocks join in order.
        self.parent[a.max(b)] = a.min(b);
    }
}
