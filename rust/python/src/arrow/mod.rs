//! Arrow columns: read from any library with the `PyCapsule` interface, and returned with it.
//!
//! * `interface` holds the structures of the C Data Interface and all unsafe code;
//! * `text` and `integers` read columns, and check every offset, key and view that they follow;
//! * `array` is what canfetch returns.

pub mod array;
pub mod integers;
mod interface;
pub mod text;
pub mod values;

use std::borrow::Cow;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

pub use interface::{Imported, Node};

/// Why a column cannot be read. Raised as `canfetch.errors.InvalidColumn`.
#[derive(Debug)]
pub struct Invalid(Cow<'static, str>);

impl Invalid {
    /// Creates the error: what was found in place of a valid column.
    #[cold]
    pub fn new(found: impl Into<Cow<'static, str>>) -> Self {
        Self(found.into())
    }
}

impl From<Invalid> for PyErr {
    fn from(error: Invalid) -> Self {
        Python::attach(|py| {
            let class = py.import("canfetch.errors").and_then(|errors| errors.getattr("InvalidColumn"));
            match class.and_then(|class| class.call1((format!("invalid Arrow data: {}", error.0),))) {
                Ok(error) => Self::from_value(error),
                Err(_) => PyRuntimeError::new_err(error.0),
            }
        })
    }
}

/// Whether a bit of a bitmap is set. A bitmap that is too short has no such bit.
#[inline]
fn is_set(bitmap: &[u8], bit: usize) -> bool {
    bitmap.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}

/// The rows that are not null.
#[derive(Clone, Copy)]
struct Validity<'a> {
    bitmap: Option<&'a [u8]>,
    offset: usize,
}

impl<'a> Validity<'a> {
    fn new(node: &Node<'a>) -> Result<Self, Invalid> {
        Ok(Self { bitmap: node.validity()?, offset: node.offset() })
    }

    #[inline]
    fn is_null(self, row: usize) -> bool {
        self.bitmap.is_some_and(|bitmap| !is_set(bitmap, self.offset + row))
    }
}

/// The only column of a table, or the column itself.
fn single_column(node: Node<'_>) -> Result<Node<'_>, Invalid> {
    if node.schema().format() != "+s" {
        return Ok(node);
    }
    match node.schema().child_count()? {
        1 => node.child(0),
        count => Err(Invalid::new(format!("a table with {count} columns in place of a column"))),
    }
}
