//! `tavern build`.

use std::io::Write;
use std::time::Instant;

use tavernkit_core::{Exactness, Warning};
use tavernkit_engine::scene::{self, Format};
use tavernkit_engine::{BuildRequest, BuildResult, Engine, EngineError};

use crate::failure::Failure;
use crate::{files, style};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A scene file in JSON, YAML or TOML; `-` reads JSON or YAML from standard input.
    scene: String,
    /// The provider's format, instead of the scene's: openai, anthropic, text.
    #[arg(long)]
    dialect: Option<String>,
    /// The user's new message, instead of the scene's.
    #[arg(long)]
    message: Option<String>,
    /// Print the whole result as JSON.
    #[arg(long)]
    json: bool,
    /// Print only what would be sent, as JSON.
    #[arg(long, conflicts_with = "json")]
    request: bool,
    /// Show what each stage did and how long it took.
    #[arg(long)]
    stages: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let mut request = read_scene(&arguments.scene)?;
    if let Some(dialect) = arguments.dialect {
        request.dialect = dialect;
    }
    if let Some(message) = arguments.message {
        request.message = message;
    }
    request.trace |= arguments.stages;
    let start = Instant::now();
    let at_fault = |error: EngineError| Failure::input(format!("{}: {error}", arguments.scene));
    let resolved = request.resolve(&files::Folder::of(&arguments.scene)).map_err(at_fault)?;
    let result = Engine::new().build_timed(resolved, || start.elapsed()).map_err(at_fault)?;
    let mut out = anstream::stdout().lock();
    if arguments.json {
        let json = serde_json::to_string_pretty(&result).map_err(|error| Failure::bug(error.to_string()))?;
        writeln!(out, "{json}")?;
    } else if arguments.request {
        writeln!(out, "{:#}", result.request)?;
    } else {
        print(&result, arguments.stages, &mut out)?;
    }
    Ok(())
}

/// Reads a scene, with errors that point into the file.
pub(crate) fn read_scene(path: &str) -> Result<BuildRequest, Failure> {
    let text = files::text(path)?;
    let format = match Format::of_file(path) {
        Some(format) => format,
        // YAML is a superset of JSON, so standard input may hold either.
        None if path == "-" => Format::Yaml,
        None => return Err(Failure::input(format!("{path}: a scene ends in .json, .yaml, .yml or .toml"))),
    };
    scene::parse(&text, format).map_err(|error| Failure::at(path, &text, error.place, &error.message))
}

fn print(result: &BuildResult, stages: bool, out: &mut impl Write) -> std::io::Result<()> {
    let (strong, dim) = (style::STRONG, style::DIM);
    let tokens = &result.tokens;
    let about = match tokens.exactness {
        Exactness::Exact => "",
        Exactness::Estimate => "about ",
    };
    writeln!(
        out,
        "{strong}{:?}{strong:#} for {strong}{}{strong:#}: {} messages, {about}{} tokens {dim}({}){dim:#}",
        result.platform,
        result.dialect,
        result.plan.enabled_blocks().count(),
        tokens.total,
        tokens.tokenizer
    )?;
    for (block, tokens) in result.plan.blocks.iter().zip(&tokens.blocks) {
        let role = style::role(&block.role);
        let name = block.name.as_deref().map_or_else(String::new, |name| format!(" {name}"));
        if block.enabled {
            writeln!(
                out,
                "\n{role}{}{role:#}{strong}{name}{strong:#}  {dim}{tokens} tokens · {}{dim:#}",
                block.role, block.source
            )?;
            writeln!(out, "{}", block.content)?;
        } else {
            writeln!(out, "\n{dim}{}{name}  {tokens} tokens · {} · cut{dim:#}", block.role, block.source)?;
        }
    }
    if let Some(report) = &result.plan.trim_report {
        let cut = report.evictions.len();
        writeln!(
            out,
            "\n{strong}budget{strong:#} {} of {} tokens used, {cut} blocks cut ({} tokens before)",
            report.final_tokens, report.budget_tokens, report.initial_tokens
        )?;
        for record in &report.evictions {
            writeln!(
                out,
                "  {dim}cut {} · {} tokens · {:?}{dim:#}",
                record.source, record.tokens, record.reason
            )?;
        }
    }
    if stages && let Some(trace) = &result.plan.trace {
        writeln!(out, "\n{strong}stages{strong:#}")?;
        for stage in &trace.stages {
            let stats: Vec<String> =
                stage.stats.iter().map(|(key, value)| format!("{key}={value}")).collect();
            writeln!(
                out,
                "  {:<16} {:>9.3} ms  {}",
                stage.name,
                stage.duration.as_secs_f64() * 1e3,
                stats.join(" ")
            )?;
        }
    }
    print_warnings(result.warnings(), out)?;
    writeln!(out, "\n{dim}fingerprint {}{dim:#}", result.fingerprint)
}

/// Warnings for people, one a line.
pub(crate) fn print_warnings<'w>(
    warnings: impl Iterator<Item = &'w Warning>,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let warn = style::WARN;
    for (index, warning) in warnings.enumerate() {
        let gap = if index == 0 { "\n" } else { "" };
        writeln!(out, "{gap}{warn}warning{warn:#} {warning}")?;
    }
    Ok(())
}
