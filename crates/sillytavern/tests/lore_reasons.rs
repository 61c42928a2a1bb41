//! Every gate leaves its reason, and the reason has the numbers.
#![allow(clippy::unwrap_used, reason = "a test whose input cannot be read must fail")]

mod lore_support;

use std::sync::Arc;

use lore_support::TestHost;
use serde_json::{Value, json};
use tavernkit_sillytavern::lore::*;

/// A book of entries that take the template's fields for what they do not name; uids are positions.
fn book(entries: &Value) -> Book {
    let template: Value = serde_json::from_str(include_str!("lore_support/entry-template.json")).unwrap();
    let full = |(uid, own): (usize, &Value)| {
        let mut entry = template.clone();
        entry["uid"] = json!(uid);
        own.as_object().unwrap().iter().for_each(|(name, value)| entry[name] = value.clone());
        entry
    };
    let entries: Vec<Value> = entries.as_array().unwrap().iter().enumerate().map(full).collect();
    Book::read("B", &json!({ "entries": entries })).0
}

struct Turn<'a> {
    settings: LoreSettings,
    messages: &'a [&'a str],
    timed: TimedEffects,
    forced: Vec<ForcedEntry>,
}

impl Default for Turn<'_> {
    fn default() -> Self {
        let settings = LoreSettings { recursive: true, ..LoreSettings::default() };
        Self {
            settings,
            messages: &["Fetch the rope.", "The tide turns."],
            timed: Default::default(),
            forced: vec![],
        }
    }
}

fn scan(entries: Value, turn: &Turn<'_>) -> LoreResult {
    let compiled = Arc::new(CompiledBook::compile(book(&entries), turn.settings.key_rules()));
    let set = LoreSet::new(vec![(SourceKind::Global, compiled)], turn.settings.strategy);
    let messages: Vec<ScanMessage<'_>> =
        turn.messages.iter().map(|text| ScanMessage { name: None, text }).collect();
    let input = ScanInput {
        messages: &messages,
        sources: ScanSources { scenario: "a lighthouse", ..Default::default() },
        injected: &["an injected anchor"],
        trigger: "normal",
        character: Some(FilterCharacter { file_name: "Bram", tags: &[] }),
        max_prompt: 4096.0,
        timed: Some(&turn.timed),
        forced: &turn.forced,
        detail: Detail::Reasons,
        ..Default::default()
    };
    set.scan(&turn.settings, &input, &mut TestHost::new(1), &mut LoreCache::default())
}

fn verdicts(entries: Value, turn: &Turn<'_>) -> Vec<Verdict> {
    let mut reasons = scan(entries, turn).reasons;
    reasons.sort_by_key(|report| report.id.uid.parse::<usize>().unwrap());
    reasons.into_iter().map(|report| report.verdict).collect()
}

fn gates(entries: Value, turn: &Turn<'_>) -> Vec<Gate> {
    let gate = |verdict| match verdict {
        Verdict::Stopped { gate, .. } => gate,
        active => panic!("{active:?}"),
    };
    verdicts(entries, turn).into_iter().map(gate).collect()
}

fn causes(entries: Value, turn: &Turn<'_>) -> Vec<(usize, Cause)> {
    let cause = |verdict| match verdict {
        Verdict::Active { sweep, cause, .. } => (sweep, cause),
        stopped => panic!("{stopped:?}"),
    };
    verdicts(entries, turn).into_iter().map(cause).collect()
}

fn by_key(key: &str, place: Place, secondary: &[&str]) -> Cause {
    let secondary = secondary.iter().map(|key| (*key).to_owned()).collect();
    Cause::Key { key: key.to_owned(), place, secondary }
}

#[test]
fn the_place_of_a_key_is_told() {
    let entries = json!([
        {"key": ["zzz", "rope"], "content": "leads to kelp"},
        {"key": ["tide"], "keysecondary": ["sail", "rope"]},
        {"key": ["lighthouse"], "matchScenario": true},
        {"key": ["anchor"]},
        {"key": ["kelp"]},
        {"key": ["{{char}}", "/r.pe\\.\\n.the/i"], "caseSensitive": true},
    ]);
    let from = EntryId { world: "B".into(), uid: "0".into() };
    let expected = [
        (1, by_key("rope", Place::Message { index: 0 }, &[])),
        (1, by_key("tide", Place::Message { index: 1 }, &["rope"])),
        (1, by_key("lighthouse", Place::Source { source: Source::Scenario }, &[])),
        (1, by_key("anchor", Place::Injected { index: 0 }, &[])),
        (2, by_key("kelp", Place::Entry { entry: from }, &[])),
        (1, by_key("/r.pe\\.\\n.the/i", Place::Across, &[])),
    ];
    assert_eq!(causes(entries, &Turn::default()), expected);
}

#[test]
fn other_causes_are_told() {
    let timed = json!({"sticky": {}, "cooldown": {}});
    let mut turn = Turn { timed: serde_json::from_value(timed).unwrap(), ..Turn::default() };
    turn.forced.push(ForcedEntry { world: "B".into(), uid: "2".into(), replacement: None });
    let entries = json!([{"constant": true}, {"content": "@@activate\nx"}, {"key": ["zzz"]}]);
    assert_eq!(causes(entries, &turn), [(1, Cause::Constant), (1, Cause::Decorator), (1, Cause::Forced)]);
    // A sticky entry: the second turn of a chat that grew.
    let entries = json!([{"key": ["rope"], "sticky": 5}]);
    let timed = scan(entries.clone(), &Turn::default()).timed;
    let later = Turn { timed, messages: &["x", "y", "z"], ..Turn::default() };
    assert_eq!(causes(entries, &later), [(1, Cause::Sticky { until: 7.0 })]);
}

#[test]
fn gates_before_the_keys_are_told() {
    let entries = json!([
        {"key": ["rope"], "disable": true},
        {"key": ["rope"], "triggers": ["quiet"]},
        {"key": ["rope"], "characterFilter": {"isExclude": true, "names": ["Bram"], "tags": []}},
        {"key": ["rope"], "characterFilter": {"isExclude": false, "names": [], "tags": ["t"]}},
        {"key": ["rope"], "delay": 9},
        {"key": ["rope"], "content": "@@dont_activate\nx"},
        {"content": "no keys"},
        {"key": ["rope"], "delayUntilRecursion": 3},
    ]);
    let expected = [
        Gate::Disabled,
        Gate::Trigger { wanted: vec!["quiet".into()], actual: "normal".into() },
        Gate::CharacterName,
        Gate::CharacterTag,
        Gate::Delay { needed: 9.0, length: 2 },
        Gate::Decorator,
        Gate::NoKeys,
        Gate::WaitsForRecursion { level: 3.0 },
    ];
    assert_eq!(gates(entries, &Turn::default()), expected);
}

#[test]
fn a_resting_entry_says_until_when() {
    let entries = json!([{"key": ["rope"], "cooldown": 4}]);
    let timed = scan(entries.clone(), &Turn::default()).timed;
    let later = Turn { timed, messages: &["rope", "rope", "rope"], ..Turn::default() };
    assert_eq!(gates(entries, &later), [Gate::Cooldown { until: 6.0, length: 3 }]);
}

#[test]
fn missing_keys_and_secondary_logic_are_told() {
    let entries = json!([
        {"key": ["zzz"]},
        {"key": ["rope"], "scanDepth": 0},
        {"key": ["rope"], "keysecondary": ["tide", "sail"], "selectiveLogic": 3},
        {"key": ["rope"], "keysecondary": ["tide"], "selectiveLogic": 2},
        {"key": ["rope"], "keysecondary": ["tide"], "selectiveLogic": 9},
    ]);
    let secondary = |logic| Gate::Secondary { key: "rope".into(), logic, found: vec!["tide".into()] };
    let expected = [
        Gate::NoKeyFound { depth: 2 },
        Gate::NoKeyFound { depth: 0 },
        secondary(Some(SelectiveLogic::AndAll)),
        secondary(Some(SelectiveLogic::NotAny)),
        secondary(None),
    ];
    assert_eq!(gates(entries, &Turn::default()), expected);
}

#[test]
fn chance_budget_and_groups_are_told_with_their_numbers() {
    let chance = json!([{"key": ["rope"], "probability": 10}]);
    assert_eq!(
        gates(chance, &Turn::default()),
        [Gate::Probability { rolled: 0.6270739405881613 * 100.0, needed: 10.0 }]
    );

    let mut turn = Turn::default();
    turn.settings.budget_cap = 10.0;
    let texts = json!([{"constant": true, "content": "one two three four five"}, {"constant": true, "content": "six"}]);
    let budget = [Gate::Budget { tokens: 12, earlier: 0, budget: 10.0 }, Gate::BudgetSpent { budget: 10.0 }];
    assert_eq!(gates(texts.clone(), &turn), budget);
    let warnings = scan(texts, &turn).warnings;
    assert_eq!(
        (warnings[0].code.as_ref(), warnings[0].at.as_deref()),
        ("lore.constant_dropped", Some("B.0, B.1"))
    );

    let group = json!([
        {"key": ["rope"], "group": "g", "groupOverride": true},
        {"key": ["rope"], "group": "g"},
    ]);
    let lost = match &verdicts(group, &Turn::default())[1] {
        Verdict::Stopped { gate, .. } => gate.clone(),
        active => panic!("{active:?}"),
    };
    let winner = Some(EntryId { world: "B".into(), uid: "0".into() });
    assert_eq!(lost, Gate::Group { group: "g".into(), how: GroupLoss::Override, winner });
}

#[test]
fn the_account_reads_well_and_is_data_too() {
    let entries = json!([
        {"key": ["rope"], "comment": "Rope", "content": "leads to kelp"},
        {"key": ["kelp"], "content": "end", "position": 4},
        {"key": ["zzz"], "comment": "Nobody"},
    ]);
    let result = scan(entries, &Turn::default());
    let expected = "2 of 3 entries active in 3 sweeps, 12 tokens; budget of 1024 not reached\n\
        B.0 “Rope”: active since sweep 1, by key `rope` in the newest message; before the character, order 100\n\
        B.1 “kelp”: active since sweep 2, by key `kelp` in the text of B.0; in the chat, order 100\n\
        B.2 “Nobody”: not active, none of its keys is in the newest 2 messages\n";
    assert_eq!(result.explain(None), expected);
    assert_eq!(result.explain(Some("Nobody")).lines().count(), 2);
    let data = serde_json::to_value(&result.reasons).unwrap();
    assert_eq!(
        data[1]["verdict"]["cause"],
        json!({"by": "key", "key": "kelp", "place": {"in": "entry", "entry": {"world": "B", "uid": "0"}}})
    );
    let back: Vec<EntryReport> = serde_json::from_value(data).unwrap();
    assert_eq!(back, result.reasons);
}
