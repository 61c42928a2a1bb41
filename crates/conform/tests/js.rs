//! The JavaScript suites must hold: no case that has a runner may fail.

use std::path::Path;
use tavernkit_conform::{Divergences, load, run};

fn check(suite: &str, at_least_passed: usize) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/js").join(format!("{suite}.json"));
    let file = &load(&path, None).expect("the case file is in the project")[0];
    let report = run(file, &Divergences::default());
    println!("{suite}: {} of {}, {:?}", report.passed, report.total, report.missing);
    assert!(report.failures.is_empty(), "{suite}: {:#?}", report.failures);
    assert!(report.passed >= at_least_passed, "{suite}: only {} of {} pass", report.passed, report.total);
}

#[test]
fn droll() {
    check("droll", 145);
}

#[test]
fn hash() {
    check("hash", 86);
}

#[test]
fn moment() {
    check("moment", 688);
}

#[test]
fn number() {
    check("number", 546);
}

#[test]
fn seedrandom() {
    check("seedrandom", 53);
}

#[test]
fn string() {
    check("string", 359);
}

#[test]
fn handlebars() {
    check("handlebars", 251);
}

#[test]
fn regex() {
    check("regex", 1052);
}

#[test]
fn regex_adversarial() {
    check("regex-adversarial", 41);
}

#[test]
fn replace() {
    check("replace", 104);
}
