//! The lore of the public scenarios: what fires, sweep by sweep and step by step, is what SillyTavern recorded.

use std::path::Path;

use serde_json::{Value, json};
use tavernkit_conform::load;
use tavernkit_conform::suites::{Outcome, has_lore, scenario_lore};

fn scenarios() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/sillytavern/scenarios");
    let files = load(&folder, None).expect("the scenarios are in the project");
    files.into_iter().flat_map(|file| file.cases).collect()
}

/// How many agree and how many are not covered. Those that differ are an error.
fn compare<'c>(what: &str, cases: impl Iterator<Item = &'c Value>) -> (usize, usize) {
    let (mut agree, mut not_covered, mut differ) = (0, Vec::new(), Vec::new());
    for case in cases {
        match scenario_lore(&Value::Null, case) {
            Outcome::Passed => agree += 1,
            Outcome::Unsupported(what) => not_covered.push(format!("{}: {what}", case["id"])),
            Outcome::Failed(why) => differ.push(format!("{}: {why}", case["id"])),
        }
    }
    println!("{what}: {agree} agree, {} differ, {} not covered", differ.len(), not_covered.len());
    not_covered.iter().for_each(|line| println!("not covered: {line}"));
    assert!(differ.is_empty(), "{differ:#?}");
    (agree, not_covered.len())
}

#[test]
fn the_lore_of_every_scenario_is_as_recorded() {
    let cases = scenarios();
    // All public ones: none may slip out of the comparison unseen.
    assert_eq!(compare("scenarios with lore", cases.iter().filter(|case| has_lore(case))), (28, 0));
}

/// Nothing fires in the others; what is compared is the chat that a scan would have seen in each step.
#[test]
fn no_lore_fires_elsewhere_and_the_chat_grows_as_recorded() {
    let cases = scenarios();
    assert_eq!(compare("scenarios without lore", cases.iter().filter(|case| !has_lore(case))), (57, 0));
}

/// Changes one step of a recording.
type Change = fn(&mut Value);

#[test]
fn a_changed_recording_is_noticed() {
    let changes: [(&str, Change); 5] = [
        ("an entry less", |step| drop(list(&mut step["world_info"]["activated"][0]).pop())),
        ("another text", |step| step["world_info"]["activated"][0][0]["content"] = json!("changed")),
        ("a sweep more", |step| list(&mut step["world_info"]["scans"]).push(json!({}))),
        ("another state", |step| step["world_info"]["scans"][0]["next"] = json!(3)),
        ("a sticky entry", |step| step["metadata_after"]["timedWorldInfo"]["sticky"]["X.9"] = json!({})),
    ];
    for case in scenarios().iter().filter(|case| has_lore(case)) {
        for (what, change) in changes {
            let mut case = case.clone();
            change(&mut case["golden"]["steps"][0]);
            let outcome = scenario_lore(&Value::Null, &case);
            assert!(matches!(outcome, Outcome::Failed(_)), "{}: {what}: {outcome:?}", case["id"]);
        }
    }
}

fn list(value: &mut Value) -> &mut Vec<Value> {
    value.as_array_mut().expect("a list")
}
