//! Character cards, in every container people keep them in.
//!
//! [`read`] finds out what the bytes are and returns a [`CardFile`]: the [`Card`] with everything it holds, its assets,
//! and what was odd. Writing patches: what was not changed comes back byte for byte.

mod asset;
mod byaf;
mod character;
mod charx;
mod convert;
mod file;
mod normalise;
mod picture;
mod source;
#[cfg(test)]
mod tests;
mod validate;
mod view;

pub use asset::{Asset, Place};
pub use character::{Character, DepthPrompt};
pub use file::{CardFile, Form, PngForm};
pub use normalise::as_sillytavern_loads;
pub use source::{Container, read};
pub use validate::{Finding, Severity, validate};
pub use view::{Card, Version};
