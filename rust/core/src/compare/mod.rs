//! Exact comparison: the shortest targets on which several sides decide in a certain way.
//!
//! The same search as `canfetch.compare.search` in Python, with the same answers. A state is what remains of all
//! patterns after some bytes of a target; states are explored in order of length. Python passes the patterns, the
//! decisions of each side and the possible targets as tables.

mod describe;
mod direct;
mod domain;
mod goals;
mod pattern_index;
mod refinement;
mod run;
mod segments;
mod sides;

use std::collections::{HashSet, VecDeque};

pub use describe::{Candidate, Description};
pub use domain::{DEAD, Domain, Form};
pub use refinement::{Question, Refinement, Targets};
use segments::{Progress, SegmentTable};
pub use sides::{MAX_SIDES, Side};
use sides::{SideTable, Standing};

/// The memory that a search may use for what grows with its states, in bytes.
const MAX_MEMORY: usize = 120_000_000;
/// The steps of one byte after one state, besides those of its patterns.
const STEPS_OF_A_BYTE: usize = 16;

/// One text of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// The literal bytes at the start.
    pub head: Vec<u8>,
    /// The segments after each `*`, none of which is empty.
    pub middles: Vec<Vec<u8>>,
    /// Whether the target must end with the pattern.
    pub anchored: bool,
    /// The index of the form of the target that it is compared with.
    pub form: usize,
    /// Whether the pattern ends with `*`, if the length of the match matters.
    pub grows: bool,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Targets with wanted decisions, the shortest first. If there are none, no target has them.
    Targets(Vec<Vec<u8>>),
    /// The limit was reached.
    TooLarge,
    /// Patterns expect each ordinary byte, so that all kinds of bytes have to be tried.
    NoOrdinaryByte,
}

/// The steps that a search may still take, and the states that it has explored.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The steps that remain.
    pub steps: u64,
    /// The explored states.
    pub states: u64,
}

/// The limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl Budget {
    fn spend(&mut self, steps: usize) -> Result<(), TooLarge> {
        self.steps = self.steps.checked_sub(steps as u64).ok_or(TooLarge)?;
        Ok(())
    }
}

/// What remains of the patterns that are compared with one form of the target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track {
    /// The patterns whose heads go on, in order of precedence.
    pub heads: Vec<u32>,
    /// The bytes of the heads that are found.
    pub depth: usize,
    /// The segments that the other patterns wait for.
    pub waiting: u32,
    /// Those of which some bytes are found.
    pub progress: Progress,
}

#[derive(Clone, Debug)]
struct State {
    tracks: Vec<Track>,
    standing: Standing,
    place: u16,
    in_query: bool,
    /// The last byte and the byte before it, and so on.
    last: u32,
}

impl State {
    /// The approximate memory that the state uses.
    fn memory(&self) -> usize {
        let tracks = self.tracks.iter().map(|track| 96 + 4 * track.heads.len() + 8 * track.progress.len());
        64 + tracks.sum::<usize>()
    }
}

/// The patterns whose matches end at one byte.
#[derive(Debug, Default)]
struct Matches {
    matched: Vec<u32>,
    at_end: Vec<u32>,
}

/// The patterns of some sides, ready to be searched.
#[derive(Debug)]
pub struct Search<'a> {
    patterns: Vec<&'a Pattern>,
    forms: &'a [Form],
    used_forms: Vec<usize>,
    sides: SideTable,
    segments: SegmentTable<'a>,
    /// The bytes of all targets, each with the index of the byte before it.
    bytes: Vec<(u32, u8)>,
    /// The memory of the states that were seen.
    remembered: usize,
}

impl<'a> Search<'a> {
    /// Prepares a search. The patterns are in order of precedence.
    pub fn new(patterns: Vec<&'a Pattern>, forms: &'a [Form], sides: Vec<Side>, wanted: u16) -> Self {
        let mut used_forms: Vec<usize> = patterns.iter().map(|pattern| pattern.form).chain([0]).collect();
        used_forms.sort_unstable();
        used_forms.dedup();
        let sides = SideTable::new(sides, wanted, patterns.len());
        let segments = SegmentTable::new(&patterns, &sides);
        Self { patterns, forms, used_forms, sides, segments, bytes: vec![(0, 0)], remembered: 0 }
    }

    /// Returns up to `most` targets with wanted decisions, the shortest first.
    pub fn targets(&mut self, domain: &Domain, most: usize, budget: &mut Budget) -> Outcome {
        self.find(domain, most, budget).unwrap_or(Outcome::TooLarge)
    }

    fn find(&mut self, domain: &Domain, most: usize, budget: &mut Budget) -> Result<Outcome, TooLarge> {
        let mut found = Vec::new();
        let mut visited: HashSet<Box<[u32]>> = HashSet::new();
        let mut queue = VecDeque::new();
        budget.spend(self.patterns.len())?;
        let start = self.start();
        if self.sides.is_useful(&start.tracks, &start.standing, &mut self.segments) {
            queue.push_back(start);
        }
        let mut queued = 0_usize;
        while let Some(state) = queue.pop_front() {
            queued = queued.saturating_sub(state.memory());
            budget.states += 1;
            let mut expected = self.expected(&state, domain);
            if !domain.add_unexpected(state.place, &mut expected) {
                return Ok(Outcome::NoOrdinaryByte);
            }
            for &byte in &domain.order {
                let place = domain.next(state.place, byte);
                if !expected[usize::from(byte)] || place == DEAD {
                    continue;
                }
                let (following, wanted) = self.next(&state, byte, place, budget)?;
                if wanted && domain.accepting[usize::from(place)] {
                    found.push(self.target(following.last));
                    if found.len() == most {
                        return Ok(Outcome::Targets(found));
                    }
                }
                if self.sides.is_useful(&following.tracks, &following.standing, &mut self.segments)
                    && self.is_new(&following, &mut visited)
                {
                    queued += following.memory();
                    queue.push_back(following);
                }
                if queued + self.remembered + self.segments.memory() + self.bytes.len() * 8 > MAX_MEMORY {
                    return Err(TooLarge);
                }
            }
        }
        Ok(Outcome::Targets(found))
    }

    fn start(&mut self) -> State {
        let mut tracks = Vec::with_capacity(self.used_forms.len());
        let mut matched = Vec::new();
        for &form in &self.used_forms {
            let mut track = Track::default();
            let mut waiting = Vec::new();
            for (index, pattern) in self.patterns.iter().enumerate().filter(|(_, pattern)| pattern.form == form) {
                if !pattern.head.is_empty() {
                    track.heads.push(index as u32);
                } else if let Some(first) = self.segments.first_segment(index as u32) {
                    waiting.push(first);
                } else if !pattern.anchored {
                    // A pattern without any bytes matches everything.
                    matched.push(index as u32);
                }
            }
            track.waiting = self.segments.wait(waiting);
            tracks.push(track);
        }
        let mut standing = self.sides.start();
        self.sides.after_matches(&mut standing, &matched);
        self.settle(&mut tracks, &mut standing);
        State { tracks, standing, place: 0, in_query: false, last: 0 }
    }

    /// The bytes that some pattern expects.
    fn expected(&self, state: &State, domain: &Domain) -> [bool; 256] {
        let mut expected = [false; 256];
        for (&form, track) in self.used_forms.iter().zip(&state.tracks) {
            for &index in &track.heads {
                expected[usize::from(self.patterns[index as usize].head[track.depth])] = true;
            }
            self.segments.add_expected(track, &mut expected);
            if form != 0 && !self.is_empty(track) {
                for (byte, _) in self.forms[form].encoded(state.in_query).iter().enumerate().filter(|(_, is)| **is) {
                    expected[byte] |= domain.next(state.place, byte as u8) != DEAD;
                }
                expected[usize::from(b'?')] = true;
            }
        }
        expected
    }

    fn is_empty(&self, track: &Track) -> bool {
        track.heads.is_empty() && self.segments.is_nothing(track.waiting)
    }

    /// The state after one more byte, and whether the decisions about the target that ends there are wanted.
    fn next(&mut self, state: &State, byte: u8, place: u16, budget: &mut Budget) -> Result<(State, bool), TooLarge> {
        budget.spend(STEPS_OF_A_BYTE)?;
        let mut matches = Matches::default();
        let mut tracks = Vec::with_capacity(state.tracks.len());
        for (number, track) in state.tracks.iter().enumerate() {
            let escape = escape(byte);
            let encodes = self.forms[self.used_forms[number]].encodes(byte, state.in_query);
            let pieces: &[u8] = if encodes { &escape } else { &[byte] };
            let ends = matches.at_end.len();
            let mut following = self.advance(track, pieces[0], &mut matches, budget)?;
            for &piece in &pieces[1..] {
                // What matches in between still matches, but no target ends there.
                matches.at_end.truncate(ends);
                following = self.advance(&following, piece, &mut matches, budget)?;
            }
            tracks.push(following);
        }
        let mut standing = state.standing;
        self.sides.after_matches(&mut standing, &matches.matched);
        let wanted = self.sides.is_wanted(&standing, &matches.matched, &matches.at_end);
        self.settle(&mut tracks, &mut standing);
        let last = self.bytes.len() as u32;
        self.bytes.push((state.last, byte));
        let in_query = state.in_query || byte == b'?';
        Ok((State { tracks, standing, place, in_query, last }, wanted))
    }

    /// What remains of a track after one more byte.
    fn advance(
        &mut self,
        track: &Track,
        byte: u8,
        matches: &mut Matches,
        budget: &mut Budget,
    ) -> Result<Track, TooLarge> {
        let mut following = Track { depth: track.depth + 1, ..Track::default() };
        let (waiting, progress) = self.segments.step(track, byte, &mut matches.matched, &mut matches.at_end, budget)?;
        following.waiting = waiting;
        following.progress = progress;
        budget.spend(1 + track.heads.len() / 8)?;
        let mut begun = Vec::new();
        for &index in &track.heads {
            let pattern = self.patterns[index as usize];
            if pattern.head[track.depth] != byte {
                continue;
            }
            if pattern.head.len() > following.depth {
                following.heads.push(index);
            } else if let Some(first) = self.segments.first_segment(index) {
                begun.push(first);
                if pattern.grows && pattern.middles.is_empty() {
                    matches.matched.push(index);
                }
            } else if pattern.anchored {
                matches.at_end.push(index);
            } else {
                matches.matched.push(index);
            }
        }
        if !begun.is_empty() {
            begun.extend_from_slice(self.segments.waiting(following.waiting));
            following.waiting = self.segments.wait(begun);
        }
        Ok(following)
    }

    /// Drops the patterns that can no longer decide.
    fn settle(&mut self, tracks: &mut [Track], standing: &mut Standing) {
        self.sides.lower_limits(tracks, standing, &mut self.segments);
        for track in tracks {
            track.heads.retain(|&index| self.sides.matters(index, standing));
            if track.heads.is_empty() {
                track.depth = 0;
            }
            self.segments.filter(track, &self.sides, standing);
        }
    }

    /// Whether no state with the same remains was seen before.
    fn is_new(&mut self, state: &State, visited: &mut HashSet<Box<[u32]>>) -> bool {
        if !state.tracks[0].heads.is_empty() {
            // Heads that are compared with the target itself remain for one target only.
            return true;
        }
        let mut key = vec![u32::from(state.place), u32::from(state.standing.decisions)];
        key.extend_from_slice(&state.standing.limits);
        for (number, track) in state.tracks.iter().enumerate() {
            key.extend([track.waiting, track.progress.len() as u32]);
            for &(segment, length) in &track.progress {
                key.extend([segment, length]);
            }
            if number > 0 && !self.is_empty(track) {
                key.extend([track.heads.len() as u32, track.depth as u32, u32::from(state.in_query)]);
                key.extend_from_slice(&track.heads);
            }
        }
        let bytes = 48 + 4 * key.len();
        let is_new = visited.insert(key.into_boxed_slice());
        self.remembered += if is_new { bytes } else { 0 };
        is_new
    }

    fn target(&self, last: u32) -> Vec<u8> {
        let mut target = Vec::new();
        let mut at = last;
        while at != 0 {
            let (before, byte) = self.bytes[at as usize];
            target.push(byte);
            at = before;
        }
        target.reverse();
        target
    }
}

fn escape(byte: u8) -> [u8; 3] {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    [b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]
}
