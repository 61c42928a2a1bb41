//! The recorded counts below which no suite may fall.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Report;

/// Passed cases per `platform/suite` at the last `make parity`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Baseline {
    passed: BTreeMap<String, usize>,
}

impl Baseline {
    /// The counts of a run.
    pub fn of(report: &Report) -> Self {
        let passed =
            report.suites.iter().map(|s| (format!("{}/{}", s.platform, s.suite), s.passed)).collect();
        Self { passed }
    }

    /// One sentence for each suite that has fallen below its count, or is gone.
    pub fn fallen(&self, report: &Report) -> Vec<String> {
        let now = Self::of(report);
        let fallen = |(suite, &before): (&String, &usize)| match now.passed.get(suite) {
            Some(&passed) if passed >= before => None,
            Some(passed) => Some(format!("{suite}: {passed} cases pass, {before} did before")),
            None => Some(format!("{suite}: not run; {before} cases passed before")),
        };
        self.passed.iter().filter_map(fallen).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SuiteReport;

    fn report(passed: usize) -> Report {
        let mut suite = SuiteReport::new("js", "regex");
        suite.passed = passed;
        Report { suites: vec![suite] }
    }

    #[test]
    fn a_fall_is_named_and_a_rise_is_fine() {
        let baseline = Baseline::of(&report(10));
        assert!(baseline.fallen(&report(11)).is_empty());
        assert_eq!(baseline.fallen(&report(9)), ["js/regex: 9 cases pass, 10 did before"]);
        assert_eq!(baseline.fallen(&Report::default()), ["js/regex: not run; 10 cases passed before"]);
    }
}
