//! The purpose of each row.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::statements::PURPOSES;
use crate::arrow::Invalid;
use crate::arrow::text::TextChunk;
use crate::arrow::values::{Argument, Chunks};

/// The number of a null.
const NULL: u8 = u8::MAX;

/// The purpose of each row, as a number; a null has none. A column with one row is repeated.
pub struct Purposes(Vec<u8>);

/// Returns the names of the purposes, in the order of their numbers.
pub fn purpose_names(py: Python<'_>) -> PyResult<[String; PURPOSES]> {
    let class = py.import("canfetch.core.extensions.preference")?.getattr("UsagePurpose")?;
    PyTuple::new(py, class.try_iter()?.collect::<PyResult<Vec<_>>>()?)?.extract()
}

/// Why a column has no purposes.
enum Fault {
    Invalid(Invalid),
    Unknown(Box<[u8]>),
}

impl From<Invalid> for Fault {
    fn from(error: Invalid) -> Self {
        Self::Invalid(error)
    }
}

impl Purposes {
    /// Reads a column of the names of purposes. An empty name counts as null.
    pub fn read(py: Python<'_>, column: &Bound<'_, PyAny>, names: &[String; PURPOSES]) -> PyResult<Self> {
        let argument = Argument::from_object(column)?;
        let Chunks::Text(chunks) = argument.chunks()? else {
            return Err(Invalid::new("a column of integers: expected purposes").into());
        };
        py.detach(|| numbers(&chunks, names)).map(Self).map_err(|fault| match fault {
            Fault::Invalid(error) => error.into(),
            Fault::Unknown(name) => unknown(py, &name),
        })
    }

    /// The number of rows.
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// The purpose of a row.
    #[inline]
    pub fn of(&self, row: usize) -> Option<usize> {
        let number = if self.0.len() == 1 { self.0[0] } else { self.0[row] };
        (number != NULL).then_some(number.into())
    }
}

fn numbers(chunks: &[TextChunk<'_>], names: &[String; PURPOSES]) -> Result<Vec<u8>, Fault> {
    let mut numbers = Vec::with_capacity(chunks.iter().map(TextChunk::length).sum());
    for chunk in chunks {
        for row in 0..chunk.length() {
            numbers.push(match chunk.get(row)? {
                None | Some(b"") => NULL,
                Some(name) => match names.iter().position(|known| known.as_bytes() == name) {
                    Some(number) => number as u8,
                    None => return Err(Fault::Unknown(name.into())),
                },
            });
        }
    }
    Ok(numbers)
}

/// Returns the error that names an unknown purpose.
fn unknown(py: Python<'_>, name: &[u8]) -> PyErr {
    let name = String::from_utf8_lossy(name);
    let parsed =
        py.import("canfetch.core.extensions.index").and_then(|module| module.call_method1("parse_purpose", (&name,)));
    parsed.err().unwrap_or_else(|| Invalid::new(format!("an unknown purpose: {name}")).into())
}
