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

/// The steps of `Fuel::default()`.
const DEFAULT_STEPS: u64 = 1_000_000;

impl Fuel {
    /// Fuel for so many steps.
    pub fn new(steps: u64) -> Self {
        Fuel { steps }
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
