//! `OriginTable`: the origins in the memory of a client, and their answers for its agent.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use canfetch_core::{Located, locate};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::bound_rules::BoundRules;
use crate::columns::hashing::Hashing;
use crate::urls::str_bytes;

/// The length of the shortest name of an origin that decides here: `http://a`.
const SHORTEST_NAME: usize = 8;

type Origins = HashMap<Box<[u8]>, CachedOrigin, Hashing>;

/// The states of origins by name. `canfetch.client.origin_table` has the same class for the Python engine.
///
/// The lock is never held while Python code may run, which includes dropping a state.
#[pyclass(frozen, module = "canfetch._native")]
#[derive(Default)]
pub struct OriginTable {
    origins: RwLock<Origins>,
    /// The number of the last use.
    uses: AtomicU64,
    /// The uses that were no lookups.
    additions: AtomicU64,
}

/// A state, and what a decision needs of it. A new state of an origin replaces all of it.
struct CachedOrigin {
    state: Py<PyAny>,
    valid_from: f64,
    next_fetch_at: f64,
    last_used: AtomicU64,
    /// Set when the origin is first asked for an answer.
    answers: OnceLock<Answers>,
}

/// The answers of an origin for the agent of the client.
enum Answers {
    /// By rules.
    Rules(Py<BoundRules>),
    /// By a function: everything is allowed, or the Python engine decides.
    Function(Py<PyAny>),
    /// The answer depends on the time.
    Varying,
}

impl Answers {
    fn of(state: &Bound<'_, PyAny>) -> PyResult<Self> {
        let function = state.call_method0("own_allows")?;
        if function.is_none() {
            return Ok(Self::Varying);
        }
        match function.getattr("__self__").map(Bound::cast_into::<BoundRules>) {
            Ok(Ok(rules)) => Ok(Self::Rules(rules.unbind())),
            _ => Ok(Self::Function(function.unbind())),
        }
    }
}

impl OriginTable {
    fn read(&self) -> RwLockReadGuard<'_, Origins> {
        self.origins.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Origins> {
        self.origins.write().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn use_number(&self) -> u64 {
        self.uses.fetch_add(1, Relaxed) + 1
    }

    /// Returns a state and marks it as used.
    fn look_up(&self, py: Python<'_>, name: &[u8]) -> Option<Py<PyAny>> {
        let origins = self.read();
        let origin = origins.get(name)?;
        origin.last_used.store(self.use_number(), Relaxed);
        Some(origin.state.clone_ref(py))
    }

    /// Finds out how an origin answers, for later calls.
    #[cold]
    fn prepare(&self, py: Python<'_>, name: &[u8]) -> PyResult<()> {
        let Some(state) = self.read().get(name).map(|origin| origin.state.clone_ref(py)) else { return Ok(()) };
        let mut answers = Some(Answers::of(state.bind(py))?);
        let origins = self.read();
        match origins.get(name) {
            // Another thread may have replaced the state.
            Some(origin) if origin.state.is(&state) => {
                origin.answers.get_or_init(|| answers.take().unwrap_or(Answers::Varying));
            }
            _ => {}
        }
        drop(origins);
        Ok(())
    }
}

#[pymethods]
impl OriginTable {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Returns whether the agent of the client may fetch a URL, if its origin is cached, needs no fetch, and its
    /// answer does not depend on the time. Otherwise `None`, and the origin is not marked as used.
    #[pyo3(signature = (url, now, /))]
    fn allows(&self, url: &Bound<'_, PyAny>, now: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
        let py = url.py();
        let Some(text) = str_bytes(url) else { return Ok(None) };
        let (Some(name), Ok(now)) = (name_of(text), now.extract::<f64>()) else { return Ok(None) };
        let origins = self.read();
        let Some(origin) = origins.get(name) else { return Ok(None) };
        if !(origin.valid_from <= now && now < origin.next_fetch_at) {
            return Ok(None);
        }
        match origin.answers.get() {
            Some(Answers::Rules(rules)) => {
                let rules = rules.clone_ref(py);
                origin.last_used.store(self.use_number(), Relaxed);
                drop(origins);
                Ok(Some(rules.get().allows_path(py, text, name.len())))
            }
            Some(Answers::Function(function)) => {
                let function = function.clone_ref(py);
                origin.last_used.store(self.use_number(), Relaxed);
                drop(origins);
                function.call1(py, (url,))?.extract(py).map(Some)
            }
            Some(Answers::Varying) => Ok(None),
            None => {
                drop(origins);
                self.prepare(py, name)?;
                Ok(None)
            }
        }
    }

    /// Returns the state of the origin of a URL that begins with its name, and marks it as used.
    #[pyo3(signature = (url, /))]
    fn find(&self, url: &Bound<'_, PyAny>) -> Option<Py<PyAny>> {
        self.look_up(url.py(), name_of(str_bytes(url)?)?)
    }

    /// Returns the state of an origin, and marks it as used.
    #[pyo3(signature = (name, /))]
    fn get(&self, py: Python<'_>, name: &str) -> Option<Py<PyAny>> {
        self.look_up(py, name.as_bytes())
    }

    /// Adds or replaces the state of an origin. Returns the previous one, and the number of this use.
    #[pyo3(signature = (name, state, /))]
    fn put(&self, name: &str, state: &Bound<'_, PyAny>) -> PyResult<(Option<Py<PyAny>>, u64)> {
        let name = name.as_bytes();
        let (valid_from, next_fetch_at) =
            (state.getattr("valid_from")?.extract()?, state.getattr("next_fetch_at")?.extract()?);
        let answers = OnceLock::new();
        if locate(name) != Some(Located { has_authority: true, path: name.len() }) {
            // Not the name of an origin, so that a URL may not be split after it.
            _ = answers.set(Answers::Varying);
        }
        self.additions.fetch_add(1, Relaxed);
        let number = self.use_number();
        let origin = CachedOrigin {
            state: state.clone().unbind(),
            valid_from,
            next_fetch_at,
            last_used: AtomicU64::new(number),
            answers,
        };
        let previous = self.write().insert(name.into(), origin);
        Ok((previous.map(|origin| origin.state.clone_ref(state.py())), number))
    }

    /// Removes an origin, and returns its state.
    #[pyo3(signature = (name, /))]
    fn pop(&self, py: Python<'_>, name: &str) -> Option<Py<PyAny>> {
        let origin = self.write().remove(name.as_bytes());
        origin.map(|origin| origin.state.clone_ref(py))
    }

    /// Returns the number of the last use of an origin, or 0.
    #[pyo3(signature = (name, /))]
    fn last_used(&self, name: &str) -> u64 {
        self.read().get(name.as_bytes()).map_or(0, |origin| origin.last_used.load(Relaxed))
    }

    /// The number of lookups that found an origin.
    #[getter]
    fn hits(&self) -> u64 {
        let additions = self.additions.load(Relaxed);
        self.uses.load(Relaxed).saturating_sub(additions)
    }

    fn __len__(&self) -> usize {
        self.read().len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.read().contains_key(name.as_bytes())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Locked only while another thread changes the table, which is then not garbage.
        let Ok(origins) = self.origins.try_read() else { return Ok(()) };
        for origin in origins.values() {
            visit.call(&origin.state)?;
            match origin.answers.get() {
                Some(Answers::Rules(rules)) => visit.call(rules)?,
                Some(Answers::Function(function)) => visit.call(function)?,
                Some(Answers::Varying) | None => {}
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        let origins = std::mem::take(&mut *self.write());
        drop(origins);
    }
}

/// The text before the path of an `http` or `https` URL. No name of an origin if the URL is not in canonical form.
#[inline]
fn name_of(url: &[u8]) -> Option<&[u8]> {
    let host = url.get(SHORTEST_NAME..)?;
    host.iter().position(|&byte| byte == b'/').map(|slash| &url[..SHORTEST_NAME + slash])
}
