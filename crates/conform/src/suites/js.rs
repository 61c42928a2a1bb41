//! Cases recorded from JavaScript itself, and the libraries SillyTavern uses.

mod dice;
mod handlebars;
mod hash;
mod moment;
mod number;
mod regex;
mod seedrandom;
mod string;
mod value;

use super::SuiteRunner;

pub(super) fn runner(suite: &str) -> Option<SuiteRunner> {
    match suite {
        "droll" => Some(dice::run),
        "handlebars" => Some(handlebars::run),
        "hash" => Some(hash::run),
        "moment" => Some(moment::run),
        "number" => Some(number::run),
        "regex" => Some(regex::run),
        "regex-adversarial" => Some(regex::adversarial),
        "replace" => Some(regex::replace),
        "seedrandom" => Some(seedrandom::run),
        "string" => Some(string::run),
        _ => None,
    }
}
