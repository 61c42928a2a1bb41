//! Which suites we can run, and what a runner is.

mod js;
mod sillytavern;

use serde_json::Value;

pub use sillytavern::{has_lore, scenario_lore};

/// What came of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Our answer is the recorded one.
    Passed,
    /// Our answer differs; the text says where.
    Failed(String),
    /// We do not claim to do this; the text says what is missing.
    Unsupported(String),
}

impl Outcome {
    /// Passed when both are equal; otherwise a failure that shows both.
    pub fn compare(ours: &Value, recorded: &Value) -> Self {
        match difference("", ours, recorded) {
            None => Outcome::Passed,
            Some(why) => Outcome::Failed(why),
        }
    }
}

/// Runs one case. The first argument is the whole case file, which may hold fixtures.
pub type SuiteRunner = fn(file: &Value, case: &Value) -> Outcome;

/// The runner of a suite, if we have one.
pub fn runner(platform: &str, suite: &str) -> Option<SuiteRunner> {
    match platform {
        "js" => js::runner(suite),
        "sillytavern" => sillytavern::runner(suite),
        _ => None,
    }
}

/// The first place where two values differ, with both sides shown short. Object key order is not compared.
pub fn difference(path: &str, ours: &Value, recorded: &Value) -> Option<String> {
    match (ours, recorded) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, recorded) in b {
                let path = format!("{path}/{key}");
                match a.get(key) {
                    Some(ours) => {
                        if let Some(found) = difference(&path, ours, recorded) {
                            return Some(found);
                        }
                    }
                    None => return Some(format!("{path}: missing, recorded {}", short(recorded))),
                }
            }
            let extra = a.keys().find(|key| !b.contains_key(*key))?;
            Some(format!("{path}/{extra}: not recorded, ours {}", short(&a[extra])))
        }
        (Value::Array(a), Value::Array(b)) => {
            for (i, (ours, recorded)) in a.iter().zip(b).enumerate() {
                if let Some(found) = difference(&format!("{path}/{i}"), ours, recorded) {
                    return Some(found);
                }
            }
            (a.len() != b.len()).then(|| format!("{path}: {} items, recorded {}", a.len(), b.len()))
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        _ if ours == recorded => None,
        _ => Some(format!("{path}: ours {}, recorded {}", short(ours), short(recorded))),
    }
}

fn short(value: &Value) -> String {
    const LIMIT: usize = 160;
    let text = value.to_string();
    match text.char_indices().nth(LIMIT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_name_the_place_and_both_sides() {
        let found = difference("", &json!({"a": [1, 2.0]}), &json!({"a": [1.0, 3]}));
        assert_eq!(found.as_deref(), Some("/a/1: ours 2.0, recorded 3"));
        assert_eq!(difference("", &json!([1]), &json!([1, 2])).as_deref(), Some(": 1 items, recorded 2"));
        assert_eq!(difference("", &json!({"x": 1}), &json!({})).as_deref(), Some("/x: not recorded, ours 1"));
        assert_eq!(difference("", &json!({"b": 1, "a": 2}), &json!({"a": 2, "b": 1})), None);
    }
}
