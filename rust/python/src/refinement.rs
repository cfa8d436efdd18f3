//! Questions of `canfetch.compare` about the rules of two files.

use canfetch::engine::compare::{
    self, Budget, Candidate, Pattern, Question, Refinement as Core, RuleText, Targets, TooLarge,
};
use canfetch::engine::profile;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::comparison::{PatternItem, TargetDomain, pattern};

/// The decision of each pattern, and the default.
type SideItem = (Vec<u8>, bool);
/// Whether a rule allows, and its value.
type RuleItem<'py> = (bool, Bound<'py, PyBytes>);
/// The target, the status, the explored states, and the remaining steps.
type Answer<'py> = (Option<Bound<'py, PyBytes>>, &'static str, u64, u64);
type Target<'py> = Option<Bound<'py, PyBytes>>;
/// The fields of descriptions, the status, the explored states, and the remaining steps.
type Descriptions<'py> = (Vec<(usize, Target<'py>, Target<'py>, Target<'py>)>, &'static str, u64, u64);

/// The patterns of one or two sides in order of precedence.
#[pyclass(module = "canfetch._native")]
pub struct Refinement {
    core: Core,
    ordinary: Py<TargetDomain>,
    complete: Py<TargetDomain>,
}

#[pymethods]
impl Refinement {
    #[new]
    #[pyo3(signature = (patterns, sides, ordinary, complete, /))]
    fn new(
        patterns: Vec<PatternItem>,
        sides: Vec<SideItem>,
        ordinary: Py<TargetDomain>,
        complete: Py<TargetDomain>,
    ) -> PyResult<Self> {
        let forms = &complete.get().forms;
        let count = patterns.len();
        if !(1..=2).contains(&sides.len()) || sides.iter().any(|(values, _)| values.len() != count) {
            return Err(PyValueError::new_err("invalid sides: expected a decision of each side for each pattern"));
        }
        let patterns: PyResult<Vec<Pattern>> = patterns.into_iter().map(|item| pattern(item, forms)).collect();
        let core = Core::new(patterns?, sides, forms);
        Ok(Self { core, ordinary, complete })
    }

    /// Returns the index of a pattern, which is added if it is new.
    #[pyo3(signature = (item, /))]
    fn index_of(&mut self, item: PatternItem) -> PyResult<u32> {
        let forms = &self.complete.get().forms;
        Ok(self.core.index_of(pattern(item, forms)?, forms))
    }

    /// Changes the decision of a pattern on a side: 0, 1, or 2 if the side no longer has it.
    #[pyo3(signature = (side, index, value, /))]
    fn set_value(&mut self, side: usize, index: u32, value: u8) -> PyResult<()> {
        if self.core.set_value(side, index, value) {
            return Ok(());
        }
        Err(PyValueError::new_err("invalid pattern: expected the index of a pattern with a rank"))
    }

    /// Returns a shortest target with wanted decisions. The interpreter's lock is released meanwhile.
    #[pyo3(signature = (wanted, within, outside, shortest, steps, /))]
    fn find<'py>(
        &mut self,
        py: Python<'py>,
        wanted: Vec<Vec<u8>>,
        within: Vec<u32>,
        outside: Vec<u32>,
        shortest: bool,
        steps: u64,
    ) -> PyResult<Answer<'py>> {
        let (sides, count) = (self.core.lists(), self.core.len());
        if wanted.iter().any(|one| one.len() != sides)
            || within.iter().chain(&outside).any(|&one| one as usize >= count)
        {
            return Err(PyValueError::new_err(
                "invalid question: expected a decision for each side, and known patterns",
            ));
        }
        let wanted = wanted.into_iter().map(|one| [one[0], one.get(1).copied().unwrap_or(2)]).collect();
        let question = Question { wanted, within, outside, shortest };
        let mut budget = Budget { steps, states: 0 };
        let targets = targets(self.ordinary.get(), self.complete.get());
        let core = &mut self.core;
        let found = py.detach(|| core.find(&question, targets, &mut budget));
        let (target, status) = match found {
            Ok(target) => (target, "found"),
            Err(TooLarge) => (None, "too large"),
        };
        Ok((target.map(|target| PyBytes::new(py, &target)), status, budget.states, budget.steps))
    }

    /// Returns what candidates describe of the targets with some decisions. The interpreter's lock is released meanwhile.
    #[pyo3(signature = (decisions, candidates, outside, steps, /))]
    fn describe<'py>(
        &mut self,
        py: Python<'py>,
        decisions: (u8, u8),
        candidates: Vec<(Vec<u32>, bool)>,
        outside: Vec<u32>,
        steps: u64,
    ) -> PyResult<Descriptions<'py>> {
        let count = self.core.len();
        let known = candidates.iter().flat_map(|(patterns, _)| patterns).chain(&outside);
        if self.core.lists() != 2
            || decisions.0 > 1
            || decisions.1 > 1
            || known.into_iter().any(|&one| one as usize >= count)
        {
            return Err(PyValueError::new_err(
                "invalid question: expected two sides, their decisions, and known patterns",
            ));
        }
        let candidates: Vec<Candidate> =
            candidates.into_iter().map(|(patterns, is_part)| Candidate { patterns, is_part }).collect();
        let mut budget = Budget { steps, states: 0 };
        let targets = targets(self.ordinary.get(), self.complete.get());
        let core = &mut self.core;
        let decisions = [decisions.0, decisions.1];
        let found = py.detach(|| core.describe(decisions, &candidates, outside, targets, &mut budget));
        let (found, status) = match found {
            Ok(found) => (found, "found"),
            Err(TooLarge) => (Vec::new(), "too large"),
        };
        let bytes = |target: Vec<u8>| PyBytes::new(py, &target);
        let fields = found
            .into_iter()
            .map(|one| (one.candidate, Some(bytes(one.example)), one.other.map(bytes), one.uncovered.map(bytes)));
        Ok((fields.collect(), status, budget.states, budget.steps))
    }
}

/// Returns a target about which two lists of rules decide differently, whether it is confirmed, the status, the explored
/// states, and the remaining steps.
#[pyfunction]
#[pyo3(signature = (changed, before, after, profile_name, ordinary, complete, confirm, steps, /))]
#[allow(clippy::too_many_arguments, clippy::needless_pass_by_value)] // The arguments of the Python function.
pub fn differing_target<'py>(
    changed: Vec<RuleItem<'py>>,
    before: Vec<RuleItem<'py>>,
    after: Vec<RuleItem<'py>>,
    profile_name: &str,
    ordinary: &TargetDomain,
    complete: &TargetDomain,
    confirm: &Bound<'py, PyAny>,
    steps: u64,
) -> PyResult<(Target<'py>, bool, &'static str, u64, u64)> {
    let py = confirm.py();
    let Some(profile) = profile(profile_name) else { return Err(PyValueError::new_err("unsupported profile")) };
    let [changed, before, after] = [&changed, &before, &after]
        .map(|rules| rules.iter().map(|(allow, value)| (*allow, value.as_bytes())).collect::<Vec<RuleText<'_>>>());
    let mut budget = Budget { steps, states: 0 };
    let mut failure = None;
    let mut confirmed = |target: &[u8]| {
        let answer = confirm.call1((PyBytes::new(py, target),)).and_then(|answer| answer.is_truthy());
        answer.unwrap_or_else(|error| failure.replace(error).is_none())
    };
    let targets = targets(ordinary, complete);
    let lists = [&before[..], &after];
    let found = compare::differing_target(&changed, lists, profile, targets, &mut budget, &mut confirmed);
    if let Some(error) = failure {
        return Err(error);
    }
    let (target, status) = match found {
        Ok(target) => (target, "found"),
        Err(TooLarge) => (None, "too large"),
    };
    let is_confirmed = target.as_ref().is_none_or(|(_, is_confirmed)| *is_confirmed);
    let target = target.map(|(target, _)| PyBytes::new(py, &target));
    Ok((target, is_confirmed, status, budget.states, budget.steps))
}

fn targets<'a>(ordinary: &'a TargetDomain, complete: &'a TargetDomain) -> Targets<'a> {
    Targets { ordinary: &ordinary.domain, complete: &complete.domain, forms: &complete.forms }
}
