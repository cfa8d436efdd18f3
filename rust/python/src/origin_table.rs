//! `OriginTable`: the origins in the memory of a client, and their answers for its agent.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use canfetch::engine::{Located, locate};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::columns::hashing::Hashing;
use crate::contract::BoundRules;
use crate::counter::Counter;
use crate::fresh_answers::{Decider, FreshAnswer, FreshAnswers};
use crate::urls::str_bytes;

/// The length of the shortest name of an origin that decides here: `http://a`.
const SHORTEST_NAME: usize = 8;

type Origins = HashMap<Box<[u8]>, CachedOrigin, Hashing>;

/// The states of origins by name. `canfetch.client.origin_table` has the same class for the Python engine.
///
/// Nearly all calls are answered by `fresh`, whose readers take no lock, change no reference count and write to no
/// memory that other threads read. The lock of the states is never held while Python code may run, which includes
/// dropping a state.
#[pyclass(frozen, module = "canfetch._native")]
#[derive(Default)]
pub struct OriginTable {
    /// Changed only under the lock of the states, so that no answer outlives its state.
    fresh: FreshAnswers,
    /// The time of uses: the number of additions and of lookups of states. Answers do not advance it.
    time: AtomicU64,
    hits: Counter,
    origins: RwLock<Origins>,
}

/// A state, and what a decision needs of it. A new state of an origin replaces all of it.
struct CachedOrigin {
    state: Py<PyAny>,
    valid_from: f64,
    next_fetch_at: f64,
    last_used: AtomicU64,
    /// Set when an answer about the origin is first needed.
    answers: OnceLock<Answers>,
}

/// The answers of an origin for the agent of the client.
enum Answers {
    /// By rules.
    Rules(Py<BoundRules>),
    /// Everything is allowed.
    Everything,
    /// By a function: the Python engine decides.
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
        if let Ok(Ok(rules)) = function.getattr("__self__").map(Bound::cast_into::<BoundRules>) {
            return Ok(Self::Rules(rules.unbind()));
        }
        let always_true = state.py().import("canfetch.client.origin_state")?.getattr("always_true")?;
        Ok(if function.is(&always_true) { Self::Everything } else { Self::Function(function.unbind()) })
    }

    /// Returns the rules or the answer that decide without Python, if there are any.
    fn decider(&self) -> Option<Decider> {
        match self {
            Self::Rules(rules) if rules.get().is_indexed() => {
                let (rules, profile) = rules.get().shared_rules();
                Some(Decider::Rules(rules, profile))
            }
            Self::Everything => Some(Decider::Everything),
            Self::Rules(_) | Self::Function(_) | Self::Varying => None,
        }
    }
}

impl CachedOrigin {
    fn is_fresh(&self, now: f64) -> bool {
        self.valid_from <= now && now < self.next_fetch_at
    }
}

impl OriginTable {
    fn read(&self) -> RwLockReadGuard<'_, Origins> {
        self.origins.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Origins> {
        self.origins.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Advances the time of uses.
    fn next_time(&self) -> u64 {
        self.time.fetch_add(1, Relaxed) + 1
    }

    /// Marks an origin as used at the present time.
    #[inline]
    fn mark(&self, last_used: &AtomicU64) {
        let time = self.time.load(Relaxed);
        // Written only if the time has advanced, so that threads can share the memory.
        if last_used.load(Relaxed) != time {
            last_used.store(time, Relaxed);
        }
    }

    /// Returns a state and marks it as used.
    fn look_up(&self, py: Python<'_>, name: &[u8]) -> Option<Py<PyAny>> {
        let origins = self.read();
        let origin = origins.get(name)?;
        self.next_time();
        self.hits.increment();
        self.mark(&origin.last_used);
        Some(origin.state.clone_ref(py))
    }

    /// Returns whether a URL of a fresh origin may be fetched, if that takes neither the states nor Python.
    #[inline]
    fn allows_fresh(&self, url: &[u8], name: &[u8], now: f64) -> Option<bool> {
        self.fresh.with(name, |answer, thread| {
            let allowed = answer.allows(url, name.len(), now)?;
            self.hits.increment_by(thread);
            self.mark(&answer.last_used);
            Some(allowed)
        })
    }

    /// Returns whether a URL of an origin may be fetched, by the state of the origin.
    fn allows_by_state(&self, url: &Bound<'_, PyAny>, text: &[u8], name: &[u8], now: f64) -> PyResult<Option<bool>> {
        let py = url.py();
        let origins = self.read();
        let Some(origin) = origins.get(name).filter(|origin| origin.is_fresh(now)) else { return Ok(None) };
        match origin.answers.get() {
            Some(Answers::Rules(rules)) => {
                let rules = rules.clone_ref(py);
                self.hits.increment();
                self.mark(&origin.last_used);
                drop(origins);
                let allowed = rules.get().allows_path(py, text, name.len());
                if rules.get().is_indexed() {
                    self.add_fresh_answer(name);
                }
                Ok(Some(allowed))
            }
            Some(Answers::Function(function)) => {
                let function = function.clone_ref(py);
                self.hits.increment();
                self.mark(&origin.last_used);
                drop(origins);
                function.call1(py, (url,))?.extract(py).map(Some)
            }
            Some(Answers::Everything | Answers::Varying) => Ok(None),
            None => {
                drop(origins);
                self.prepare(py, name)?;
                Ok(None)
            }
        }
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
        self.add_fresh_answer(name);
        Ok(())
    }

    /// Makes the answers of an origin available without the lock, if they need no Python by now.
    fn add_fresh_answer(&self, name: &[u8]) {
        let origins = self.read();
        let Some(origin) = origins.get(name) else { return };
        if let Some(decider) = origin.answers.get().and_then(Answers::decider) {
            let last_used = AtomicU64::new(origin.last_used.load(Relaxed));
            let (valid_from, next_fetch_at) = (origin.valid_from, origin.next_fetch_at);
            self.fresh.insert(name, FreshAnswer { valid_from, next_fetch_at, decider, last_used });
        }
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
        let Some(text) = str_bytes(url) else { return Ok(None) };
        let (Some(name), Ok(now)) = (name_of(text), now.extract::<f64>()) else { return Ok(None) };
        match self.allows_fresh(text, name, now) {
            Some(allowed) => Ok(Some(allowed)),
            None => self.allows_by_state(url, text, name, now),
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

    /// Adds or replaces the state of an origin. Returns the previous one, and the time of this use.
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
        let time = self.next_time();
        let last_used = AtomicU64::new(time);
        let origin = CachedOrigin { state: state.clone().unbind(), valid_from, next_fetch_at, last_used, answers };
        let mut origins = self.write();
        self.fresh.remove(name);
        let previous = origins.insert(name.into(), origin);
        drop(origins);
        Ok((previous.map(|origin| origin.state.clone_ref(state.py())), time))
    }

    /// Removes an origin, and returns its state.
    #[pyo3(signature = (name, /))]
    fn pop(&self, py: Python<'_>, name: &str) -> Option<Py<PyAny>> {
        let mut origins = self.write();
        self.fresh.remove(name.as_bytes());
        let origin = origins.remove(name.as_bytes());
        drop(origins);
        origin.map(|origin| origin.state.clone_ref(py))
    }

    /// Returns the time of the last use of an origin, or 0.
    #[pyo3(signature = (name, /))]
    fn last_used(&self, name: &str) -> u64 {
        let name = name.as_bytes();
        let by_state = self.read().get(name).map_or(0, |origin| origin.last_used.load(Relaxed));
        let by_answer = self.fresh.with(name, |answer, _| Some(answer.last_used.load(Relaxed)));
        by_state.max(by_answer.unwrap_or(0))
    }

    /// The number of lookups that found an origin.
    #[getter]
    fn hits(&self) -> u64 {
        self.hits.get()
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
                Some(Answers::Everything | Answers::Varying) | None => {}
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        let mut origins = self.write();
        self.fresh.clear();
        let ended = std::mem::take(&mut *origins);
        drop(origins);
        drop(ended);
    }
}

/// The text before the path of an `http` or `https` URL. No name of an origin if the URL is not in canonical form.
#[inline]
fn name_of(url: &[u8]) -> Option<&[u8]> {
    let host = url.get(SHORTEST_NAME..)?;
    host.iter().position(|&byte| byte == b'/').map(|slash| &url[..SHORTEST_NAME + slash])
}
