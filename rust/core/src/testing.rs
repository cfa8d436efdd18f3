//! What the tests share: numbers and texts that look random and are the same each time.

/// A source of numbers (xorshift64).
pub struct Dice(u64);

impl Dice {
    /// A source that gives the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    /// One of some values.
    pub fn pick<'a, T: ?Sized>(&mut self, values: &[&'a T]) -> &'a T {
        values[self.below(values.len())]
    }

    /// A text of those octets, shorter than `limit`.
    pub fn text(&mut self, octets: &[u8], limit: usize) -> Vec<u8> {
        (0..self.below(limit)).map(|_| octets[self.below(octets.len())]).collect()
    }
}
