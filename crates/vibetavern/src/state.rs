//! What goes into a build, and the workspace its stages share.

use std::sync::Arc;

use tavernkit_core::{Message, Plan, Produced, Variables};

use crate::runtime::{Runtime, RuntimeInput};

/// What an application gives to a build.
#[derive(Debug, Clone, Default)]
pub struct Input {
    pub(crate) history: Vec<Message>,
    pub(crate) message: String,
    pub(crate) runtime: RuntimeInput,
    pub(crate) variables: Variables,
}

impl Input {
    /// An empty chat.
    pub fn new() -> Self {
        Self::default()
    }

    /// The chat so far, oldest message first.
    #[must_use]
    pub fn history(mut self, history: impl IntoIterator<Item = Message>) -> Self {
        self.history = history.into_iter().collect();
        self
    }

    /// The user's new message. Blank text is no message.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// The application's snapshot for this build.
    #[must_use]
    pub fn runtime(mut self, runtime: impl Into<RuntimeInput>) -> Self {
        self.runtime = runtime.into();
        self
    }

    /// The chat's variables. Without this a build starts with none.
    #[must_use]
    pub fn variables(mut self, variables: Variables) -> Self {
        self.variables = variables;
        self
    }
}

/// The workspace of one build.
#[derive(Debug)]
pub struct State {
    /// The chat so far. `plan_assembly` moves it into the plan.
    pub history: Vec<Message>,
    /// The user's new message, as typed.
    pub user_message: String,
    /// The chat's variables, free to change for any stage.
    pub variables: Variables,
    /// Written by `prepare`. Shared and read-only from then on: a different snapshot is a different build.
    pub runtime: Produced<Arc<Runtime>>,
    /// Written by `plan_assembly`.
    pub plan: Produced<Plan>,
    pub(crate) runtime_input: RuntimeInput,
}

impl State {
    /// The workspace at the start of a build.
    pub fn new(input: Input) -> Self {
        Self {
            history: input.history,
            user_message: input.message,
            variables: input.variables,
            runtime: Produced::by("prepare", "runtime"),
            plan: Produced::by("plan_assembly", "plan"),
            runtime_input: input.runtime,
        }
    }
}
