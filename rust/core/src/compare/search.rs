//! The search for a shortest target that matches all of some patterns and none of others, with the answers of
//! `canfetch.compare.search`.
//!
//! All patterns are followed together, byte by byte, in order of length: so the first target that is found is a shortest
//! one. A state has the position in each pattern that can still match or fail. Equal states are explored once.

use std::collections::{HashSet, VecDeque};

use super::budget::{Budget, TooLarge};
use super::domain::{DEAD, Domain, Form, escape};
use super::patterns::{Pattern, borders};

/// The memory that a search may use for what grows with its states, in bytes.
const MAX_MEMORY: usize = 120_000_000;
/// The fixed steps of one byte after one state, in addition to one for each pattern.
const STEPS_OF_A_BYTE: usize = 16;

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A shortest target.
    Target(Vec<u8>),
    /// There is no target.
    Nothing,
    /// Patterns expect each ordinary byte, so that all kinds of bytes have to be tried.
    NoOrdinaryByte,
}

/// The number of a pattern that can still match or fail, and the position in it.
type Position = (u32, u32);

#[derive(Clone, Debug)]
struct State {
    positions: Vec<Position>,
    place: u16,
    in_query: bool,
    /// The last byte, which has the index of the byte before it, and so on.
    last: u32,
}

impl State {
    /// The approximate memory that the state uses.
    fn memory(&self) -> usize {
        64 + 8 * self.positions.len()
    }
}

/// A pattern as a deterministic automaton: its states are positions in its bytes.
///
/// Each segment is found at its first occurrence (Knuth, Morris and Pratt).
#[derive(Debug)]
struct Automaton<'a> {
    pattern: &'a Pattern,
    /// The bytes after the head.
    content: Vec<u8>,
    /// For each position after the head, the start of its segment, and the longest shorter position with the same end.
    rows: Vec<(u32, u32)>,
}

impl<'a> Automaton<'a> {
    fn new(pattern: &'a Pattern) -> Self {
        let mut content = Vec::new();
        let mut rows = Vec::new();
        for (number, segment) in pattern.middles.iter().enumerate() {
            let start = content.len() as u32;
            let is_anchored = pattern.anchored && number + 1 == pattern.middles.len();
            // Positions past an anchored segment are in this segment, and others in the next one.
            let count = segment.len() + usize::from(is_anchored);
            rows.extend(borders(segment)[..count].iter().map(|&border| (start, start + border)));
            content.extend_from_slice(segment);
        }
        Self { pattern, content, rows }
    }

    /// The position after all bytes.
    fn end(&self) -> u32 {
        (self.pattern.head.len() + self.content.len()) as u32
    }

    /// Whether the pattern matches all targets from a position on.
    fn matches_from(&self, position: u32) -> bool {
        !self.pattern.anchored && position == self.end()
    }

    /// Whether the pattern matches no longer target, because it is an anchored head that ends here.
    fn has_ended(&self, position: u32) -> bool {
        self.pattern.anchored && self.rows.is_empty() && position == self.end()
    }

    /// The position after one more byte, unless the pattern fails.
    fn after(&self, position: u32, byte: u8) -> Option<u32> {
        let head = &self.pattern.head;
        if let Some(&expected) = head.get(position as usize) {
            return (expected == byte).then_some(position + 1);
        }
        let offset = head.len() as u32;
        let mut at = position - offset;
        let (start, _) = *self.rows.get(at as usize)?;
        loop {
            if self.content.get(at as usize) == Some(&byte) {
                return Some(offset + at + 1);
            }
            if at == start {
                return Some(offset + start);
            }
            at = self.rows[at as usize].1;
        }
    }

    /// Adds the bytes that find more of the pattern.
    fn add_expected(&self, position: u32, expected: &mut [bool; 256]) {
        let head = &self.pattern.head;
        if let Some(&byte) = head.get(position as usize) {
            expected[usize::from(byte)] = true;
            return;
        }
        let mut at = position as usize - head.len();
        let start = self.rows[at].0 as usize;
        loop {
            if let Some(&byte) = self.content.get(at) {
                expected[usize::from(byte)] = true;
            }
            if at == start {
                return;
            }
            at = self.rows[at].1 as usize;
        }
    }
}

/// Patterns that are ready to be searched.
#[derive(Debug)]
pub struct Search<'a> {
    automata: Vec<Automaton<'a>>,
    /// The number of patterns that the target has to match. They come before those that it must not match.
    matched: u32,
    forms: &'a [Form],
    /// The bytes of all targets, each with the index of the byte before it.
    bytes: Vec<(u32, u8)>,
    /// The memory of the states that were seen.
    remembered: usize,
}

impl<'a> Search<'a> {
    /// Prepares a search for targets that match all of some patterns and none of others.
    pub fn new(matched: &[&'a Pattern], avoided: &[&'a Pattern], forms: &'a [Form]) -> Self {
        let automata = matched.iter().chain(avoided).map(|pattern| Automaton::new(pattern)).collect();
        Self { automata, matched: matched.len() as u32, forms, bytes: vec![(0, 0)], remembered: 0 }
    }

    /// Returns a shortest target, if there is one.
    ///
    /// # Errors
    ///
    /// The limit was reached.
    pub fn shortest_target(&mut self, domain: &Domain, budget: &mut Budget) -> Result<Outcome, TooLarge> {
        let mut visited: HashSet<Box<[u32]>> = HashSet::new();
        let mut queue = VecDeque::new();
        budget.spend(self.automata.len())?;
        if let Some(positions) = self.start() {
            queue.push_back(State { positions, place: 0, in_query: false, last: 0 });
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
                budget.spend(STEPS_OF_A_BYTE + state.positions.len())?;
                let Some(positions) = self.after(&state, byte) else { continue };
                let last = self.bytes.len() as u32;
                self.bytes.push((state.last, byte));
                if domain.accepting[usize::from(place)] && self.is_found(&positions) {
                    return Ok(Outcome::Target(self.target(last)));
                }
                let Some(positions) = self.continuing(positions) else { continue };
                let following = State { positions, place, in_query: state.in_query || byte == b'?', last };
                if self.is_new(&following, &mut visited) {
                    queued += following.memory();
                    queue.push_back(following);
                }
                if queued + self.remembered + self.bytes.len() * 8 > MAX_MEMORY {
                    return Err(TooLarge);
                }
            }
        }
        Ok(Outcome::Nothing)
    }

    fn start(&self) -> Option<Vec<Position>> {
        let mut positions = Vec::with_capacity(self.automata.len());
        let is_possible = (0..self.automata.len() as u32).all(|number| self.add(number, Some(0), &mut positions));
        if is_possible { self.continuing(positions) } else { None }
    }

    /// Adds the position in a pattern that is still open. Returns false if no continuation is a target.
    fn add(&self, number: u32, position: Option<u32>, positions: &mut Vec<Position>) -> bool {
        match position {
            Some(position) if !self.automata[number as usize].matches_from(position) => {
                positions.push((number, position));
                true
            }
            _ => position.is_some() == (number < self.matched),
        }
    }

    /// The bytes that some pattern expects.
    fn expected(&self, state: &State, domain: &Domain) -> [bool; 256] {
        let mut expected = [false; 256];
        for &(number, position) in &state.positions {
            let automaton = &self.automata[number as usize];
            automaton.add_expected(position, &mut expected);
            let form = automaton.pattern.form;
            if form != 0 {
                for (byte, _) in self.forms[form].encoded(state.in_query).iter().enumerate().filter(|(_, is)| **is) {
                    expected[byte] |= domain.next(state.place, byte as u8) != DEAD;
                }
                expected[usize::from(b'?')] = true;
            }
        }
        expected
    }

    /// The positions in open patterns after one more byte, or `None` if no continuation is a target.
    fn after(&self, state: &State, byte: u8) -> Option<Vec<Position>> {
        let escape = escape(byte);
        let mut positions = Vec::with_capacity(state.positions.len());
        for &(number, position) in &state.positions {
            let automaton = &self.automata[number as usize];
            let encodes = self.forms[automaton.pattern.form].encodes(byte, state.in_query);
            let pieces: &[u8] = if encodes { &escape } else { std::slice::from_ref(&byte) };
            let mut at = Some(position);
            for &piece in pieces {
                // A pattern that matches within an escape matches, but no target ends there.
                match at {
                    Some(position) if !automaton.matches_from(position) => at = automaton.after(position, piece),
                    _ => break,
                }
            }
            if !self.add(number, at, &mut positions) {
                return None;
            }
        }
        Some(positions)
    }

    /// Whether the target that ends here matches all open patterns that it has to match, and no other.
    fn is_found(&self, positions: &[Position]) -> bool {
        positions
            .iter()
            .all(|&(number, position)| (position == self.automata[number as usize].end()) == (number < self.matched))
    }

    /// The positions for longer targets: an anchored head that ends here has failed.
    fn continuing(&self, mut positions: Vec<Position>) -> Option<Vec<Position>> {
        let has_ended = |&(number, position): &Position| self.automata[number as usize].has_ended(position);
        if positions.iter().any(|one| one.0 < self.matched && has_ended(one)) {
            return None;
        }
        positions.retain(|one| !has_ended(one));
        Some(positions)
    }

    /// Whether no state with the same remains was seen before.
    fn is_new(&mut self, state: &State, visited: &mut HashSet<Box<[u32]>>) -> bool {
        let is_encoded = state.positions.iter().any(|&(number, _)| self.automata[number as usize].pattern.form != 0);
        let mut key = Vec::with_capacity(1 + 2 * state.positions.len());
        key.push(u32::from(state.place) << 1 | u32::from(is_encoded && state.in_query));
        key.extend(state.positions.iter().flat_map(|&(number, position)| [number, position]));
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
