//! Variables by name: set, add, count, read, and reach into stored JSON.

use serde_json::{Map, Value};
use tavernkit_core::Scope::{self, Global, Local};
use tavernkit_core::number;
use tavernkit_core::variables::to_text;
use tavernkit_js::object;

use super::super::registry::Registry;
use super::super::shorthand::print;
use super::{Builtin, Failure, Invocation, builtin};

/// Local names, global names, number of arguments, and what is done in which scope.
type Row = (&'static [&'static str], &'static [&'static str], usize, Builtin, Builtin);

const ROWS: [Row; 9] = [
    (&["setvar"], &["setglobalvar"], 2, |call| set(call, Local), |call| set(call, Global)),
    (&["addvar"], &["addglobalvar"], 2, |call| add(call, Local), |call| add(call, Global)),
    (&["incvar"], &["incglobalvar"], 1, |call| step(call, Local, 1), |call| step(call, Global, 1)),
    (&["decvar"], &["decglobalvar"], 1, |call| step(call, Local, -1), |call| step(call, Global, -1)),
    (&["getvar"], &["getglobalvar"], 1, |call| get(call, Local), |call| get(call, Global)),
    (
        &["hasvar", "varexists"],
        &["hasglobalvar", "globalvarexists"],
        1,
        |call| has(call, Local),
        |call| has(call, Global),
    ),
    (
        &["deletevar", "flushvar"],
        &["deleteglobalvar", "flushglobalvar"],
        1,
        |call| delete(call, Local),
        |call| delete(call, Global),
    ),
    (
        &["setvarkey", "setvarindex"],
        &["setglobalvarkey", "setglobalvarindex"],
        3,
        |call| set_key(call, Local),
        |call| set_key(call, Global),
    ),
    (
        &["getvarkey", "getvarindex"],
        &["getglobalvarkey", "getglobalvarindex"],
        2,
        |call| get_key(call, Local),
        |call| get_key(call, Global),
    ),
];

pub(super) fn register(registry: &mut Registry) {
    for (local_names, global_names, count, local, global) in ROWS {
        registry.register(builtin(local_names, count, count, local));
        registry.register(builtin(global_names, count, count, global));
    }
}

fn set(call: &mut Invocation<'_, '_>, scope: Scope) -> Result<String, Failure> {
    call.write(scope, call.argument(0), call.argument(1))?;
    Ok(String::new())
}

fn add(call: &mut Invocation<'_, '_>, scope: Scope) -> Result<String, Failure> {
    call.add(scope, call.argument(0), call.argument(1))?;
    Ok(String::new())
}

fn step(call: &mut Invocation<'_, '_>, scope: Scope, by: i64) -> Result<String, Failure> {
    call.add(scope, call.argument(0), by).map(|sum| print(&sum))
}

fn get(call: &mut Invocation<'_, '_>, scope: Scope) -> Result<String, Failure> {
    Ok(print(&call.read(scope, call.argument(0))))
}

fn has(call: &mut Invocation<'_, '_>, scope: Scope) -> Result<String, Failure> {
    Ok(call.has(scope, call.argument(0)).to_string())
}

fn delete(call: &mut Invocation<'_, '_>, scope: Scope) -> Result<String, Failure> {
    call.delete(scope, call.argument(0));
    Ok(String::new())
}

/// A key as JavaScript uses it on a parsed value: what reads as a number is printed as one.
fn property(key: &str) -> (String, bool) {
    let number = number::parse(key);
    if number.is_nan() { (key.to_owned(), false) } else { (number::format(number), true) }
}

/// The stored JSON; `None` when the variable does not exist or is empty. Reading it into parts is paid by its size.
fn stored(call: &mut Invocation<'_, '_>, scope: Scope, name: &str) -> Result<Option<String>, Failure> {
    call.read(scope, name);
    let Some(value) = call.variables().get(scope, name) else {
        return Ok(None);
    };
    let text = match value {
        Value::Array(_) | Value::Object(_) => object::stringify(value),
        other => to_text(other),
    };
    call.pay(text.len().saturating_mul(4))?;
    Ok((!text.is_empty()).then_some(text))
}

fn set_key(call: &mut Invocation<'_, '_>, scope: Scope) -> Result<String, Failure> {
    let (name, key, value) = (call.argument(0), call.argument(1), call.argument(2));
    if name.is_empty() {
        return Err(Failure::new("a variable needs a name"));
    }
    let (property, is_number) = property(key);
    let parsed = match stored(call, scope, name)? {
        None if is_number => Ok(Value::Array(Vec::new())),
        None => Ok(Value::Object(Map::new())),
        Some(text) => serde_json::from_str(&text),
    };
    let Ok(mut parsed) = parsed else {
        call.warn("macro.not_json", format!("variable {name:?} holds no JSON; its key was not set"));
        return Ok(String::new());
    };
    match &mut parsed {
        Value::Object(map) => {
            map.insert(property, value.into());
        }
        Value::Array(items) => {
            /// A list grows up to the index that is set; this far and no further.
            const LONGEST: usize = 100_000;
            // Anything but an index is a property that JSON does not keep.
            if let Some(index) = object::index_key(&property).map(|index| index as usize) {
                if index >= LONGEST {
                    return Err(Failure::new("the index is too large"));
                }
                if index >= items.len() {
                    call.pay(index * 8)?;
                    items.resize(index + 1, Value::Null);
                }
                items[index] = value.into();
            }
        }
        Value::Null => {
            call.warn("macro.not_json", format!("variable {name:?} holds null; its key was not set"));
            return Ok(String::new());
        }
        _ => {}
    }
    call.write(scope, name, object::stringify(&parsed))?;
    Ok(String::new())
}

fn get_key(call: &mut Invocation<'_, '_>, scope: Scope) -> Result<String, Failure> {
    let (name, key) = (call.argument(0), call.argument(1));
    let Some(text) = stored(call, scope, name)? else {
        return Ok(String::new());
    };
    let Ok(parsed) = serde_json::from_str::<Value>(&text) else {
        return get(call, scope);
    };
    let (property, _) = property(key);
    let length = |units: usize| (property == "length").then(|| Value::from(units));
    let found = match &parsed {
        Value::Object(map) => map.get(&property).cloned(),
        Value::Array(items) => match object::index_key(&property) {
            Some(index) => items.get(index as usize).cloned(),
            None => length(items.len()),
        },
        Value::String(text) => match object::index_key(&property) {
            Some(index) => tavernkit_js::string::unit_to_byte(text, index as usize)
                .and_then(|at| text[at..].chars().next())
                .map(|c| Value::String(c.into())),
            None => length(tavernkit_js::string::length(text)),
        },
        _ => None,
    };
    Ok(found.map_or_else(String::new, |value| print(&reading(value))))
}

/// A member reads as variables do: a text that is a number is that number.
fn reading(value: Value) -> Value {
    let mut one = tavernkit_core::Variables::default();
    one.set(Local, "", value);
    one.read(Local, "")
}
