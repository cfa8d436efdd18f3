//! The answers of a call, as columns.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;

use canfetch::engine::{Match, RuleSet, Verdict};
use pyo3::prelude::*;

use super::block::{Block, Place, Placed};
use super::rule_texts::CutRule;
use super::tables::Tables;
use crate::arrow::Invalid;
use crate::arrow::array::{Array, Bits, Data, Texts};

/// Plans of a matrix that are kept.
const PLANS_LIMIT: usize = 4096;

/// Collects the answers of all rows, in order.
pub trait Results: Send {
    /// The number of rows of a column that only these results read.
    fn column_length(&self) -> Option<usize> {
        None
    }
    /// Prepares for the decisions about a block of rows, with the number of its first row.
    fn begin(&mut self, first: usize, rows: usize);
    /// Returns how many of the next rows can be decided before [`Self::fetch`]. They are decided in this order.
    fn ready(&mut self, tables: &Tables, block: &Block<'_>, next: &[Place]) -> usize {
        let _ = (tables, block);
        next.len()
    }
    /// Whether something is needed from the interpreter before the next decision, or before [`Self::finish`].
    fn is_waiting(&self) -> bool {
        false
    }
    /// Obtains it.
    fn fetch(&mut self, py: Python<'_>) -> PyResult<()> {
        let _ = py;
        Ok(())
    }
    /// Decides the row at a position of the block. `agents` are those of all rows, if they have the same.
    fn decide(&mut self, tables: &Tables, position: usize, row: Placed<'_>, agents: &[u32]);
    /// Adds the answers about a block, whose rows have all been decided.
    fn finish(&mut self, tables: &Tables, block: &Block<'_>) -> Result<(), Invalid>;
    /// Forgets the numbers of files if they are not those of `tables`.
    fn forget(&mut self, tables: &Tables) {
        let _ = tables;
    }
    /// The answers.
    fn into_array(self, py: Python<'_>) -> PyResult<Array>;
}

/// Whether each URL may be fetched.
#[derive(Default)]
pub struct Allowed {
    valid: Bits,
    answers: Bits,
    block: Vec<bool>,
}

impl Results for Allowed {
    fn begin(&mut self, _: usize, rows: usize) {
        self.block.clear();
        self.block.resize(rows, false);
    }

    #[inline]
    fn decide(&mut self, tables: &Tables, position: usize, row: Placed<'_>, _: &[u32]) {
        let (rules, profile) = (tables.rules_of(row.file, row.agent), tables.profile);
        self.block[position] = rules
            .allows_by_index(profile, row.target)
            .unwrap_or_else(|| rules.allows(tables.files[row.file as usize].file(), row.target));
    }

    fn finish(&mut self, _: &Tables, block: &Block<'_>) -> Result<(), Invalid> {
        if block.is_complete() {
            self.valid.extend(std::iter::repeat_n(true, self.block.len()));
        } else {
            let known =
                block.rows().iter().map(|row| row.as_ref().map_or_else(|skipped| skipped.allowed(), |_| Some(false)));
            self.valid.extend(known.clone().map(|allowed| allowed.is_some()));
            for (answer, allowed) in self.block.iter_mut().zip(known) {
                *answer |= allowed == Some(true);
            }
        }
        self.answers.extend(self.block.iter().copied());
        Ok(())
    }

    fn into_array(self, _: Python<'_>) -> PyResult<Array> {
        Ok(self.answers.into_array(self.valid))
    }
}

/// The verdicts, with the reason and the deciding rule.
#[derive(Default)]
pub struct Decisions {
    allowed: Bits,
    valid: Bits,
    reasons: Vec<Option<&'static str>>,
    rule_valid: Bits,
    lines: Vec<i32>,
    specificities: Vec<i32>,
    /// Numbers of texts, or the number of texts.
    rules: Vec<u32>,
    numbers: HashMap<(u32, u32), u32>,
    texts: Vec<CutRule>,
    block: Vec<Option<Verdict>>,
}

impl Decisions {
    fn push(&mut self, allowed: Option<bool>, reason: Option<&'static str>) {
        self.valid.push(allowed.is_some());
        self.allowed.push(allowed.unwrap_or(false));
        self.reasons.push(reason);
    }

    fn push_rule(&mut self, rule: Option<(i32, i32, u32)>) {
        let (line, specificity, number) = rule.unwrap_or_default();
        self.rule_valid.push(rule.is_some());
        self.lines.push(line);
        self.specificities.push(specificity);
        self.rules.push(number);
    }

    /// The line, the specificity and the number of the text of a rule.
    fn rule_cells(&mut self, tables: &Tables, file: u32, found: Match) -> (i32, i32, u32) {
        let source = tables.files[file as usize].file();
        let rule = source.groups.rules().at(found.rule as usize);
        let number = *self.numbers.entry((file, found.rule)).or_insert_with(|| {
            self.texts.push(CutRule::new(rule.allow(), rule.value.of(source.content)));
            self.texts.len() as u32 - 1
        });
        // Files have at most 512 MiB, so both are small enough.
        let small = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        (small(rule.line()), small(found.specificity), number)
    }
}

impl Results for Decisions {
    fn begin(&mut self, _: usize, rows: usize) {
        self.block.clear();
        self.block.resize(rows, None);
    }

    fn decide(&mut self, tables: &Tables, position: usize, row: Placed<'_>, _: &[u32]) {
        let file = tables.files[row.file as usize].file();
        self.block[position] = Some(tables.rules_of(row.file, row.agent).decide(file, row.target));
    }

    fn finish(&mut self, tables: &Tables, block: &Block<'_>) -> Result<(), Invalid> {
        for (position, row) in block.rows().iter().enumerate() {
            match (row, self.block[position]) {
                (Ok(row), Some(verdict)) => {
                    self.push(Some(verdict.reason.allows()), Some(verdict.reason.name()));
                    let rule = verdict.rule.map(|found| self.rule_cells(tables, row.file, found));
                    self.push_rule(rule);
                }
                (Err(skipped), _) => {
                    self.push(skipped.allowed(), skipped.reason());
                    self.push_rule(None);
                }
                (Ok(_), None) => unreachable!("each row with a verdict is decided"),
            }
        }
        Ok(())
    }

    fn forget(&mut self, _: &Tables) {
        self.numbers.clear();
    }

    fn into_array(self, py: Python<'_>) -> PyResult<Array> {
        let length = self.reasons.len();
        let texts = self.texts.iter().map(|rule| rule.text(py));
        let texts = texts.collect::<PyResult<Vec<_>>>()?;
        let mut reasons = Texts::default();
        for reason in self.reasons {
            reasons.push(reason)?;
        }
        let mut rules = Texts::default();
        for (row, &number) in self.rules.iter().enumerate() {
            rules.push(if self.rule_valid.get(row) { Some(&texts[number as usize]) } else { None })?;
        }
        Ok(record(
            length,
            [
                (c"allowed".into(), self.allowed.into_array(self.valid)),
                (c"reason".into(), reasons.into_array()),
                (c"line".into(), Array::new(length, self.rule_valid.clone(), Data::Int32(self.lines))),
                (c"rule".into(), rules.into_array()),
                (c"specificity".into(), Array::new(length, self.rule_valid, Data::Int32(self.specificities))),
            ],
        ))
    }
}

/// Returns an array of records. Their fields may be null, but the records are not, so that they are rows of a table.
pub fn record(length: usize, fields: impl IntoIterator<Item = (CString, Array)>) -> Array {
    let fields = fields.into_iter().map(|(name, field)| (name, Arc::new(field)));
    Array { length, null_count: 0, validity: None, data: Data::Struct(fields.collect()) }
}

/// Whether each URL may be fetched by each of many agents.
pub struct Matrix {
    names: Vec<CString>,
    valid: Bits,
    allowed: Vec<Bits>,
    plans: HashMap<u32, Plan>,
    /// The answers of a block, those of each row one after the other.
    block: Vec<bool>,
}

/// The rule sets of a file, each with the agents that it applies to.
type Plan = Vec<(Arc<RuleSet>, Vec<usize>)>;

impl Matrix {
    /// Creates a matrix with a column for each name.
    pub fn new(names: Vec<CString>) -> Self {
        let allowed = names.iter().map(|_| Bits::default()).collect();
        Self { names, valid: Bits::default(), allowed, plans: HashMap::new(), block: Vec::new() }
    }
}

fn plan(tables: &Tables, file: u32, agents: &[u32]) -> Plan {
    let mut plan = Plan::new();
    for (column, &agent) in agents.iter().enumerate() {
        let rules = tables.rules_of(file, agent);
        match plan.iter_mut().find(|(known, _)| Arc::ptr_eq(known, rules) || known.groups() == rules.groups()) {
            Some((_, columns)) => columns.push(column),
            None => plan.push((Arc::clone(rules), vec![column])),
        }
    }
    plan
}

impl Results for Matrix {
    fn begin(&mut self, _: usize, rows: usize) {
        self.block.clear();
        self.block.resize(rows * self.names.len(), false);
    }

    fn decide(&mut self, tables: &Tables, position: usize, row: Placed<'_>, agents: &[u32]) {
        if self.plans.len() >= PLANS_LIMIT && !self.plans.contains_key(&row.file) {
            self.plans.clear();
        }
        let plan = self.plans.entry(row.file).or_insert_with(|| plan(tables, row.file, agents));
        let file = tables.files[row.file as usize].file();
        let answers = &mut self.block[position * agents.len()..][..agents.len()];
        for (rules, columns) in plan {
            let allowed = rules.allows(file, row.target);
            for &column in columns.iter() {
                answers[column] = allowed;
            }
        }
    }

    fn finish(&mut self, _: &Tables, block: &Block<'_>) -> Result<(), Invalid> {
        for (row, answers) in block.rows().iter().zip(self.block.chunks(self.names.len())) {
            let same = row.as_ref().err().map(|skipped| skipped.allowed());
            self.valid.push(same != Some(None));
            for (column, &allowed) in self.allowed.iter_mut().zip(answers) {
                column.push(same.flatten().unwrap_or(allowed));
            }
        }
        Ok(())
    }

    fn forget(&mut self, _: &Tables) {
        self.plans.clear();
    }

    fn into_array(self, _: Python<'_>) -> PyResult<Array> {
        let length = self.valid.len();
        let columns = self.allowed.into_iter().map(|column| column.into_array(self.valid.clone()));
        Ok(record(length, self.names.into_iter().zip(columns)))
    }
}
