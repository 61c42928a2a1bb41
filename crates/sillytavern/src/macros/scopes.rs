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

/// What matters about a call for pairing. Found out once and kept, however deep the call's scopes nest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag {
    /// The same for the same name in any case.
    name: usize,
    closing: bool,
    takes_body: bool,
}

/// Numbers for names in any case.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<String, usize>);

impl Names {
    fn number(&mut self, name: &str) -> usize {
        let next = self.0.len();
        *self.0.entry(name.to_ascii_lowercase()).or_insert(next)
    }
}

fn tag(text: &str, registry: &Registry, names: &mut Names, call: &Call) -> Option<Tag> {
    let Body::Named { name, .. } = &call.body else { return None };
    let closing = is_closing(text, call);
    let takes_body = !closing && takes_body(text, registry, call);
    Some(Tag { name: names.number(&text[name.clone()]), closing, takes_body })
}

/// The role of every call. Calls inside a scope are not at this level: their role says nothing.
pub(super) fn roles(text: &str, registry: &Registry, names: &mut Names, calls: &mut [Call]) -> Vec<Role> {
    for call in calls.iter_mut().filter(|call| call.tag.is_none()) {
        call.tag = tag(text, registry, names, call);
    }
    let tags: Vec<Option<Tag>> = calls.iter().map(|call| call.tag).collect();
    let is_closing = |tag: &Option<Tag>| tag.is_some_and(|tag| tag.closing);
    let mut roles: Vec<Role> =
        tags.iter().map(|tag| if is_closing(tag) { Role::Text } else { Role::Single }).collect();
    if !tags.iter().any(is_closing) {
        return roles;
    }
    let mut closers = Closers::find(&tags, names.0.len());
    let mut at = 0;
    while at < tags.len() {
        let opener = tags[at].filter(|tag| !tag.closing);
        match opener.and_then(|opener| Some((opener, closers.take(at)?))) {
            None => at += 1,
            Some((opener, closer)) if opener.takes_body => {
                roles[at] = Role::Opens(closer);
                at = closer + 1;
            }
            Some(_) => {
                roles[at] = Role::Text;
                at += 1;
            }
        }
    }
    roles
}

/// For every call the closing tag of its name that is free at that place, and for every closing tag the one behind it.
struct Closers {
    nearest: Vec<Option<usize>>,
    next: Vec<Option<usize>>,
    used: Vec<bool>,
}

impl Closers {
    /// One walk from the end: closing tags wait, opening tags that can take a body use the nearest one up.
    fn find(tags: &[Option<Tag>], names: usize) -> Self {
        let mut waiting: Vec<Option<usize>> = vec![None; names];
        let (nearest, next) = (vec![None; tags.len()], vec![None; tags.len()]);
        let mut closers = Closers { nearest, next, used: vec![false; tags.len()] };
        for (index, tag) in tags.iter().enumerate().rev() {
            let Some(tag) = tag else { continue };
            let top = &mut waiting[tag.name];
            if tag.closing {
                closers.next[index] = top.replace(index);
            } else {
                closers.nearest[index] = *top;
                if let Some(closer) = top.filter(|_| tag.takes_body) {
                    *top = closers.next[closer];
                }
            }
        }
        closers
    }

    /// The closing tag for the opening tag at this place. One that is used up stands for the one behind it.
    fn take(&mut self, opener: usize) -> Option<usize> {
        let mut free = self.nearest[opener];
        while let Some(closer) = free.filter(|closer| self.used[*closer]) {
            free = self.next[closer];
        }
        // Shorten the way for the next one who asks.
        let mut passed = self.nearest[opener];
        while let Some(closer) = passed.filter(|closer| self.used[*closer]) {
            passed = std::mem::replace(&mut self.next[closer], free);
        }
        self.used[free?] = true;
        free
    }
}
