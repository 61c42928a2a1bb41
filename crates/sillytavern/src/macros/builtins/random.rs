//! Chance: `{{random}}`, `{{pick}}` and `{{roll}}`.

use std::borrow::Cow;

use tavernkit_core::number::{self, is_js_space};
use tavernkit_js::RandomSource;
use tavernkit_js::dice::Formula;
use tavernkit_js::seedrandom::SeedRandom;

use super::super::registry::Registry;
use super::{Failure, Invocation, builtin, list};

pub(super) fn register(registry: &mut Registry) {
    registry.register(list(&["random"], random));
    registry.register(list(&["pick"], pick));
    registry.register(builtin(&["roll"], 1, 1, roll));
}

fn random(call: &mut Invocation<'_, '_>) -> Result<String, Failure> {
    let items = items(call.arguments());
    if items.is_empty() {
        return Ok(String::new());
    }
    let index = call.random().next_index(items.len());
    Ok(items[index].to_string())
}

/// The same choice every time for the same chat, text and place.
fn pick(call: &mut Invocation<'_, '_>) -> Result<String, Failure> {
    let items = items(call.arguments());
    if items.is_empty() {
        return Ok(String::new());
    }
    let reroll = call.environment().pick.reroll.as_deref();
    let seed = call.evaluator.pick_seed(call.offset(), reroll);
    let index = SeedRandom::from_text(&seed.to_string()).next_index(items.len());
    Ok(items[index].to_string())
}

/// The choices: the arguments, or the parts of a single one.
fn items<'a>(arguments: &'a [Cow<'a, str>]) -> Vec<Cow<'a, str>> {
    match arguments {
        [single] => choices(single).map(|item| trimmed(&item)).collect(),
        several => several.iter().map(|item| Cow::Borrowed(&**item)).collect(),
    }
}

fn trimmed(item: &str) -> Cow<'static, str> {
    Cow::Owned(item.trim_matches(is_js_space).to_owned())
}

/// Parts between `::`, or else between commas; `\,` is a comma in a part.
pub(in super::super) fn choices(text: &str) -> Box<dyn Iterator<Item = String> + '_> {
    if text.contains("::") {
        return Box::new(text.split("::").map(str::to_owned));
    }
    let mut rest = Some(text);
    Box::new(std::iter::from_fn(move || {
        let mut item = String::new();
        let mut text = rest?;
        loop {
            match text.split_once(',') {
                Some((head, tail)) if head.ends_with('\\') => {
                    item.push_str(&head[..head.len() - 1]);
                    item.push(',');
                    text = tail;
                }
                Some((head, tail)) => {
                    item.push_str(head);
                    rest = Some(tail);
                    return Some(item);
                }
                None => {
                    item.push_str(text);
                    rest = None;
                    return Some(item);
                }
            }
        }
    }))
}

fn roll(call: &mut Invocation<'_, '_>) -> Result<String, Failure> {
    let Some(formula) = Formula::parse_argument(call.argument(0)) else {
        let message = format!("{:?} is no dice formula such as 2d6+1; nothing was rolled", call.argument(0));
        call.warn("macro.dice_formula", message);
        return Ok(String::new());
    };
    call.pay(formula.dice.min(1e15) as usize)?;
    match formula.roll(call.random()) {
        Ok(roll) => Ok(number::format(roll.total)),
        Err(too_many) => Err(Failure::new(too_many.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_protects_a_comma() {
        let parts = |text| choices(text).collect::<Vec<_>>();
        assert_eq!(parts(r"a\,b, c"), ["a,b", " c"]);
        assert_eq!(parts("a,b::c"), ["a,b", "c"]);
        assert_eq!(parts(","), ["", ""]);
        assert_eq!(parts(""), [""]);
    }
}
