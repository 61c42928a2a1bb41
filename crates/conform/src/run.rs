//! Giving each case to its runner.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::Divergences;
use crate::load::CaseFile;
use crate::report::{Failure, SuiteReport};
use crate::suites::{self, Outcome, SuiteRunner};

/// Runs every case of a file. A suite without a runner is counted as unsupported, never as passed.
pub fn run(file: &CaseFile, divergences: &Divergences) -> SuiteReport {
    run_with(file, divergences, suites::runner(&file.platform, &file.suite))
}

fn run_with(file: &CaseFile, divergences: &Divergences, runner: Option<SuiteRunner>) -> SuiteReport {
    let mut report = SuiteReport::new(&file.platform, &file.suite);
    for case in &file.cases {
        let id = case["id"].as_str().unwrap_or_default();
        let outcome = match runner {
            Some(runner) => guarded(runner, &file.whole, case),
            None => Outcome::Unsupported("no runner for this suite yet".into()),
        };
        let reason = divergences.reason(&file.platform, &file.suite, id);
        report.total += 1;
        match (outcome, reason) {
            (Outcome::Passed, None) => report.passed += 1,
            (Outcome::Passed, Some(_)) => {
                report.passed += 1;
                report.stale_divergences.push(id.to_owned());
            }
            (Outcome::Failed(_), Some(_)) => report.diverging += 1,
            (Outcome::Failed(why), None) => {
                report.failed += 1;
                report.failures.push(Failure { id: id.to_owned(), why });
            }
            (Outcome::Unsupported(what), _) => {
                report.unsupported += 1;
                report.unsupported_because(what);
            }
        }
    }
    report
}

/// A runner that panics has failed its case, and only its case.
fn guarded(runner: SuiteRunner, whole: &Value, case: &Value) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| runner(whole, case))).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        Outcome::Failed(format!("panicked: {text}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fake(_: &Value, case: &Value) -> Outcome {
        match case["do"].as_str() {
            Some("pass") => Outcome::Passed,
            Some("fail") => Outcome::Failed("differs".into()),
            Some("panic") => panic!("boom"),
            _ => Outcome::Unsupported("sorcery".into()),
        }
    }

    #[test]
    fn every_case_is_counted_once_and_a_panic_is_a_failure() {
        let cases = ["pass", "fail", "panic", "other", "fail", "pass"];
        let cases =
            cases.iter().enumerate().map(|(i, what)| json!({"id": format!("c{i}"), "do": what})).collect();
        let file = CaseFile { platform: "p".into(), suite: "s".into(), whole: Value::Null, cases };
        let divergences = Divergences::parse("- `p/s/c4`: on purpose\n- `p/s/c5`: no longer true\n");
        let report = run_with(&file, &divergences, Some(fake));
        assert_eq!(
            (report.total, report.passed, report.failed, report.diverging, report.unsupported),
            (6, 2, 2, 1, 1)
        );
        assert_eq!(report.failures[1].why, "panicked: boom");
        assert_eq!(report.stale_divergences, ["c5"]);
        let unknown = run_with(&file, &divergences, None);
        assert_eq!((unknown.passed, unknown.unsupported), (0, 6));
    }
}
