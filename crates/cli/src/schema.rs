//! `tavern schema`.

use std::io::Write;

use clap::ValueEnum;
use tavernkit_engine::{request_schema, result_schema};

use crate::failure::Failure;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Which schema.
    #[arg(value_enum, default_value = "request")]
    what: What,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// A build request: the format of scene files.
    Request,
    /// A build result: what `tavern build --json` prints.
    Result,
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let schema = match arguments.what {
        What::Request => request_schema(),
        What::Result => result_schema(),
    };
    writeln!(anstream::stdout(), "{schema:#}")?;
    Ok(())
}
