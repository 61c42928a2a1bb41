//! The application's snapshot for a build: settings, flags, ids, whatever its own stages want to read.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A snapshot with names in one spelling.
///
/// ```
/// use serde_json::json;
/// use tavernkit_vibetavern::Runtime;
///
/// let runtime = Runtime::from_map(json!({"chatIndex": 3, "user-id": "u1"}).as_object().unwrap().clone());
/// assert_eq!(runtime.get("chat_index"), Some(&json!(3)));
/// assert_eq!(runtime.get("user_id"), Some(&json!("u1")));
/// assert_eq!(runtime.kind(), "app");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Runtime {
    kind: String,
    values: Map<String, Value>,
}

impl Default for Runtime {
    fn default() -> Self {
        Self::from_map(Map::new())
    }
}

impl Runtime {
    /// An application's snapshot. Top-level names become snake case; of two spellings of one name the later wins.
    pub fn from_map(map: Map<String, Value>) -> Self {
        let values = map.into_iter().map(|(name, value)| (snake_case(&name), value)).collect();
        Self { kind: "app".into(), values }
    }

    /// Whose snapshot it is.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// A value by its snake-case name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }
}

/// A snapshot as an application gives it: ready, or as a map that `prepare` turns into one.
#[derive(Debug, Clone)]
pub enum RuntimeInput {
    /// Ready; shared between builds if the application likes.
    Ready(Arc<Runtime>),
    /// A map of values.
    Map(Map<String, Value>),
}

impl Default for RuntimeInput {
    fn default() -> Self {
        RuntimeInput::Map(Map::new())
    }
}

impl From<Arc<Runtime>> for RuntimeInput {
    fn from(runtime: Arc<Runtime>) -> Self {
        RuntimeInput::Ready(runtime)
    }
}

impl From<Map<String, Value>> for RuntimeInput {
    fn from(map: Map<String, Value>) -> Self {
        RuntimeInput::Map(map)
    }
}

fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_uppercase() {
            if after_lower {
                out.push('_');
            }
            out.extend(c.to_lowercase());
        } else {
            out.push(if c == '-' || c == ' ' { '_' } else { c });
        }
        after_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    out
}
