//! Macros that SillyTavern's bundled extensions bring along.

use super::super::registry::Registry;
use super::{Builtin, Failure, Invocation, builtin};

const TEXTS: [(&str, Builtin); 5] = [
    ("summary", |call| Ok(call.environment().extension_texts.summary.to_string())),
    ("defaultExpression", |call| Ok(call.environment().extension_texts.default_expression.to_string())),
    ("availableExpressions", |call| Ok(call.environment().extension_texts.available_expressions.to_string())),
    ("charPrefix", |call| Ok(call.environment().extension_texts.image_prefix.to_string())),
    ("charNegativePrefix", |call| Ok(call.environment().extension_texts.image_negative_prefix.to_string())),
];

pub(super) fn register(registry: &mut Registry) {
    for (name, handler) in TEXTS {
        registry.register(builtin(&[name], 0, 0, handler));
    }
    registry.register(builtin(&["lastExpression"], 0, 1, last_expression));
}

fn last_expression(call: &mut Invocation<'_, '_>) -> Result<String, Failure> {
    let name = if call.arguments().is_empty() { call.character() } else { call.argument(0) };
    Ok(call.environment().extension_texts.last_expressions.get(name).cloned().unwrap_or_default())
}
