//! `tavern explain`.

use std::io::Write;

use tavernkit_engine::{Engine, EngineError};

use crate::failure::Failure;
use crate::{build, files};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A SillyTavern scene.
    scene: String,
    /// Only this entry: its title, its uid, or `book.uid`.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The user's new message, instead of the scene's.
    #[arg(long)]
    message: Option<String>,
    /// Print the reasons as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let mut request = build::read_scene(&arguments.scene)?;
    if let Some(message) = arguments.message {
        request.message = message;
    }
    let at_fault = |error: EngineError| Failure::input(format!("{}: {error}", arguments.scene));
    let resolved = request.resolve(&files::Folder::of(&arguments.scene)).map_err(at_fault)?;
    let mut result = Engine::new().explain_lore(&resolved).map_err(at_fault)?;
    let wanted = arguments.entry.as_deref();
    if let Some(name) = wanted
        && !result.reasons.iter().any(|report| report.is_called(name))
    {
        let message = format!("no entry is called `{name}`; give its title, uid or book.uid");
        return Err(Failure::input(format!("{}: {message}", arguments.scene)));
    }
    let mut out = anstream::stdout().lock();
    if arguments.json {
        result.reasons.retain(|report| wanted.is_none_or(|name| report.is_called(name)));
        let json = serde_json::to_string_pretty(&result).map_err(|error| Failure::bug(error.to_string()))?;
        writeln!(out, "{json}")?;
    } else {
        write!(out, "{}", result.explain(wanted))?;
    }
    Ok(())
}
