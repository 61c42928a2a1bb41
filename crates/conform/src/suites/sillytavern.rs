//! Cases recorded from SillyTavern 1.19.0.

mod fixture;
mod macros;
mod png_cards;
mod regex;

use super::SuiteRunner;

pub(super) fn runner(suite: &str) -> Option<SuiteRunner> {
    match suite {
        "macros" => Some(macros::run),
        "png-cards" => Some(png_cards::run),
        "regex" => Some(regex::run),
        _ => None,
    }
}
