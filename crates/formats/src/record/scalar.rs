//! A value that files spell as a number or as a text: ids, dates.

use std::fmt;

use serde_json::Value;
use tavernkit_core::{Warning, number};

use super::Field;
use crate::json::Path;

/// A number or a text, as the file has it.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Scalar {
    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Text(_) => None,
        }
    }
}

impl From<usize> for Scalar {
    fn from(number: usize) -> Self {
        Self::Number(number as f64)
    }
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// As JavaScript prints it, so `7.0` is `7`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => f.write_str(&number::format(*value)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Field for Scalar {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_f64().map(Self::Number),
            _ => String::read(value, at, warnings).map(Self::Text),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Number(value) => value.write(),
            Self::Text(text) => text.write(),
        }
    }
}
