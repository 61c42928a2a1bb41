//! SillyTavern's own reading and writing of PNG cards, as recorded in `conformance/sillytavern/png-cards.json`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tavernkit_formats::png::{Png, sillytavern};
use tavernkit_formats::{Limits, Result};

/// What a case came to: nothing, or what differs.
fn run(_file: &Value, case: &Value) -> std::result::Result<(), String> {
    let limits = Limits::default();
    let image = STANDARD.decode(case["png"].as_str().ok_or("no png")?).map_err(|e| e.to_string())?;
    let outcome: Result<Value> = match case["op"].as_str() {
        Some("read") => sillytavern::read(&image, &limits).map(Value::String),
        Some("write" | "roundtrip") => {
            let data = case["data"].as_str().ok_or("no data")?;
            sillytavern::write(&image, data, &limits).and_then(|png| written(&png, &limits))
        }
        other => return Err(format!("unknown op {other:?}")),
    };
    match (outcome, &case["expected"]) {
        // The words of an error are ours; that there is one is SillyTavern's.
        (Err(_), expected) if expected["error"].is_string() => Ok(()),
        (Ok(Value::Object(output)), expected) => {
            let wanted = expected["output"].as_object().ok_or("an error or a text was expected")?;
            match output.iter().find(|(key, value)| wanted.get(*key) != Some(value)) {
                Some((key, value)) => {
                    Err(format!("{key}: {value} instead of {}", wanted.get(key).unwrap_or(&Value::Null)))
                }
                None => Ok(()),
            }
        }
        (Ok(output), expected) if expected["output"] == output => Ok(()),
        (outcome, expected) => Err(format!("{outcome:?} instead of {expected}")),
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

#[test]
fn every_recorded_case() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/sillytavern/png-cards.json");
    let file: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(!cases.is_empty(), "the cases are gone");
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| run(&file, case).err().map(|why| format!("{}: {why}", case["id"])))
        .collect();
    assert!(failures.is_empty(), "{} of {} failed:\n{}", failures.len(), cases.len(), failures.join("\n"));
}
