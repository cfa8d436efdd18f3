//! The goals of a refinement.

use std::cmp::Ordering;
use std::rc::Rc;

use super::direct::{common_target, have_no_target};
use super::refinement::{Refinement, Targets, Wanted};
use super::sides::ABSENT;
use super::{Budget, Outcome, Pattern, Search, Side, TooLarge};

/// The steps of a search besides those that it counts.
const STEPS_OF_A_SEARCH: usize = 200;

/// The result of a search, as far as it is known without one.
pub(super) enum Direct {
    Target(Vec<u8>),
    Nothing,
    Unknown,
}

/// Targets that match some patterns. Goals are ordered by the length of the shortest one.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    /// No target of the goal is shorter.
    pub length: usize,
    /// The order of goals of the same length.
    pub number: u64,
    pub wanted: Wanted,
    /// Patterns that the target matches.
    pub matched: Vec<u32>,
    /// For each side, the place of the pattern that has to decide, if it is known.
    pub deciders: [Option<u32>; 2],
    /// For each side without a decider, the last place at which it was divided.
    pub divided: [u32; 2],
    /// Patterns that the target does not match.
    pub avoided: Vec<u32>,
    /// A shortest target, if it was searched for.
    pub target: Option<Vec<u8>>,
    /// The next goals, none of which has a shorter target.
    pub siblings: Option<Siblings>,
}

/// Goals for the patterns that win over the one that decides, those of the shortest patterns first.
#[derive(Clone, Debug)]
pub(super) struct Siblings {
    pub goal: Rc<Goal>,
    pub side: usize,
    pub candidates: Rc<[(usize, u32)]>,
    pub next: usize,
}

impl Goal {
    /// The approximate memory that the goal uses.
    pub fn memory(&self) -> usize {
        let target = self.target.as_ref().map_or(0, Vec::len);
        let candidates = self.siblings.as_ref().map_or(0, |siblings| 300 + 16 * siblings.candidates.len());
        240 + 4 * (self.matched.len() + self.avoided.len()) + target + candidates
    }

    /// The result of a search that is not necessary.
    pub fn direct_target(&self, refinement: &Refinement, targets: Targets<'_>, shortest: bool) -> Direct {
        let patterns = |indices: &[u32]| indices.iter().map(|&one| refinement.pattern(one)).collect::<Vec<_>>();
        let (matched, avoided) = (patterns(&self.matched), patterns(&self.avoided));
        if have_no_target(&matched, &avoided, targets.forms) {
            return Direct::Nothing;
        }
        let is_accepted = |target: &[u8]| {
            targets.complete.contains(target) && !avoided.iter().any(|one| one.matches(target, targets.forms))
        };
        let direct = match (self.matched.as_slice(), avoided.is_empty()) {
            (&[one], true) => refinement.known(one).direct_match.clone(),
            _ => None,
        };
        let target = match direct {
            Some(target) => is_accepted(&target).then_some(target),
            None => common_target(&refinement.as_is(&self.matched), targets.forms, shortest, is_accepted),
        };
        target.map_or(Direct::Unknown, Direct::Target)
    }

    /// A shortest target, if there is one.
    pub fn search(
        &self,
        refinement: &Refinement,
        targets: Targets<'_>,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u8>>, TooLarge> {
        budget.spend(STEPS_OF_A_SEARCH)?;
        let all: Vec<u32> = self.matched.iter().chain(&self.avoided).copied().collect();
        let patterns: Vec<&Pattern> = all.iter().map(|&one| refinement.pattern(one)).collect();
        let matched = self.matched.len();
        let side = |values: Vec<u8>| Side { values, default: false, longest_match: false };
        let only = |number: usize| (0..all.len()).map(|other| if other == number { 1 } else { ABSENT }).collect();
        let mut sides: Vec<Side> = (0..matched).map(|number| side(only(number))).collect();
        sides.push(side((0..all.len()).map(|other| if other < matched { ABSENT } else { 1 }).collect()));
        let wanted = 1 << ((1_u16 << matched) - 1);
        let domains = [targets.ordinary, targets.complete];
        let has_stray_percent = all.iter().any(|&one| refinement.known(one).has_stray_percent);
        for domain in &domains[usize::from(has_stray_percent)..] {
            let mut search = Search::new(patterns.clone(), targets.forms, sides.clone(), wanted);
            match search.targets(domain, 1, budget) {
                Outcome::Targets(found) => return Ok(found.into_iter().next()),
                Outcome::TooLarge => return Err(TooLarge),
                Outcome::NoOrdinaryByte => {}
            }
        }
        unreachable!("all kinds of bytes are tried in a complete domain")
    }
}

impl PartialEq for Goal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Goal {}

impl PartialOrd for Goal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Goal {
    /// The greatest goal is the one that comes first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.length, other.number).cmp(&(self.length, self.number))
    }
}
