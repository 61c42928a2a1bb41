//! A field of a platform's state that one stage writes and later stages read.

use crate::error::{Error, ErrorKind, Result};

/// A value that exists once its stage has run. Reading it earlier is an error, not an empty value.
///
/// ```
/// use tavernkit_core::Produced;
///
/// let mut outlets: Produced<Vec<String>> = Produced::by("lore", "outlets");
/// let error = outlets.get().unwrap_err();
/// assert_eq!(error.to_string(), "`outlets` was read before stage `lore` wrote it; check the order of the stages");
/// outlets.set(vec![])?;
/// assert!(outlets.get()?.is_empty());
/// # Ok::<(), tavernkit_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Produced<T> {
    stage: &'static str,
    field: &'static str,
    value: Option<T>,
}

impl<T> Produced<T> {
    /// Not yet written; `stage` will write `field`.
    pub fn by(stage: &'static str, field: &'static str) -> Self {
        Self { stage, field, value: None }
    }

    /// Writes the value. A field has one writer: a second write is an error.
    pub fn set(&mut self, value: T) -> Result<()> {
        if self.value.is_some() {
            let detail =
                format!("`{}` was written twice; only stage `{}` may write it, once", self.field, self.stage);
            return Err(Error::new(ErrorKind::StageOrder, detail));
        }
        self.value = Some(value);
        Ok(())
    }

    /// The value.
    pub fn get(&self) -> Result<&T> {
        self.value.as_ref().ok_or_else(|| missing(self.field, self.stage))
    }

    /// The value, to be refined by a later stage that says so in its contract.
    pub fn get_mut(&mut self) -> Result<&mut T> {
        let Self { stage, field, value } = self;
        value.as_mut().ok_or_else(|| missing(field, stage))
    }

    /// Takes the value out; it counts as not written afterwards.
    pub fn take(&mut self) -> Result<T> {
        self.value.take().ok_or_else(|| missing(self.field, self.stage))
    }
}

fn missing(field: &str, stage: &str) -> Error {
    let detail = format!("`{field}` was read before stage `{stage}` wrote it; check the order of the stages");
    Error::new(ErrorKind::StageOrder, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_only() {
        let mut field = Produced::by("lore", "result");
        field.set(1).unwrap();
        let error = field.set(2).unwrap_err();
        assert_eq!(error.to_string(), "`result` was written twice; only stage `lore` may write it, once");
        *field.get_mut().unwrap() += 1;
        assert_eq!(field.take().unwrap(), 2);
        assert_eq!(field.get_mut().unwrap_err().kind(), ErrorKind::StageOrder);
    }
}
