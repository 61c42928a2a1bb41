//! A list of records that does not lose the items it cannot read.

use std::ops::{Deref, DerefMut};

use serde_json::Value;
use tavernkit_core::Warning;

use super::Field;
use crate::json::{Path, field};

/// A list of objects; items of another kind are set aside and written back at their place.
///
/// It behaves like the `Vec` of its readable items.
#[derive(Debug, Clone, PartialEq)]
pub struct List<T> {
    items: Vec<T>,
    /// Unreadable items and where they stood.
    odd: Vec<(usize, Value)>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { items: Vec::new(), odd: Vec::new() }
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, odd: Vec::new() }
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<T> Deref for List<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.items
    }
}

impl<T> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.items
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<T> IntoIterator for List<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<T: Field> Field for List<T> {
    fn read(value: &Value, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Option<Self> {
        if value.is_null() {
            return None;
        }
        let values = field::list(value, at, warnings)?;
        let mut list = Self { items: Vec::with_capacity(values.len()), odd: Vec::new() };
        for (index, value) in values.iter().enumerate() {
            let at = at.index(index);
            let item = if value.is_object() { T::read(value, &at, warnings) } else { None };
            match item {
                Some(item) => list.items.push(item),
                None => {
                    let found = field::type_name(value);
                    let message = format!("expected an object but found {found}; it is kept in its place");
                    warnings.push(Warning::new("field.odd_item", message).at(at.to_string()));
                    list.odd.push((index, value.clone()));
                }
            }
        }
        Some(list)
    }

    fn write(&self) -> Value {
        let mut values: Vec<Value> = self.items.iter().map(T::write).collect();
        for (index, value) in &self.odd {
            values.insert((*index).min(values.len()), value.clone());
        }
        Value::Array(values)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Object;
    use super::*;

    #[test]
    fn odd_items_stay_in_place() {
        let value = json!([null, {"a": 1}, "x", {"b": 2}]);
        let mut warnings = Vec::new();
        let mut list: List<Object> = Field::read(&value, &Path::Root, &mut warnings).unwrap();
        assert_eq!(list.len(), 2);
        assert_eq!(list.write(), value);
        list.push(Object::new());
        assert_eq!(list.write(), json!([null, {"a": 1}, "x", {"b": 2}, {}]));
        assert_eq!(
            warnings[1].to_string(),
            "[field.odd_item] expected an object but found a text; it is kept in its place (at [2])"
        );
    }
}
