//! `tavern card validate`.

use std::io::Write;

use serde_json::json;
use tavernkit_formats::card::{Finding, Severity};

use super::{cards_in, open};
use crate::failure::Failure;
use crate::style;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Card files, or folders of cards.
    #[arg(required = true)]
    paths: Vec<String>,
    /// Print JSON, one object per card.
    #[arg(long)]
    json: bool,
    /// Fail on warnings too.
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    let worst_allowed = if arguments.strict { Severity::Note } else { Severity::Warning };
    let mut bad = 0;
    for path in cards_in(&arguments.paths)? {
        let (findings, warnings) = match open(&path) {
            Ok((_, file)) => (file.validate(), file.warnings().to_vec()),
            Err(Failure::Input(message)) => {
                let message = message.strip_prefix(&format!("{path}: ")).unwrap_or(&message).to_owned();
                (vec![Finding { severity: Severity::Error, path: String::new(), message }], Vec::new())
            }
            Err(failure) => return Err(failure),
        };
        let fails = findings.iter().any(|finding| finding.severity > worst_allowed)
            || (arguments.strict && !warnings.is_empty());
        bad += usize::from(fails);
        if arguments.json {
            let findings: Vec<_> = findings
                .iter()
                .map(|f| json!({"severity": format!("{:?}", f.severity).to_lowercase(), "path": f.path, "message": f.message}))
                .collect();
            writeln!(
                out,
                "{}",
                json!({"file": path, "ok": !fails, "findings": findings, "warnings": warnings})
            )?;
            continue;
        }
        let (mark, colour) = if fails { ("✗", style::BAD) } else { ("✓", style::GOOD) };
        writeln!(out, "{colour}{mark}{} {path}", colour.render_reset())?;
        for finding in &findings {
            let colour = match finding.severity {
                Severity::Error => style::BAD,
                Severity::Warning => style::WARN,
                Severity::Note => style::DIM,
            };
            let label = format!("{:?}", finding.severity).to_lowercase();
            writeln!(
                out,
                "  {colour}{label:<7}{} {}: {}",
                colour.render_reset(),
                finding.path,
                finding.message
            )?;
        }
        for warning in &warnings {
            writeln!(out, "  {}warning{} {warning}", style::WARN, style::WARN.render_reset())?;
        }
    }
    if bad > 0 { Err(Failure::Reported) } else { Ok(()) }
}
