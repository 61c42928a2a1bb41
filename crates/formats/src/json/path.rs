//! Where in a JSON value: the path that warnings and reports name.

use std::fmt;

/// A place in a JSON value, built on the stack while walking and printed only when there is something to say.
///
/// ```
/// use tavernkit_formats::json::Path;
///
/// let data = Path::Root.key("data");
/// let entries = data.key("entries");
/// assert_eq!(entries.index(3).key("my key").to_string(), "data.entries[3][\"my key\"]");
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Path<'a> {
    /// The whole value.
    Root,
    /// A place that has a name already.
    Named(&'a str),
    /// A field of an object.
    Key(&'a Path<'a>, &'a str),
    /// An item of a list.
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// The field `key` of what is here.
    pub fn key(&'a self, key: &'a str) -> Path<'a> {
        Path::Key(self, key)
    }

    /// The item `index` of what is here.
    pub fn index(&'a self, index: usize) -> Path<'a> {
        Path::Index(self, index)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Named(name) => f.write_str(name),
            Path::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Path::Key(parent, key) => {
                // Keys are people's data and can be of any length.
                let key: String = if key.len() > 80 {
                    key.chars().take(60).chain(['…']).collect()
                } else {
                    (*key).to_owned()
                };
                let plain = !key.is_empty()
                    && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '@' | '…'));
                match (plain, parent) {
                    (true, Path::Root) => f.write_str(&key),
                    (true, _) => write!(f, "{parent}.{key}"),
                    (false, _) => write!(f, "{parent}[{key:?}]"),
                }
            }
        }
    }
}
