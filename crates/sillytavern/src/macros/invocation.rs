//! What a macro's handler sees and may do.

use std::borrow::Cow;

use serde_json::Value;
use tavernkit_core::{Scope, Variables};
use tavernkit_js::RandomSource;

use super::env::Environment;
use super::eval::{Evaluator, Place};
use super::fields::CardField;
use super::trace::Access;

/// Why a handler did not answer. The macro stays as it is written and a warning says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl Failure {
    /// A sentence part for people, such as "the count is negative".
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: "macro.refused", message: message.into() }
    }
}

/// One call of a macro: its arguments, and the world as far as a macro may touch it.
pub struct Invocation<'i, 'e> {
    pub(super) evaluator: &'i mut Evaluator<'e>,
    parts: Parts<'i>,
}

#[derive(Clone, Copy)]
pub(super) struct Parts<'i> {
    pub arguments: &'i [Cow<'i, str>],
    pub scoped: bool,
    pub place: Option<Place<'i>>,
}

impl<'i, 'e> Invocation<'i, 'e> {
    pub(super) fn new(evaluator: &'i mut Evaluator<'e>, parts: Parts<'i>) -> Self {
        Self { evaluator, parts }
    }

    /// The argument with this index, empty when it was not given. A scoped body is the last argument.
    pub fn argument(&self, index: usize) -> &'i str {
        self.parts.arguments.get(index).map_or("", |argument| argument)
    }

    /// All arguments.
    pub fn arguments(&self) -> &'i [Cow<'i, str>] {
        self.parts.arguments
    }

    /// Was the last argument written between two tags?
    pub fn is_scoped(&self) -> bool {
        self.parts.scoped
    }

    /// Where the macro stands in the whole text, in UTF-16 units.
    pub fn offset(&self) -> i64 {
        self.parts.place.map_or(0, |place| place.offset())
    }

    /// The environment of this expansion.
    pub fn environment(&self) -> &'e Environment<'e> {
        self.evaluator.env
    }

    /// The name of the user in this text.
    pub fn user(&self) -> &'e str {
        self.evaluator.options.user.as_deref().unwrap_or(&self.evaluator.env.cast.user)
    }

    /// The name of the character in this text.
    pub fn character(&self) -> &'e str {
        self.evaluator.options.character.as_deref().unwrap_or(&self.evaluator.env.cast.character)
    }

    /// A field of the card, with its macros expanded.
    pub fn card_field(&mut self, field: CardField) -> String {
        self.evaluator.card_field(field)
    }

    /// The next random number.
    pub fn random(&mut self) -> &mut dyn RandomSource {
        self.evaluator.random
    }

    /// The variables, for reading without a trace; [`Self::read`] leaves one.
    pub fn variables(&self) -> &Variables {
        self.evaluator.variables
    }

    /// The value of a variable as templates see it.
    pub fn read(&mut self, scope: Scope, name: &str) -> Value {
        self.evaluator.read(scope, name)
    }

    /// Stores a variable. A variable needs a name.
    pub fn write(&mut self, scope: Scope, name: &str, value: impl Into<Value>) -> Result<(), Failure> {
        if name.is_empty() {
            return Err(Failure::new("a variable needs a name"));
        }
        let value = value.into();
        if !self.evaluator.run.pay(super::shorthand::weight(&value)) {
            return Err(Failure::new("the text has made too much already"));
        }
        self.evaluator.touch(scope, name, Access::Write);
        self.evaluator.variables.set(scope, name, value);
        Ok(())
    }

    /// Adds to a variable and gives the new value; see [`Variables::add`].
    pub fn add(&mut self, scope: Scope, name: &str, operand: impl Into<Value>) -> Result<Value, Failure> {
        self.evaluator.add(scope, name, operand.into())
    }

    /// Removes a variable.
    pub fn delete(&mut self, scope: Scope, name: &str) {
        self.evaluator.touch(scope, name, Access::Delete);
        self.evaluator.variables.delete(scope, name);
    }

    /// Is there such a variable?
    pub fn has(&mut self, scope: Scope, name: &str) -> bool {
        self.evaluator.touch(scope, name, Access::Test);
        self.evaluator.variables.has(scope, name)
    }

    /// Expands another text as a part of this one.
    pub fn expand(&mut self, text: &str) -> String {
        self.evaluator.nested_text(text)
    }

    /// Says that something was odd. The code is a stable, dotted name.
    pub fn warn(&mut self, code: &'static str, message: impl Into<String>) {
        self.evaluator.warn(code, message);
    }

    /// Pays for work of this many bytes before doing it.
    pub fn pay(&mut self, bytes: usize) -> Result<(), Failure> {
        if self.evaluator.run.pay(bytes) { Ok(()) } else { Err(Failure::new("it would make too much text")) }
    }
}
