//! Loading the files of a kernel.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;

use super::file_entry::FileEntry;
use super::first_contents::check_contents;
use super::hashing::Hashing;
use super::kernel::Kernel;
use super::outcomes::Sources;
use super::tables::{Id, NO_CONTENT, Tables};
use crate::arrow::Invalid;
use crate::arrow::integers::{Integer, IntegerChunk};
use crate::arrow::table::Table;
use crate::arrow::text::TextChunk;
use crate::arrow::values::{Argument, Chunks};

/// The sources of rows, further contents, and other names with the ID of a row, as Python passes them.
pub type Plan = (Vec<i64>, Vec<Vec<u8>>, Vec<(Vec<u8>, Vec<u8>)>);

/// What an ID has.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// Nothing.
    Missing,
    /// A file.
    Bytes(&'a [u8]),
    /// The number of an outcome.
    Outcome(u32),
}

/// Adds files to a kernel.
pub struct Loader<'k> {
    kernel: &'k Kernel,
    tables: Tables,
    numbers: HashMap<Arc<[u8]>, u32, Hashing>,
}

impl<'k> Loader<'k> {
    /// Starts with no files.
    pub fn new(kernel: &'k Kernel) -> Self {
        Self { kernel, tables: Tables::by_id(kernel.profile()), numbers: HashMap::default() }
    }

    /// Adds files by their IDs.
    pub fn add_all<'a>(
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
        let decoded = self.kernel.decode(py, content)?;
        let number = self.tables.add_file(FileEntry::new(Arc::clone(&decoded), self.kernel.profile()));
        // The usual case: the content is parsed as it is, and stored once.
        let key = if *decoded == *content { decoded } else { content.into() };
        self.numbers.insert(key, number);
        Ok(number)
    }

    /// Replaces the files of the kernel.
    pub fn finish(mut self) {
        self.tables.finish_ids();
        self.kernel.replace_tables(self.tables);
    }
}

/// Loads the files of a kernel from two columns.
pub fn load(kernel: &Kernel, py: Python<'_>, ids: &Bound<'_, PyAny>, contents: &Bound<'_, PyAny>) -> PyResult<()> {
    let (ids, contents) = (Argument::from_object(ids)?, Argument::from_object(contents)?);
    let (ids, contents) = (ids.ids()?, contents.chunks()?);
    let Chunks::Text(contents) = contents else {
        return Err(Invalid::new("a column of integers: expected the content of files").into());
    };
    check_contents(py, kernel.warn_about_names.as_ref(), &contents)?;
    let contents = Sources::new(contents, None, &[])?;
    let count: usize = match &ids {
        Chunks::Text(chunks) => chunks.iter().map(TextChunk::length).sum(),
        Chunks::Integers(chunks) => chunks.iter().map(IntegerChunk::length).sum(),
    };
    if count != contents.length() {
        return Err(Invalid::new(format!("{count} IDs of {} files", contents.length())).into());
    }
    let mut loader = Loader::new(kernel);
    loader.add_all(py, &ids, &mut contents.contents())?;
    loader.finish();
    Ok(())
}

/// Checks a column of contents or IDs before rows are decided.
pub fn check_files(kernel: &Kernel, py: Python<'_>, files: &Chunks<'_>) -> PyResult<()> {
    match files {
        _ if !kernel.by_content => Ok(check_id_kind(files, py.detach(|| kernel.read().id_kinds()))?),
        Chunks::Text(contents) => check_contents(py, kernel.warn_about_names.as_ref(), contents),
        Chunks::Integers(_) => Ok(()),
    }
}

/// Checks that a column of IDs has values of a kind that an ID of the files has. The kinds are texts and integers.
fn check_id_kind(ids: &Chunks<'_>, (has_texts, has_integers): (bool, bool)) -> Result<(), Invalid> {
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

/// Loads the files of a kernel from two columns of a table, with the names of the ID and the content.
pub fn load_table(
    kernel: &Kernel,
    py: Python<'_>,
    table: &Table,
    names: (&str, &str),
    plan: Option<Plan>,
) -> PyResult<()> {
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
        check_contents(py, kernel.warn_about_names.as_ref(), &contents)?;
    }
    let contents = Sources::new(contents, sources, &further)?;
    let mut contents = contents.contents();
    let mut loader = Loader::new(kernel);
    for chunk in &chunks {
        loader.add_all(py, &Chunks::of_ids(&chunk.child(id)?)?, &mut contents)?;
    }
    for (alias, id) in &aliases {
        loader.add_alias(alias, id)?;
    }
    loader.finish();
    Ok(())
}
