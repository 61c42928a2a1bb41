//! A text whose macros are found: parsed once, evaluated as often as needed.

use std::ops::Range;
use std::sync::Arc;

use tavernkit_core::Warning;
use tavernkit_core::number::is_js_space;

use super::engine::{EngineKind, Limits};
use super::lexer;
use super::offsets::Offsets;
use super::parser::{self, Argument, Body, Call, Calls};
use super::passes::{self, Edited};
use super::registry::{Action, Registry};
use super::scopes::{self, Names, Role};

/// A parsed text. Made by [`super::Engine::parse`]; cheap to evaluate again and again, from any thread.
#[derive(Debug)]
pub struct Template {
    pub(super) kind: EngineKind,
    pub(super) original: String,
    /// Old spellings replaced; `None` when there were none.
    pub(super) edited: Option<Edited>,
    pub(super) registry: Arc<Registry>,
    pub(super) root: Document,
    pub(super) offsets: Offsets,
    pub(super) warnings: Vec<Warning>,
}

/// A stretch of text with its macros; what lies between them is text.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub span: Range<usize>,
    pub nodes: Vec<Node>,
}

#[derive(Debug)]
pub(super) enum Node {
    Macro(Box<MacroNode>),
    Variable(Box<VariableNode>),
    /// The start of a macro that never came to a name, inside a variable's value.
    Unfinished {
        tag: Range<usize>,
        span: Range<usize>,
    },
}

#[derive(Debug)]
pub(super) struct MacroNode {
    /// The opening tag.
    pub tag: Range<usize>,
    /// Up to the end of the closing tag, if there is one.
    pub span: Range<usize>,
    pub name: Range<usize>,
    /// Index in the registry; `None` when unknown there.
    pub known: Option<usize>,
    pub keep_space: bool,
    pub arguments: Vec<Document>,
    pub body: Option<Document>,
    /// The parts of an `{{if}}` that has a condition and a content.
    pub choice: Option<Choice>,
}

#[derive(Debug)]
pub(super) struct Choice {
    pub inverted: bool,
    pub condition: Document,
    pub then: Document,
    pub otherwise: Option<Document>,
}

#[derive(Debug)]
pub(super) struct VariableNode {
    pub span: Range<usize>,
    pub global: bool,
    pub name: Range<usize>,
    pub operator: Option<Range<usize>>,
    pub value: Document,
}

impl Node {
    pub(super) fn span(&self) -> &Range<usize> {
        match self {
            Node::Macro(node) => &node.span,
            Node::Variable(node) => &node.span,
            Node::Unfinished { span, .. } => span,
        }
    }

    fn span_mut(&mut self) -> &mut Range<usize> {
        match self {
            Node::Macro(node) => &mut node.span,
            Node::Variable(node) => &mut node.span,
            Node::Unfinished { span, .. } => span,
        }
    }
}

impl Template {
    pub(super) fn parse(text: &str, kind: EngineKind, registry: &Arc<Registry>, limits: &Limits) -> Self {
        let mut template = Self {
            kind,
            original: text.to_owned(),
            edited: None,
            registry: registry.clone(),
            root: Document { span: 0..text.len(), nodes: Vec::new() },
            offsets: Offsets::default(),
            warnings: Vec::new(),
        };
        if kind == EngineKind::V2 {
            template.edited = passes::before(text);
            let text = template.edited.as_ref().map_or(text, |edited| &edited.text);
            let mut builder =
                Builder { text, registry, depth: limits.depth, too_deep: None, names: Names::default() };
            template.root = builder.range(0..text.len(), 0);
            let too_deep = builder.too_deep;
            template.offsets = Offsets::new(text);
            template.warnings.extend(too_deep.map(|at| {
                let message = "macros are nested too deeply; the innermost ones were left as they are";
                Warning::new("macro.too_deep", message).at(format!("byte {}", template.to_original(at)))
            }));
        }
        template
    }

    /// The text this was parsed from.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// What was odd about the text itself.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Is there nothing to expand? Then the text stands for itself, but for escaped braces.
    pub fn is_plain(&self) -> bool {
        self.kind == EngineKind::V2 && self.root.nodes.is_empty()
    }

    /// The text that spans of the parts refer to.
    pub(super) fn text(&self) -> &str {
        self.edited.as_ref().map_or(&self.original, |edited| &edited.text)
    }

    pub(super) fn to_original(&self, at: usize) -> usize {
        self.edited.as_ref().map_or(at, |edited| edited.to_old(at))
    }
}

struct Builder<'t> {
    text: &'t str,
    registry: &'t Registry,
    /// How deep documents may nest, and macros in one document.
    depth: usize,
    too_deep: Option<usize>,
    names: Names,
}

impl Builder<'_> {
    fn find(&mut self, span: &Range<usize>, depth: usize) -> Calls {
        let tokens = match depth <= self.depth {
            true => lexer::tokenize(self.text, span.start, span.end, self.depth),
            false => Err(lexer::TooDeep),
        };
        match tokens {
            Ok(tokens) => parser::parse(self.text, &tokens),
            Err(lexer::TooDeep) => {
                self.too_deep.get_or_insert(span.start);
                Calls::default()
            }
        }
    }

    fn range(&mut self, span: Range<usize>, depth: usize) -> Document {
        if memchr::memmem::find(&self.text.as_bytes()[span.clone()], b"{{").is_none() {
            return Document { span, nodes: Vec::new() };
        }
        let found = self.find(&span, depth);
        self.document(span, found, depth)
    }

    fn document(&mut self, span: Range<usize>, found: Calls, depth: usize) -> Document {
        let Calls { mut calls, clean } = found;
        let mut nodes = Vec::new();
        if depth > self.depth {
            if !calls.is_empty() {
                self.too_deep.get_or_insert(span.start);
            }
            return Document { span, nodes };
        }
        let roles = scopes::roles(self.text, self.registry, &mut self.names, &mut calls);
        let mut calls = calls.into_iter().enumerate();
        while let Some((index, call)) = calls.next() {
            match roles[index] {
                Role::Text => {}
                Role::Single => nodes.push(self.node(call, None, depth)),
                Role::Opens(closer) => {
                    let inside: Vec<Call> =
                        calls.by_ref().take(closer - index - 1).map(|(_, call)| call).collect();
                    let Some((_, closing)) = calls.next() else { break };
                    let body = Scope {
                        span: call.span.end..closing.span.start,
                        found: clean.then_some(Calls { calls: inside, clean }),
                        end: closing.span.end,
                    };
                    nodes.push(self.node(call, Some(body), depth));
                }
            }
        }
        Document { span, nodes }
    }

    fn node(&mut self, call: Call, scope: Option<Scope>, depth: usize) -> Node {
        let Call { span: tag, keep_space, body, .. } = call;
        match body {
            Body::Nameless => Node::Unfinished { span: tag.clone(), tag },
            Body::Variable { global, name, operation } => {
                let mut node =
                    VariableNode { span: tag, global, name, operator: None, value: Document::default() };
                if let Some(operation) = operation {
                    node.operator = Some(operation.operator);
                    node.value.span = operation.value;
                    node.value.nodes = self.value_nodes(operation.calls, node.value.span.end, depth + 1);
                }
                Node::Variable(Box::new(node))
            }
            Body::Named { name, arguments } => {
                let known = self.registry.index(&self.text[name.clone()]);
                let is_if = known.is_some_and(|index| matches!(self.registry.at(index).action, Action::If));
                let span = tag.start..scope.as_ref().map_or(tag.end, |scope| scope.end);
                let mut node = MacroNode {
                    tag,
                    span,
                    name,
                    known,
                    keep_space,
                    arguments: Vec::new(),
                    body: None,
                    choice: None,
                };
                if is_if {
                    self.fill_if(&mut node, arguments, scope, depth);
                } else {
                    node.arguments =
                        arguments.into_iter().map(|argument| self.argument(argument, depth + 1)).collect();
                    node.body = scope.map(|scope| self.scope_body(scope, depth + 1));
                }
                Node::Macro(Box::new(node))
            }
        }
    }

    /// Tags in a value are not paired: each macro stands alone. After an unfinished variable only macros count, no text.
    fn value_nodes(&mut self, calls: Vec<Call>, end: usize, depth: usize) -> Vec<Node> {
        if depth > self.depth {
            self.too_deep.get_or_insert(end);
            return Vec::new();
        }
        let starts: Vec<usize> = calls.iter().map(|call| call.span.start).skip(1).chain([end]).collect();
        let mut swallowing = false;
        calls
            .into_iter()
            .zip(starts)
            .map(|(call, next)| {
                swallowing |= call.unfinished && !matches!(call.body, Body::Nameless);
                let mut node = self.node(call, None, depth);
                if swallowing {
                    node.span_mut().end = next;
                }
                node
            })
            .collect()
    }

    fn argument(&mut self, argument: Argument, depth: usize) -> Document {
        match argument.calls {
            Some(calls) => self.document(argument.span, Calls { calls, clean: true }, depth),
            None => self.range(argument.span, depth),
        }
    }

    fn scope_body(&mut self, scope: Scope, depth: usize) -> Document {
        match scope.found {
            Some(found) => self.document(scope.span, found, depth),
            None => self.range(scope.span, depth),
        }
    }

    /// The arguments of an `{{if}}` are never expanded as such: the condition and the chosen part are.
    fn fill_if(
        &mut self,
        node: &mut MacroNode,
        arguments: Vec<Argument>,
        scope: Option<Scope>,
        depth: usize,
    ) {
        let plain = |span: &Range<usize>| Document { span: span.clone(), nodes: Vec::new() };
        node.arguments = arguments.iter().map(|argument| plain(&argument.span)).collect();
        node.body = scope.as_ref().map(|scope| plain(&scope.span));
        let mut arguments = arguments.into_iter();
        let (Some(condition), content, None) = (arguments.next(), arguments.next(), arguments.next()) else {
            return;
        };
        let content = match (content, scope) {
            (Some(Argument { span, calls }), None) => {
                Scope { end: span.end, span, found: calls.map(|calls| Calls { calls, clean: true }) }
            }
            (None, Some(scope)) => scope,
            _ => return,
        };
        let (inverted, condition) = self.condition(condition, depth + 1);
        let (then, otherwise) = self.branches(content, depth + 1);
        node.choice = Some(Choice { inverted, condition, then, otherwise });
    }

    /// One leading `!` inverts.
    fn condition(&mut self, argument: Argument, depth: usize) -> (bool, Document) {
        let text = &self.text[argument.span.clone()];
        match text.trim_start_matches(is_js_space).strip_prefix('!') {
            None => (false, self.argument(argument, depth)),
            Some(rest) => {
                let rest = rest.trim_start_matches(is_js_space);
                (true, self.range(argument.span.end - rest.len()..argument.span.end, depth))
            }
        }
    }

    /// Splits at the first `{{else}}` that belongs to this `{{if}}`.
    fn branches(&mut self, content: Scope, depth: usize) -> (Document, Option<Document>) {
        let found = match content.found {
            Some(found) => found,
            None => self.find(&content.span, depth),
        };
        let Some(index) = self.else_index(&found.calls) else {
            return (self.document(content.span, found, depth), None);
        };
        let tag = found.calls[index].span.clone();
        let (then_span, else_span) = (content.span.start..tag.start, tag.end..content.span.end);
        if !found.clean {
            return (self.range(then_span, depth), Some(self.range(else_span, depth)));
        }
        let mut then = found.calls;
        let otherwise = Calls { calls: then.split_off(index + 1), clean: true };
        then.truncate(index);
        let then = self.document(then_span, Calls { calls: then, clean: true }, depth);
        (then, Some(self.document(else_span, otherwise, depth)))
    }

    /// Only lower-case `if` with one argument and lower-case `/if` count as nesting here.
    fn else_index(&self, calls: &[Call]) -> Option<usize> {
        let mut level = 0_i64;
        calls.iter().position(|call| {
            let Body::Named { name, arguments } = &call.body else { return false };
            match &self.text[name.clone()] {
                _ if call.hoisted => {}
                "if" if call.closing => level -= 1,
                "if" if arguments.len() == 1 => level += 1,
                "else" => return level == 0,
                _ => {}
            }
            false
        })
    }
}

struct Scope {
    span: Range<usize>,
    /// The macros inside, when no new look is needed.
    found: Option<Calls>,
    /// Where the closing tag ends.
    end: usize,
}
