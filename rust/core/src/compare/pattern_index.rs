//! Indexes of patterns: those that may match a target, and those that may match a common target with another one.

use std::collections::{BTreeSet, HashMap};

use super::Pattern;

/// Segments are found by so many bytes.
const GRAM: usize = 4;

/// The patterns that are compared with one form of the target.
///
/// A pattern is found by its head, or by the first bytes of its longest segment if that is longer.
#[derive(Debug, Default)]
pub(super) struct MatchIndex {
    by_head: HashMap<Box<[u8]>, Vec<u32>>,
    head_lengths: BTreeSet<usize>,
    by_gram: HashMap<Box<[u8]>, Vec<u32>>,
    gram_lengths: BTreeSet<usize>,
}

impl MatchIndex {
    /// Adds a pattern. Patterns are added in order of precedence.
    pub fn add(&mut self, index: u32, pattern: &Pattern) {
        let longest = pattern.middles.iter().max_by_key(|middle| middle.len()).map_or(&[][..], Vec::as_slice);
        if longest.len() < pattern.head.len() {
            self.by_head.entry(pattern.head.as_slice().into()).or_default().push(index);
            self.head_lengths.insert(pattern.head.len());
        } else {
            let gram = &longest[..longest.len().min(GRAM)];
            self.by_gram.entry(gram.into()).or_default().push(index);
            self.gram_lengths.insert(gram.len());
        }
    }

    /// Whether no pattern is compared with the form.
    pub fn is_empty(&self) -> bool {
        self.by_head.is_empty() && self.by_gram.is_empty()
    }

    /// Calls `visit` with patterns that may match a text, in order of precedence, until it returns false. There is one
    /// list for each head or gram.
    pub fn visit(&self, text: &[u8], mut visit: impl FnMut(u32) -> bool) {
        for &length in self.head_lengths.iter().take_while(|&&length| length <= text.len()) {
            if let Some(found) = self.by_head.get(&text[..length]) {
                let _ = found.iter().all(|&index| visit(index));
            }
        }
        for &length in self.gram_lengths.iter().take_while(|&&length| length <= text.len()) {
            let mut grams: Vec<&[u8]> = if length == 0 { vec![&[]] } else { text.windows(length).collect() };
            grams.sort_unstable();
            grams.dedup();
            for gram in grams {
                if let Some(found) = self.by_gram.get(gram) {
                    let _ = found.iter().all(|&index| visit(index));
                }
            }
        }
    }
}

/// Finds the patterns that overlap others: the literal head of one starts with that of the other.
///
/// The query is left out, because the forms of a target differ there.
#[derive(Debug)]
pub(super) struct Overlaps {
    /// The heads in order, each with its pattern.
    heads: Vec<(Box<[u8]>, u32)>,
    lengths: Vec<usize>,
}

impl Overlaps {
    /// Prepares the index.
    pub fn new(patterns: &[Pattern]) -> Self {
        let heads = patterns.iter().map(|pattern| pattern.head_in_path().into());
        let mut heads: Vec<(Box<[u8]>, u32)> = heads.zip(0..).collect();
        heads.sort_unstable();
        let mut lengths: Vec<usize> = heads.iter().map(|(head, _)| head.len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        Self { heads, lengths }
    }

    /// Calls `visit` with each pattern that may match a common target with another one.
    pub fn visit(&self, pattern: &Pattern, mut visit: impl FnMut(u32)) {
        let head = pattern.head_in_path();
        for &length in self.lengths.iter().take_while(|&&length| length < head.len()) {
            let prefix = &head[..length];
            let start = self.heads.partition_point(|(other, _)| &**other < prefix);
            self.heads[start..].iter().take_while(|(other, _)| **other == *prefix).for_each(|&(_, index)| visit(index));
        }
        let start = self.heads.partition_point(|(other, _)| &**other < head);
        self.heads[start..]
            .iter()
            .take_while(|(other, _)| other.starts_with(head))
            .for_each(|&(_, index)| visit(index));
    }
}

/// Whether two patterns may match a common target, as far as their heads show.
pub(super) fn may_overlap(one: &Pattern, other: &Pattern) -> bool {
    if one.form.max(other.form) > 1 {
        return true;
    }
    let (head, other) = (one.head_in_path(), other.head_in_path());
    head.starts_with(other) || other.starts_with(head)
}
