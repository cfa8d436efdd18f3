//! The first contents of a column, which may all be names of files in the place of contents.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::arrow::Invalid;
use crate::arrow::text::TextChunk;

/// The rows that are looked at, and the contents among them, as in the Python engine.
const ROWS: usize = 64;
const CONTENTS: usize = 8;
/// No longer content is a name.
const MAX_BYTES: usize = 2048;

/// Calls `warn` with the first contents of a column if each of them may be a name.
pub fn check_contents(py: Python<'_>, warn: Option<&Py<PyAny>>, chunks: &[TextChunk<'_>]) -> PyResult<()> {
    let Some(warn) = warn else { return Ok(()) };
    let names = possible_names(chunks)?;
    if !names.is_empty() {
        warn.call1(py, (PyList::new(py, names.into_iter().map(|name| PyBytes::new(py, name)))?,))?;
    }
    Ok(())
}

/// Returns the first contents of a column, or nothing if one of them is certainly not a name. Python knows the rest.
fn possible_names<'a>(chunks: &[TextChunk<'a>]) -> Result<Vec<&'a [u8]>, Invalid> {
    let mut found = Vec::new();
    let rows = chunks.iter().flat_map(|chunk| (0..chunk.length()).map(move |row| (chunk, row)));
    for (chunk, row) in rows.take(ROWS) {
        let Some(content) = chunk.get(row)? else { continue };
        if content.len() > MAX_BYTES || content.trim_ascii_end().contains(&b'\n') {
            return Ok(Vec::new());
        }
        found.push(content);
        if found.len() == CONTENTS {
            break;
        }
    }
    Ok(found)
}
