//! How a command ends when it does not end well.

use std::fmt::Write;
use std::io;
use std::process::ExitCode;

use crate::style;

/// Why a command failed, and so its exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is at fault: exit 1. The text names the file, the field and what to do.
    Input(String),
    /// The report is already printed; the input is at fault: exit 1.
    Reported,
    /// A bug of ours: exit 3.
    Bug(String),
    /// Nobody reads our output any more: no error at all.
    OutputClosed,
}

impl Failure {
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Failure::Input(message.into())
    }

    pub(crate) fn bug(message: impl Into<String>) -> Self {
        Failure::Bug(message.into())
    }

    /// The input is at fault at a place of a file; shows the line.
    pub(crate) fn at(file: &str, text: &str, place: Option<(usize, usize)>, message: &str) -> Self {
        let Some((line, column)) = place else { return Failure::Input(format!("{file}: {message}")) };
        let mut report = format!("{message}\n  --> {file}:{line}:{column}");
        if let Some(source) = text.lines().nth(line.saturating_sub(1)) {
            let source = source.replace('\t', " ");
            // Long lines (a whole JSON scene on one) are shown around the place.
            let from = column.saturating_sub(60);
            let shown: String = source.chars().skip(from).take(120).collect();
            let _ = write!(
                report,
                "\n   |\n{line:>2} | {shown}\n   | {}^",
                " ".repeat(column.saturating_sub(1 + from))
            );
        }
        Failure::Input(report)
    }

    /// Prints the failure and gives its exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (kind, message, code) = match self {
            Failure::OutputClosed => return ExitCode::SUCCESS,
            Failure::Reported => return ExitCode::from(1),
            Failure::Input(message) => ("error", message, 1),
            Failure::Bug(message) => {
                ("bug", format!("{message}; please report this with the input that caused it"), 3)
            }
        };
        anstream::eprintln!("{}{kind}{}: {message}", style::BAD, style::BAD.render_reset());
        ExitCode::from(code)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Input(message) | Failure::Bug(message) => f.write_str(message),
            Failure::Reported | Failure::OutputClosed => Ok(()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::OutputClosed,
            _ => Failure::Input(format!("cannot write the output: {error}")),
        }
    }
}
