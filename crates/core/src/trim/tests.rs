use proptest::prelude::*;
// The trait's name is taken by the thing under test.
use proptest::strategy::Strategy as Generator;

use super::Strategy;
use super::*;
use crate::message::{Role, ToolCall};

fn cost(block: &Block) -> usize {
    block.content.len()
}

fn of(group: BudgetGroup, text: &str) -> Block {
    Block::new(Role::Assistant, text).with_group(group)
}

fn trimmer(tokens: usize) -> Trimmer {
    Trimmer::new(Budget { max_tokens: tokens, reserve_tokens: 0 })
}

#[test]
fn examples_go_first_then_lore_then_the_oldest_messages() {
    let make = || {
        vec![
            of(BudgetGroup::System, "ssss"),
            of(BudgetGroup::History, "h1"),
            of(BudgetGroup::Lore, "lore"),
            of(BudgetGroup::Examples, "exam"),
            of(BudgetGroup::History, "h2"),
            Block::new(Role::User, "u1").with_group(BudgetGroup::History),
        ]
    };
    for (tokens, evicted) in
        [(18, vec![]), (17, vec![3]), (13, vec![2, 3]), (9, vec![1, 2, 3]), (6, vec![1, 2, 3, 4])]
    {
        let mut blocks = make();
        let result = trimmer(tokens).trim(&mut blocks, cost).unwrap();
        assert_eq!(result.evicted, evicted, "{tokens}");
        assert!(result.report.fits());
    }
    let error = trimmer(5).trim(&mut make(), cost).unwrap_err();
    assert_eq!(
        (error.max_tokens, error.reserve_tokens, error.estimated_tokens, error.excess()),
        (5, 0, 6, 1)
    );
    assert_eq!(error.mandatory.len(), 2);
}

#[test]
fn a_failed_trimming_changes_nothing_and_says_what_is_too_big() {
    let mut blocks =
        vec![of(BudgetGroup::System, "too long").with_slot("main"), of(BudgetGroup::History, "x")];
    let before = blocks.clone();
    let error =
        Trimmer::new(Budget { max_tokens: 9, reserve_tokens: 4 }).trim(&mut blocks, cost).unwrap_err();
    assert_eq!(blocks, before);
    assert_eq!(
        error.to_string(),
        "what must be in the prompt costs 8 tokens, 3 more than the context of 9 less 4 for the reply allows; the largest parts are `main` (8)"
    );
    let error = crate::Error::from(error);
    assert_eq!(error.stage(), Some("trimming"));
    assert_eq!(error.max_tokens_exceeded().map(|e| e.excess()), Some(3));
    let kept = trimmer(5).with_overflow(OverflowPolicy::Report).trim(&mut blocks, cost).unwrap();
    assert!(!kept.report.fits() && kept.report.was_over_budget());
    assert_eq!(kept.kept, [0]);
}

#[test]
fn a_bundle_goes_whole_and_says_so() {
    let mut blocks = vec![
        of(BudgetGroup::Examples, "aa").with_bundle("d1"),
        of(BudgetGroup::Examples, "bb").with_bundle("d2"),
        of(BudgetGroup::Examples, "cc").with_bundle("d1"),
    ];
    let result = trimmer(5).trim(&mut blocks, cost).unwrap();
    assert_eq!(result.evicted, [0, 2]);
    assert!(result.report.evictions.iter().all(|e| e.reason == EvictionReason::GroupOverflow));
    blocks = vec![
        of(BudgetGroup::Examples, "aa").with_bundle("d"),
        of(BudgetGroup::Examples, "bb").with_bundle("d").required(),
    ];
    assert!(trimmer(3).trim(&mut blocks, cost).is_err(), "a bundle with a required block is required");
}

#[test]
fn a_tool_call_and_its_results_stay_together_even_when_ids_repeat() {
    let call = |text: &str| {
        let mut block = of(BudgetGroup::History, text);
        block.metadata.tool_calls = vec![ToolCall::function("c", "f", "{}")];
        block
    };
    let result = |text: &str| {
        let mut block = Block::new(Role::Tool, text).with_group(BudgetGroup::History);
        block.metadata.tool_call_id = Some("c".into());
        block
    };
    let mut blocks =
        vec![call("a"), result("bb"), of(BudgetGroup::History, "x"), call("c"), result("d"), result("e")];
    let trimmed = trimmer(6).trim(&mut blocks, cost).unwrap();
    assert_eq!(trimmed.evicted, [0, 1]);
    let trimmed = trimmer(2).trim(&mut blocks, cost).unwrap();
    assert_eq!(trimmed.evicted, [2, 3, 4, 5]);
}

#[test]
fn by_priority_the_lowest_goes_first_and_among_equals_the_earliest() {
    let mut blocks = vec![
        of(BudgetGroup::System, "a").with_priority(5),
        of(BudgetGroup::Lore, "b").with_priority(1),
        of(BudgetGroup::History, "c").with_priority(5),
        of(BudgetGroup::History, "d").with_priority(0).required(),
    ];
    let result = trimmer(2).with_strategy(Strategy::Priority).trim(&mut blocks, cost).unwrap();
    let order: Vec<_> = result.report.evictions.iter().map(|e| (e.index, e.priority, e.reason)).collect();
    assert_eq!(order, [(1, 1, EvictionReason::PriorityCutoff), (0, 5, EvictionReason::PriorityCutoff)]);
}

fn any_block() -> impl Generator<Value = Block> {
    let group = prop_oneof![
        Just(BudgetGroup::System),
        Just(BudgetGroup::Examples),
        Just(BudgetGroup::Lore),
        Just(BudgetGroup::History),
        Just(BudgetGroup::Default)
    ];
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::Tool), Just(Role::System)];
    let bundle = proptest::option::weighted(0.3, 0u8..4);
    let call = proptest::option::weighted(0.3, 0u8..3);
    (
        group,
        role,
        0usize..20,
        bundle,
        call,
        -2i64..3,
        proptest::bool::weighted(0.9),
        proptest::bool::weighted(0.9),
    )
        .prop_map(|(group, role, len, bundle, call, priority, removable, enabled)| {
            let mut block =
                Block::new(role.clone(), "x".repeat(len)).with_group(group).with_priority(priority);
            block.removable = removable;
            block.enabled = enabled;
            block.bundle = bundle.map(|b| b.to_string().into());
            match (role, call) {
                (Role::Assistant, Some(id)) => {
                    block.metadata.tool_calls = vec![ToolCall::function(id.to_string(), "f", "")]
                }
                (Role::Tool, Some(id)) => block.metadata.tool_call_id = Some(id.to_string()),
                _ => {}
            }
            block
        })
}

proptest! {
    #[test]
    fn trimming_keeps_its_promises(
        blocks in proptest::collection::vec(any_block(), 0..40),
        tokens in 0usize..400,
        by_priority in any::<bool>(),
    ) {
        let strategy = if by_priority { Strategy::Priority } else { Strategy::GroupOrder };
        let trimmer = trimmer(tokens).with_strategy(strategy).with_overflow(OverflowPolicy::Report);
        let mut trimmed = blocks.clone();
        let result = trimmer.trim(&mut trimmed, cost).unwrap();

        // Deterministic, and only `enabled` changes: order and texts stay.
        let mut again = blocks.clone();
        prop_assert_eq!(&trimmer.trim(&mut again, cost).unwrap(), &result);
        for (before, after) in blocks.iter().zip(&trimmed) {
            prop_assert_eq!(&Block { enabled: before.enabled, ..after.clone() }, before);
        }

        // Never over budget, unless nothing that may go is left: then a failing trimmer fails, with these numbers.
        let left: usize = trimmed.iter().filter(|b| b.enabled).map(cost).sum();
        prop_assert_eq!(left, result.report.final_tokens);
        let strict = trimmer.clone().with_overflow(OverflowPolicy::Fail).trim(&mut blocks.clone(), cost);
        prop_assert_eq!(strict.is_ok(), left <= tokens);

        // Never evicts the protected.
        let latest_user = blocks.iter().rposition(|b| {
            b.enabled && b.role == Role::User && matches!(b.group, BudgetGroup::History | BudgetGroup::Default)
        });
        for &index in &result.evicted {
            prop_assert!(blocks[index].removable);
            prop_assert!(Some(index) != latest_user);
            prop_assert!(by_priority || blocks[index].group != BudgetGroup::System);
        }

        // Bundles whole; no tool result without the nearest call before it, and no call without its results.
        let enabled = |i: usize| blocks[i].enabled;
        let went = |i: usize| result.evicted.binary_search(&i).is_ok();
        for a in (0..blocks.len()).filter(|&i| enabled(i)) {
            for b in (a + 1..blocks.len()).filter(|&i| enabled(i)) {
                if blocks[a].bundle.is_some() && blocks[a].bundle == blocks[b].bundle {
                    prop_assert_eq!(went(a), went(b));
                }
            }
            if blocks[a].role == Role::Tool && let Some(id) = &blocks[a].metadata.tool_call_id {
                let calls = |b: &Block| b.enabled && b.metadata.tool_calls.iter().any(|c| c.id == *id);
                if let Some(call) = blocks[..a].iter().rposition(calls) {
                    prop_assert_eq!(went(call), went(a));
                }
            }
        }

        // No more was cut than needed: with the last single block back in, it would not fit.
        if let Some(last) = result.report.evictions.last().filter(|e| e.reason == EvictionReason::BudgetExceeded) {
            prop_assert!(left + last.tokens > tokens);
        }
    }
}
