//! The search for the shortest targets with wanted decisions, as in `canfetch.compare.search`, with the same answers.
//!
//! A state is what remains of all patterns after some bytes of a target. States are explored in order of length.

use std::collections::{HashSet, VecDeque};

use super::budget::{Budget, TooLarge};
use super::domain::{DEAD, Domain, Form, escape};
use super::patterns::Pattern;
use super::rule_lists::{PartialDecisions, RuleList, RuleLists};
use super::segments::{SegmentTable, Track};

/// The memory that a search may use for what grows with its states, in bytes.
const MAX_MEMORY: usize = 120_000_000;
/// The fixed steps of one byte after one state, in addition to the steps of its patterns.
const STEPS_OF_A_BYTE: usize = 16;

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

#[derive(Clone, Debug)]
struct State {
    tracks: Vec<Track>,
    partial: PartialDecisions,
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

/// The patterns of some lists of rules, ready to be searched.
#[derive(Debug)]
pub struct Search<'a> {
    patterns: Vec<&'a Pattern>,
    forms: &'a [Form],
    used_forms: Vec<usize>,
    lists: RuleLists,
    segments: SegmentTable<'a>,
    /// The bytes of all targets, each with the index of the byte before it.
    bytes: Vec<(u32, u8)>,
    /// The memory of the states that were seen.
    remembered: usize,
}

impl<'a> Search<'a> {
    /// Prepares a search. The patterns are in order of precedence.
    pub fn new(patterns: Vec<&'a Pattern>, forms: &'a [Form], lists: Vec<RuleList>, wanted: u16) -> Self {
        let mut used_forms: Vec<usize> = patterns.iter().map(|pattern| pattern.form).chain([0]).collect();
        used_forms.sort_unstable();
        used_forms.dedup();
        let lists = RuleLists::new(lists, wanted, patterns.len());
        let segments = SegmentTable::new(&patterns, &lists);
        Self { patterns, forms, used_forms, lists, segments, bytes: vec![(0, 0)], remembered: 0 }
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
        if self.is_useful(&start) {
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
                if self.is_useful(&following) && self.is_new(&following, &mut visited) {
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
        let mut partial = self.lists.start();
        self.lists.after_matches(&mut partial, &matched);
        self.settle(&mut tracks, &mut partial);
        State { tracks, partial, place: 0, in_query: false, last: 0 }
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
                // A pattern that matches within the escape still matches, but no target ends there.
                matches.at_end.truncate(ends);
                following = self.advance(&following, piece, &mut matches, budget)?;
            }
            tracks.push(following);
        }
        let mut partial = state.partial;
        self.lists.after_matches(&mut partial, &matches.matched);
        let wanted = self.lists.is_wanted(&partial, &matches.matched, &matches.at_end);
        self.settle(&mut tracks, &mut partial);
        let last = self.bytes.len() as u32;
        self.bytes.push((state.last, byte));
        let in_query = state.in_query || byte == b'?';
        Ok((State { tracks, partial, place, in_query, last }, wanted))
    }

    /// The track after one more byte.
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
    fn settle(&mut self, tracks: &mut [Track], partial: &mut PartialDecisions) {
        self.lower_limits(tracks, partial);
        for track in tracks {
            track.heads.retain(|&index| self.lists.matters(index, partial));
            if track.heads.is_empty() {
                track.depth = 0;
            }
            self.segments.filter(track, &self.lists, partial);
        }
    }

    /// Lowers the limits as far as it changes nothing for the remaining patterns.
    fn lower_limits(&mut self, tracks: &[Track], partial: &mut PartialDecisions) {
        for list in 0..self.lists.len() {
            let limit = partial.limits[list];
            let opposite = 1 - partial.decision(list);
            let mut highest = None;
            for track in tracks {
                let mut heads = track.heads.iter().rev().copied();
                highest = highest.max(heads.find(|&text| text < limit && self.lists.value(list, text) == opposite));
                highest = highest.max(self.segments.highest(track.waiting, &self.lists, list, opposite, limit));
            }
            partial.limits[list] = match highest {
                None => 0,
                Some(_) if self.lists.longest_match(list) => limit,
                Some(highest) => highest + 1,
            };
        }
    }

    /// Whether some longer target may have wanted decisions.
    fn is_useful(&mut self, state: &State) -> bool {
        let Self { lists, segments, .. } = self;
        lists.may_be_wanted(&state.partial)
            && !(lists.need_difference(&state.partial)
                && state.tracks.iter().all(|track| {
                    track.heads.iter().all(|&text| lists.is_equal(text, &state.partial))
                        && segments.are_equal(track.waiting, lists, &state.partial)
                }))
    }

    /// Whether no state with the same remains was seen before.
    fn is_new(&mut self, state: &State, visited: &mut HashSet<Box<[u32]>>) -> bool {
        if !state.tracks[0].heads.is_empty() {
            // Heads that are compared with the target itself remain for one target only.
            return true;
        }
        let mut key = vec![u32::from(state.place), u32::from(state.partial.decisions)];
        key.extend_from_slice(&state.partial.limits);
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
