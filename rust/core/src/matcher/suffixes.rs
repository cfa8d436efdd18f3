//! A suffix array of a target: finds any segment in a time that does not depend on the target's content.
//!
//! Building it costs more than searching an ordinary target. It is built only for targets whose searches were
//! expensive, as with a hostile file, where almost every position looks like the start of a segment.

use std::cmp::Ordering;

use super::successors::Successors;
use crate::sorting::sort;

/// Up to this many suffixes are checked one by one, which is faster than a query.
const FEW: usize = 32;

/// The number of pieces of a segment that are tried to find a rare one.
const PIECES_READ: usize = 16;

/// The suffixes of a target in order.
#[derive(Debug)]
pub struct Suffixes {
    /// Where each suffix begins, in the order of the suffixes.
    sorted: Vec<u32>,
    /// Finds the first suffix after a position, among suffixes that begin alike.
    next: Successors,
    starts: Starts,
}

impl Suffixes {
    /// Sorts the suffixes by their first seven bytes, and then by twice as many bytes in each round.
    pub fn new(bytes: &[u8]) -> Self {
        // The lowest byte is the length of short suffixes, to distinguish the end of a suffix from a NUL.
        let key = |suffix: &[u8]| first_eight(suffix) & !0xFF | suffix.len().min(7) as u64;
        let mut keyed: Vec<(u64, u32)> = (0..bytes.len()).map(|start| (key(&bytes[start..]), start as u32)).collect();
        let mut ranks = vec![0; bytes.len()];
        let mut compared = 7;
        loop {
            sort(&mut keyed);
            let mut distinct = 0;
            let mut before = None;
            for &(key, start) in &keyed {
                distinct += u32::from(before.is_some_and(|before| before != key));
                before = Some(key);
                ranks[start as usize] = distinct;
            }
            if distinct as usize + 1 >= bytes.len() {
                break;
            }
            for (key, start) in &mut keyed {
                let start = *start as usize;
                // A shorter suffix comes first.
                let next = ranks.get(start + compared).map_or(0, |rank| u64::from(*rank) + 1);
                *key = u64::from(ranks[start]) << 32 | next;
            }
            compared *= 2;
        }
        let sorted: Vec<u32> = keyed.into_iter().map(|(_, start)| start).collect();
        Self { starts: Starts::new(bytes, &sorted), next: Successors::new(&sorted), sorted }
    }

    /// Returns the first occurrence of the segment at or after `from`.
    pub fn find(&self, bytes: &[u8], segment: &[u8], from: usize) -> Option<usize> {
        let (mut first, mut end) = self.starts.range(segment)?;
        if let Some(rest) = segment.get(self.starts.length..).filter(|rest| !rest.is_empty()) {
            let rare = self.starts.rare_piece(segment)?;
            if rare.count <= FEW {
                let positions = self.sorted[rare.first..][..rare.count].iter();
                let starts = positions.filter_map(|&position| (position as usize).checked_sub(rare.offset));
                return starts.filter(|&start| start >= from && bytes[start..].starts_with(segment)).min();
            }
            let rest = Rest::new(rest);
            let order = |start: u32| rest.order(&bytes[start as usize + self.starts.length..]);
            let sorted = &self.sorted[..end];
            first += sorted[first..].partition_point(|&start| order(start) == Ordering::Less);
            let same = |&start: &u32| order(start) == Ordering::Equal;
            // Usually few suffixes begin with the segment, so the end is among the next ones.
            let few = (first + FEW).min(end);
            let last = if sorted[first..few].last().is_some_and(same) { end } else { few };
            end = first + sorted[first..last].partition_point(same);
        }
        self.first_after(first, end, from)
    }

    /// Returns the first position at or after `from`, of the suffixes `first..end` in sorted order.
    fn first_after(&self, first: usize, end: usize, from: usize) -> Option<usize> {
        if end - first <= FEW {
            return self.sorted[first..end].iter().map(|&start| start as usize).filter(|&start| start >= from).min();
        }
        self.next.find(first, end, from as u32).map(|start| start as usize)
    }
}

/// The part of a segment after the bytes that [`Starts`] compares, with its first eight bytes as a number.
struct Rest<'s> {
    bytes: &'s [u8],
    first: u64,
    mask: u64,
}

impl<'s> Rest<'s> {
    fn new(bytes: &'s [u8]) -> Self {
        let missing = 8 - bytes.len().min(8) as u32;
        Self { bytes, first: first_eight(bytes), mask: u64::MAX << (8 * missing) }
    }

    /// Compares the beginning of a text with the rest of the segment.
    #[inline]
    fn order(&self, text: &[u8]) -> Ordering {
        let first = first_eight(text) & self.mask;
        first.cmp(&self.first).then_with(|| {
            if text.len() >= self.bytes.len() && self.bytes.len() <= 8 {
                return Ordering::Equal;
            }
            text[..text.len().min(self.bytes.len())].cmp(self.bytes)
        })
    }
}

/// A piece of a segment: its offset, and the suffixes that begin with it.
struct Piece {
    offset: usize,
    first: usize,
    count: usize,
}

/// The suffixes by their first bytes, which are read as a number. Only bytes that occur in the target are digits, so a
/// small table covers as many bytes as possible.
#[derive(Debug)]
struct Starts {
    /// The digit of each byte; 0 for a byte that does not occur.
    digits: Box<[u32; 256]>,
    base: u32,
    /// The number of bytes that are read.
    length: usize,
    positions: Vec<u32>,
}

impl Starts {
    const MOST: u32 = 1 << 15;

    fn new(bytes: &[u8], sorted: &[u32]) -> Self {
        let mut digits = Box::new([0; 256]);
        for &byte in bytes {
            digits[usize::from(byte)] = 1;
        }
        let mut base = 1;
        for digit in digits.iter_mut().filter(|digit| **digit == 1) {
            *digit = base;
            base += 1;
        }
        let length = Self::MOST.ilog(base.max(2)) as usize;
        let mut found = Self { digits, base, length, positions: Vec::new() };
        for (position, &start) in sorted.iter().enumerate() {
            let number = found.number(&bytes[start as usize..]).unwrap_or(0);
            found.positions.resize(found.positions.len().max(number as usize + 1), position as u32);
        }
        found.positions.resize(base.pow(length as u32) as usize + 1, sorted.len() as u32);
        found
    }

    /// Returns the first bytes of a text as a number, with 0 for missing ones; `None` if one does not occur in the
    /// target.
    #[inline]
    fn number(&self, text: &[u8]) -> Option<u32> {
        let mut number = 0;
        for at in 0..self.length {
            let digit = match text.get(at) {
                Some(&byte) => Some(self.digits[usize::from(byte)]).filter(|&digit| digit != 0)?,
                None => 0,
            };
            number = number * self.base + digit;
        }
        Some(number)
    }

    /// Returns the first piece of a segment that is rare in the target, or else the last piece tried; `None` if a piece
    /// does not occur. The pieces are adjacent, so together they cover a segment that is not too long.
    fn rare_piece(&self, segment: &[u8]) -> Option<Piece> {
        let last = segment.len() - self.length;
        let mut offset = 0;
        for _ in 0..PIECES_READ {
            let (first, end) = self.range(&segment[offset..])?;
            if end - first <= FEW || offset == last {
                return Some(Piece { offset, first, count: end - first });
            }
            offset = (offset + self.length).min(last);
        }
        self.range(&segment[last..]).map(|(first, end)| Piece { offset: last, first, count: end - first })
    }

    /// Returns the range of the suffixes that begin with the first bytes of the segment; `None` if it is empty.
    #[inline]
    fn range(&self, segment: &[u8]) -> Option<(usize, usize)> {
        let number = self.number(segment)?;
        let missing = self.length.saturating_sub(segment.len()) as u32;
        let next = number + self.base.pow(missing);
        let (start, end) = (self.positions[number as usize] as usize, self.positions[next as usize] as usize);
        (start < end).then_some((start, end))
    }
}

/// Returns the first eight bytes as a number with the same order. Missing bytes count as 0.
#[inline]
pub fn first_eight(suffix: &[u8]) -> u64 {
    match suffix.first_chunk() {
        Some(eight) => u64::from_be_bytes(*eight),
        None => (0..8).fold(0, |key, at| key << 8 | u64::from(suffix.get(at).copied().unwrap_or(0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;

    #[test]
    fn results_agree_with_a_plain_search() {
        let mut dice = Dice::new(1);
        for _ in 0..300 {
            let bytes = dice.text(b"ab\0", 300);
            let suffixes = Suffixes::new(&bytes);
            for _ in 0..40 {
                let mut segment = dice.text(b"ab\0", 6);
                segment.push(b'a');
                let from = dice.below(bytes.len() + 1);
                let plain =
                    bytes[from..].windows(segment.len()).position(|window| window == segment).map(|at| from + at);
                assert_eq!(suffixes.find(&bytes, &segment, from), plain, "{bytes:?} {segment:?} {from}");
            }
        }
    }

    #[test]
    fn a_target_of_equal_bytes_is_sorted() {
        let bytes = [b'a'; 5000];
        let suffixes = Suffixes::new(&bytes);
        assert_eq!(suffixes.find(&bytes, &bytes[..4000], 700), Some(700));
        assert_eq!(suffixes.find(&bytes, &bytes[..4000], 1001), None);
    }
}
