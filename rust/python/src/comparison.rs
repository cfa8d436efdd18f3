//! Searches of `canfetch.compare` for targets.

use canfetch_core::compare::{Budget, Domain, Form, Outcome, Pattern, RuleList, Search};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Head, segments, whether anchored, index of the form, and whether the match grows.
pub type PatternItem = (Vec<u8>, Vec<Vec<u8>>, bool, usize, bool);
/// The decision of each pattern, the default, and whether the longest match decides.
type SideItem = (Vec<u8>, bool, bool);
/// Targets or the reason why there are none, the explored states, and the remaining steps.
type Found<'py> = (Option<Vec<Bound<'py, PyBytes>>>, &'static str, u64, u64);

/// The possible targets, and the forms that patterns are compared with.
#[pyclass(frozen, module = "canfetch._native")]
pub struct TargetDomain {
    pub domain: Domain,
    pub forms: Vec<Form>,
}

/// Converts a pattern.
pub fn pattern(item: PatternItem, forms: &[Form]) -> PyResult<Pattern> {
    let (head, middles, anchored, form, grows) = item;
    if form >= forms.len() {
        return Err(PyValueError::new_err("invalid pattern: expected the index of a form"));
    }
    Ok(Pattern { head, middles, anchored, form, grows })
}

#[pymethods]
impl TargetDomain {
    #[new]
    #[pyo3(signature = (table, accepting, needs_query, classes, ordinary, order, forms, /))]
    #[allow(clippy::too_many_arguments)] // The fields of the Python class.
    fn new(
        table: Vec<u16>,
        accepting: Vec<bool>,
        needs_query: Vec<bool>,
        classes: Option<Vec<Vec<u8>>>,
        ordinary: Vec<u8>,
        order: Vec<u8>,
        forms: Vec<(Vec<bool>, Vec<bool>)>,
    ) -> PyResult<Self> {
        let places = accepting.len();
        let tables_match = table.len() == 256 * places && needs_query.len() == places;
        if !tables_match || forms.iter().any(|(path, query)| path.len() != 256 || query.len() != 256) {
            return Err(PyValueError::new_err("invalid domain: expected 256 places for each place"));
        }
        let forms = forms.into_iter().map(|(in_path, in_query)| Form { in_path, in_query }).collect();
        Ok(Self { domain: Domain { table, accepting, needs_query, classes, ordinary, order }, forms })
    }

    /// Returns up to `most` shortest targets with wanted decisions. The interpreter's lock is released meanwhile.
    #[pyo3(signature = (patterns, sides, wanted, most, steps, /))]
    fn search<'py>(
        &self,
        py: Python<'py>,
        patterns: Vec<PatternItem>,
        sides: Vec<SideItem>,
        wanted: u16,
        most: usize,
        steps: u64,
    ) -> PyResult<Found<'py>> {
        if sides.is_empty()
            || sides.len() > canfetch_core::compare::MAX_RULE_LISTS
            || sides.iter().any(|(values, _, _)| values.len() != patterns.len())
        {
            return Err(PyValueError::new_err("invalid search: expected a decision of each side for each pattern"));
        }
        let patterns = patterns.into_iter().map(|item| pattern(item, &self.forms)).collect::<PyResult<Vec<_>>>()?;
        let sides =
            sides.into_iter().map(|(values, default, longest_match)| RuleList { values, default, longest_match });
        let sides = sides.collect();
        let mut budget = Budget { steps, states: 0 };
        let outcome = py.detach(|| {
            Search::new(patterns.iter().collect(), &self.forms, sides, wanted).targets(&self.domain, most, &mut budget)
        });
        let (targets, status) = match outcome {
            Outcome::Targets(targets) => (Some(targets), "found"),
            Outcome::TooLarge => (None, "too large"),
            Outcome::NoOrdinaryByte => (None, "no ordinary byte"),
        };
        let targets = targets.map(|targets| targets.iter().map(|target| PyBytes::new(py, target)).collect());
        Ok((targets, status, budget.states, budget.steps))
    }
}
