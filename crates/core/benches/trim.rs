//! Trimming is linear in the number of blocks: compare the times per block at 1k, 10k and 100k.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tavernkit_core::message::ToolCall;
use tavernkit_core::trim::{Budget, Strategy, Trimmer};
use tavernkit_core::{Block, BudgetGroup, Role};

/// A chat with lore, example dialogues in bundles of four, and a tool call every tenth message.
fn blocks(count: usize) -> Vec<Block> {
    (0..count)
        .map(|i| {
            let role = if i % 2 == 0 { Role::User } else { Role::Assistant };
            let group = match i % 8 {
                0 => BudgetGroup::Lore,
                1 => BudgetGroup::Examples,
                _ => BudgetGroup::History,
            };
            let mut block =
                Block::new(role, "x".repeat(20 + i % 50)).with_group(group).with_priority((i % 97) as i64);
            if i % 8 == 1 {
                block = block.with_bundle((i / 32).to_string());
            }
            if i % 10 == 3 {
                block.metadata.tool_calls.push(ToolCall::function(i.to_string(), "look", "{}"));
            }
            if i % 10 == 4 {
                block.role = Role::Tool;
                block.metadata.tool_call_id = Some((i - 1).to_string());
            }
            block
        })
        .collect()
}

fn trimming(c: &mut Criterion) {
    for (name, strategy) in [("group_order", Strategy::GroupOrder), ("priority", Strategy::Priority)] {
        let mut group = c.benchmark_group(format!("trim/{name}"));
        for count in [1_000, 10_000, 100_000] {
            let blocks = blocks(count);
            let total: usize = blocks.iter().map(|block| block.content.len()).sum();
            // Half of it has to go.
            let trimmer =
                Trimmer::new(Budget { max_tokens: total / 2, reserve_tokens: 0 }).with_strategy(strategy);
            group.throughput(Throughput::Elements(count as u64));
            group.bench_with_input(BenchmarkId::from_parameter(count), &blocks, |b, blocks| {
                b.iter_batched_ref(
                    || blocks.clone(),
                    |blocks| trimmer.trim(blocks, |block| block.content.len()),
                    criterion::BatchSize::LargeInput,
                );
            });
        }
        group.finish();
    }
}

criterion_group!(benches, trimming);
criterion_main!(benches);
