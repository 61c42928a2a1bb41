//! Durations in words: `in 3 hours`, `a few seconds`.

use super::INVALID_DATE;
use crate::number;

const DAY_MS: f64 = 86_400_000.0;

/// A length of time. Months are kept apart from days, for they have no fixed length.
///
/// ```
/// use tavernkit_js::moment::{Duration, Suffix};
/// assert_eq!(Duration::from_ms(7_200_000.0).humanize(Suffix::Without), "2 hours");
/// assert_eq!(Duration::from_ms(-7_200_000.0).humanize(Suffix::With), "2 hours ago");
/// assert_eq!(Duration::from_ms(f64::NAN).humanize(Suffix::With), "Invalid date");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duration {
    /// Milliseconds, on top of days and months.
    pub milliseconds: f64,
    /// Days.
    pub days: f64,
    /// Months.
    pub months: f64,
}

/// Whether the words say the direction: `in …` for the future, `… ago` for the past and for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suffix {
    /// `2 hours`.
    Without,
    /// `in 2 hours`, `2 hours ago`.
    With,
}

/// From which count on the next greater unit is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Up to so many seconds are "a few seconds".
    pub few_seconds: f64,
    /// Seconds to minutes.
    pub seconds: f64,
    /// Minutes to hours.
    pub minutes: f64,
    /// Hours to days.
    pub hours: f64,
    /// Days to weeks or months.
    pub days: f64,
    /// Weeks to months; without it weeks are not used.
    pub weeks: Option<f64>,
    /// Months to years.
    pub months: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            few_seconds: 44.0,
            seconds: 45.0,
            minutes: 45.0,
            hours: 22.0,
            days: 26.0,
            weeks: None,
            months: 11.0,
        }
    }
}

impl Duration {
    /// A duration of so many milliseconds. NaN makes an invalid one.
    pub fn from_ms(milliseconds: f64) -> Self {
        Self { milliseconds, days: 0.0, months: 0.0 }
    }

    /// `.humanize()` with moment's own thresholds.
    pub fn humanize(&self, suffix: Suffix) -> String {
        self.humanize_with(suffix, &Thresholds::default())
    }

    /// `.humanize()` with thresholds of your own.
    pub fn humanize_with(&self, suffix: Suffix, thresholds: &Thresholds) -> String {
        let total = self.total_ms();
        if total.is_nan() {
            return INVALID_DATE.into();
        }
        let words = self.words(thresholds);
        match suffix {
            Suffix::Without => words,
            Suffix::With if total > 0.0 => format!("in {words}"),
            Suffix::With => format!("{words} ago"),
        }
    }

    /// All of it in milliseconds, with months of 30 and years of 365 days; only its sign is used.
    fn total_ms(&self) -> f64 {
        let years = (self.months / 12.0).trunc();
        self.milliseconds + (self.days + self.months % 12.0 * 30.0 + years * 365.0) * DAY_MS
    }

    fn words(&self, thresholds: &Thresholds) -> String {
        let ms = self.milliseconds.abs();
        let (days, months) = (self.days.abs(), self.months.abs());
        // 400 years have 146097 days and 4800 months.
        let in_months = months + (days + ms / DAY_MS) * 4800.0 / 146_097.0;
        let whole_days = days + number::round(months * 146_097.0 / 4800.0);
        let count = |unit_ms: f64| number::round(whole_days * (DAY_MS / unit_ms) + ms / unit_ms);
        let seconds = count(1000.0);
        if seconds <= thresholds.few_seconds {
            return "a few seconds".into();
        }
        if seconds < thresholds.seconds {
            return plural(seconds, "seconds");
        }
        let days_limit = (count(DAY_MS), thresholds.days, "a day", "days");
        let mut ladder = vec![
            (count(60_000.0), thresholds.minutes, "a minute", "minutes"),
            (count(3_600_000.0), thresholds.hours, "an hour", "hours"),
            days_limit,
        ];
        if let Some(limit) = thresholds.weeks {
            let weeks = number::round(whole_days / 7.0 + ms / (7.0 * DAY_MS));
            ladder.push((weeks, limit, "a week", "weeks"));
        }
        ladder.push((number::round(in_months), thresholds.months, "a month", "months"));
        ladder.push((number::round(in_months / 12.0), f64::INFINITY, "a year", "years"));
        for (count, limit, one, many) in ladder {
            if count <= 1.0 {
                return one.into();
            }
            if count < limit {
                return plural(count, many);
            }
        }
        plural(f64::INFINITY, "years")
    }
}

fn plural(count: f64, unit: &str) -> String {
    format!("{} {unit}", number::format(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_of_the_ladder() {
        let words = |seconds: f64| Duration::from_ms(seconds * 1000.0).humanize(Suffix::Without);
        assert_eq!(words(44.4), "a few seconds");
        assert_eq!(words(44.5), "a minute");
        assert_eq!(words(89.4), "a minute");
        assert_eq!(words(90.0), "2 minutes");
        assert_eq!(words(45.0 * 60.0), "an hour");
        assert_eq!(words(22.0 * 3600.0), "a day");
        assert_eq!(words(26.0 * 86400.0), "a month");
        assert_eq!(words(320.0 * 86400.0), "a year");
        assert_eq!(words(548.0 * 86400.0), "2 years");
        assert_eq!(words(f64::INFINITY), "Infinity years");
    }

    #[test]
    fn now_is_past() {
        assert_eq!(Duration::from_ms(0.0).humanize(Suffix::With), "a few seconds ago");
    }

    #[test]
    fn weeks_only_on_demand() {
        let nine_days = Duration::from_ms(9.0 * DAY_MS);
        let thresholds = Thresholds { days: 7.0, weeks: Some(4.0), ..Thresholds::default() };
        assert_eq!(nine_days.humanize(Suffix::Without), "9 days");
        assert_eq!(nine_days.humanize_with(Suffix::Without, &thresholds), "a week");
    }
}
