//! `BoundRules`: a file's rules for one agent, the hot path.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use canfetch_core::{Choice, File, RuleSet, as_written, has_origin, locate, target};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::compiled_file::{CompiledFile, MatchItem};
use crate::urls::{octets, rejection};

/// URLs that are held at once by `allows_many`.
const CHUNK: usize = 4096;

/// A file's rules, bound to one agent.
#[pyclass(frozen, module = "canfetch._native")]
pub struct BoundRules {
    file: Py<CompiledFile>,
    rules: Arc<RuleSet>,
    choice: Choice,
    origin: Option<Box<[u8]>>,
    /// Where no origin is given: the first that was asked about. It is valid, and nearly every URL begins with it.
    seen: OnceLock<Box<[u8]>>,
    check_origin: Option<Py<PyAny>>,
}

/// A URL that can be asked about.
struct Question {
    /// Where its path begins.
    path: usize,
    /// Whether Python has to say if the file rules over its origin.
    foreign: bool,
}

/// An answer found without the interpreter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Allowed,
    Disallowed,
    /// The answer holds if the file rules over the URL's origin.
    Foreign {
        allowed: bool,
    },
    Invalid,
}

/// The answer to `decide`: allowed, reason, deciding rule, target.
type Decision<'py> = (bool, &'static str, Option<MatchItem<'py>>, Bound<'py, PyBytes>);

impl BoundRules {
    /// Binds rules.
    pub fn new(
        file: Py<CompiledFile>,
        rules: Arc<RuleSet>,
        choice: Choice,
        origin: Option<Box<[u8]>>,
        check_origin: Option<Py<PyAny>>,
    ) -> Self {
        Self { file, rules, choice, origin, seen: OnceLock::new(), check_origin }
    }

    /// The URL's validity and origin; `None` if it is invalid.
    #[inline]
    fn question(&self, url: &[u8]) -> Option<Question> {
        match self.origin.as_ref().or_else(|| self.seen.get()) {
            Some(origin) if has_origin(url, origin) => Some(Question { path: origin.len(), foreign: false }),
            _ => self.other_question(url),
        }
    }

    /// The same for a URL that does not begin as expected.
    fn other_question(&self, url: &[u8]) -> Option<Question> {
        let located = locate(url)?;
        if located.has_authority && self.origin.is_none() {
            // Another thread may have been first, which is as well.
            self.seen.get_or_init(|| url[..located.path].into());
        }
        Some(Question { path: located.path, foreign: located.has_authority && self.origin.is_some() })
    }

    /// The target of a URL that is valid and whose origin is the file's, or the error that Python raises.
    fn target<'u>(&self, url: &Bound<'_, PyAny>, octets: &'u [u8]) -> PyResult<Cow<'u, [u8]>> {
        let Some(question) = self.question(octets) else { return Err(rejection(url, None)) };
        if question.foreign {
            self.check(url, None)?;
        }
        Ok(target(octets, question.path, self.file.get().profile()))
    }

    #[cold]
    fn check(&self, url: &Bound<'_, PyAny>, index: Option<usize>) -> PyResult<()> {
        match &self.check_origin {
            Some(check) => check.call1(url.py(), (url, index)).map(drop),
            None => Ok(()),
        }
    }

    /// The answer for one URL of many, without the interpreter.
    fn answer(&self, file: File<'_>, url: &[u8]) -> Answer {
        let Some(question) = self.question(url) else { return Answer::Invalid };
        let allowed = self.rules.allows(file, &target(url, question.path, file.profile));
        match (question.foreign, allowed) {
            (true, allowed) => Answer::Foreign { allowed },
            (false, true) => Answer::Allowed,
            (false, false) => Answer::Disallowed,
        }
    }

    /// Answers for a chunk of URLs, appended to those before.
    fn answer_chunk(&self, py: Python<'_>, urls: &[Bound<'_, PyAny>], answers: &mut Vec<bool>) -> PyResult<()> {
        let mut texts = Vec::with_capacity(urls.len());
        for url in urls {
            match octets(url)? {
                Some(octets) => texts.push(octets),
                None => break,
            }
        }
        let file = self.file.get().file(py);
        let decided: Vec<Answer> = py.detach(|| {
            self.rules.expect(file, texts.len());
            texts.iter().map(|url| self.answer(file, url)).collect()
        });
        for (url, answer) in urls.iter().zip(&decided) {
            answers.push(match *answer {
                Answer::Allowed => true,
                Answer::Disallowed => false,
                Answer::Foreign { allowed } => {
                    self.check(url, Some(answers.len()))?;
                    allowed
                }
                Answer::Invalid => return Err(rejection(url, Some(answers.len()))),
            });
        }
        match urls.get(decided.len()) {
            Some(neither_str_nor_bytes) => Err(rejection(neither_str_nor_bytes, Some(answers.len()))),
            None => Ok(()),
        }
    }
}

#[pymethods]
impl BoundRules {
    /// How the groups were chosen.
    #[getter]
    fn choice(&self) -> &'static str {
        match self.choice {
            Choice::OwnToken => "own-token",
            Choice::Fallback(_) => "fallback",
            Choice::Star => "star",
            Choice::None => "none",
        }
    }

    /// The place of the deciding token in the agent's chain, -1 if none decided.
    #[getter]
    fn token_index(&self) -> i64 {
        match self.choice {
            Choice::OwnToken => 0,
            Choice::Fallback(place) => i64::try_from(place).unwrap_or(i64::MAX),
            Choice::Star | Choice::None => -1,
        }
    }

    /// The groups, in file order.
    #[getter]
    fn group_indices(&self) -> Vec<u32> {
        self.rules.groups().to_vec()
    }

    /// How many rules these groups have.
    #[getter]
    fn rule_count(&self) -> usize {
        self.rules.rule_count()
    }

    /// Says whether the URL may be fetched.
    #[pyo3(signature = (url, /))]
    fn allows(&self, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Some(octets) = octets(url)? else { return Err(rejection(url, None)) };
        let target = self.target(url, &octets)?;
        Ok(self.rules.allows(self.file.get().file(url.py()), &target))
    }

    /// Says whether each URL may be fetched; the interpreter is free for others meanwhile.
    #[pyo3(signature = (urls, /))]
    fn allows_many<'py>(&self, urls: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = urls.py();
        let mut answers = Vec::new();
        let mut urls = urls.try_iter()?;
        let mut chunk = Vec::new();
        loop {
            let mut failure = None;
            for url in urls.by_ref().take(CHUNK) {
                match url {
                    Ok(url) => chunk.push(url),
                    Err(error) => {
                        failure = Some(error);
                        break;
                    }
                }
            }
            self.answer_chunk(py, &chunk, &mut answers)?;
            if let Some(error) = failure {
                return Err(error);
            }
            if chunk.len() < CHUNK {
                return PyList::new(py, answers);
            }
            chunk.clear();
        }
    }

    /// Says whether the URL may be fetched, and why.
    #[pyo3(signature = (url, /))]
    fn decide<'py>(&self, url: &Bound<'py, PyAny>) -> PyResult<Decision<'py>> {
        let py = url.py();
        let Some(octets) = octets(url)? else { return Err(rejection(url, None)) };
        let target = self.target(url, &octets)?;
        let file = self.file.get();
        let verdict = self.rules.decide(file.file(py), &target);
        let rule = verdict.rule.map(|found| file.match_item(py, found.rule, found.specificity));
        let target = if file.profile().literal_paths { Cow::Owned(as_written(&target)) } else { target };
        Ok((verdict.reason.allows(), verdict.reason.name(), rule, PyBytes::new(py, &target)))
    }

    /// Every rule that matches the URL, the deciding one first.
    #[pyo3(signature = (url, /))]
    fn matched<'py>(&self, url: &Bound<'py, PyAny>) -> PyResult<Vec<MatchItem<'py>>> {
        let py = url.py();
        let Some(octets) = octets(url)? else { return Err(rejection(url, None)) };
        let target = self.target(url, &octets)?;
        let file = self.file.get();
        let matches = self.rules.matched(file.file(py), &target);
        Ok(matches.iter().map(|found| file.match_item(py, found.rule, found.specificity)).collect())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.file)?;
        visit.call(&self.check_origin)
    }
}
