//! Values while rendering: the context's own JSON, and what the template makes.

use serde_json::Value as Json;
use std::borrow::Cow;
use std::rc::Rc;

use super::ast::Expression;
use crate::{number, object, string};

#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    Undefined,
    /// Part of the context.
    Json(&'a Json),
    /// A text of the template.
    Text(&'a str),
    /// A text a helper made.
    Made(Rc<str>),
    Number(f64),
    Bool(bool),
    /// What Handlebars takes for `this` where the context is null: an empty object.
    NullContext,
    /// A context with named arguments of a partial on top.
    Extended {
        base: Rc<Value<'a>>,
        members: Rc<Vec<(String, Value<'a>)>>,
    },
}

impl<'a> Value<'a> {
    /// A literal; `None` for paths and calls.
    pub fn literal(expression: &'a Expression) -> Option<Self> {
        Some(match expression {
            Expression::Text(text) => Self::Text(text),
            Expression::Number(number) => Self::Number(*number),
            Expression::Bool(bool) => Self::Bool(*bool),
            Expression::Undefined => Self::Undefined,
            Expression::Null => Self::Json(&Json::Null),
            Expression::Path(_) | Expression::Call(_) => return None,
        })
    }

    /// `value == null`.
    pub fn is_nullish(&self) -> bool {
        matches!(self, Self::Undefined | Self::Json(Json::Null))
    }

    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Undefined | Self::Json(Json::Null) => false,
            Self::Json(Json::Bool(bool)) | Self::Bool(bool) => *bool,
            Self::Json(Json::Number(number)) => number.as_f64() != Some(0.0),
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Json(Json::Array(_) | Json::Object(_)) | Self::NullContext | Self::Extended { .. } => true,
            Self::Json(Json::String(_)) | Self::Text(_) | Self::Made(_) => self.as_str() != Some(""),
        }
    }

    /// Handlebars' own idea of empty: nothing, false, `""` and `[]`, but not 0.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Json(Json::Array(items)) => items.is_empty(),
            Self::Json(Json::Number(_)) | Self::Number(_) => false,
            other => !other.is_truthy(),
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Json(Json::String(text)) => Some(text),
            Self::Text(text) => Some(text),
            Self::Made(text) => Some(text),
            _ => None,
        }
    }

    /// `String(value)`.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Undefined => Cow::Borrowed("undefined"),
            Self::Number(number) => Cow::Owned(number::format(*number)),
            Self::Bool(bool) => Cow::Borrowed(if *bool { "true" } else { "false" }),
            Self::NullContext | Self::Extended { .. } => Cow::Borrowed("[object Object]"),
            Self::Json(Json::String(text)) => Cow::Borrowed(text),
            Self::Json(json) => Cow::Owned(object::to_text(json)),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Made(text) => Cow::Borrowed(text),
        }
    }

    /// An own property: object members, array and text positions, and their `length`.
    pub fn property(&self, name: &str) -> Value<'a> {
        match self {
            Self::Json(Json::Object(map)) => map.get(name).map_or(Value::Undefined, Value::Json),
            Self::Json(Json::Array(items)) => {
                if name == "length" {
                    return Value::Number(items.len() as f64);
                }
                let index = object::index_key(name).map(|index| index as usize);
                index.and_then(|index| items.get(index)).map_or(Value::Undefined, Value::Json)
            }
            Self::Extended { base, members } => match members.iter().rev().find(|(key, _)| key == name) {
                Some((_, value)) => value.clone(),
                None => base.property(name),
            },
            _ => match self.as_str() {
                Some(text) => text_property(text, name),
                None => Value::Undefined,
            },
        }
    }

    /// `a == b` as far as contexts need it: the same object, or primitives that JavaScript calls equal.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Json(a @ (Json::Array(_) | Json::Object(_))), Self::Json(b)) => std::ptr::eq(*a, *b),
            (Self::NullContext, Self::NullContext) => true,
            (Self::Extended { members: a, .. }, Self::Extended { members: b, .. }) => Rc::ptr_eq(a, b),
            (a, b) if a.is_object() || b.is_object() => false,
            (a, b) if a.is_nullish() || b.is_nullish() => a.is_nullish() && b.is_nullish(),
            (a, b) => match (a.as_str(), b.as_str()) {
                (Some(a), Some(b)) => a == b,
                _ => a.to_number() == b.to_number(),
            },
        }
    }

    fn is_object(&self) -> bool {
        matches!(
            self,
            Self::Json(Json::Array(_) | Json::Object(_)) | Self::NullContext | Self::Extended { .. }
        )
    }

    fn to_number(&self) -> f64 {
        match self {
            Self::Bool(bool) | Self::Json(Json::Bool(bool)) => f64::from(u8::from(*bool)),
            other => number::parse(&other.to_text()),
        }
    }
}

fn text_property<'a>(text: &str, name: &str) -> Value<'a> {
    if name == "length" {
        return Value::Number(string::length(text) as f64);
    }
    match object::index_key(name) {
        Some(index) if (index as usize) < string::length(text) => {
            let index = i64::from(index);
            Value::Made(string::slice(text, index, Some(index + 1)).into())
        }
        _ => Value::Undefined,
    }
}
