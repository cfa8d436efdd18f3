//! `CompiledFile`: a file that is parsed once.

use canfetch_core::{CompiledFile as Compiled, Rule, Span};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::bound_rules::BoundRules;
use crate::file_contents::FileContents;
use crate::tokens::with_tokens;

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
