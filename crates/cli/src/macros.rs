//! `tavern macro`.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tavernkit_engine::ResolvedRequest;
use tavernkit_sillytavern::macros::request::{MacroAnswer, MacroRequest, RequestVariables};
use tavernkit_sillytavern::macros::{Access, Clock, EngineKind, Outcome, Trace};

use crate::failure::Failure;
use crate::{build, files, style};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The text to expand; `-` reads standard input.
    #[arg(required_unless_present = "jsonl")]
    template: Option<String>,
    /// A SillyTavern scene whose card, persona, chat, time and variables the macros see.
    #[arg(long)]
    scene: Option<String>,
    /// The user's name.
    #[arg(long)]
    user: Option<String>,
    /// The character's name.
    #[arg(long = "char", value_name = "NAME")]
    character: Option<String>,
    /// Where chance starts.
    #[arg(long)]
    seed: Option<i64>,
    /// Use the engine that was there before macros 2.0.
    #[arg(long)]
    legacy: bool,
    /// Say what every macro did and which variables it touched.
    #[arg(long)]
    explain: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Read one request a line from standard input and write one answer a line.
    #[arg(long, conflicts_with_all = ["template", "scene", "user", "character", "seed", "legacy", "explain"])]
    jsonl: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    if arguments.jsonl {
        return answer_lines();
    }
    let template = match arguments.template.as_deref() {
        Some("-") => files::text("-")?,
        template => template.unwrap_or_default().to_owned(),
    };
    let request = MacroRequest {
        template,
        user: arguments.user,
        character: arguments.character,
        seed: arguments.seed,
        engine: if arguments.legacy { EngineKind::Legacy } else { EngineKind::V2 },
        explain: arguments.explain,
        ..MacroRequest::default()
    };
    let scene = arguments.scene.as_deref().map(read_scene).transpose()?;
    let answer = answer(request.clone(), scene.as_ref());
    let mut out = anstream::stdout().lock();
    if arguments.json {
        writeln!(
            out,
            "{}",
            serde_json::to_string(&answer).map_err(|error| Failure::bug(error.to_string()))?
        )?;
        return Ok(());
    }
    writeln!(out, "{}", answer.output)?;
    if let Some(trace) = &answer.trace {
        print_trace(&request.template, trace, &answer, &mut out)?;
    }
    build::print_warnings(answer.warnings.iter(), &mut anstream::stderr())?;
    Ok(())
}

/// One request a line, one answer a line, each flushed: a program can hold a conversation with us. A line that is no request is
/// answered with an error and does not end it.
fn answer_lines() -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    let mut scenes: HashMap<String, ResolvedRequest> = HashMap::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| Failure::input(format!("standard input: {error}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = answer_line(&line, &mut scenes).unwrap_or_else(|why| json!({"error": why}));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer_line(line: &str, scenes: &mut HashMap<String, ResolvedRequest>) -> Result<Value, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("not a JSON request: {error}"))?;
    let scene = match &value["scene"] {
        Value::Null => None,
        Value::String(path) => {
            if !scenes.contains_key(path) {
                scenes.insert(path.clone(), read_scene(path).map_err(|failure| failure.to_string())?);
            }
            scenes.get(path)
        }
        other => return Err(format!("`scene` is the path of a scene file, not {other}")),
    };
    let request: MacroRequest =
        serde_json::from_value(value.clone()).map_err(|error| format!("not a macro request: {error}"))?;
    serde_json::to_value(answer(request, scene)).map_err(|error| error.to_string())
}

fn read_scene(path: &str) -> Result<ResolvedRequest, Failure> {
    let request = build::read_scene(path)?;
    request.resolve(&files::Folder::of(path)).map_err(|error| Failure::input(format!("{path}: {error}")))
}

fn answer(mut request: MacroRequest, scene: Option<&ResolvedRequest>) -> MacroAnswer {
    let present = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis() as i64);
    let present = Clock { unix_ms: present, utc_offset_minutes: 0 };
    let Some(scene) = scene else { return request.answer(present) };
    if request.variables == RequestVariables::default() {
        request.variables =
            serde_json::to_value(&scene.variables).and_then(serde_json::from_value).unwrap_or_default();
    }
    let (card, chat) = (scene.card(), scene.chat_view());
    let environment = scene.environment(card.as_ref(), &chat);
    let clock = if scene.now.unix_ms == 0 { present } else { environment.clock };
    request.seed = request.seed.or(i64::try_from(scene.seed).ok().filter(|seed| *seed != 0));
    request.answer_in(clock, environment)
}

fn print_trace(
    template: &str,
    trace: &Trace,
    answer: &MacroAnswer,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let (strong, dim) = (style::STRONG, style::DIM);
    writeln!(out, "\n{strong}macros{strong:#}")?;
    for event in &trace.macros {
        let source = match event.field {
            Some(field) => format!("in {field}"),
            None => template.get(event.source.clone()).unwrap_or(&event.name).to_owned(),
        };
        let became = match (event.outcome, &event.output) {
            (Outcome::Expanded, Some(range)) => {
                format!("{:?}", answer.output.get(range.clone()).unwrap_or_default())
            }
            (Outcome::Expanded, None) => "used by the macro around it".to_owned(),
            (Outcome::Unknown, _) => "unknown, left as it is".to_owned(),
            (Outcome::BadArguments, _) => "wrong arguments, left as it is".to_owned(),
            (Outcome::LimitReached, _) => "limit reached, left as it is".to_owned(),
            (_, _) => "refused, left as it is".to_owned(),
        };
        let indent = if event.parent.is_some() { "  " } else { "" };
        writeln!(
            out,
            "  {indent}{dim}{:>4}..{:<4}{dim:#} {source}  {dim}→{dim:#} {became}",
            event.source.start, event.source.end
        )?;
    }
    if !trace.variables.is_empty() {
        writeln!(out, "{strong}variables{strong:#}")?;
    }
    for event in &trace.variables {
        let by = event.by.and_then(|index| trace.macros.get(index)).map_or("", |event| event.name.as_str());
        let access = match event.access {
            Access::Read => "read",
            Access::Write => "written",
            Access::Delete => "deleted",
            Access::Test => "asked for",
        };
        writeln!(out, "  {:?} {} {access} {dim}by {by}{dim:#}", event.scope, event.name)?;
    }
    Ok(())
}
