//! Where a part of a template is rendered: its context, those around it, `@` data, block parameters.

use std::rc::Rc;

use super::ast::Program;
use super::value::Value;

/// Everything a statement can see. Cheap to clone.
#[derive(Clone)]
pub(super) struct Frame<'a> {
    pub context: Value<'a>,
    /// The contexts for `../`, the innermost first.
    pub depths: List<Value<'a>>,
    pub data: Rc<Data<'a>>,
    /// One entry per surrounding body.
    pub block_params: List<BlockParams<'a>>,
}

/// The names of a body's parameters, and what they hold if whoever rendered the body gave values.
pub(super) struct BlockParams<'a> {
    pub names: &'a [String],
    pub values: Option<Vec<Value<'a>>>,
}

/// The `@` values.
#[derive(Clone)]
pub(super) struct Data<'a> {
    pub parent: Option<Rc<Data<'a>>>,
    pub root: Value<'a>,
    /// Set inside `each`.
    pub item: Option<Item<'a>>,
    /// What `{{> @partial-block}}` renders.
    pub partial_block: Option<Rc<Closure<'a>>>,
}

#[derive(Clone)]
pub(super) struct Item<'a> {
    pub key: Value<'a>,
    pub index: usize,
    pub is_last: bool,
}

impl<'a> Data<'a> {
    pub fn get(&self, name: &str) -> Value<'a> {
        if name == "root" {
            return self.root.clone();
        }
        let Some(item) = &self.item else { return Value::Undefined };
        match name {
            "key" => item.key.clone(),
            "index" => Value::Number(item.index as f64),
            "first" => Value::Bool(item.index == 0),
            "last" => Value::Bool(item.is_last),
            _ => Value::Undefined,
        }
    }

    /// A frame inside this one that starts with the same values.
    pub fn inner(self: &Rc<Self>) -> Self {
        Self { parent: Some(self.clone()), ..Self::clone(self) }
    }
}

/// A body with the surroundings it was written in.
pub(super) struct Closure<'a> {
    pub program: &'a Program,
    pub frame: Frame<'a>,
    /// Inline partials declared in the body.
    pub partials: Vec<(String, Rc<Closure<'a>>)>,
    /// For the body of a partial's call: the partial block that was current there.
    pub outer_partial_block: Option<Rc<Closure<'a>>>,
}

/// A list that shares its tail.
pub(super) struct List<T>(Option<Rc<Node<T>>>);

struct Node<T> {
    value: T,
    next: List<T>,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// Without recursion: a template may declare very many partials.
impl<T> Drop for List<T> {
    fn drop(&mut self) {
        while let Some(mut node) = self.0.take().and_then(Rc::into_inner) {
            self.0 = node.next.0.take();
        }
    }
}

impl<T> List<T> {
    pub fn new() -> Self {
        Self(None)
    }

    pub fn with(&self, value: T) -> Self {
        Self(Some(Rc::new(Node { value, next: self.clone() })))
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::successors(self.0.as_deref(), |node| node.next.0.as_deref()).map(|node| &node.value)
    }
}
