//! `png-cards`: what SillyTavern reads from pictures and writes into them, byte for byte.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tavernkit_formats::png::{Png, sillytavern};
use tavernkit_formats::{Limits, Result};

use crate::suites::Outcome;

pub(super) fn run(_file: &Value, case: &Value) -> Outcome {
    let Some(image) = case["png"].as_str().and_then(|png| STANDARD.decode(png).ok()) else {
        return Outcome::Failed("the case has no picture".into());
    };
    let limits = Limits::default();
    let outcome = match (case["op"].as_str(), case["data"].as_str()) {
        (Some("read"), _) => sillytavern::read(&image, &limits).map(Value::String),
        (Some("write" | "roundtrip"), Some(data)) => {
            sillytavern::write(&image, data, &limits).and_then(|png| written(&png, &limits))
        }
        (op, _) => return Outcome::Unsupported(format!("operation {op:?}")),
    };
    match (outcome, &case["expected"]) {
        // The words of an error are ours; that there is one is SillyTavern's.
        (Err(_), expected) if expected["error"].is_string() => Outcome::Passed,
        (Err(error), _) => Outcome::Failed(error.to_string()),
        (Ok(ours), expected) => {
            let mut recorded = expected["output"].clone();
            if let Value::Object(recorded) = &mut recorded {
                // The picture itself is compared, so its digest need not be.
                recorded.shift_remove("sha256");
            }
            Outcome::compare(&ours, &recorded)
        }
    }
}

fn written(png: &[u8], limits: &Limits) -> Result<Value> {
    let chunks: Vec<Value> = Png::parse(png, limits)?
        .chunks
        .iter()
        .map(|chunk| match (&chunk.kind, chunk.data().iter().position(|byte| *byte == 0)) {
            (b"tEXt", Some(end)) => json!({
                "name": "tEXt",
                "keyword": String::from_utf8_lossy(&chunk.data()[..end]),
                "text": String::from_utf8_lossy(&chunk.data()[end + 1..]),
            }),
            _ => json!({"name": chunk.kind_name(), "length": chunk.data().len()}),
        })
        .collect();
    Ok(json!({"png": STANDARD.encode(png), "chunks": chunks, "read_back": sillytavern::read(png, limits)?}))
}
