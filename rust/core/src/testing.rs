//! Shared by the tests: profiles by name, and reproducible random numbers and texts.

use crate::tables::Profile;

/// A random number generator (xorshift64).
pub struct Dice(u64);

impl Dice {
    /// Creates a generator that returns the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    /// Returns one of the values.
    pub fn pick<'a, T: ?Sized>(&mut self, values: &[&'a T]) -> &'a T {
        values[self.below(values.len())]
    }

    /// Returns a text of these bytes, shorter than `limit`.
    pub fn text(&mut self, alphabet: &[u8], limit: usize) -> Vec<u8> {
        (0..self.below(limit)).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }
}

/// The profile with this name.
pub fn profile(name: &str) -> &'static Profile {
    crate::compiled::profile(name).unwrap_or_else(|| panic!("unknown profile {name:?}"))
}
