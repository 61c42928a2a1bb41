//! How files are reached. This crate opens none itself.

use std::collections::BTreeMap;
use std::io::{BufRead, Cursor};

use crate::Result;

/// A folder with files, wherever it is. Paths are relative to it, with `/` between names.
///
/// A file or folder that does not exist is not an error; an error is one that exists and cannot be read.
pub trait Folder {
    /// The names in a folder, in any order, files and folders alike; none if there is no such folder.
    fn list(&self, dir: &str) -> Result<Vec<String>>;

    /// The bytes of a file.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>>;

    /// A file to be read bit by bit. Chats can be large; override this where files need not be read whole.
    fn open(&self, path: &str) -> Result<Option<Box<dyn BufRead + '_>>> {
        let bytes = self.read(path)?;
        Ok(bytes.map(|bytes| Box::new(Cursor::new(bytes)) as Box<dyn BufRead>))
    }
}

impl<F: Folder + ?Sized> Folder for &F {
    fn list(&self, dir: &str) -> Result<Vec<String>> {
        (**self).list(dir)
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        (**self).read(path)
    }

    fn open(&self, path: &str) -> Result<Option<Box<dyn BufRead + '_>>> {
        (**self).open(path)
    }
}

/// A folder in memory: files by path.
#[derive(Debug, Clone, Default)]
pub struct MemoryFolder {
    files: BTreeMap<String, Vec<u8>>,
}

impl MemoryFolder {
    /// Adds a file.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), bytes.into());
    }
}

impl Folder for MemoryFolder {
    fn list(&self, dir: &str) -> Result<Vec<String>> {
        let prefix = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let inside = self.files.keys().filter_map(|path| path.strip_prefix(&prefix));
        let mut names: Vec<String> =
            inside.filter_map(|path| path.split('/').next()).map(str::to_owned).collect();
        names.dedup();
        Ok(names)
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.files.get(path).cloned())
    }
}
