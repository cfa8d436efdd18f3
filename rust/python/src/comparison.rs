//! The patterns and the possible targets of `canfetch.compare`.

use canfetch::engine::compare::{Domain, Form, Pattern};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Head, segments, whether anchored, and index of the form.
pub type PatternItem = (Vec<u8>, Vec<Vec<u8>>, bool, usize);

/// The possible targets, and the forms that patterns are compared with.
#[pyclass(frozen, module = "canfetch._native")]
pub struct TargetDomain {
    pub domain: Domain,
    pub forms: Vec<Form>,
}

/// Converts a pattern.
pub fn pattern(item: PatternItem, forms: &[Form]) -> PyResult<Pattern> {
    let (head, middles, anchored, form) = item;
    if form >= forms.len() {
        return Err(PyValueError::new_err("invalid pattern: expected the index of a form"));
    }
    Ok(Pattern { head, middles, anchored, form })
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
}
