//! Books that are large or strange: bounded work, a report, and no quadratic behaviour.
#![allow(clippy::unwrap_used, reason = "a test whose input cannot be read must fail")]

mod lore_support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use lore_support::TestHost;
use serde_json::{Value, json};
use tavernkit_sillytavern::lore::*;

/// Counts lines apart, so that long chains are not counted again and again.
struct Host(TestHost);

impl LoreHost for Host {
    fn expand(&mut self, text: &str) -> String {
        self.0.expand(text)
    }
    fn random(&mut self) -> f64 {
        self.0.random()
    }
    fn count_tokens(&mut self, text: &str) -> usize {
        text.lines().count()
    }
    fn counts_add_up(&self, _: &str, _: &str) -> Option<usize> {
        Some(0)
    }
}

fn scan_with(entries: Vec<Value>, settings: &LoreSettings, text: &str) -> (LoreResult, Duration) {
    let (book, _) = Book::read("B", &json!({ "entries": entries }));
    let begin = Instant::now();
    let compiled = Arc::new(CompiledBook::compile(book, settings.key_rules()));
    let set = LoreSet::new(vec![(SourceKind::Global, compiled)], settings.strategy);
    let messages = [ScanMessage { name: None, text }];
    let input = ScanInput { messages: &messages, trigger: "normal", max_prompt: 1e9, ..Default::default() };
    let result = set.scan(settings, &input, &mut Host(TestHost::new(1)), &mut LoreCache::default());
    (result, begin.elapsed())
}

fn scan(entries: Vec<Value>, text: &str) -> (LoreResult, Duration) {
    scan_with(entries, &LoreSettings { recursive: true, ..LoreSettings::default() }, text)
}

/// A chain: each entry's text has the key of the next, the last that of the first.
fn chain(length: usize) -> Vec<Value> {
    (0..length)
        .map(|i| json!({"uid": i, "key": [format!("k{i}k")], "content": format!("see k{}k", (i + 1) % length)}))
        .collect()
}

#[test]
fn a_circle_of_fifty_thousand_entries_ends_and_costs_what_its_links_cost() {
    let (small, short) = scan(chain(5_000), "k0k");
    assert_eq!(small.activated.len(), 5_000);
    let (large, long) = scan(chain(50_000), "k0k");
    assert_eq!(large.activated.len(), 50_000);
    assert_eq!(large.activated[49_999].id.uid, "49999");
    // Ten times the links; a hundred times would be quadratic. Wall time is noisy, so the bar is wide.
    assert!(long < short * 40 + Duration::from_secs(1), "{short:?} and {long:?}");
}

#[test]
fn an_entry_with_its_own_key_is_activated_once() {
    let (result, _) = scan(vec![json!({"uid": 0, "key": ["rope"], "content": "rope rope"})], "rope");
    assert_eq!(result.activated.len(), 1);
}

#[test]
fn ten_thousand_members_of_a_group_leave_one() {
    let member = |i: usize| json!({"uid": i, "key": ["rope"], "group": "g", "content": "see k0k"});
    let mut entries: Vec<Value> = (0..10_000).map(member).collect();
    // And a chain of sweeps after it, in each of which the losers are candidates again.
    entries.extend(chain(1_000).into_iter().enumerate().map(|(i, mut entry)| {
        entry["uid"] = json!(10_000 + i);
        entry
    }));
    let (result, time) = scan(entries, "rope");
    assert_eq!(result.activated.len(), 1_001);
    assert!(time < Duration::from_secs(20), "{time:?}");
}

#[test]
fn an_exhausted_key_is_reported_and_counts_as_not_found() {
    let entries = vec![
        json!({"uid": 0, "key": [r"/(.+)+\1x$/"], "content": "never"}),
        json!({"uid": 1, "key": ["aaa"], "content": "plain"}),
    ];
    let (result, _) = scan(entries, &"a".repeat(60));
    assert_eq!(result.activated.iter().map(|a| a.id.uid.as_str()).collect::<Vec<_>>(), ["1"]);
    assert_eq!(result.warnings[0].code, "lore.key_exhausted");
    assert_eq!(result.warnings[0].at.as_deref(), Some("B.0"));
}

#[test]
fn searching_for_activations_through_a_long_chat_is_cheap() {
    let texts: Vec<String> = (0..20_000).map(|i| format!("message {i}")).collect();
    let messages: Vec<ScanMessage<'_>> = texts.iter().map(|text| ScanMessage { name: None, text }).collect();
    let entries: Vec<Value> =
        (0..5_000).map(|i| json!({"uid": i, "key": [format!("zz{i}")], "content": "x"})).collect();
    let settings = LoreSettings { min_activations: 3, recursive: true, ..LoreSettings::default() };
    let compiled = Arc::new(CompiledBook::compile(
        Book::read("B", &json!({ "entries": entries })).0,
        settings.key_rules(),
    ));
    let set = LoreSet::new(vec![(SourceKind::Global, compiled)], settings.strategy);
    let input = ScanInput {
        messages: &messages,
        trigger: "normal",
        max_prompt: 1e9,
        detail: Detail::Sweeps,
        ..Default::default()
    };
    let begin = Instant::now();
    let result = set.scan(&settings, &input, &mut Host(TestHost::new(1)), &mut LoreCache::default());
    assert!(result.activated.is_empty());
    // From depth 2 to one past the chat's length, and the first sweep.
    assert_eq!(result.sweeps.len(), 20_000);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn strange_books_are_survived() {
    let strange = vec![
        json!({"uid": 0}),
        json!({"key": "not a list", "content": 5, "constant": 1, "order": "abc", "position": {}}),
        json!({"uid": {}, "key": [null, 7, {}, "\u{0}"], "constant": true, "depth": "x", "position": 4}),
        json!({"uid": 3, "key": ["rope"], "scanDepth": -5, "probability": "often", "groupWeight": "heavy", "group": ",,"}),
        json!({"uid": 4, "constant": true, "position": 7, "outletName": 3, "content": "out"}),
        json!({"uid": 5, "constant": true, "position": 4, "content": "no depth"}),
    ];
    let (result, _) = scan(strange, "rope");
    assert!(result.warnings.iter().any(|w| w.code == "lore.no_depth"));
    assert!(result.warnings.iter().any(|w| w.code == "lore.unknown_position"));
    assert_eq!(result.outlet_text("3").as_deref(), Some("out"));
}
