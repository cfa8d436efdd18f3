//! The preferences of files on a use of content, as a column.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use canfetch::engine::{Match, Reason, tables::Profile};
use pyo3::prelude::*;

use super::block::{Block, Place, Placed};
use super::hashing::Hashing;
use super::purposes::{Purposes, purpose_names};
use super::results::{Results, record};
use super::rule_texts::{plain_rule_text, rule_text};
use super::statements::{Answer, Cache, Reader, Unread};
use super::tables::Tables;
use crate::arrow::Invalid;
use crate::arrow::array::{Array, Bits, Data, Texts, offset};

/// Caches of statements that no call uses. A call takes one, and returns it at its end.
#[derive(Default)]
pub struct Caches(Mutex<Vec<Cache>>);

impl Caches {
    fn take(&self) -> Cache {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put(&self, cache: Cache) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(cache);
    }

    /// Forgets all statements.
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The result for a row that has a verdict.
enum Cell {
    /// The purpose is null.
    Null,
    /// The URL may be fetched.
    Allowed(Reason, Arc<Answer>),
    /// The rule with this number decides that the URL may not be fetched.
    Disallowed(u32),
}

/// The preferences, with the lines and the explanation.
pub struct Usages<'k> {
    reader: Reader,
    purposes: Purposes,
    caches: &'k Caches,
    cache: Cache,
    /// The beginning of an explanation.
    not_fetched: String,
    columns: Columns,
    // Of the block:
    first: usize,
    block: Vec<Cell>,
    /// The bytes of the answers that no other row shares.
    bytes: usize,
    numbers: HashMap<(u32, u32), u32, Hashing>,
    /// The line and the explanation of each rule.
    rules: Vec<(i32, String)>,
    /// The numbers and patterns of rules whose explanation is not complete, because Python has to display them.
    undisplayed: Vec<(u32, Box<[u8]>)>,
    // Of the rows that are ready:
    /// The numbers of their statements, one for each run of rows with the same file and agent.
    runs: Vec<u32>,
    run: usize,
    last: Option<(u32, u32)>,
    unread: Option<Unread>,
}

impl<'k> Usages<'k> {
    /// Prepares for files with a profile and a column of purposes.
    pub fn new(
        py: Python<'_>,
        profile: &'static Profile,
        purposes: &Bound<'_, PyAny>,
        caches: &'k Caches,
    ) -> PyResult<Self> {
        let names = purpose_names(py)?;
        let not_fetched = py.import("canfetch.core.extensions.usage")?.getattr("NOT_FETCHED")?.extract()?;
        Ok(Self {
            reader: Reader::new(py, profile, &names)?,
            purposes: Purposes::read(py, purposes, &names)?,
            caches,
            cache: caches.take(),
            not_fetched,
            columns: Columns::default(),
            first: 0,
            block: Vec::new(),
            bytes: 0,
            numbers: HashMap::default(),
            rules: Vec::new(),
            undisplayed: Vec::new(),
            runs: Vec::new(),
            run: 0,
            last: None,
            unread: None,
        })
    }

    /// Whether a row belongs to another run than the row before.
    fn begins_run(&mut self, row: Placed<'_>) -> bool {
        let this = Some((row.file, row.agent));
        std::mem::replace(&mut self.last, this) != this
    }

    /// The number of the rule that decides that a URL may not be fetched.
    fn rule(&mut self, tables: &Tables, file: u32, found: Match) -> u32 {
        let number = self.rules.len() as u32;
        let known = *self.numbers.entry((file, found.rule)).or_insert(number);
        if known == number {
            let source = tables.files[file as usize].file();
            let rule = source.groups.rules().at(found.rule as usize);
            let pattern = rule.value.of(source.content);
            let text = plain_rule_text(rule.allow(), pattern);
            if text.is_none() {
                self.undisplayed.push((number, pattern.into()));
            }
            let explanation = format!("{}line {}, {}", self.not_fetched, rule.line(), text.unwrap_or_default());
            self.rules.push((i32::try_from(rule.line()).unwrap_or(i32::MAX), explanation));
        }
        known
    }
}

impl Results for Usages<'_> {
    fn column_length(&self) -> Option<usize> {
        Some(self.purposes.length())
    }

    fn begin(&mut self, first: usize, rows: usize) {
        self.first = first;
        self.block.clear();
        self.block.resize_with(rows, || Cell::Null);
        self.bytes = 0;
        self.numbers.clear();
        self.rules.clear();
        self.undisplayed.clear();
        self.cache.make_room();
    }

    fn ready(&mut self, tables: &Tables, block: &Block<'_>, next: &[Place]) -> usize {
        self.runs.clear();
        self.last = None;
        let ready = next.iter().position(|&place| {
            let row = block.placed(place);
            if !self.begins_run(row) {
                return false;
            }
            let groups = tables.rules_of(row.file, row.agent).groups();
            match self.cache.find(row.file, &tables.files[row.file as usize], groups, &self.reader) {
                Ok(number) => self.runs.push(number),
                Err(unread) => self.unread = Some(unread),
            }
            self.unread.is_some()
        });
        self.run = 0;
        self.last = None;
        ready.unwrap_or(next.len())
    }

    fn is_waiting(&self) -> bool {
        self.unread.is_some() || !self.undisplayed.is_empty()
    }

    fn fetch(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Some(unread) = self.unread.take() {
            self.cache.read(py, unread, &self.reader)?;
        }
        for (number, pattern) in self.undisplayed.drain(..) {
            self.rules[number as usize].1.push_str(&rule_text(py, false, &pattern)?);
        }
        Ok(())
    }

    fn decide(&mut self, tables: &Tables, position: usize, row: Placed<'_>, _: &[u32]) {
        if self.begins_run(row) {
            self.run += 1;
        }
        let Some(purpose) = self.purposes.of(self.first + position) else { return };
        let file = tables.files[row.file as usize].file();
        let verdict = tables.rules_of(row.file, row.agent).decide(file, row.target);
        self.block[position] = match verdict.rule {
            Some(rule) if !verdict.reason.allows() => Cell::Disallowed(self.rule(tables, row.file, rule)),
            _ => {
                let answer = self.cache.answer(self.runs[self.run - 1], row.target, purpose, &self.reader);
                if Arc::strong_count(&answer) == 1 {
                    self.bytes += answer.explanation.len();
                }
                // The answers of the block are too long for a column anyway, so this one is not kept.
                if offset(self.bytes).is_err() { Cell::Null } else { Cell::Allowed(verdict.reason, answer) }
            }
        };
    }

    fn finish(&mut self, _: &Tables, block: &Block<'_>) -> Result<(), Invalid> {
        offset(self.bytes)?;
        for (position, row) in block.rows().iter().enumerate() {
            let purpose = self.purposes.of(self.first + position);
            match (row, &self.block[position]) {
                (Err(skipped), _) => {
                    self.columns.push(Row { reason: purpose.and(skipped.reason()), ..Row::default() })?;
                }
                (Ok(_), Cell::Null) => self.columns.push(Row::default())?,
                (Ok(_), Cell::Allowed(reason, answer)) => {
                    let preference = match answer.disallowed {
                        None => "unknown",
                        Some(true) => "disallow",
                        Some(false) => "allow",
                    };
                    self.columns.push(Row {
                        found: Some((preference, reason.allows())),
                        reason: Some(reason.name()),
                        lines: &answer.lines,
                        explanation: Some(&answer.explanation),
                        decided_by: answer.decided_by,
                    })?;
                }
                (Ok(_), &Cell::Disallowed(rule)) => {
                    let (line, explanation) = &self.rules[rule as usize];
                    self.columns.push(Row {
                        found: Some(("unknown", false)),
                        reason: Some(Reason::DisallowRule.name()),
                        lines: &[],
                        explanation: Some(explanation),
                        decided_by: Some(("rule", *line)),
                    })?;
                }
            }
        }
        Ok(())
    }

    fn forget(&mut self, tables: &Tables) {
        self.cache.keep_only(tables.file_generation);
    }

    fn into_array(mut self, _: Python<'_>) -> PyResult<Array> {
        self.caches.put(std::mem::take(&mut self.cache));
        Ok(self.columns.into_array())
    }
}

/// A row of the result.
#[derive(Clone, Copy, Default)]
struct Row<'a> {
    /// The preference, and whether the URL may be fetched.
    found: Option<(&'a str, bool)>,
    reason: Option<&'a str>,
    lines: &'a [i32],
    explanation: Option<&'a str>,
    /// The kind and the line of what decides.
    decided_by: Option<(&'a str, i32)>,
}

/// The fields of the result.
struct Columns {
    /// The rows with a preference.
    valid: Bits,
    preferences: Texts,
    reasons: Texts,
    allowed: Bits,
    lines: Vec<i32>,
    /// Where the lines of each row begin.
    starts: Vec<i32>,
    explanations: Texts,
    kinds: Texts,
    /// The rows with a deciding line, and this line or 0.
    decided: Bits,
    deciding_lines: Vec<i32>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            valid: Bits::default(),
            preferences: Texts::default(),
            reasons: Texts::default(),
            allowed: Bits::default(),
            lines: Vec::new(),
            starts: vec![0],
            explanations: Texts::default(),
            kinds: Texts::default(),
            decided: Bits::default(),
            deciding_lines: Vec::new(),
        }
    }
}

impl Columns {
    fn push(&mut self, row: Row<'_>) -> Result<(), Invalid> {
        self.valid.push(row.found.is_some());
        self.preferences.push(row.found.map(|(preference, _)| preference))?;
        self.reasons.push(row.reason)?;
        self.allowed.push(row.found.is_some_and(|(_, allowed)| allowed));
        self.lines.extend_from_slice(row.lines);
        self.starts.push(offset(self.lines.len())?);
        self.explanations.push(row.explanation)?;
        self.kinds.push(row.decided_by.map(|(kind, _)| kind))?;
        self.decided.push(row.decided_by.is_some());
        self.deciding_lines.push(row.decided_by.map_or(0, |(_, line)| line));
        Ok(())
    }

    fn into_array(self) -> Array {
        let length = self.valid.len();
        let lines = Array { length: self.lines.len(), null_count: 0, validity: None, data: Data::Int32(self.lines) };
        let lines = Data::List { offsets: self.starts, items: Arc::new(lines) };
        record(
            length,
            [
                (c"preference".into(), self.preferences.into_array()),
                (c"reason".into(), self.reasons.into_array()),
                (c"allowed".into(), self.allowed.into_array(self.valid.clone())),
                (c"lines".into(), Array::new(length, self.valid, lines)),
                (c"explanation".into(), self.explanations.into_array()),
                (c"kind".into(), self.kinds.into_array()),
                (c"line".into(), Array::new(length, self.decided, Data::Int32(self.deciding_lines))),
            ],
        )
    }
}
