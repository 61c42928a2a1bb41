//! Reading what the command line names.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use tavernkit_engine::AssetReader;

use crate::failure::Failure;

/// The bytes of a file; `-` is standard input.
pub(crate) fn bytes(path: &str) -> Result<Vec<u8>, Failure> {
    if path == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::input(format!("standard input: {error}")))?;
        Ok(bytes)
    } else {
        fs::read(path).map_err(|error| Failure::input(format!("{path}: {}", sentence(&error))))
    }
}

/// The text of a file; `-` is standard input.
pub(crate) fn text(path: &str) -> Result<String, Failure> {
    String::from_utf8(bytes(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::input(format!("{path}: not UTF-8 text (byte {at}); save the file as UTF-8"))
    })
}

/// Reads assets relative to the folder of the scene.
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder a scene lies in; the current one for standard input.
    pub(crate) fn of(scene: &str) -> Self {
        let root = if scene == "-" { None } else { Path::new(scene).parent() };
        Self { root: root.map_or_else(PathBuf::new, Path::to_path_buf) }
    }
}

impl AssetReader for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        fs::read(self.root.join(path))
            .map_err(|error| format!("{} (looked for {})", sentence(&error), self.root.join(path).display()))
    }
}

fn sentence(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::IsADirectory => "it is a folder".into(),
        _ => error.to_string(),
    }
}
