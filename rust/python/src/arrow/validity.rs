//! The rows of a column that are not null.

use super::bitmaps::is_set;
use super::interface::Node;
use super::invalid::Invalid;

/// A bitmap of rows, and the bit of the first row.
#[derive(Clone, Copy)]
pub struct Bitmap<'a> {
    pub bytes: &'a [u8],
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
pub struct Validity<'a> {
    /// That of the column itself.
    pub bitmap: Option<Bitmap<'a>>,
    /// That of the struct that has the column as a field, if both have nulls.
    outer: Option<Bitmap<'a>>,
}

impl<'a> Validity<'a> {
    /// Reads the bitmaps of an array.
    pub fn new(node: &Node<'a>) -> Result<Self, Invalid> {
        let own = node.validity()?.map(|bytes| Bitmap { bytes, offset: node.offset() });
        let outer = node.outer_validity().map(|(bytes, offset)| Bitmap { bytes, offset });
        Ok(if own.is_some() { Self { bitmap: own, outer } } else { Self { bitmap: outer, outer: None } })
    }

    /// The rows of a list.
    pub fn listed(bytes: &'a [u8]) -> Self {
        Self { bitmap: Some(Bitmap { bytes, offset: 0 }), outer: None }
    }

    /// Whether no row can be null.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.bitmap.is_none()
    }

    /// Whether a row is null.
    #[inline]
    pub fn is_null(self, row: usize) -> bool {
        self.bitmap.is_some_and(|bitmap| !bitmap.has(row) || self.outer.is_some_and(|outer| !outer.has(row)))
    }
}
