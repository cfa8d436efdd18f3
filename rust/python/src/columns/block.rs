//! The rows of a block, and the order in which they are decided.
//!
//! Rows of one file are decided one after the other, so that its index is read from memory once for all of them.

use super::results::Skipped;

/// The rows of a block for each file, so that a file has several, within limits: more rows than `MAX_ROWS` are no longer
/// in the cache of a processor when they are decided.
const ROWS_PER_FILE: usize = 8;
const MIN_ROWS: usize = 1 << 12;
const MAX_ROWS: usize = 1 << 15;
/// Fewer rows than this are decided in their own order.
const MIN_SORTED: usize = 64;
/// The bits of a file number that one pass sorts by.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// A row that has a verdict: numbers of its file and agent, and its URL with the start of the path.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub file: u32,
    pub agent: u32,
    pub path: usize,
    pub url: &'a [u8],
}

/// Returns the length of a block for a number of files.
pub fn block_rows(files: usize) -> usize {
    files.saturating_mul(ROWS_PER_FILE).clamp(MIN_ROWS, MAX_ROWS)
}

/// The rows of a block, in their order.
#[derive(Default)]
pub struct Block<'a> {
    rows: Vec<Result<Row<'a>, Skipped>>,
    order: Vec<u32>,
    sorted: Vec<u32>,
}

impl<'a> Block<'a> {
    /// Removes all rows.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Adds a row, or why it has no verdict.
    #[inline]
    pub fn push(&mut self, row: Result<Row<'a>, Skipped>) {
        self.rows.push(row);
    }

    /// The rows, in their order.
    pub fn rows(&self) -> &[Result<Row<'a>, Skipped>] {
        &self.rows
    }

    /// The positions of the rows that have a verdict, after [`Self::sort`].
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Orders the rows that have a verdict, so that those of a file follow each other.
    pub fn sort(&mut self, files: usize) {
        self.order.clear();
        self.order.extend((0..).zip(&self.rows).filter_map(|(position, row)| row.is_ok().then_some(position)));
        if self.order.len() >= MIN_SORTED {
            let bits = usize::BITS - files.saturating_sub(1).leading_zeros();
            for digit in 0..bits.div_ceil(DIGIT_BITS) {
                self.sort_by_digit(digit * DIGIT_BITS);
            }
        }
    }

    /// Sorts by some bits of the file number, and keeps the order of rows with the same bits.
    fn sort_by_digit(&mut self, shift: u32) {
        let digit = |position: u32| match &self.rows[position as usize] {
            Ok(row) => (row.file >> shift) as usize % DIGITS,
            Err(_) => 0,
        };
        let mut places = [0; DIGITS];
        for &position in &self.order {
            places[digit(position)] += 1;
        }
        let mut total = 0;
        for place in &mut places {
            total += std::mem::replace(place, total);
        }
        self.sorted.resize(self.order.len(), 0);
        for &position in &self.order {
            let place = &mut places[digit(position)];
            self.sorted[*place] = position;
            *place += 1;
        }
        std::mem::swap(&mut self.order, &mut self.sorted);
    }
}
