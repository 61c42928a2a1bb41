//! Read and write what people already have, losing nothing: bytes in, values out, and back.
//!
//! Nothing in here opens a file, reads a clock or keeps state. What is wrong in the input becomes a
//! [`Warning`](tavernkit_core::Warning) with the rest kept, or an [`Error`] that says what to do.

mod archive;
mod base64;
pub mod card;
pub mod chat;
pub mod detect;
mod error;
mod exif;
pub mod json;
mod limits;
pub mod lorebook;
pub mod persona;
pub mod png;
pub mod preset;
pub mod record;
pub mod regex_script;
pub mod st_data;
pub mod yaml;

pub use error::{Error, ErrorKind};
pub use limits::Limits;

/// What every reader of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;
