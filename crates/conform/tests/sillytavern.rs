//! The SillyTavern suites must hold: no case that has a runner may fail.

use std::path::Path;
use tavernkit_conform::{Divergences, load, run};

fn check(suite: &str, at_least_passed: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../conformance/sillytavern")
        .join(format!("{suite}.json"));
    let file = &load(&path, None).expect("the case file is in the project")[0];
    let report = run(file, &Divergences::default());
    println!("{suite}: {} of {}, {:?}", report.passed, report.total, report.missing);
    assert!(report.failures.is_empty(), "{suite}: {:#?}", report.failures);
    assert!(report.passed >= at_least_passed, "{suite}: only {} of {} pass", report.passed, report.total);
}

#[test]
fn macros() {
    check("macros", 206);
}

#[test]
fn png_cards() {
    check("png-cards", 16);
}

#[test]
fn regex() {
    check("regex", 32);
}
