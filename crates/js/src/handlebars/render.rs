//! Walks the tree and writes the text.

use serde_json::Value as Json;
use std::rc::Rc;

use super::ast::{
    Block, Bodies, Call, Decorator, Expression, Partial, PartialName, Path, Program, Statement,
};
use super::frame::{BlockParams, Closure, Data, Frame, Item, List};
use super::path::{Walk, is_block_param, resolve};
use super::sum::{Body, Sum};
use super::value::Value;
use super::{Error, ErrorKind};
use crate::object;

/// Statements one rendering may execute.
const MAX_STEPS: usize = 200_000;
/// Bodies may be rendered inside of each other this deep: more than a template can nest, less than a stack can hold.
const MAX_DEPTH: usize = 200;

/// Helpers that Handlebars calls whatever the context holds under their names.
const KNOWN: [&str; 8] =
    ["helperMissing", "blockHelperMissing", "each", "if", "unless", "with", "log", "lookup"];

pub(super) fn render(
    root: &Program,
    context: &Json,
    missing: &mut dyn FnMut(&str) -> String,
) -> Result<String, Error> {
    let context = Value::Json(context);
    let data = Rc::new(Data { parent: None, root: context.clone(), item: None, partial_block: None });
    let depths = List::new().with(context.clone());
    let frame = Frame { context: context.clone(), depths, data, block_params: List::new() };
    let mut renderer = Renderer { missing, steps: 0, depth: 0, partials: List::new() };
    let main = renderer.close(root, &frame)?;
    renderer.run(&main, context, None, None).map(Sum::into_text)
}

struct Renderer<'a, 'm> {
    missing: &'m mut dyn FnMut(&str) -> String,
    steps: usize,
    depth: usize,
    /// Inline partials, the innermost first. They belong to what is running, not to where it was written.
    partials: List<(String, Rc<Closure<'a>>)>,
}

/// What a path with arguments turns out to be.
enum Kind {
    /// Something is called.
    Helper,
    /// A helper if there is one of that name, else a value.
    Ambiguous,
    /// A value.
    Simple,
}

fn classify(call: &Call, frame: &Frame<'_>, is_subexpression: bool) -> Kind {
    let simple = call.path.is_simple();
    if simple && is_block_param(&call.path, frame) {
        return Kind::Simple;
    }
    let has_arguments = !call.params.is_empty() || call.hash.is_some();
    if is_subexpression || has_arguments || (simple && known(&call.path).is_some()) {
        Kind::Helper
    } else if simple {
        Kind::Ambiguous
    } else {
        Kind::Simple
    }
}

fn known(path: &Path) -> Option<&str> {
    path.first().filter(|name| KNOWN.contains(name))
}

/// What a helper is called with.
#[derive(Default)]
struct Arguments<'a> {
    positional: Vec<Value<'a>>,
    include_zero: bool,
}

/// The bodies of a block, ready to run.
struct BodyPair<'a> {
    program: Option<Closure<'a>>,
    inverse: Option<Closure<'a>>,
}

impl<'a> Renderer<'a, '_> {
    fn statements(&mut self, program: &'a Program, frame: &Frame<'a>) -> Result<Sum<'a>, Error> {
        let mut sum = Body::new();
        for statement in &program.body {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(Error::new(
                    ErrorKind::Limit,
                    format!("more than {MAX_STEPS} parts were rendered"),
                ));
            }
            match statement {
                Statement::Content(content) if content.value.is_empty() => {}
                Statement::Content(content) => sum.push(Sum::Value(Value::Text(&content.value))),
                Statement::Comment(_) | Statement::Decorator(_) => {}
                Statement::Mustache { call, .. } => sum.push(Sum::of(self.call(call, frame, false)?)),
                Statement::Block(block) => match classify(&block.call, frame, false) {
                    Kind::Ambiguous if program.body.len() > 1 => {
                        let part = self.block(block, frame)?;
                        sum.push_break(part);
                    }
                    _ => sum.push(self.block(block, frame)?),
                },
                Statement::Partial(partial) => sum.push(self.partial(partial, frame)?),
            }
        }
        Ok(sum.finish())
    }

    /// A body with its surroundings; its decorators are looked at now, even if it is never rendered.
    fn close(&mut self, program: &'a Program, frame: &Frame<'a>) -> Result<Closure<'a>, Error> {
        let mut partials = Vec::new();
        for statement in &program.body {
            if let Statement::Decorator(decorator) = statement {
                partials.extend(self.decorate(decorator, frame)?);
            }
        }
        Ok(Closure { program, frame: frame.clone(), partials, outer_partial_block: None })
    }

    fn decorate(
        &mut self,
        decorator: &'a Decorator,
        frame: &Frame<'a>,
    ) -> Result<Option<(String, Rc<Closure<'a>>)>, Error> {
        if decorator.call.path.original != "inline" {
            return Err(Error::render(format!("there is no decorator {}", decorator.call.path.original)));
        }
        let name = match decorator.call.params.first() {
            Some(name) => self.expression(name, frame)?.to_text().into_owned(),
            None => "undefined".to_owned(),
        };
        match &decorator.bodies {
            Some(Bodies { program: Some(program), .. }) => {
                Ok(Some((name, Rc::new(self.close(program, frame)?))))
            }
            _ => Ok(None),
        }
    }

    /// Renders a body with a context.
    fn run(
        &mut self,
        closure: &Closure<'a>,
        context: Value<'a>,
        data: Option<Rc<Data<'a>>>,
        block_params: Option<Vec<Value<'a>>>,
    ) -> Result<Sum<'a>, Error> {
        if self.depth == MAX_DEPTH {
            return Err(Error::new(ErrorKind::Limit, format!("rendered more than {MAX_DEPTH} deep")));
        }
        let surroundings = &closure.frame;
        let current = surroundings.depths.iter().next().cloned().unwrap_or(Value::Undefined);
        let null_again = matches!(context, Value::NullContext) && matches!(current, Value::Json(Json::Null));
        let depths = if context.is_same(&current) || null_again {
            surroundings.depths.clone()
        } else {
            surroundings.depths.with(context.clone())
        };
        let params = BlockParams { names: &closure.program.block_params, values: block_params };
        let frame = Frame {
            context,
            depths,
            data: data.unwrap_or_else(|| surroundings.data.clone()),
            block_params: surroundings.block_params.with(params),
        };
        let before = self.partials.clone();
        for partial in &closure.partials {
            self.partials = self.partials.with(partial.clone());
        }
        self.depth += 1;
        let result = self.statements(closure.program, &frame);
        self.depth -= 1;
        self.partials = before;
        result
    }

    fn run_or_nothing(
        &mut self,
        closure: Option<&Closure<'a>>,
        context: Value<'a>,
    ) -> Result<Sum<'a>, Error> {
        closure.map_or_else(|| Ok(Sum::empty()), |closure| self.run(closure, context, None, None))
    }

    fn expression(&mut self, expression: &'a Expression, frame: &Frame<'a>) -> Result<Value<'a>, Error> {
        match expression {
            Expression::Path(path) => resolve(path, frame, Walk::Nullish),
            Expression::Call(call) => self.call(call, frame, true),
            literal => Ok(Value::literal(literal).unwrap_or(Value::Undefined)),
        }
    }

    /// A mustache or a subexpression.
    fn call(
        &mut self,
        call: &'a Call,
        frame: &Frame<'a>,
        is_subexpression: bool,
    ) -> Result<Value<'a>, Error> {
        match classify(call, frame, is_subexpression) {
            Kind::Simple => resolve(&call.path, frame, Walk::Nullish),
            Kind::Ambiguous => self.ambiguous(&call.path, frame),
            Kind::Helper => {
                let arguments = self.arguments(call, frame)?;
                match known(&call.path) {
                    Some("log") => Ok(Value::Undefined),
                    Some("lookup") => lookup(&arguments.positional),
                    Some(name) => Err(Error::render(format!("{name} needs a block: {{{{#{name} …}}}}"))),
                    None => self.unknown_helper(&call.path, frame),
                }
            }
        }
    }

    fn arguments(&mut self, call: &'a Call, frame: &Frame<'a>) -> Result<Arguments<'a>, Error> {
        let mut arguments = Arguments::default();
        for param in &call.params {
            arguments.positional.push(self.expression(param, frame)?);
        }
        for (key, value) in call.hash.iter().flatten() {
            let value = self.expression(value, frame)?;
            // Of the named ones only this is ever looked at; the others are evaluated for their errors.
            if key == "includeZero" {
                arguments.include_zero = value.is_truthy();
            }
        }
        Ok(arguments)
    }

    /// `{{name}}`: the helper, the value, or the text that stands for what is missing.
    fn ambiguous(&mut self, path: &'a Path, frame: &Frame<'a>) -> Result<Value<'a>, Error> {
        let name = path.first().unwrap_or_default();
        if name == "trim" {
            return Ok(Value::Text("{{trim}}"));
        }
        let value = resolve(path, frame, Walk::Nullish)?;
        Ok(if value.is_nullish() { self.missing(name) } else { value })
    }

    /// A call of something that is not built in: a value cannot be called, nothing is a missing helper.
    fn unknown_helper(&mut self, path: &'a Path, frame: &Frame<'a>) -> Result<Value<'a>, Error> {
        if path.is_simple() && path.first() == Some("trim") {
            return Ok(Value::Text("{{trim}}"));
        }
        if resolve(path, frame, Walk::Falsy)?.is_truthy() {
            return Err(Error::render(format!("{} is a value and takes no arguments", path.original)));
        }
        Ok(self.missing(&path.original))
    }

    fn missing(&mut self, name: &str) -> Value<'a> {
        Value::Made((self.missing)(&format!("{{{{{name}}}}}")).into())
    }

    fn block(&mut self, block: &'a Block, frame: &Frame<'a>) -> Result<Sum<'a>, Error> {
        let call = &block.call;
        let kind = classify(call, frame, false);
        let arguments =
            if let Kind::Helper = kind { self.arguments(call, frame)? } else { Arguments::default() };
        let mut close = |program: &'a Option<Program>| {
            program.as_ref().map(|program| self.close(program, frame)).transpose()
        };
        let bodies =
            BodyPair { program: close(&block.bodies.program)?, inverse: close(&block.bodies.inverse)? };
        let value = match kind {
            Kind::Helper => return self.block_helper(call, &arguments, &bodies, frame),
            Kind::Simple => resolve(&call.path, frame, Walk::Nullish)?,
            Kind::Ambiguous => {
                let value = self.ambiguous(&call.path, frame)?;
                if call.path.first() == Some("trim") {
                    return Ok(Sum::of(value));
                }
                value
            }
        };
        self.block_value(value, &bodies, frame)
    }

    fn block_helper(
        &mut self,
        call: &'a Call,
        arguments: &Arguments<'a>,
        bodies: &BodyPair<'a>,
        frame: &Frame<'a>,
    ) -> Result<Sum<'a>, Error> {
        let BodyPair { program, inverse } = bodies;
        let one = |name: &str| match arguments.positional.as_slice() {
            [argument] => Ok(argument.clone()),
            _ => Err(Error::render(format!("#{name} takes exactly one argument"))),
        };
        let this = if frame.context.is_nullish() { Value::NullContext } else { frame.context.clone() };
        match known(&call.path) {
            Some(name @ ("if" | "unless")) => {
                let condition = one(name)?;
                let holds = (arguments.include_zero || condition.is_truthy()) && !condition.is_empty();
                let chosen = if holds == (name == "if") { program } else { inverse };
                self.run_or_nothing(chosen.as_ref(), this)
            }
            Some("with") => {
                let context = one("with")?;
                match program {
                    _ if context.is_empty() => self.run_or_nothing(inverse.as_ref(), this),
                    Some(program) => self.run(program, context.clone(), None, Some(vec![context])),
                    None => Ok(Sum::empty()),
                }
            }
            Some("each") => {
                let list = one("each")?;
                self.each(&list, bodies, this, &frame.data)
            }
            Some("log") => Ok(Sum::empty()),
            Some("lookup") => lookup(&arguments.positional).map(Sum::of),
            Some(name) => Err(Error::render(format!("{name} cannot be called"))),
            None => self.unknown_helper(&call.path, frame).map(Sum::of),
        }
    }

    /// `{{#value}}…{{/value}}`: a list is walked, true keeps the context, false and nothing choose the other body.
    fn block_value(
        &mut self,
        value: Value<'a>,
        bodies: &BodyPair<'a>,
        frame: &Frame<'a>,
    ) -> Result<Sum<'a>, Error> {
        let this = frame.context.clone();
        match value {
            Value::Bool(true) | Value::Json(Json::Bool(true)) => {
                self.run_or_nothing(bodies.program.as_ref(), this)
            }
            Value::Undefined | Value::Bool(false) | Value::Json(Json::Null | Json::Bool(false)) => {
                self.run_or_nothing(bodies.inverse.as_ref(), this)
            }
            Value::Json(Json::Array(items)) if items.is_empty() => {
                self.run_or_nothing(bodies.inverse.as_ref(), this)
            }
            Value::Json(Json::Array(_)) => self.each(&value, bodies, this, &frame.data),
            value => self.run_or_nothing(bodies.program.as_ref(), value),
        }
    }

    fn each(
        &mut self,
        list: &Value<'a>,
        bodies: &BodyPair<'a>,
        this: Value<'a>,
        data: &Rc<Data<'a>>,
    ) -> Result<Sum<'a>, Error> {
        let items: Vec<(Value<'a>, Value<'a>)> = match list {
            Value::Json(Json::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(i, item)| (Value::Number(i as f64), Value::Json(item)))
                .collect(),
            Value::Json(Json::Object(map)) => object::ordered_entries(map)
                .into_iter()
                .map(|(key, member)| (Value::Text(key), Value::Json(member)))
                .collect(),
            _ => Vec::new(),
        };
        if items.is_empty() {
            return self.run_or_nothing(bodies.inverse.as_ref(), this);
        }
        let Some(program) = &bodies.program else { return Ok(Sum::empty()) };
        let count = items.len();
        let mut text = String::new();
        for (index, (key, value)) in items.into_iter().enumerate() {
            let item = Item { key: key.clone(), index, is_last: index + 1 == count };
            let data = Rc::new(Data { item: Some(item), ..data.inner() });
            let part = self.run(program, value.clone(), Some(data), Some(vec![value, key]))?;
            text.push_str(&part.into_text());
        }
        Ok(Sum::Text(text))
    }

    fn partial(&mut self, partial: &'a Partial, frame: &Frame<'a>) -> Result<Sum<'a>, Error> {
        let name = match &partial.name {
            PartialName::Fixed(name) => name.clone(),
            PartialName::Computed(call) => self.call(call, frame, true)?.to_text().into_owned(),
        };
        let mut context = match &partial.context {
            Some(context) => self.expression(context, frame)?,
            None => frame.context.clone(),
        };
        if !partial.hash.is_empty() {
            let mut members = Vec::with_capacity(partial.hash.len());
            for (key, value) in &partial.hash {
                members.push((key.clone(), self.expression(value, frame)?));
            }
            context = Value::Extended { base: Rc::new(context), members: Rc::new(members) };
        }
        let own_block = match &partial.bodies {
            Some(Bodies { program: Some(program), .. }) => {
                let mut closure = self.close(program, frame)?;
                closure.outer_partial_block = frame.data.partial_block.clone();
                Some(Rc::new(closure))
            }
            _ => None,
        };
        let found = if name == "@partial-block" {
            frame.data.partial_block.clone()
        } else {
            self.partials.iter().find(|(known, _)| *known == name).map(|(_, closure)| closure.clone())
        };
        let Some(target) = found.or_else(|| own_block.clone()) else {
            return Err(Error::render(format!("there is no partial {name}")));
        };
        // The body of a call sees the partial block that was current where it was written.
        let partial_block =
            if target.outer_partial_block.is_some() || is_same_block(&target, own_block.as_ref()) {
                target.outer_partial_block.clone()
            } else {
                own_block.or_else(|| frame.data.partial_block.clone())
            };
        let data = Rc::new(Data { partial_block, ..frame.data.inner() });
        let sum = self.run(&target, context, Some(data), None)?;
        Ok(if partial.indent.is_empty() {
            sum
        } else {
            Sum::Text(indented(&sum.into_text(), &partial.indent))
        })
    }
}

fn is_same_block<'a>(target: &Rc<Closure<'a>>, block: Option<&Rc<Closure<'a>>>) -> bool {
    block.is_some_and(|block| Rc::ptr_eq(block, target))
}

/// `lookup object field`; nothing falsy is looked into.
fn lookup<'a>(arguments: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match arguments {
        [object, ..] if !object.is_truthy() => Ok(object.clone()),
        [object, field] => Ok(object.property(&field.to_text())),
        _ => Err(Error::render("lookup takes an object and a field")),
    }
}

/// Every line with blanks before it, except an empty last one.
fn indented(text: &str, indent: &str) -> String {
    let mut result = String::with_capacity(text.len() + indent.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        if !(line.is_empty() && is_last) {
            result.push_str(indent);
        }
        result.push_str(line);
        if !is_last {
            result.push('\n');
        }
    }
    result
}
