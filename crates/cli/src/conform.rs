//! `tavern conform`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use tavernkit_conform::baseline::Baseline;
use tavernkit_conform::{Divergences, Report, load};

use crate::failure::Failure;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Case files, or folders of them. The platform is the folder's name, the suite the file's.
    #[arg(default_value = "conformance")]
    paths: Vec<PathBuf>,
    /// Only this suite, as `suite` or `platform/suite`. May be given more than once.
    #[arg(long)]
    suite: Vec<String>,
    /// The program the cases were recorded from, instead of the folder's name.
    #[arg(long)]
    platform: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Show up to N failures of each suite.
    #[arg(long, value_name = "N", default_value_t = 3)]
    show: usize,
    /// The list of deliberate differences, instead of the built-in one.
    #[arg(long, value_name = "FILE")]
    divergences: Option<PathBuf>,
    /// Write the counts as a Markdown document.
    #[arg(long, value_name = "FILE")]
    parity: Option<PathBuf>,
    /// Fail when a suite passes fewer cases than this file says; with --parity, write the new counts to it.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let divergences = match &arguments.divergences {
        Some(path) => Divergences::parse(&read(path)?),
        None => Divergences::built_in(),
    };
    let mut report = Report::default();
    for path in &arguments.paths {
        let files =
            load(path, arguments.platform.as_deref()).map_err(|error| Failure::input(error.to_string()))?;
        let wanted = |platform: &str, suite: &str| {
            let full = format!("{platform}/{suite}");
            arguments.suite.is_empty() || arguments.suite.iter().any(|name| *name == suite || *name == full)
        };
        let files = files.iter().filter(|file| wanted(&file.platform, &file.suite));
        report.suites.extend(files.map(|file| tavernkit_conform::run(file, &divergences)));
    }
    if report.suites.is_empty() {
        return Err(Failure::input("no cases found; name a folder of case files, or drop --suite"));
    }
    let mut out = anstream::stdout().lock();
    if arguments.json {
        writeln!(
            out,
            "{}",
            serde_json::to_string(&report).map_err(|error| Failure::bug(error.to_string()))?
        )?;
    } else {
        write!(out, "{}", report.table(arguments.show))?;
    }
    let fallen = match &arguments.baseline {
        Some(path) if path.exists() => {
            let text = read(path)?;
            let baseline: Baseline = serde_json::from_str(&text)
                .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
            baseline.fallen(&report)
        }
        _ => Vec::new(),
    };
    if !fallen.is_empty() {
        return Err(Failure::input(format!("fewer cases pass than before:\n  {}", fallen.join("\n  "))));
    }
    if let Some(path) = &arguments.parity {
        write(path, &report.markdown())?;
        if let Some(path) = &arguments.baseline {
            let counts = serde_json::to_string_pretty(&Baseline::of(&report))
                .map_err(|error| Failure::bug(error.to_string()))?;
            write(path, &(counts + "\n"))?;
        }
    }
    if report.is_clean() { Ok(()) } else { Err(Failure::Reported) }
}

fn read(path: &PathBuf) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

fn write(path: &PathBuf, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}
