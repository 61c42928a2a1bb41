//! Zip archives within limits. The only module that knows the zip crate.

use std::io::{Cursor, Read as _, Write as _};

use tavernkit_core::Warning;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::{Error, ErrorKind, Limits, Result};

/// The longest entry name that is taken seriously.
const LONGEST_NAME: usize = 1024;

/// Entries up to this size may be packed as densely as they like.
const SMALL: u64 = 1 << 20;

/// An open archive. It may stand behind other bytes: a picture, or a program that unpacks it.
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    bytes: &'a [u8],
    /// Safe, normalised names of files, with their index in the archive.
    files: Vec<(String, usize)>,
    pub(crate) warnings: Vec<Warning>,
    unpacked: u64,
}

impl<'a> Archive<'a> {
    /// Whether an archive's directory ends these bytes.
    pub(crate) fn is_at_the_end_of(bytes: &[u8]) -> bool {
        // The end record is 22 bytes and may be followed by a comment of up to 64 KiB.
        let tail = &bytes[bytes.len().saturating_sub(22 + 0xffff)..];
        tail.windows(4).any(|window| window == b"PK\x05\x06")
    }

    /// Reads the directory.
    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        if bytes.len() as u64 > limits.input {
            let message = format!(
                "the archive has {} bytes, more than the limit of {}; raise `Limits::input` if you trust it",
                bytes.len(),
                limits.input
            );
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| {
            let message =
                "the archive's directory cannot be read; the file may be cut off, get a whole copy of it";
            Error::new(ErrorKind::Archive, message).caused_by(error)
        })?;
        if zip.len() > limits.zip_entries {
            let message = format!(
                "the archive has {} entries, more than the limit of {}; raise `Limits::zip_entries` if you trust it",
                zip.len(),
                limits.zip_entries
            );
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let mut archive = Self { zip, bytes, files: Vec::new(), warnings: Vec::new(), unpacked: 0 };
        archive.list();
        Ok(archive)
    }

    fn list(&mut self) {
        for index in 0..self.zip.len() {
            let Some(Ok(name)) = self.zip.name_for_index(index) else {
                self.warnings.push(
                    Warning::new("zip.name", "an entry's name is not text; it was left alone")
                        .at(format!("entry {index}")),
                );
                continue;
            };
            if name.ends_with('/') {
                continue;
            }
            match normalise(&name) {
                Some(safe) => self.files.push((safe, index)),
                None => {
                    let shown: String = name.chars().take(80).collect();
                    let message =
                        "the entry's path leads outside the archive or is absurdly long; it was left alone";
                    self.warnings.push(Warning::new("zip.path", message).at(shown));
                }
            }
        }
    }

    /// The names of all files, in the order of the directory.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// Whether there is such a file.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// A file's content, or `None` if there is no such file. The last file of a name counts, as in a directory on disk.
    pub(crate) fn read(&mut self, name: &str, limits: &Limits) -> Result<Option<Vec<u8>>> {
        let Some((_, index)) = self.files.iter().rev().find(|(known, _)| known == name) else {
            return Ok(None);
        };
        let broken = |error| {
            let message = "the entry cannot be unpacked; it is damaged, encrypted or packed in a way that is not supported";
            Error::new(ErrorKind::Archive, message).at_field(name).caused_by(error)
        };
        let file = self.zip.by_index(*index).map_err(broken)?;
        let by_ratio = file.compressed_size().saturating_mul(limits.ratio).max(SMALL);
        let left = limits.zip_total.saturating_sub(self.unpacked);
        let allowed = limits.zip_entry.min(by_ratio).min(left);
        // The size in the directory is a claim; what counts is what comes out.
        let mut content = Vec::with_capacity(file.size().min(allowed).min(SMALL) as usize);
        let outcome = file.take(allowed.saturating_add(1)).read_to_end(&mut content);
        if content.len() as u64 > allowed {
            let message = format!(
                "the entry grows beyond {allowed} bytes; raise `Limits::zip_entry`, `zip_total` or `ratio` if you trust the file"
            );
            return Err(Error::new(ErrorKind::Limit, message).at_field(name));
        }
        outcome.map_err(|error| broken(error.into()))?;
        self.unpacked += content.len() as u64;
        Ok(Some(content))
    }

    /// A copy of the archive with one file replaced or added; everything else is copied still packed.
    /// What stands before the archive stays before it.
    pub(crate) fn with_file(&mut self, name: &str, content: &[u8]) -> Result<Vec<u8>> {
        let start = usize::try_from(self.first_entry()?).unwrap_or(0);
        let failed = |error: zip::result::ZipError| {
            Error::new(ErrorKind::Archive, "the archive cannot be copied; an entry is damaged")
                .caused_by(error)
        };
        let mut writer = Writer::default();
        let replaced = self.files.iter().rev().find(|(known, _)| known == name).map(|(_, index)| *index);
        for index in 0..self.zip.len() {
            if Some(index) == replaced {
                writer.add(name, content)?;
            } else {
                let entry = self.zip.by_index_raw(index).map_err(failed)?;
                writer.zip.raw_copy_file(entry).map_err(failed)?;
            }
        }
        if replaced.is_none() {
            writer.add(name, content)?;
        }
        let mut out = self.bytes.get(..start).unwrap_or_default().to_vec();
        out.extend(writer.finish()?);
        Ok(out)
    }

    /// Where the first entry starts: what stands before is not the archive's.
    fn first_entry(&mut self) -> Result<u64> {
        let mut first = self.zip.central_directory_start();
        for index in 0..self.zip.len() {
            let entry = self.zip.by_index_raw(index).map_err(|error| {
                Error::new(
                    ErrorKind::Archive,
                    "an entry's header cannot be read; get a whole copy of the file",
                )
                .caused_by(error)
            })?;
            first = first.min(entry.header_start());
        }
        Ok(first)
    }
}

/// A new archive. Times are left at zero so that the same content gives the same bytes.
pub(crate) struct Writer {
    zip: ZipWriter<Cursor<Vec<u8>>>,
}

impl Default for Writer {
    fn default() -> Self {
        Self { zip: ZipWriter::new(Cursor::new(Vec::new())) }
    }
}

impl Writer {
    /// Adds a file. Pictures and the like are stored, text is packed.
    pub(crate) fn add(&mut self, name: &str, content: &[u8]) -> Result<()> {
        let packed = name.ends_with(".json") || name.ends_with(".txt");
        let method = if packed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(zip::DateTime::default())
            .large_file(u32::try_from(content.len()).is_err());
        let added = self.zip.start_file(name, options).and_then(|()| Ok(self.zip.write_all(content)?));
        added.map_err(|error| {
            Error::new(ErrorKind::Archive, "the entry cannot be added").at_field(name).caused_by(error)
        })
    }

    /// The finished archive.
    pub(crate) fn finish(self) -> Result<Vec<u8>> {
        let done = self.zip.finish();
        done.map(Cursor::into_inner).map_err(|error| {
            Error::new(ErrorKind::Archive, "the archive cannot be finished").caused_by(error)
        })
    }
}

/// A path inside an archive with plain slashes and no detours. `None` if it leads outside.
pub(crate) fn normalise(path: &str) -> Option<String> {
    if path.len() > LONGEST_NAME || path.contains('\0') {
        return None;
    }
    let path = path.trim().replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    // A drive letter makes a path absolute on Windows.
    let drive = parts.first().is_some_and(|first| first.len() == 2 && first.ends_with(':'));
    (!parts.is_empty() && !drive).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = Writer::default();
        for (name, content) in files {
            writer.add(name, content).unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn paths_stay_inside() {
        assert_eq!(normalise("./assets\\icon//main.png").as_deref(), Some("assets/icon/main.png"));
        assert_eq!(normalise("/etc/passwd").as_deref(), Some("etc/passwd"));
        assert_eq!(normalise("a/../b").as_deref(), Some("b"));
        for bad in ["../x", "a/../../x", "", ".", "C:/x", "a\0b"] {
            assert_eq!(normalise(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn unsafe_entries_are_left_alone_with_a_warning() {
        let bytes = archive(&[("../evil.json", b"x"), ("card.json", b"{}")]);
        let opened = Archive::open(&bytes, &Limits::default()).unwrap();
        assert_eq!(opened.names().collect::<Vec<_>>(), ["card.json"]);
        assert_eq!(
            opened.warnings[0].to_string(),
            "[zip.path] the entry's path leads outside the archive or is absurdly long; it was left alone (at ../evil.json)"
        );
    }

    #[test]
    fn limits_stop_bombs() {
        let bytes = archive(&[("a.json", &vec![b' '; 3 << 20]), ("b.json", b"1")]);
        let refused = |limits: &Limits| match Archive::open(&bytes, limits) {
            Ok(mut archive) => archive.read("a.json", limits).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            refused(&Limits { zip_entries: 1, ..Limits::default() }),
            "the archive has 2 entries, more than the limit of 1; raise `Limits::zip_entries` if you trust it"
        );
        let grows = |allowed: u64| {
            format!(
                "the entry grows beyond {allowed} bytes; raise `Limits::zip_entry`, `zip_total` or `ratio` if you trust the file \
                 (at a.json)"
            )
        };
        assert_eq!(refused(&Limits { zip_entry: 1000, ..Limits::default() }), grows(1000));
        assert_eq!(refused(&Limits { zip_total: 2000, ..Limits::default() }), grows(2000));
        assert_eq!(refused(&Limits { ratio: 10, ..Limits::default() }), grows(SMALL));
        assert!(refused(&Limits { input: 10, ..Limits::default() }).starts_with("the archive has "));
    }

    #[test]
    fn a_cut_off_archive_is_a_clear_error() {
        let bytes = archive(&[("card.json", b"{}")]);
        for length in 0..bytes.len() {
            let error = match Archive::open(&bytes[..length], &Limits::default()) {
                Ok(_) => panic!("opened {length} bytes"),
                Err(error) => error,
            };
            assert_eq!(
                error.to_string(),
                "the archive's directory cannot be read; the file may be cut off, get a whole copy of it"
            );
        }
    }

    #[test]
    fn replacing_a_file_keeps_the_rest_and_the_prefix() {
        let plain = archive(&[("a.txt", b"one"), ("card.json", b"{}"), ("module.risum", b"\x6f\0")]);
        for prefix in [&b""[..], b"\xff\xd8 a picture \xff\xd9"] {
            let bytes = [prefix, &plain].concat();
            let limits = Limits::default();
            let changed = Archive::open(&bytes, &limits).unwrap().with_file("card.json", b"[1]").unwrap();
            assert!(changed.starts_with(prefix));
            let mut reopened = Archive::open(&changed, &limits).unwrap();
            assert_eq!(reopened.names().collect::<Vec<_>>(), ["a.txt", "card.json", "module.risum"]);
            assert_eq!(reopened.read("card.json", &limits).unwrap().unwrap(), b"[1]");
            assert_eq!(reopened.read("module.risum", &limits).unwrap().unwrap(), b"\x6f\0");
        }
    }
}
