//! Arrow columns: read from any library with the `PyCapsule` interface, and returned with it.
//!
//! * `interface` holds the structures of the C Data Interface and all unsafe code;
//! * `text`, `integers` and `floats` read columns, and check every offset, key and view that they follow;
//! * `types` has the names of types for messages;
//! * `table` shows the columns of a table to Python;
//! * `array` is what canfetch returns.

pub mod array;
mod floats;
pub mod integers;
mod interface;
pub mod table;
pub mod text;
mod types;
pub mod values;

use std::borrow::Cow;
use std::ops::Range;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

pub use interface::{Imported, Node, SchemaNode};

/// Why a column cannot be read. Raised as `canfetch.errors.InvalidColumn`.
#[derive(Debug)]
pub enum Invalid {
    /// The text describes the invalid data.
    Found(Cow<'static, str>),
    /// The offsets of a result have 32 bits.
    LargeResult,
}

impl Invalid {
    /// Creates the error: what was found in place of a valid column.
    #[cold]
    pub fn new(found: impl Into<Cow<'static, str>>) -> Self {
        Self::Found(found.into())
    }

    fn message(self) -> String {
        match self {
            Self::Found(found) => format!("invalid Arrow data: {found}"),
            Self::LargeResult => {
                "the result has more than 2 GiB of text or items: pass fewer rows in each call, such as \
                 1,000,000 at a time"
                    .to_owned()
            }
        }
    }
}

impl From<Invalid> for PyErr {
    fn from(error: Invalid) -> Self {
        Python::attach(|py| {
            let class = py.import("canfetch.errors").and_then(|errors| errors.getattr("InvalidColumn"));
            let message = error.message();
            match class.and_then(|class| class.call1((message.as_str(),))) {
                Ok(error) => Self::from_value(error),
                Err(_) => PyRuntimeError::new_err(message),
            }
        })
    }
}

/// Whether a bit of a bitmap is set. A bitmap that is too short has no such bit.
#[inline]
fn is_set(bitmap: &[u8], bit: usize) -> bool {
    bitmap.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}

/// Whether all of some bits of a bitmap are set.
fn are_set(bitmap: &[u8], bits: Range<usize>) -> bool {
    let bytes = bits.start.div_ceil(8)..bits.end / 8;
    let (before, after) =
        if bytes.start <= bytes.end { (bits.start..bytes.start * 8, bytes.end * 8..bits.end) } else { (bits, 0..0) };
    before.chain(after).all(|bit| is_set(bitmap, bit))
        && bitmap.get(bytes).unwrap_or_default().iter().all(|&byte| byte == u8::MAX)
}

/// A bitmap of rows, and the bit of the first row.
#[derive(Clone, Copy)]
struct Bitmap<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Bitmap<'_> {
    #[inline]
    fn has(self, row: usize) -> bool {
        is_set(self.bytes, self.offset + row)
    }
}

/// The rows that are not null.
#[derive(Clone, Copy, Default)]
struct Validity<'a> {
    bitmap: Option<Bitmap<'a>>,
    /// That of the struct that has the column as a field, if both have nulls.
    outer: Option<Bitmap<'a>>,
}

impl<'a> Validity<'a> {
    fn new(node: &Node<'a>) -> Result<Self, Invalid> {
        let own = node.validity()?.map(|bytes| Bitmap { bytes, offset: node.offset() });
        let outer = node.outer_validity().map(|(bytes, offset)| Bitmap { bytes, offset });
        Ok(if own.is_some() { Self { bitmap: own, outer } } else { Self { bitmap: outer, outer: None } })
    }

    /// The rows of a list.
    fn listed(bytes: &'a [u8]) -> Self {
        Self { bitmap: Some(Bitmap { bytes, offset: 0 }), outer: None }
    }

    /// Whether no row can be null.
    #[inline]
    fn is_empty(self) -> bool {
        self.bitmap.is_none()
    }

    #[inline]
    fn is_null(self, row: usize) -> bool {
        self.bitmap.is_some_and(|bitmap| !bitmap.has(row) || self.outer.is_some_and(|outer| !outer.has(row)))
    }
}

/// A column of a type that is not accepted.
#[cold]
fn unsupported_type(format: &str, accepted: &str) -> Invalid {
    let name = types::type_name(format);
    Invalid::new(format!("a column of type {name}: expected {accepted}, or a dictionary of them"))
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
