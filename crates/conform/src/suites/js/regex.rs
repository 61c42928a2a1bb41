//! Regular expressions: matches, replacements, patterns made to hang.
//!
//! Every case is asked twice: in UTF-16, where spans are exact, and in UTF-8 when pattern and text are well formed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tavernkit_js::regex::{self, Fuel, MatchUtf16, Places, Regex};

use super::value::{malformed, units};
use crate::suites::Outcome;

/// No adversarial pattern may take longer, in a build with optimisation.
const LIMIT: Duration = Duration::from_millis(10);
const ROUNDS: usize = 5;

pub(super) fn run(_: &Value, case: &Value) -> Outcome {
    let (Some(text), Some(compiled)) = (units(&case["text"]), compile(case)) else {
        return malformed("pattern or text");
    };
    let modern = case.get("es2025_matches");
    let regex = match (compiled, case["error"] == json!(true) && modern.is_none()) {
        (Err(_), true) => return Outcome::Passed,
        (Err(error), false) => return Outcome::Failed(error.to_string()),
        (Ok(_), true) => return Outcome::Failed("accepted, recorded as an error".into()),
        (Ok(regex), false) => regex,
    };
    let Ok(found) = find_utf16(&regex, &text, start(case)) else {
        return Outcome::Failed("exhausted".into());
    };
    let ours = in_utf16(&regex, &text, &found, case);
    let recorded = match modern {
        Some(matches) => json!({"matches": matches}),
        None => {
            let fields = ["matches", "spans", "named"].iter().filter(|f| case.get(**f).is_some());
            fields.map(|field| ((*field).to_owned(), case[*field].clone())).collect()
        }
    };
    match Outcome::compare(&ours, &recorded) {
        Outcome::Passed => in_utf8(&regex, &found, case),
        other => other,
    }
}

fn compile(case: &Value) -> Option<Result<Regex, regex::RegexError>> {
    let flags = case["flags"].as_str()?;
    match &case["pattern"] {
        Value::String(pattern) => Some(Regex::new(pattern, flags)),
        other => Some(Regex::from_utf16(&units(other)?, flags)),
    }
}

fn start(case: &Value) -> usize {
    case["start"].as_u64().unwrap_or(0) as usize
}

/// All matches with `g`, else one; `start` counts only with `g` or `y`.
fn find_utf16(regex: &Regex, text: &[u16], start: usize) -> Result<Vec<MatchUtf16>, regex::Exhausted> {
    let flags = regex.flags();
    let mut fuel = Fuel::default();
    let mut at = if flags.global || flags.sticky { start } else { 0 };
    let mut found = Vec::new();
    while let Some(one) = regex.find_utf16(text, at, &mut fuel)? {
        let range = one.range();
        found.push(one);
        at = range.end;
        if range.is_empty() {
            let pair = flags.is_unicode()
                && char::decode_utf16(text.iter().skip(at).copied())
                    .next()
                    .is_some_and(|c| c.is_ok_and(|c| c.len_utf16() == 2));
            at += 1 + usize::from(pair);
        }
        if !flags.global || at > text.len() {
            break;
        }
    }
    Ok(found)
}

/// The matches in the form of the record.
fn in_utf16(regex: &Regex, text: &[u16], found: &[MatchUtf16], case: &Value) -> Value {
    let value = |range: Option<std::ops::Range<usize>>| match range.map(|range| &text[range]) {
        None => Value::Null,
        Some(units) => String::from_utf16(units).map_or_else(|_| json!({"u16": units}), Value::String),
    };
    let groups =
        |one: &MatchUtf16, of: &dyn Fn(usize) -> Value| (0..one.group_len()).map(of).collect::<Value>();
    let matches: Value = found.iter().map(|one| groups(one, &|i| value(one.group(i)))).collect();
    let span = |range: std::ops::Range<usize>| json!([range.start, range.end]);
    let spans: Value =
        found.iter().map(|one| groups(one, &|i| one.group(i).map_or(Value::Null, span))).collect();
    let mut ours = json!({"matches": matches});
    if case.get("spans").is_some() {
        ours["spans"] = spans;
    }
    if case.get("named").is_some() {
        let named = |one: &MatchUtf16| -> Value {
            let names = regex.group_names();
            let group = |groups: &[u32]| groups.iter().find_map(|g| one.group(*g as usize));
            names.map(|(name, groups)| (name.to_owned(), value(group(groups)))).collect()
        };
        ours["named"] = found.iter().map(named).collect();
    }
    ours
}

/// Whether a search in UTF-8 finds the same, a cut character counting whole.
fn in_utf8(regex: &Regex, found: &[MatchUtf16], case: &Value) -> Outcome {
    let (Some(text), Value::String(_)) = (case["text"].as_str(), &case["pattern"]) else {
        return Outcome::Passed;
    };
    if start(case) > 0 {
        return Outcome::Passed;
    }
    let mut fuel = Fuel::default();
    let Ok(ours) = regex.find_all(text, &mut fuel) else {
        return Outcome::Failed("exhausted in UTF-8".into());
    };
    let bytes = |range: std::ops::Range<usize>| {
        let end = if range.is_empty() { cut(text, range.end, false) } else { cut(text, range.end, true) };
        json!([cut(text, range.start, false), end])
    };
    let recorded: Value = found
        .iter()
        .map(|one| (0..one.group_len()).map(|i| one.group(i).map_or(Value::Null, bytes)).collect::<Value>())
        .collect();
    let ours: Value = ours
        .iter()
        .map(|one| {
            let span = |range: std::ops::Range<usize>| json!([range.start, range.end]);
            (0..one.group_len()).map(|i| one.group(i).map_or(Value::Null, span)).collect::<Value>()
        })
        .collect();
    Outcome::compare(&json!({"bytes": ours}), &json!({"bytes": recorded}))
}

/// The byte of a unit; of one inside a character, where the character begins or ends.
fn cut(text: &str, unit: usize, end: bool) -> usize {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        if seen >= unit {
            return at;
        }
        seen += c.len_utf16();
        if seen > unit {
            return if end { at + c.len_utf8() } else { at };
        }
    }
    text.len()
}

pub(super) fn replace(_: &Value, case: &Value) -> Outcome {
    let fields = ["text", "pattern", "replacement"].map(|field| units(&case[field]));
    let [Some(text), Some(pattern), Some(replacement)] = fields else { return malformed("texts") };
    let all = case["op"] == json!("replaceAll");
    let lossy = |units: &[u16]| String::from_utf16_lossy(units);
    let recorded = units(&case["output"]);
    let Some(flags) = case["flags"].as_str() else {
        let places = if all { Places::All } else { Places::First };
        let ours = regex::replace_text_utf16(&text, &pattern, &replacement, places);
        if Some(&ours) != recorded.as_ref() {
            return Outcome::Failed(format!("ours {ours:?}, recorded {recorded:?}"));
        }
        let (Some(text), Some(pattern)) = (case["text"].as_str(), case["pattern"].as_str()) else {
            return Outcome::Passed;
        };
        // In UTF-8 half a character is U+FFFD.
        let ours = regex::replace_text(text, pattern, &lossy(&replacement), places);
        return Outcome::compare(&json!(ours), &json!(recorded.as_deref().map(lossy)));
    };
    let regex = match Regex::from_utf16(&pattern, flags) {
        // replaceAll without g throws.
        Ok(regex) if all && !regex.flags().global => return Outcome::compare(&json!(true), &case["error"]),
        Ok(regex) => regex,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let ours = regex.replace_utf16(&text, &replacement, &mut Fuel::default()).ok();
    if ours != recorded {
        return Outcome::Failed(format!("ours {ours:?}, recorded {recorded:?}"));
    }
    let (Some(text), Some(replacement)) = (case["text"].as_str(), case["replacement"].as_str()) else {
        return Outcome::Passed;
    };
    let ours = regex.replace(text, replacement, &mut Fuel::default()).ok();
    Outcome::compare(&json!(ours), &json!(recorded.as_deref().map(lossy)))
}

/// An adversarial pattern must end in time, with the right answer or exhausted.
pub(super) fn adversarial(_: &Value, case: &Value) -> Outcome {
    let (Some(Ok(regex)), Some(text)) = (compile(case), case["text"].as_str()) else {
        return malformed("pattern or text");
    };
    let mut took = Duration::MAX;
    let mut found = Ok(Vec::new());
    // The best of a few: the pattern's time is asked for, not the machine's load.
    for _ in 0..if cfg!(debug_assertions) { 1 } else { ROUNDS } {
        let begin = Instant::now();
        found = regex.find_all(text, &mut Fuel::default());
        took = took.min(begin.elapsed());
        if took <= LIMIT {
            break;
        }
    }
    if cfg!(not(debug_assertions)) && took > LIMIT {
        return Outcome::Failed(format!("took {took:?}"));
    }
    let (Ok(found), false) = (found, case["expected"].is_null()) else { return Outcome::Passed };
    let unit = |byte: usize| text[..byte].encode_utf16().count();
    let ours: Value = found
        .iter()
        .map(|one| json!({"span": [unit(one.start()), unit(one.end())], "match": one.text()}))
        .collect();
    Outcome::compare(&ours, &case["expected"])
}
