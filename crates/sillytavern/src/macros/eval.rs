//! Walks a template and writes the expanded text.
//!
//! Strictly left to right, depth first: the arguments of a macro, then its body, then the macro itself. What a macro
//! writes is never looked at again.

use std::borrow::Cow;

use tavernkit_core::{Scope, Variables, Warning};
use tavernkit_js::RandomSource;

use super::engine::Engine;
use super::env::Environment;
use super::fields::FieldCache;
use super::invocation::{Failure, Invocation};
use super::options::{DynamicMacro, Options};
use super::passes;
use super::registry::{Action, Arguments, Macro};
use super::template::{Choice, Document, MacroNode, Node, Template};
use super::trace::{Access, MacroEvent, Outcome, Trace, VariableEvent};

/// What one expansion has used and found, shared with the expansions it causes.
#[derive(Debug)]
pub(super) struct Run {
    pub warnings: Vec<Warning>,
    pub trace: Option<Trace>,
    pub banned: Vec<String>,
    fuel: u64,
    out_of_fuel: bool,
    pub depth: usize,
    /// The macro that is running, in the trace.
    current: Option<usize>,
}

impl Run {
    pub(super) fn new(fuel: u64) -> Self {
        let (warnings, banned) = (Vec::new(), Vec::new());
        Self { warnings, trace: None, banned, fuel, out_of_fuel: false, depth: 0, current: None }
    }

    /// Pays for making `bytes`. False, with one warning, when nothing is left.
    pub(super) fn pay(&mut self, bytes: usize) -> bool {
        let price = 1 + bytes as u64 / 64;
        if self.fuel >= price {
            self.fuel -= price;
            return true;
        }
        self.fuel = 0;
        if !self.out_of_fuel {
            self.out_of_fuel = true;
            let message = "the macros of this text take too much work; the rest was left as it is";
            self.warnings.push(Warning::new("macro.out_of_fuel", message));
        }
        false
    }
}

/// Expands one text. Card fields and raw arguments get their own, which borrow from this one.
pub(super) struct Evaluator<'e> {
    pub engine: &'e Engine,
    pub env: &'e Environment<'e>,
    pub options: &'e Options<'e>,
    pub variables: &'e mut Variables,
    pub random: &'e mut dyn RandomSource,
    pub run: &'e mut Run,
    /// The whole text as it was given, before anything was done to it.
    content: &'e str,
    content_hash: Option<u64>,
    original_used: bool,
    pub fields: FieldCache,
    /// The card field that is being expanded.
    pub field: Option<&'static str>,
}

/// Where a document is evaluated.
#[derive(Clone, Copy)]
pub(super) struct Frame<'t> {
    template: &'t Template,
    /// What to add to a place in the text to get the offset that `{{pick}}` is seeded with.
    shift: i64,
}

impl<'t> Frame<'t> {
    fn place(self, at: usize) -> Place<'t> {
        Place { frame: self, at }
    }
}

/// Where a macro stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    frame: Frame<'t>,
    at: usize,
}

impl Place<'_> {
    /// In UTF-16 units of the whole text. Worked out only when asked for: nearly no macro does.
    pub(super) fn offset(&self) -> i64 {
        let template = self.frame.template;
        template.offsets.utf16(template.text(), self.at) as i64 + self.frame.shift
    }
}

impl<'e> Evaluator<'e> {
    pub(super) fn new(
        engine: &'e Engine,
        env: &'e Environment<'e>,
        options: &'e Options<'e>,
        variables: &'e mut Variables,
        random: &'e mut dyn RandomSource,
        run: &'e mut Run,
        content: &'e str,
    ) -> Self {
        Self {
            engine,
            env,
            options,
            variables,
            random,
            run,
            content,
            content_hash: None,
            original_used: false,
            fields: FieldCache::default(),
            field: None,
        }
    }

    /// The whole template, with everything that happens to a whole text.
    pub(super) fn whole(&mut self, template: &Template) -> String {
        let frame = Frame { template, shift: 0 };
        let mut out = String::with_capacity(template.text().len());
        self.document(frame, &template.root, &mut out, true);
        let steps = passes::after(&mut out);
        if let Some(trace) = &mut self.run.trace
            && self.field.is_none()
        {
            for event in &mut trace.macros {
                for step in &steps {
                    event.output =
                        event.output.take().map(|span| step.to_new(span.start)..step.to_new(span.end));
                }
            }
        }
        out
    }

    /// A text that came up during the evaluation: expanded on its own, but as a part of this one.
    pub(super) fn nested_text(&mut self, text: &str) -> String {
        if self.run.depth >= self.engine.limits().depth {
            self.warn("macro.too_deep", "a macro expands itself without end; its text was left as it is");
            return text.to_owned();
        }
        self.run.depth += 1;
        let template = self.engine.parse(text);
        let mut out = String::new();
        self.document(Frame { template: &template, shift: 0 }, &template.root, &mut out, false);
        self.run.depth -= 1;
        passes::after(&mut out);
        out
    }

    fn document(&mut self, frame: Frame<'_>, document: &Document, out: &mut String, outermost: bool) {
        let text = frame.template.text();
        let mut copied = document.span.start;
        for node in &document.nodes {
            let span = node.span();
            out.push_str(&text[copied..span.start]);
            copied = span.end;
            let start = out.len();
            let event = self.enter(frame, node);
            let outcome = self.node(frame, node, out);
            self.leave(event, outcome, outermost.then_some(start..out.len()));
        }
        out.push_str(&text[copied..document.span.end]);
    }

    fn node(&mut self, frame: Frame<'_>, node: &Node, out: &mut String) -> Outcome {
        let text = frame.template.text();
        let too_deep = self.run.depth >= self.engine.limits().depth;
        if too_deep || !self.run.pay(0) {
            if too_deep {
                self.warn(
                    "macro.too_deep",
                    "macros are nested too deeply; the innermost ones were left as they are",
                );
            }
            out.push_str(&text[node.span().clone()]);
            return Outcome::LimitReached;
        }
        self.run.depth += 1;
        let start = out.len();
        let outcome = match node {
            Node::Macro(node) => self.macro_node(frame, node, out),
            Node::Variable(node) => {
                let value = |evaluator: &mut Self| evaluator.value(frame, &node.value);
                let name = &text[node.name.clone()];
                let operator = node.operator.clone().map(|operator| &text[operator]);
                let scope = if node.global { Scope::Global } else { Scope::Local };
                out.push_str(&self.shorthand(scope, name, operator, value));
                Outcome::Expanded
            }
            Node::Unfinished { tag, .. } => {
                out.push_str(&text[tag.clone()]);
                out.push_str("}}");
                Outcome::Unknown
            }
        };
        self.run.depth -= 1;
        self.run.pay(out.len() - start);
        outcome
    }

    /// The value of a variable operation.
    fn value(&mut self, frame: Frame<'_>, document: &Document) -> String {
        let mut value = String::new();
        self.document(frame, document, &mut value, false);
        value.trim_matches(tavernkit_core::number::is_js_space).to_owned()
    }

    fn macro_node(&mut self, frame: Frame<'_>, node: &MacroNode, out: &mut String) -> Outcome {
        let registry = &frame.template.registry;
        let known = node.known.map(|index| registry.at(index));
        let raw = known.is_some_and(|known| known.arguments == Arguments::Raw);
        let mut arguments: Vec<Cow<'_, str>> = Vec::with_capacity(node.arguments.len() + 1);
        for argument in node.arguments.iter().chain(&node.body) {
            arguments.push(self.part(frame, argument, raw));
        }
        if node.body.is_some()
            && !node.keep_space
            && !raw
            && let Some(body) = arguments.last_mut()
        {
            *body = passes::dedent(body).into();
        }
        let call = Call {
            name: &frame.template.text()[node.name.clone()],
            known,
            arguments: &arguments,
            scoped: node.body.is_some(),
            place: Some(frame.place(node.tag.start)),
            choice: node.choice.as_ref().map(|choice| (frame, choice, node.keep_space)),
        };
        match self.resolve(call) {
            Ok(result) => {
                out.push_str(&result);
                Outcome::Expanded
            }
            Err(outcome) => {
                write_raw(frame.template.text(), node, &arguments, out);
                outcome
            }
        }
    }

    /// An argument or a body: expanded, or as written.
    fn part<'t>(&mut self, frame: Frame<'t>, document: &Document, raw: bool) -> Cow<'t, str> {
        if raw || document.nodes.is_empty() {
            return Cow::Borrowed(&frame.template.text()[document.span.clone()]);
        }
        let mut out = String::new();
        self.document(frame, document, &mut out, false);
        Cow::Owned(out)
    }

    /// Finds who answers to the name, checks the arguments and runs it.
    fn resolve(&mut self, call: Call<'_, '_>) -> Result<String, Outcome> {
        let options = self.options;
        let result = match options.dynamic.get(call.name) {
            Some(DynamicMacro::Text(text)) => self.dynamic(&call, || text.clone()),
            Some(DynamicMacro::Function(function)) => self.dynamic(&call, || function()),
            Some(DynamicMacro::Json(value)) => match value {
                serde_json::Value::String(text) => self.dynamic(&call, || text.clone()),
                serde_json::Value::Number(_) | serde_json::Value::Bool(_) => {
                    self.warn("macro.dynamic_not_text", format!("dynamic macro {} is not a text", call.name));
                    self.dynamic(&call, || tavernkit_core::variables::to_text(value))
                }
                _ => {
                    self.warn("macro.dynamic_invalid", format!("dynamic macro {} is no macro", call.name));
                    self.registered(&call)
                }
            },
            Some(DynamicMacro::Macro(dynamic)) => self.invoke(dynamic, &call),
            None => self.registered(&call),
        };
        result.map(|text| match options.post_process {
            Some(post_process) => post_process(text),
            None => text,
        })
    }

    fn registered(&mut self, call: &Call<'_, '_>) -> Result<String, Outcome> {
        match call.known {
            Some(known) => self.invoke(known, call),
            None => Err(Outcome::Unknown),
        }
    }

    fn dynamic(&mut self, call: &Call<'_, '_>, text: impl FnOnce() -> String) -> Result<String, Outcome> {
        if call.arguments.is_empty() {
            return Ok(text());
        }
        self.warn_at(
            call,
            "macro.arity",
            format!("{{{{{}}}}} takes no arguments; it was left as it is", call.name),
        );
        Err(Outcome::BadArguments)
    }

    fn invoke(&mut self, known: &Macro, call: &Call<'_, '_>) -> Result<String, Outcome> {
        let count = call.arguments.len();
        if !known.accepts_count(count) {
            let message =
                format!("{{{{{}}}}} does not take {count} argument(s); it was left as it is", call.name);
            self.warn_at(call, "macro.arity", message);
            return Err(Outcome::BadArguments);
        }
        if let Some(index) =
            known.types.iter().zip(call.arguments).position(|(kind, text)| !kind.accepts(text))
        {
            let wanted = known.types[index];
            let message = format!(
                "argument {} of {{{{{}}}}} is not of type {wanted:?}; the macro was left as it is",
                index + 1,
                call.name
            );
            self.warn_at(call, "macro.argument_type", message);
            return Err(Outcome::BadArguments);
        }
        let result = match (&known.action, call.choice) {
            (Action::If, Some((frame, choice, keep_space))) => {
                let offset = call.place.map_or(0, |place| place.offset());
                Ok(self.choose(frame, choice, keep_space, offset))
            }
            (Action::If, None) => return Err(Outcome::BadArguments),
            (Action::Builtin(handler), _) => handler(&mut Invocation::new(self, call.parts())),
            (Action::Custom(handler), _) => handler(&mut Invocation::new(self, call.parts())),
        };
        result.map_err(|Failure { code, message }| {
            let message = format!("{{{{{}}}}}: {message}; it was left as it is", call.name);
            self.warn_at(call, code, message);
            Outcome::Refused
        })
    }

    /// `{{if}}`: only the chosen part is expanded.
    fn choose(&mut self, frame: Frame<'_>, choice: &Choice, keep_space: bool, offset: i64) -> String {
        let inside = |document: &Document| {
            let start = frame.template.offsets.utf16(frame.template.text(), document.span.start) as i64;
            Frame { shift: offset - start, ..frame }
        };
        let mut condition = String::new();
        self.document(inside(&choice.condition), &choice.condition, &mut condition, false);
        passes::after(&mut condition);
        let holds = super::shorthand::is_true(&self.condition_value(frame, condition)) != choice.inverted;
        let branch = if holds { Some(&choice.then) } else { choice.otherwise.as_ref() };
        let mut out = String::new();
        if let Some(branch) = branch {
            self.document(inside(branch), branch, &mut out, false);
            passes::after(&mut out);
        }
        if keep_space { out } else { passes::dedent(&out) }
    }

    /// A condition that names a variable or a macro stands for its value.
    fn condition_value(&mut self, frame: Frame<'_>, condition: String) -> String {
        if let Some((scope, name)) = super::shorthand::variable_reference(&condition) {
            return self.shorthand(scope, name, None, |_| String::new());
        }
        let name = condition.trim_matches(tavernkit_core::number::is_js_space);
        let registry = &frame.template.registry;
        match registry.get(name) {
            Some(known) if known.least == 0 => {
                let call = Call {
                    name,
                    known: Some(known),
                    arguments: &[],
                    scoped: false,
                    place: None,
                    choice: None,
                };
                let mut value = self.resolve(call).unwrap_or_else(|_| format!("{{{{{name}}}}}"));
                passes::after(&mut value);
                value
            }
            _ => condition,
        }
    }

    /// What `{{original}}` gives: the text the first time, nothing later, `None` when there is none.
    pub(super) fn take_original(&mut self) -> Option<String> {
        let original = self.options.original.as_ref()?;
        Some(if std::mem::replace(&mut self.original_used, true) {
            String::new()
        } else {
            original.to_string()
        })
    }

    /// A hash of everything that makes one `{{pick}}` differ from another.
    pub(super) fn pick_seed(&mut self, offset: i64, reroll: Option<&str>) -> u64 {
        let content = *self.content_hash.get_or_insert_with(|| tavernkit_js::hash::string_hash(self.content));
        let mut seed = format!("{}-{content}-{offset}", self.env.pick.chat_id_hash);
        if let Some(reroll) = reroll.filter(|reroll| !reroll.is_empty()) {
            seed.push('-');
            seed.push_str(reroll);
        }
        tavernkit_js::hash::string_hash(&seed)
    }

    /// The text of a registered macro, for those who know its name and arguments by themselves.
    pub(super) fn builtin(&mut self, name: &str, arguments: &[Cow<'_, str>]) -> Option<String> {
        let engine = self.engine;
        let known = engine.registry().get(name)?;
        self.invoke(known, &Call { name, known: None, arguments, scoped: false, place: None, choice: None })
            .ok()
    }

    pub(super) fn warn(&mut self, code: &'static str, message: impl Into<String>) {
        /// A text full of mistakes should not drown its reader.
        const MOST: usize = 100;
        if self.run.warnings.len() < MOST {
            self.run.warnings.push(Warning::new(code, message));
        }
    }

    fn warn_at(&mut self, call: &Call<'_, '_>, code: &'static str, message: String) {
        let count = self.run.warnings.len();
        self.warn(code, message);
        if let (Some(warning), Some(place)) = (self.run.warnings.get_mut(count), call.place) {
            let at = place.frame.template.to_original(place.at);
            let place =
                self.field.map_or_else(|| format!("byte {at}"), |field| format!("{field}, byte {at}"));
            warning.at = Some(place);
        }
    }

    pub(super) fn touch(&mut self, scope: Scope, name: &str, access: Access) {
        if let Some(trace) = &mut self.run.trace {
            trace.variables.push(VariableEvent {
                by: self.run.current,
                scope,
                name: name.to_owned(),
                access,
            });
        }
    }

    fn enter(&mut self, frame: Frame<'_>, node: &Node) -> Option<(usize, Option<usize>)> {
        let trace = self.run.trace.as_mut()?;
        let text = frame.template.text();
        let name = match node {
            Node::Macro(node) => text[node.name.clone()].to_owned(),
            Node::Variable(node) => {
                format!("{}{}", if node.global { '$' } else { '.' }, &text[node.name.clone()])
            }
            Node::Unfinished { .. } => String::new(),
        };
        let span = node.span();
        let index = trace.macros.len();
        trace.macros.push(MacroEvent {
            name,
            source: frame.template.to_original(span.start)..frame.template.to_original(span.end),
            field: self.field,
            parent: self.run.current,
            output: None,
            outcome: Outcome::Expanded,
        });
        Some((index, self.run.current.replace(index)))
    }

    fn leave(
        &mut self,
        event: Option<(usize, Option<usize>)>,
        outcome: Outcome,
        output: Option<std::ops::Range<usize>>,
    ) {
        if let (Some((index, parent)), Some(trace)) = (event, &mut self.run.trace) {
            self.run.current = parent;
            trace.macros[index].outcome = outcome;
            trace.macros[index].output = output.filter(|_| self.field.is_none());
        }
    }
}

/// A macro on its way to whoever answers to its name.
struct Call<'c, 't> {
    name: &'c str,
    known: Option<&'c Macro>,
    arguments: &'c [Cow<'c, str>],
    scoped: bool,
    /// `None` when it was not written anywhere.
    place: Option<Place<'c>>,
    choice: Option<(Frame<'t>, &'t Choice, bool)>,
}

impl<'c> Call<'c, '_> {
    fn parts(&self) -> super::invocation::Parts<'c> {
        super::invocation::Parts { arguments: self.arguments, scoped: self.scoped, place: self.place }
    }
}

/// A macro that stays: as written, with its arguments expanded in place. A body loses its closing tag, as in SillyTavern.
fn write_raw(text: &str, node: &MacroNode, arguments: &[Cow<'_, str>], out: &mut String) {
    let mut copied = node.tag.start;
    for (document, argument) in node.arguments.iter().zip(arguments) {
        out.push_str(&text[copied..document.span.start]);
        out.push_str(argument);
        copied = document.span.end;
    }
    out.push_str(&text[copied..node.tag.end]);
    if let Some(body) = node.body.as_ref().filter(|body| !body.span.is_empty()) {
        debug_assert_eq!(arguments.len(), node.arguments.len() + 1, "a body is the last argument");
        out.push_str(arguments.last().map_or(&text[body.span.clone()], |body| body));
        out.push_str("}}");
    }
}
