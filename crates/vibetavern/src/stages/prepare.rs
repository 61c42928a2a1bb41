//! Stage `prepare`.

use std::sync::Arc;

use tavernkit_core::{BuildScope, Result, Stage};

use crate::runtime::{Runtime, RuntimeInput};
use crate::state::State;

/// Input: the runtime as the application gave it. Output: `runtime`. Never touches the history or the message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prepare;

impl Stage<State> for Prepare {
    fn run(&self, state: &mut State, _: &mut BuildScope<'_>) -> Result<()> {
        let runtime = match std::mem::take(&mut state.runtime_input) {
            RuntimeInput::Ready(runtime) => runtime,
            RuntimeInput::Map(map) => Arc::new(Runtime::from_map(map)),
        };
        state.runtime.set(runtime)
    }
}
