//! Tables of other libraries, whose columns Python reads by name.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString};

use super::interface::Imported;
use super::invalid::Invalid;
use super::numbers::{Integer, IntegerChunk, has_numbers};
use super::text::TextChunk;

/// Short values that rows share as Python objects, such as those of an enumeration, and their bytes.
const SHARED_VALUES: usize = 64;
const SHARED_BYTES: usize = 32;

/// A table of Arrow data. It is imported once, because some producers export it only once.
#[pyclass(frozen, module = "canfetch._native")]
pub struct Table {
    pub imported: Imported,
}

impl Table {
    /// Imports a table.
    pub fn new(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        match Imported::from_object(table)? {
            Some(imported) => Ok(Self { imported }),
            None => Err(Invalid::new(format!("a table of type {}", table.get_type().name()?)).into()),
        }
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let schema = self.imported.schema()?;
        let names = (0..schema.child_count()?).map(|index| schema.child(index));
        let names = names.collect::<Result<Vec<_>, _>>()?;
        PyList::new(py, names.iter().map(|field| PyString::new(py, &String::from_utf8_lossy(field.name()))))
    }

    /// Returns the rows of a column of text, bytes or whole numbers. Text is encoded.
    #[pyo3(signature = (name, /))]
    fn values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let index = self.imported.field(name)?;
        let is_number = has_numbers(self.imported.schema()?.child(index)?)?;
        let list = PyList::empty(py);
        let mut shared = HashMap::new();
        for chunk in self.imported.chunks()? {
            let node = chunk.child(index)?;
            if is_number {
                append_integers(&list, &IntegerChunk::new(&node)?)?;
            } else {
                append_texts(&list, &TextChunk::new(&node)?, &mut shared)?;
            }
        }
        Ok(list)
    }
}

fn append_integers(list: &Bound<'_, PyList>, chunk: &IntegerChunk<'_>) -> PyResult<()> {
    for row in 0..chunk.length() {
        match chunk.get(row)? {
            Integer::Null => list.append(list.py().None())?,
            Integer::Number(number) => list.append(PyInt::new(list.py(), number))?,
            Integer::Large(number) => list.append(PyInt::new(list.py(), number))?,
            Integer::TooLarge => return Err(Invalid::new("an integer that does not fit into 64 bits").into()),
        }
    }
    Ok(())
}

fn append_texts<'py, 'a>(
    list: &Bound<'py, PyList>,
    chunk: &TextChunk<'a>,
    shared: &mut HashMap<&'a [u8], Bound<'py, PyBytes>>,
) -> PyResult<()> {
    for row in 0..chunk.length() {
        let Some(value) = chunk.get(row)? else {
            list.append(list.py().None())?;
            continue;
        };
        if let Some(known) = shared.get(value) {
            list.append(known)?;
            continue;
        }
        let object = PyBytes::new(list.py(), value);
        list.append(&object)?;
        if value.len() <= SHARED_BYTES && shared.len() < SHARED_VALUES {
            shared.insert(value, object);
        }
    }
    Ok(())
}
