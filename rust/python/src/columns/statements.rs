//! The statements of files on the usage of content, selected for the groups of agents.
//!
//! Python reads the records once for each file and selection of groups (`canfetch.core.extensions.usage_records`). What
//! they state about a target is found here, without the interpreter.

use std::collections::HashMap;
use std::sync::Arc;

use canfetch::engine::{OtherRecord, PathRecords, read_others, sort_by_key, tables::Profile};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::file_entry::FileEntry;
use super::hashing::Hashing;

/// The number of purposes.
pub const PURPOSES: usize = 3;
/// The kinds of records, in the order in which Python returns them.
const KINDS: [&str; 3] = ["content-signal", "content-usage", "ai-training-rule"];
/// The statements that a cache holds, in bytes.
const CACHE_BYTES: usize = 16 << 20;
/// Estimates of the memory of a file, of a selection of groups, of a record, and of the index of its path.
const FILE_BYTES: usize = 128;
const SELECTION_BYTES: usize = 512;
const RECORD_BYTES: usize = 128;
const PATH_BYTES: usize = 256;
/// The combinations of records whose answers are kept for each selection, and the longest answer that is kept.
const KEPT_ANSWERS: usize = 16;
const KEPT_BYTES: usize = 1024;
/// The lines of statements that a row has. Without a limit, a column would repeat a hostile file in each row.
const LINES_LIMIT: usize = 100;

/// The statements of a file about one use of one target.
#[derive(Debug, Default)]
pub struct Answer {
    /// Whether the use is disallowed, or `None` if no record mentions it.
    pub disallowed: Option<bool>,
    /// The kind and the line of the first record that decides, or `None` if no record mentions the use.
    pub decided_by: Option<(&'static str, i32)>,
    /// The lines of the statements.
    pub lines: Vec<i32>,
    /// The statements in one sentence, or what no record mentions.
    pub explanation: String,
}

/// The answers for each purpose.
type Answers = [Arc<Answer>; PURPOSES];

/// A record, and what it states about each purpose.
struct Record {
    kind: &'static str,
    line: u32,
    cells: [Option<(bool, String)>; PURPOSES],
}

/// A record as Python returns it.
type RecordRow = (u32, Vec<u8>, [Option<(bool, String)>; PURPOSES]);

/// Records of one kind, of which the most specific ones for a target count.
struct Paths {
    index: PathRecords,
    /// The position of the first record.
    first: u32,
}

/// The statements of a file for a selection of groups.
pub struct Statements {
    /// All records; those that apply to every target come first.
    records: Vec<Record>,
    general: usize,
    paths: Vec<Paths>,
    /// The answers if no record depends on the target.
    constant: Option<Answers>,
    /// The answers for some combinations of records.
    kept: HashMap<Box<[u32]>, Answers, Hashing>,
}

impl Statements {
    fn new(kinds: [Vec<RecordRow>; KINDS.len()], reader: &Reader) -> Self {
        let mut records = Vec::new();
        let mut specific = Vec::new();
        for (kind, rows) in KINDS.into_iter().zip(kinds) {
            // The path `/` matches every target.
            if rows.iter().all(|(_, path, _)| path == b"/") {
                records.extend(rows.into_iter().map(|(line, _, cells)| Record { kind, line, cells }));
            } else {
                specific.push((kind, rows));
            }
        }
        let general = records.len();
        let mut paths = Vec::new();
        for (kind, rows) in specific {
            let index = PathRecords::new(rows.iter().map(|(_, path, _)| &**path), reader.profile);
            paths.push(Paths { index, first: records.len() as u32 });
            records.extend(rows.into_iter().map(|(line, _, cells)| Record { kind, line, cells }));
        }
        let mut new = Self { records, general, paths, constant: None, kept: HashMap::default() };
        if new.paths.is_empty() {
            new.constant = Some(new.answers(&[], reader));
        }
        new
    }

    fn memory_bytes(&self) -> usize {
        let texts = self.records.iter().flat_map(|record| record.cells.iter().flatten()).map(|(_, text)| text.len());
        let indexed = self.records.len() - self.general;
        // The texts of general records are repeated in the answers.
        SELECTION_BYTES + 2 * texts.sum::<usize>() + self.records.len() * RECORD_BYTES + indexed * PATH_BYTES
    }

    /// Returns what the records state about a purpose for a target. Adds the memory that this needs to `memory`.
    fn answer(&mut self, target: &[u8], purpose: usize, reader: &Reader, memory: &mut usize) -> Arc<Answer> {
        if let Some(constant) = &self.constant {
            return Arc::clone(&constant[purpose]);
        }
        let mut found = Vec::new();
        for paths in &self.paths {
            found.extend(paths.index.most_specific(target).into_iter().map(|position| paths.first + position));
        }
        if let Some(answers) = self.kept.get(&*found) {
            return Arc::clone(&answers[purpose]);
        }
        if self.kept.len() == KEPT_ANSWERS {
            return self.compose(&found, purpose, reader);
        }
        let answers = self.answers(&found, reader);
        let answer = Arc::clone(&answers[purpose]);
        let bytes = answers.iter().map(|answer| answer.explanation.len() + 4 * answer.lines.len()).sum::<usize>();
        if bytes <= KEPT_BYTES {
            *memory += RECORD_BYTES + bytes;
            self.kept.insert(found.into(), answers);
        }
        answer
    }

    fn answers(&self, found: &[u32], reader: &Reader) -> Answers {
        std::array::from_fn(|purpose| self.compose(found, purpose, reader))
    }

    /// Combines the general records with those found. The most restrictive statement counts.
    fn compose(&self, found: &[u32], purpose: usize, reader: &Reader) -> Arc<Answer> {
        let found = found.iter().map(|&position| &self.records[position as usize]);
        let mut stated: Vec<_> = self.records[..self.general]
            .iter()
            .chain(found)
            .filter_map(|record| record.cells[purpose].as_ref().map(|(disallows, text)| (record, *disallows, text)))
            .collect();
        if stated.is_empty() {
            return Arc::clone(&reader.silent[purpose]);
        }
        sort_by_key(&mut stated, |&(record, ..)| u64::from(record.line));
        let line = |record: &Record| i32::try_from(record.line).unwrap_or(i32::MAX);
        let disallowed = stated.iter().any(|&(_, disallows, _)| disallows);
        let deciding = stated.iter().find(|&&(_, disallows, _)| disallows == disallowed);
        let answer = Answer {
            disallowed: Some(disallowed),
            decided_by: deciding.map(|&(record, ..)| (record.kind, line(record))),
            lines: stated.iter().take(LINES_LIMIT).map(|&(record, ..)| line(record)).collect(),
            explanation: explain(stated.iter().map(|&(.., text)| &**text), reader.characters),
        };
        answer.into()
    }
}

/// Joins statements to one sentence, and replaces what exceeds a number of characters by an ellipsis.
fn explain<'a>(texts: impl Iterator<Item = &'a str>, characters: usize) -> String {
    let mut explanation = String::new();
    for text in texts {
        if !explanation.is_empty() {
            explanation.push_str("; ");
        }
        explanation.push_str(text);
        if let Some((end, _)) = explanation.char_indices().nth(characters) {
            explanation.truncate(end);
            explanation.push('…');
            break;
        }
    }
    explanation
}

/// Statements whose records have not been read yet.
pub struct Unread {
    file: u32,
    groups: Box<[u32]>,
    content: Arc<[u8]>,
    records: Vec<OtherRecord>,
}

/// A file: the records that state preferences, and the number of the statements for each selection of groups.
struct FileRecords {
    records: Vec<OtherRecord>,
    selections: HashMap<Box<[u32]>, u32, Hashing>,
}

/// Statements by file and groups, in bounded memory.
#[derive(Default)]
pub struct Cache {
    /// That of the tables whose numbers of files are used here.
    generation: u64,
    memory: usize,
    files: HashMap<u32, FileRecords, Hashing>,
    statements: Vec<Statements>,
}

/// The number of the statements of files without records.
const SILENT: u32 = u32::MAX;

impl Cache {
    /// Forgets everything if the numbers of files have changed.
    pub fn keep_only(&mut self, generation: u64) {
        if self.generation != generation {
            *self = Self { generation, ..Self::default() };
        }
    }

    /// Forgets everything if it needs too much memory. Numbers of statements are valid until then.
    pub fn make_room(&mut self) {
        if self.memory > CACHE_BYTES {
            *self = Self { generation: self.generation, ..Self::default() };
        }
    }

    /// Returns the number of the statements of a file for a selection of groups, or what has to be read for them.
    pub fn find(&mut self, file: u32, entry: &FileEntry, groups: &[u32], reader: &Reader) -> Result<u32, Unread> {
        let memory = &mut self.memory;
        let known = self.files.entry(file).or_insert_with(|| {
            let records = reader.records_of(entry);
            *memory += FILE_BYTES + size_of_val(&*records);
            FileRecords { records, selections: HashMap::default() }
        });
        if known.records.is_empty() {
            return Ok(SILENT);
        }
        known.selections.get(groups).copied().ok_or_else(|| Unread {
            file,
            groups: groups.into(),
            content: Arc::clone(entry.content()),
            records: known.records.clone(),
        })
    }

    /// Reads statements.
    pub fn read(&mut self, py: Python<'_>, unread: Unread, reader: &Reader) -> PyResult<()> {
        let statements = reader.read(py, &unread)?;
        self.make_room();
        self.memory += statements.memory_bytes();
        let (records, selections) = (unread.records, HashMap::default());
        let file = self.files.entry(unread.file).or_insert(FileRecords { records, selections });
        file.selections.insert(unread.groups, self.statements.len() as u32);
        self.statements.push(statements);
        Ok(())
    }

    /// Returns what statements state about a purpose for a target.
    pub fn answer(&mut self, statements: u32, target: &[u8], purpose: usize, reader: &Reader) -> Arc<Answer> {
        match self.statements.get_mut(statements as usize) {
            Some(statements) => statements.answer(target, purpose, reader, &mut self.memory),
            None => Arc::clone(&reader.silent[purpose]),
        }
    }
}

/// Reads the records of files that state preferences: in Python, as one of its functions defines them.
pub struct Reader {
    function: Py<PyAny>,
    profile: &'static Profile,
    /// The keys of these records, in lower case.
    keys: Vec<Vec<u8>>,
    /// The answers for files in which no record mentions a purpose.
    silent: Answers,
    /// The length of an explanation.
    characters: usize,
}

impl Reader {
    /// Creates a reader of files with a profile. `purposes` are their names.
    pub fn new(py: Python<'_>, profile: &'static Profile, purposes: &[String; PURPOSES]) -> PyResult<Self> {
        let module = py.import("canfetch.core.extensions.usage_records")?;
        let keys = module.getattr("USAGE_KEYS")?.try_iter()?;
        let texts = py.import("canfetch.core.extensions.usage")?;
        let not_mentioned: String = texts.getattr("NOT_MENTIONED")?.extract()?;
        let silent = |purpose: usize| Answer {
            explanation: format!("{not_mentioned}{}", purposes[purpose]),
            ..Answer::default()
        };
        Ok(Self {
            function: module.getattr("statement_rows")?.unbind(),
            profile,
            keys: keys.map(|key| key?.extract()).collect::<PyResult<_>>()?,
            silent: std::array::from_fn(|purpose| silent(purpose).into()),
            characters: texts.getattr("EXPLANATION_CHARACTERS")?.extract()?,
        })
    }

    fn records_of(&self, entry: &FileEntry) -> Vec<OtherRecord> {
        let content = entry.content();
        // They are not kept in the compiled file, because few of them are needed again.
        let others = read_others(content, self.profile).into_iter();
        others.filter(|other| self.has_key(other.key.of(content))).collect()
    }

    fn has_key(&self, key: &[u8]) -> bool {
        self.keys.iter().any(|known| known.eq_ignore_ascii_case(key))
    }

    fn read(&self, py: Python<'_>, unread: &Unread) -> PyResult<Statements> {
        let rows = unread.records.iter().map(|record| {
            let (key, value) = (record.key.bounds(), record.value.bounds());
            let group = record.group().map_or(-1, i64::from);
            (record.line(), u8::from(record.is_sitemap()), key.0, key.1, value.0, value.1, group)
        });
        let rows: Vec<_> = rows.collect();
        let groups = PyTuple::new(py, &*unread.groups)?;
        let (signals, usages, training) =
            self.function.call1(py, (PyBytes::new(py, &unread.content), rows, groups))?.extract(py)?;
        Ok(Statements::new([signals, usages, training], self))
    }
}
