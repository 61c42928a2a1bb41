//! The values of the JavaScript cases: texts that may hold lone surrogates, numbers by their bits.

use serde_json::{Value, json};

use crate::suites::Outcome;

/// The UTF-16 units of a text value.
pub(super) fn units(value: &Value) -> Option<Vec<u16>> {
    match value {
        Value::String(text) => Some(text.encode_utf16().collect()),
        other => serde_json::from_value(other["u16"].clone()).ok(),
    }
}

/// A text value, if it is well formed.
pub(super) fn text(value: &Value) -> Result<&str, Outcome> {
    value.as_str().ok_or_else(|| Outcome::Unsupported("texts with lone surrogates".into()))
}

/// A number by its bits.
pub(super) fn number(value: &Value) -> Option<f64> {
    let bits = u64::from_str_radix(value["bits"].as_str()?, 16).ok()?;
    Some(f64::from_bits(bits))
}

/// A number in the form of the cases. All NaNs are one.
pub(super) fn bits(number: f64) -> Value {
    let number = if number.is_nan() { f64::NAN } else { number };
    json!(format!("{:016x}", number.to_bits()))
}

/// Compares with a recorded number.
pub(super) fn compare_number(ours: f64, recorded: &Value) -> Outcome {
    Outcome::compare(&bits(ours), &recorded["bits"])
}

/// A case the file describes in a way we do not know.
pub(super) fn malformed(what: &str) -> Outcome {
    Outcome::Failed(format!("the case has no usable {what}"))
}
