//! Rules that describe the targets with certain decisions, as in `canfetch.compare.descriptions`.

use super::budget::{Budget, TooLarge};
use super::domain::Targets;
use super::question::Question;
use super::refinement::{ANY, Refinement, Wanted};

/// The fixed steps of a question, in addition to the steps that it counts.
const STEPS_OF_A_QUESTION: usize = 60;

/// A rule that may describe targets.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its patterns.
    pub patterns: Vec<u32>,
    /// Whether it describes only a part in any case.
    pub is_part: bool,
}

/// What a rule describes.
#[derive(Clone, Debug)]
pub struct Description {
    /// The index of the candidate.
    pub candidate: usize,
    /// A shortest target with the decisions.
    pub example: Vec<u8>,
    /// A target with other decisions, if there is one.
    pub other: Option<Vec<u8>>,
    /// A target that no listed rule matches of which all targets have the decisions. Without one, the rule is not listed.
    pub uncovered: Option<Vec<u8>>,
}

impl Refinement {
    /// Returns what each candidate describes that matches a target with the decisions.
    ///
    /// # Errors
    ///
    /// The limit was reached.
    pub fn describe(
        &mut self,
        decisions: Wanted,
        candidates: &[Candidate],
        outside: Vec<u32>,
        targets: Targets<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<Description>, TooLarge> {
        let others = [[1 - decisions[0], ANY], [ANY, 1 - decisions[1]]];
        let mut answer = |wanted: &[Wanted], candidate: usize, outside: &[u32], shortest: bool| {
            budget.spend(STEPS_OF_A_QUESTION)?;
            let within = candidates[candidate].patterns.clone();
            let question = Question { wanted: wanted.to_vec(), within, outside: outside.to_vec(), shortest };
            self.find(&question, targets, budget)
        };
        let mut found = Vec::new();
        for (number, candidate) in candidates.iter().enumerate() {
            let Some(example) = answer(&[decisions], number, &outside, true)? else { continue };
            let other = if candidate.is_part { None } else { answer(&others, number, &outside, false)? };
            found.push(Description { candidate: number, example, other, uncovered: None });
        }
        let nothing_covered = outside.len();
        let mut covered = outside;
        let is_part = |one: &Description| one.other.is_some() || candidates[one.candidate].is_part;
        for one in found.iter_mut().filter(|one| !is_part(one)) {
            one.uncovered = if covered.len() == nothing_covered {
                Some(one.example.clone())
            } else {
                answer(&[[ANY; 2]], one.candidate, &covered, false)?
            };
            if one.uncovered.is_some() {
                covered.extend_from_slice(&candidates[one.candidate].patterns);
            }
        }
        for one in found.iter_mut().filter(|one| is_part(one)) {
            one.uncovered = answer(&[decisions], one.candidate, &covered, false)?;
        }
        Ok(found)
    }
}
