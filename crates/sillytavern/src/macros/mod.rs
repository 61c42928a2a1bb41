//! SillyTavern's macros: `{{user}}`, `{{if}} … {{/if}}`, `{{.gold += 5}}`.
//!
//! A text goes through these hands: `passes` modernises old spellings, `lexer` and `parser` find the macros,
//! `scopes` pairs the tags, `template` keeps the result for as many evaluations as there are, `eval` runs it, and
//! `builtins` are the macros themselves. `legacy` is the engine before all this, for those who switched it back on.
//!
//! Everything a macro can see is in the [`Environment`], everything it can change in the [`State`]; time and chance are
//! inputs. No text makes the engine fail, hang or overflow the stack: what it cannot do stays as written, with a warning.

mod builtins;
mod chat;
mod engine;
mod env;
mod eval;
mod fields;
mod invocation;
mod legacy;
mod lexer;
mod offsets;
mod options;
mod parser;
mod passes;
mod registry;
pub mod request;
mod scopes;
mod settings;
mod shorthand;
mod template;
#[cfg(test)]
mod tests;
mod trace;

pub use chat::{ChatView, MessageView};
pub use engine::{Engine, EngineKind, Limits};
pub use env::{
    Api, CardFields, Cast, Clock, Environment, ExtensionTexts, Field, GroupMember, Notes, PickSeed,
    TokenLimits,
};
pub use fields::CardField;
pub use invocation::{Failure, Invocation};
pub use options::{CardAccess, DynamicMacro, DynamicMacros, Effects, Expansion, Options, State, Tracing};
pub use registry::{ArgumentType, Arguments, Handler, Macro, Registry};
pub use settings::{ContextSettings, InstructSettings, NamesBehavior, ReasoningSettings, SystemPrompt};
pub use template::Template;
pub use trace::{Access, MacroEvent, Outcome, Trace, VariableEvent};
