//! Reading JSON values with JavaScript's loose rules, and writing them as `JSON.stringify` does.

use serde_json::{Map, Value};
use tavernkit_core::number as js_number;

/// A JSON object in file order.
pub(crate) type Object = Map<String, Value>;

/// Whether JavaScript counts the value as true. A missing value does not.
pub(crate) fn truthy(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(value)) => *value,
        Some(Value::Number(number)) => number.as_f64().is_some_and(|n| n != 0.0 && !n.is_nan()),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(_) | Value::Object(_)) => true,
    }
}

/// The value as `Number(value)` gives it; NaN when it is missing or not a number.
pub(crate) fn number(value: Option<&Value>) -> f64 {
    match value {
        Some(Value::Null) => 0.0,
        Some(Value::Bool(value)) => f64::from(u8::from(*value)),
        Some(Value::Number(number)) => number.as_f64().unwrap_or(f64::NAN),
        Some(Value::String(text)) => js_number::parse(text),
        _ => f64::NAN,
    }
}

/// The number behind a value that JavaScript counts as true.
pub(crate) fn truthy_number(value: Option<&Value>) -> Option<f64> {
    truthy(value).then(|| number(value))
}

/// The value unless it is missing or null: JavaScript's `??`.
pub(crate) fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !value.is_null())
}

/// The value as `String(value)` gives it.
pub(crate) fn text(value: Option<&Value>) -> String {
    match value {
        None => "undefined".into(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => js_number::format(number.as_f64().unwrap_or(f64::NAN)),
        Some(other) => other.to_string(),
    }
}

/// The texts of a list; anything but a list has none.
pub(crate) fn texts(value: Option<&Value>) -> Vec<String> {
    let Some(Value::Array(items)) = value else { return Vec::new() };
    items.iter().map(|item| if item.is_null() { String::new() } else { text(Some(item)) }).collect()
}

/// A place among integer-like property names, which JavaScript puts first and in ascending order.
pub(crate) fn array_index(name: &str) -> Option<u32> {
    let plain = name == "0" || (!name.starts_with('0') && name.bytes().all(|b| b.is_ascii_digit()));
    name.parse().ok().filter(|index| plain && *index != u32::MAX)
}

/// Sorts named things into JavaScript's property order. Names must be unique.
pub(crate) fn sort_properties<T>(items: &mut [T], name: impl Fn(&T) -> &str) {
    items.sort_by_key(|item| array_index(name(item)).map_or((1, 0), |index| (0, index)));
}

/// Writes a value as `JSON.stringify` does, without indentation.
pub(crate) fn stringify(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            out.push_str(&if number.is_finite() { js_number::format(number) } else { "null".into() });
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                stringify(item, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            let mut properties: Vec<_> = object.iter().collect();
            sort_properties(&mut properties, |(name, _)| name.as_str());
            out.push('{');
            for (i, (name, value)) in properties.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                stringify_property(name, value, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Writes `"name":value`.
pub(crate) fn stringify_property(name: &str, value: &Value, out: &mut String) {
    out.push_str(&Value::from(name).to_string());
    out.push(':');
    stringify(value, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn stringifies_as_javascript_does() {
        let mut out = String::new();
        stringify(&json!({"b": 1.0, "10": [true, null, "a\"\u{1}é"], "2": {"x": 1e21}}), &mut out);
        assert_eq!(out, r#"{"2":{"x":1e+21},"10":[true,null,"a\"\u0001é"],"b":1}"#);
    }

    #[test]
    fn truth_and_numbers_are_loose() {
        assert!(!truthy(Some(&json!(0))) && !truthy(Some(&json!(""))) && !truthy(None));
        assert!(truthy(Some(&json!([]))) && truthy(Some(&json!("0"))));
        assert_eq!(number(Some(&json!(true))), 1.0);
        assert_eq!(truthy_number(Some(&json!("3"))), Some(3.0));
        assert!(number(None).is_nan());
        assert_eq!(array_index("07"), None);
        assert_eq!(array_index("70"), Some(70));
        assert_eq!(array_index(""), None);
    }
}
