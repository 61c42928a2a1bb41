//! Times the regex engine on the texts and patterns of a plan made by `scripts/bench-regex.mjs`; run both through
//! `scripts/bench-regex.sh`.
//!
//! Reads the plan (JSON: `[{name, kind, pattern, flags, text, replacement}]`) and prints `[{name, ns, result}]`.

use std::time::Instant;

use serde_json::{Value, json};
use tavernkit_js::regex::{Fuel, Regex};

fn main() {
    let path = std::env::args().nth(1).expect("the path of the plan");
    let plan: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("a readable plan")).expect("a plan");
    let texts = plan["texts"].as_object().expect("texts");
    let mut out = Vec::new();
    for job in plan["jobs"].as_array().expect("jobs") {
        let field = |name: &str| job[name].as_str().unwrap_or_default();
        let text = match texts.get(field("text")) {
            Some(text) => text.as_str().unwrap_or_default(),
            None => field("text"),
        };
        let regex = Regex::new(field("pattern"), field("flags")).expect("a valid pattern");
        let budget = job["budget_ms"].as_f64().unwrap_or(300.0);
        let begin = Instant::now();
        let (mut best, mut result) = (u128::MAX, Value::Null);
        let mut rounds = 0;
        while rounds < 3 || begin.elapsed().as_secs_f64() * 1000.0 < budget {
            let start = Instant::now();
            result = match field("kind") {
                "count" => {
                    let mut fuel = Fuel::new(u64::MAX);
                    json!(regex.count(text, &mut fuel).ok())
                }
                "replace" => {
                    let mut fuel = Fuel::new(u64::MAX);
                    json!(regex.replace(text, field("replacement"), &mut fuel).ok().map(|s| s.len()))
                }
                _ => match regex.find_all(text, &mut Fuel::default()) {
                    Ok(found) => json!(found.len()),
                    Err(_) => json!("exhausted"),
                },
            };
            best = best.min(start.elapsed().as_nanos());
            rounds += 1;
        }
        out.push(json!({"name": job["name"], "ns": best as u64, "result": result}));
    }
    println!("{}", Value::Array(out));
}
