//! Columns of integers, and of floating-point numbers in their place: pandas has them for columns without a value, and for
//! integers with missing ones.

use std::ops::Range;

use pyo3::Python;
use pyo3::types::PyFloat;

use super::bitmaps::is_set;
use super::interface::{Imported, Node, SchemaNode};
use super::invalid::Invalid;
use super::lists::ListedIntegers;
use super::types::type_name;
use super::validity::Validity;

/// Whether a format is that of an integer type.
pub fn is_integer(format: &str) -> bool {
    width_and_sign(format).is_some()
}

/// Whether a column has integers, or is a dictionary of them.
pub fn has_integers(schema: SchemaNode<'_>) -> Result<bool, Invalid> {
    has_values(schema, is_integer)
}

/// Whether a column of IDs has numbers, or is a dictionary of them. Floating-point numbers have to be whole.
pub fn has_numbers(schema: SchemaNode<'_>) -> Result<bool, Invalid> {
    has_values(schema, |format| is_integer(format) || is_float(format))
}

fn has_values(schema: SchemaNode<'_>, is_accepted: impl Fn(&str) -> bool) -> Result<bool, Invalid> {
    Ok(match schema.dictionary()? {
        None => is_accepted(schema.format()),
        Some(values) => is_accepted(values.format()) && values.dictionary()?.is_none(),
    })
}

fn width_and_sign(format: &str) -> Option<(usize, bool)> {
    Some(match format {
        "c" => (1, true),
        "C" => (1, false),
        "s" => (2, true),
        "S" => (2, false),
        "i" => (4, true),
        "I" => (4, false),
        "l" => (8, true),
        "L" => (8, false),
        _ => return None,
    })
}

/// Some numbers in a buffer.
#[derive(Clone, Copy)]
pub struct Integers<'a> {
    bytes: &'a [u8],
    width: usize,
    signed: bool,
}

impl<'a> Integers<'a> {
    /// The numbers of an array, from its first row on.
    pub fn new(node: &Node<'a>, format: &str) -> Result<Self, Invalid> {
        let mut numbers = Self::new_in(&[], format)?;
        let bytes = node.buffer(1, if node.length() == 0 { 0 } else { node.end()? }, numbers.width)?;
        numbers.bytes = bytes.get(node.offset() * numbers.width..).unwrap_or_default();
        Ok(numbers)
    }

    /// The numbers in some bytes.
    pub fn new_in(bytes: &'a [u8], format: &str) -> Result<Self, Invalid> {
        match width_and_sign(format) {
            Some((width, signed)) => Ok(Self { bytes, width, signed }),
            None => Err(Invalid::new(format!("a column of type {}: expected integers", type_name(format)))),
        }
    }

    /// Where the numbers are in memory.
    pub fn address(self) -> usize {
        self.bytes.as_ptr() as usize
    }

    /// A number. Numbers above the largest `i64` wrap around.
    #[inline]
    pub fn get(self, row: usize) -> Option<i64> {
        let start = row.checked_mul(self.width)?;
        let bytes = self.bytes.get(start..start + self.width)?;
        Some(match (bytes, self.signed) {
            (&[a], true) => i64::from(i8::from_ne_bytes([a])),
            (&[a], false) => i64::from(a),
            (&[a, b], true) => i64::from(i16::from_ne_bytes([a, b])),
            (&[a, b], false) => i64::from(u16::from_ne_bytes([a, b])),
            (&[a, b, c, d], true) => i64::from(i32::from_ne_bytes([a, b, c, d])),
            (&[a, b, c, d], false) => i64::from(u32::from_ne_bytes([a, b, c, d])),
            _ => i64::from_ne_bytes(bytes.try_into().ok()?),
        })
    }

    /// Two numbers that follow each other: where a value begins, and where it ends.
    #[inline]
    pub fn bounds(self, row: usize) -> Option<(usize, usize)> {
        if self.width == 4 && self.signed {
            let both: &[u8; 8] = self.bytes.get(row.checked_mul(4)?..)?.first_chunk()?;
            let number = |four: Option<&[u8; 4]>| usize::try_from(i32::from_ne_bytes(*four?)).ok();
            return number(both.first_chunk()).zip(number(both.last_chunk()));
        }
        let bound = |row: usize| self.get(row).and_then(|offset| usize::try_from(offset).ok());
        bound(row).zip(bound(row + 1))
    }

    /// The bytes of some numbers, if they are signed numbers of `WIDTH` bytes.
    #[inline]
    pub fn signed<const WIDTH: usize>(self, rows: Range<usize>) -> Option<impl Iterator<Item = [u8; WIDTH]>> {
        if self.width != WIDTH || !self.signed {
            return None;
        }
        let bytes = self.bytes.get(rows.start.checked_mul(WIDTH)?..rows.end.checked_mul(WIDTH)?)?;
        Some(bytes.chunks_exact(WIDTH).filter_map(|number| number.first_chunk().copied()))
    }

    /// Whether a number is above the largest `i64`, and wraps around.
    #[inline]
    fn is_large(self, number: i64) -> bool {
        number < 0 && !self.signed && self.width == 8
    }
}

/// A column of integers.
pub struct IntegerChunk<'a> {
    length: usize,
    validity: Validity<'a>,
    /// The numbers, or the keys of a dictionary.
    numbers: Integers<'a>,
    /// The rows of a list whose number wraps around.
    large: &'a [u8],
    /// In the place of the numbers.
    floats: Option<Floats<'a>>,
    dictionary: Option<Box<IntegerChunk<'a>>>,
}

/// A value of a column of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    /// The row is null.
    Null,
    /// The number.
    Number(i64),
    /// A number from 2^63 on.
    Large(u64),
    /// A number that is not between -2^63 and 2^64, both excluded.
    TooLarge,
}

impl Integer {
    /// A signed number. Lists have the lowest one in the place of all that do not fit.
    #[inline]
    fn of(number: i64) -> Self {
        if number == i64::MIN { Self::TooLarge } else { Self::Number(number) }
    }
}

impl<'a> IntegerChunk<'a> {
    /// Reads the chunks of a column.
    pub fn read(imported: &'a Imported) -> Result<Vec<Self>, Invalid> {
        imported.chunks()?.into_iter().map(|node| Self::new(&node.single_column()?)).collect()
    }

    /// Reads an array.
    pub fn new(node: &Node<'a>) -> Result<Self, Invalid> {
        let format = node.schema().format();
        let (numbers, floats) = if is_float(format) {
            (Integers::new_in(&[], "l")?, Some(Floats::new(node)?))
        } else {
            (Integers::new(node, format)?, None)
        };
        let dictionary = node.dictionary()?.map(|values| Self::new(&values).map(Box::new)).transpose()?;
        Ok(Self { length: node.length(), validity: Validity::new(node)?, numbers, large: &[], floats, dictionary })
    }

    /// Reads a list.
    pub fn listed(integers: &'a ListedIntegers) -> Result<Self, Invalid> {
        let numbers = Integers::new_in(&integers.numbers, "l")?;
        let validity = Validity::listed(integers.valid.bytes());
        let large = integers.large.bytes();
        Ok(Self { length: integers.valid.len(), validity, numbers, large, floats: None, dictionary: None })
    }

    /// The number of rows.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Calls `visit` with the number in each of some rows.
    #[inline]
    pub fn visit(&self, rows: Range<usize>, mut visit: impl FnMut(Integer)) -> Result<(), Invalid> {
        // The usual types, so that their loops have no other branches.
        let has_others = self.floats.is_some() || self.dictionary.is_some() || !self.large.is_empty();
        if self.validity.is_empty() && !has_others {
            if let Some(numbers) = self.numbers.signed(rows.clone()) {
                numbers.for_each(|number| visit(Integer::Number(i64::from(i32::from_ne_bytes(number)))));
                return Ok(());
            }
            if let Some(numbers) = self.numbers.signed(rows.clone()) {
                numbers.for_each(|number| visit(Integer::of(i64::from_ne_bytes(number))));
                return Ok(());
            }
        }
        for row in rows {
            visit(self.get(row)?);
        }
        Ok(())
    }

    /// The number in a row.
    #[inline]
    pub fn get(&self, row: usize) -> Result<Integer, Invalid> {
        if self.validity.is_null(row) {
            return Ok(Integer::Null);
        }
        if let Some(floats) = self.floats {
            return floats.whole(row);
        }
        let Some(number) = self.numbers.get(row) else { return Err(Invalid::new("missing numbers")) };
        if let Some(values) = &self.dictionary {
            return match usize::try_from(number) {
                Ok(key) if key < values.length => values.get(key),
                _ => Err(Invalid::new("a key that is not in the dictionary")),
            };
        }
        if self.numbers.is_large(number) || is_set(self.large, row) {
            return Ok(Integer::Large(u64::from_ne_bytes(number.to_ne_bytes())));
        }
        Ok(Integer::of(number))
    }
}

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
        // Formatted by Python: Rust would add 17 KB to the module, which formats no other floating-point numbers.
        let number = Python::attach(|py| PyFloat::new(py, number).to_string());
        let name = type_name(self.format);
        Err(Invalid::new(format!(
            "an ID {number} in a column of type {name}: expected integers below 2^53; use a type of integers that can be \
             null, such as Int64 of pandas"
        )))
    }
}
