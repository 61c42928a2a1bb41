//! Cases recorded from SillyTavern 1.19.0.

mod fixture;
mod macros;
mod png_cards;
mod regex;
mod scenario;
mod world_info;

use super::SuiteRunner;
pub use scenario::{has_lore, scenario_lore};

pub(super) fn runner(suite: &str) -> Option<SuiteRunner> {
    match suite {
        "macros" => Some(macros::run),
        "png-cards" => Some(png_cards::run),
        "regex" => Some(regex::run),
        "world-info" => Some(world_info::run),
        _ => None,
    }
}
