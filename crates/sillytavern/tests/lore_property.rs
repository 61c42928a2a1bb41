//! The engine against the plain reference, on generated books, chats and settings.
//!
//! `LORE_CASES=100000 cargo test --release --test lore_property` runs more cases than the default.
#![allow(clippy::unwrap_used, reason = "a test whose input cannot be read must fail")]

mod lore_naive;
mod lore_support;

use std::sync::Arc;

use lore_support::TestHost;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use tavernkit_sillytavern::lore::*;

/// Few words, so that keys, messages and contents meet often.
const WORDS: [&str; 12] =
    ["rope", "Rope", "ropes", "kelp", "tide", "a", "été", "灯", "sail", "ROPE", "Σίσυφος", "b_a"];

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(&WORDS[..]).prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    let glue = prop::sample::select(&[" ", " ", ", ", ".", "\n", "", "\n\u{1}", " {{char}} ", "\t"][..]);
    prop::collection::vec((word(), glue), 0..5)
        .prop_map(|parts| parts.into_iter().map(|(word, glue)| word + glue).collect())
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => text(),
        1 => text().prop_map(|t| format!("@@activate\n{t}")),
        1 => text().prop_map(|t| format!("@@dont_activate\n{t}")),
        1 => text().prop_map(|t| format!("{{{{incvar::n}}}} {t}")),
    ]
}

fn key() -> impl Strategy<Value = String> {
    let odd = [
        "",
        " ",
        "  rope ",
        "rope\n",
        "{{char}}",
        "{{user}} ",
        "{{getvar::n}}",
        "{{incvar::n}}",
        "{{x}}",
        "rope kelp",
        "/ROPE/i",
        "/rope\\s+kelp/",
        "/^.rope/",
        "/\\x01rope/",
        "/kelp$/",
        "/.tide/",
        "/rope\\s/",
        "/\\brope\\b/",
        "/[^a]kelp/",
        "/(?=tide)t/",
        "/a*/",
        "/bad(/",
        "/a/b/",
        "/tide\\nkelp/m",
        "/rope.kelp/s",
        "/\\Wsail/",
        "\u{1}rope",
        "kelp\n\u{1}rope",
        "/rope|kelp sail/",
        "/kelp{{char}}/",
        "/ti?de+/gy",
        "/\u{e9}t\u{e9}/i",
        "rope\\{",
        "/^$/",
        "/sail\\s*rope\\s/",
        "/σ/i",
    ];
    prop_oneof![6 => word(), 3 => prop::sample::select(odd.to_vec()).prop_map(str::to_owned)]
}

/// Mostly the usual value, sometimes another.
fn rarely(name: &'static str, values: Vec<Value>) -> impl Strategy<Value = Option<(&'static str, Value)>> {
    prop_oneof![7 => Just(None), 1 => prop::sample::select(values).prop_map(move |value| Some((name, value)))]
}

fn entry(uid: usize) -> impl Strategy<Value = Value> {
    let keys = prop::collection::vec(key(), 0..3);
    let secondary = prop_oneof![2 => Just(vec![]), 1 => prop::collection::vec(key(), 1..3)];
    let flags = || vec![json!(true)];
    let numbers = || vec![json!(1), json!(2), json!(3)];
    let first = (
        rarely("constant", flags()),
        rarely("disable", flags()),
        rarely("selectiveLogic", vec![json!(1), json!(2), json!(3), json!(9), Value::Null]),
        rarely("selective", vec![json!(false)]),
        rarely("ignoreBudget", flags()),
        rarely("excludeRecursion", flags()),
        rarely("preventRecursion", flags()),
        rarely("delayUntilRecursion", vec![json!(true), json!(1), json!(2), json!(3)]),
        rarely("probability", vec![json!(0), json!(50), json!(99), Value::Null]),
        rarely("useProbability", vec![json!(false)]),
        rarely("scanDepth", vec![json!(0), json!(1), json!(3), json!(-1), json!(5000)]),
        rarely("caseSensitive", vec![json!(true), json!(false)]),
    );
    let second = (
        rarely("matchWholeWords", vec![json!(true), json!(false)]),
        rarely("useGroupScoring", vec![json!(true), json!(false)]),
        prop_oneof![
            2 => Just(None),
            1 => prop::sample::select(vec!["g", "g,h", "h", "7", "g, 7", "h,"]).prop_map(|g| Some(("group", json!(g)))),
        ],
        rarely("groupOverride", flags()),
        rarely("groupWeight", vec![json!(1), json!(0), Value::Null]),
        rarely("sticky", numbers()),
        rarely("cooldown", numbers()),
        rarely("delay", numbers()),
        rarely("triggers", vec![json!(["normal"]), json!(["quiet"])]),
        rarely(
            "characterFilter",
            vec![
                json!({"isExclude": false, "names": ["Bram"], "tags": []}),
                json!({"isExclude": true, "names": ["Bram"], "tags": []}),
                json!({"isExclude": false, "names": [], "tags": ["t1"]}),
                json!({"isExclude": true, "names": [], "tags": ["t2"]}),
            ],
        ),
        rarely("matchPersonaDescription", flags()),
        rarely("matchScenario", flags()),
    );
    let third = (
        prop::sample::select(vec![0, 1, 2, 3, 4, 4, 5, 6, 7, 8]),
        prop::sample::select(vec![json!(4), json!(0), json!(1), Value::Null]),
        prop::sample::select(vec!["", "o1", "o2"]),
        prop::sample::select(vec![100, 100, 50, 10]),
    );
    (keys, secondary, content(), first, second, third).prop_map(move |(keys, secondary, content, a, b, c)| {
        let mut map: Map<String, Value> =
            serde_json::from_str(include_str!("lore_support/entry-template.json")).unwrap();
        let mut set = |name: &str, value: Value| map.insert(name.to_owned(), value);
        set("uid", json!(uid));
        set("key", json!(keys));
        set("keysecondary", json!(secondary));
        set("content", json!(content));
        let (position, depth, outlet, order) = c;
        set("position", json!(position));
        set("depth", depth);
        set("outletName", json!(outlet));
        set("order", json!(order));
        let first = [a.0, a.1, a.2, a.3, a.4, a.5, a.6, a.7, a.8, a.9, a.10, a.11];
        let second = [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11];
        for (name, value) in first.into_iter().chain(second).flatten() {
            set(name, value);
        }
        Value::Object(map)
    })
}

#[derive(Debug, Clone)]
struct Case {
    /// Entries of a chat, a character and a global book.
    books: [Vec<Value>; 3],
    settings: LoreSettings,
    messages: Vec<String>,
    persona: String,
    scenario: String,
    injected: Vec<String>,
    max_prompt: f64,
    dry: bool,
    quiet: bool,
    forced: Option<usize>,
    seed: u32,
    turns: usize,
}

fn settings() -> impl Strategy<Value = LoreSettings> {
    let first =
        (0..5_i64, prop::sample::select(vec![5.0, 25.0, 100.0]), any::<bool>(), any::<bool>(), any::<bool>());
    let second = (
        prop::sample::select(vec![0, 0, 0, 2, 5]),
        0..4_i64,
        prop::sample::select(vec![0, 0, 0, 1, 3]),
        any::<bool>(),
        prop::bool::weighted(0.3),
        0..3,
    );
    (first, second).prop_map(|((depth, budget_percent, recursive, case_sensitive, whole), s)| LoreSettings {
        depth,
        budget_percent,
        recursive,
        case_sensitive,
        match_whole_words: whole,
        min_activations: s.0,
        min_activations_depth_max: s.1,
        max_recursion_steps: s.2,
        include_names: s.3,
        group_scoring: s.4,
        strategy: InsertionStrategy::from(json!(s.5)),
        budget_cap: 0.0,
    })
}

fn entries(max: usize) -> impl Strategy<Value = Vec<Value>> {
    (0..=max).prop_flat_map(|count| (0..count).map(entry).collect::<Vec<_>>())
}

fn case() -> impl Strategy<Value = Case> {
    let books = (entries(3), entries(3), entries(8)).prop_map(|(a, b, c)| [a, b, c]);
    let texts = (prop::collection::vec(text(), 0..6), text(), text(), prop::collection::vec(text(), 0..2));
    let rest = (
        prop::sample::select(vec![100.0, 400.0, 5000.0]),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
        prop::option::weighted(0.2, 0..12_usize),
        any::<u32>(),
        1..3_usize,
    );
    (books, settings(), texts, rest).prop_map(|(books, settings, texts, rest)| Case {
        books,
        settings,
        messages: texts.0,
        persona: texts.1,
        scenario: texts.2,
        injected: texts.3,
        max_prompt: rest.0,
        dry: rest.1,
        quiet: rest.2,
        forced: rest.3,
        seed: rest.4,
        turns: rest.5,
    })
}

/// Runs both on every turn of the case; a cache and a compiled set serve all turns.
fn check(case: &Case) -> Result<(), TestCaseError> {
    let kinds = [SourceKind::Chat, SourceKind::Character, SourceKind::Global];
    let books: Vec<(SourceKind, Book)> = kinds
        .into_iter()
        .zip(["H", "C", "G"])
        .zip(&case.books)
        .map(|((kind, name), entries)| (kind, Book::read(name, &json!({ "entries": entries })).0))
        .collect();
    let rules = case.settings.key_rules();
    let compile = |book: &Book| Arc::new(CompiledBook::compile(book.clone(), rules));
    let compiled = books.iter().map(|(kind, book)| (*kind, compile(book))).collect();
    let set = LoreSet::new(compiled, case.settings.strategy);
    let mut cache = LoreCache::default();
    let all: Vec<(&str, &Entry)> =
        books.iter().flat_map(|(_, b)| b.entries.iter().map(|e| (b.name.as_str(), e))).collect();
    let forced: Vec<ForcedEntry> = case
        .forced
        .and_then(|i| all.get(i))
        .map(|(world, e)| ForcedEntry { world: (*world).into(), uid: e.uid.clone(), replacement: None })
        .into_iter()
        .collect();
    let tags = ["t1".to_owned()];
    let injected: Vec<&str> = case.injected.iter().map(String::as_str).collect();
    let mut timed = TimedEffects::default();
    let (mut host, mut fast_host) = (TestHost::new(case.seed), TestHost::new(case.seed));
    for turn in 0..case.turns {
        // The chat grows from turn to turn; the newest message stands first.
        let count = case.messages.len() - (case.turns - 1 - turn).min(case.messages.len());
        let messages: Vec<ScanMessage<'_>> = case.messages[..count]
            .iter()
            .rev()
            .enumerate()
            .map(|(i, text)| ScanMessage { name: Some(if i % 2 == 0 { "Ilse" } else { "rope" }), text })
            .collect();
        let input = ScanInput {
            messages: &messages,
            sources: ScanSources {
                persona_description: &case.persona,
                scenario: &case.scenario,
                ..Default::default()
            },
            injected: &injected,
            trigger: if case.quiet { "quiet" } else { "normal" },
            character: Some(FilterCharacter { file_name: "Bram", tags: &tags }),
            max_prompt: case.max_prompt,
            run: if case.dry { RunKind::Dry } else { RunKind::Real },
            timed: Some(&timed),
            forced: &forced,
            detail: Detail::Sweeps,
        };
        let plain = lore_naive::scan(&books, &case.settings, &input, &mut host);
        let mut fast_runs = Vec::new();
        for detail in [Detail::Sweeps, Detail::Reasons] {
            let mut own_host = fast_host.clone();
            let input = ScanInput { detail, ..input };
            fast_runs.push(comparable(set.scan(&case.settings, &input, &mut own_host, &mut cache)));
            prop_assert_eq!(&own_host.draws, &host.draws, "draws");
            prop_assert_eq!(&own_host.variables, &host.variables, "variables");
            if detail == Detail::Reasons {
                fast_host = own_host;
            }
        }
        let plain = comparable(plain);
        prop_assert_eq!(&fast_runs[0], &plain, "turn {}", turn);
        prop_assert_eq!(&fast_runs[1], &plain, "turn {} with reasons", turn);
        timed = plain.timed;
    }
    Ok(())
}

/// Without what only the engine gives.
fn comparable(mut result: LoreResult) -> LoreResult {
    result.total_tokens = 0;
    result.reasons.clear();
    result.warnings.clear();
    result
}

fn run(cases: u32) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    TestRunner::new(config).run(&case(), |case| check(&case)).unwrap();
}

#[test]
fn the_engine_equals_the_reference() {
    run(std::env::var("LORE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300));
}

/// A loser that sits out the recursion sweep is a candidate again in the one after it.
#[test]
fn a_loser_excluded_from_recursion_comes_back() {
    let entry = |uid: usize, own: Value| {
        let template = include_str!("lore_support/entry-template.json");
        let mut entry: Value = serde_json::from_str(template).unwrap();
        entry["uid"] = json!(uid);
        entry["key"] = json!(["rope"]);
        entry["content"] = json!("text");
        own.as_object().unwrap().iter().for_each(|(name, value)| entry[name] = value.clone());
        entry
    };
    let winner = entry(0, json!({"group": "g,h", "groupOverride": true}));
    let loser = entry(0, json!({"group": "g", "excludeRecursion": true}));
    let case = Case {
        books: [vec![winner], vec![], vec![loser]],
        settings: LoreSettings { depth: 1, recursive: true, min_activations: 5, ..Default::default() },
        messages: vec!["rope".into(), "rope".into()],
        persona: String::new(),
        scenario: String::new(),
        injected: vec![],
        max_prompt: 5000.0,
        dry: false,
        quiet: false,
        forced: None,
        seed: 1,
        turns: 1,
    };
    check(&case).unwrap();
}

/// The full number; minutes in an unoptimised build.
#[test]
#[ignore = "long: 100,000 cases"]
fn the_engine_equals_the_reference_at_length() {
    run(100_000);
}
