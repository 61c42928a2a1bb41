//! Cases recorded from SillyTavern 1.19.0.

mod fixture;
mod macros;
mod regex;
mod world_info;

use super::SuiteRunner;

pub(super) fn runner(suite: &str) -> Option<SuiteRunner> {
    match suite {
        "macros" => Some(macros::run),
        "regex" => Some(regex::run),
        "world-info" => Some(world_info::run),
        _ => None,
    }
}
