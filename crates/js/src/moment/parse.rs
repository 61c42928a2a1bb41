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
    let unix_ms = match asp_net(text) {
        Some(ms) => Some(ms),
        // An ISO text with impossible fields is invalid; nothing else is tried.
        None => match iso(text) {
            Read::Date { local_ms, offset } => Some(to_utc(local_ms, offset.unwrap_or(local_offset))),
            Read::Impossible => None,
            Read::OtherForm => {
                rfc_2822(text).map(|(ms, offset)| to_utc(ms, offset)).or_else(|| free_form(text, zone))
            }
        },
    };
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

/// What an ISO text turned out to be.
enum Read {
    /// Calendar time as written, and the offset if one was written.
    Date { local_ms: i64, offset: Option<i32> },
    /// ISO in form, but such a date or time does not exist.
    Impossible,
    /// Not ISO.
    OtherForm,
}

fn iso(text: &str) -> Read {
    let mut scan = Scan { rest: text.trim_start_matches(is_js_space) };
    let Some((date, allows_time, extended)) = iso_date(&mut scan) else { return Read::OtherForm };
    let mut time = Some(0);
    let mut offset = None;
    if !scan.rest.is_empty() {
        if !(scan.take("T") || scan.take(" ")) {
            return Read::OtherForm;
        }
        let Some(read) = iso_time(&mut scan, extended) else { return Read::OtherForm };
        time = read;
        if let Some((length, minutes)) = offset_at(scan.rest).filter(|_| !scan.rest.starts_with('z')) {
            offset = Some(minutes);
            scan.rest = &scan.rest[length..];
        } else if scan.rest.trim_start_matches(is_js_space) == "Z" {
            offset = Some(0);
            scan.rest = "";
        }
        if !scan.rest.is_empty() {
            return Read::OtherForm;
        }
        if !allows_time {
            // moment gives up on the ISO form here and tries the others.
            return Read::OtherForm;
        }
    }
    match (date, time) {
        (Some(days), Some(time)) => Read::Date { local_ms: days * DAY_MS + time, offset },
        _ => Read::Impossible,
    }
}

/// The date part: its days if it exists, whether a time may follow, and whether it had dashes.
fn iso_date(scan: &mut Scan<'_>) -> Option<(Option<i64>, bool, bool)> {
    let sign = if scan.rest.starts_with(['+', '-']) {
        if scan.take("-") {
            -1
        } else {
            scan.take("+");
            1
        }
    } else {
        0
    };
    let year = if sign == 0 { scan.digits(4)? } else { sign * scan.digits(6)? };
    let extended = scan.take("-");
    if scan.take("W") {
        let week = scan.digits(2)?;
        let day =
            if extended { if scan.take("-") { Some(scan.digits(1)?) } else { None } } else { scan.digits(1) };
        return Some((iso_week(year, week, day.unwrap_or(1)), day.is_some(), extended));
    }
    let run = scan.rest.bytes().take_while(u8::is_ascii_digit).count();
    let found = match (extended, run) {
        (true, 2) => {
            let month = scan.digits(2)?;
            if scan.take("-") {
                let day = scan.digits(2)?;
                (civil_days(year, month, day), true)
            } else {
                (civil_days(year, month, 1), false)
            }
        }
        (_, 3) => (day_of_year(year, scan.digits(3)?), true),
        (false, 4) => {
            let (month, day) = (scan.digits(2)?, scan.digits(2)?);
            (civil_days(year, month, day), true)
        }
        (false, 2) => (civil_days(year, scan.digits(2)?, 1), false),
        (false, 0) => (civil_days(year, 1, 1), false),
        _ => return None,
    };
    Some((found.0, found.1, extended))
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

/// `[Thu,] 29 Feb 2024 13:05[:09] EST`: the calendar time as written, and the offset.
fn rfc_2822(text: &str) -> Option<(i64, i32)> {
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
    // Fields out of range count on, as `Date.UTC` does: the form is checked, the values are not.
    let days = date::days_from_civil(year, month, 1) + day - 1;
    if weekday.is_some_and(|weekday| weekday as u32 != date::weekday(days)) {
        return None;
    }
    Some((days * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000, offset))
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
        assert_eq!(rfc_2822("Fri, 29 Feb 2024 13:05 GMT"), None);
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
