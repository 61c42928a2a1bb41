#![doc = include_str!("../../../README.md")]

pub use tavernkit_core as core;
pub use tavernkit_core::{
    Block, BuildScope, Message, Pipeline, Plan, Role, Stage, Variables, Warning, dialect,
};
#[cfg(feature = "engine")]
pub use tavernkit_engine as engine;
#[cfg(feature = "engine")]
pub use tavernkit_engine::{BuildRequest, BuildResult, Engine};
#[cfg(feature = "formats")]
pub use tavernkit_formats as formats;
pub use tavernkit_js as js;
#[cfg(feature = "sillytavern")]
pub use tavernkit_sillytavern as sillytavern;
pub use tavernkit_tokens as tokens;
#[cfg(feature = "vibetavern")]
pub use tavernkit_vibetavern as vibetavern;
