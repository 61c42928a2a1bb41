//! No suite may fall below the count of its last `make parity`.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::path::Path;

use tavernkit_conform::baseline::Baseline;
use tavernkit_conform::{Divergences, Report, load, run};

#[test]
fn the_recorded_cases_pass_as_often_as_before() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let divergences = Divergences::built_in();
    let files = load(&root.join("conformance"), None).unwrap();
    let report = Report { suites: files.iter().map(|file| run(file, &divergences)).collect() };
    println!("{}", report.table(3));
    let baseline: Baseline =
        serde_json::from_str(&fs::read_to_string(root.join("conformance/baseline.json")).unwrap()).unwrap();
    assert_eq!(baseline.fallen(&report), Vec::<String>::new());
    assert!(report.is_clean(), "a case fails that is not listed in docs/divergences.md");
    let stale: Vec<_> = report.suites.iter().flat_map(|suite| &suite.stale_divergences).collect();
    assert!(stale.is_empty(), "listed as diverging, but passing: {stale:?}");
    let known: Vec<String> = files
        .iter()
        .flat_map(|f| {
            f.cases.iter().map(|c| format!("{}/{}/{}", f.platform, f.suite, c["id"].as_str().unwrap()))
        })
        .collect();
    for name in divergences.names() {
        assert!(
            known.iter().any(|case| case == name),
            "docs/divergences.md lists `{name}`, which is no case"
        );
    }
}
