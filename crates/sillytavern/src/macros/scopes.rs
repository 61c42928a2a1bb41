//! Pairs opening tags with closing tags: `{{name}} … {{/name}}`.

use std::collections::HashMap;

use super::parser::{Body, Call};
use super::registry::Registry;

/// What becomes of a macro of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Stands for itself.
    Single,
    /// Opens a scope that ends at the call with this index.
    Opens(usize),
    /// Stays as it is written.
    Text,
}

/// Is this a closing tag? `{{/name}}`, or a comment whose text starts with a slash.
fn is_closing(text: &str, call: &Call) -> bool {
    match &call.body {
        Body::Named { name, arguments } => {
            let slashed = || arguments.first().is_some_and(|first| text[first.span.clone()].starts_with('/'));
            call.closing || (&text[name.clone()] == "//" && slashed())
        }
        Body::Variable { .. } | Body::Nameless => false,
    }
}

/// May this opening tag take a body? If its macro has room for one more argument, or is not known at all.
fn takes_body(text: &str, registry: &Registry, call: &Call) -> bool {
    let Body::Named { name, arguments } = &call.body else { return false };
    match registry.get(&text[name.clone()]) {
        None => true,
        Some(known) => known.most.is_some() && known.accepts_count(arguments.len() + 1),
    }
}

/// The role of every call. Calls inside a scope are not at this level: their role says nothing.
pub(super) fn roles(text: &str, registry: &Registry, calls: &[Call]) -> Vec<Role> {
    let closing: Vec<bool> = calls.iter().map(|call| is_closing(text, call)).collect();
    let mut roles: Vec<Role> = closing.iter().map(|c| if *c { Role::Text } else { Role::Single }).collect();
    if !closing.contains(&true) {
        return roles;
    }
    let nearest = nearest_closers(text, registry, calls, &closing);
    let mut used = vec![false; calls.len()];
    let mut at = 0;
    while at < calls.len() {
        // A closer that another tag used up is passed over to the next one that was free at that place.
        let mut closer = nearest.from[at];
        while let Some(index) = closer.filter(|index| used[*index]) {
            closer = nearest.next[index];
        }
        match closer.filter(|_| !closing[at]) {
            None => at += 1,
            Some(closer) => {
                used[closer] = true;
                if takes_body(text, registry, &calls[at]) {
                    roles[at] = Role::Opens(closer);
                    at = closer + 1;
                } else {
                    roles[at] = Role::Text;
                    at += 1;
                }
            }
        }
    }
    roles
}

/// For every call the closing tag of its name that is free at that place, and for every closing tag the one behind it.
struct Nearest {
    from: Vec<Option<usize>>,
    next: Vec<Option<usize>>,
}

/// One walk from the end: closing tags wait, opening tags that can take a body use the nearest one up.
fn nearest_closers(text: &str, registry: &Registry, calls: &[Call], closing: &[bool]) -> Nearest {
    let mut waiting: HashMap<String, Option<usize>> = HashMap::new();
    let mut nearest = Nearest { from: vec![None; calls.len()], next: vec![None; calls.len()] };
    for (index, call) in calls.iter().enumerate().rev() {
        let Body::Named { name, .. } = &call.body else { continue };
        let name = text[name.clone()].to_ascii_lowercase();
        if closing[index] {
            let top = waiting.entry(name).or_default();
            nearest.next[index] = top.replace(index);
        } else if let Some(top) = waiting.get_mut(&name) {
            nearest.from[index] = *top;
            if let Some(closer) = *top
                && takes_body(text, registry, call)
            {
                *top = nearest.next[closer];
            }
        }
    }
    nearest
}
