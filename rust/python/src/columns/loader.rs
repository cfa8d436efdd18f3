//! Loading files with their IDs.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;

use super::decoder::Decoder;
use super::file_entry::FileEntry;
use super::first_contents::check_contents;
use super::hashing::Hashing;
use super::outcomes::outcome_number;
use super::tables::{Id, NO_CONTENT, Tables};
use crate::arrow::Invalid;
use crate::arrow::numbers::{Integer, IntegerChunk};
use crate::arrow::table::Table;
use crate::arrow::text::TextChunk;
use crate::arrow::values::{Argument, Chunks};

/// The sources of rows, further contents, and other names with the ID of a row, as Python passes them.
pub type Plan = (Vec<i64>, Vec<Vec<u8>>, Vec<(Vec<u8>, Vec<u8>)>);

/// The content or the outcome of an ID.
#[derive(Clone, Copy)]
enum Content<'a> {
    /// Nothing.
    Missing,
    /// A file.
    Bytes(&'a [u8]),
    /// The number of an outcome.
    Outcome(u32),
}

/// Where the contents of rows are.
struct Sources<'a> {
    /// The contents of all rows.
    chunks: Vec<TextChunk<'a>>,
    /// The first row of each chunk.
    starts: Vec<usize>,
    rows: usize,
    /// For each row that of its content, or a content of `further` after the last row, or an outcome below 0.
    of_rows: Option<Vec<i64>>,
    further: &'a [Vec<u8>],
}

impl<'a> Sources<'a> {
    /// Without `sources`, each row has its own content.
    fn new(chunks: Vec<TextChunk<'a>>, sources: Option<Vec<i64>>, further: &'a [Vec<u8>]) -> Result<Self, Invalid> {
        let mut rows = 0;
        let starts = chunks.iter().map(|chunk| {
            rows += chunk.length();
            rows - chunk.length()
        });
        let starts = starts.collect();
        match &sources {
            Some(sources) if sources.len() != rows => {
                Err(Invalid::new(format!("{} sources of {rows} files", sources.len())))
            }
            _ => Ok(Self { chunks, starts, rows, of_rows: sources, further }),
        }
    }

    /// The number of rows.
    fn length(&self) -> usize {
        self.rows
    }

    /// The content or the outcome of each row.
    fn contents(&self) -> impl Iterator<Item = Result<Content<'a>, Invalid>> + '_ {
        (0..self.rows).map(|row| match &self.of_rows {
            None => self.content(row),
            Some(sources) => self.of_source(sources[row]),
        })
    }

    fn of_source(&self, source: i64) -> Result<Content<'a>, Invalid> {
        let invalid = || Invalid::new(format!("a file with the source {source}"));
        let Ok(source) = usize::try_from(source) else {
            return outcome_number(source).map(Content::Outcome).ok_or_else(invalid);
        };
        if source < self.rows {
            return self.content(source);
        }
        self.further.get(source - self.rows).map(|content| Content::Bytes(content)).ok_or_else(invalid)
    }

    fn content(&self, row: usize) -> Result<Content<'a>, Invalid> {
        let chunk = self.starts.partition_point(|&start| start <= row) - 1;
        Ok(self.chunks[chunk].get(row - self.starts[chunk])?.map_or(Content::Missing, Content::Bytes))
    }
}

/// Collects files.
struct Loader {
    decoder: Decoder,
    tables: Tables,
    numbers: HashMap<Arc<[u8]>, u32, Hashing>,
}

impl Loader {
    /// Starts with no files.
    fn new(decoder: Decoder) -> Self {
        Self { decoder, tables: Tables::by_id(decoder.profile), numbers: HashMap::default() }
    }

    /// Adds files by their IDs.
    fn add_all<'a>(
        &mut self,
        py: Python<'_>,
        ids: &Chunks<'_>,
        contents: &mut impl Iterator<Item = Result<Content<'a>, Invalid>>,
    ) -> PyResult<()> {
        let missing = || Invalid::new("a file without an ID");
        match ids {
            Chunks::Text(chunks) => {
                for (chunk, row) in chunks.iter().flat_map(|chunk| (0..chunk.length()).map(move |row| (chunk, row))) {
                    let id = chunk.get(row)?.ok_or_else(missing)?;
                    self.add(py, Id::Text(id), contents.next().unwrap_or(Ok(Content::Missing))?)?;
                }
            }
            Chunks::Integers(chunks) => {
                for (chunk, row) in chunks.iter().flat_map(|chunk| (0..chunk.length()).map(move |row| (chunk, row))) {
                    let id = match chunk.get(row)? {
                        Integer::Number(id) => Id::Integer(id),
                        Integer::Large(id) => Id::Large(id),
                        Integer::Null => return Err(missing().into()),
                        Integer::TooLarge => return Err(Invalid::new("an ID that does not fit into 64 bits").into()),
                    };
                    self.add(py, id, contents.next().unwrap_or(Ok(Content::Missing))?)?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, py: Python<'_>, id: Id<'_>, content: Content<'_>) -> PyResult<()> {
        let file = match content {
            Content::Missing => NO_CONTENT,
            Content::Outcome(number) => number,
            Content::Bytes(content) => self.file_number(py, content)?,
        };
        Ok(self.tables.add_id(id, file)?)
    }

    /// Adds another name of a file with an ID.
    fn add_alias(&mut self, alias: &[u8], id: &[u8]) -> Result<(), Invalid> {
        match self.tables.file_of_text(id) {
            Some(file) => self.tables.add_id(Id::Text(alias), file),
            None => Ok(()),
        }
    }

    fn file_number(&mut self, py: Python<'_>, content: &[u8]) -> PyResult<u32> {
        if let Some(&number) = self.numbers.get(content) {
            return Ok(number);
        }
        let decoded = self.decoder.decode(py, content)?;
        let number = self.tables.add_file(FileEntry::new(Arc::clone(&decoded), self.decoder.profile));
        // The usual case: the content is parsed as it is, and stored once.
        let key = if *decoded == *content { decoded } else { content.into() };
        self.numbers.insert(key, number);
        Ok(number)
    }

    /// The files.
    fn finish(mut self) -> Tables {
        self.tables.finish_ids();
        self.tables
    }
}

/// Returns the files of two columns.
pub fn load(
    decoder: Decoder,
    warn_about_names: Option<&Py<PyAny>>,
    py: Python<'_>,
    ids: &Bound<'_, PyAny>,
    contents: &Bound<'_, PyAny>,
) -> PyResult<Tables> {
    let (ids, contents) = (Argument::from_object(ids)?, Argument::from_object(contents)?);
    let (ids, contents) = (ids.ids()?, contents.chunks()?);
    let Chunks::Text(contents) = contents else {
        return Err(Invalid::new("a column of integers: expected the content of files").into());
    };
    check_contents(py, warn_about_names, &contents)?;
    let contents = Sources::new(contents, None, &[])?;
    let count: usize = match &ids {
        Chunks::Text(chunks) => chunks.iter().map(TextChunk::length).sum(),
        Chunks::Integers(chunks) => chunks.iter().map(IntegerChunk::length).sum(),
    };
    if count != contents.length() {
        return Err(Invalid::new(format!("{count} IDs of {} files", contents.length())).into());
    }
    let mut loader = Loader::new(decoder);
    loader.add_all(py, &ids, &mut contents.contents())?;
    Ok(loader.finish())
}

/// Returns the files of two columns of a table, with the names of the ID and the content.
pub fn load_table(
    decoder: Decoder,
    warn_about_names: Option<&Py<PyAny>>,
    py: Python<'_>,
    table: &Table,
    names: (&str, &str),
    plan: Option<Plan>,
) -> PyResult<Tables> {
    let (sources, further, aliases) = match plan {
        Some((sources, further, aliases)) => (Some(sources), further, aliases),
        None => (None, Vec::new(), Vec::new()),
    };
    let table = &table.imported;
    let (id, content) = (table.field(names.0)?, table.field(names.1)?);
    let chunks = table.chunks()?;
    let contents = chunks.iter().map(|chunk| TextChunk::new(&chunk.child(content)?));
    let contents = contents.collect::<Result<Vec<_>, Invalid>>()?;
    if sources.is_none() {
        check_contents(py, warn_about_names, &contents)?;
    }
    let contents = Sources::new(contents, sources, &further)?;
    let mut contents = contents.contents();
    let mut loader = Loader::new(decoder);
    for chunk in &chunks {
        loader.add_all(py, &Chunks::of_ids(&chunk.child(id)?)?, &mut contents)?;
    }
    for (alias, id) in &aliases {
        loader.add_alias(alias, id)?;
    }
    Ok(loader.finish())
}

/// Checks that a column of IDs has values of a kind that an ID of the files has. The kinds are texts and integers.
pub fn check_id_kind(ids: &Chunks<'_>, (has_texts, has_integers): (bool, bool)) -> Result<(), Invalid> {
    // Usually, the first row shows it.
    match ids {
        Chunks::Text(chunks) if has_integers && !has_texts => {
            for (chunk, row) in chunks.iter().flat_map(|chunk| (0..chunk.length()).map(move |row| (chunk, row))) {
                if chunk.get(row)?.is_some() {
                    return Err(Invalid::new("a column of text: the IDs of the files are integers"));
                }
            }
        }
        Chunks::Integers(chunks) if has_texts && !has_integers => {
            for (chunk, row) in chunks.iter().flat_map(|chunk| (0..chunk.length()).map(move |row| (chunk, row))) {
                if !matches!(chunk.get(row)?, Integer::Null) {
                    return Err(Invalid::new("a column of integers: the IDs of the files are texts"));
                }
            }
        }
        _ => {}
    }
    Ok(())
}
