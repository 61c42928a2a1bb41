//! Scene files: a build request in JSON, YAML or TOML.

use std::fmt;

use crate::request::BuildRequest;

/// The format of a scene file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
}

impl Format {
    /// The format of a file, by the ending of its name.
    ///
    /// ```
    /// use tavernkit_engine::scene::Format;
    /// assert_eq!(Format::of_file("inn.yml"), Some(Format::Yaml));
    /// assert_eq!(Format::of_file("inn.png"), None);
    /// ```
    pub fn of_file(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "json" => Some(Format::Json),
            "yaml" | "yml" => Some(Format::Yaml),
            "toml" => Some(Format::Toml),
            _ => None,
        }
    }
}

/// Where and why a scene is no request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneError {
    /// What is wrong, in one sentence.
    pub message: String,
    /// Line and column, from 1, when the parser knows them.
    pub place: Option<(usize, usize)>,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for SceneError {}

/// Reads a scene.
///
/// ```
/// use tavernkit_engine::scene::{Format, parse};
///
/// let error = parse("message = \"hi\"\nmodle = \"gpt-4o\"\n", Format::Toml).unwrap_err();
/// assert_eq!(error.place, Some((2, 1)));
/// assert!(error.message.starts_with("unknown field `modle`"));
/// ```
pub fn parse(text: &str, format: Format) -> Result<BuildRequest, SceneError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Json => serde_json::from_str(text).map_err(json_error),
        Format::Toml => toml::from_str(text).map_err(|error| toml_error(text, &error)),
        // An empty YAML file is null, and null is no map; it means a request with nothing in it.
        Format::Yaml if text.trim().is_empty() => Ok(BuildRequest::default()),
        Format::Yaml => serde_saphyr::from_str(text).map_err(|error| yaml_error(&error)),
    }
}

fn json_error(error: serde_json::Error) -> SceneError {
    let whole = error.to_string();
    // The parser repeats the place in its sentence.
    let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message).to_owned();
    SceneError { message, place: Some((error.line(), error.column().max(1))) }
}

fn toml_error(text: &str, error: &toml::de::Error) -> SceneError {
    let place = error.span().map(|span| place_of(text, span.start));
    SceneError { message: error.message().to_owned(), place }
}

fn yaml_error(error: &serde_saphyr::Error) -> SceneError {
    let place = error.location().map(|at| (at.line() as usize, at.column() as usize));
    let whole = error.without_snippet().to_string();
    let mut message =
        whole.split(" at line ").next().unwrap_or(&whole).trim_start_matches("error: ").to_owned();
    // The parser's limits keep a hostile file from using up stack or memory.
    if message.starts_with("budget breached") {
        message = format!("too deep or too large for a scene ({message})");
    }
    SceneError { message, place }
}

/// Line and column, from 1, of a byte.
fn place_of(text: &str, byte: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let column =
        before.iter().rev().take_while(|b| **b != b'\n').filter(|b| !is_continuation(**b)).count() + 1;
    (line, column)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}
