//! Finds the macros of one document.
//!
//! The grammar, with the error recovery of the parser generator SillyTavern uses: a missing token is assumed when the
//! next one could follow it, one surplus token is dropped when the wanted one comes after it, and otherwise a rule is
//! given up and its innermost caller that can go on with one of the next tokens does. A macro without a real `}}` is
//! no macro: it stays text, and the complete macros inside it count as if they stood outside.
//!
//! ```text
//! document  := (Text | call | "{{" as text)*
//! call      := "{{" Flag* (variable | (Name | "//") arguments?) "}}"
//! arguments := "::" list-arg ("::" list-arg)* | ":"? single-arg
//! list-arg  := (call | Word | ":")*            single-arg := (call | Word | ":" | "::")+
//! variable  := Prefix Variable (Step | Operator (call | Word)*)?
//! ```

use std::ops::Range;

use super::lexer::{Kind, Token};
use super::scopes::Tag;

/// A complete macro in a document. Ranges are bytes of the text that was parsed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub span: Range<usize>,
    /// Carries the flag `/`.
    pub closing: bool,
    /// Carries the flag `#`: the body keeps its white space.
    pub keep_space: bool,
    /// Stands inside an unfinished macro.
    pub hoisted: bool,
    /// Has no `}}` of its own. Only in values, where such a macro still counts.
    pub unfinished: bool,
    /// What [`super::scopes`] found out about it.
    pub tag: Option<Tag>,
    pub body: Body,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    /// Nothing that could be a name; such a call is never complete.
    Nameless,
    Named {
        name: Range<usize>,
        arguments: Vec<Argument>,
    },
    Variable {
        global: bool,
        name: Range<usize>,
        operation: Option<Operation>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    pub span: Range<usize>,
    /// The macros inside, when they are certainly those that parsing the argument by itself would find.
    pub calls: Option<Vec<Call>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operation {
    pub operator: Range<usize>,
    /// The text after the operator (an empty range when there is none) and the macros in it.
    pub value: Range<usize>,
    pub calls: Vec<Call>,
}

/// The macros of a document, in order.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub calls: Vec<Call>,
    /// Nothing had to be recovered, so any part between two macros parses to the same macros by itself.
    pub clean: bool,
}

/// A rule was given up; some caller has to find a token to go on with.
struct GivenUp;

type Parsed = Result<(), GivenUp>;

/// A set of token kinds.
#[derive(Clone, Copy)]
struct Set(u16);

impl Set {
    const fn of(kinds: &[Kind]) -> Set {
        let mut bits = 0;
        let mut i = 0;
        while i < kinds.len() {
            bits |= 1 << kinds[i] as u16;
            i += 1;
        }
        Set(bits)
    }

    fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }

    const fn and(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }
}

/// Where a call stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Document,
    Argument,
    Value,
}

/// What may follow a call in each place.
const AFTER_IN_DOCUMENT: Set = Set::of(&[Kind::Text, Kind::Open]);
const AFTER_IN_LIST: Set = Set::of(&[Kind::Open, Kind::Word, Kind::Colon]);
const AFTER_IN_SINGLE: Set = Set::of(&[Kind::Open, Kind::Word, Kind::Colon, Kind::DoubleColon]);
const AFTER_IN_VALUE: Set = Set::of(&[Kind::Open, Kind::Word]);
const CLOSE: Set = Set::of(&[Kind::Close]);
const DOUBLE_COLON: Set = Set::of(&[Kind::DoubleColon]);
const NOTHING: Set = Set::of(&[]);
/// What makes a `{{` the start of a call and not text.
const HEAD: Set = Set::of(&[Kind::Flag, Kind::Prefix, Kind::Name, Kind::Comment]);

/// Finds the macros in the tokens of a document of `text`.
pub(super) fn parse(text: &str, tokens: &[Token]) -> Calls {
    let end = Set::of(&[Kind::End]);
    let mut parser =
        Parser { text, tokens, at: 0, last_end: 0, wanted: vec![end], found: Vec::new(), clean: true };
    parser.document();
    Calls { calls: parser.found, clean: parser.clean }
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    /// Where the last token that was used ends.
    last_end: usize,
    /// For each open rule: every kind with which it or one of its callers could go on.
    wanted: Vec<Set>,
    /// Complete calls so far; those inside an unfinished call stay here, those inside a finished one move into it.
    found: Vec<Call>,
    clean: bool,
}

impl Parser<'_> {
    fn peek(&self, ahead: usize) -> Kind {
        self.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn next_start(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |token| token.start)
    }

    /// Uses the next token, which the caller has looked at.
    fn take(&mut self) -> Range<usize> {
        let token = self.tokens[self.at];
        self.at += 1;
        self.last_end = token.end;
        token.start..token.end
    }

    /// Uses a token of this kind; `None` when it is missing but `next` could come right after it.
    fn expect(&mut self, kind: Kind, next: Set) -> Result<Option<Range<usize>>, GivenUp> {
        if self.peek(0) == kind {
            return Ok(Some(self.take()));
        }
        self.clean = false;
        if next.has(self.peek(0)) {
            Ok(None)
        } else if self.peek(1) == kind {
            self.at += 1;
            Ok(Some(self.take()))
        } else {
            Err(GivenUp)
        }
    }

    /// Runs a rule after which `follow` may come. A rule given up ends at the next token that it or a caller wants.
    fn rule(&mut self, follow: Set, body: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        let outer = self.wanted.last().copied().unwrap_or(NOTHING);
        self.wanted.push(outer.and(follow));
        let mut result = body(self);
        if result.is_err() {
            self.clean = false;
            let wanted = outer.and(follow);
            let skipped = (0..).take_while(|ahead| !wanted.has(self.peek(*ahead))).count();
            if follow.has(self.peek(skipped)) {
                self.at += skipped;
                result = Ok(());
            }
        }
        self.wanted.pop();
        result
    }

    fn document(&mut self) {
        loop {
            match self.peek(0) {
                Kind::End => return,
                Kind::Open if HEAD.has(self.peek(1)) => {
                    if self.call(Place::Document, AFTER_IN_DOCUMENT, AFTER_IN_DOCUMENT).is_err() {
                        return;
                    }
                }
                Kind::Open | Kind::Text => {
                    self.take();
                }
                _ => {
                    self.clean = false;
                    self.at += 1;
                }
            }
        }
    }

    /// One macro. `follow` may come after it in the calling rule, `next` anywhere after it.
    fn call(&mut self, place: Place, follow: Set, next: Set) -> Parsed {
        let inner = self.found.len();
        let mut call = Call {
            span: 0..0,
            closing: false,
            keep_space: false,
            hoisted: false,
            unfinished: false,
            tag: None,
            body: Body::Nameless,
        };
        let mut complete = false;
        let result = self.rule(follow, |parser| {
            complete = parser.call_parts(&mut call, next)?;
            Ok(())
        });
        if complete {
            match &mut call.body {
                Body::Variable { operation: Some(operation), .. } => {
                    operation.calls = self.found.split_off(inner);
                }
                _ => self.found.truncate(inner),
            }
            self.found.push(call);
        } else if place == Place::Value
            && self.found.len() == inner
            && !matches!(call.body, Body::Named { .. })
        {
            call.unfinished = true;
            self.found.push(call);
        } else {
            self.hoist(inner, call);
        }
        result
    }

    /// The macros inside an unfinished one count as if they stood outside.
    fn hoist(&mut self, inner: usize, unfinished: Call) {
        if let Body::Named { arguments, .. } = unfinished.body {
            self.found.extend(arguments.into_iter().filter_map(|argument| argument.calls).flatten());
        }
        let mut inside = self.found.split_off(inner);
        inside.retain(|call| !call.unfinished);
        inside.sort_by_key(|call| call.span.start);
        inside.iter_mut().for_each(|call| call.hoisted = true);
        self.found.append(&mut inside);
    }

    /// Fills in a call as far as it goes. True when it has its own `}}`.
    fn call_parts(&mut self, call: &mut Call, next: Set) -> Result<bool, GivenUp> {
        call.span = self.take();
        while self.peek(0) == Kind::Flag {
            let flag = self.take();
            call.span.end = flag.end;
            match self.text.as_bytes()[flag.start] {
                b'/' => call.closing = true,
                b'#' => call.keep_space = true,
                _ => {}
            }
        }
        match self.peek(0) {
            Kind::Prefix => self.variable(&mut call.body)?,
            Kind::Name | Kind::Comment => {
                let name = self.take();
                let mut arguments = Vec::new();
                let mut result = Ok(());
                if AFTER_IN_SINGLE.has(self.peek(0)) {
                    result = self.rule(CLOSE, |parser| parser.arguments(&mut arguments));
                }
                call.body = Body::Named { name, arguments };
                result?;
            }
            _ => return Err(GivenUp),
        }
        let Some(close) = self.expect(Kind::Close, next)? else {
            return Ok(false);
        };
        call.span.end = close.end;
        Ok(true)
    }

    fn arguments(&mut self, arguments: &mut Vec<Argument>) -> Parsed {
        if self.peek(0) != Kind::DoubleColon {
            if self.peek(0) == Kind::Colon {
                self.take();
            }
            return self.argument(arguments, NOTHING, AFTER_IN_SINGLE, CLOSE);
        }
        while self.peek(0) == Kind::DoubleColon {
            self.take();
            self.argument(arguments, DOUBLE_COLON, AFTER_IN_LIST, DOUBLE_COLON.and(CLOSE))?;
        }
        Ok(())
    }

    /// One argument: everything in `parts`. What was read of it counts even if it is given up.
    fn argument(&mut self, arguments: &mut Vec<Argument>, follow: Set, parts: Set, next: Set) -> Parsed {
        let inner = self.found.len();
        let was_clean = std::mem::replace(&mut self.clean, true);
        let first = self.next_start();
        let before = self.last_end;
        let result = self.rule(follow, |parser| {
            if !parts.has(parser.peek(0)) && parts.has(Kind::DoubleColon) {
                return Err(GivenUp);
            }
            while parts.has(parser.peek(0)) {
                if parser.peek(0) == Kind::Open {
                    parser.call(Place::Argument, parts, parts.and(next))?;
                } else {
                    parser.take();
                }
            }
            Ok(())
        });
        let span = if self.last_end > before { first..self.last_end } else { before..before };
        let calls = (self.clean && result.is_ok()).then(|| self.found.split_off(inner));
        arguments.push(Argument { span, calls });
        self.clean &= was_clean;
        result
    }

    fn value(&mut self) -> Parsed {
        while AFTER_IN_VALUE.has(self.peek(0)) {
            if self.peek(0) == Kind::Open {
                self.call(Place::Value, AFTER_IN_VALUE, AFTER_IN_VALUE.and(CLOSE))?;
            } else {
                self.take();
            }
        }
        Ok(())
    }

    fn variable(&mut self, body: &mut Body) -> Parsed {
        let prefix = self.take();
        let global = self.text.as_bytes()[prefix.start] == b'$';
        let mut name = prefix.end..prefix.end;
        let mut operation = None;
        let result = self.rule(CLOSE, |parser| {
            if let Some(found) =
                parser.expect(Kind::Variable, Set::of(&[Kind::Step, Kind::Operator, Kind::Close]))?
            {
                name = found;
            }
            match parser.peek(0) {
                Kind::Step => {
                    let operator = parser.take();
                    let value = operator.end..operator.end;
                    operation = Some(Operation { operator, value, calls: Vec::new() });
                }
                Kind::Operator => {
                    let operator = parser.take();
                    let first = parser.next_start();
                    let result = parser.value();
                    let end = parser.last_end;
                    let value = if end > operator.end { first..end } else { operator.end..operator.end };
                    operation = Some(Operation { operator, value, calls: Vec::new() });
                    result?;
                }
                _ => {}
            }
            Ok(())
        });
        *body = Body::Variable { global, name, operation };
        result
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::tokenize;
    use super::*;

    /// The macros found, each as its own text with its arguments in brackets.
    fn found(text: &str) -> Vec<String> {
        let tokens = tokenize(text, 0, text.len(), 64).unwrap();
        parse(text, &tokens).calls.iter().map(|call| show(text, call)).collect()
    }

    fn show(text: &str, call: &Call) -> String {
        match &call.body {
            Body::Named { name, arguments } => {
                let arguments: Vec<_> = arguments.iter().map(|a| &text[a.span.clone()]).collect();
                format!("{}{arguments:?}", &text[name.clone()])
            }
            Body::Nameless => "?".into(),
            Body::Variable { name, operation, .. } => {
                let operation =
                    operation.as_ref().map(|o| (&text[o.operator.clone()], &text[o.value.clone()]));
                format!(".{}{operation:?}", &text[name.clone()])
            }
        }
    }

    #[test]
    fn the_first_separator_decides() {
        for (text, expected) in [
            ("{{m::a::b}}", r#"m["a", "b"]"#),
            ("{{m a::b}}", r#"m["a::b"]"#),
            ("{{m:a::b}}", r#"m["a::b"]"#),
            ("{{m :: a :: b }}", r#"m["a", "b"]"#),
            ("{{m:::a}}", r#"m[":a"]"#),
            ("{{m::::}}", r#"m["", ""]"#),
            ("{{m:: }}", r#"m[""]"#),
            ("{{m:}}", r#"m[""]"#),
            ("{{m: ::a}}", r#"m["::a"]"#),
            ("{{m}}", "m[]"),
            ("{{m }}", "m[]"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
    }

    #[test]
    fn unfinished_macros_give_their_inner_ones_away() {
        assert_eq!(found("x {{user b {{char}} y"), ["char[]"]);
        assert_eq!(found("{{setvar::a::{{user}}"), ["user[]"]);
        assert_eq!(found("{{}} {{1x}} {{?}} {{user}}"), ["user[]"]);
    }

    #[test]
    fn a_broken_inner_macro_lends_its_braces() {
        assert_eq!(found("{{echo::{{1}} b}}"), [r#"echo["{{1"]"#]);
        assert_eq!(found("{{echo::{{!}} b}}"), [r#"echo["{{!"]"#]);
        assert_eq!(found("{{echo::{{.x y z}} b}}"), [r#"echo["{{.x y z"]"#]);
    }

    #[test]
    fn variables_recover_from_one_surplus_token() {
        for text in ["{{.x y}}", "{{..x}}", "{{.$x}}", "{{.x !}}"] {
            assert_eq!(found(text), [".xNone"], "{text}");
        }
        assert_eq!(found("{{.}}"), [".None"]);
        for text in ["{{.x - 1}}", "{{.x::y}}", "{{.x y z}}", "{{.x.y}}", "{{.1}}", "{{.x ? y}}"] {
            assert!(found(text).is_empty(), "{text}");
        }
        assert_eq!(found("{{.x = a:b}}"), [r#".xSome(("=", "a:b"))"#]);
    }
}
