//! Columns that Python passes as lists.

use std::collections::HashMap;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;

use super::array::Bits;
use crate::urls::text_bytes;

/// The values of a list.
pub enum List {
    /// Texts or bytes, or only nulls.
    Texts(ListedTexts),
    /// Integers.
    Integers(ListedIntegers),
}

/// The texts of a list. Rows with the same object share a value.
#[derive(Default)]
pub struct ListedTexts {
    /// The numbers of values, of 32 bits each.
    pub keys: Vec<u8>,
    /// The rows that are not null.
    pub valid: Bits,
    /// The values.
    pub values: Vec<Box<[u8]>>,
}

/// The integers of a list.
#[derive(Default)]
pub struct ListedIntegers {
    /// The numbers, of 64 bits each.
    pub numbers: Vec<u8>,
    /// The rows that are not null.
    pub valid: Bits,
    /// The rows whose number is above the largest `i64`, and wraps around.
    pub large: Bits,
}

/// Reads the values of a list: texts and bytes, or integers.
pub fn read_list<'py>(items: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<List> {
    let mut texts = ListedTexts::default();
    let mut integers = ListedIntegers::default();
    // The objects live as long as the map, so that no address is used twice.
    let mut known: HashMap<usize, u32> = HashMap::new();
    let mut objects = Vec::new();
    for item in items {
        let (is_text, is_integer) = (texts.values.is_empty(), integers.valid.set_count() == 0);
        if item.is_none() {
            texts.push(None);
            integers.push(None);
        } else if item.is_instance_of::<PyInt>() && is_text {
            texts.push(None);
            integers.push_object(&item);
        } else if let (Some(bytes), true) = (text_bytes(&item)?, is_integer) {
            let address = item.as_ptr() as usize;
            let key = if let Some(&key) = known.get(&address) {
                key
            } else {
                let key = u32::try_from(texts.values.len())
                    .map_err(|_| PyValueError::new_err("a list of more than 4294967295 values"))?;
                texts.values.push(bytes.into());
                known.insert(address, key);
                objects.push(item);
                key
            };
            texts.push(Some(key));
            integers.push(None);
        } else {
            return Err(PyTypeError::new_err(format!(
                "invalid value of type {} in a column: expected str or bytes, or only int",
                item.get_type().name()?
            )));
        }
    }
    Ok(if integers.valid.set_count() > 0 { List::Integers(integers) } else { List::Texts(texts) })
}

impl ListedTexts {
    fn push(&mut self, key: Option<u32>) {
        self.valid.push(key.is_some());
        self.keys.extend_from_slice(&key.unwrap_or(0).to_ne_bytes());
    }
}

impl ListedIntegers {
    fn push(&mut self, number: Option<i64>) {
        self.valid.push(number.is_some());
        self.large.push(false);
        self.numbers.extend_from_slice(&number.unwrap_or(0).to_ne_bytes());
    }

    fn push_object(&mut self, object: &Bound<'_, PyAny>) {
        match object.extract::<u64>() {
            Ok(number) if i64::try_from(number).is_err() => {
                self.valid.push(true);
                self.large.push(true);
                self.numbers.extend_from_slice(&number.to_ne_bytes());
            }
            // Represents all numbers that are too large.
            _ => self.push(Some(object.extract().unwrap_or(i64::MIN))),
        }
    }
}
