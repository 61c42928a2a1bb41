//! Fields of objects, read with the type they should have.
//!
//! A field of another type is coerced as JavaScript would, with a warning `field.type` that names its path.
//! A missing field and a `null` are absent, without a warning: the caller knows the default.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tavernkit_core::{Warning, number};

use super::Path;

/// An object with its place, for reading its fields one by one.
///
/// ```
/// use tavernkit_formats::json::{field::Fields, Path};
///
/// let value = serde_json::json!({"order": "100", "constant": "true", "keys": "sea", "comment": null});
/// let mut warnings = Vec::new();
/// let mut fields = Fields::new(value.as_object().unwrap(), Path::Root, &mut warnings);
/// assert_eq!(fields.number("order"), Some(100.0));
/// assert_eq!(fields.boolean("constant"), Some(true));
/// assert_eq!(fields.texts("keys"), Some(vec!["sea".to_string()]));
/// assert_eq!(fields.text("comment"), None);
/// assert_eq!(warnings[0].to_string(), "[field.type] expected a number but found a text; 100 was used (at order)");
/// assert_eq!(warnings.len(), 3);
/// ```
pub struct Fields<'a, 'w> {
    object: &'a Map<String, Value>,
    path: Path<'a>,
    warnings: &'w mut Vec<Warning>,
}

impl<'a, 'w> Fields<'a, 'w> {
    /// Reads the fields of `object`, which stands at `path`.
    pub fn new(object: &'a Map<String, Value>, path: Path<'a>, warnings: &'w mut Vec<Warning>) -> Self {
        Self { object, path, warnings }
    }

    /// The raw value; `null` counts as absent.
    pub fn raw(&self, key: &str) -> Option<&'a Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    /// See [`text`].
    pub fn text(&mut self, key: &str) -> Option<Cow<'a, str>> {
        Some(text(self.raw(key)?, &self.path.key(key), self.warnings))
    }

    /// See [`number()`].
    pub fn number(&mut self, key: &str) -> Option<f64> {
        number(self.raw(key)?, &self.path.key(key), self.warnings)
    }

    /// See [`integer`].
    pub fn integer(&mut self, key: &str) -> Option<i64> {
        integer(self.raw(key)?, &self.path.key(key), self.warnings)
    }

    /// See [`boolean`].
    pub fn boolean(&mut self, key: &str) -> Option<bool> {
        Some(boolean(self.raw(key)?, &self.path.key(key), self.warnings))
    }

    /// See [`list`].
    pub fn list(&mut self, key: &str) -> Option<&'a [Value]> {
        list(self.raw(key)?, &self.path.key(key), self.warnings)
    }

    /// See [`object`].
    pub fn object(&mut self, key: &str) -> Option<&'a Map<String, Value>> {
        object(self.raw(key)?, &self.path.key(key), self.warnings)
    }

    /// See [`texts`].
    pub fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        Some(texts(self.raw(key)?, &self.path.key(key), self.warnings))
    }

    /// Adds a warning about the field `key`.
    pub fn warn(&mut self, code: &'static str, key: &str, message: impl Into<String>) {
        self.warnings.push(Warning::new(code, message).at(self.path.key(key).to_string()));
    }
}

/// A text. Numbers and booleans print as in JavaScript; lists and objects keep their JSON text.
pub fn text<'a>(value: &'a Value, path: &Path<'_>, warnings: &mut Vec<Warning>) -> Cow<'a, str> {
    let text = match value {
        Value::String(text) => return Cow::Borrowed(text),
        Value::Null => String::new(),
        other => super::compact(other),
    };
    let used = match value {
        Value::Array(_) | Value::Object(_) => "its JSON text was used".to_owned(),
        _ => format!("{text:?} was used"),
    };
    mistyped("a text", value, &used, path, warnings);
    Cow::Owned(text)
}

/// A number. Texts are read as JavaScript's `Number(text)`, booleans are 1 and 0. What is no number is absent.
pub fn number(value: &Value, path: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<f64> {
    let number = match value {
        Value::Number(number) => return number.as_f64(),
        Value::String(text) if !text.trim().is_empty() => {
            Some(number::parse(text)).filter(|number| number.is_finite())
        }
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    };
    let used = match number {
        Some(number) => format!("{} was used", number::format(number)),
        None => "the default is used".into(),
    };
    mistyped("a number", value, &used, path, warnings);
    number
}

/// A whole number; a fraction is cut off, with a warning.
pub fn integer(value: &Value, path: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<i64> {
    if let Some(integer) = value.as_i64() {
        return Some(integer);
    }
    let number = number(value, path, warnings)?;
    // A double beyond the range of i64 takes the nearest end of it; Rust's `as` does that.
    let integer = number as i64;
    if integer as f64 != number {
        mistyped("a whole number", value, &format!("{integer} was used"), path, warnings);
    }
    Some(integer)
}

/// A yes or no. The texts `"false"`, `"0"` and `""` mean no; otherwise JavaScript's truthiness decides.
pub fn boolean(value: &Value, path: &Path<'_>, warnings: &mut Vec<Warning>) -> bool {
    let flag = match value {
        Value::Bool(flag) => return *flag,
        Value::Null => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !matches!(text.trim(), "" | "0") && !text.trim().eq_ignore_ascii_case("false"),
        Value::Array(_) | Value::Object(_) => true,
    };
    mistyped("true or false", value, &format!("{flag} was used"), path, warnings);
    flag
}

/// A list; anything else is absent.
pub fn list<'a>(value: &'a Value, path: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<&'a [Value]> {
    if let Value::Array(list) = value {
        return Some(list);
    }
    mistyped("a list", value, "the default is used", path, warnings);
    None
}

/// An object; anything else is absent.
pub fn object<'a>(
    value: &'a Value,
    path: &Path<'_>,
    warnings: &mut Vec<Warning>,
) -> Option<&'a Map<String, Value>> {
    if let Value::Object(map) = value {
        return Some(map);
    }
    mistyped("an object", value, "the default is used", path, warnings);
    None
}

/// A list of texts. A single text counts as a list of one; items of other types are coerced like [`text`].
pub fn texts(value: &Value, path: &Path<'_>, warnings: &mut Vec<Warning>) -> Vec<String> {
    match value {
        Value::Array(list) => {
            let items = list.iter().enumerate();
            items.map(|(index, item)| text(item, &path.index(index), warnings).into_owned()).collect()
        }
        Value::String(text) => {
            mistyped("a list of texts", value, "it was used as the only item", path, warnings);
            vec![text.clone()]
        }
        _ => {
            mistyped("a list of texts", value, "an empty list is used", path, warnings);
            Vec::new()
        }
    }
}

/// The JSON type of a value, in words.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn mistyped(expected: &str, found: &Value, used: &str, path: &Path<'_>, warnings: &mut Vec<Warning>) {
    let message = format!("expected {expected} but found {}; {used}", type_name(found));
    warnings.push(Warning::new("field.type", message).at(path.to_string()));
}
