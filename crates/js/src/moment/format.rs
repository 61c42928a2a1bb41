//! Format tokens.

use super::{Moment, Zone};
use crate::date::{self, Civil};
use std::borrow::Cow;
use std::fmt::Write;

const MONTHS: &str = "January February March April May June July August September October November December";
const WEEKDAYS: &str = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday";

/// Tokens moment recognises, the longer before the shorter. A few have no meaning (`w|`) and print as they are.
const TOKENS: &str = "\
    Hmmss Hmm hmmss hmm Mo MMMM MMM MM M Do DDDo DDDD DDD DD D dddd ddd dd do d wo ww w| w Wo WW \
    W| W Qo Q NNNNN NNNN NNN NN N YYYYYY YYYYY YYYY YY Y yyyy yyy yy yo y ggggg gggg gg GGGGG GGGG \
    GG e E a A hh h HH H kk k mm m ss s SSSSSSSSS SSSSSSSS SSSSSSS SSSSSS SSSSS SSSS SSS SS S x X \
    zz z ZZ Z";

/// Writes a valid date, seen from its zone as `local`.
pub(super) fn format(moment: &Moment, local: &Civil, format: &str) -> String {
    let mut output = String::new();
    write_format(&mut output, moment, local, &expand(format));
    output
}

/// Replaces the long forms (`LT`, `LL`, …) by what they stand for.
fn expand(format: &str) -> Cow<'_, str> {
    if !format.contains(['L', 'l']) {
        return Cow::Borrowed(format);
    }
    let mut expanded = String::with_capacity(format.len() + 32);
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '[' => bracketed(rest).unwrap_or(1),
            '\\' => 1 + long_form(&rest[1..]).map_or(0, |(length, _)| length),
            _ => match long_form(rest) {
                Some((length, meaning)) => {
                    expanded.push_str(meaning);
                    rest = &rest[length..];
                    continue;
                }
                None => first.len_utf8(),
            },
        };
        expanded.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Cow::Owned(expanded)
}

/// The long form at the start of a text: its length and its meaning.
fn long_form(text: &str) -> Option<(usize, &'static str)> {
    const FORMS: [(&str, &str); 10] = [
        ("LTS", "h:mm:ss A"),
        ("LT", "h:mm A"),
        ("LLLL", "dddd, MMMM D, YYYY h:mm A"),
        ("LLL", "MMMM D, YYYY h:mm A"),
        ("LL", "MMMM D, YYYY"),
        ("L", "MM/DD/YYYY"),
        ("llll", "ddd, MMM D, YYYY h:mm A"),
        ("lll", "MMM D, YYYY h:mm A"),
        ("ll", "MMM D, YYYY"),
        ("l", "M/D/YYYY"),
    ];
    FORMS.iter().find(|(form, _)| text.starts_with(form)).map(|(form, meaning)| (form.len(), *meaning))
}

/// The length of a literal in brackets: up to the last `]` before the next `[`.
fn bracketed(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let end = inner.find('[').unwrap_or(inner.len());
    inner[..end].rfind(']').map(|at| at + 2)
}

fn write_format(output: &mut String, moment: &Moment, local: &Civil, format: &str) {
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        if let Some(length) = bracketed(rest) {
            output.push_str(&rest[1..length - 1]);
            rest = &rest[length..];
            continue;
        }
        if let Some(escaped) = rest.strip_prefix('\\') {
            // The token after it is literal, and every backslash is dropped, an escaped one too.
            let length = token_length(escaped);
            output.extend(escaped[..length].chars().filter(|c| *c != '\\'));
            rest = &escaped[length..];
            continue;
        }
        let length = token_length(rest);
        if length == 0 {
            // Line breaks are no token at all.
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let token = &rest[..length];
        if !write_token(output, moment, local, token) {
            output.push_str(token);
        }
        rest = &rest[length..];
    }
}

/// The length of the token or single character at the start; 0 at a line break and at the end.
fn token_length(text: &str) -> usize {
    let Some(first) = text.chars().next() else { return 0 };
    if matches!(first, '\n' | '\r' | '\u{2028}' | '\u{2029}') {
        return 0;
    }
    if !first.is_ascii_alphabetic() {
        return first.len_utf8();
    }
    TOKENS.split(' ').find(|token| text.starts_with(token)).map_or(1, str::len)
}

/// Writes the value of a token; `false` if it is none.
fn write_token(output: &mut String, moment: &Moment, local: &Civil, token: &str) -> bool {
    let width = token.len();
    let Civil { year, month, day, hour, minute, second, millisecond } = *local;
    let hour12 = (hour + 11) % 12 + 1;
    match token {
        "M" | "MM" => fill(output, month.into(), width),
        "Mo" => ordinal(output, month.into()),
        "MMM" => output.push_str(&month_name(month)[..3]),
        "MMMM" => output.push_str(month_name(month)),
        "Q" => fill(output, month.div_ceil(3).into(), 1),
        "Qo" => ordinal(output, month.div_ceil(3).into()),
        "D" | "DD" => fill(output, day.into(), width),
        "Do" => ordinal(output, day.into()),
        "DDD" => fill(output, local.day_of_year().into(), 1),
        "DDDD" => fill(output, local.day_of_year().into(), 3),
        "DDDo" => ordinal(output, local.day_of_year().into()),
        "d" | "e" => fill(output, local.weekday().into(), 1),
        "do" => ordinal(output, local.weekday().into()),
        "dd" | "ddd" => output.push_str(&weekday_name(local)[..width]),
        "dddd" => output.push_str(weekday_name(local)),
        "E" => fill(output, ((local.weekday() + 6) % 7 + 1).into(), 1),
        "w" | "ww" => fill(output, LOCALE_WEEKS.of(local).1, width),
        "wo" => ordinal(output, LOCALE_WEEKS.of(local).1),
        "W" | "WW" => fill(output, ISO_WEEKS.of(local).1, width),
        "Wo" => ordinal(output, ISO_WEEKS.of(local).1),
        "gg" => fill(output, LOCALE_WEEKS.of(local).0 % 100, 2),
        "gggg" | "ggggg" => fill(output, LOCALE_WEEKS.of(local).0, width),
        "GG" => fill(output, ISO_WEEKS.of(local).0 % 100, 2),
        "GGGG" | "GGGGG" => fill(output, ISO_WEEKS.of(local).0, width),
        "Y" => {
            if year > 9999 {
                output.push('+');
            }
            fill(output, year, 4);
        }
        "YY" => fill(output, year % 100, 2),
        "YYYY" | "YYYYY" => fill(output, year, width),
        "YYYYYY" => {
            if year >= 0 {
                output.push('+');
            }
            fill(output, year, 6);
        }
        "y" | "yy" | "yyy" | "yyyy" => fill(output, era_year(year), width),
        "yo" => ordinal(output, era_year(year)),
        "NNNN" => output.push_str(if year > 0 { "Anno Domini" } else { "Before Christ" }),
        "N" | "NN" | "NNN" | "NNNNN" => output.push_str(if year > 0 { "AD" } else { "BC" }),
        "A" => output.push_str(if hour < 12 { "AM" } else { "PM" }),
        "a" => output.push_str(if hour < 12 { "am" } else { "pm" }),
        "H" | "HH" => fill(output, hour.into(), width),
        "h" | "hh" => fill(output, hour12.into(), width),
        "k" | "kk" => fill(output, if hour == 0 { 24 } else { hour.into() }, width),
        "m" | "mm" => fill(output, minute.into(), width),
        "s" | "ss" => fill(output, second.into(), width),
        "Hmm" | "Hmmss" | "hmm" | "hmmss" => {
            fill(output, if token.starts_with('H') { hour } else { hour12 }.into(), 1);
            fill(output, minute.into(), 2);
            if token.ends_with("ss") {
                fill(output, second.into(), 2);
            }
        }
        "x" => fill(output, moment.unix_ms.unwrap_or_default(), 1),
        "X" => fill(output, moment.unix_ms.unwrap_or_default().div_euclid(1000), 1),
        "z" | "zz" => {
            if let Zone::Utc(_) = moment.zone {
                output.push_str(if width == 1 { "UTC" } else { "Coordinated Universal Time" });
            }
        }
        "Z" => offset(output, moment.zone.offset(), ":"),
        "ZZ" => offset(output, moment.zone.offset(), ""),
        _ if token.starts_with('S') => fraction(output, millisecond, width),
        _ => return false,
    }
    true
}

fn month_name(month: u32) -> &'static str {
    MONTHS.split(' ').nth(month as usize - 1).unwrap_or_default()
}

fn weekday_name(local: &Civil) -> &'static str {
    WEEKDAYS.split(' ').nth(local.weekday() as usize).unwrap_or_default()
}

/// A number with leading zeros; the sign does not count.
fn fill(output: &mut String, number: i64, width: usize) {
    let sign = if number < 0 { "-" } else { "" };
    let digits = number.unsigned_abs();
    // Writing to a String cannot fail.
    let _ = write!(output, "{sign}{digits:0width$}");
}

fn ordinal(output: &mut String, number: i64) {
    let ending = match (number % 100 / 10, number % 10) {
        (1, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    fill(output, number, 1);
    output.push_str(ending);
}

fn offset(output: &mut String, minutes: i32, separator: &str) {
    let sign = if minutes < 0 { '-' } else { '+' };
    let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
    let _ = write!(output, "{sign}{hours:02}{separator}{minutes:02}");
}

/// The first digits of the second's fraction; beyond milliseconds they are zeros.
fn fraction(output: &mut String, millisecond: u32, width: usize) {
    let digits = format!("{millisecond:03}000000");
    output.push_str(&digits[..width.min(digits.len())]);
}

/// Years before Christ count up from the year 0, which is 1 BC.
fn era_year(year: i64) -> i64 {
    if year > 0 { year } else { 1 - year }
}

/// A rule for counting weeks.
struct Weeks {
    /// First day of the week; 0 is Sunday.
    first_day: i64,
    /// The week with this day of January is the first of its year.
    first_week_has: i64,
}

const LOCALE_WEEKS: Weeks = Weeks { first_day: 0, first_week_has: 1 };
const ISO_WEEKS: Weeks = Weeks { first_day: 1, first_week_has: 4 };

impl Weeks {
    /// The year a date's week belongs to, and the week's number in it.
    fn of(&self, local: &Civil) -> (i64, i64) {
        let days = local.days();
        let mut year = local.year;
        if days >= self.start(year + 1) {
            year += 1;
        } else if days < self.start(year) {
            year -= 1;
        }
        (year, (days - self.start(year)) / 7 + 1)
    }

    /// The day on which week 1 of a year starts, counted from 1970-01-01.
    fn start(&self, year: i64) -> i64 {
        let inside = date::days_from_civil(year, 1, 1) + self.first_week_has - 1;
        let since_week_start = (i64::from(date::weekday(inside)) - self.first_day).rem_euclid(7);
        inside - since_week_start
    }
}

/// Number of ISO weeks in a year, and the day on which its first week starts.
pub(super) fn iso_year(year: i64) -> (i64, i64) {
    let start = ISO_WEEKS.start(year);
    ((ISO_WEEKS.start(year + 1) - start) / 7, start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(format: &str) -> String {
        Moment::utc(1_709_211_909_007).format(format)
    }

    #[test]
    fn literals_and_escapes() {
        assert_eq!(print("[Today is] dddd"), "Today is Thursday");
        assert_eq!(print("[[YYYY]]"), "[YYYY]");
        assert_eq!(print("[a] b] YYYY"), "a] b 2024");
        assert_eq!(print("[YYYY"), "[2024");
        assert_eq!(print(r"\MMMM \LT \[LT]"), "MMMM LT [LT]");
        assert_eq!(print("YYYY\\"), "2024");
        assert_eq!(print(r"\\YYYY"), "2024");
        assert_eq!(print("YYYY\nMM"), "202402");
        assert_eq!(print("w|w"), "w|9");
    }

    #[test]
    fn runs_of_letters_are_cut_like_moment_cuts_them() {
        assert_eq!(print("LLLLL"), "Thursday, February 29, 2024 1:05 PM02/29/2024");
        assert_eq!(print("YYY"), "242024");
        assert_eq!(print("ggg"), "24g");
        assert_eq!(print("SSSSSSSSSS"), "0070000000");
    }

    #[test]
    fn local_time_has_no_zone_name() {
        let local = Moment::new(0, Zone::Local(0));
        assert_eq!(local.format("[<]z zz[>]"), "< >");
        assert_eq!(local.format_default(), "1970-01-01T00:00:00+00:00");
        assert_eq!(Moment::utc(0).format_default(), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn far_years_do_not_panic() {
        for ms in [-date::MAX_MS, date::MAX_MS] {
            let text = Moment::utc(ms).format("gggg GGGG w W LLLL NNNN");
            assert!(!text.is_empty());
        }
        assert_eq!(Moment::utc(date::MAX_MS + 1).format("YYYY"), "Invalid date");
        assert_eq!(Moment::utc(i64::MIN).format("YYYY"), "Invalid date");
    }
}
