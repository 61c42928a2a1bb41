//! The lore of every public scenario: what fires, sweep by sweep and step by step, is what SillyTavern recorded.

use std::path::Path;

use serde_json::Value;
use tavernkit_conform::load;
use tavernkit_conform::suites::{Outcome, has_lore, scenario_lore};

#[test]
fn the_lore_of_every_scenario_is_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/sillytavern/scenarios");
    let files = load(&folder, None).expect("the scenarios are in the project");
    let cases: Vec<&Value> =
        files.iter().flat_map(|file| &file.cases).filter(|case| has_lore(case)).collect();
    let (mut agree, mut not_covered, mut differ) = (0, Vec::new(), Vec::new());
    for case in &cases {
        let id = case["id"].as_str().expect("a scenario has an id");
        match scenario_lore(&Value::Null, case) {
            Outcome::Passed => agree += 1,
            Outcome::Unsupported(what) => not_covered.push(format!("{id}: {what}")),
            Outcome::Failed(why) => differ.push(format!("{id}: {why}")),
        }
    }
    println!("{} scenarios with lore: {agree} agree, {} not covered", cases.len(), not_covered.len());
    not_covered.iter().for_each(|line| println!("not covered: {line}"));
    assert!(differ.is_empty(), "{differ:#?}");
    // All public ones: a scenario may not slip out of the comparison unseen.
    assert_eq!((agree, not_covered.len()), (28, 0));
}
