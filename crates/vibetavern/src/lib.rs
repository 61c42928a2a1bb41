//! The smallest platform: the chat so far and the user's message, nothing added.
//!
//! It does no macros, lore, injections or trimming; use a platform pipeline for those. It is written against core's public API alone
//! and is the example to copy for a pipeline of your own:
//!
//! 1. a state type with what goes in and a [`Produced`](tavernkit_core::Produced) field for each thing a stage makes ([`state`]),
//! 2. a file per stage ([`stages`]),
//! 3. a function that strings them together ([`pipeline`]), and one that runs them ([`build`]).
//!
//! ```
//! use tavernkit_core::dialect::OpenAi;
//! use tavernkit_core::{BuildScope, Message, Role, SeededRandom};
//! # use tavernkit_core::{Exactness, TokenCounter};
//! # struct Words;
//! # impl TokenCounter for Words {
//! #     fn id(&self) -> &str { "words" }
//! #     fn exactness(&self) -> Exactness { Exactness::Estimate }
//! #     fn count(&self, text: &str) -> usize { text.split_whitespace().count() }
//! # }
//! use tavernkit_vibetavern::Input;
//!
//! let input = Input::new()
//!     .history([Message::new(Role::Assistant, "Welcome to the inn.")])
//!     .message("A room, please.");
//! let mut random = SeededRandom::new(0);
//! let built = tavernkit_vibetavern::build(input, &mut BuildScope::new(&Words, &mut random))?;
//! assert_eq!(built.plan.render(&OpenAi)?.body[1]["content"], "A room, please.");
//! # Ok::<(), tavernkit_core::Error>(())
//! ```

pub mod runtime;
pub mod stages;
pub mod state;

pub use runtime::{Runtime, RuntimeInput};
pub use state::{Input, State};

use tavernkit_core::{BuildScope, Pipeline, Plan, Result, Variables};

/// What a build gives back.
#[derive(Debug, Clone)]
pub struct Built {
    /// The prompt.
    pub plan: Plan,
    /// The variables, for the application to save.
    pub variables: Variables,
}

/// The stages `prepare` and `plan_assembly`. Change your copy as you like.
pub fn pipeline() -> Pipeline<State> {
    let mut pipeline = Pipeline::new();
    let wired =
        pipeline.push("prepare", stages::Prepare).and_then(|p| p.push("plan_assembly", stages::PlanAssembly));
    wired.expect("the two names above differ");
    pipeline
}

/// Builds with the standard pipeline.
pub fn build(input: Input, scope: &mut BuildScope<'_>) -> Result<Built> {
    build_with(&pipeline(), input, scope)
}

/// Builds with a pipeline of your own.
pub fn build_with(pipeline: &Pipeline<State>, input: Input, scope: &mut BuildScope<'_>) -> Result<Built> {
    let mut state = State::new(input);
    pipeline.run(&mut state, scope)?;
    let mut plan = state.plan.take()?;
    plan.warnings = scope.take_warnings();
    Ok(Built { plan, variables: state.variables })
}
