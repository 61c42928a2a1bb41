//! moment.js 2.31, English: format tokens, parsing, offsets and humanised durations.
//!
//! No clock and no zone data: a moment is made from milliseconds since 1970 and an offset the caller passes in.

mod duration;
mod format;
mod parse;

pub use duration::{Duration, Suffix, Thresholds};
pub use parse::parse;

use crate::date::{Civil, MAX_MS};

/// What moment prints for a date it could not make.
pub const INVALID_DATE: &str = "Invalid date";

/// How a moment relates to UTC. It shows only in the tokens `z`, `zz` and in the format used when none is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// `moment.utc(…)`, with or without `.utcOffset(…)`: minutes ahead of UTC.
    Utc(i32),
    /// `moment(…)`: the user's own zone, minutes ahead of UTC at that time.
    Local(i32),
}

impl Zone {
    /// Minutes ahead of UTC.
    pub fn offset(self) -> i32 {
        match self {
            Self::Utc(minutes) | Self::Local(minutes) => minutes,
        }
    }
}

/// A point in time seen from an offset; perhaps an invalid one, which prints as `Invalid date`.
///
/// ```
/// use tavernkit_js::moment::{Moment, Zone};
/// let moment = Moment::new(1709211909007, Zone::Local(-480));
/// assert_eq!(moment.format("LL"), "February 29, 2024");
/// assert_eq!(moment.format("LT [on a] dddd"), "5:05 AM on a Thursday");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    unix_ms: Option<i64>,
    zone: Zone,
}

impl Moment {
    /// The moment at so many milliseconds since 1970; invalid beyond what a JavaScript `Date` can hold.
    pub fn new(unix_ms: i64, zone: Zone) -> Self {
        Self { unix_ms: Some(unix_ms).filter(|ms| ms.unsigned_abs() <= MAX_MS as u64), zone }
    }

    /// `moment.utc(unix_ms)`.
    pub fn utc(unix_ms: i64) -> Self {
        Self::new(unix_ms, Zone::Utc(0))
    }

    /// The invalid moment.
    pub fn invalid() -> Self {
        Self { unix_ms: None, zone: Zone::Utc(0) }
    }

    /// Milliseconds since 1970; `None` when invalid.
    pub fn unix_ms(&self) -> Option<i64> {
        self.unix_ms
    }

    /// The zone it is seen from.
    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// `.utcOffset(number)`: numbers below 16 are hours, others minutes.
    ///
    /// ```
    /// use tavernkit_js::moment::Moment;
    /// assert_eq!(Moment::utc(0).with_offset(2.0).format("HH:mm Z"), "02:00 +02:00");
    /// assert_eq!(Moment::utc(0).with_offset(90.0).format("HH:mm Z"), "01:30 +01:30");
    /// ```
    pub fn with_offset(self, offset: f64) -> Self {
        let minutes = if offset.abs() < 16.0 { offset * 60.0 } else { offset };
        Self { zone: Zone::Utc(minutes as i32), ..self }
    }

    /// `.utcOffset(text)`: `+05:30`, `-0800`, `+09`, `Z`; the last offset found in the text counts, none changes nothing.
    pub fn with_offset_text(self, offset: &str) -> Self {
        match parse::offset(offset) {
            Some(minutes) => Self { zone: Zone::Utc(minutes), ..self },
            None => self,
        }
    }

    /// `.format(format)`. An empty format is the same as [`format_default`](Self::format_default).
    ///
    /// Line breaks in a format print nothing, as in moment.
    pub fn format(&self, format: &str) -> String {
        if format.is_empty() {
            return self.format_default();
        }
        match self.local() {
            Some(local) => format::format(self, &local, format),
            None => INVALID_DATE.into(),
        }
    }

    /// `.format()`: ISO 8601 to the second.
    pub fn format_default(&self) -> String {
        let format = match self.zone {
            Zone::Utc(0) => "YYYY-MM-DDTHH:mm:ss[Z]",
            _ => "YYYY-MM-DDTHH:mm:ssZ",
        };
        self.format(format)
    }

    /// `moment.duration(a.diff(b))`: the time from `other` to this; invalid when either is.
    ///
    /// ```
    /// use tavernkit_js::moment::{self, Suffix};
    /// let left = moment::parse("2023-01-01 12:00:00", moment::Zone::Local(60));
    /// let right = moment::parse("2023-01-01 15:00:00", moment::Zone::Local(60));
    /// assert_eq!(left.since(&right).humanize(Suffix::With), "3 hours ago");
    /// ```
    pub fn since(&self, other: &Self) -> Duration {
        match (self.unix_ms, other.unix_ms) {
            (Some(a), Some(b)) => Duration::from_ms((a - b) as f64),
            _ => Duration::from_ms(f64::NAN),
        }
    }

    /// The calendar as seen from the zone.
    fn local(&self) -> Option<Civil> {
        self.unix_ms.map(|ms| Civil::from_ms(ms + i64::from(self.zone.offset()) * 60_000))
    }
}
