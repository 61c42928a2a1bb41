//! The step limit.

/// How many steps a match may take. One step is one instruction or one retry; long scans cost one per 16 bytes.
///
/// The count depends on pattern and text only, not on the machine: what runs out here runs out everywhere.
///
/// ```
/// use tavernkit_js::regex::{Fuel, Regex};
/// let regex = Regex::new(r"(.+)+\1x", "").unwrap();
/// let mut fuel = Fuel::new(10_000);
/// assert!(regex.find_at("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0, &mut fuel).is_err());
/// assert_eq!(fuel.remaining(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fuel {
    pub(super) steps: u64,
}

/// The steps of `Fuel::default()`: a few milliseconds of the worst kind of matching, and more than any pattern of the
/// recorded cases needs (the hungriest takes 488,000). `docs/regex.md` has the measurements.
const DEFAULT_STEPS: u64 = 500_000;

/// What each byte of a text adds in `Fuel::for_text`.
const STEPS_PER_BYTE: u64 = 32;

impl Fuel {
    /// Fuel for so many steps.
    pub fn new(steps: u64) -> Self {
        Fuel { steps }
    }

    /// The default and more for a long text, so that honest work on a megabyte does not run out.
    ///
    /// ```
    /// use tavernkit_js::regex::Fuel;
    /// assert_eq!(Fuel::for_text("").remaining(), Fuel::default().remaining());
    /// assert!(Fuel::for_text(&"a".repeat(1 << 20)).remaining() > 30_000_000);
    /// ```
    pub fn for_text(text: &str) -> Self {
        Fuel::new(DEFAULT_STEPS + STEPS_PER_BYTE * text.len() as u64)
    }

    /// What is left.
    pub fn remaining(&self) -> u64 {
        self.steps
    }
}

impl Default for Fuel {
    fn default() -> Self {
        Fuel::new(DEFAULT_STEPS)
    }
}
