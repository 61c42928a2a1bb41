//! The Handlebars 4.7 templates of story strings: parsed once, rendered many times.
//!
//! The environment is SillyTavern's. Values are printed without escaping. A name that is not in the context survives
//! as `{{name}}`, so that the macro engine can look at it afterwards; its arguments are lost. There is one extra helper,
//! `trim`, which leaves the text `{{trim}}`. Otherwise this is stock Handlebars: `if`, `unless`, `each`, `with`, `lookup`,
//! `log`, else chains, block parameters, `@index` and friends, `../`, subexpressions, raw blocks, inline partials,
//! whitespace control with `~`, and tags that stand alone on a line.
//!
//! Work is bounded: nesting, partial calls and the number of executed parts have limits.

mod ast;
mod frame;
mod lexer;
mod parser;
mod path;
mod render;
mod sum;
mod value;
mod whitespace;

use serde_json::Value;
use std::fmt;

/// A parsed template.
///
/// ```
/// use serde_json::json;
/// use tavernkit_js::handlebars::Template;
///
/// let story = Template::compile("{{#if system}}{{system}}\n{{/if}}{{char}} meets {{user}}. {{roll::d6}}").unwrap();
/// let context = json!({"system": "", "char": "Tess", "user": "Ann"});
/// assert_eq!(story.render(&context).unwrap(), "Tess meets Ann. {{roll::d6}}");
/// ```
#[derive(Clone, Debug)]
pub struct Template {
    root: ast::Program,
}

impl Template {
    /// Parses a template.
    pub fn compile(source: &str) -> Result<Self, Error> {
        let mut root = parser::parse(source)?;
        whitespace::control(&mut root);
        Ok(Self { root })
    }

    /// Renders the template; unknown names survive as `{{name}}`.
    pub fn render(&self, context: &Value) -> Result<String, Error> {
        self.render_with(context, &mut str::to_owned)
    }

    /// Renders the template. `missing` gets the text `{{name}}` for each unknown name and says what to print instead.
    ///
    /// ```
    /// use serde_json::json;
    /// use tavernkit_js::handlebars::Template;
    ///
    /// let template = Template::compile("{{greeting}} {{name}}").unwrap();
    /// let text = template.render_with(&json!({"name": "Ann"}), &mut |unknown| unknown.to_uppercase()).unwrap();
    /// assert_eq!(text, "{{GREETING}} Ann");
    /// ```
    pub fn render_with(
        &self,
        context: &Value,
        missing: &mut dyn FnMut(&str) -> String,
    ) -> Result<String, Error> {
        render::render(&self.root, context, missing)
    }
}

/// What kind of trouble a template made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not a template.
    Syntax,
    /// A block is closed under another name.
    Mismatch,
    /// The template asks for something that cannot be done with this context.
    Render,
    /// Too deep or too much work.
    Limit,
}

/// Why a template could not be compiled or rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    line: Option<usize>,
}

impl Error {
    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), line: None }
    }

    fn render(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Render, message)
    }

    /// Names the line of a byte position in the source.
    fn at(mut self, source: &str, position: usize) -> Self {
        let before = &source.as_bytes()[..position.min(source.len())];
        self.line = Some(1 + before.iter().filter(|byte| **byte == b'\n').count());
        self
    }

    /// What kind of trouble it was.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The line of the template, from 1, when the trouble was in its text.
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.line {
            Some(line) => write!(f, " (line {line})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests;
