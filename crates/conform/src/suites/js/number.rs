//! Numbers.

use serde_json::{Value, json};
use tavernkit_core::variables;
use tavernkit_js::{number, object};

use super::value::{self, compare_number, malformed, text};
use crate::suites::Outcome;

pub(super) fn run(_: &Value, case: &Value) -> Outcome {
    let input = &case["input"];
    let op = case["op"].as_str().unwrap_or_default();
    match op {
        "Number" | "parseFloat" | "parseInt" | "parseInt10" | "parseInt(radix)" => {
            text(input).map_or_else(|outcome| outcome, |text| read(op, text, case))
        }
        "Number(json)" => compare_number(variables::to_number(input), &case["output"]),
        "String(json)" => Outcome::compare(&json!(variables::to_text(input)), &case["output"]),
        "toPrecision" | "toExponential" => Outcome::Unsupported(format!("{op}: no platform prints with it")),
        _ => match value::number(input) {
            Some(number) => with_number(op, number, case),
            None => malformed("input"),
        },
    }
}

fn read(op: &str, text: &str, case: &Value) -> Outcome {
    let ours = match op {
        "Number" => number::parse(text),
        "parseFloat" => number::parse_float(text),
        "parseInt" => number::parse_int(text, None),
        "parseInt10" => number::parse_int(text, Some(10)),
        _ => number::parse_int(text, case["arg"].as_f64().map(number::to_int32)),
    };
    compare_number(ours, &case["output"])
}

fn with_number(op: &str, input: f64, case: &Value) -> Outcome {
    let recorded = &case["output"];
    let second = || value::number(&case["input2"]).unwrap_or(f64::NAN);
    let compare_text = |ours: String| Outcome::compare(&json!(ours), recorded);
    match op {
        "String" => compare_text(number::format(input)),
        "JSON.stringify" => compare_text(object::stringify(&json!(input))),
        "toFixed" => {
            let digits = case["arg"].as_f64().unwrap_or(0.0);
            let ours = if digits < 0.0 { None } else { number::to_fixed(input, digits as u32).ok() };
            Outcome::compare(&json!({"error": ours.is_none(), "output": ours}), &expected(case))
        }
        "toString(radix)" => match (case["arg"].as_u64(), input.fract() == 0.0 && input.abs() <= EXACT) {
            (Some(radix @ 2..=36), true) => {
                compare_text(number::integer_to_radix(input as i64, radix as u32))
            }
            _ => Outcome::Unsupported("toString(radix) of anything but a plain integer".into()),
        },
        "Math.round" => compare_number(number::round(input), recorded),
        "Math.floor" => compare_number(input.floor(), recorded),
        "Math.ceil" => compare_number(input.ceil(), recorded),
        "Math.trunc" => compare_number(input.trunc(), recorded),
        "ToInt32" => compare_number(number::to_int32(input).into(), recorded),
        "ToUint32" => compare_number(number::to_uint32(input).into(), recorded),
        "remainder" => compare_number(number::remainder(input, second()), recorded),
        "pow" => compare_number(number::pow(input, second()), recorded),
        _ => Outcome::Unsupported(op.into()),
    }
}

/// Integers up to here are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn expected(case: &Value) -> Value {
    json!({"error": case["error"] == json!(true), "output": case["output"]})
}
