//! Every suffix of a target in order: any segment is found in time that the target cannot make worse.
//!
//! It costs more to make than an ordinary target is worth searching, so only a target that has shown itself expensive
//! gets it: one that a hostile file was written for, where a search finds what looks like its segment at every place.

use std::cmp::Ordering;

use super::successors::Successors;

/// So few places are looked at sooner than the next one is found.
const FEW: usize = 32;

/// Pieces of a segment among which a rare one is looked for.
const PIECES_READ: usize = 16;

/// The order of a target's suffixes.
#[derive(Debug)]
pub struct Suffixes {
    /// Where each suffix begins, in the order of the suffixes.
    sorted: Vec<u32>,
    /// The next of those that begin alike.
    next: Successors,
    starts: Starts,
}

impl Suffixes {
    /// Sorts the suffixes: by their first seven octets, then by twice as many each round.
    pub fn new(bytes: &[u8]) -> Self {
        // How many of the seven there are comes last: a suffix that ends is not one that goes on with NUL.
        let key = |suffix: &[u8]| first_eight(suffix) & !0xFF | suffix.len().min(7) as u64;
        let mut keyed: Vec<(u64, u32)> = (0..bytes.len()).map(|start| (key(&bytes[start..]), start as u32)).collect();
        let mut ranks = vec![0; bytes.len()];
        let mut compared = 7;
        loop {
            keyed.sort_unstable();
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
                // A suffix that ends sooner comes first.
                let next = ranks.get(start + compared).map_or(0, |rank| u64::from(*rank) + 1);
                *key = u64::from(ranks[start]) << 32 | next;
            }
            compared *= 2;
        }
        let sorted: Vec<u32> = keyed.into_iter().map(|(_, start)| start).collect();
        Self { starts: Starts::new(bytes, &sorted), next: Successors::new(&sorted), sorted }
    }

    /// Where the segment first occurs at or behind `from`.
    pub fn find(&self, bytes: &[u8], segment: &[u8], from: usize) -> Option<usize> {
        let (mut first, mut end) = self.starts.range(segment)?;
        if let Some(rest) = segment.get(self.starts.length..).filter(|rest| !rest.is_empty()) {
            let rare = self.starts.rare_piece(segment)?;
            if rare.count <= FEW {
                let places = self.sorted[rare.first..][..rare.count].iter();
                let starts = places.filter_map(|&place| (place as usize).checked_sub(rare.offset));
                return starts.filter(|&start| start >= from && bytes[start..].starts_with(segment)).min();
            }
            let rest = Rest::new(rest);
            let order = |start: u32| rest.order(&bytes[start as usize + self.starts.length..]);
            let sorted = &self.sorted[..end];
            first += sorted[first..].partition_point(|&start| order(start) == Ordering::Less);
            let same = |&start: &u32| order(start) == Ordering::Equal;
            // Mostly few begin with it, and how many is found among the next ones.
            let few = (first + FEW).min(end);
            let last = if sorted[first..few].last().is_some_and(same) { end } else { few };
            end = first + sorted[first..last].partition_point(same);
        }
        self.first_behind(first, end, from)
    }

    /// The first of the suffixes from `first` to `end`, in their order, that begins at or behind `from`.
    fn first_behind(&self, first: usize, end: usize, from: usize) -> Option<usize> {
        if end - first <= FEW {
            return self.sorted[first..end].iter().map(|&start| start as usize).filter(|&start| start >= from).min();
        }
        self.next.find(first, end, from as u32).map(|start| start as usize)
    }
}

/// What of a segment is left to be compared, its first eight octets as a number.
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

    /// How a text, as far as the rest goes, stands to it.
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

/// Octets of a segment, how far in they stand, and the suffixes that begin with them.
struct Piece {
    offset: usize,
    first: usize,
    count: usize,
}

/// Where the suffixes with the same first octets begin, by these octets read as a number. Only octets that occur in the
/// target are digits, so the table stays small and takes in as many octets as fit.
#[derive(Debug)]
struct Starts {
    /// 0 for an byte that does not occur.
    digits: Box<[u32; 256]>,
    base: u32,
    /// How many octets are read.
    length: usize,
    places: Vec<u32>,
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
        let mut found = Self { digits, base, length, places: Vec::new() };
        for (place, &start) in sorted.iter().enumerate() {
            let number = found.number(&bytes[start as usize..]).unwrap_or(0);
            found.places.resize(found.places.len().max(number as usize + 1), place as u32);
        }
        found.places.resize(base.pow(length as u32) as usize + 1, sorted.len() as u32);
        found
    }

    /// The first octets of a text as a number, those that are missing as 0; `None` if one does not occur in the target.
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

    /// The first piece of a segment, as long as is read, of which the target has few, or else the last; `None` if it has
    /// none of one. The pieces lie side by side, so that each byte of a segment that is not too long stands in one.
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

    /// Where the suffixes that begin with the segment, as far as it is read, begin and end; `None` if there are none.
    #[inline]
    fn range(&self, segment: &[u8]) -> Option<(usize, usize)> {
        let number = self.number(segment)?;
        let missing = self.length.saturating_sub(segment.len()) as u32;
        let next = number + self.base.pow(missing);
        let (start, end) = (self.places[number as usize] as usize, self.places[next as usize] as usize);
        (start < end).then_some((start, end))
    }
}

/// The first eight octets as a number that orders as they do; what is missing counts as nothing.
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
    fn it_finds_what_a_plain_search_finds() {
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
    fn equal_octets_are_sorted_too() {
        let bytes = [b'a'; 5000];
        let suffixes = Suffixes::new(&bytes);
        assert_eq!(suffixes.find(&bytes, &bytes[..4000], 700), Some(700));
        assert_eq!(suffixes.find(&bytes, &bytes[..4000], 1001), None);
    }
}
