//! moment.js: formats, dates read from texts, durations in words.

use serde_json::{Value, json};
use tavernkit_js::date::Civil;
use tavernkit_js::moment::{self, Duration, Moment, Suffix, Thresholds, Zone};

use super::value::malformed;
use crate::suites::Outcome;

pub(super) fn run(_: &Value, case: &Value) -> Outcome {
    match case["kind"].as_str() {
        Some("format") => format(case),
        Some("parse-format") => parse_format(case),
        Some("parse") => parse(case),
        Some("humanize" | "humanize-invalid") => {
            let thresholds = thresholds(&case["thresholds"]);
            let duration = Duration::from_ms(case["ms"].as_f64().unwrap_or(f64::NAN));
            Outcome::compare(&json!(duration.humanize_with(suffix(case), &thresholds)), &case["output"])
        }
        Some("humanize-object") => {
            Outcome::compare(&json!(duration(&case["duration"]).humanize(suffix(case))), &case["output"])
        }
        Some("timediff") => {
            let (Some(left), Some(right)) = (case["left"].as_str(), case["right"].as_str()) else {
                return malformed("dates");
            };
            let [left, right] = [left, right].map(|text| moment::parse(text, Zone::Local(0)));
            Outcome::compare(&json!(left.since(&right).humanize(Suffix::With)), &case["output"])
        }
        _ => Outcome::Unsupported("this kind of moment case".into()),
    }
}

fn format(case: &Value) -> Outcome {
    let mut moment = case["unix_ms"].as_i64().map_or_else(Moment::invalid, Moment::utc);
    match &case["utc_offset"] {
        Value::Number(offset) => moment = moment.with_offset(offset.as_f64().unwrap_or_default()),
        Value::String(offset) => moment = moment.with_offset_text(offset),
        _ => {}
    }
    Outcome::compare(&json!(print(&moment, &case["format"])), &case["output"])
}

fn print(moment: &Moment, format: &Value) -> String {
    match format.as_str() {
        Some(format) => moment.format(format),
        None => moment.format_default(),
    }
}

fn parse_format(case: &Value) -> Outcome {
    let Some(input) = case["input"].as_str() else { return malformed("input") };
    let moment = moment::parse(input, Zone::Utc(0));
    let round_trip = moment::parse(&moment.format_default(), Zone::Utc(0));
    let mut ours = json!({
        "valid": moment.unix_ms().is_some(),
        "unix_ms": moment.unix_ms(),
        "output": print(&moment, &case["format"]),
    });
    let mut recorded = json!({"valid": case["valid"], "unix_ms": case["unix_ms"], "output": case["output"]});
    if let Some(recorded_round_trip) = case.get("iso_round_trip") {
        // The default format drops milliseconds, so a round trip compares seconds.
        let seconds = |moment: &Moment| moment.unix_ms().map(|ms| ms.div_euclid(1000));
        ours["iso_round_trip"] = json!(seconds(&moment) == seconds(&round_trip));
        recorded["iso_round_trip"] = recorded_round_trip.clone();
    }
    Outcome::compare(&ours, &recorded)
}

fn parse(case: &Value) -> Outcome {
    let Some(input) = case["input"].as_str() else { return malformed("input") };
    let unix_ms = moment::parse(input, Zone::Utc(0)).unix_ms();
    let iso = unix_ms.map(|ms| Civil::from_ms(ms).to_string());
    let ours = json!({"valid": unix_ms.is_some(), "unix_ms": unix_ms, "iso": iso});
    let recorded = json!({"valid": case["valid"], "unix_ms": case["unix_ms"], "iso": case["iso"]});
    Outcome::compare(&ours, &recorded)
}

fn suffix(case: &Value) -> Suffix {
    if case["with_suffix"] == json!(true) { Suffix::With } else { Suffix::Without }
}

fn thresholds(given: &Value) -> Thresholds {
    let default = Thresholds::default();
    let number = |key: &str| given[key].as_f64();
    let seconds = number("s").unwrap_or(default.seconds);
    Thresholds {
        few_seconds: number("ss").or(number("s").map(|s| s - 1.0)).unwrap_or(default.few_seconds),
        seconds,
        minutes: number("m").unwrap_or(default.minutes),
        hours: number("h").unwrap_or(default.hours),
        days: number("d").unwrap_or(default.days),
        weeks: number("w"),
        months: number("M").unwrap_or(default.months),
    }
}

fn duration(units: &Value) -> Duration {
    let unit = |name: &str| units[name].as_f64().unwrap_or_default();
    let time = (unit("hours") * 60.0 + unit("minutes")) * 60.0 + unit("seconds");
    Duration {
        milliseconds: time * 1000.0 + unit("milliseconds"),
        days: unit("days") + unit("weeks") * 7.0,
        months: unit("months") + unit("quarters") * 3.0 + unit("years") * 12.0,
    }
}
