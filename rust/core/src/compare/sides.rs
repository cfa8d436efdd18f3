//! The decisions of several sides, and which of the remaining patterns still matter to them.

use super::Track;
use super::segments::SegmentTable;

/// The number of sides that can be compared.
pub const MAX_SIDES: usize = 4;
/// The decision of a pattern that a side does not have.
pub const ABSENT: u8 = 2;

/// One side: a decision for each target.
#[derive(Clone, Debug)]
pub struct Side {
    /// The decision of each pattern: 0, 1, or 2 if the side does not have it.
    pub values: Vec<u8>,
    /// The decision if none matches.
    pub default: bool,
    /// Whether the pattern whose match ends last decides.
    pub longest_match: bool,
}

/// How the sides stand after some bytes of a target.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// The decision of each side so far, as bits.
    pub decisions: u8,
    /// The index from which on patterns no longer matter to each side.
    pub limits: [u32; MAX_SIDES],
}

impl Standing {
    fn decision(&self, side: usize) -> u8 {
        self.decisions >> side & 1
    }

    fn decide(&mut self, side: usize, decision: u8) {
        self.decisions = self.decisions & !(1 << side) | decision << side;
    }
}

/// The decision of each pattern on each side.
#[derive(Debug)]
pub struct SideTable {
    sides: Vec<Side>,
    count: u32,
    /// The wanted decisions: a bit for each combination of the decisions of all sides.
    wanted: u16,
    /// Whether all of them are different on the first two sides.
    differ: bool,
}

impl SideTable {
    /// Prepares the sides. `wanted` has a bit for each combination of decisions, read as a number.
    pub fn new(sides: Vec<Side>, wanted: u16, patterns: usize) -> Self {
        let combinations = 0..1_u16 << sides.len();
        let differ =
            sides.len() > 1 && combinations.filter(|one| wanted >> one & 1 == 1).all(|one| one & 1 != one >> 1 & 1);
        Self { sides, count: patterns as u32, wanted, differ }
    }

    /// How the sides stand before the first byte.
    pub fn start(&self) -> Standing {
        let mut standing = Standing { decisions: 0, limits: [0; MAX_SIDES] };
        for (number, side) in self.sides.iter().enumerate() {
            standing.decide(number, u8::from(side.default));
            standing.limits[number] = self.count;
        }
        standing
    }

    /// The decision of a pattern on a side.
    pub fn value(&self, side: usize, text: u32) -> u8 {
        self.sides[side].values[text as usize]
    }

    /// Whether the pattern that ends last decides on a side that has this one.
    pub fn ends_last(&self, text: u32) -> bool {
        self.sides.iter().any(|side| side.longest_match && side.values[text as usize] != ABSENT)
    }

    fn best(&self, side: usize, limit: u32, texts: impl Iterator<Item = u32>) -> Option<u32> {
        texts.filter(|&text| text < limit && self.value(side, text) != ABSENT).min()
    }

    /// Changes how the sides stand after these patterns have matched.
    pub fn after_matches(&self, standing: &mut Standing, matched: &[u32]) {
        for (number, side) in self.sides.iter().enumerate() {
            if let Some(best) = self.best(number, standing.limits[number], matched.iter().copied()) {
                standing.decide(number, side.values[best as usize]);
                if !side.longest_match {
                    standing.limits[number] = best;
                }
            }
        }
    }

    /// Whether the decisions about the target that ends here are wanted.
    pub fn is_wanted(&self, standing: &Standing, matched: &[u32], at_end: &[u32]) -> bool {
        let mut decided = *standing;
        if !at_end.is_empty() {
            for (number, side) in self.sides.iter().enumerate() {
                // Of the patterns that end last, the first one decides.
                let matched = if side.longest_match { matched } else { &[] };
                let ending = matched.iter().chain(at_end).copied();
                if let Some(best) = self.best(number, standing.limits[number], ending) {
                    decided.decide(number, side.values[best as usize]);
                }
            }
        }
        self.wanted >> decided.decisions & 1 == 1
    }

    /// Lowers the limits as far as it changes nothing for the remaining patterns.
    pub fn lower_limits(&self, tracks: &[Track], standing: &mut Standing, segments: &mut SegmentTable<'_>) {
        for (number, side) in self.sides.iter().enumerate() {
            let limit = standing.limits[number];
            let opposite = 1 - standing.decision(number);
            let mut highest = None;
            for track in tracks {
                let mut heads = track.heads.iter().rev().copied();
                highest = highest.max(heads.find(|&text| text < limit && self.value(number, text) == opposite));
                highest = highest.max(segments.highest(track.waiting, self, number, opposite, limit));
            }
            standing.limits[number] = match highest {
                None => 0,
                Some(_) if side.longest_match => limit,
                Some(highest) => highest + 1,
            };
        }
    }

    /// Whether a pattern matters to some side.
    pub fn matters(&self, text: u32, standing: &Standing) -> bool {
        let mut sides = self.sides.iter().zip(standing.limits);
        sides.any(|(side, limit)| text < limit && side.values[text as usize] != ABSENT)
    }

    /// Whether some longer target may have wanted decisions.
    pub fn is_useful(&self, tracks: &[Track], standing: &Standing, segments: &mut SegmentTable<'_>) -> bool {
        let open =
            (0..self.sides.len()).filter(|&side| standing.limits[side] > 0).fold(0, |open, side| open | 1 << side);
        let mut combinations = 0..1_u16 << self.sides.len();
        // A side without remaining patterns has only one decision left.
        let possible =
            combinations.any(|one| self.wanted >> one & 1 == 1 && (one ^ u16::from(standing.decisions)) & !open == 0);
        let alike = self.differ && standing.decision(0) == standing.decision(1);
        possible && !(alike && self.are_equal(tracks, standing, segments))
    }

    /// Whether the first two sides decide alike about all longer targets.
    fn are_equal(&self, tracks: &[Track], standing: &Standing, segments: &mut SegmentTable<'_>) -> bool {
        tracks.iter().all(|track| {
            track.heads.iter().all(|&text| self.is_equal(text, standing))
                && segments.are_equal(track.waiting, self, standing)
        })
    }

    /// Whether a pattern makes no difference between the first two sides.
    pub fn is_equal(&self, text: u32, standing: &Standing) -> bool {
        let values = [self.value(0, text), self.value(1, text)];
        if text < standing.limits[0] && text < standing.limits[1] {
            return values[0] == values[1] && values[0] != ABSENT;
        }
        // Only one side has this pattern left. It may not change the decision.
        (0..2).all(|side| {
            text >= standing.limits[side] || values[side] == ABSENT || values[side] == standing.decision(side)
        })
    }
}
