//! `CompiledFile`: one file, read once.

use std::sync::Arc;

use canfetch_core::{CompiledFile as Contents, File, Groups, Rule, RuleSet, Span, tables::Profile};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};

use crate::bound_rules::BoundRules;

/// A token and its line.
type AgentItem<'py> = (Bound<'py, PyBytes>, u32);
/// Whether it allows, its value as written, its line.
type RuleItem<'py> = (bool, Bound<'py, PyBytes>, u32);
/// Whether it allows, its value as written, its line, its specificity.
pub type MatchItem<'py> = (bool, Bound<'py, PyBytes>, u32, u32);
/// Line, kind, key and value spans, group.
type OtherItem = (u32, u8, usize, usize, usize, usize, i64);

/// A file's groups and records, and the rule sets that agents asked for.
#[pyclass(frozen, module = "canfetch._native")]
pub struct CompiledFile {
    octets: Py<PyBytes>,
    contents: Contents,
}

impl CompiledFile {
    /// Reads a file.
    pub fn new(octets: &Bound<'_, PyBytes>, profile: &'static Profile) -> Self {
        Self { contents: Contents::new(octets.as_bytes(), profile), octets: octets.clone().unbind() }
    }

    /// What a decision needs.
    #[inline]
    pub fn file<'a>(&'a self, py: Python<'_>) -> File<'a> {
        self.contents.file(self.octets.as_bytes(py))
    }

    /// Whose reading it is.
    #[inline]
    pub fn profile(&self) -> &'static Profile {
        self.contents.profile()
    }

    /// A matching rule, as Python sees it.
    pub fn match_item<'py>(&self, py: Python<'py>, rule: u32, specificity: u32) -> MatchItem<'py> {
        let (allow, value, line) = self.rule_item(py, self.groups().rules()[rule as usize]);
        (allow, value, line, specificity)
    }

    fn rule_item<'py>(&self, py: Python<'py>, rule: Rule) -> RuleItem<'py> {
        (rule.allow(), self.copy(py, rule.value), rule.line())
    }

    fn copy<'py>(&self, py: Python<'py>, span: Span) -> Bound<'py, PyBytes> {
        PyBytes::new(py, span.of(self.octets.as_bytes(py)))
    }

    fn groups(&self) -> &Groups {
        self.contents.groups()
    }
}

#[pymethods]
impl CompiledFile {
    /// Each group's user-agent lines and rules, void and empty ones included, as written.
    fn group_table<'py>(&self, py: Python<'py>) -> Vec<(Vec<AgentItem<'py>>, Vec<RuleItem<'py>>)> {
        let groups = self.groups();
        (0..groups.len() as u32)
            .map(|group| {
                let agents = groups.agents_of(group).iter().map(|agent| (self.copy(py, agent.token), agent.line));
                let rules = groups.rules()[groups.rules_of(group)].iter().map(|&rule| self.rule_item(py, rule));
                (agents.collect(), rules.collect())
            })
            .collect()
    }

    /// The records that are neither user-agent lines nor rules, as spans of the octets.
    fn other_records(&self) -> Vec<OtherItem> {
        let others = self.groups().others().iter();
        others
            .map(|other| {
                let (key, value) = (other.key.bounds(), other.value.bounds());
                let group = other.group().map_or(-1, i64::from);
                (other.line(), u8::from(other.is_sitemap()), key.0, key.1, value.0, value.1, group)
            })
            .collect()
    }

    /// The rules for an agent: its product tokens in order, and whether `*` applies to it.
    #[pyo3(signature = (tokens, star_applies, origin_prefix, check_origin, /))]
    fn bind(
        slf: &Bound<'_, Self>,
        tokens: &Bound<'_, PyTuple>,
        star_applies: bool,
        origin_prefix: Option<&[u8]>,
        check_origin: Option<Py<PyAny>>,
    ) -> PyResult<BoundRules> {
        let file = slf.get();
        let octets = file.octets.as_bytes(slf.py());
        let selection = if tokens.len() == 1 {
            // Nearly always; the copies that a chain needs are spared.
            let token = tokens.get_item(0)?;
            file.contents.select(octets, &[token.cast::<PyBytes>()?.as_bytes()], star_applies)
        } else {
            let tokens: Vec<PyBackedBytes> = tokens.extract()?;
            file.contents.select(octets, &tokens, star_applies)
        };
        let rules: Arc<RuleSet> = file.contents.rule_set(&selection.groups);
        let origin = origin_prefix.map(Into::into);
        Ok(BoundRules::new(slf.clone().unbind(), rules, selection.choice, origin, check_origin))
    }

    fn __sizeof__(&self) -> usize {
        size_of::<Self>() - size_of::<Contents>() + self.contents.memory_bytes()
    }
}
