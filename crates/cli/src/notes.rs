//! Warnings for people, progress, and files that commands write.

use std::fs;
use std::io::{self, IsTerminal, Write};

use tavernkit_core::Warning;

use crate::failure::Failure;
use crate::style;

/// Prints warnings beside the output.
pub(crate) fn warnings(file: &str, warnings: &[Warning]) -> Result<(), Failure> {
    let mut out = anstream::stderr().lock();
    for warning in warnings {
        writeln!(out, "{}warning{}: {file}: {warning}", style::WARN, style::WARN.render_reset())?;
    }
    Ok(())
}

/// Writes to a file, or to standard output without one.
pub(crate) fn write(path: Option<&str>, bytes: &[u8]) -> Result<(), Failure> {
    match path {
        Some(path) if path != "-" => fs::write(path, bytes)
            .map_err(|error| Failure::input(format!("{path}: cannot be written: {error}"))),
        _ => {
            let mut out = io::stdout().lock();
            out.write_all(bytes)?;
            if !bytes.ends_with(b"\n") {
                out.write_all(b"\n")?;
            }
            Ok(())
        }
    }
}

/// A line that counts up on a terminal, and nothing elsewhere.
pub(crate) struct Progress {
    total: usize,
    done: usize,
    shown: bool,
}

impl Progress {
    pub(crate) fn new(total: usize) -> Self {
        Self { total, done: 0, shown: io::stderr().is_terminal() && total > 20 }
    }

    pub(crate) fn step(&mut self) {
        self.done += 1;
        if self.shown {
            let filled = (self.done * 30).checked_div(self.total).unwrap_or(30);
            // Progress that cannot be shown is no reason to stop.
            let _ = write!(io::stderr(), "\r[{:<30}] {}/{}", "#".repeat(filled), self.done, self.total);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
