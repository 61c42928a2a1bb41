//! The counts, for programs (JSON), for people (a table) and for the documents (Markdown).

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// One case that should have passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The case.
    pub id: String,
    /// Where our answer differs from the recorded one.
    pub why: String,
}

/// What came of one suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteReport {
    /// The program the cases were recorded from.
    pub platform: String,
    /// The suite.
    pub suite: String,
    /// All cases.
    pub total: usize,
    /// Our answer was the recorded one.
    pub passed: usize,
    /// It was not, and nobody said it should differ.
    pub failed: usize,
    /// It was not, on purpose.
    pub diverging: usize,
    /// We do not claim to do this yet.
    pub unsupported: usize,
    /// Each failed case.
    pub failures: Vec<Failure>,
    /// Listed as diverging, yet passing: the list is out of date.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale_divergences: Vec<String>,
    /// What is missing, and how many cases wait for it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, usize>,
}

impl SuiteReport {
    /// An empty report.
    pub fn new(platform: &str, suite: &str) -> Self {
        Self {
            platform: platform.into(),
            suite: suite.into(),
            total: 0,
            passed: 0,
            failed: 0,
            diverging: 0,
            unsupported: 0,
            failures: Vec::new(),
            stale_divergences: Vec::new(),
            missing: BTreeMap::new(),
        }
    }

    pub(crate) fn unsupported_because(&mut self, what: String) {
        *self.missing.entry(what).or_default() += 1;
    }
}

/// All suites of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// In the order they were found.
    pub suites: Vec<SuiteReport>,
}

impl Report {
    /// No unlisted case failed.
    pub fn is_clean(&self) -> bool {
        self.suites.iter().all(|suite| suite.failed == 0)
    }

    /// A table for people, then up to `show` failures per suite.
    pub fn table(&self, show: usize) -> String {
        let mut out = format!(
            "{:<30} {:>6} {:>6} {:>6} {:>9} {:>11}\n",
            "suite", "total", "passed", "failed", "diverging", "unsupported"
        );
        for s in &self.suites {
            let name = format!("{}/{}", s.platform, s.suite);
            let counts = format!(
                "{:>6} {:>6} {:>6} {:>9} {:>11}",
                s.total, s.passed, s.failed, s.diverging, s.unsupported
            );
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{name:<30} {counts}");
        }
        for s in &self.suites {
            for failure in s.failures.iter().take(show) {
                let _ =
                    writeln!(out, "\nFAILED {}/{}/{}\n  {}", s.platform, s.suite, failure.id, failure.why);
            }
            if show > 0 && s.failures.len() > show {
                let _ =
                    writeln!(out, "\n… and {} more in {}/{}", s.failures.len() - show, s.platform, s.suite);
            }
            for id in &s.stale_divergences {
                let _ =
                    writeln!(out, "\nSTALE {}/{}/{id}: listed as diverging, but passes", s.platform, s.suite);
            }
        }
        out
    }

    /// The parity document.
    pub fn markdown(&self) -> String {
        let mut out = String::from(
            "# Parity\n\nWritten by `make parity`; do not edit. Cases were recorded from the real programs. *Diverging* cases are listed with reasons in\n\
             [divergences.md](divergences.md); *unsupported* ones we do not claim to do yet.\n\n\
             | platform | suite | total | passed | failed | diverging | unsupported |\n|---|---|---:|---:|---:|---:|---:|\n",
        );
        for s in &self.suites {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} |",
                s.platform, s.suite, s.total, s.passed, s.failed, s.diverging, s.unsupported
            );
        }
        let sum = |field: fn(&SuiteReport) -> usize| self.suites.iter().map(field).sum::<usize>();
        let _ = writeln!(
            out,
            "| **all** | | {} | {} | {} | {} | {} |",
            sum(|s| s.total),
            sum(|s| s.passed),
            sum(|s| s.failed),
            sum(|s| s.diverging),
            sum(|s| s.unsupported)
        );
        let missing: Vec<_> = self.suites.iter().filter(|s| s.passed > 0 && !s.missing.is_empty()).collect();
        if !missing.is_empty() {
            out.push_str("\n## Unsupported parts of suites we run\n\n");
            for s in missing {
                for (what, count) in &s.missing {
                    let _ = writeln!(out, "- {}/{}: {count} × {what}", s.platform, s.suite);
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_the_agreed_shape() {
        let mut suite = SuiteReport::new("sillytavern", "macros");
        suite.total = 2;
        suite.passed = 1;
        suite.failed = 1;
        suite.failures.push(Failure { id: "m1".into(), why: "differs".into() });
        let report = Report { suites: vec![suite] };
        assert_eq!(
            serde_json::to_string(&report).unwrap(),
            r#"{"suites":[{"platform":"sillytavern","suite":"macros","total":2,"passed":1,"failed":1,"diverging":0,"unsupported":0,"failures":[{"id":"m1","why":"differs"}]}]}"#
        );
        assert!(!report.is_clean());
        assert!(report.table(1).contains("FAILED sillytavern/macros/m1\n  differs"));
        assert!(report.markdown().contains("| sillytavern | macros | 2 | 1 | 1 | 0 | 0 |"));
    }
}
