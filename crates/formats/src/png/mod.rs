//! PNG files as a row of chunks. Pixels are never decoded and never change.
//!
//! [`Png`] walks the chunks of a file and writes them back byte for byte, [`text`] reads the three kinds of text
//! chunks, and [`sillytavern`] holds what SillyTavern itself reads and writes.

mod chunk;
pub mod sillytavern;
pub mod text;

pub use chunk::{Chunk, Png, SIGNATURE};
pub use text::{Keyword, Text};

#[cfg(test)]
mod tests;
