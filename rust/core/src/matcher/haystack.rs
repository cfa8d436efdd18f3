//! A target in which segments are searched.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use super::suffixes::Suffixes;

/// Occurrences of the first byte that are tried before a full substring search.
const CANDIDATES: usize = 6;

/// A target, and the cost of the searches so far.
#[derive(Debug)]
pub struct Haystack<'t> {
    bytes: Cow<'t, [u8]>,
    searched: Cell<usize>,
    suffixes: OnceCell<Suffixes>,
}

impl<'t> Haystack<'t> {
    /// Wraps a target.
    #[inline]
    pub fn new(bytes: impl Into<Cow<'t, [u8]>>) -> Self {
        Self { bytes: bytes.into(), searched: Cell::new(0), suffixes: OnceCell::new() }
    }

    /// The bytes of the target.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the first occurrence of the segment at or after `from`.
    #[inline]
    pub fn find(&self, segment: &[u8], from: usize) -> Option<usize> {
        let bytes = self.bytes();
        let Some((&first, others)) = segment.split_first() else { return Some(from) };
        if let Some(suffixes) = self.suffixes.get() {
            return suffixes.find(bytes, segment, from);
        }
        let mut at = from;
        for _ in 0..CANDIDATES {
            at += memchr::memchr(first, &bytes[at..])?;
            if bytes[at + 1..].starts_with(others) {
                return Some(at);
            }
            at += 1;
        }
        self.find_among_many(segment, at)
    }

    /// Searches a target in which the first byte of the segment is frequent.
    #[cold]
    fn find_among_many(&self, segment: &[u8], from: usize) -> Option<usize> {
        let bytes = self.bytes();
        // A search is linear, but a hostile file can cause very many. After a limit they use the sorted suffixes.
        if self.searched.get() > 16_384 + 16 * bytes.len() {
            return self.suffixes.get_or_init(|| Suffixes::new(bytes)).find(bytes, segment, from);
        }
        let found = memchr::memmem::find(&bytes[from..], segment).map(|offset| from + offset);
        self.searched.set(self.searched.get() + found.unwrap_or(bytes.len()) - from);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;

    #[test]
    fn every_kind_of_search_agrees_with_a_plain_one() {
        let mut dice = Dice::new(2);
        for _ in 0..50 {
            let bytes = dice.text(b"abc", 2000);
            let haystack = Haystack::new(&bytes[..]);
            for _ in 0..300 {
                let segment = dice.text(b"abc", 9);
                let from = dice.below(bytes.len() + 1);
                let plain = match segment.len() {
                    0 => Some(from),
                    length => bytes[from..].windows(length).position(|window| window == segment).map(|at| from + at),
                };
                assert_eq!(haystack.find(&segment, from), plain);
            }
        }
    }
}
