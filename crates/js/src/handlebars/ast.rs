//! A template as a tree.

/// Statements in a row: a whole template or the inside of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub body: Vec<Statement>,
    /// Names after `as |…|`.
    pub block_params: Vec<String>,
    /// Made by `{{else name …}}`: the body is that one block.
    pub chained: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Content(Content),
    Comment(Strip),
    Mustache { call: Call, strip: Strip },
    Block(Box<Block>),
    Partial(Box<Partial>),
    Decorator(Box<Decorator>),
}

/// Plain text. Whitespace control shortens `value` and keeps looking at `original`.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub original: String,
    pub value: String,
    pub left_stripped: bool,
    pub right_stripped: bool,
}

/// Which sides of a tag carry a `~`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strip {
    pub open: bool,
    pub close: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    pub call: Call,
    pub bodies: Bodies,
}

/// The insides of a block and the `~` of its tags.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    pub program: Option<Program>,
    pub inverse: Option<Program>,
    pub open_strip: Strip,
    pub inverse_strip: Strip,
    pub close_strip: Strip,
}

#[derive(Clone, Debug)]
pub(super) struct Partial {
    pub name: PartialName,
    /// The context it is called with, if it is not the current one.
    pub context: Option<Expression>,
    pub hash: Vec<(String, Expression)>,
    /// Blanks before a partial that stands alone; they indent each of its lines.
    pub indent: String,
    pub strip: Strip,
    /// `{{#> name}}…{{/name}}` has a body.
    pub bodies: Option<Bodies>,
}

#[derive(Clone, Debug)]
pub(super) enum PartialName {
    Fixed(String),
    Computed(Call),
}

/// `{{#*inline "name"}}…{{/inline}}`, or `{{* name}}` without a body.
#[derive(Clone, Debug)]
pub(super) struct Decorator {
    pub call: Call,
    pub strip: Strip,
    pub bodies: Option<Bodies>,
}

/// A path with arguments; what it means is decided when it is rendered.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub path: Path,
    pub params: Vec<Expression>,
    pub hash: Option<Vec<(String, Expression)>>,
}

#[derive(Clone, Debug)]
pub(super) enum Expression {
    Path(Path),
    Call(Box<Call>),
    Text(String),
    Number(f64),
    Bool(bool),
    Undefined,
    Null,
}

/// `../nest.name`, `@index`, `this`.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// Starts with `@`.
    pub data: bool,
    /// How many `../`.
    pub depth: usize,
    pub parts: Vec<String>,
    /// As written, without brackets.
    pub original: String,
    /// Handlebars' own test for `this.x` and `./x`; it also takes any name with a word that ends in `this`.
    pub scoped: bool,
}

impl Path {
    /// A literal in the place of a name: `{{"odd key"}}`, `{{5}}`.
    pub fn of_literal(text: String) -> Self {
        let scoped = is_scoped(&text);
        Self { data: false, depth: 0, parts: vec![text.clone()], original: text, scoped }
    }

    /// One plain name.
    pub fn is_simple(&self) -> bool {
        self.parts.len() == 1 && !self.scoped && self.depth == 0
    }

    pub fn first(&self) -> Option<&str> {
        self.parts.first().map(String::as_str)
    }
}

/// Starts with a dot, or holds `this` at the end of a word.
pub(super) fn is_scoped(original: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    original.starts_with('.')
        || original
            .match_indices("this")
            .any(|(at, this)| !original.as_bytes().get(at + this.len()).is_some_and(|byte| word(*byte)))
}
