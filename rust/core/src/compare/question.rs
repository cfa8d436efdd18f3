//! Questions about targets, answered by refinement as in `canfetch.compare.refinement`.
//!
//! The possible targets are divided into sets. A set has the targets that match some patterns and avoid others. The sets
//! are visited in the order of their shortest targets. If the shortest target of a set does not have the wanted decisions,
//! the pattern that decides it divides the set. Both engines divide the same sets in the same order, so that they find the
//! same targets.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;

use super::budget::{Budget, TooLarge};
use super::direct::{common_target, have_no_target, least_common_length};
use super::domain::Targets;
use super::pattern_index::may_overlap;
use super::refinement::{ABSENT, ANY, BYTES_OF_A_STEP, Deciders, LAST, Refinement, Wanted};
use super::search::{Outcome, Search};
use crate::sorting::sort_by_key;

/// If more patterns than these make a difference within a pattern, its targets are divided like those of any question.
const MAX_DIFFERING: usize = 8;
/// The memory that the sets of a question may use, in bytes.
const MAX_SET_MEMORY: usize = 40_000_000;
/// The memory for the results of searches, in bytes.
const MAX_KNOWN_MEMORY: usize = 20_000_000;
/// The steps of a set.
const STEPS_OF_A_SET: usize = 10;
/// The fixed steps of a search, in addition to the steps that it counts.
const STEPS_OF_A_SEARCH: usize = 200;

/// A question about the targets of some domains. Patterns are given by their index.
#[derive(Clone, Debug)]
pub struct Question {
    /// The wanted decisions.
    pub wanted: Vec<Wanted>,
    /// Patterns of which one matches the target. Without any, each target will do.
    pub within: Vec<u32>,
    /// Patterns of which none matches the target.
    pub outside: Vec<u32>,
    /// Whether the target has to be a shortest one.
    pub shortest: bool,
}

impl Refinement {
    /// Returns a shortest target with wanted decisions, or `None` if there is none.
    ///
    /// # Errors
    ///
    /// The limit was reached.
    pub fn find(
        &mut self,
        question: &Question,
        targets: Targets<'_>,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u8>>, TooLarge> {
        QuestionSearch::new(self, question, targets, budget).shortest_target()
    }
}

/// The result of a search, as far as it is known without one.
enum Direct {
    Target(Vec<u8>),
    Nothing,
    Unknown,
}

/// Targets that match some patterns. Sets are ordered by the length of the shortest one.
#[derive(Clone, Debug)]
struct TargetSet {
    /// No target of the set is shorter.
    pub length: usize,
    /// The order of sets of the same length.
    pub number: u64,
    pub wanted: Wanted,
    /// Patterns that the target matches.
    pub matched: Vec<u32>,
    /// For each list, the place of the pattern that has to decide, if it is known.
    pub deciders: [Option<u32>; 2],
    /// For each list without a decider, the last place at which it was divided.
    pub divided: [u32; 2],
    /// Patterns that the target does not match.
    pub avoided: Vec<u32>,
    /// A shortest target, if it was searched for.
    pub target: Option<Vec<u8>>,
    /// The next sets, none of which has a shorter target.
    pub siblings: Option<Siblings>,
}

/// Sets for the patterns that win over the deciding one, in the order of their shortest targets.
#[derive(Clone, Debug)]
struct Siblings {
    pub set: Rc<TargetSet>,
    pub list: usize,
    pub candidates: Rc<[(usize, u32)]>,
    pub next: usize,
}

impl TargetSet {
    /// The approximate memory that the set uses.
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
        let patterns = |indices: &[u32]| indices.iter().map(|&one| refinement.pattern(one)).collect::<Vec<_>>();
        let (matched, avoided) = (patterns(&self.matched), patterns(&self.avoided));
        let mut all = self.matched.iter().chain(&self.avoided);
        let has_stray_percent = all.any(|&one| refinement.known(one).has_stray_percent);
        let domains = [targets.ordinary, targets.complete];
        for domain in &domains[usize::from(has_stray_percent)..] {
            match Search::new(&matched, &avoided, targets.forms).shortest_target(domain, budget)? {
                Outcome::Target(target) => return Ok(Some(target)),
                Outcome::Nothing => return Ok(None),
                Outcome::NoOrdinaryByte => {}
            }
        }
        unreachable!("all kinds of bytes are tried in a complete domain")
    }
}

impl PartialEq for TargetSet {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for TargetSet {}

impl PartialOrd for TargetSet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TargetSet {
    /// The greatest set is the one that comes first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.length, other.number).cmp(&(self.length, self.number))
    }
}

/// One question that is being answered.
struct QuestionSearch<'a> {
    refinement: &'a mut Refinement,
    /// Patterns that the target must not match, without patterns that no possible target matches.
    outside: Vec<u32>,
    question: &'a Question,
    targets: Targets<'a>,
    budget: &'a mut Budget,
    sets: BinaryHeap<TargetSet>,
    numbers: u64,
    memory: usize,
}

impl<'a> QuestionSearch<'a> {
    pub fn new(
        refinement: &'a mut Refinement,
        question: &'a Question,
        targets: Targets<'a>,
        budget: &'a mut Budget,
    ) -> Self {
        let (outside, sets) = (Vec::new(), BinaryHeap::new());
        Self { refinement, outside, question, targets, budget, sets, numbers: 0, memory: 0 }
    }

    /// Returns a shortest target with wanted decisions.
    pub fn shortest_target(&mut self) -> Result<Option<Vec<u8>>, TooLarge> {
        self.leave_out_distant()?;
        for target in self.direct_targets() {
            let deciders = self.deciders(&target)?;
            if self.is_wanted(&target, &deciders)? {
                return Ok(Some(target));
            }
        }
        for set in self.first_sets()? {
            self.push(set)?;
        }
        while let Some(popped) = self.pop()? {
            let mut next = Some(popped);
            while let Some(mut set) = next.take() {
                if let Some(target) = set.target.take() {
                    let deciders = self.deciders(&target)?;
                    if self.is_wanted(&target, &deciders)? {
                        return Ok(Some(target));
                    }
                    next = self.divide(set, &target, &deciders)?;
                    continue;
                }
                if self.is_later(&mut set)? {
                    self.push(set)?;
                    break;
                }
                let Some(target) = self.search(&set)? else { break };
                set.length = target.len();
                set.target = Some(target);
                // Targets are checked in order of length, or at once if any one will do.
                if self.question.shortest && self.sets.peek().is_some_and(|first| *first > set) {
                    self.push(set)?;
                    break;
                }
                next = Some(set);
            }
        }
        Ok(None)
    }

    fn leave_out_distant(&mut self) -> Result<(), TooLarge> {
        let (refinement, question) = (&*self.refinement, self.question);
        self.budget.spend(question.outside.len() * question.within.len().max(1))?;
        let near = |&one: &u32| {
            let one = refinement.pattern(one);
            question.within.is_empty() || question.within.iter().any(|&each| may_overlap(one, refinement.pattern(each)))
        };
        self.outside = question.outside.iter().copied().filter(near).collect();
        Ok(())
    }

    /// Whether other sets come first, because the patterns of this one have only longer targets in common.
    fn is_later(&mut self, set: &mut TargetSet) -> Result<bool, TooLarge> {
        if !self.question.shortest || set.matched.len() < 2 {
            return Ok(false);
        }
        let refinement = &*self.refinement;
        self.budget.spend(set.matched.iter().map(|&one| 4 * refinement.known(one).steps).sum())?;
        let least = least_common_length(&refinement.as_is(&set.matched));
        if least <= set.length {
            return Ok(false);
        }
        set.length = least;
        Ok(self.sets.peek().is_some_and(|first| *first > *set))
    }

    fn push(&mut self, set: TargetSet) -> Result<(), TooLarge> {
        self.memory += set.memory();
        self.sets.push(set);
        if self.memory <= MAX_SET_MEMORY { Ok(()) } else { Err(TooLarge) }
    }

    /// The set with the shortest target. It is replaced by the next one of its siblings.
    fn pop(&mut self) -> Result<Option<TargetSet>, TooLarge> {
        let Some(mut set) = self.sets.pop() else { return Ok(None) };
        self.memory -= set.memory();
        if let Some(siblings) = set.siblings.take() {
            self.push_next(siblings)?;
        }
        Ok(Some(set))
    }

    fn deciders(&mut self, target: &[u8]) -> Result<Deciders, TooLarge> {
        self.refinement.deciders(target, self.targets.forms, self.budget)
    }

    /// Targets that are as short as any that `within` permits.
    fn direct_targets(&self) -> Vec<Vec<u8>> {
        let known = self.question.within.iter().map(|&index| self.refinement.known(index));
        let least = known.clone().map(|one| one.least_length).min().unwrap_or(0);
        let direct = known.filter_map(|one| one.direct_match.as_ref()).filter(|target| target.len() == least);
        direct.filter(|target| self.targets.complete.contains(target)).cloned().collect()
    }

    fn first_sets(&mut self) -> Result<Vec<TargetSet>, TooLarge> {
        let mut sets = Vec::new();
        let mut within: Vec<Vec<u32>> = self.question.within.iter().map(|&one| vec![one]).collect();
        if within.is_empty() {
            within.push(Vec::new());
        }
        for &wanted in &self.question.wanted {
            for matched in &within {
                let differ = self.refinement.lists.len() == 2 && !wanted.contains(&ANY) && wanted[0] != wanted[1];
                match if differ { self.differing_sets(wanted, matched)? } else { None } {
                    Some(differing) => sets.extend(differing),
                    None => sets.push(self.undivided_set(wanted, matched)?),
                }
            }
        }
        Ok(sets)
    }

    /// Sets with the first pattern that matches in both lists, or none if there are too many.
    fn differing_sets(&mut self, wanted: Wanted, matched: &[u32]) -> Result<Option<Vec<TargetSet>>, TooLarge> {
        let mut sets = Vec::new();
        if self.refinement.lists.iter().zip(wanted).all(|(list, decision)| list.default == decision) {
            sets.push(self.undivided_set(wanted, matched)?);
        }
        for number in 0..2 {
            let is_own = |refinement: &Refinement, index: u32| {
                let value = |list: usize| refinement.lists[list].values[index as usize];
                value(number) == wanted[number] && value(1 - number) != wanted[number]
            };
            let own = if self.refinement.differing.len() <= MAX_DIFFERING {
                let (refinement, differing) = (&*self.refinement, self.refinement.differing.iter().copied());
                let own = differing.filter(|&one| is_own(refinement, one) && refinement.overlaps_all(one, matched));
                own.collect()
            } else {
                self.candidates(matched, 1..LAST, is_own)?
            };
            for index in own {
                let place = index + 1;
                let other = (self.refinement.value_at(1 - number, place) == wanted[1 - number]).then_some(place);
                let deciders = if number == 0 { [Some(place), other] } else { [other, Some(place)] };
                let all: Vec<u32> = matched.iter().copied().chain([index]).collect();
                sets.push(self.new_set(wanted, &all, deciders, [place; 2])?);
                if !matched.is_empty() && sets.len() > MAX_DIFFERING {
                    return Ok(None);
                }
            }
        }
        Ok(Some(sets))
    }

    /// The patterns at some places that may match a common target with all of others, in order of precedence.
    fn candidates(
        &mut self,
        matched: &[u32],
        places: Range<u32>,
        is_wanted: impl Fn(&Refinement, u32) -> bool,
    ) -> Result<Vec<u32>, TooLarge> {
        let refinement = &*self.refinement;
        let mut visited = 0;
        let mut found = Vec::new();
        let mut visit = |index: u32| {
            visited += 1;
            if places.contains(&(index + 1)) && is_wanted(refinement, index) {
                found.push(index);
            }
        };
        // The longest head has the fewest overlaps. Most patterns overlap a head of one byte.
        let by_heads = matched.iter().copied().filter(|&one| refinement.overlap_by_heads(one));
        match by_heads.max_by_key(|&one| refinement.pattern(one).fixed_head().len()) {
            Some(one) if refinement.pattern(one).fixed_head().len() > 1 => {
                refinement.overlaps.visit(refinement.pattern(one), visit);
            }
            _ => (places.start.max(1)..places.end.min(refinement.ranked + 1)).for_each(|place| visit(place - 1)),
        }
        self.budget.spend(4 + visited / 8 + found.len() / 2)?;
        found.retain(|&index| refinement.overlaps_all(index, matched));
        found.sort_unstable();
        Ok(found)
    }

    fn undivided_set(&mut self, wanted: Wanted, matched: &[u32]) -> Result<TargetSet, TooLarge> {
        self.new_set(wanted, matched, [None; 2], [0; 2])
    }

    fn new_set(
        &mut self,
        wanted: Wanted,
        matched: &[u32],
        deciders: [Option<u32>; 2],
        divided: [u32; 2],
    ) -> Result<TargetSet, TooLarge> {
        self.budget.spend(STEPS_OF_A_SET)?;
        let mut patterns: Vec<u32> = Vec::with_capacity(matched.len());
        for &index in matched {
            let first = self.refinement.known(index).first;
            if !patterns.contains(&first) {
                patterns.push(first);
            }
        }
        let length = patterns.iter().map(|&one| self.refinement.known(one).least_length).max().unwrap_or(1);
        let number = self.next_number();
        let (avoided, target, siblings) = (Vec::new(), None, None);
        Ok(TargetSet { length, number, wanted, matched: patterns, deciders, divided, avoided, target, siblings })
    }

    fn next_number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn is_wanted(&mut self, target: &[u8], deciders: &Deciders) -> Result<bool, TooLarge> {
        let lists = self.refinement.lists.len();
        let mut wanted = self.question.wanted.iter();
        if !wanted.any(|one| (0..lists).all(|list| one[list] == ANY || one[list] == deciders[list].1)) {
            return Ok(false);
        }
        let steps =
            self.outside.iter().map(|&one| self.refinement.known(one).steps + target.len() / BYTES_OF_A_STEP).sum();
        self.budget.spend(steps)?;
        Ok(self.matching_outside(target).is_none())
    }

    /// The first pattern that the target matches and must not match.
    fn matching_outside(&self, target: &[u8]) -> Option<u32> {
        let (refinement, forms) = (&*self.refinement, self.targets.forms);
        self.outside.iter().copied().find(|&one| refinement.pattern(one).matches(target, forms))
    }

    /// The set without the pattern that decides about a target, if there is such a set.
    fn divide(
        &mut self,
        mut set: TargetSet,
        target: &[u8],
        deciders: &Deciders,
    ) -> Result<Option<TargetSet>, TooLarge> {
        if let Some(one) = self.matching_outside(target) {
            set.avoided.push(one);
            return Ok(Some(set));
        }
        for (list, &(winner, decision)) in deciders.iter().enumerate().take(self.refinement.lists.len()) {
            if set.wanted[list] == ANY || set.wanted[list] == decision {
                continue;
            }
            let place = winner.map_or(LAST, |index| index + 1);
            if set.deciders[list].is_none() && set.divided[list] < place {
                self.add_divided_sets(&set, list, place)?;
                set.divided[list] = place;
            }
            let Some(winner) = winner else { return Ok(None) };
            set.avoided.push(self.refinement.known(winner).first);
            return Ok(Some(set));
        }
        unreachable!("internal error: a target without the wanted decisions has all of them")
    }

    /// Adds sets for the patterns that win over the one at `end`.
    fn add_divided_sets(&mut self, set: &TargetSet, list: usize, end: u32) -> Result<(), TooLarge> {
        let (start, wanted) = (set.divided[list], set.wanted[list]);
        let is_wanted = |refinement: &Refinement, index: u32| refinement.lists[list].values[index as usize] == wanted;
        let candidates = self.candidates(&set.matched, start + 1..end, is_wanted)?;
        if candidates.is_empty() {
            return Ok(());
        }
        let with_length = candidates.into_iter().map(|index| (self.refinement.known(index).least_length, index));
        let mut candidates: Vec<(usize, u32)> = with_length.collect();
        // Those of one length are in order of precedence already.
        sort_by_key(&mut candidates, |&(least, _)| least as u64);
        self.push_next(Siblings { set: Rc::new(set.clone()), list, candidates: candidates.into(), next: 0 })
    }

    /// Adds the next sibling. The following siblings are added when it is removed.
    fn push_next(&mut self, mut siblings: Siblings) -> Result<(), TooLarge> {
        while let Some(&(least, index)) = siblings.candidates.get(siblings.next) {
            siblings.next += 1;
            let (set, list) = (Rc::clone(&siblings.set), siblings.list);
            if self.loses(&set, list, index + 1) {
                continue;
            }
            self.budget.spend(STEPS_OF_A_SET)?;
            let one = self.refinement.known(index).first;
            let mut matched: Vec<u32> = set.matched.iter().copied().filter(|&other| other != one).collect();
            matched.push(one);
            let mut deciders = set.deciders;
            deciders[list] = Some(index + 1);
            let number = self.next_number();
            return self.push(TargetSet {
                length: set.length.max(least),
                number,
                wanted: set.wanted,
                matched,
                deciders,
                divided: set.divided,
                avoided: set.avoided.clone(),
                target: None,
                siblings: Some(siblings),
            });
        }
        Ok(())
    }

    /// Whether a pattern also decides in the other list, and in an unwanted way.
    fn loses(&self, set: &TargetSet, list: usize, place: u32) -> bool {
        (0..self.refinement.lists.len()).any(|other| {
            let wanted = set.wanted[other];
            let wins = set.deciders[other].is_some_and(|decider| place < decider);
            other != list && wanted != ANY && wins && {
                let value = self.refinement.value_at(other, place);
                value != ABSENT && value != wanted
            }
        })
    }

    /// A shortest target of a set, if there is one.
    fn search(&mut self, set: &TargetSet) -> Result<Option<Vec<u8>>, TooLarge> {
        let patterns = set.matched.iter().chain(&set.avoided);
        let steps: usize = patterns.map(|&one| 2 * self.refinement.known(one).steps).sum();
        self.budget.spend(8 + steps)?;
        match set.direct_target(self.refinement, self.targets, self.question.shortest) {
            Direct::Target(target) => return Ok(Some(target)),
            Direct::Nothing => return Ok(None),
            Direct::Unknown => {}
        }
        let key = (set.matched.as_slice().into(), set.avoided.as_slice().into());
        if let Some(found) = self.refinement.searched.get(&key) {
            return Ok(found.clone());
        }
        let found = set.search(self.refinement, self.targets, self.budget)?;
        let memory = 150 + 4 * (set.matched.len() + set.avoided.len()) + found.as_ref().map_or(0, Vec::len);
        if self.refinement.searched_memory + memory <= MAX_KNOWN_MEMORY {
            self.refinement.searched_memory += memory;
            self.refinement.searched.insert(key, found.clone());
        }
        Ok(found)
    }
}
