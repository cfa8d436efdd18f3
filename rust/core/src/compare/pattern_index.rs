//! Indexes of patterns: those that may match a target, and those that may match a common target with another one.

use std::collections::HashMap;

use super::patterns::Pattern;

/// The index finds a segment by this many of its bytes.
const GRAM: usize = 4;
/// The number of grams of a segment that are considered, to find a rare one.
const MAX_GRAMS: usize = 32;
/// The number of bits that most grams without a pattern are recognised by.
const FILTER_BITS: u32 = 12;
const NO_PREFIX: u32 = u32::MAX;

/// Lists of patterns by a text, found by all texts that start with it.
#[derive(Debug, Default)]
struct PrefixLists {
    entries: Vec<PrefixEntry>,
}

#[derive(Debug)]
struct PrefixEntry {
    text: Box<[u8]>,
    /// In order of precedence.
    patterns: Vec<u32>,
    /// The entry with the longest text that this one starts with.
    prefix: u32,
}

impl PrefixLists {
    fn new(texts: impl Iterator<Item = (Box<[u8]>, u32)>) -> Self {
        let mut sorted: Vec<(Box<[u8]>, u32)> = texts.collect();
        sorted.sort_unstable();
        let mut entries: Vec<PrefixEntry> = Vec::new();
        for (text, pattern) in sorted {
            match entries.last_mut() {
                Some(last) if last.text == text => last.patterns.push(pattern),
                _ => entries.push(PrefixEntry { text, patterns: vec![pattern], prefix: NO_PREFIX }),
            }
        }
        let mut lists = Self { entries };
        for at in 1..lists.entries.len() {
            let prefix = lists.longest_prefix(at, &lists.entries[at].text);
            lists.entries[at].prefix = prefix;
        }
        lists
    }

    /// The entry with the longest text that another text starts with, among those before `end`.
    ///
    /// All entries between a text and one that it starts with start with it as well. So it is the last of them, or is
    /// found from there.
    fn longest_prefix(&self, end: usize, text: &[u8]) -> u32 {
        let mut at = if end == 0 { NO_PREFIX } else { end as u32 - 1 };
        while at != NO_PREFIX && !text.starts_with(&self.entries[at as usize].text) {
            at = self.entries[at as usize].prefix;
        }
        at
    }

    /// The lists of all texts that `text` starts with, apart from itself if it is in `end..`, the longest first.
    fn prefixes(&self, end: usize, text: &[u8]) -> impl Iterator<Item = &[u32]> {
        let mut at = self.longest_prefix(end, text);
        std::iter::from_fn(move || {
            let entry = self.entries.get(at as usize)?;
            at = entry.prefix;
            Some(entry.patterns.as_slice())
        })
    }

    /// The number of texts that come before one.
    fn before(&self, text: &[u8]) -> usize {
        self.entries.partition_point(|entry| &*entry.text < text)
    }
}

/// The patterns that are compared with one form of the target.
///
/// A pattern is found by its head, or by the rarest gram of its longest segment if that is longer.
#[derive(Debug)]
pub(super) struct MatchIndex {
    by_head: PrefixLists,
    /// By the number of bytes.
    by_gram: [Grams; GRAM + 1],
}

/// Lists of patterns by a few bytes that a text contains.
#[derive(Debug, Default)]
struct Grams {
    lists: HashMap<[u8; GRAM], Vec<u32>>,
    /// A bit for each value of `bit_of` that some gram has.
    filter: Vec<u64>,
}

fn bit_of(gram: [u8; GRAM]) -> usize {
    (u32::from_le_bytes(gram).wrapping_mul(0x9E37_79B1) >> (32 - FILTER_BITS)) as usize
}

/// The longest segment of a pattern, unless its head is longer.
fn longest_segment(pattern: &Pattern) -> Option<&[u8]> {
    let longest = pattern.middles.iter().max_by_key(|middle| middle.len()).map_or(&[][..], Vec::as_slice);
    (longest.len() >= pattern.head.len()).then_some(longest)
}

fn grams(segment: &[u8]) -> impl Iterator<Item = &[u8]> {
    segment.windows(segment.len().clamp(1, GRAM)).take(MAX_GRAMS)
}

fn padded(gram: &[u8]) -> [u8; GRAM] {
    let mut bytes = [0; GRAM];
    bytes[..gram.len()].copy_from_slice(gram);
    bytes
}

impl MatchIndex {
    /// Prepares the index. The patterns are in order of precedence.
    pub fn new<'a>(patterns: impl Iterator<Item = (u32, &'a Pattern)>) -> Self {
        let patterns: Vec<(u32, &Pattern)> = patterns.collect();
        let mut counts: HashMap<[u8; GRAM], u32> = HashMap::new();
        for gram in patterns.iter().filter_map(|(_, pattern)| longest_segment(pattern)).flat_map(grams) {
            *counts.entry(padded(gram)).or_default() += 1;
        }
        let mut heads: Vec<(Box<[u8]>, u32)> = Vec::new();
        let mut by_gram: [Grams; GRAM + 1] = std::array::from_fn(|_| Grams::default());
        for (index, pattern) in patterns {
            if let Some(longest) = longest_segment(pattern) {
                let gram = grams(longest).min_by_key(|gram| counts[&padded(gram)]).unwrap_or_default();
                by_gram[gram.len()].add(padded(gram), index);
            } else {
                heads.push((pattern.head.as_slice().into(), index));
            }
        }
        Self { by_head: PrefixLists::new(heads.into_iter()), by_gram }
    }

    /// Whether no pattern is compared with the form.
    pub fn is_empty(&self) -> bool {
        self.by_head.entries.is_empty() && self.by_gram.iter().all(|grams| grams.lists.is_empty())
    }

    /// Calls `visit` with patterns that may match a text, in order of precedence, until it returns false. There is one
    /// list for each head or gram.
    pub fn visit(&self, text: &[u8], mut visit: impl FnMut(u32) -> bool) {
        let end = self.by_head.entries.partition_point(|entry| &*entry.text <= text);
        for list in self.by_head.prefixes(end, text) {
            let _ = list.iter().all(|&index| visit(index));
        }
        for (length, grams) in self.by_gram.iter().enumerate().filter(|(_, grams)| !grams.lists.is_empty()) {
            if length == 0 {
                grams.lists.values().for_each(|list| _ = list.iter().all(|&index| visit(index)));
                continue;
            }
            let mut found: Vec<[u8; GRAM]> =
                text.windows(length).map(padded).filter(|&gram| grams.may_have(gram)).collect();
            found.sort_unstable();
            found.dedup();
            for gram in found {
                if let Some(list) = grams.lists.get(&gram) {
                    let _ = list.iter().all(|&index| visit(index));
                }
            }
        }
    }
}

impl Grams {
    fn add(&mut self, gram: [u8; GRAM], index: u32) {
        self.filter.resize(1 << (FILTER_BITS - 6), 0);
        let bit = bit_of(gram);
        self.filter[bit / 64] |= 1 << (bit % 64);
        self.lists.entry(gram).or_default().push(index);
    }

    fn may_have(&self, gram: [u8; GRAM]) -> bool {
        let bit = bit_of(gram);
        self.filter[bit / 64] >> (bit % 64) & 1 == 1
    }
}

/// Finds the patterns that overlap others: the literal head of one starts with that of the other.
///
/// The query after its `?` is left out, because the forms of a target differ there.
#[derive(Debug)]
pub(super) struct Overlaps(PrefixLists);

impl Overlaps {
    /// Prepares the index.
    pub fn new(patterns: &[Pattern]) -> Self {
        Self(PrefixLists::new(patterns.iter().map(|pattern| pattern.fixed_head().into()).zip(0..)))
    }

    /// Calls `visit` with each pattern that may match a common target with another one.
    pub fn visit(&self, pattern: &Pattern, mut visit: impl FnMut(u32)) {
        let head = pattern.fixed_head();
        let start = self.0.before(head);
        let longer = self.0.entries[start..].iter().take_while(|entry| entry.text.starts_with(head));
        let longer = longer.map(|entry| entry.patterns.as_slice());
        self.0.prefixes(start, head).chain(longer).flatten().for_each(|&index| visit(index));
    }
}

/// Whether two patterns may match a common target, as far as their heads show.
pub(super) fn may_overlap(one: &Pattern, other: &Pattern) -> bool {
    if one.form != other.form && one.form.max(other.form) > 1 {
        return true;
    }
    let (head, other) = if one.form == other.form {
        (one.head.as_slice(), other.head.as_slice())
    } else {
        (one.fixed_head(), other.fixed_head())
    };
    head.starts_with(other) || other.starts_with(head)
}
