//! The limit of a comparison. It counts steps and not time, so that a question always has the same answer.

/// The steps that a search may still take, and the states that it has explored.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The steps that remain.
    pub steps: u64,
    /// The explored states.
    pub states: u64,
}

/// The limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl Budget {
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), TooLarge> {
        self.steps = self.steps.checked_sub(steps as u64).ok_or(TooLarge)?;
        Ok(())
    }
}
