//! How scripts reach the macro engine.

use tavernkit_core::{Variables, Warning};
use tavernkit_js::RandomSource;

use crate::macros::{Engine, Environment, Options, State};

/// Expands macros for regex scripts.
pub trait MacroExpander {
    /// Expands a text. `character` stands in for the current character's name if given.
    fn expand(&mut self, text: &str, character: Option<&str>) -> String;

    /// Expands a text and passes the result of every macro through [`escape_macro_result`].
    fn expand_escaped(&mut self, text: &str) -> String;
}

/// Makes a macro's result mean itself inside of a pattern.
///
/// ```
/// use tavernkit_sillytavern::regex_scripts::escape_macro_result;
/// assert_eq!(escape_macro_result("a.b\n(c)"), r"a\.b\n\(c\)");
/// ```
pub fn escape_macro_result(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        let name = match c {
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\0' => '0',
            '.' | '^' | '$' | '*' | '+' | '?' | '{' | '}' | '[' | ']' | '\\' | '/' | '|' | '(' | ')' => c,
            _ => {
                escaped.push(c);
                continue;
            }
        };
        escaped.push('\\');
        escaped.push(name);
    }
    escaped
}

/// The macro engine as an expander.
pub struct EngineExpander<'e> {
    engine: &'e Engine,
    environment: &'e Environment<'e>,
    state: Option<State<'e>>,
    /// What the engine found odd, over all expansions.
    pub warnings: Vec<Warning>,
}

impl<'e> EngineExpander<'e> {
    /// Expands with variables and chance.
    pub fn new(engine: &'e Engine, environment: &'e Environment<'e>, state: State<'e>) -> Self {
        Self { engine, environment, state: Some(state), warnings: Vec::new() }
    }

    /// Expands without variables; chance always falls on the first of its choices.
    pub fn without_state(engine: &'e Engine, environment: &'e Environment<'e>) -> Self {
        Self { engine, environment, state: None, warnings: Vec::new() }
    }

    fn expand_with(&mut self, text: &str, options: &Options<'_>) -> String {
        let mut no_variables = Variables::default();
        let mut no_chance = || 0.0;
        let state = match &mut self.state {
            Some(State { variables, random }) => {
                State { variables, random: &mut **random as &mut dyn RandomSource }
            }
            None => State { variables: &mut no_variables, random: &mut no_chance },
        };
        let expansion = self.engine.expand(text, self.environment, options, state);
        self.warnings.extend(expansion.warnings);
        expansion.text
    }
}

impl MacroExpander for EngineExpander<'_> {
    fn expand(&mut self, text: &str, character: Option<&str>) -> String {
        let options = Options { character: character.map(Into::into), ..Options::default() };
        self.expand_with(text, &options)
    }

    fn expand_escaped(&mut self, text: &str) -> String {
        let escape = |result: String| escape_macro_result(&result);
        self.expand_with(text, &Options { post_process: Some(&escape), ..Options::default() })
    }
}
