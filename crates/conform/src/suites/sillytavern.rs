//! Cases recorded from SillyTavern 1.19.0.

use super::SuiteRunner;

pub(super) fn runner(suite: &str) -> Option<SuiteRunner> {
    #[expect(clippy::match_single_binding, reason = "the first suite makes this go away")]
    match suite {
        _ => None,
    }
}
