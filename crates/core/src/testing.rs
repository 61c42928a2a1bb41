//! Helpers for the tests of this crate.

use crate::counter::{Exactness, TokenCounter};
use crate::random::SeededRandom;
use crate::scope::BuildScope;

/// Counts words.
pub(crate) struct Words;

impl TokenCounter for Words {
    fn id(&self) -> &str {
        "words"
    }

    fn exactness(&self) -> Exactness {
        Exactness::Estimate
    }

    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

/// Runs a closure with a tolerant scope.
pub(crate) fn scope<T>(counter: &dyn TokenCounter, run: impl FnOnce(&mut BuildScope<'_>) -> T) -> T {
    let mut random = SeededRandom::new(0);
    run(&mut BuildScope::new(counter, &mut random))
}
