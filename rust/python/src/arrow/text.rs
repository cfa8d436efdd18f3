//! Columns of text or bytes, in every layout that libraries use. The encoding does not matter: canfetch reads bytes.

use std::ops::{ControlFlow, Range};

use super::interface::{Imported, Node};
use super::invalid::Invalid;
use super::lists::ListedTexts;
use super::numbers::{Floats, Integers, is_float, is_integer};
use super::types::{type_name, unsupported_type};
use super::validity::Validity;

/// The bytes of a view, and the longest value that a view holds itself.
const VIEW_BYTES: usize = 16;
const INLINE_BYTES: usize = 12;
const DECREASING: &str = "offsets that decrease";

/// Whether a format is that of text or bytes, or of nulls.
pub fn is_text(format: &str) -> bool {
    matches!(format, "n" | "u" | "z" | "U" | "Z" | "vu" | "vz")
}

/// Whether a column of floating-point numbers has a number apart from NaN.
fn has_numbers(node: &Node<'_>) -> Result<bool, Invalid> {
    let (floats, validity) = (Floats::new(node)?, Validity::new(node)?);
    Ok((0..node.length()).any(|row| !validity.is_null(row) && floats.has_number(row)))
}

/// A chunk of a column.
pub struct TextChunk<'a> {
    length: usize,
    validity: Validity<'a>,
    layout: Layout<'a>,
}

enum Layout<'a> {
    /// Only nulls.
    Null,
    /// Values one after the other.
    Offsets { offsets: Integers<'a>, data: &'a [u8] },
    /// Short values, and references to long ones.
    Views { views: &'a [u8], buffers: Vec<&'a [u8]> },
    /// Values of a Python list.
    Listed(&'a [Box<[u8]>]),
    /// Numbers of values.
    Dictionary { keys: Integers<'a>, values: Box<TextChunk<'a>>, address: [usize; 4] },
}

/// A chunk whose rows are numbers of values, so that work can be shared by rows with the same value.
pub struct Coded<'c, 'a> {
    keys: Integers<'a>,
    /// The values.
    pub values: &'c TextChunk<'a>,
    /// Chunks with the same address have the same values.
    pub address: [usize; 4],
}

impl Coded<'_, '_> {
    /// The number of the value in a row that is not null.
    #[inline]
    pub fn code(&self, row: usize) -> Result<usize, Invalid> {
        code(self.keys, self.values, row)
    }
}

#[inline]
fn code(keys: Integers<'_>, values: &TextChunk<'_>, row: usize) -> Result<usize, Invalid> {
    match keys.get(row).map(usize::try_from) {
        Some(Ok(code)) if code < values.length => Ok(code),
        _ => Err(Invalid::new("a key that is not in the dictionary")),
    }
}

impl<'a> TextChunk<'a> {
    /// Reads the chunks of a column. A table with one column is accepted.
    pub fn read(imported: &'a Imported) -> Result<Vec<Self>, Invalid> {
        imported.chunks()?.into_iter().map(|node| Self::new(&node.single_column()?)).collect()
    }

    /// Reads an array.
    pub fn new(node: &Node<'a>) -> Result<Self, Invalid> {
        match node.dictionary()? {
            None => Self::plain(node),
            Some(values) => Self::dictionary(node, &values),
        }
    }

    /// Reads a list.
    pub fn listed(texts: &'a ListedTexts) -> Result<Self, Invalid> {
        let layout = Layout::Listed(&texts.values);
        let values = Self { length: texts.values.len(), validity: Validity::default(), layout };
        let layout = Layout::Dictionary {
            keys: Integers::new_in(&texts.keys, "I")?,
            values: Box::new(values),
            address: [texts.values.as_ptr() as usize, 0, texts.values.len(), 0],
        };
        Ok(Self { length: texts.valid.len(), validity: Validity::listed(texts.valid.bytes()), layout })
    }

    fn dictionary(node: &Node<'a>, values: &Node<'a>) -> Result<Self, Invalid> {
        if values.schema().dictionary()?.is_some() {
            return Err(Invalid::new("a dictionary of dictionaries"));
        }
        if !is_integer(node.schema().format()) {
            return Err(Invalid::new(format!("a dictionary with keys of type {}", type_name(node.schema().format()))));
        }
        let keys = Integers::new(node, node.schema().format())?;
        let values = Box::new(Self::plain(values)?);
        let address = values.address();
        let layout = Layout::Dictionary { keys, values, address };
        Ok(Self { length: node.length(), validity: Validity::new(node)?, layout })
    }

    fn plain(node: &Node<'a>) -> Result<Self, Invalid> {
        let format = node.schema().format();
        let (validity, layout) = match format {
            "n" => (Validity::default(), Layout::Null),
            "u" | "z" => (Validity::new(node)?, Self::offsets(node, "i", 4)?),
            "U" | "Z" => (Validity::new(node)?, Self::offsets(node, "l", 8)?),
            "vu" | "vz" => (Validity::new(node)?, Self::views(node)?),
            // pandas has this type for a column without a value.
            _ if is_float(format) && !has_numbers(node)? => (Validity::default(), Layout::Null),
            _ => return Err(unsupported_type(format, "text or bytes")),
        };
        Ok(Self { length: node.length(), validity, layout })
    }

    fn offsets(node: &Node<'a>, format: &str, width: usize) -> Result<Layout<'a>, Invalid> {
        if node.length() == 0 {
            return Ok(Layout::Offsets { offsets: Integers::new_in(&[], format)?, data: &[] });
        }
        let bytes = node.buffer(1, node.end()? + 1, width)?;
        let offsets = Integers::new_in(bytes.get(node.offset() * width..).unwrap_or_default(), format)?;
        let Some(Ok(end)) = offsets.get(node.length()).map(usize::try_from) else {
            return Err(Invalid::new("a negative offset"));
        };
        Ok(Layout::Offsets { offsets, data: node.buffer(2, end, 1)? })
    }

    fn views(node: &Node<'a>) -> Result<Layout<'a>, Invalid> {
        if node.length() == 0 {
            return Ok(Layout::Views { views: &[], buffers: Vec::new() });
        }
        let views = node.buffer(1, node.end()?, VIEW_BYTES)?;
        let views = views.get(node.offset() * VIEW_BYTES..).unwrap_or_default();
        // The last buffer holds the sizes of those before it.
        let Some(count) = node.buffer_count()?.checked_sub(3) else { return Err(Invalid::new("missing buffers")) };
        let sizes = Integers::new_in(node.buffer(2 + count, count, 8)?, "l")?;
        let buffers = (0..count).map(|index| match sizes.get(index).map(usize::try_from) {
            Some(Ok(bytes)) => node.buffer(2 + index, bytes, 1),
            _ => Err(Invalid::new("a buffer of negative size")),
        });
        Ok(Layout::Views { views, buffers: buffers.collect::<Result<_, _>>()? })
    }

    /// The number of rows.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Where the values are in memory.
    fn address(&self) -> [usize; 4] {
        let of = |bytes: &[u8]| bytes.as_ptr() as usize;
        let (first, second) = match &self.layout {
            Layout::Offsets { offsets, data } => (offsets.address(), of(data)),
            Layout::Views { views, buffers } => (of(views), buffers.first().map_or(0, |buffer| of(buffer))),
            Layout::Null | Layout::Listed(_) | Layout::Dictionary { .. } => (0, 0),
        };
        [first, second, self.length, self.validity.bitmap.map_or(0, |bitmap| of(bitmap.bytes))]
    }

    /// The chunk as numbers of values, if it is a dictionary.
    pub fn coded(&self) -> Option<Coded<'_, 'a>> {
        match &self.layout {
            Layout::Dictionary { keys, values, address } => Some(Coded { keys: *keys, values, address: *address }),
            _ => None,
        }
    }

    /// Whether equal values are likely to be at the same address.
    pub fn shares_values(&self) -> bool {
        matches!(self.layout, Layout::Views { .. })
    }

    /// Whether a row is null; its value in a dictionary may be null nevertheless.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        matches!(self.layout, Layout::Null) || self.validity.is_null(row)
    }

    /// Calls `visit` with the value in each of some rows and what follows it in memory, and the length of the value, until
    /// it breaks. A null is `None`.
    #[inline]
    pub fn visit<T>(
        &self,
        rows: Range<usize>,
        mut visit: impl FnMut(Option<(&'a [u8], usize)>) -> ControlFlow<T>,
    ) -> Result<ControlFlow<T>, Invalid> {
        // The usual layouts, so that their loops have no other branches.
        if let (Layout::Offsets { offsets, data }, true) = (&self.layout, self.validity.is_empty()) {
            let ends = rows.start..rows.end + 1;
            if let Some(ends) = offsets.signed(ends.clone()) {
                return visit_values(data, ends.map(|end| i32::from_ne_bytes(end).into()), visit);
            }
            if let Some(ends) = offsets.signed(ends) {
                return visit_values(data, ends.map(i64::from_ne_bytes), visit);
            }
        }
        for row in rows {
            if let ControlFlow::Break(value) = visit(self.rest(row)?) {
                return Ok(ControlFlow::Break(value));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The value in a row; `None` if it is null.
    #[inline]
    pub fn get(&self, row: usize) -> Result<Option<&'a [u8]>, Invalid> {
        Ok(self.rest(row)?.map(|(rest, length)| &rest[..length]))
    }

    /// The value in a row with what follows it in memory, and the length of the value; `None` if it is null.
    #[inline]
    pub fn rest(&self, row: usize) -> Result<Option<(&'a [u8], usize)>, Invalid> {
        match &self.layout {
            Layout::Dictionary { .. } if self.validity.is_null(row) => Ok(None),
            // Not a call of itself, so that compilers copy this function into loops.
            Layout::Dictionary { keys, values, .. } => values.plain_rest(code(*keys, values, row)?),
            _ => self.plain_rest(row),
        }
    }

    #[inline]
    fn plain_rest(&self, row: usize) -> Result<Option<(&'a [u8], usize)>, Invalid> {
        if self.validity.is_null(row) {
            return Ok(None);
        }
        match &self.layout {
            Layout::Offsets { offsets, data } => {
                let value = offsets.bounds(row).and_then(|(start, end)| {
                    let rest = data.get(start..)?;
                    end.checked_sub(start).filter(|&length| length <= rest.len()).map(|length| (rest, length))
                });
                value.map(Some).ok_or_else(|| Invalid::new(DECREASING))
            }
            Layout::Views { views, buffers } => view(views, buffers, row).map(Some),
            Layout::Listed(values) => match values.get(row) {
                Some(value) => Ok(Some((value, value.len()))),
                None => Err(Invalid::new("a missing value")),
            },
            // A dictionary has no dictionary of values.
            Layout::Null | Layout::Dictionary { .. } => Ok(None),
        }
    }
}

/// Calls `visit` with the values between offsets, as [`TextChunk::visit`] does.
#[inline]
fn visit_values<'a, T>(
    data: &'a [u8],
    offsets: impl Iterator<Item = i64>,
    mut visit: impl FnMut(Option<(&'a [u8], usize)>) -> ControlFlow<T>,
) -> Result<ControlFlow<T>, Invalid> {
    // A negative offset is beyond all data.
    let mut offsets = offsets.map(|offset| usize::try_from(offset).unwrap_or(usize::MAX));
    let Some(mut start) = offsets.next() else { return Ok(ControlFlow::Continue(())) };
    for end in offsets {
        let Some(rest) = data.get(start..).filter(|_| start <= end && end <= data.len()) else {
            return Err(Invalid::new(DECREASING));
        };
        if let ControlFlow::Break(value) = visit(Some((rest, end - start))) {
            return Ok(ControlFlow::Break(value));
        }
        start = end;
    }
    Ok(ControlFlow::Continue(()))
}

#[inline]
fn view<'a>(views: &'a [u8], buffers: &[&'a [u8]], row: usize) -> Result<(&'a [u8], usize), Invalid> {
    let start = row * VIEW_BYTES;
    let Some(view) = views.get(start..start + VIEW_BYTES) else { return Err(Invalid::new("missing views")) };
    let number = |at: usize| {
        let bytes: Option<[u8; 4]> = view[at..at + 4].try_into().ok();
        bytes.and_then(|bytes| usize::try_from(i32::from_ne_bytes(bytes)).ok())
    };
    let Some(length) = number(0) else { return Err(Invalid::new("a view of negative length")) };
    if length <= INLINE_BYTES {
        return Ok((&views[start + 4..], length));
    }
    let value = number(8)
        .zip(number(12))
        .and_then(|(buffer, offset)| buffers.get(buffer)?.get(offset..).filter(|rest| length <= rest.len()));
    value.map(|rest| (rest, length)).ok_or_else(|| Invalid::new("a view beyond its buffer"))
}
