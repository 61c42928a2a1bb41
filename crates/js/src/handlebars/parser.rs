//! Builds the tree.

use super::ast::{
    Block, Bodies, Call, Content, Decorator, Expression, Partial, PartialName, Path, Program, Statement,
    Strip, is_scoped,
};
use super::lexer::{self, Token};
use super::{Error, ErrorKind};
use crate::number;

/// Blocks and subexpressions may be nested this deep.
const MAX_NESTING: usize = 100;

pub(super) fn parse(source: &str) -> Result<Program, Error> {
    let tokens = lexer::tokens(source);
    let mut parser = Parser { source, tokens, at: 0, nesting: 0 };
    let program = parser.program()?;
    parser.expect(&Token::End, "the end of the template")?;
    Ok(program)
}

struct Parser<'s> {
    source: &'s str,
    tokens: Vec<(usize, Token)>,
    at: usize,
    nesting: usize,
}

/// The start of a block: what it calls, its parameters and its `~`.
struct OpenTag {
    name: Name,
    call: Call,
    block_params: Vec<String>,
    strip: Strip,
}

/// The name of a tag as Handlebars compares it: a text is not a number, even if it looks like one.
#[derive(Clone, Debug, PartialEq)]
enum Name {
    Text(String),
    Number(f64),
    Word(&'static str),
}

impl Name {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(value) => number::format(*value),
            Self::Word(word) => (*word).to_owned(),
        }
    }
}

/// What follows a block's first body.
struct InverseTail {
    strip: Strip,
    program: Program,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        // The end token is never taken, so there is always one.
        self.tokens.get(self.at).map_or(&Token::End, |(_, token)| token)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &Token, what: &str) -> Result<(), Error> {
        if self.take(token) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    fn unexpected(&self, what: &str) -> Error {
        match self.peek() {
            Token::Invalid(problem) => self.error(ErrorKind::Syntax, (*problem).to_owned()),
            _ => self.error(ErrorKind::Syntax, format!("expected {what}")),
        }
    }

    fn error(&self, kind: ErrorKind, message: String) -> Error {
        let position = self.tokens.get(self.at).map_or(self.source.len(), |(position, _)| *position);
        Error::new(kind, message).at(self.source, position)
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.nesting == MAX_NESTING {
            return Err(self.error(ErrorKind::Limit, format!("nested more than {MAX_NESTING} deep")));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    fn program(&mut self) -> Result<Program, Error> {
        let mut body = Vec::new();
        while let Some(statement) = self.statement()? {
            body.push(statement);
        }
        Ok(Program { body, ..Program::default() })
    }

    fn statement(&mut self) -> Result<Option<Statement>, Error> {
        let statement = match self.peek().clone() {
            Token::Content(text) => {
                self.at += 1;
                Statement::Content(content(text))
            }
            Token::Comment { open, close } => {
                self.at += 1;
                Statement::Comment(Strip { open, close })
            }
            Token::Open { .. } | Token::OpenUnescaped { .. } => self.mustache()?,
            Token::OpenBlock { strip, decorator } => self.nested(|p| p.block(strip, decorator))?,
            Token::OpenInverse { strip } => self.nested(|p| p.inverse_block(strip))?,
            Token::OpenRawBlock => self.raw_block()?,
            Token::OpenPartial { strip } => self.partial(strip)?,
            Token::OpenPartialBlock { strip } => self.nested(|p| p.partial_block(strip))?,
            _ => return Ok(None),
        };
        Ok(Some(statement))
    }

    fn mustache(&mut self) -> Result<Statement, Error> {
        let (open, decorator, unescaped) = match self.next() {
            Token::OpenUnescaped { strip } => (strip, false, true),
            Token::Open { strip, decorator } => (strip, decorator, false),
            _ => return Err(self.unexpected("a tag")),
        };
        let (_, call) = self.call()?;
        let close = if unescaped {
            match self.peek() {
                Token::CloseUnescaped { strip } => *strip,
                _ => return Err(self.unexpected("}}}")),
            }
        } else {
            match self.peek() {
                Token::Close { strip } => *strip,
                _ => return Err(self.unexpected("}}")),
            }
        };
        self.at += 1;
        let strip = Strip { open, close };
        Ok(if decorator {
            Statement::Decorator(Box::new(Decorator { call, strip, bodies: None }))
        } else {
            Statement::Mustache { call, strip }
        })
    }

    fn block(&mut self, open: bool, decorator: bool) -> Result<Statement, Error> {
        let tag = self.open_tag(open)?;
        let mut program = self.program()?;
        let tail = self.inverse_chain()?;
        let close_strip = self.close_tag(&tag.name)?;
        program.block_params = tag.block_params;
        if !decorator {
            let bodies = bodies(program, tail, tag.strip, close_strip);
            return Ok(Statement::Block(Box::new(Block { call: tag.call, bodies })));
        }
        if tail.is_some() {
            return Err(self.error(ErrorKind::Render, "a decorator takes no else".into()));
        }
        let bodies = Some(bodies(program, None, tag.strip, close_strip));
        Ok(Statement::Decorator(Box::new(Decorator { call: tag.call, strip: tag.strip, bodies })))
    }

    /// `{{^name}}…{{/name}}`: the body is what is rendered otherwise.
    fn inverse_block(&mut self, open: bool) -> Result<Statement, Error> {
        let tag = self.open_tag(open)?;
        let mut inverse = self.program()?;
        let tail = self.inverse_and_program()?;
        let close_strip = self.close_tag(&tag.name)?;
        inverse.block_params = tag.block_params;
        let inverse_strip = tail.as_ref().map(|tail| tail.strip).unwrap_or_default();
        let bodies = Bodies {
            program: tail.map(|tail| tail.program),
            inverse: Some(inverse),
            open_strip: tag.strip,
            inverse_strip,
            close_strip,
        };
        Ok(Statement::Block(Box::new(Block { call: tag.call, bodies })))
    }

    /// `{{#name …}}`, `{{^name …}}`, `{{else name …}}`.
    fn open_tag(&mut self, open: bool) -> Result<OpenTag, Error> {
        self.at += 1;
        let (name, call) = self.call()?;
        let block_params = self.block_params()?;
        let close = self.close()?;
        Ok(OpenTag { name, call, block_params, strip: Strip { open, close } })
    }

    fn close(&mut self) -> Result<bool, Error> {
        match self.next() {
            Token::Close { strip } => Ok(strip),
            _ => {
                self.at -= 1;
                Err(self.unexpected("}}"))
            }
        }
    }

    fn close_tag(&mut self, opened: &Name) -> Result<Strip, Error> {
        let Token::OpenEndBlock { strip: open } = *self.peek() else {
            return Err(self.unexpected(&format!("{{{{/{}}}}}", opened.text())));
        };
        self.at += 1;
        let (closed, _) = self.name()?;
        let close = self.close()?;
        self.check_names(opened, &closed)?;
        Ok(Strip { open, close })
    }

    fn check_names(&self, opened: &Name, closed: &Name) -> Result<(), Error> {
        if opened == closed {
            return Ok(());
        }
        let message = format!("{} is closed as {}", opened.text(), closed.text());
        Err(self.error(ErrorKind::Mismatch, message))
    }

    fn inverse_chain(&mut self) -> Result<Option<InverseTail>, Error> {
        let Token::OpenInverseChain { strip } = *self.peek() else {
            return self.inverse_and_program();
        };
        self.nested(|parser| {
            let tag = parser.open_tag(strip)?;
            let mut program = parser.program()?;
            let tail = parser.inverse_chain()?;
            program.block_params = tag.block_params;
            // The block that closes the chain is not known here; the end of the enclosing block sets it.
            let close_strip = tail.as_ref().map(|tail| tail.strip).unwrap_or_default();
            let bodies = bodies(program, tail, tag.strip, close_strip);
            let block = Statement::Block(Box::new(Block { call: tag.call, bodies }));
            let program = Program { body: vec![block], chained: true, ..Program::default() };
            Ok(Some(InverseTail { strip: tag.strip, program }))
        })
    }

    fn inverse_and_program(&mut self) -> Result<Option<InverseTail>, Error> {
        let Token::Inverse { open, close } = *self.peek() else { return Ok(None) };
        self.at += 1;
        let program = self.program()?;
        Ok(Some(InverseTail { strip: Strip { open, close }, program }))
    }

    fn raw_block(&mut self) -> Result<Statement, Error> {
        self.at += 1;
        let (name, call) = self.call()?;
        self.expect(&Token::CloseRawBlock, "}}}}")?;
        let mut body = Vec::new();
        while let Token::Content(text) = self.peek().clone() {
            self.at += 1;
            body.push(Statement::Content(content(text)));
        }
        let Token::EndRawBlock(closed) = self.next() else {
            self.at -= 1;
            return Err(self.unexpected("the end of a raw block"));
        };
        self.check_names(&name, &Name::Text(closed))?;
        let bodies = Bodies { program: Some(Program { body, ..Program::default() }), ..Bodies::default() };
        Ok(Statement::Block(Box::new(Block { call, bodies })))
    }

    fn partial(&mut self, open: bool) -> Result<Statement, Error> {
        self.at += 1;
        let (_, partial) = self.partial_head()?;
        let close = self.close()?;
        Ok(Statement::Partial(Box::new(Partial { strip: Strip { open, close }, ..partial })))
    }

    fn partial_block(&mut self, open: bool) -> Result<Statement, Error> {
        self.at += 1;
        let (name, partial) = self.partial_head()?;
        let close = self.close()?;
        let strip = Strip { open, close };
        let program = self.program()?;
        let close_strip = self.close_tag(&name)?;
        let bodies = Some(bodies(program, None, strip, close_strip));
        Ok(Statement::Partial(Box::new(Partial { strip, bodies, ..partial })))
    }

    fn partial_head(&mut self) -> Result<(Name, Partial), Error> {
        let (name, partial_name) = if *self.peek() == Token::OpenSexpr {
            let call = self.subexpression()?;
            (Name::Word("undefined"), PartialName::Computed(call))
        } else {
            let (name, _) = self.name()?;
            let text = name.text();
            (name, PartialName::Fixed(text))
        };
        let mut params = self.params()?;
        let hash = self.hash()?.unwrap_or_default();
        if params.len() > 1 {
            return Err(self.error(ErrorKind::Render, "a partial takes one context".into()));
        }
        let partial = Partial {
            name: partial_name,
            context: params.pop(),
            hash,
            indent: String::new(),
            strip: Strip::default(),
            bodies: None,
        };
        Ok((name, partial))
    }

    fn call(&mut self) -> Result<(Name, Call), Error> {
        let (name, path) = self.name()?;
        let path = match path {
            Expression::Path(path) => path,
            _ => Path::of_literal(name.text()),
        };
        let params = self.params()?;
        let hash = self.hash()?;
        Ok((name, Call { path, params, hash }))
    }

    fn subexpression(&mut self) -> Result<Call, Error> {
        self.nested(|parser| {
            parser.expect(&Token::OpenSexpr, "(")?;
            let (_, call) = parser.call()?;
            parser.expect(&Token::CloseSexpr, ")")?;
            Ok(call)
        })
    }

    fn params(&mut self) -> Result<Vec<Expression>, Error> {
        let mut params = Vec::new();
        while let Some(param) = self.param()? {
            params.push(param);
        }
        Ok(params)
    }

    fn param(&mut self) -> Result<Option<Expression>, Error> {
        match self.peek() {
            Token::OpenSexpr => Ok(Some(Expression::Call(Box::new(self.subexpression()?)))),
            Token::Id { .. } if matches!(self.tokens.get(self.at + 1), Some((_, Token::Equals))) => Ok(None),
            Token::Id { .. }
            | Token::Data
            | Token::Text(_)
            | Token::Number(_)
            | Token::Bool(_)
            | Token::Undefined
            | Token::Null => self.name().map(|(_, expression)| Some(expression)),
            _ => Ok(None),
        }
    }

    fn hash(&mut self) -> Result<Option<Vec<(String, Expression)>>, Error> {
        let mut pairs = Vec::new();
        while let Token::Id { part, .. } = self.peek().clone() {
            self.at += 1;
            self.expect(&Token::Equals, "=")?;
            let value = self.param()?.ok_or_else(|| self.unexpected("a value"))?;
            pairs.push((part, value));
        }
        Ok(if pairs.is_empty() { None } else { Some(pairs) })
    }

    fn block_params(&mut self) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        if !self.take(&Token::OpenBlockParams) {
            return Ok(names);
        }
        while let Token::Id { written, .. } = self.peek().clone() {
            self.at += 1;
            names.push(written);
        }
        if names.is_empty() {
            return Err(self.unexpected("a name"));
        }
        self.expect(&Token::CloseBlockParams, "|")?;
        Ok(names)
    }

    /// A path or a literal.
    fn name(&mut self) -> Result<(Name, Expression), Error> {
        let word = |word, expression| Ok((Name::Word(word), expression));
        match self.next() {
            Token::Text(text) => Ok((Name::Text(text.clone()), Expression::Text(text))),
            Token::Number(number) => Ok((Name::Number(number), Expression::Number(number))),
            Token::Bool(true) => word("true", Expression::Bool(true)),
            Token::Bool(false) => word("false", Expression::Bool(false)),
            Token::Undefined => word("undefined", Expression::Undefined),
            Token::Null => word("null", Expression::Null),
            Token::Data => self.path(true),
            Token::Id { .. } => {
                self.at -= 1;
                self.path(false)
            }
            _ => {
                self.at -= 1;
                Err(self.unexpected("a name"))
            }
        }
    }

    fn path(&mut self, data: bool) -> Result<(Name, Expression), Error> {
        let mut path = Path {
            data,
            depth: 0,
            parts: Vec::new(),
            original: if data { "@".to_owned() } else { String::new() },
            scoped: false,
        };
        let mut invalid = None;
        loop {
            let Token::Id { written, part } = self.next() else {
                self.at -= 1;
                return Err(self.unexpected("a name"));
            };
            path.original.push_str(&part);
            if written == part && matches!(part.as_str(), ".." | "." | "this") {
                if !path.parts.is_empty() && invalid.is_none() {
                    invalid = Some(path.original.clone());
                }
                path.depth += usize::from(part == "..");
            } else {
                path.parts.push(part);
            }
            let Token::Separator(separator) = *self.peek() else { break };
            self.at += 1;
            path.original.push(separator);
        }
        if let Some(original) = invalid {
            return Err(self.invalid_path(&original));
        }
        path.scoped = is_scoped(&path.original);
        Ok((Name::Text(path.original.clone()), Expression::Path(path)))
    }

    /// `a.this`, `a/..`. What cannot follow a path at all is the greater trouble.
    fn invalid_path(&self, original: &str) -> Error {
        match self.peek() {
            Token::Invalid(_) | Token::End | Token::CloseBlockParams | Token::Content(_) => {
                self.unexpected("}}")
            }
            _ => self.error(ErrorKind::Render, format!("{original} is no path")),
        }
    }
}

fn content(text: String) -> Content {
    Content { original: text.clone(), value: text, left_stripped: false, right_stripped: false }
}

fn bodies(program: Program, tail: Option<InverseTail>, open_strip: Strip, close_strip: Strip) -> Bodies {
    let inverse_strip = tail.as_ref().map(|tail| tail.strip).unwrap_or_default();
    let mut inverse = tail.map(|tail| tail.program);
    if let Some(Program { body, chained: true, .. }) = &mut inverse
        && let Some(Statement::Block(block)) = body.first_mut()
    {
        block.bodies.close_strip = close_strip;
    }
    Bodies { program: Some(program), inverse, open_strip, inverse_strip, close_strip }
}
