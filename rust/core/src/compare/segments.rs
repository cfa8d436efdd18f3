//! The segments after the heads of patterns. Each is found at its first occurrence (Knuth, Morris and Pratt).

use std::collections::HashMap;

use super::budget::{Budget, TooLarge};
use super::patterns::Pattern;
use super::rule_lists::{MAX_RULE_LISTS, PartialDecisions, RuleLists};

/// Waiting segments of which some bytes are found: the number of the segment, and of the bytes.
pub type Progress = Vec<(u32, u32)>;

/// The unmatched parts of the patterns that are compared with one form of the target.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// The patterns whose heads go on, in order of precedence.
    pub heads: Vec<u32>,
    /// The bytes of the heads that are found.
    pub depth: usize,
    /// The set of segments that the patterns past their heads need next.
    pub waiting: u32,
    /// The waiting segments of which some bytes are found.
    pub progress: Progress,
}

#[derive(Debug)]
struct Segment<'a> {
    /// The index of its pattern.
    text: u32,
    /// Its bytes; none for a `*` at the end.
    content: &'a [u8],
    /// For each number of found bytes, the longest shorter prefix that they end with.
    borders: Box<[u32]>,
    is_last: bool,
    anchored: bool,
}

impl Segment<'_> {
    /// The number of found bytes after one more byte.
    fn step(&self, found: u32, byte: u8) -> u32 {
        let mut found = found as usize;
        if found == self.content.len() {
            found = self.borders[found] as usize;
        }
        while found > 0 && self.content[found] != byte {
            found = self.borders[found] as usize;
        }
        if self.content[found] == byte { found as u32 + 1 } else { 0 }
    }
}

/// The next segments of patterns, one for each pattern.
#[derive(Debug)]
struct Waiting {
    segments: Box<[u32]>,
    /// Their patterns, in order of precedence.
    texts: Box<[u32]>,
    /// Patterns past their last segment: their match grows with each byte.
    growing: Box<[u32]>,
    /// The first byte of each segment, in order.
    starts: Box<[(u8, u32)]>,
    filtered: HashMap<[u32; MAX_RULE_LISTS], u32>,
    highest: HashMap<(usize, u8, u32), Option<u32>>,
    equal: HashMap<(u8, u32, u32), bool>,
}

/// The segments of all patterns.
#[derive(Debug)]
pub struct SegmentTable<'a> {
    segments: Vec<Segment<'a>>,
    first: Vec<Option<u32>>,
    ends_last: Vec<bool>,
    sets: Vec<Waiting>,
    numbers: HashMap<Box<[u32]>, u32>,
    memory: usize,
}

impl<'a> SegmentTable<'a> {
    /// Prepares the segments.
    pub fn new(patterns: &[&'a Pattern], lists: &RuleLists) -> Self {
        let mut segments: Vec<Segment<'a>> = Vec::new();
        let mut first = Vec::with_capacity(patterns.len());
        for (text, pattern) in patterns.iter().enumerate() {
            let start = segments.len();
            let contents = pattern.middles.iter().map(Vec::as_slice).chain(pattern.grows.then_some(&[][..]));
            segments.extend(contents.map(|content| Segment {
                text: text as u32,
                content,
                borders: borders(content),
                is_last: false,
                anchored: false,
            }));
            first.push((segments.len() > start).then_some(start as u32));
            if let Some(last) = segments[start..].last_mut() {
                last.is_last = true;
                last.anchored = pattern.anchored;
            }
        }
        let ends_last = (0..patterns.len() as u32).map(|text| lists.ends_last(text)).collect();
        Self { segments, first, ends_last, sets: Vec::new(), numbers: HashMap::new(), memory: 0 }
    }

    /// The first segment of a pattern.
    pub fn first_segment(&self, text: u32) -> Option<u32> {
        self.first[text as usize]
    }

    /// The number of a set of segments. There is one number for each set.
    pub fn wait(&mut self, mut segments: Vec<u32>) -> u32 {
        segments.sort_unstable();
        if let Some(&number) = self.numbers.get(segments.as_slice()) {
            return number;
        }
        let segments = segments.into_boxed_slice();
        let of = |&number: &u32| &self.segments[number as usize];
        let mut texts: Vec<u32> = segments.iter().map(|number| of(number).text).collect();
        texts.sort_unstable();
        let growing = segments.iter().map(of).filter(|segment| segment.content.is_empty()).map(|segment| segment.text);
        let mut starts: Vec<(u8, u32)> =
            segments.iter().filter_map(|number| Some((*of(number).content.first()?, *number))).collect();
        starts.sort_unstable();
        let set = Waiting {
            texts: texts.into(),
            growing: growing.collect(),
            starts: starts.into(),
            segments: segments.clone(),
            filtered: HashMap::new(),
            highest: HashMap::new(),
            equal: HashMap::new(),
        };
        self.memory += 400 + 20 * segments.len();
        let number = self.sets.len() as u32;
        self.sets.push(set);
        self.numbers.insert(segments, number);
        number
    }

    /// The approximate memory of all sets.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// The segments of a set.
    pub fn waiting(&self, set: u32) -> &[u32] {
        &self.sets[set as usize].segments
    }

    /// Whether a set has no segments.
    pub fn is_nothing(&self, set: u32) -> bool {
        self.waiting(set).is_empty()
    }

    /// Adds the bytes that find more of some segment.
    pub fn add_expected(&self, track: &Track, expected: &mut [bool; 256]) {
        for &(byte, _) in &self.sets[track.waiting as usize].starts {
            expected[usize::from(byte)] = true;
        }
        for &(number, found) in &track.progress {
            let segment = &self.segments[number as usize];
            let mut found = found as usize;
            while found > 0 {
                if let Some(&byte) = segment.content.get(found) {
                    expected[usize::from(byte)] = true;
                }
                found = segment.borders[found] as usize;
            }
        }
    }

    /// Returns what remains after one more byte, and adds the patterns that match.
    pub fn step(
        &mut self,
        track: &Track,
        byte: u8,
        matched: &mut Vec<u32>,
        at_end: &mut Vec<u32>,
        budget: &mut Budget,
    ) -> Result<(u32, Progress), TooLarge> {
        let set = &self.sets[track.waiting as usize];
        if set.segments.is_empty() {
            return Ok((track.waiting, Vec::new()));
        }
        matched.extend_from_slice(&set.growing);
        let from = set.starts.partition_point(|&(start, _)| start < byte);
        let starting = set.starts[from..].iter().take_while(|&&(start, _)| start == byte);
        let mut moved: Progress = track
            .progress
            .iter()
            .map(|&(number, found)| (number, self.segments[number as usize].step(found, byte)))
            .filter(|&(_, found)| found > 0)
            .collect();
        let before = moved.len();
        for &(_, number) in starting {
            // Segments in progress have moved already.
            if track.progress.binary_search_by_key(&number, |&(number, _)| number).is_err() {
                moved.push((number, 1));
            }
        }
        budget.spend(1 + track.progress.len() + moved.len() - before)?;
        let mut done = Vec::new();
        let mut following = Vec::new();
        moved.retain(|&(number, found)| {
            let segment = &self.segments[number as usize];
            if (found as usize) < segment.content.len() {
                return true;
            }
            if !segment.is_last {
                done.push(number);
                following.push(number + 1);
                if self.segments[number as usize + 1].content.is_empty() {
                    matched.push(segment.text);
                }
                return false;
            }
            if segment.anchored {
                at_end.push(segment.text);
                return true;
            }
            matched.push(segment.text);
            if !self.ends_last[segment.text as usize] {
                done.push(number);
            }
            self.ends_last[segment.text as usize]
        });
        moved.sort_unstable();
        let mut waiting = track.waiting;
        if !done.is_empty() {
            done.sort_unstable();
            let kept = self.waiting(waiting).iter().copied().filter(|number| done.binary_search(number).is_err());
            let kept = kept.chain(following).collect();
            waiting = self.wait(kept);
        }
        Ok((waiting, moved))
    }

    /// Drops the segments of patterns that matter to no list.
    pub fn filter(&mut self, track: &mut Track, lists: &RuleLists, partial: &PartialDecisions) {
        if self.is_nothing(track.waiting) {
            return;
        }
        let kept = if let Some(&kept) = self.sets[track.waiting as usize].filtered.get(&partial.limits) {
            kept
        } else {
            let segments = self.waiting(track.waiting).iter().copied();
            let segments =
                segments.filter(|&number| lists.matters(self.segments[number as usize].text, partial)).collect();
            let kept = self.wait(segments);
            self.sets[track.waiting as usize].filtered.insert(partial.limits, kept);
            kept
        };
        if kept != track.waiting {
            track.waiting = kept;
            let remaining = &self.sets[kept as usize].segments;
            track.progress.retain(|(number, _)| remaining.binary_search(number).is_ok());
        }
    }

    /// The last pattern of a set with a decision by a list, before a limit.
    pub fn highest(&mut self, set: u32, lists: &RuleLists, list: usize, decision: u8, limit: u32) -> Option<u32> {
        let set = &mut self.sets[set as usize];
        if set.segments.is_empty() {
            return None;
        }
        let texts = &set.texts;
        *set.highest.entry((list, decision, limit)).or_insert_with(|| {
            texts.iter().rev().copied().find(|&text| text < limit && lists.value(list, text) == decision)
        })
    }

    /// Whether the first two lists decide alike about all that the patterns of a set match.
    pub fn are_equal(&mut self, set: u32, lists: &RuleLists, partial: &PartialDecisions) -> bool {
        let set = &mut self.sets[set as usize];
        if set.segments.is_empty() {
            return true;
        }
        let texts = &set.texts;
        let key = (partial.decisions & 1, partial.limits[0], partial.limits[1]);
        *set.equal.entry(key).or_insert_with(|| texts.iter().all(|&text| lists.is_equal(text, partial)))
    }
}

/// For each prefix, the length of the longest shorter prefix that it ends with.
pub(super) fn borders(content: &[u8]) -> Box<[u32]> {
    let mut borders = vec![0_u32; content.len() + 1];
    let mut length = 0;
    for at in 1..content.len() {
        while length > 0 && content[length] != content[at] {
            length = borders[length] as usize;
        }
        length += usize::from(content[length] == content[at]);
        borders[at + 1] = length as u32;
    }
    borders.into_boxed_slice()
}
