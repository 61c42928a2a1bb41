//! `Date.parse(text)` as V8 does it: the ISO form first, then the free form that takes nearly anything.
//!
//! People type dates into `{{timeDiff}}` and old chats carry them; moment.js hands what it cannot read to `new Date`.
//! The free form is not in the language's specification. What is here follows V8's published rules.

use super::token::{Token, Word, tokens};
use super::{MAX_MS, days_from_civil};

/// Milliseconds since 1970, or `None` for what JavaScript calls an invalid date.
///
/// A text that names no zone is local time, `local_offset` minutes ahead of UTC; a plain ISO date is UTC.
///
/// ```
/// use tavernkit_js::date;
/// assert_eq!(date::parse("2024-02-29", 60), Some(1709164800000));
/// assert_eq!(date::parse("2024-02-29T13:05", 60), Some(1709208300000));
/// assert_eq!(date::parse("Feb 29, 2024 1:05 PM", 0), Some(1709211900000));
/// assert_eq!(date::parse("soon", 0), None);
/// ```
pub fn parse(text: &str, local_offset: i32) -> Option<i64> {
    let mut parser = Parser::new(text);
    match parser.iso() {
        Iso::Complete => {}
        Iso::Invalid => return None,
        Iso::GoOn => parser.free_form()?,
    }
    parser.finish(local_offset)
}

enum Iso {
    /// The whole text was an ISO date.
    Complete,
    /// A time part that starts as ISO must go on as ISO.
    Invalid,
    /// What was read so far stays; the free form reads the rest.
    GoOn,
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    day: Day,
    time: Time,
    zone: Zone,
}

impl Parser {
    fn new(text: &str) -> Self {
        Self {
            tokens: tokens(text),
            at: 0,
            day: Day::default(),
            time: Time::default(),
            zone: Zone::default(),
        }
    }

    fn peek(&self) -> Token {
        self.tokens.get(self.at).copied().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn skip(&mut self, symbol: char) -> bool {
        let found = self.peek() == Token::Symbol(symbol);
        self.at += usize::from(found);
        found
    }

    /// A number of exactly so many digits within a range, taken only if it is one.
    fn fixed(&mut self, digits: usize, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        match self.peek() {
            Token::Number { digits: d, value } if d == digits && range.contains(&value) => {
                self.at += 1;
                Some(value)
            }
            _ => None,
        }
    }

    fn iso(&mut self) -> Iso {
        let start = self.at;
        let sign = match self.peek() {
            Token::Symbol('+') => Some(1),
            Token::Symbol('-') => Some(-1),
            _ => None,
        };
        if let Some(sign) = sign {
            self.at += 1;
            match self.fixed(6, 0..=999_999) {
                Some(year) if !(sign < 0 && year == 0) => self.day.add(sign * year),
                _ => {
                    self.at = start;
                    return Iso::GoOn;
                }
            };
        } else {
            match self.fixed(4, 0..=9999) {
                Some(year) => self.day.add(year),
                None => return Iso::GoOn,
            };
        }
        for limit in [12, 31] {
            if !self.skip('-') {
                break;
            }
            match self.fixed(2, 1..=limit) {
                Some(part) => self.day.add(part),
                None => return Iso::GoOn,
            };
        }
        match self.peek() {
            Token::End => {}
            Token::Word(Word::TimeSeparator) => {
                self.at += 1;
                if self.iso_time().is_none() || self.peek() != Token::End {
                    return Iso::Invalid;
                }
            }
            _ => return Iso::GoOn,
        }
        // A date alone is UTC; a date with a time and no zone is local.
        if self.time.parts.is_empty() {
            self.zone.set(0);
        }
        self.day.is_iso = true;
        Iso::Complete
    }

    fn iso_time(&mut self) -> Option<()> {
        let hour = self.fixed(2, 0..=24)?;
        let limit = if hour == 24 { 0 } else { 59 };
        self.time.parts.push(hour);
        if !self.skip(':') {
            return None;
        }
        let minute = self.fixed(2, 0..=limit)?;
        self.time.parts.push(minute);
        if self.skip(':') {
            let second = self.fixed(2, 0..=limit)?;
            self.time.parts.push(second);
            if self.skip('.') {
                let ms = milliseconds(self.next())?;
                if hour == 24 && ms > 0 {
                    return None;
                }
                self.time.parts.push(ms);
            }
        }
        match self.peek() {
            Token::Word(Word::Zone { is_z: true, .. }) => {
                self.at += 1;
                self.zone.set(0);
            }
            Token::Symbol(sign @ ('+' | '-')) => {
                self.at += 1;
                self.zone.sign = Some(if sign == '+' { 1 } else { -1 });
                match self.peek() {
                    Token::Number { digits: 4, value } if value / 100 <= 23 && value % 100 <= 59 => {
                        self.at += 1;
                        (self.zone.hour, self.zone.minute) = (Some(value / 100), Some(value % 100));
                    }
                    _ => {
                        self.zone.hour = Some(self.fixed(2, 0..=23)?);
                        if !self.skip(':') {
                            return None;
                        }
                        self.zone.minute = Some(self.fixed(2, 0..=59)?);
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    fn free_form(&mut self) -> Option<()> {
        // Continuing after an ISO start that held a number.
        let mut seen_number = !self.day.parts.is_empty();
        loop {
            match self.next() {
                Token::End => return Some(()),
                Token::Number { value, .. } => {
                    seen_number = true;
                    self.number(value)?;
                }
                Token::Word(Word::Meridiem(hours)) if !self.time.parts.is_empty() => {
                    self.time.meridiem = Some(hours);
                }
                Token::Word(Word::Month(month)) => {
                    self.day.named_month = Some(month);
                    self.skip('-');
                }
                Token::Word(Word::Zone { hours, .. }) if seen_number => self.zone.set(hours),
                Token::Word(_) | Token::Garbage => {
                    if seen_number || matches!(self.peek(), Token::Number { .. }) {
                        return None;
                    }
                }
                Token::Symbol(sign @ ('+' | '-')) if self.zone.is_utc() || !self.time.parts.is_empty() => {
                    seen_number = true;
                    self.offset(if sign == '+' { 1 } else { -1 })?;
                }
                Token::Symbol('+' | '-' | ')') if seen_number => return None,
                Token::Symbol(_) => {}
            }
        }
    }

    fn number(&mut self, value: i64) -> Option<()> {
        if self.skip(':') {
            if self.skip(':') {
                if !self.time.parts.is_empty() {
                    return None;
                }
                self.time.parts.extend([value, 0]);
            } else {
                self.time.add(value)?;
                self.skip('.');
            }
            return Some(());
        }
        if self.skip('.') && self.time.expects(value) {
            self.time.add(value)?;
            let ms = milliseconds(self.next())?;
            return self.time.add_last(ms);
        }
        if self.zone.expects_minute(value) {
            self.zone.minute = Some(value);
        } else if self.time.expects(value) {
            self.time.add_last(value)?;
            let z = |token| matches!(token, Token::Word(Word::Zone { is_z: true, .. }));
            let next = self.peek();
            if !(matches!(next, Token::End | Token::Symbol(' ' | '+' | '-')) || z(next)) {
                return None;
            }
        } else {
            self.day.add(value).then_some(())?;
            self.skip('-');
        }
        Some(())
    }

    fn offset(&mut self, sign: i64) -> Option<()> {
        self.zone.sign = Some(sign);
        let (digits, value) = match self.peek() {
            Token::Number { digits, value } => {
                self.at += 1;
                (digits, value)
            }
            _ => (0, 0),
        };
        if self.peek() == Token::Symbol(':') {
            (self.zone.hour, self.zone.minute) = (Some(value), None);
        } else {
            (self.zone.hour, self.zone.minute) = match digits {
                1 | 2 => (Some(value), Some(0)),
                3 | 4 => (Some(value / 100), Some(value % 100)),
                _ => return None,
            };
        }
        Some(())
    }

    fn finish(&self, local_offset: i32) -> Option<i64> {
        let days = self.day.days()?;
        let time = self.time.ms()?;
        let offset = self.zone.offset().unwrap_or(i64::from(local_offset));
        let ms = days * super::DAY_MS + time - offset * 60_000;
        (ms.abs() <= MAX_MS).then_some(ms)
    }
}

#[derive(Default)]
struct Day {
    parts: Vec<i64>,
    named_month: Option<i64>,
    is_iso: bool,
}

impl Day {
    fn add(&mut self, part: i64) -> bool {
        let room = self.parts.len() < 3;
        if room {
            self.parts.push(part);
        }
        room
    }

    fn days(&self) -> Option<i64> {
        let is_day = |part: i64| (1..=31).contains(&part);
        let part = |index: usize| self.parts.get(index).copied().unwrap_or(1);
        self.parts.first()?;
        let (mut year, month, day) = match self.named_month {
            None if self.is_iso || !is_day(part(0)) => (part(0), part(1), part(2)),
            None => (part(2), part(0), part(1)),
            Some(month) if !is_day(part(0)) => (part(0), month, part(1)),
            Some(month) => (part(1), month, part(0)),
        };
        if !self.is_iso {
            year += match year {
                0..=49 => 2000,
                50..=99 => 1900,
                _ => 0,
            };
        }
        // Far years are out of a date's range, and their milliseconds would be out of ours.
        let valid = (1..=12).contains(&month) && is_day(day) && year.abs() < 300_000;
        valid.then(|| days_from_civil(year, month as u32, day as u32))
    }
}

#[derive(Default)]
struct Time {
    parts: Vec<i64>,
    meridiem: Option<i64>,
}

impl Time {
    fn add(&mut self, part: i64) -> Option<()> {
        (self.parts.len() < 4).then(|| self.parts.push(part))
    }

    /// Adds the last part; the missing ones are zero.
    fn add_last(&mut self, part: i64) -> Option<()> {
        self.add(part)?;
        self.parts.resize(4, 0);
        Some(())
    }

    fn expects(&self, part: i64) -> bool {
        match self.parts.len() {
            1 | 2 => (0..60).contains(&part),
            3 => (0..1000).contains(&part),
            _ => false,
        }
    }

    fn ms(&self) -> Option<i64> {
        let part = |index: usize| self.parts.get(index).copied().unwrap_or(0);
        let mut hour = part(0);
        if let Some(hours) = self.meridiem {
            if !(0..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + hours;
        }
        let (minute, second, ms) = (part(1), part(2), part(3));
        let in_day = (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..60).contains(&second)
            && (0..1000).contains(&ms);
        let midnight = hour == 24 && minute == 0 && second == 0 && ms == 0;
        (in_day || midnight).then_some(((hour * 60 + minute) * 60 + second) * 1000 + ms)
    }
}

#[derive(Default)]
struct Zone {
    sign: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
}

impl Zone {
    fn set(&mut self, hours: i64) {
        self.sign = Some(if hours < 0 { -1 } else { 1 });
        self.hour = Some(hours.abs());
        self.minute = Some(0);
    }

    fn is_utc(&self) -> bool {
        self.hour == Some(0) && self.minute == Some(0)
    }

    fn expects_minute(&self, value: i64) -> bool {
        self.hour.is_some() && self.minute.is_none() && (0..60).contains(&value)
    }

    fn offset(&self) -> Option<i64> {
        let sign = self.sign?;
        Some(sign * (self.hour.unwrap_or(0) * 60 + self.minute.unwrap_or(0)))
    }
}

/// The first three digits of a fraction of a second.
fn milliseconds(token: Token) -> Option<i64> {
    let Token::Number { digits, value } = token else { return None };
    Some(match digits {
        1 => value * 100,
        2 => value * 10,
        3 => value,
        _ => {
            // V8 keeps at most nine digits of the value.
            let kept = digits.min(9) as u32;
            value / 10i64.pow(kept - 3)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::Civil;

    fn iso(text: &str) -> Option<String> {
        parse(text, 0).map(|ms| Civil::from_ms(ms).to_string())
    }

    #[test]
    fn free_forms() {
        for (text, expected) in [
            ("2024-2-9 UTC", "2024-02-09T00:00:00.000Z"),
            ("June 19, 2023 2:20 pm", "2023-06-19T14:20:00.000Z"),
            ("Thu Feb 29 2024 13:05:09 GMT+0200 (Some Zone)", "2024-02-29T11:05:09.000Z"),
            ("2/29/2024", "2024-02-29T00:00:00.000Z"),
            ("29 February 24", "2024-02-29T00:00:00.000Z"),
            ("June 19", "2001-06-19T00:00:00.000Z"),
            ("Feb 30 2024", "2024-03-01T00:00:00.000Z"),
            ("2024-02-29 13:05:09.5", "2024-02-29T13:05:09.500Z"),
            ("12 AM Jan 1 2024", ""),
            ("Jan 1 2024 12:00 AM", "2024-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso(text).unwrap_or_default(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_date() {
        for text in
            ["", "garbage", "12:30", "2:20pm June 19 2023", "2024-02-29T", "2024-02-29T25:00", "13/13/2024"]
        {
            assert_eq!(iso(text), None, "{text:?}");
        }
    }
}
