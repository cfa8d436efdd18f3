//! The classes of `canfetch.core.contract`: a file that is parsed once, and its rules for one agent, the hot path.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use canfetch::engine::tables::Profile;
use canfetch::engine::{
    Choice, CompiledFile as Compiled, File, Rule, RuleSet, Span, has_origin, locate, target, unescape_literal,
};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::file_contents::FileContents;
use crate::rule_objects::RuleObjects;
use crate::tokens::with_tokens;
use crate::urls::{invalid_url, str_bytes, url_bytes};

/// A token and its line.
type AgentItem<'py> = (Bound<'py, PyBytes>, u32);
/// Whether a rule allows, its value as written, and its line.
type RuleItem<'py> = (bool, Bound<'py, PyBytes>, u32);
/// Line, kind, spans of key and value, and group of another record.
type OtherItem = (u32, u8, usize, usize, usize, usize, i64);

/// A file's groups and records, and the rule sets of its agents.
#[pyclass(frozen, module = "canfetch._native")]
pub struct CompiledFile {
    contents: FileContents,
}

impl CompiledFile {
    /// Wraps a parsed file.
    pub fn new(contents: FileContents) -> Self {
        Self { contents }
    }

    /// The parsed file and its bytes.
    #[inline]
    pub fn contents(&self) -> &FileContents {
        &self.contents
    }

    fn rule_item<'py>(&self, py: Python<'py>, rule: Rule) -> RuleItem<'py> {
        (rule.allow(), self.copy(py, rule.value), rule.line())
    }

    fn copy<'py>(&self, py: Python<'py>, span: Span) -> Bound<'py, PyBytes> {
        PyBytes::new(py, span.of(self.contents.bytes(py)))
    }
}

#[pymethods]
impl CompiledFile {
    /// Returns the user-agent lines and rules of each group as written, void and empty rules included.
    fn group_table<'py>(&self, py: Python<'py>) -> Vec<(Vec<AgentItem<'py>>, Vec<RuleItem<'py>>)> {
        let groups = self.contents.compiled().groups();
        (0..groups.len() as u32)
            .map(|group| {
                let agents = groups.agents_of(group).iter().map(|agent| (self.copy(py, agent.token), agent.line));
                let rules = groups.rules().range(groups.rules_of(group)).iter().map(|rule| self.rule_item(py, rule));
                (agents.collect(), rules.collect())
            })
            .collect()
    }

    /// Returns the records that are neither user-agent lines nor rules, as spans of the content.
    fn other_records(&self, py: Python<'_>) -> Vec<OtherItem> {
        let others = self.contents.compiled().others(self.contents.bytes(py)).iter();
        others
            .map(|other| {
                let (key, value) = (other.key.bounds(), other.value.bounds());
                let group = other.group().map_or(-1, i64::from);
                (other.line(), u8::from(other.is_sitemap()), key.0, key.1, value.0, value.1, group)
            })
            .collect()
    }

    /// Binds the rules to an agent: its product tokens in order, and whether `*` applies to it.
    #[pyo3(signature = (tokens, star_applies, origin_prefix, check_origin, /))]
    fn bind(
        slf: &Bound<'_, Self>,
        tokens: &Bound<'_, PyTuple>,
        star_applies: bool,
        origin_prefix: Option<&[u8]>,
        check_origin: Option<Py<PyAny>>,
    ) -> PyResult<BoundRules> {
        let contents = slf.get().contents();
        let compiled = contents.compiled();
        let content = contents.bytes(tokens.py());
        let selection = with_tokens(tokens, |tokens| compiled.select(content, tokens, star_applies))?;
        let rules = compiled.rule_set(&selection.groups);
        let origin = origin_prefix.map(Into::into);
        Ok(BoundRules::new(slf.clone().unbind(), rules, selection.choice, origin, check_origin))
    }

    fn __sizeof__(&self) -> usize {
        size_of::<Self>() - size_of::<Compiled>() + self.contents.compiled().memory_bytes()
    }
}

/// URLs that `allows_many` holds at once.
const CHUNK: usize = 4096;

/// A file's rules, bound to one agent.
#[pyclass(frozen, module = "canfetch._native")]
pub struct BoundRules {
    file: Py<CompiledFile>,
    rules: Arc<RuleSet>,
    rule_objects: RuleObjects,
    choice: Choice,
    origin: Option<Box<[u8]>>,
    /// The origin of the first URL, if the file has none: valid, and nearly always the origin of the next URL too.
    seen_origin: OnceLock<Box<[u8]>>,
    check_origin: Option<Py<PyAny>>,
}

/// A valid URL.
struct ValidURL {
    /// Where its path begins.
    path: usize,
    /// Whether its origin still has to be compared with the file's, in Python.
    foreign: bool,
}

/// An answer found without the interpreter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Allowed,
    Disallowed,
    /// The answer holds if the file governs the origin of the URL.
    Foreign {
        allowed: bool,
    },
    Invalid,
}

/// Whether the URL may be fetched, the reason, the deciding rule, the other rules that match, and the target.
type Decision<'py> = (bool, &'static str, Option<Bound<'py, PyAny>>, Bound<'py, PyTuple>, Bound<'py, PyBytes>);

impl BoundRules {
    /// Binds rules.
    pub fn new(
        file: Py<CompiledFile>,
        rules: Arc<RuleSet>,
        choice: Choice,
        origin: Option<Box<[u8]>>,
        check_origin: Option<Py<PyAny>>,
    ) -> Self {
        let (rule_objects, seen_origin) = (RuleObjects::default(), OnceLock::new());
        Self { file, rules, rule_objects, choice, origin, seen_origin, check_origin }
    }

    #[inline]
    fn contents(&self) -> &FileContents {
        self.file.get().contents()
    }

    /// Returns whether a URL of the file's origin may be fetched. Its path begins at `path`.
    #[inline]
    pub fn allows_path(&self, py: Python<'_>, url: &[u8], path: usize) -> bool {
        let contents = self.contents();
        let target = target(url, path, contents.profile());
        // The index needs no access to the Python object that holds the bytes of the file.
        let indexed = self.rules.allows_by_index(contents.profile(), &target);
        indexed.unwrap_or_else(|| self.rules.allows(contents.file(py), &target))
    }

    /// Whether the rules have an index, so that they decide without the file.
    pub fn is_indexed(&self) -> bool {
        self.rules.is_indexed()
    }

    /// The rules, and the profile of the file.
    pub fn shared_rules(&self) -> (Arc<RuleSet>, &'static Profile) {
        (Arc::clone(&self.rules), self.contents().profile())
    }

    /// Returns where the path of a URL begins, if the URL begins with the expected origin.
    #[inline]
    fn path_of(&self, url: &[u8]) -> Option<usize> {
        let origin = self.origin.as_ref().or_else(|| self.seen_origin.get())?;
        has_origin(url, origin).then_some(origin.len())
    }

    /// Validates a URL and compares its origin; `None` if it is invalid.
    #[inline]
    fn validate(&self, url: &[u8]) -> Option<ValidURL> {
        match self.path_of(url) {
            Some(path) => Some(ValidURL { path, foreign: false }),
            None => self.validate_other(url),
        }
    }

    /// Validates a URL that does not begin with the expected origin.
    fn validate_other(&self, url: &[u8]) -> Option<ValidURL> {
        let located = locate(url)?;
        if located.has_authority && self.origin.is_none() {
            // Another thread may set it first; any origin will do.
            self.seen_origin.get_or_init(|| url[..located.path].into());
        }
        Some(ValidURL { path: located.path, foreign: located.has_authority && self.origin.is_some() })
    }

    /// Returns the target of a URL, or raises if the URL is invalid or its origin is not the file's.
    fn target<'u>(&self, url: &Bound<'_, PyAny>, bytes: &'u [u8]) -> PyResult<Cow<'u, [u8]>> {
        let Some(valid) = self.validate(bytes) else { return Err(invalid_url(url, None)) };
        if valid.foreign {
            self.check(url, None)?;
        }
        Ok(target(bytes, valid.path, self.contents().profile()))
    }

    #[cold]
    fn check(&self, url: &Bound<'_, PyAny>, index: Option<usize>) -> PyResult<()> {
        match &self.check_origin {
            Some(check) => check.call1(url.py(), (url, index)).map(drop),
            None => Ok(()),
        }
    }

    /// Answers one URL of many, without the interpreter.
    fn answer(&self, file: File<'_>, url: &[u8]) -> Answer {
        let Some(valid) = self.validate(url) else { return Answer::Invalid };
        let allowed = self.rules.allows(file, &target(url, valid.path, file.profile));
        match (valid.foreign, allowed) {
            (true, allowed) => Answer::Foreign { allowed },
            (false, true) => Answer::Allowed,
            (false, false) => Answer::Disallowed,
        }
    }

    /// Appends the answers for a chunk of URLs.
    fn answer_chunk(&self, py: Python<'_>, urls: &[Bound<'_, PyAny>], answers: &mut Vec<bool>) -> PyResult<()> {
        let mut texts = Vec::with_capacity(urls.len());
        let mut failure = None;
        for url in urls {
            match url_bytes(url, Some(answers.len() + texts.len())) {
                Ok(bytes) => texts.push(bytes),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        let file = self.contents().file(py);
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
                Answer::Invalid => return Err(invalid_url(url, Some(answers.len()))),
            });
        }
        // After the URLs before it, one of which may be invalid.
        failure.map_or(Ok(()), Err)
    }
}

#[pymethods]
impl BoundRules {
    /// How the groups were selected.
    #[getter]
    fn choice(&self) -> &'static str {
        match self.choice {
            Choice::OwnToken => "own-token",
            Choice::Fallback(_) => "fallback",
            Choice::Star => "star",
            Choice::None => "none",
        }
    }

    /// The index of the token that selected them, or -1.
    #[getter]
    fn token_index(&self) -> i64 {
        match self.choice {
            Choice::OwnToken => 0,
            Choice::Fallback(index) => i64::try_from(index).unwrap_or(i64::MAX),
            Choice::Star | Choice::None => -1,
        }
    }

    /// The indices of the groups, in file order.
    #[getter]
    fn group_indices(&self) -> Vec<u32> {
        self.rules.groups().to_vec()
    }

    /// The number of rules in the selected groups.
    #[getter]
    fn rule_count(&self) -> usize {
        self.rules.rule_count()
    }

    /// Returns whether the URL may be fetched.
    #[pyo3(signature = (url, /))]
    fn allows(&self, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        let usual = str_bytes(url).and_then(|text| Some((text, self.path_of(text)?)));
        if let Some((text, path)) = usual {
            return Ok(self.allows_path(url.py(), text, path));
        }
        let bytes = url_bytes(url, None)?;
        let target = self.target(url, &bytes)?;
        Ok(self.rules.allows(self.contents().file(url.py()), &target))
    }

    /// Returns whether each URL may be fetched. The interpreter's lock is released meanwhile.
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

    /// Returns whether the URL may be fetched, why, the deciding rule, the other rules that match, and the target.
    #[pyo3(signature = (url, /))]
    fn decide<'py>(&self, url: &Bound<'py, PyAny>) -> PyResult<Decision<'py>> {
        let py = url.py();
        let bytes = url_bytes(url, None)?;
        let target = self.target(url, &bytes)?;
        let explanation = self.rules.explain(self.contents().file(py), &target);
        let reason = explanation.verdict.reason;
        let mut matches = self.rule_objects.get(py, self.contents(), &explanation.matches)?.into_iter();
        let rule = explanation.verdict.rule.and_then(|_| matches.next());
        let others = PyTuple::new(py, matches)?;
        let target =
            if self.contents().profile().literal_paths { Cow::Owned(unescape_literal(&target)) } else { target };
        Ok((reason.allows(), reason.name(), rule, others, PyBytes::new(py, &target)))
    }

    /// Returns whether the URL may be fetched, and the deciding rule.
    #[pyo3(signature = (url, /))]
    fn deciding_rule<'py>(&self, url: &Bound<'py, PyAny>) -> PyResult<(bool, Option<Bound<'py, PyAny>>)> {
        let py = url.py();
        let bytes = url_bytes(url, None)?;
        let target = self.target(url, &bytes)?;
        let verdict = self.rules.decide(self.contents().file(py), &target);
        let rule = self.rule_objects.get(py, self.contents(), verdict.rule.as_slice())?.pop();
        Ok((verdict.reason.allows(), rule))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.check_origin)
    }
}
