//! Numbers from seeds.

use serde_json::{Value, json};
use tavernkit_js::RandomSource;
use tavernkit_js::seedrandom::SeedRandom;

use super::value::{bits, malformed, number, units};
use crate::suites::Outcome;

pub(super) fn run(_: &Value, case: &Value) -> Outcome {
    let seed = &case["seed"];
    let fresh = match case["seed_kind"].as_str() {
        Some("string") => units(seed).map(SeedRandom::from_units),
        Some("number") => number(seed).map(SeedRandom::from_number),
        Some("json") => Some(SeedRandom::from_json(seed)),
        _ => None,
    };
    let Some(fresh) = fresh else { return malformed("seed") };
    if let Some(nth) = case["nth"].as_u64() {
        let mut random = fresh;
        let last = (0..nth).map(|_| random.next_f64()).last();
        return Outcome::compare(&last.map_or(Value::Null, bits), &case["nth_bits"]);
    }
    let draw = |count: usize, next: fn(&mut SeedRandom) -> Value| -> Value {
        let mut random = fresh.clone();
        (0..count).map(|_| next(&mut random)).collect()
    };
    let length = |field: &str| case[field].as_array().map_or(0, Vec::len);
    let mut mixed = fresh.clone();
    let ours = json!({
        "doubles_bits": draw(length("doubles_bits"), |r| bits(r.next_f64())),
        "int32": draw(length("int32"), |r| json!(r.int32())),
        "quick_bits": draw(length("quick_bits"), |r| bits(r.quick())),
        "double_bits": draw(length("double_bits"), |r| bits(r.next_f64())),
        "mixed_bits": [
            bits(mixed.next_f64()),
            bits(f64::from(mixed.int32())),
            bits(mixed.quick()),
            bits(mixed.next_f64()),
            bits(mixed.next_f64()),
        ],
    });
    let fields = ["doubles_bits", "int32", "quick_bits", "double_bits", "mixed_bits"];
    let recorded: Value = fields.iter().map(|field| ((*field).to_owned(), case[*field].clone())).collect();
    Outcome::compare(&ours, &recorded)
}
