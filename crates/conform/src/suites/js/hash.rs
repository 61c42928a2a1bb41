//! SillyTavern's string hash.

use serde_json::{Value, json};
use tavernkit_js::{hash, number};

use super::value::{malformed, units};
use crate::suites::Outcome;

pub(super) fn run(_: &Value, case: &Value) -> Outcome {
    if let Some(value) = case.get("input_json") {
        return Outcome::compare(&json!(hash::value_hash(value)), &case["output"]);
    }
    let (Some(input), Some(seed)) = (units(&case["input"]), case["seed"].as_f64()) else {
        return malformed("input or seed");
    };
    Outcome::compare(&json!(hash::units_hash(input, number::to_uint32(seed))), &case["output"])
}
