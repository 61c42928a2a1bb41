//! Joining what the parts of a body print.
//!
//! Handlebars compiles a body to a JavaScript sum, so numbers and booleans that stand side by side before any text are
//! added up: `{{@index}}{{@first}}` prints `1` for the first item. People's templates run on that, and so does ours.

use super::value::Value;
use serde_json::Value as Json;

/// What a body comes to: usually a text, sometimes a lone value.
pub(super) enum Sum<'a> {
    Value(Value<'a>),
    Text(String),
}

impl<'a> Sum<'a> {
    pub fn empty() -> Self {
        Self::Text(String::new())
    }

    /// A value as a body appends it: nothing for null and undefined.
    pub fn of(value: Value<'a>) -> Self {
        if value.is_nullish() { Self::empty() } else { Self::Value(value) }
    }

    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Value(value) => value.to_text().into_owned(),
        }
    }

    /// JavaScript's `a + b`.
    pub fn plus(self, other: Self) -> Self {
        if let (Some(a), Some(b)) = (self.number(), other.number()) {
            return Self::Value(Value::Number(a + b));
        }
        let mut text = self.into_text();
        match other {
            Self::Text(other) => text.push_str(&other),
            Self::Value(value) => text.push_str(&value.to_text()),
        }
        Self::Text(text)
    }

    /// What takes part in an addition of numbers.
    fn number(&self) -> Option<f64> {
        match self {
            Self::Value(Value::Number(number)) => Some(*number),
            Self::Value(Value::Bool(bool) | Value::Json(Json::Bool(bool))) => {
                Some(f64::from(u8::from(*bool)))
            }
            Self::Value(Value::Json(Json::Number(number))) => number.as_f64(),
            _ => None,
        }
    }
}

/// Adds up a body's parts in the groups Handlebars compiles them to.
///
/// Parts are added from left to right. A block without arguments, such as `{{#name}}`, breaks the sum: what stands between
/// two such blocks is added up by itself first.
pub(super) struct Body<'a> {
    /// All up to the last break; `None` before the first one.
    buffer: Option<Sum<'a>>,
    run: Vec<Sum<'a>>,
}

impl<'a> Body<'a> {
    pub fn new() -> Self {
        Self { buffer: None, run: Vec::new() }
    }

    pub fn push(&mut self, part: Sum<'a>) {
        match (self.run.last_mut(), part) {
            // A text after a text goes into it, which keeps long templates linear.
            (Some(Sum::Text(text)), part) => match part {
                Sum::Text(part) => text.push_str(&part),
                Sum::Value(value) => text.push_str(&value.to_text()),
            },
            (_, part) => self.run.push(part),
        }
    }

    pub fn push_break(&mut self, part: Sum<'a>) {
        let run = std::mem::take(&mut self.run).into_iter().reduce(Sum::plus);
        let buffer = match (self.buffer.take(), run) {
            (Some(buffer), Some(run)) => buffer.plus(run),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => Sum::empty(),
        };
        self.buffer = Some(buffer.plus(part));
    }

    pub fn finish(self) -> Sum<'a> {
        self.buffer.into_iter().chain(self.run).reduce(Sum::plus).unwrap_or_else(Sum::empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(parts: &[Option<f64>]) -> String {
        let mut body = Body::new();
        for part in parts {
            body.push(part.map_or_else(|| Sum::Text("|".into()), |n| Sum::Value(Value::Number(n))));
        }
        body.finish().into_text()
    }

    #[test]
    fn numbers_add_up_until_a_text_comes() {
        assert_eq!(sum(&[Some(1.0), Some(2.0), None, Some(3.0), Some(4.0)]), "3|34");
        assert_eq!(sum(&[]), "");
        assert_eq!(sum(&[Some(0.25), Some(0.25)]), "0.5");
    }
}
