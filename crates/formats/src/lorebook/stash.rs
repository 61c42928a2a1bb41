//! What another format has no name for travels in `extensions.tavernkit`, so that it can come back.

use serde_json::Value;

use crate::record::Object;

/// The key of our corner in `extensions`.
const CORNER: &str = "tavernkit";

/// The corner's part for fields of a SillyTavern world.
pub(super) const WORLD: &str = "world";

/// Puts `rest` into `extensions.tavernkit.<part>` of `object`; nothing if there is nothing to keep.
pub(super) fn put(object: &mut Object, part: &str, rest: Object) {
    if rest.is_empty() {
        return;
    }
    let extensions = object.entry("extensions").or_insert_with(|| Value::Object(Object::new()));
    if !extensions.is_object() {
        // The odd value would be lost; it moves into the corner as well.
        let odd = extensions.take();
        *extensions = serde_json::json!({ CORNER: { "extensions": odd } });
    }
    let corner = &mut extensions[CORNER];
    if !corner.is_object() {
        *corner = Value::Object(Object::new());
    }
    corner[part] = Value::Object(rest);
}

/// Takes `extensions.tavernkit.<part>` out of `object`, leaving no empty corner behind.
pub(super) fn take(object: &mut Object, part: &str) -> Object {
    let Some(extensions) = object.get_mut("extensions").and_then(Value::as_object_mut) else {
        return Object::new();
    };
    let Some(corner) = extensions.get_mut(CORNER).and_then(Value::as_object_mut) else {
        return Object::new();
    };
    let rest = match corner.shift_remove(part) {
        Some(Value::Object(rest)) => rest,
        Some(odd) => {
            corner.insert(part.to_owned(), odd);
            Object::new()
        }
        None => Object::new(),
    };
    if corner.is_empty() {
        extensions.shift_remove(CORNER);
    }
    rest
}
