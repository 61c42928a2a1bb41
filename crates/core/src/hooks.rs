//! Code an application runs before and after a build.

use std::sync::Arc;

use crate::error::Result;
use crate::scope::BuildScope;

type Hook<S> = Arc<dyn Fn(&mut S, &mut BuildScope<'_>) -> Result<()> + Send + Sync>;

/// Hooks around a build, run in the order they were registered.
///
/// Hooks before the build change its inputs; hooks after it change the plan. A recoverable problem is a warning; an error ends the build.
///
/// ```
/// use tavernkit_core::HookRegistry;
///
/// let mut hooks: HookRegistry<String> = HookRegistry::new();
/// hooks.before_build(|input, _| {
///     input.push_str(" at dawn");
///     Ok(())
/// });
/// # let _ = hooks;
/// ```
pub struct HookRegistry<S> {
    before: Vec<Hook<S>>,
    after: Vec<Hook<S>>,
}

impl<S> Default for HookRegistry<S> {
    fn default() -> Self {
        Self { before: Vec::new(), after: Vec::new() }
    }
}

impl<S> Clone for HookRegistry<S> {
    fn clone(&self) -> Self {
        Self { before: self.before.clone(), after: self.after.clone() }
    }
}

impl<S> HookRegistry<S> {
    /// No hooks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a hook before the build.
    pub fn before_build(
        &mut self,
        hook: impl Fn(&mut S, &mut BuildScope<'_>) -> Result<()> + Send + Sync + 'static,
    ) {
        self.before.push(Arc::new(hook));
    }

    /// Adds a hook after the build.
    pub fn after_build(
        &mut self,
        hook: impl Fn(&mut S, &mut BuildScope<'_>) -> Result<()> + Send + Sync + 'static,
    ) {
        self.after.push(Arc::new(hook));
    }

    /// Runs the hooks before the build.
    pub fn run_before_build(&self, state: &mut S, scope: &mut BuildScope<'_>) -> Result<()> {
        self.before.iter().try_for_each(|hook| hook(state, scope))
    }

    /// Runs the hooks after the build.
    pub fn run_after_build(&self, state: &mut S, scope: &mut BuildScope<'_>) -> Result<()> {
        self.after.iter().try_for_each(|hook| hook(state, scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};
    use crate::testing::{Words, scope};

    #[test]
    fn first_in_first_out_and_the_first_error_ends_it() {
        let mut hooks: HookRegistry<Vec<u8>> = HookRegistry::new();
        for n in 1..=3 {
            hooks.before_build(move |state, _| {
                state.push(n);
                if n == 2 { Err(Error::new(ErrorKind::Other, "two")) } else { Ok(()) }
            });
            hooks.after_build(move |state, _| {
                state.push(10 * n);
                Ok(())
            });
        }
        scope(&Words, |scope| {
            let mut state = Vec::new();
            assert_eq!(hooks.run_before_build(&mut state, scope).unwrap_err().detail(), "two");
            hooks.run_after_build(&mut state, scope).unwrap();
            assert_eq!(state, [1, 2, 10, 20, 30]);
        });
    }
}
