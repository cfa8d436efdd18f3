//! A hash for contents and names: fast on kilobytes, and with a secret, so that no file can be made to collide.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Creates hashers with the same secret.
#[derive(Clone, Debug)]
pub struct Hashing {
    secret: [u64; 4],
}

impl Default for Hashing {
    fn default() -> Self {
        let random = RandomState::new();
        // Odd, so that a multiplication never loses a secret.
        Self { secret: std::array::from_fn(|index| random.hash_one(index) | 1) }
    }
}

impl BuildHasher for Hashing {
    type Hasher = Folding;

    fn build_hasher(&self) -> Folding {
        Folding { secret: self.secret, state: self.secret[0] }
    }
}

/// Multiplies 64 bits by 64 bits and folds the product.
pub struct Folding {
    secret: [u64; 4],
    state: u64,
}

#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// Returns up to eight bytes as a word, padded with 0. Without a copy, which takes longer than the rest of the hash.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    if let Some(eight) = bytes.first_chunk() {
        return u64::from_le_bytes(*eight);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // They may overlap, in equal bytes.
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4));
    }
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

impl Hasher for Folding {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let [a, b, c, d] = self.secret;
        let (mut one, mut other) = (self.state ^ bytes.len() as u64, self.state.rotate_left(32));
        let mut blocks = bytes.chunks_exact(32);
        for block in &mut blocks {
            // Two independent chains, so that the processor works on both at once.
            one = fold(one ^ word(&block[..8]), a ^ word(&block[8..16]));
            other = fold(other ^ word(&block[16..24]), b ^ word(&block[24..]));
        }
        for rest in blocks.remainder().chunks(16) {
            let (low, high) = rest.split_at(rest.len().min(8));
            one = fold(one ^ word(low), c ^ word(high));
        }
        self.state = fold(one ^ d, other ^ b);
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.state = fold(self.state ^ number, self.secret[1]);
    }

    #[inline]
    fn write_i64(&mut self, number: i64) {
        self.write_u64(u64::from_ne_bytes(number.to_ne_bytes()));
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        fold(self.state, self.secret[2])
    }
}
