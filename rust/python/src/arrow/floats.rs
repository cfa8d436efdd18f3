//! Columns of floating-point numbers. pandas has them for columns without a value, and for integers with missing ones.

use super::integers::Integer;
use super::types::type_name;
use super::{Invalid, Node};

/// All whole numbers up to this one are exact.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Some floating-point numbers in a buffer.
#[derive(Clone, Copy)]
pub struct Floats<'a> {
    bytes: &'a [u8],
    format: &'a str,
}

/// Whether a format is that of a type that pandas has in the place of others.
pub fn is_float(format: &str) -> bool {
    matches!(format, "f" | "g")
}

impl<'a> Floats<'a> {
    /// The numbers of an array, from its first row on.
    pub fn new(node: &Node<'a>) -> Result<Self, Invalid> {
        let format = node.schema().format();
        let mut floats = Self { bytes: &[], format };
        if node.length() > 0 {
            let width = floats.width();
            floats.bytes = node.buffer(1, node.end()?, width)?.get(node.offset() * width..).unwrap_or_default();
        }
        Ok(floats)
    }

    fn width(self) -> usize {
        if self.format == "f" { 4 } else { 8 }
    }

    fn get(self, row: usize) -> Option<f64> {
        let width = self.width();
        let bytes = self.bytes.get(row.checked_mul(width)?..)?;
        if width == 4 {
            bytes.first_chunk().map(|four| f64::from(f32::from_ne_bytes(*four)))
        } else {
            bytes.first_chunk().map(|eight| f64::from_ne_bytes(*eight))
        }
    }

    /// Whether a row that is not null has a number.
    pub fn has_number(self, row: usize) -> bool {
        self.get(row).is_some_and(|number| !number.is_nan())
    }

    /// The whole number in a row that is not null.
    pub fn whole(self, row: usize) -> Result<Integer, Invalid> {
        let Some(number) = self.get(row) else { return Err(Invalid::new("missing numbers")) };
        if number.is_nan() {
            return Ok(Integer::Null);
        }
        if number.abs() < LARGEST_WHOLE && number.fract() == 0.0 {
            // Exact, as just checked.
            #[allow(clippy::cast_possible_truncation)]
            return Ok(Integer::Number(number as i64));
        }
        let name = type_name(self.format);
        Err(Invalid::new(format!(
            "an ID {number:?} in a column of type {name}: expected integers below 2^53; use a type of integers that can be \
             null, such as Int64 of pandas"
        )))
    }
}
