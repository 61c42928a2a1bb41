//! The date and the time, as the injected clock says.

use tavernkit_core::number;
use tavernkit_js::moment::{self, Moment, Suffix, Zone};

use super::super::env::{Clock, Environment};
use super::super::registry::Registry;
use super::{Invocation, builtin};

pub(super) fn register(registry: &mut Registry) {
    registry.register(builtin(&["time"], 0, 1, |call| {
        Ok(zoned_time(call.environment().clock, call.argument(0)))
    }));
    registry.register(builtin(&["date"], 0, 0, |call| Ok(now(call).format("LL"))));
    registry.register(builtin(&["weekday"], 0, 0, |call| Ok(now(call).format("dddd"))));
    registry.register(builtin(&["isotime"], 0, 0, |call| Ok(now(call).format("HH:mm"))));
    registry.register(builtin(&["isodate"], 0, 0, |call| Ok(now(call).format("YYYY-MM-DD"))));
    registry.register(builtin(&["datetimeformat"], 1, 1, |call| Ok(now(call).format(call.argument(0)))));
    registry.register(builtin(&["idleDuration", "idle_duration"], 0, 0, |call| {
        Ok(idle_duration(call.environment()))
    }));
    registry.register(builtin(&["timeDiff"], 2, 2, |call| {
        Ok(time_difference(call.environment().clock, call.argument(0), call.argument(1)))
    }));
}

fn local(clock: Clock) -> Zone {
    Zone::Local(clock.utc_offset_minutes)
}

fn now(call: &Invocation<'_, '_>) -> Moment {
    let clock = call.environment().clock;
    Moment::new(clock.unix_ms, local(clock))
}

/// The time here, or at `UTC+2`. What is no zone means here.
pub(in super::super) fn zoned_time(clock: Clock, zone: &str) -> String {
    let offset = zone.strip_prefix("UTC").filter(|rest| {
        let digits = rest.strip_prefix(['+', '-']).unwrap_or("");
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    });
    match offset {
        Some(offset) => Moment::utc(clock.unix_ms).with_offset(number::parse(offset)).format("LT"),
        None => Moment::new(clock.unix_ms, local(clock)).format("LT"),
    }
}

/// How far apart two dates are, in words.
pub(in super::super) fn time_difference(clock: Clock, left: &str, right: &str) -> String {
    let zone = local(clock);
    moment::parse(left, zone).since(&moment::parse(right, zone)).humanize(Suffix::With)
}

/// How long ago the user last wrote, not counting the newest message.
fn idle_duration(env: &Environment<'_>) -> String {
    let Some(chat) = env.chat else { return "just now".into() };
    let visible =
        (0..chat.len()).rev().filter_map(|id| chat.message(id)).filter(|message| !message.is_system);
    match visible.skip(1).find(|message| message.is_user) {
        None => "just now".into(),
        Some(message) => {
            let sent = send_date(message.send_date.unwrap_or(""), env.clock);
            Moment::new(env.clock.unix_ms, local(env.clock)).since(&sent).humanize(Suffix::Without)
        }
    }
}

/// A message's date in any of the forms that SillyTavern has written over the years.
fn send_date(text: &str, clock: Clock) -> Moment {
    let text = text.trim_matches(number::is_js_space);
    if text.is_empty() {
        return Moment::invalid();
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map_or_else(|_| Moment::invalid(), Moment::utc);
    }
    match stamped_ms(text).or_else(|| spoken_ms(text, clock)) {
        Some(unix_ms) => Moment::utc(unix_ms),
        None => moment::parse(text, local(clock)),
    }
}

/// `2024-07-12@01h31m37s123ms` and `2024-6-5 @14h 56m 50s 682ms`, in UTC.
fn stamped_ms(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('@')?;
    let mut date = date.trim_end().splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let mut rest = time;
    let mut part = |unit: &str| -> Option<i64> {
        let (digits, tail) = rest.trim_start().split_once(unit)?;
        let value = digits.parse().ok().filter(|value| (0..=999).contains(value))?;
        rest = tail;
        Some(value)
    };
    let (hours, minutes, seconds) = (part("h")?, part("m")?, part("s")?);
    let ms = part("ms").unwrap_or(0);
    let in_range = (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let days = in_range.then(|| tavernkit_js::date::days_from_civil(year, month as u32, day as u32))?;
    Some(days * 86_400_000 + ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms)
}

/// `June 19, 2023 2:20pm`, in local time.
fn spoken_ms(text: &str, clock: Clock) -> Option<i64> {
    let head = text.get(..text.len().checked_sub(2)?)?;
    let half = text.get(head.len()..)?;
    if !head.ends_with(|c: char| c.is_ascii_digit())
        || !["am", "pm"].iter().any(|h| h.eq_ignore_ascii_case(half))
    {
        return None;
    }
    moment::parse(&format!("{head} {half}"), local(clock)).unix_ms()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock { unix_ms: 1_718_000_000_000, utc_offset_minutes: 60 };

    #[test]
    fn every_form_of_a_send_date_is_read() {
        for (text, unix_ms) in [
            ("1687184400000", Some(1_687_184_400_000)),
            ("2024-07-12@01h31m37s", Some(1_720_747_897_000)),
            ("2024-07-12@01h31m37s123ms", Some(1_720_747_897_123)),
            ("2024-6-5 @14h 56m 50s 682ms", Some(1_717_599_410_682)),
            ("2023-06-19T13:20:00.000Z", Some(1_687_180_800_000)),
            ("June 19, 2023 2:20pm", Some(1_687_180_800_000)),
            ("once upon a time", None),
            ("", None),
        ] {
            assert_eq!(send_date(text, CLOCK).unix_ms(), unix_ms, "{text}");
        }
    }

    #[test]
    fn only_an_exact_zone_counts() {
        let at = |zone| zoned_time(Clock { unix_ms: 0, utc_offset_minutes: 60 }, zone);
        assert_eq!(
            (at("UTC+2"), at("UTC-3"), at("utc+2"), at("")),
            ("2:00 AM".into(), "9:00 PM".into(), "1:00 AM".into(), "1:00 AM".into())
        );
    }
}
