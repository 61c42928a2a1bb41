//! Texts.

use serde_json::{Map, Value, json};
use std::cmp::Ordering;
use tavernkit_js::{number, object, string};

use super::value::{malformed, text};
use crate::suites::Outcome;

pub(super) fn run(_: &Value, case: &Value) -> Outcome {
    answer(case).unwrap_or_else(|outcome| outcome)
}

fn answer(case: &Value) -> Result<Outcome, Outcome> {
    let input = &case["input"];
    let op = case["op"].as_str().unwrap_or_default();
    let ours = match op {
        "trim" => json!(string::trim(text(input)?)),
        "trimStart" => json!(string::trim_start(text(input)?)),
        "trimEnd" => json!(string::trim_end(text(input)?)),
        "toLowerCase" => json!(string::to_lower_case(text(input)?)),
        "toUpperCase" => json!(string::to_upper_case(text(input)?)),
        "length" => json!(string::length(text(input)?)),
        "compare <" => json!(sign(string::compare(text(input)?, text(&case["input2"])?))),
        "sort" => sorted(input)?,
        "split" => split(case)?,
        "slice" => well_formed(case, string::slice(text(input)?, start(case), position(case, 1)).into())?,
        "substring" => {
            well_formed(case, string::substring(text(input)?, start(case), position(case, 1)).into())?
        }
        "substr" => well_formed(case, string::substr(text(input)?, start(case), position(case, 1)).into())?,
        "padStart" | "padEnd" => padded(op, case)?,
        "repeat" => return repeated(case),
        "JSON.stringify" | "JSON.stringify(value)" => {
            if input.get("u16").is_some() {
                text(input)?;
            }
            json!(object::stringify(input))
        }
        "JSON.stringify(value,indent)" => json!(object::stringify_indented(input, &indent(&case["indent"]))),
        "key order" => key_order(input)?,
        "template literal" => json!(object::to_text(input)),
        "join" => joined(case)?,
        "split(regex)" => return Err(unsupported(op, "nothing we build splits by a pattern")),
        "sort(localeCompare 'en')" | "localeCompare 'en'" | "localeCompare 'en' options" => {
            return Err(unsupported(op, "needs the collation tables of a locale"));
        }
        "normalize" => return Err(unsupported(op, "no prompt depends on it")),
        "JSON.parse" => return Err(unsupported(op, "files are read by the formats crate")),
        "indexOf" | "lastIndexOf" | "includes" | "startsWith" | "endsWith" => {
            return Err(unsupported(op, "Rust's own search is used, without positions"));
        }
        _ => return Err(unsupported(op, "no platform needs it")),
    };
    Ok(Outcome::compare(&ours, &case["output"]))
}

fn unsupported(op: &str, why: &str) -> Outcome {
    Outcome::Unsupported(format!("{op}: {why}"))
}

fn sign(order: Ordering) -> i32 {
    match order {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// A cut inside a surrogate pair is U+FFFD here and half a pair there.
fn well_formed(case: &Value, ours: String) -> Result<Value, Outcome> {
    text(&case["output"])?;
    Ok(json!(ours))
}

/// An argument as JavaScript's `ToIntegerOrInfinity` reads it.
fn position(case: &Value, index: usize) -> Option<i64> {
    let argument = case["args"].get(index).filter(|argument| !argument.is_null())?;
    let number = argument.as_f64().unwrap_or_else(|| number::parse(argument.as_str().unwrap_or_default()));
    Some(number as i64)
}

fn start(case: &Value) -> i64 {
    position(case, 0).unwrap_or(0)
}

fn sorted(input: &Value) -> Result<Value, Outcome> {
    let items = input.as_array().ok_or_else(|| malformed("list"))?;
    let mut items = items.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    string::sort(&mut items);
    Ok(json!(items))
}

fn split(case: &Value) -> Result<Value, Outcome> {
    let input = text(&case["input"])?;
    let mut parts = match &case["separator"] {
        Value::Null => vec![input.into()],
        separator => string::split(input, text(separator)?),
    };
    if let Some(limit) = case["limit"].as_f64() {
        parts.truncate(number::to_uint32(limit) as usize);
    }
    let halves = case["output"].as_array().is_some_and(|parts| parts.iter().any(|part| !part.is_string()));
    if halves { Err(unsupported("split", "halves of surrogate pairs")) } else { Ok(json!(parts)) }
}

fn padded(op: &str, case: &Value) -> Result<Value, Outcome> {
    let input = text(&case["input"])?;
    let target = position(case, 0).unwrap_or(0).max(0) as usize;
    let fill = case["args"].get(1).and_then(Value::as_str).unwrap_or(" ");
    let ours = if op == "padStart" {
        string::pad_start(input, target, fill)
    } else {
        string::pad_end(input, target, fill)
    };
    well_formed(case, ours)
}

fn repeated(case: &Value) -> Result<Outcome, Outcome> {
    let input = text(&case["input"])?;
    let ours = usize::try_from(start(case)).ok().map(|count| input.repeat(count));
    let recorded = json!({"error": case["error"] == json!(true), "output": case["output"]});
    Ok(Outcome::compare(&json!({"error": ours.is_none(), "output": ours}), &recorded))
}

fn indent(value: &Value) -> String {
    match value {
        Value::String(indent) => indent.clone(),
        other => " ".repeat(other.as_f64().unwrap_or_default().clamp(0.0, 10.0) as usize),
    }
}

fn key_order(input: &Value) -> Result<Value, Outcome> {
    let keys = input.as_array().ok_or_else(|| malformed("keys"))?;
    let mut map = Map::new();
    for (position, key) in keys.iter().enumerate() {
        map.insert(text(key)?.to_owned(), json!(position));
    }
    let keys: Vec<_> = object::ordered_entries(&map).into_iter().map(|(key, _)| key.clone()).collect();
    Ok(json!({"keys": keys, "json": object::stringify(&Value::Object(map))}))
}

fn joined(case: &Value) -> Result<Value, Outcome> {
    let items = case["input"].as_array().ok_or_else(|| malformed("list"))?;
    let separator = case["separator"].as_str().unwrap_or(",");
    let item = |value: &Value| if value.is_null() { String::new() } else { object::to_text(value) };
    Ok(json!(items.iter().map(item).collect::<Vec<_>>().join(separator)))
}
