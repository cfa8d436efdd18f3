//! Wildcard texts with a weak head (`/*.php`), found by the rarest three bytes in a row that they contain.
//!
//! One pass over the target checks the three bytes at each position against a bit table. Grams in the table are looked
//! up, each once for a query. Each text belongs to one gram, so it is checked at most once, however often the target
//! repeats its gram. Texts without three literal bytes in a row are in a short list, filtered by the bytes that they
//! contain.

use super::needle::Needle;
use super::segments::Shape;
use crate::sorting::sort_by_key;

/// The length of a gram.
const GRAM: usize = 3;

/// The length of the shortest bit table in words.
const FEWEST_WORDS: usize = 32;

/// The number of bytes at the end of a text from which its gram is chosen.
const BYTES_READ: usize = 32;

/// Up to this many loose texts are checked without computing a mask of the target.
const FEW_LOOSE: usize = 4;

/// A text to be indexed.
#[derive(Clone, Copy, Debug)]
pub struct Weak<'a> {
    /// The bytes of the text.
    pub text: &'a [u8],
    /// The rank of the text.
    pub rank: u32,
}

/// A mixed gram, and where its texts begin. They end where those of the next gram begin.
#[derive(Clone, Copy, Debug)]
struct Gram {
    mixed: u32,
    placed: u32,
}

/// A text with a gram.
#[derive(Clone, Copy, Debug)]
struct Placed {
    rank: u32,
    needle: Needle,
}

#[derive(Clone, Copy, Debug)]
struct Loose {
    rank: u32,
    mask: u64,
}

/// Texts by gram.
#[derive(Debug, Default)]
pub struct Grams {
    /// One bit for each possible value of the highest bits of a mixed gram: whether such a gram exists.
    bits: Box<[u64]>,
    bits_shift: u32,
    /// Where the grams of each bucket begin. A bucket has the grams with the same highest bits.
    buckets: Box<[u32]>,
    buckets_shift: u32,
    sorted: Box<[Gram]>,
    /// The texts of each gram, in order of rank.
    placed: Box<[Placed]>,
    /// The best of these ranks. With a better one, the search is skipped.
    best: Option<u32>,
    loose: Box<[Loose]>,
}

/// Mixes the first three of four bytes into the highest bits of a number. Different grams have different numbers, so a
/// file cannot put more than a fair share of all possible grams into one bucket.
#[inline]
fn mixed(four: [u8; 4]) -> u32 {
    // The last byte is shifted out.
    u32::from_le_bytes(four).wrapping_mul(0x9E37_7900)
}

/// Mixes a gram.
#[inline]
fn mixed_gram(gram: &[u8]) -> u32 {
    mixed([gram[0], gram[1], gram[2], 0])
}

/// The number of bits to shift a mixed gram by, so that it is the number of a bit in a table of some words.
const fn bits_shift(words: usize) -> u32 {
    u32::BITS - words.ilog2() - u64::BITS.ilog2()
}

#[inline]
fn byte_bit(byte: u8) -> u64 {
    1 << (byte & 63)
}

impl Grams {
    /// Indexes texts that are in order of rank.
    pub fn new(texts: &[Weak<'_>]) -> Self {
        if texts.is_empty() {
            return Self::default();
        }
        let counts = Counts::of(texts);
        let mut placed = Vec::new();
        let mut loose = Vec::new();
        for weak in texts {
            match counts.rarest(weak.text) {
                Some(gram) => placed.push((gram, Placed { rank: weak.rank, needle: needle(weak.text) })),
                None => loose.push(Loose { rank: weak.rank, mask: literal_mask(weak.text) }),
            }
        }
        sort_by_key(&mut placed, |&(gram, text)| u64::from(gram) << 32 | u64::from(text.rank));
        let distinct = placed.chunk_by(|one, other| one.0 == other.0).count();
        let bucket_bits = distinct.next_power_of_two().ilog2().clamp(4, 20);
        let buckets_shift = u32::BITS - bucket_bits;
        let mut grams = Vec::with_capacity(distinct + 1);
        let mut buckets = Vec::with_capacity((1 << bucket_bits) + 1);
        // Few grams have a short table: a walk over many files mostly waits for memory.
        let words = (distinct / 2).max(distinct.min(64)).next_power_of_two().clamp(FEWEST_WORDS, 1 << 14);
        let mut bits = vec![0; words].into_boxed_slice();
        let bits_shift = bits_shift(words);
        let mut count = 0;
        for same in placed.chunk_by(|one, other| one.0 == other.0) {
            let mixed = same[0].0;
            buckets.resize((mixed >> buckets_shift) as usize + 1, grams.len() as u32);
            grams.push(Gram { mixed, placed: count });
            count += same.len() as u32;
            let bit = mixed >> bits_shift;
            bits[bit as usize >> 6] |= 1u64 << (bit & 63);
        }
        buckets.resize((1 << bucket_bits) + 1, grams.len() as u32);
        grams.push(Gram { mixed: u32::MAX, placed: count });
        Self {
            bits,
            bits_shift,
            buckets: buckets.into(),
            buckets_shift,
            sorted: grams.into(),
            best: placed.iter().map(|(_, text)| text.rank).min(),
            placed: placed.into_iter().map(|(_, text)| text).collect(),
            loose: loose.into(),
        }
    }

    /// The memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.bits)
            + size_of_val(&*self.buckets)
            + size_of_val(&*self.sorted)
            + size_of_val(&*self.placed)
            + size_of_val(&*self.loose)
    }

    /// Reads the table that every search reads, a word of each line of the cache.
    #[inline]
    pub fn touch(&self) -> u32 {
        let bits = self.bits.iter().step_by(8).take(8).fold(0, |all, word| all ^ *word as u32);
        let loose = self.loose.first().map_or(0, |loose| loose.rank);
        bits ^ loose ^ self.buckets.first().unwrap_or(&0) ^ self.sorted.first().map_or(0, |gram| gram.placed)
    }

    /// Returns the best of `best` and the ranks for which `matches` is true. `matches` is called only for ranks of
    /// texts that the target may match and that are better than the best so far.
    #[inline]
    pub fn search(&self, target: &[u8], mut best: u32, mut matches: impl FnMut(u32) -> bool) -> u32 {
        if self.best.is_some_and(|first| first < best) {
            self.hits(target, |texts| {
                let mut better = texts.iter().take_while(|text| text.rank < best);
                if let Some(found) = better.find(|text| text.needle.may_occur_in(target) && matches(text.rank)) {
                    best = found.rank;
                }
            });
        }
        if self.loose.first().is_some_and(|loose| loose.rank < best) {
            best = self.search_loose(target, best, matches);
        }
        best
    }

    #[inline]
    fn search_loose(&self, target: &[u8], best: u32, mut matches: impl FnMut(u32) -> bool) -> u32 {
        let present = if self.loose.len() <= FEW_LOOSE {
            u64::MAX
        } else {
            target.iter().fold(0, |bits, &byte| bits | byte_bit(byte))
        };
        let better = self.loose.iter().take_while(|loose| loose.rank < best);
        let mut possible = better.filter(|loose| loose.mask & !present == 0);
        possible.find(|loose| matches(loose.rank)).map_or(best, |loose| loose.rank)
    }

    /// Calls `hit` once for each gram in the target, with its texts.
    #[inline]
    fn hits(&self, target: &[u8], hit: impl FnMut(&[Placed])) {
        match self.bits.first_chunk::<FEWEST_WORDS>() {
            // The usual table. With a constant length, it needs no bounds checks.
            Some(bits) if self.bits.len() == FEWEST_WORDS => {
                const SHIFT: u32 = bits_shift(FEWEST_WORDS);
                let is_marked = |mixed: u32| bits[(mixed >> SHIFT >> 6) as usize] >> (mixed >> SHIFT & 63) & 1 == 1;
                self.hits_of(target, is_marked, hit);
            }
            _ => {
                let is_marked = |mixed: u32| {
                    let bit = mixed >> self.bits_shift;
                    self.bits[bit as usize >> 6] >> (bit & 63) & 1 == 1
                };
                self.hits_of(target, is_marked, hit);
            }
        }
    }

    /// Calls `hit` as [`Self::hits`] does. `is_marked` returns whether a gram with the same highest bits exists.
    #[inline]
    fn hits_of(&self, target: &[u8], is_marked: impl Fn(u32) -> bool, mut hit: impl FnMut(&[Placed])) {
        let mut seen = Seen::default();
        // Read at once: a byte at a time, the compiler would omit the last one and need more instructions.
        for four in target.windows(4).filter_map(<[u8]>::first_chunk) {
            let mixed = mixed(*four);
            if is_marked(mixed) {
                self.look_up(mixed, &mut seen, &mut hit);
            }
        }
        if let Some(last) = target.last_chunk::<GRAM>() {
            let mixed = mixed_gram(last);
            if is_marked(mixed) {
                self.look_up(mixed, &mut seen, &mut hit);
            }
        }
    }

    #[inline(never)]
    fn look_up(&self, mixed: u32, seen: &mut Seen, hit: &mut impl FnMut(&[Placed])) {
        if let Some(index) = self.find(mixed).filter(|&index| seen.is_new(index, self.sorted.len())) {
            hit(&self.placed[self.sorted[index].placed as usize..self.sorted[index + 1].placed as usize]);
        }
    }

    /// Returns the index of a gram.
    #[inline]
    fn find(&self, mixed: u32) -> Option<usize> {
        let bucket = (mixed >> self.buckets_shift) as usize;
        let start = self.buckets[bucket] as usize;
        let grams = &self.sorted[start..self.buckets[bucket + 1] as usize];
        let index = match grams {
            [] => return None,
            [only] => return (only.mixed == mixed).then_some(start),
            _ => grams.partition_point(|gram| gram.mixed < mixed),
        };
        grams.get(index).is_some_and(|gram| gram.mixed == mixed).then_some(start + index)
    }
}

/// Grams that were looked up already: a few in a list, many in a bit set.
#[derive(Default)]
struct Seen {
    few: [u32; 16],
    count: usize,
    many: Vec<u64>,
}

impl Seen {
    #[inline]
    fn is_new(&mut self, gram: usize, grams: usize) -> bool {
        if self.many.is_empty() {
            if self.few[..self.count].contains(&(gram as u32)) {
                return false;
            }
            if self.count < self.few.len() {
                self.few[self.count] = gram as u32;
                self.count += 1;
                return true;
            }
            self.spill(grams);
        }
        let word = &mut self.many[gram >> 6];
        let bit = 1 << (gram & 63);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    #[cold]
    fn spill(&mut self, grams: usize) {
        self.many = vec![0; grams.div_ceil(64)];
        for &gram in &self.few {
            self.many[gram as usize >> 6] |= 1 << (gram & 63);
        }
    }
}

/// The number of occurrences of each gram in the texts, by its highest bits. A collision only makes a gram look less
/// rare.
struct Counts {
    counts: Vec<u32>,
    shift: u32,
}

impl Counts {
    fn of(texts: &[Weak<'_>]) -> Self {
        let bytes: usize = texts.iter().map(|weak| weak.text.len()).sum();
        let bits = bytes.next_power_of_two().ilog2().clamp(6, 16);
        let mut found = Self { counts: vec![0; 1 << bits], shift: u32::BITS - bits };
        for weak in texts {
            for window in literal_windows(weak.text) {
                found.counts[(mixed_gram(window) >> found.shift) as usize] += 1;
            }
        }
        found
    }

    fn rarest(&self, text: &[u8]) -> Option<u32> {
        literal_windows(text).map(mixed_gram).min_by_key(|&mixed| self.counts[(mixed >> self.shift) as usize])
    }
}

/// The needle of a text.
fn needle(text: &[u8]) -> Needle {
    Needle::of(&text[..Shape::of(text).body])
}

/// The grams at the end of a text, where texts with a common beginning differ.
fn literal_windows(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let body = &text[..Shape::of(text).body];
    let end = &body[body.len().saturating_sub(BYTES_READ)..];
    end.split(|&byte| byte == b'*').flat_map(|segment| segment.windows(GRAM))
}

/// The literal bytes of a text, as a bit mask.
fn literal_mask(text: &[u8]) -> u64 {
    let body = &text[..Shape::of(text).body];
    body.iter().filter(|&&byte| byte != b'*').fold(0, |bits, &byte| bits | byte_bit(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::texts::NO_RANK;

    fn grams(texts: &[&str]) -> Grams {
        let weak: Vec<_> =
            texts.iter().enumerate().map(|(rank, text)| Weak { text: text.as_bytes(), rank: rank as u32 }).collect();
        Grams::new(&weak)
    }

    fn checked(grams: &Grams, target: &str, best: u32) -> Vec<u32> {
        let mut checked = Vec::new();
        grams.search(target.as_bytes(), best, |rank| {
            checked.push(rank);
            false
        });
        checked.sort_unstable();
        checked
    }

    #[test]
    fn only_texts_with_a_gram_in_the_target_are_checked() {
        let grams = grams(&["/*.php", "/*.html$", "/*?", "/*utm_*x", "/*&", "/*+", "/*;", "/*@"]);
        assert_eq!(checked(&grams, "/a.html?utm_", NO_RANK), vec![1, 2, 3]);
        assert_eq!(checked(&grams, "/a.html?utm_", 2), vec![1]);
        assert_eq!(checked(&grams, "/", NO_RANK), vec![]);
    }

    #[test]
    fn each_text_is_checked_once_however_often_its_gram_occurs() {
        let texts: Vec<String> = (0..100).map(|number| format!("/*aaa*{number}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(checked(&grams(&texts), &"a".repeat(500), NO_RANK).len(), 100);
        let texts: Vec<String> = (100..400).map(|number| format!("/*{number}")).collect();
        let target: String = texts.concat().repeat(3);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(checked(&grams(&texts), &target, NO_RANK), (0..300).collect::<Vec<_>>());
    }
}
