//! Finding case files. A suite is a file's stem, its platform the folder's name.
//!
//! Two shapes are known: a file with a list of cases (the file itself, or its `cases` field), and a scenario:
//! `<id>.scenario.json` with `<id>.golden.json` beside it, which belongs to the suite `scenarios-chat` or `scenarios-text`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Cases of one suite, from one file or one folder of scenarios.
#[derive(Debug, Clone)]
pub struct CaseFile {
    /// The program the cases were recorded from.
    pub platform: String,
    /// The suite: a file's stem, or `scenarios-chat`, `scenarios-text`.
    pub suite: String,
    /// The whole file, with fixtures if it has some; for scenarios, the base settings beside their folder.
    pub whole: Value,
    /// The cases, each with a text `id`.
    pub cases: Vec<Value>,
}

/// Why case files could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not JSON.
    #[error("{}: not valid JSON: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// A file was named that holds no cases.
    #[error("{}: no cases in it; expected a list of cases, a `cases` field, or a `*.scenario.json`", path.display())]
    NoCases {
        /// The file.
        path: PathBuf,
    },
    /// A scenario without its recorded answer.
    #[error("{}: the recorded answer is missing; expected it at {}", scenario.display(), golden.display())]
    NoGolden {
        /// The scenario.
        scenario: PathBuf,
        /// Where its answer should be.
        golden: PathBuf,
    },
}

/// Reads every case file at or under `path`. `platform` overrides the folder's name.
///
/// Files in a folder that are no case files (base settings, benchmark inputs) are passed over; a file named directly must hold cases.
pub fn load(path: &Path, platform: Option<&str>) -> Result<Vec<CaseFile>, LoadError> {
    let mut files = Vec::new();
    if io(path, fs::metadata(path))?.is_dir() {
        load_folder(path, platform, &mut files)?;
    } else {
        match load_file(path, platform)? {
            Some(file) => push(&mut files, file),
            None => return Err(LoadError::NoCases { path: path.into() }),
        }
    }
    Ok(files)
}

fn load_folder(folder: &Path, platform: Option<&str>, files: &mut Vec<CaseFile>) -> Result<(), LoadError> {
    let mut paths = Vec::new();
    for entry in io(folder, fs::read_dir(folder))? {
        paths.push(io(folder, entry)?.path());
    }
    // The order of a directory listing differs between machines; ours does not.
    paths.sort();
    for path in paths {
        if path.is_dir() {
            load_folder(&path, platform, files)?;
        } else if path.extension().is_some_and(|e| e == "json")
            && let Some(file) = load_file(&path, platform)?
        {
            push(files, file);
        }
    }
    Ok(())
}

/// Scenarios come one to a file: gather them by suite.
fn push(files: &mut Vec<CaseFile>, file: CaseFile) {
    match files.iter_mut().find(|f| f.platform == file.platform && f.suite == file.suite && is_scenarios(f)) {
        Some(known) => known.cases.extend(file.cases),
        None => files.push(file),
    }
}

fn is_scenarios(file: &CaseFile) -> bool {
    file.suite.starts_with("scenarios-")
}

fn load_file(path: &Path, platform: Option<&str>) -> Result<Option<CaseFile>, LoadError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with(".golden.json") {
        return Ok(None);
    }
    if let Some(id) = name.strip_suffix(".scenario.json") {
        return load_scenario(path, id, platform).map(Some);
    }
    let whole = read_json(path)?;
    let cases = match &whole {
        Value::Array(cases) => Some(cases),
        other => other.get("cases").and_then(Value::as_array),
    };
    let Some(cases) = cases.filter(|cases| cases.iter().all(|case| case["id"].is_string())).cloned() else {
        return Ok(None);
    };
    let suite = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let platform = platform.map_or_else(|| folder_name(path.parent()), str::to_owned);
    Ok(Some(CaseFile { platform, suite, whole, cases }))
}

fn load_scenario(path: &Path, id: &str, platform: Option<&str>) -> Result<CaseFile, LoadError> {
    let scenario = read_json(path)?;
    let golden_path = path.with_file_name(format!("{id}.golden.json"));
    if !golden_path.exists() {
        return Err(LoadError::NoGolden { scenario: path.into(), golden: golden_path });
    }
    let golden = read_json(&golden_path)?;
    // `<platform>/scenarios/<id>.scenario.json`, or the scenarios straight in the platform's folder.
    let parent = path.parent();
    let home = if folder_name(parent) == "scenarios" { parent.and_then(Path::parent) } else { parent };
    let suite = format!("scenarios-{}", scenario["api"].as_str().unwrap_or("chat"));
    let base = home.map(|home| home.join("base-settings.json")).filter(|base| base.exists());
    let whole = base.map_or(Ok(Value::Null), |base| read_json(&base))?;
    let platform = platform.map_or_else(|| folder_name(home), str::to_owned);
    let case = json!({"id": id, "scenario": scenario, "golden": golden});
    Ok(CaseFile { platform, suite, whole, cases: vec![case] })
}

fn folder_name(folder: Option<&Path>) -> String {
    let folder = folder.filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let absolute = fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
    absolute.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read_json(path: &Path) -> Result<Value, LoadError> {
    let bytes = io(path, fs::read(path))?;
    serde_json::from_slice(&bytes).map_err(|source| LoadError::Json { path: path.into(), source })
}

fn io<T>(path: &Path, result: std::io::Result<T>) -> Result<T, LoadError> {
    result.map_err(|source| LoadError::Io { path: path.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_gives_platform_suite_and_cases() {
        let folder = folder(&[
            ("plat/base-settings.json", r#"{"a":1}"#),
            ("plat/macros.json", r#"{"cases":[{"id":"m1"},{"id":"m2"}]}"#),
            ("plat/list.json", r#"[{"id":"l1"}]"#),
            ("plat/scenarios/s1.scenario.json", r#"{"api":"chat"}"#),
            ("plat/scenarios/s1.golden.json", "{}"),
            ("plat/scenarios/s2.scenario.json", r#"{"api":"chat"}"#),
            ("plat/scenarios/s2.golden.json", "{}"),
            ("plat/scenarios/t1.scenario.json", r#"{"api":"text"}"#),
            ("plat/scenarios/t1.golden.json", "{}"),
        ]);
        let files = load(folder.path(), None).unwrap();
        let found: Vec<_> =
            files.iter().map(|f| (f.platform.as_str(), f.suite.as_str(), f.cases.len())).collect();
        assert_eq!(
            found,
            [
                ("plat", "list", 1),
                ("plat", "macros", 2),
                ("plat", "scenarios-chat", 2),
                ("plat", "scenarios-text", 1)
            ]
        );
        assert_eq!(files[2].whole, json!({"a": 1}));
        let one = load(&folder.path().join("plat/scenarios"), Some("other")).unwrap();
        assert_eq!((one[0].platform.as_str(), one.len()), ("other", 2));
    }

    #[test]
    fn bad_files_are_named() {
        let folder = folder(&[
            ("p/x.json", "{}"),
            ("q/y.json", "[1,"),
            ("r/s.scenario.json", "{}"),
            ("p/sub/ok.json", r#"[{"id":"a"}]"#),
        ]);
        let at = |path: &str| folder.path().join(path);
        let message = |path: &str| load(&at(path), None).unwrap_err().to_string();
        assert!(message("p/x.json").ends_with("or a `*.scenario.json`"), "{}", message("p/x.json"));
        assert!(message("q").contains("y.json: not valid JSON: EOF while parsing"));
        assert!(message("r").contains("s.scenario.json: the recorded answer is missing"));
        assert!(message("nowhere").contains("nowhere: "));
        assert_eq!(load(&at("p"), None).unwrap().len(), 1);
    }
}
