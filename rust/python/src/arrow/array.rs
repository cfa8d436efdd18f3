//! The arrays that canfetch returns, and what collects their values.

use std::ffi::CString;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::bitmaps::is_set;
use super::invalid::Invalid;

/// An array with its values.
#[derive(Debug)]
pub struct Array {
    /// The number of rows.
    pub length: usize,
    /// The number of rows that are null.
    pub null_count: usize,
    /// The rows that are not null, as a bitmap; absent if none is null.
    pub validity: Option<Vec<u8>>,
    /// The values.
    pub data: Data,
}

/// The values of an array, in the layout that Arrow defines for each type.
#[derive(Debug)]
pub enum Data {
    /// Bits.
    Bool(Vec<u8>),
    /// Numbers of 32 bits.
    Int32(Vec<i32>),
    /// Numbers of 64 bits.
    Int64(Vec<i64>),
    /// Floating-point numbers.
    Float64(Vec<f64>),
    /// Texts one after the other, and where each begins.
    Text { offsets: Vec<i32>, bytes: Vec<u8> },
    /// Lists of items one after the other, and where each begins.
    List { offsets: Vec<i32>, items: Arc<Array> },
    /// Fields with names.
    Struct(Vec<(CString, Arc<Array>)>),
}

impl Array {
    fn is_null(&self, row: usize) -> bool {
        self.validity.as_ref().is_some_and(|bitmap| !is_set(bitmap, row))
    }

    /// Returns a row as a Python object: `bool`, `int`, `float`, `str`, `list`, `dict` or `None`.
    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        if self.is_null(row) {
            return Ok(py.None().into_bound(py));
        }
        Ok(match &self.data {
            Data::Bool(bits) => is_set(bits, row).into_pyobject(py)?.to_owned().into_any(),
            Data::Int32(numbers) => numbers[row].into_pyobject(py)?.into_any(),
            Data::Int64(numbers) => numbers[row].into_pyobject(py)?.into_any(),
            Data::Float64(numbers) => numbers[row].into_pyobject(py)?.into_any(),
            Data::Text { offsets, bytes } => {
                let text = &bytes[range(offsets, row)];
                String::from_utf8_lossy(text).into_pyobject(py)?.into_any()
            }
            Data::List { offsets, items } => items.values(py, range(offsets, row))?.into_any(),
            Data::Struct(fields) => {
                let dict = PyDict::new(py);
                for (name, field) in fields {
                    dict.set_item(name.to_string_lossy(), field.value(py, row)?)?;
                }
                dict.into_any()
            }
        })
    }

    /// Returns some rows as Python objects.
    pub fn values<'py>(&self, py: Python<'py>, rows: std::ops::Range<usize>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for row in rows {
            list.append(self.value(py, row)?)?;
        }
        Ok(list)
    }
}

fn range(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    let offset = |row: usize| usize::try_from(offsets[row]).unwrap_or_default();
    offset(row)..offset(row + 1)
}

/// Collects the bits of a bitmap or of a boolean array.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    bytes: Vec<u8>,
    length: usize,
    set: usize,
}

impl Bits {
    /// Adds a bit.
    #[inline]
    pub fn push(&mut self, bit: bool) {
        if self.length % 8 == 0 {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.length % 8);
        }
        self.length += 1;
        self.set += usize::from(bit);
    }

    /// Adds bits, a byte of them at once.
    #[inline]
    pub fn extend(&mut self, mut bits: impl Iterator<Item = bool>) {
        while self.length % 8 != 0 {
            let Some(bit) = bits.next() else { return };
            self.push(bit);
        }
        loop {
            let (mut byte, mut count) = (0, 0);
            for bit in bits.by_ref().take(8) {
                byte |= u8::from(bit) << count;
                count += 1;
            }
            if count == 0 {
                return;
            }
            self.bytes.push(byte);
            self.length += count;
            self.set += byte.count_ones() as usize;
        }
    }

    /// The number of bits.
    pub fn len(&self) -> usize {
        self.length
    }

    /// A bit.
    #[inline]
    pub fn get(&self, bit: usize) -> bool {
        is_set(&self.bytes, bit)
    }

    /// The number of bits that are set.
    pub fn set_count(&self) -> usize {
        self.set
    }

    /// The bits.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn into_validity(self) -> (usize, Option<Vec<u8>>) {
        let nulls = self.length - self.set;
        (nulls, (nulls > 0).then_some(self.bytes))
    }

    /// An array of booleans, with the rows that are not null.
    pub fn into_array(self, valid: Self) -> Array {
        Array::new(self.length, valid, Data::Bool(self.bytes))
    }
}

impl Array {
    /// Creates an array, with the rows that are not null.
    pub fn new(length: usize, valid: Bits, data: Data) -> Self {
        let (null_count, validity) = valid.into_validity();
        Self { length, null_count, validity, data }
    }
}

/// Collects texts.
#[derive(Debug)]
pub struct Texts {
    valid: Bits,
    offsets: Vec<i32>,
    bytes: Vec<u8>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { valid: Bits::default(), offsets: vec![0], bytes: Vec::new() }
    }
}

impl Texts {
    /// Adds a text, which is valid UTF-8, or a null.
    #[inline]
    pub fn push(&mut self, text: Option<&str>) -> Result<(), Invalid> {
        self.valid.push(text.is_some());
        self.bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
        self.offsets.push(offset(self.bytes.len())?);
        Ok(())
    }

    /// The array.
    pub fn into_array(self) -> Array {
        let data = Data::Text { offsets: self.offsets, bytes: self.bytes };
        Array::new(self.valid.len(), self.valid, data)
    }
}

/// Returns an offset of 32 bits.
pub fn offset(bytes: usize) -> Result<i32, Invalid> {
    i32::try_from(bytes).map_err(|_| Invalid::LargeResult)
}
