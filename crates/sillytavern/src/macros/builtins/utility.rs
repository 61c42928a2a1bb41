//! Small tools of a template's author.

use tavernkit_core::number;

use super::super::env::Api;
use super::super::passes::ELSE_MARKER;
use super::super::registry::{Action, Macro, Registry};
use super::{Failure, INTEGER, Invocation, builtin};

pub(super) fn register(registry: &mut Registry) {
    registry.register(builtin(&["space"], 0, 1, |call| repeat(call, " ")).types(INTEGER));
    registry.register(builtin(&["newline"], 0, 1, |call| repeat(call, "\n")).types(INTEGER));
    registry.register(builtin(&["noop"], 0, 0, |_| Ok(String::new())));
    registry.register(builtin(&["trim"], 0, 1, trim));
    registry.register(builtin(&["reverse"], 1, 1, |call| Ok(call.argument(0).chars().rev().collect())));
    registry.register(builtin(&["//", "comment"], 1, 1, |_| Ok(String::new())));
    registry.register(builtin(&["banned"], 1, 1, banned));
    registry.register(builtin(&["outlet", "slot"], 1, 1, |call| {
        let name = call.argument(0).trim_matches(number::is_js_space);
        Ok(call.environment().outlets.get(name).cloned().unwrap_or_default())
    }));
    registry.register(builtin(&["input"], 0, 0, |call| Ok(call.environment().input.to_string())));
    registry.register(builtin(&["else"], 0, 0, |_| Ok(ELSE_MARKER.into())));
    registry.register(Macro::with_action("if".into(), 2, Some(2), Action::If).raw_arguments());
}

fn repeat(call: &mut Invocation<'_, '_>, what: &str) -> Result<String, Failure> {
    let count = if call.arguments().is_empty() { 1.0 } else { number::parse(call.argument(0)) };
    if count < 0.0 {
        return Err(Failure::new("the count is negative"));
    }
    let count = count as usize;
    call.pay(count)?;
    Ok(what.repeat(count))
}

/// With a body: the body, trimmed as any body is. Without: a mark that eats the newlines around it at the end.
fn trim(call: &mut Invocation<'_, '_>) -> Result<String, Failure> {
    Ok(if call.is_scoped() { call.argument(0).into() } else { "{{trim}}".into() })
}

fn banned(call: &mut Invocation<'_, '_>) -> Result<String, Failure> {
    if call.environment().api == Api::TextCompletion {
        let word = call.argument(0);
        let word = word.strip_prefix('"').unwrap_or(word);
        let word = word.strip_suffix('"').unwrap_or(word);
        call.evaluator.run.banned.push(word.to_owned());
    }
    Ok(String::new())
}
