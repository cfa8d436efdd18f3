//! `canfetch.Rule` objects for the rules that match.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use canfetch::engine::Match;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::file_contents::FileContents;

/// The maximum number of shared objects. A few rules match most URLs of a site.
const SHARED_LIMIT: usize = 64;

/// Creates the `Rule` of a match, and shares it with later matches of the same rule.
#[derive(Default)]
pub struct RuleObjects {
    shared: Mutex<HashMap<(u32, u32), Py<PyAny>>>,
}

impl RuleObjects {
    /// The `Rule` of each match.
    pub fn get<'py>(
        &self,
        py: Python<'py>,
        file: &FileContents,
        matches: &[Match],
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if matches.is_empty() {
            return Ok(Vec::new());
        }
        let mut rules = Vec::with_capacity(matches.len());
        for &found in matches {
            let key = (found.rule, found.specificity);
            let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(rule) = shared.get(&key) {
                rules.push(rule.bind(py).clone());
                continue;
            }
            // Creating an object may run other threads, which must find the lock free.
            drop(shared);
            let rule = create(py, file, found)?;
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.len() < SHARED_LIMIT {
                shared.insert(key, rule.clone().unbind());
            }
            rules.push(rule);
        }
        Ok(rules)
    }
}

fn create<'py>(py: Python<'py>, file: &FileContents, found: Match) -> PyResult<Bound<'py, PyAny>> {
    static RULE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = RULE.import(py, "canfetch.core.verdict", "Rule")?;
    // A named tuple: its own constructor is written in Python and slower.
    let new = NEW.get_or_try_init(py, || py.get_type::<PyTuple>().getattr("__new__").map(Bound::unbind))?;
    let rule = file.compiled().groups().rules().at(found.rule as usize);
    let value = PyBytes::new(py, rule.value.of(file.bytes(py)));
    new.bind(py).call1((class, (rule.allow(), value, rule.line(), found.specificity)))
}
