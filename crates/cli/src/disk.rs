//! A data folder on the disk.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use tavernkit_formats::st_data::Folder;
use tavernkit_formats::{Error, ErrorKind, Result};

/// A folder on the disk, for the readers that open no files themselves.
pub(crate) struct Disk {
    root: PathBuf,
}

impl Disk {
    /// The folder itself, or the first user's folder in it when it holds several users.
    pub(crate) fn at(root: &str) -> Self {
        let root = PathBuf::from(root);
        let users = [root.join("default-user"), root.join("data/default-user")];
        let has_settings = |folder: &PathBuf| folder.join("settings.json").is_file();
        let user = if has_settings(&root) { None } else { users.into_iter().find(has_settings) };
        Self { root: user.unwrap_or(root) }
    }

    pub(crate) fn root(&self) -> String {
        self.root.display().to_string()
    }
}

fn readable<T>(result: io::Result<T>, path: &str) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(Error::new(ErrorKind::Invalid, format!("cannot be read: {error}"))
            .at_field(path)
            .caused_by(error)),
    }
}

impl Folder for Disk {
    fn list(&self, dir: &str) -> Result<Vec<String>> {
        let Some(entries) = readable(fs::read_dir(self.root.join(dir)), dir)? else { return Ok(Vec::new()) };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.collect())
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        readable(fs::read(self.root.join(path)), path)
    }

    fn open(&self, path: &str) -> Result<Option<Box<dyn BufRead + '_>>> {
        let file = readable(File::open(self.root.join(path)), path)?;
        Ok(file.map(|file| Box::new(BufReader::with_capacity(1 << 16, file)) as Box<dyn BufRead>))
    }
}
