//! The output of a call.

use crate::failure::Failure;

/// A buffer to which numbers and bytes are appended.
#[derive(Debug, Default)]
pub struct Output(Vec<u8>);

impl Output {
    /// The bytes so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Removes everything, and makes room for this many bytes.
    pub fn clear(&mut self, length: usize) -> Result<(), Failure> {
        self.0.clear();
        self.0.try_reserve(length).map_err(|_| Failure::TooLarge)
    }

    /// Appends a number.
    pub fn number(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Appends a number, and then as many others.
    pub fn numbers(&mut self, numbers: &[u32]) {
        self.number(numbers.len() as u32);
        for &number in numbers {
            self.number(number);
        }
    }

    /// Appends bytes without their number.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Appends the number of bytes, and then the bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u32);
        self.raw(bytes);
    }
}

/// Returns a list that contains a value this many times.
pub fn filled<T: Clone>(value: T, length: usize) -> Result<Vec<T>, Failure> {
    let mut list = Vec::new();
    list.try_reserve_exact(length).map_err(|_| Failure::TooLarge)?;
    list.resize(length, value);
    Ok(list)
}
