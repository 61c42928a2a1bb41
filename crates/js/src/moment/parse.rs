//! Reading dates: ISO 8601, RFC 2822, ASP.NET's `/Date(…)/`, and what `new Date` would take.

use super::{Moment, Zone, format};
use crate::date::{self, DAY_MS};
use crate::number::is_js_space;

/// `moment(text)` or, with [`Zone::Utc`], `moment.utc(text)`: a text without an offset is a time in `zone`.
///
/// The result is seen from `zone`. What cannot be read is an invalid moment.
///
/// ```
/// use tavernkit_js::moment::{self, Zone};
/// assert_eq!(moment::parse("2024-W09-4", Zone::Utc(0)).unix_ms(), Some(1709164800000));
/// assert_eq!(moment::parse("29 Feb 2024 13:05 +0200", Zone::Utc(0)).unix_ms(), Some(1709204700000));
/// assert_eq!(moment::parse("Feb 29, 2024", Zone::Utc(0)).unix_ms(), Some(1709164800000));
/// assert_eq!(moment::parse("yesterday", Zone::Utc(0)).unix_ms(), None);
/// ```
pub fn parse(text: &str, zone: Zone) -> Moment {
    let local_offset = zone.offset();
    let unix_ms = asp_net(text).or_else(|| match iso(text).or_else(|| rfc_2822(text)) {
        Some(Read::Date { local_ms, offset }) => Some(to_utc(local_ms, offset.unwrap_or(local_offset))),
        // The form was right and the fields impossible: nothing else is tried.
        Some(Read::Impossible) => None,
        None => free_form(text, zone),
    });
    unix_ms.map_or(Moment { unix_ms: None, zone }, |ms| Moment::new(ms, zone))
}

/// The last offset in a text, in minutes.
pub(super) fn offset(text: &str) -> Option<i32> {
    let mut found = None;
    let mut rest = text;
    while let Some(at) = rest.find(['Z', 'z', '+', '-']) {
        rest = &rest[at..];
        match offset_at(rest) {
            Some((length, minutes)) => {
                found = Some(minutes);
                rest = &rest[length..];
            }
            None => rest = &rest[1..],
        }
    }
    found
}

/// `Z`, `±hh`, `±hhmm` or `±hh:mm` at the start of a text: its length and its minutes.
fn offset_at(text: &str) -> Option<(usize, i32)> {
    let sign = match text.as_bytes().first()? {
        b'Z' | b'z' => return Some((1, 0)),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = digits(&text[1..], 2)?;
    let rest = &text[3..];
    let after_colon = rest.strip_prefix(':').unwrap_or(rest);
    let (length, minutes) = match digits(after_colon, 2) {
        Some(minutes) => (text.len() - after_colon.len() + 2, minutes),
        None => (3, 0),
    };
    Some((length, sign * (hours * 60 + minutes) as i32))
}

fn to_utc(local_ms: i64, offset: i32) -> i64 {
    local_ms - i64::from(offset) * 60_000
}

fn free_form(text: &str, zone: Zone) -> Option<i64> {
    match zone {
        Zone::Utc(_) => date::parse(&format!("{text} UTC"), 0),
        Zone::Local(offset) => date::parse(text, offset),
    }
}

/// `/Date(1700000000000)/`, as old ASP.NET services write it.
fn asp_net(text: &str) -> Option<i64> {
    let text = text.strip_prefix('/').unwrap_or(text);
    let (name, rest) = text.split_at_checked(5)?;
    if !name.eq_ignore_ascii_case("date(") {
        return None;
    }
    let unsigned = rest.strip_prefix('-').unwrap_or(rest);
    let count = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if count == 0 {
        return None;
    }
    let ms: f64 = rest[..rest.len() - unsigned.len() + count].parse().ok()?;
    // Numbers out of a date's range saturate, and the moment is then invalid.
    Some(ms as i64)
}

/// What a text of a known form turned out to be.
enum Read {
    /// Calendar time as written, and the offset if one was written.
    Date { local_ms: i64, offset: Option<i32> },
    /// There is no such date or time.
    Impossible,
}

/// `None` when it is not ISO 8601.
fn iso(text: &str) -> Option<Read> {
    let mut scan = Scan { rest: text.trim_start_matches(is_js_space) };
    let date = iso_date(&mut scan)?;
    let mut time = Some(0);
    let mut offset = None;
    if !scan.rest.is_empty() {
        if !(scan.take("T") || scan.take(" ")) {
            return None;
        }
        time = iso_time(&mut scan, date.extended)?;
        if let Some((length, minutes)) = offset_at(scan.rest).filter(|_| !scan.rest.starts_with('z')) {
            offset = Some(minutes);
            scan.rest = &scan.rest[length..];
        } else if scan.rest.trim_start_matches(is_js_space) == "Z" {
            offset = Some(0);
            scan.rest = "";
        }
        if !scan.rest.is_empty() {
            return None;
        }
        if !date.allows_time {
            // moment gives up on the ISO form here and tries the others.
            return None;
        }
    }
    Some(match (date.days, time) {
        (Some(days), Some(time)) => Read::Date { local_ms: days * DAY_MS + time, offset },
        _ => Read::Impossible,
    })
}

/// The date part of an ISO text.
struct IsoDate {
    /// `None` if there is no such day.
    days: Option<i64>,
    allows_time: bool,
    /// Written with dashes, so the time is written with colons.
    extended: bool,
}

fn iso_date(scan: &mut Scan<'_>) -> Option<IsoDate> {
    let signed = match scan.rest.as_bytes().first() {
        Some(b'-') => Some(-1),
        Some(b'+') => Some(1),
        _ => None,
    };
    let mut year = match signed {
        Some(_) => {
            scan.rest = &scan.rest[1..];
            scan.digits(6)?
        }
        None => scan.digits(4)?,
    };
    let extended = scan.take("-");
    let run = scan.rest.bytes().take_while(u8::is_ascii_digit).count();
    let full = if extended { run == 2 && scan.rest[2..].starts_with('-') } else { run == 4 };
    if let Some(sign) = signed {
        if full {
            year *= sign;
        } else if extended || scan.rest.starts_with('W') {
            // Six digits count only in a full date. Otherwise moment takes four, without the sign.
            year /= 100;
        } else {
            return six_digits_as_year_and_month(scan, year, run);
        }
    }
    if scan.take("W") {
        let week = scan.digits(2)?;
        let day = match (extended, scan.take("-")) {
            (true, true) => Some(scan.digits(1)?),
            (true, false) => None,
            (false, true) => return None,
            (false, false) => scan.digits(1),
        };
        let days = iso_week(year, week, day.unwrap_or(1));
        return Some(IsoDate { days, allows_time: day.is_some(), extended });
    }
    let (days, allows_time) = match (extended, run) {
        _ if full => {
            let month = scan.digits(2)?;
            scan.take("-");
            (civil_days(year, month, scan.digits(2)?), true)
        }
        (_, 2) => (civil_days(year, scan.digits(2)?, 1), false),
        (_, 3) => (day_of_year(year, scan.digits(3)?), true),
        (false, 0) => (civil_days(year, 1, 1), false),
        _ => return None,
    };
    Some(IsoDate { days, allows_time, extended })
}

/// `+012024` and more digits without dashes: moment reads them as `YYYYMM[DD]`.
fn six_digits_as_year_and_month(scan: &mut Scan<'_>, six: i64, run: usize) -> Option<IsoDate> {
    let (day, allows_time) = match run {
        0 => (1, false),
        2 => (scan.digits(2)?, true),
        3 => (scan.digits(3)? / 10, true),
        _ => return None,
    };
    Some(IsoDate { days: civil_days(six / 100, six % 100, day), allows_time, extended: false })
}

/// The time part: its milliseconds if it exists.
fn iso_time(scan: &mut Scan<'_>, extended: bool) -> Option<Option<i64>> {
    let separator = if extended { ":" } else { "" };
    let mut fields = [scan.digits(2)?, 0, 0];
    for field in &mut fields[1..] {
        let before = scan.rest;
        if !scan.take(separator) {
            break;
        }
        match scan.digits(2) {
            Some(value) => *field = value,
            None => {
                scan.rest = before;
                break;
            }
        }
    }
    let [hour, minute, second] = fields;
    let mut ms = 0;
    let before = scan.rest;
    if scan.take(".") || scan.take(",") {
        let digits = scan.rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            scan.rest = before;
        } else {
            let kept = format!("{:0<3}", &scan.rest[..digits.min(3)]);
            ms = kept.parse().unwrap_or(0);
            scan.rest = &scan.rest[digits..];
        }
    }
    let exists =
        minute < 60 && second < 60 && (hour < 24 || hour == 24 && minute == 0 && second == 0 && ms == 0);
    Some(exists.then_some(((hour * 60 + minute) * 60 + second) * 1000 + ms))
}

fn civil_days(year: i64, month: i64, day: i64) -> Option<i64> {
    let exists =
        (1..=12).contains(&month) && (1..=i64::from(date::days_in_month(year, month as u32))).contains(&day);
    exists.then(|| date::days_from_civil(year, month as u32, day as u32))
}

fn day_of_year(year: i64, day: i64) -> Option<i64> {
    (1..=i64::from(date::days_in_year(year)))
        .contains(&day)
        .then(|| date::days_from_civil(year, 1, 1) + day - 1)
}

fn iso_week(year: i64, week: i64, day: i64) -> Option<i64> {
    let (weeks, start) = format::iso_year(year);
    ((1..=weeks).contains(&week) && (1..=7).contains(&day)).then(|| start + (week - 1) * 7 + day - 1)
}

/// `[Thu,] 29 Feb 2024 13:05[:09] EST`. A wrong weekday makes it another form.
fn rfc_2822(text: &str) -> Option<Read> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    let clean = without_comments(text);
    let mut words: Vec<&str> = clean.split(is_js_space).filter(|word| !word.is_empty()).collect();
    let weekday = words.first().and_then(|word| {
        let name = word.strip_suffix(',').unwrap_or(word);
        WEEKDAYS.iter().position(|weekday| *weekday == name)
    });
    if weekday.is_some() {
        words.remove(0);
    }
    let [day, month, year, time, zone] = words.try_into().ok()?;
    let whole = |text: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&text.len()).then(|| digits(text, text.len())).flatten()
    };
    let day = whole(day, 1..=2)?;
    let month = MONTHS.iter().position(|name| *name == month)? as u32 + 1;
    let year = match whole(year, 2..=4)? {
        year @ 0..=49 => 2000 + year,
        year @ 50..=999 => 1900 + year,
        year => year,
    };
    let mut fields = time.split(':');
    let mut field = || fields.next().map_or(Some(0), |text| whole(text, 2..=2));
    let (hour, minute, second) = (field()?, field()?, field()?);
    if !time.contains(':') || fields.next().is_some() {
        return None;
    }
    let offset = zone_offset(zone)?;
    // The weekday is that of the day counted on, even if the month is too short for it.
    let counted = date::days_from_civil(year, month, 1) + day - 1;
    if weekday.is_some_and(|weekday| weekday as u32 != date::weekday(counted)) {
        return None;
    }
    let local_ms = counted * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000;
    let exists = civil_days(year, i64::from(month), day).is_some() && hour < 24 && minute < 60 && second < 60;
    Some(if exists { Read::Date { local_ms, offset: Some(offset) } } else { Read::Impossible })
}

fn zone_offset(zone: &str) -> Option<i32> {
    let hours = match zone {
        "UT" | "GMT" | "Z" | "z" => 0,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        _ => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let number = zone.strip_prefix(['+', '-']).filter(|number| number.len() == 4)?;
            let number = digits(number, 4)? as i32;
            return Some(sign * (number / 100 * 60 + number % 100));
        }
    };
    Some(hours * 60)
}

fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once('(') {
        let Some((_, after)) = comment.split_once(')') else { break };
        clean.push_str(before);
        clean.push(' ');
        rest = after;
    }
    clean + rest
}

/// Exactly so many digits at the start of a text.
fn digits(text: &str, count: usize) -> Option<i64> {
    let digits = text.get(..count)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// The part of a text not read yet.
struct Scan<'t> {
    rest: &'t str,
}

impl Scan<'_> {
    fn take(&mut self, literal: &str) -> bool {
        match self.rest.strip_prefix(literal) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let value = digits(self.rest, count)?;
        self.rest = &self.rest[count..];
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::Civil;

    fn read(text: &str) -> Option<String> {
        parse(text, Zone::Utc(0)).unix_ms().map(|ms| Civil::from_ms(ms).to_string())
    }

    #[test]
    fn iso_forms() {
        for (text, expected) in [
            ("20240229T130509.5+0200", "2024-02-29T11:05:09.500Z"),
            ("2024-060T01", "2024-02-29T01:00:00.000Z"),
            ("2020W537", "2021-01-03T00:00:00.000Z"),
            ("2024-02-29T24:00", "2024-03-01T00:00:00.000Z"),
            ("2024-02-29 13:05:09 Z", "2024-02-29T13:05:09.000Z"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text:?}");
        }
        for text in ["2024-02-30", "2024-02-29T24:01", "2023-366", "2024-W53", "2024-13"] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_wrong_weekday_is_no_date() {
        assert_eq!(read("Thu, 29 Feb 2024 13:05 GMT").as_deref(), Some("2024-02-29T13:05:00.000Z"));
        assert!(rfc_2822("Fri, 29 Feb 2024 13:05 GMT").is_none());
        assert_eq!(read("31 Feb 2024 13:05 GMT"), None);
    }

    #[test]
    fn local_texts_are_read_in_the_given_offset() {
        assert_eq!(parse("2024-02-29", Zone::Local(60)).unix_ms(), Some(1_709_161_200_000));
        assert_eq!(parse("Feb 29, 2024", Zone::Local(60)).unix_ms(), Some(1_709_161_200_000));
    }

    #[test]
    fn offsets() {
        assert_eq!(offset("+05:30"), Some(330));
        assert_eq!(offset("UTC-0800"), Some(-480));
        assert_eq!(offset("+09"), Some(540));
        assert_eq!(offset("none"), None);
        assert_eq!(offset("+9 ü-é"), None);
    }
}
