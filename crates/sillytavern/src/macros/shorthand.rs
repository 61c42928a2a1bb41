//! `{{.name}}`, `{{$name = value}}` and the other short ways to use variables.

use serde_json::Value;
use tavernkit_core::Scope;
use tavernkit_core::number::{self, is_js_space};
use tavernkit_core::variables::{from_number, to_number, to_text};

use super::eval::Evaluator;
use super::invocation::Failure;
use super::lexer::variable_name_len;
use super::trace::Access;

/// A value as a macro prints it: nothing for null, JSON for lists and objects.
pub(super) fn print(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(_) | Value::Object(_) => tavernkit_js::object::stringify(value),
        other => to_text(other),
    }
}

/// How many bytes a value roughly takes.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum::<usize>() + 8,
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + weight(value)).sum::<usize>() + 8,
        _ => 8,
    }
}

/// What a condition means: only nothing, `false`, `off` and `0` are false.
pub(super) fn is_true(text: &str) -> bool {
    let word = text.trim_matches(is_js_space);
    !text.is_empty() && !["false", "off", "0"].iter().any(|no| no.eq_ignore_ascii_case(word))
}

/// The variable that a condition such as `.name` or `$name` names.
pub(super) fn variable_reference(text: &str) -> Option<(Scope, &str)> {
    let (scope, name) = match text.as_bytes().first()? {
        b'.' => (Scope::Local, &text[1..]),
        b'$' => (Scope::Global, &text[1..]),
        _ => return None,
    };
    (!name.is_empty() && variable_name_len(name) == name.len()).then_some((scope, name))
}

impl<'e> Evaluator<'e> {
    pub(super) fn read(&mut self, scope: Scope, name: &str) -> Value {
        self.touch(scope, name, Access::Read);
        let size = self.variables.get(scope, name).map_or(0, weight);
        self.run.pay(size);
        self.variables.read(scope, name)
    }

    pub(super) fn add(&mut self, scope: Scope, name: &str, operand: Value) -> Result<Value, Failure> {
        if name.is_empty() {
            return Err(Failure::new("a variable needs a name"));
        }
        let size = weight(&operand) + self.variables.get(scope, name).map_or(0, weight);
        if !self.run.pay(size) {
            return Err(Failure::new("the text has made too much already"));
        }
        self.touch(scope, name, Access::Read);
        self.touch(scope, name, Access::Write);
        Ok(self.variables.add(scope, name, operand))
    }

    /// The text of a shorthand. The value is expanded only when it is needed, and once.
    pub(super) fn shorthand(
        &mut self,
        scope: Scope,
        name: &str,
        operator: Option<&str>,
        value: impl FnOnce(&mut Self) -> String,
    ) -> String {
        match operator {
            None => print(&self.read(scope, name)),
            Some("++") => self.add_and_print(scope, name, Value::from(1)),
            Some("--") => self.add_and_print(scope, name, Value::from(-1)),
            Some("=") => {
                let value = value(self);
                self.assign(scope, name, value);
                String::new()
            }
            Some("+=") => {
                let value = value(self);
                self.add_and_print(scope, name, Value::String(value));
                String::new()
            }
            Some("-=") => {
                let value = value(self);
                let amount = number::parse(&value);
                if amount.is_nan() {
                    self.warn(
                        "macro.not_a_number",
                        format!("-= needs a number, not {value:?}; nothing was changed"),
                    );
                } else {
                    self.add_and_print(scope, name, from_number(-amount));
                }
                String::new()
            }
            Some("||") => self.or(scope, name, value, Missing::Falsy, false),
            Some("||=") => self.or(scope, name, value, Missing::Falsy, true),
            Some("??") => self.or(scope, name, value, Missing::Absent, false),
            Some("??=") => self.or(scope, name, value, Missing::Absent, true),
            Some("==") => (print(&self.read(scope, name)) == value(self)).to_string(),
            Some("!=") => (print(&self.read(scope, name)) != value(self)).to_string(),
            Some(comparison) => self.compare(scope, name, comparison, value),
        }
    }

    fn assign(&mut self, scope: Scope, name: &str, value: String) {
        if name.is_empty() {
            self.warn("macro.refused", "a variable needs a name; nothing was stored");
        } else if self.run.pay(value.len()) {
            self.touch(scope, name, Access::Write);
            self.variables.set(scope, name, value);
        }
    }

    fn add_and_print(&mut self, scope: Scope, name: &str, operand: Value) -> String {
        match self.add(scope, name, operand) {
            Ok(sum) => print(&sum),
            Err(Failure { code, message }) => {
                self.warn(code, message);
                String::new()
            }
        }
    }

    fn or(
        &mut self,
        scope: Scope,
        name: &str,
        value: impl FnOnce(&mut Self) -> String,
        missing: Missing,
        store: bool,
    ) -> String {
        let current = self.read(scope, name);
        let use_value = match missing {
            Missing::Absent => !self.variables.has(scope, name),
            Missing::Falsy => is_falsy(&current),
        };
        if !use_value {
            return print(&current);
        }
        let value = value(self);
        if store {
            self.assign(scope, name, value);
            print(&self.read(scope, name))
        } else {
            value
        }
    }

    fn compare(
        &mut self,
        scope: Scope,
        name: &str,
        comparison: &str,
        value: impl FnOnce(&mut Self) -> String,
    ) -> String {
        let left = to_number(&self.read(scope, name));
        let right = number::parse(&value(self));
        if left.is_nan() || right.is_nan() {
            self.warn("macro.not_a_number", format!("{comparison} compares numbers; one side of it is none"));
        }
        let holds = match comparison {
            ">" => left > right,
            ">=" => left >= right,
            "<" => left < right,
            _ => left <= right,
        };
        holds.to_string()
    }
}

#[derive(Clone, Copy)]
enum Missing {
    /// Not stored at all.
    Absent,
    /// Nothing, zero, or a word for no.
    Falsy,
}

fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(n) => n.as_f64() == Some(0.0),
        other => !is_true(&to_text(other)),
    }
}
