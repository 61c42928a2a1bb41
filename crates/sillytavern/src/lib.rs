//! SillyTavern 1.19 as a pipeline of named stages.

pub mod examples;
pub mod lore;
pub mod macros;
pub mod regex_scripts;
