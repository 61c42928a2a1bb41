//! SillyTavern 1.19 as a pipeline of named stages.

pub mod lore;
