//! JavaScript's `Date` without a clock: milliseconds since 1970 in, calendar fields out, and back.
//!
//! There is no time zone here. A local time is a UTC time plus an offset the caller knows.

mod parse;
mod token;

pub use parse::parse;

use std::fmt;

/// Milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;

/// A `Date` reaches this far from 1970 in both directions.
pub const MAX_MS: i64 = 8_640_000_000_000_000;

/// A point on the calendar. Fields are what people write: January is 1.
///
/// ```
/// use tavernkit_js::date::Civil;
/// let civil = Civil::from_ms(1709211909007);
/// assert_eq!(civil.to_string(), "2024-02-29T13:05:09.007Z");
/// assert_eq!(civil.to_ms(), 1709211909007);
/// assert_eq!(civil.weekday(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// Year; 0 is 1 BC.
    pub year: i64,
    /// Month, 1 to 12.
    pub month: u32,
    /// Day of the month, from 1.
    pub day: u32,
    /// Hour, 0 to 23.
    pub hour: u32,
    /// Minute, 0 to 59.
    pub minute: u32,
    /// Second, 0 to 59.
    pub second: u32,
    /// Millisecond, 0 to 999.
    pub millisecond: u32,
}

impl Civil {
    /// The calendar fields of milliseconds since 1970-01-01 00:00.
    pub fn from_ms(ms: i64) -> Self {
        let (year, month, day) = civil_from_days(ms.div_euclid(DAY_MS));
        let time = ms.rem_euclid(DAY_MS) as u32;
        Self {
            year,
            month,
            day,
            hour: time / 3_600_000,
            minute: time / 60_000 % 60,
            second: time / 1000 % 60,
            millisecond: time % 1000,
        }
    }

    /// Milliseconds since 1970-01-01 00:00.
    pub fn to_ms(&self) -> i64 {
        let time =
            ((i64::from(self.hour) * 60 + i64::from(self.minute)) * 60 + i64::from(self.second)) * 1000;
        self.days() * DAY_MS + time + i64::from(self.millisecond)
    }

    /// Days since 1970-01-01.
    pub fn days(&self) -> i64 {
        days_from_civil(self.year, self.month, self.day)
    }

    /// Day of the week: 0 is Sunday.
    pub fn weekday(&self) -> u32 {
        weekday(self.days())
    }

    /// Day of the year, from 1.
    pub fn day_of_year(&self) -> u32 {
        (self.days() - days_from_civil(self.year, 1, 1) + 1) as u32
    }
}

/// `toISOString()`.
impl fmt::Display for Civil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            0..=9999 => write!(f, "{:04}", self.year)?,
            // With a plus sign, the width counts it.
            year => write!(f, "{year:+07}")?,
        }
        let Self { month, day, hour, minute, second, millisecond, .. } = self;
        write!(f, "-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
    }
}

/// Has the year 366 days?
pub fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days of a month, 1 to 12.
pub fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap_year(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days of a year.
pub fn days_in_year(year: i64) -> u32 {
    if is_leap_year(year) { 366 } else { 365 }
}

/// Day of the week of a day counted from 1970-01-01, which was a Thursday. 0 is Sunday.
pub fn weekday(days: i64) -> u32 {
    (days + 4).rem_euclid(7) as u32
}

/// Days since 1970-01-01 of a date in the proleptic Gregorian calendar.
///
/// A day beyond the month's end counts on into the next month, as `Date.UTC` does.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    // Years start in March here, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a day counted from 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = ((month_from_march + 2) % 12 + 1) as u32;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_round_trips_over_its_whole_range() {
        let mut ms = -MAX_MS;
        while ms <= MAX_MS {
            let civil = Civil::from_ms(ms);
            assert_eq!(civil.to_ms(), ms);
            assert!((1..=days_in_month(civil.year, civil.month)).contains(&civil.day));
            ms += 40_000 * DAY_MS + 12_345_678;
        }
        assert_eq!(Civil::from_ms(-MAX_MS).to_string(), "-271821-04-20T00:00:00.000Z");
        assert_eq!(Civil::from_ms(MAX_MS).to_string(), "+275760-09-13T00:00:00.000Z");
        assert_eq!(Civil::from_ms(-1).to_string(), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn leap_years() {
        assert_eq!([1900, 2000, 2023, 2024].map(is_leap_year), [false, true, false, true]);
        assert_eq!(Civil::from_ms(1_735_603_200_000).day_of_year(), 366);
        assert_eq!(days_from_civil(2024, 2, 30), days_from_civil(2024, 3, 1));
    }
}
