//! Looking up paths.

use super::Error;
use super::ast::Path;
use super::frame::Frame;
use super::value::Value;

/// How a missing step is told from a step into nothing.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Walk {
    /// Stops at null and undefined.
    Nullish,
    /// Stops at anything falsy, as Handlebars does where it looks for something to call.
    Falsy,
}

/// The value of a path.
pub(super) fn resolve<'a>(path: &'a Path, frame: &Frame<'a>, walk: Walk) -> Result<Value<'a>, Error> {
    if let Some((value, rest)) = block_param(path, frame)? {
        return Ok(step(value, rest, Walk::Nullish));
    }
    // An empty name is no name to Handlebars.
    if path.first().is_none_or(str::is_empty) {
        return Ok(context(path, frame));
    }
    if path.data {
        let mut data = Some(&frame.data);
        for _ in 0..path.depth {
            data = data.and_then(|data| data.parent.as_ref());
        }
        let [first, rest @ ..] = path.parts.as_slice() else { return Ok(Value::Undefined) };
        let value = data.map_or(Value::Undefined, |data| data.get(first));
        return Ok(step(value, rest, Walk::Falsy));
    }
    Ok(step(context(path, frame), &path.parts, walk))
}

fn context<'a>(path: &Path, frame: &Frame<'a>) -> Value<'a> {
    match path.depth {
        0 => frame.context.clone(),
        depth => frame.depths.iter().nth(depth).cloned().unwrap_or(Value::Undefined),
    }
}

fn step<'a>(mut value: Value<'a>, parts: &[String], walk: Walk) -> Value<'a> {
    for part in parts {
        let stop = match walk {
            Walk::Nullish => value.is_nullish(),
            Walk::Falsy => !value.is_truthy(),
        };
        if stop {
            break;
        }
        value = value.property(part);
    }
    value
}

/// Is this name a parameter of a surrounding block?
pub(super) fn is_block_param(path: &Path, frame: &Frame<'_>) -> bool {
    path.first()
        .is_some_and(|name| frame.block_params.iter().any(|params| params.names.iter().any(|n| n == name)))
}

fn block_param<'a>(path: &'a Path, frame: &Frame<'a>) -> Result<Option<(Value<'a>, &'a [String])>, Error> {
    if path.depth > 0 || path.scoped {
        return Ok(None);
    }
    let [name, rest @ ..] = path.parts.as_slice() else { return Ok(None) };
    for params in frame.block_params.iter() {
        let Some(index) = params.names.iter().position(|known| known == name) else { continue };
        let Some(values) = &params.values else {
            return Err(Error::render(format!("nothing gives a value to the block parameter {name}")));
        };
        return Ok(Some((values.get(index).cloned().unwrap_or(Value::Undefined), rest)));
    }
    Ok(None)
}
