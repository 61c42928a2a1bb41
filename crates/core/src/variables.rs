//! Variables of a chat and of the whole application, with the number rules card authors rely on.
//!
//! The store is plain data owned by the caller: one per chat, saved as JSON wherever the application likes.
//! A snapshot shares memory with the store until one of them changes, so a dry run costs nothing.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::number;

type Map = IndexMap<String, Value>;

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The current chat.
    Local,
    /// Every chat of the user.
    Global,
}

/// Local and global variables, with a version that grows on every change.
///
/// ```
/// use serde_json::json;
/// use tavernkit_core::{Scope, Variables};
///
/// let mut variables = Variables::default();
/// variables.set(Scope::Local, "gold", "10");
/// let before = variables.snapshot();
/// variables.add(Scope::Local, "gold", "2.50");
/// assert_eq!(variables.read(Scope::Local, "gold"), json!(12.5));
///
/// variables.restore(&before);
/// assert_eq!(variables.read(Scope::Local, "gold"), json!(10));
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Variables {
    #[serde(default)]
    local: Arc<Map>,
    #[serde(default)]
    global: Arc<Map>,
    #[serde(skip)]
    version: u64,
}

/// The variables as they were at one version.
#[derive(Debug, Clone)]
pub struct Snapshot {
    local: Arc<Map>,
    global: Arc<Map>,
    version: u64,
}

impl Snapshot {
    /// The version of the store this was taken at.
    pub fn version(&self) -> u64 {
        self.version
    }
}

/// Two stores are equal when they hold the same values, whatever happened to them before.
impl PartialEq for Variables {
    fn eq(&self, other: &Self) -> bool {
        self.local == other.local && self.global == other.global
    }
}

impl Variables {
    /// A store that starts with these values.
    pub fn new(local: IndexMap<String, Value>, global: IndexMap<String, Value>) -> Self {
        Self { local: Arc::new(local), global: Arc::new(global), version: 0 }
    }

    /// Grows with every change; equal versions of one store mean equal contents.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The stored value, untouched.
    pub fn get(&self, scope: Scope, name: &str) -> Option<&Value> {
        self.map(scope).get(name)
    }

    /// The value as templates see it: a text that is a number reads as that number, nothing reads as `""`.
    pub fn read(&self, scope: Scope, name: &str) -> Value {
        self.get(scope, name).map_or_else(|| Value::String(String::new()), reading)
    }

    /// Is there a value under this name, be it empty?
    pub fn has(&self, scope: Scope, name: &str) -> bool {
        self.map(scope).contains_key(name)
    }

    /// Stores a value.
    pub fn set(&mut self, scope: Scope, name: impl Into<String>, value: impl Into<Value>) {
        let value = value.into();
        self.map_mut(scope).insert(name.into(), value);
    }

    /// Removes a value; the others keep their order.
    pub fn delete(&mut self, scope: Scope, name: &str) -> Option<Value> {
        if !self.has(scope, name) {
            return None;
        }
        self.map_mut(scope).shift_remove(name)
    }

    /// Adds to a value: a JSON array grows by one item, two numbers are summed, anything else is joined as text.
    /// A missing value counts as 0, an empty operand too.
    ///
    /// ```
    /// use serde_json::json;
    /// use tavernkit_core::{Scope, Variables};
    ///
    /// let mut variables = Variables::default();
    /// assert_eq!(variables.add(Scope::Local, "turns", "1"), json!(1));
    /// variables.set(Scope::Local, "bag", r#"["rope"]"#);
    /// assert_eq!(variables.add(Scope::Local, "bag", "lamp"), json!(r#"["rope","lamp"]"#));
    /// variables.set(Scope::Local, "mood", "calm");
    /// assert_eq!(variables.add(Scope::Local, "mood", "er"), json!("calmer"));
    /// ```
    pub fn add(&mut self, scope: Scope, name: &str, operand: impl Into<Value>) -> Value {
        let operand = operand.into();
        let current = match self.read(scope, name) {
            Value::String(text) if text.is_empty() => Value::from(0),
            value => value,
        };
        let sum = match pushed(&current, &operand) {
            Some(array) => Value::String(array),
            None => {
                let total = to_number(&current) + to_number(&operand);
                if total.is_nan() { Value::String(joined(&current, &operand)) } else { from_number(total) }
            }
        };
        self.set(scope, name, sum.clone());
        sum
    }

    /// Every variable of a scope, in the order of first assignment.
    pub fn iter(&self, scope: Scope) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.map(scope).iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The present state, shared, not copied.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { local: self.local.clone(), global: self.global.clone(), version: self.version }
    }

    /// Goes back to an earlier state. The version still grows: it counts changes, and this is one.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.local = snapshot.local.clone();
        self.global = snapshot.global.clone();
        self.version += 1;
    }

    fn map(&self, scope: Scope) -> &Map {
        match scope {
            Scope::Local => &self.local,
            Scope::Global => &self.global,
        }
    }

    fn map_mut(&mut self, scope: Scope) -> &mut Map {
        self.version += 1;
        Arc::make_mut(match scope {
            Scope::Local => &mut self.local,
            Scope::Global => &mut self.global,
        })
    }
}

/// A number as a JSON value: whole numbers without a fraction; what JSON cannot hold (NaN, infinities) as its text.
pub fn from_number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        return Value::from(value as i64);
    }
    serde_json::Number::from_f64(value).map_or_else(|| Value::String(number::format(value)), Value::Number)
}

/// A JSON value as JavaScript's `Number(value)` sees it (arrays and objects through their text).
pub fn to_number(value: &Value) -> f64 {
    match value {
        Value::Null | Value::Bool(false) => 0.0,
        Value::Bool(true) => 1.0,
        Value::Number(n) => n.as_f64().unwrap_or(f64::NAN),
        other => number::parse(&to_text(other)),
    }
}

/// A JSON value as JavaScript's `String(value)` prints it.
///
/// ```
/// use serde_json::json;
/// use tavernkit_core::variables::to_text;
/// assert_eq!(to_text(&json!([1, null, ["a"]])), "1,,a");
/// assert_eq!(to_text(&json!({"a": 1})), "[object Object]");
/// ```
pub fn to_text(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.as_f64().map_or_else(|| n.to_string(), number::format),
        Value::String(s) => s.clone(),
        Value::Array(items) => {
            let item = |v: &Value| if v.is_null() { String::new() } else { to_text(v) };
            items.iter().map(item).collect::<Vec<_>>().join(",")
        }
        Value::Object(_) => "[object Object]".into(),
    }
}

fn reading(value: &Value) -> Value {
    if let Value::String(text) = value
        && text.trim_matches(number::is_js_space).is_empty()
    {
        return value.clone();
    }
    let as_number = to_number(value);
    if as_number.is_nan() { value.clone() } else { from_number(as_number) }
}

/// The array in `current` with one item more, as JSON text; `None` when it is no array.
fn pushed(current: &Value, operand: &Value) -> Option<String> {
    let mut items = match current {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Array(items)) => items,
            _ => return None,
        },
        Value::Array(items) => items.clone(),
        _ => return None,
    };
    items.push(operand.clone());
    Some(Value::Array(items).to_string())
}

fn joined(current: &Value, operand: &Value) -> String {
    // A number 0 is "nothing yet": it does not show in the joined text.
    let left = if current.as_i64() == Some(0) { String::new() } else { to_text(current) };
    left + &to_text(operand)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numeric_texts_read_as_numbers() {
        let mut variables = Variables::default();
        for (stored, read) in [
            (json!("007"), json!(7)),
            (json!("3.0"), json!(3)),
            (json!("1e3"), json!(1000)),
            (json!(null), json!(0)),
            (json!(true), json!(1)),
            (json!("  "), json!("  ")),
            (json!("wary"), json!("wary")),
        ] {
            variables.set(Scope::Local, "x", stored.clone());
            assert_eq!(variables.read(Scope::Local, "x"), read, "{stored}");
        }
        assert_eq!(variables.read(Scope::Global, "x"), json!(""));
    }

    #[test]
    fn adding_text_to_a_missing_variable_keeps_the_text() {
        let mut variables = Variables::default();
        assert_eq!(variables.add(Scope::Local, "log", "met Bram"), json!("met Bram"));
        assert_eq!(variables.add(Scope::Local, "log", ""), json!("met Bram"));
    }

    #[test]
    fn snapshots_are_independent_and_versions_grow() {
        let mut variables = Variables::default();
        variables.set(Scope::Global, "a", 1);
        let snapshot = variables.snapshot();
        variables.delete(Scope::Global, "a");
        assert!(!variables.has(Scope::Global, "a"));
        assert_eq!((snapshot.version(), variables.version()), (1, 2));
        variables.restore(&snapshot);
        assert_eq!((variables.read(Scope::Global, "a"), variables.version()), (json!(1), 3));
        assert_eq!(variables.delete(Scope::Local, "nothing"), None);
        assert_eq!(variables.version(), 3, "deleting nothing changes nothing");
    }

    #[test]
    fn json_round_trip_keeps_values_and_order() {
        let text = r#"{"local":{"z":1,"a":{"deep":[1.5]}},"global":{"m":"text"}}"#;
        let variables: Variables = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&variables).unwrap(), text);
    }
}
