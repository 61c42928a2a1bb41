//! How one field is read out of a JSON value, and written back.

use serde_json::{Map, Value};
use tavernkit_core::Warning;

use crate::json::{Path, field};

/// A JSON object with its keys in file order.
pub type Object = Map<String, Value>;

/// A type that a field of a record can have.
pub trait Field: Sized + PartialEq {
    /// Reads a value. `None` means "as if it were missing": for `null`, and for a value that cannot be understood, which
    /// is then warned about.
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self>;

    /// The JSON form.
    fn write(&self) -> Value;

    /// Reads the field of an object under the first of its spellings that is there.
    fn get(object: &Object, names: &[&str], at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        let (name, value) = names.iter().find_map(|name| Some((*name, object.get(*name)?)))?;
        Self::read(value, &at.key(name), warnings)
    }

    /// Writes the field under the spelling that the object already uses, else the first.
    fn set(&self, object: &mut Object, names: &[&str]) {
        let name = names.iter().find(|name| object.contains_key(**name)).or(names.first());
        if let Some(name) = name {
            object.insert((*name).to_owned(), self.write());
        }
    }
}

/// A number as JSON, whole numbers without a fraction, as JavaScript writes them.
pub(crate) fn number_value(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9.0e15 {
        Value::from(value as i64)
    } else {
        // Not finite: JavaScript writes null as well.
        serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
}

impl Field for String {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        (!value.is_null()).then(|| field::text(value, at, warnings).into_owned())
    }

    fn write(&self) -> Value {
        Value::String(self.clone())
    }
}

impl Field for bool {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        (!value.is_null()).then(|| field::boolean(value, at, warnings))
    }

    fn write(&self) -> Value {
        Value::Bool(*self)
    }
}

impl Field for f64 {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        if value.is_null() { None } else { field::number(value, at, warnings) }
    }

    fn write(&self) -> Value {
        number_value(*self)
    }
}

impl Field for i64 {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        if value.is_null() { None } else { field::integer(value, at, warnings) }
    }

    fn write(&self) -> Value {
        Value::from(*self)
    }
}

impl<T: Field> Field for Option<T> {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::read(value, at, warnings).map(Some) }
    }

    fn write(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::write)
    }
}

/// A list of simple values. Items that cannot be read stay in the file until the list is changed.
impl<T: Field> Field for Vec<T> {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        if value.is_null() {
            return None;
        }
        let items = field::list(value, at, warnings)?.iter().enumerate();
        Some(items.filter_map(|(index, item)| T::read(item, &at.index(index), warnings)).collect())
    }

    fn write(&self) -> Value {
        self.iter().map(T::write).collect()
    }
}

impl Field for Value {
    fn read(value: &Value, _: &Path<'_>, _: &mut Vec<Warning>) -> Option<Self> {
        (!value.is_null()).then(|| value.clone())
    }

    fn write(&self) -> Value {
        self.clone()
    }
}

impl Field for Object {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        if value.is_null() { None } else { field::object(value, at, warnings).cloned() }
    }

    fn write(&self) -> Value {
        Value::Object(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read<T: Field>(value: Value) -> (Option<T>, Vec<String>) {
        let mut warnings = Vec::new();
        let read = T::read(&value, &Path::Root, &mut warnings);
        (read, warnings.into_iter().map(|w| w.message).collect())
    }

    #[test]
    fn lists_skip_what_they_cannot_read() {
        assert_eq!(read::<Vec<String>>(json!(["a", 2, null])).0, Some(vec!["a".into(), "2".into()]));
        assert_eq!(
            read::<Vec<f64>>(json!({})),
            (None, vec!["expected a list but found an object; the default is used".into()])
        );
    }

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        assert_eq!(2.0.write().to_string(), "2");
        assert_eq!(0.5.write().to_string(), "0.5");
        assert_eq!(f64::NAN.write(), Value::Null);
        assert_eq!(Some(-3.0).write().to_string(), "-3");
    }
}
