//! One question that is being answered by refinement.

use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;

use super::direct::least_common_length;
use super::goals::{Direct, Goal, Siblings};
use super::pattern_index::may_overlap;
use super::refinement::{ANY, BYTES_OF_A_STEP, Deciders, LAST, Question, Refinement, Targets, Wanted};
use super::sides::ABSENT;
use super::{Budget, TooLarge};

/// If more patterns than these make a difference within a pattern, its targets are divided like those of any question.
const MAX_DIFFERING: usize = 8;
/// The memory that the goals of a question may use, in bytes.
const MAX_GOAL_MEMORY: usize = 40_000_000;
/// The memory for the results of searches, in bytes.
const MAX_KNOWN_MEMORY: usize = 20_000_000;
/// The steps of a goal.
const STEPS_OF_A_GOAL: usize = 10;
/// One question that is being answered.
pub(super) struct Run<'a> {
    refinement: &'a mut Refinement,
    /// The patterns of the question outside of which the target is, without those that match nothing within.
    outside: Vec<u32>,
    question: &'a Question,
    targets: Targets<'a>,
    budget: &'a mut Budget,
    goals: BinaryHeap<Goal>,
    numbers: u64,
    memory: usize,
}

impl<'a> Run<'a> {
    pub fn new(
        refinement: &'a mut Refinement,
        question: &'a Question,
        targets: Targets<'a>,
        budget: &'a mut Budget,
    ) -> Self {
        let (outside, goals) = (Vec::new(), BinaryHeap::new());
        Self { refinement, outside, question, targets, budget, goals, numbers: 0, memory: 0 }
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
        for goal in self.first_goals()? {
            self.push(goal)?;
        }
        while let Some(popped) = self.pop()? {
            let mut next = Some(popped);
            while let Some(mut goal) = next.take() {
                if let Some(target) = goal.target.take() {
                    let deciders = self.deciders(&target)?;
                    if self.is_wanted(&target, &deciders)? {
                        return Ok(Some(target));
                    }
                    next = self.divide(goal, &target, &deciders)?;
                    continue;
                }
                if self.is_later(&mut goal)? {
                    self.push(goal)?;
                    break;
                }
                let Some(target) = self.search(&goal)? else { break };
                goal.length = target.len();
                goal.target = Some(target);
                // Targets are checked in order of length, or at once if any one will do.
                if self.question.shortest && self.goals.peek().is_some_and(|first| *first > goal) {
                    self.push(goal)?;
                    break;
                }
                next = Some(goal);
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

    /// Whether other goals come first, because the patterns of this one have only longer targets in common.
    fn is_later(&mut self, goal: &mut Goal) -> Result<bool, TooLarge> {
        if !self.question.shortest || goal.matched.len() < 2 {
            return Ok(false);
        }
        let refinement = &*self.refinement;
        self.budget.spend(goal.matched.iter().map(|&one| 4 * refinement.known(one).steps).sum())?;
        let least = least_common_length(&refinement.as_is(&goal.matched));
        if least <= goal.length {
            return Ok(false);
        }
        goal.length = least;
        Ok(self.goals.peek().is_some_and(|first| *first > *goal))
    }

    fn push(&mut self, goal: Goal) -> Result<(), TooLarge> {
        self.memory += goal.memory();
        self.goals.push(goal);
        if self.memory <= MAX_GOAL_MEMORY { Ok(()) } else { Err(TooLarge) }
    }

    /// The goal with the shortest target. It is replaced by the next one of its siblings.
    fn pop(&mut self) -> Result<Option<Goal>, TooLarge> {
        let Some(mut goal) = self.goals.pop() else { return Ok(None) };
        self.memory -= goal.memory();
        if let Some(siblings) = goal.siblings.take() {
            self.push_next(siblings)?;
        }
        Ok(Some(goal))
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

    fn first_goals(&mut self) -> Result<Vec<Goal>, TooLarge> {
        let mut goals = Vec::new();
        let mut within: Vec<Vec<u32>> = self.question.within.iter().map(|&one| vec![one]).collect();
        if within.is_empty() {
            within.push(Vec::new());
        }
        for &wanted in &self.question.wanted {
            for matched in &within {
                let differ = self.refinement.sides.len() == 2 && !wanted.contains(&ANY) && wanted[0] != wanted[1];
                match if differ { self.differing_goals(wanted, matched)? } else { None } {
                    Some(differing) => goals.extend(differing),
                    None => goals.push(self.undivided_goal(wanted, matched)?),
                }
            }
        }
        Ok(goals)
    }

    /// Goals with the first pattern that matches on both sides, or none if there are too many.
    fn differing_goals(&mut self, wanted: Wanted, matched: &[u32]) -> Result<Option<Vec<Goal>>, TooLarge> {
        let mut goals = Vec::new();
        if self.refinement.sides.iter().zip(wanted).all(|(side, decision)| side.default == decision) {
            goals.push(self.undivided_goal(wanted, matched)?);
        }
        for number in 0..2 {
            let is_own = |refinement: &Refinement, index: u32| {
                let value = |side: usize| refinement.sides[side].values[index as usize];
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
                goals.push(self.goal(wanted, &all, deciders, [place; 2])?);
                if !matched.is_empty() && goals.len() > MAX_DIFFERING {
                    return Ok(None);
                }
            }
        }
        Ok(Some(goals))
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

    fn undivided_goal(&mut self, wanted: Wanted, matched: &[u32]) -> Result<Goal, TooLarge> {
        self.goal(wanted, matched, [None; 2], [0; 2])
    }

    fn goal(
        &mut self,
        wanted: Wanted,
        matched: &[u32],
        deciders: [Option<u32>; 2],
        divided: [u32; 2],
    ) -> Result<Goal, TooLarge> {
        self.budget.spend(STEPS_OF_A_GOAL)?;
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
        Ok(Goal { length, number, wanted, matched: patterns, deciders, divided, avoided, target, siblings })
    }

    fn next_number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn is_wanted(&mut self, target: &[u8], deciders: &Deciders) -> Result<bool, TooLarge> {
        let sides = self.refinement.sides.len();
        let mut wanted = self.question.wanted.iter();
        if !wanted.any(|one| (0..sides).all(|side| one[side] == ANY || one[side] == deciders[side].1)) {
            return Ok(false);
        }
        let steps =
            self.outside.iter().map(|&one| self.refinement.known(one).steps + target.len() / BYTES_OF_A_STEP).sum();
        self.budget.spend(steps)?;
        Ok(self.matching_outside(target).is_none())
    }

    /// The first pattern of those outside of which the target has to be that matches it.
    fn matching_outside(&self, target: &[u8]) -> Option<u32> {
        let (refinement, forms) = (&*self.refinement, self.targets.forms);
        self.outside.iter().copied().find(|&one| refinement.pattern(one).matches(target, forms))
    }

    /// The goal without the pattern that decides about a target, if there is such a goal.
    fn divide(&mut self, mut goal: Goal, target: &[u8], deciders: &Deciders) -> Result<Option<Goal>, TooLarge> {
        if let Some(one) = self.matching_outside(target) {
            goal.avoided.push(one);
            return Ok(Some(goal));
        }
        for (side, &(winner, decision)) in deciders.iter().enumerate().take(self.refinement.sides.len()) {
            if goal.wanted[side] == ANY || goal.wanted[side] == decision {
                continue;
            }
            let place = winner.map_or(LAST, |index| index + 1);
            if goal.deciders[side].is_none() && goal.divided[side] < place {
                self.add_divided_goals(&goal, side, place)?;
                goal.divided[side] = place;
            }
            let Some(winner) = winner else { return Ok(None) };
            goal.avoided.push(self.refinement.known(winner).first);
            return Ok(Some(goal));
        }
        unreachable!("a target that is not wanted has an unwanted decision")
    }

    /// Adds goals for the patterns that win over the one at `end`.
    fn add_divided_goals(&mut self, goal: &Goal, side: usize, end: u32) -> Result<(), TooLarge> {
        let (start, wanted) = (goal.divided[side], goal.wanted[side]);
        let is_wanted = |refinement: &Refinement, index: u32| refinement.sides[side].values[index as usize] == wanted;
        let candidates = self.candidates(&goal.matched, start + 1..end, is_wanted)?;
        if candidates.is_empty() {
            return Ok(());
        }
        let with_length = candidates.into_iter().map(|index| (self.refinement.known(index).least_length, index));
        let mut candidates: Vec<(usize, u32)> = with_length.collect();
        candidates.sort_unstable();
        self.push_next(Siblings { goal: Rc::new(goal.clone()), side, candidates: candidates.into(), next: 0 })
    }

    /// Adds the next of some siblings, which the others follow.
    fn push_next(&mut self, mut siblings: Siblings) -> Result<(), TooLarge> {
        while let Some(&(least, index)) = siblings.candidates.get(siblings.next) {
            siblings.next += 1;
            let (goal, side) = (Rc::clone(&siblings.goal), siblings.side);
            if self.loses(&goal, side, index + 1) {
                continue;
            }
            self.budget.spend(STEPS_OF_A_GOAL)?;
            let one = self.refinement.known(index).first;
            let mut matched: Vec<u32> = goal.matched.iter().copied().filter(|&other| other != one).collect();
            matched.push(one);
            let mut deciders = goal.deciders;
            deciders[side] = Some(index + 1);
            let number = self.next_number();
            return self.push(Goal {
                length: goal.length.max(least),
                number,
                wanted: goal.wanted,
                matched,
                deciders,
                divided: goal.divided,
                avoided: goal.avoided.clone(),
                target: None,
                siblings: Some(siblings),
            });
        }
        Ok(())
    }

    /// Whether a pattern also decides on the other side, and in an unwanted way.
    fn loses(&self, goal: &Goal, side: usize, place: u32) -> bool {
        (0..self.refinement.sides.len()).any(|other| {
            let wanted = goal.wanted[other];
            let wins = goal.deciders[other].is_some_and(|decider| place < decider);
            other != side && wanted != ANY && wins && {
                let value = self.refinement.value_at(other, place);
                value != ABSENT && value != wanted
            }
        })
    }

    /// A shortest target of a goal, if there is one.
    fn search(&mut self, goal: &Goal) -> Result<Option<Vec<u8>>, TooLarge> {
        let patterns = goal.matched.iter().chain(&goal.avoided);
        let steps: usize = patterns.map(|&one| 2 * self.refinement.known(one).steps).sum();
        self.budget.spend(8 + steps)?;
        match goal.direct_target(self.refinement, self.targets, self.question.shortest) {
            Direct::Target(target) => return Ok(Some(target)),
            Direct::Nothing => return Ok(None),
            Direct::Unknown => {}
        }
        let key = (goal.matched.as_slice().into(), goal.avoided.as_slice().into());
        if let Some(found) = self.refinement.searched.get(&key) {
            return Ok(found.clone());
        }
        let found = goal.search(self.refinement, self.targets, self.budget)?;
        let memory = 150 + 4 * (goal.matched.len() + goal.avoided.len()) + found.as_ref().map_or(0, Vec::len);
        if self.refinement.searched_memory + memory <= MAX_KNOWN_MEMORY {
            self.refinement.searched_memory += memory;
            self.refinement.searched.insert(key, found.clone());
        }
        Ok(found)
    }
}
