//! The order in which JavaScript walks the keys of an object.

use serde_json::{Map, Value};

/// The place of a key that JavaScript treats as an array index: a canonical integer below 2³² − 1.
///
/// ```
/// use tavernkit_formats::json::order::integer_key;
/// assert_eq!(integer_key("10"), Some(10));
/// assert_eq!(integer_key("010"), None);
/// assert_eq!(integer_key("4294967295"), None);
/// ```
pub fn integer_key(key: &str) -> Option<u32> {
    let canonical = key == "0" || (!key.starts_with('0') && key.bytes().all(|b| b.is_ascii_digit()));
    if !canonical {
        return None;
    }
    key.parse().ok().filter(|index| *index != u32::MAX)
}

/// The entries of an object as JavaScript walks them: integer-like keys ascending, then the others as they were added.
///
/// ```
/// use tavernkit_formats::json::order;
/// let map = serde_json::json!({"b": 0, "10": 0, "2": 0});
/// let keys: Vec<_> = order::entries(map.as_object().unwrap()).map(|(key, _)| key.as_str()).collect();
/// assert_eq!(keys, ["2", "10", "b"]);
/// ```
pub fn entries(map: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mut integers: Vec<(u32, (&String, &Value))> =
        map.iter().filter_map(|(key, value)| Some((integer_key(key)?, (key, value)))).collect();
    integers.sort_by_key(|(index, _)| *index);
    let others = map.iter().filter(|(key, _)| integer_key(key).is_none());
    integers.into_iter().map(|(_, entry)| entry).chain(others)
}

/// What JavaScript has left of a value after reading it from JSON: keys in its own order, every number a double.
pub fn as_javascript(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            // Small integers stay integers; they print the same and are cheaper.
            Some(double) if number.is_f64() || double.abs() >= 9_007_199_254_740_992.0 => {
                serde_json::Number::from_f64(double).map_or(Value::Null, Value::Number)
            }
            _ => value.clone(),
        },
        Value::Array(list) => Value::Array(list.iter().map(as_javascript).collect()),
        Value::Object(map) => {
            Value::Object(entries(map).map(|(key, value)| (key.clone(), as_javascript(value))).collect())
        }
        _ => value.clone(),
    }
}
