//! What hangs together: a unit is kept or cut as a whole.

use std::collections::HashMap;

use crate::block::Block;
use crate::message::Role;

/// Which blocks hang together. Members of all units lie in one list, so that thousands of small units cost no allocation each.
pub(super) struct Units {
    members: Vec<usize>,
    /// Where each unit begins in `members`; one more at the end.
    starts: Vec<usize>,
}

impl Units {
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The blocks of a unit, by ascending index.
    pub(super) fn members(&self, unit: usize) -> &[usize] {
        &self.members[self.starts[unit]..self.starts[unit + 1]]
    }
}

/// The units of the enabled blocks, in the order of their first blocks.
///
/// Two things bind: a bundle, and a tool call with its results. Some backends use one call id again and again, so a result belongs to
/// the nearest call before it.
pub(super) fn units(blocks: &[Block]) -> Units {
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
    gather(blocks, &mut links)
}

/// Numbers the units by their first blocks, then lays out the members by a counting sort.
fn gather(blocks: &[Block], links: &mut Links) -> Units {
    const NONE: usize = usize::MAX;
    let mut unit_of = vec![NONE; blocks.len()];
    let mut sizes: Vec<usize> = Vec::with_capacity(blocks.len());
    for index in (0..blocks.len()).filter(|&index| blocks[index].enabled) {
        let root = links.root(index);
        // The root is the smallest index of its unit, so it is numbered before its members are met.
        if root == index {
            unit_of[index] = sizes.len();
            sizes.push(0);
        } else {
            unit_of[index] = unit_of[root];
        }
        sizes[unit_of[index]] += 1;
    }
    let mut starts = Vec::with_capacity(sizes.len() + 1);
    let mut total = 0;
    for size in &sizes {
        starts.push(total);
        total += size;
    }
    let mut next = starts.clone();
    starts.push(total);
    let mut members = vec![0; total];
    for (index, &unit) in unit_of.iter().enumerate().filter(|(_, unit)| **unit != NONE) {
        members[next[unit]] = index;
        next[unit] += 1;
    }
    Units { members, starts }
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
        // The smaller index stays the root: `gather` relies on it, and trees stay shallow when blocks join in order.
        self.parent[a.max(b)] = a.min(b);
    }
}
