//! The rows of a block, and the order in which they are decided.
//!
//! Rows of one file are decided one after the other, so that its index is read from memory once for all of them.

use canfetch_core::locate;

use super::results::{Skipped, rules_of};
use super::rows::{Found, Rows};
use super::tables::{INVALID_AGENT, NO_CONTENT, Tables};
use crate::arrow::Invalid;

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
fn block_rows(files: usize) -> usize {
    files.saturating_mul(ROWS_PER_FILE).clamp(MIN_ROWS, MAX_ROWS)
}

/// What a block of rows needs before the next one.
pub enum Need<'a> {
    Nothing,
    Content(&'a [u8]),
    Agent(&'a [u8]),
}

/// The rows of a block, in their order.
#[derive(Default)]
pub struct Block<'a> {
    rows: Vec<Result<Row<'a>, Skipped>>,
    order: Vec<u32>,
    sorted: Vec<u32>,
}

impl<'a> Block<'a> {
    /// Finds the files and agents of a block of rows from `first` on, up to one whose file or agent is new.
    pub fn gather(&mut self, rows: &mut Rows<'_, 'a>, tables: &Tables, first: usize) -> Result<Need<'a>, Invalid> {
        self.rows.clear();
        for row in first..rows.length.min(first + block_rows(tables.files.len())) {
            let file = match rows.file(row, tables)? {
                Found::Null => None,
                Found::Number(number) => Some(number),
                Found::New(content) => return Ok(Need::Content(content)),
            };
            let agent = match rows.agent(row, tables)? {
                Found::Null => None,
                Found::Number(number) => Some(number),
                Found::New(name) => return Ok(Need::Agent(name)),
            };
            self.rows.push(match (file, agent, rows.url(row)?) {
                (Some(_), Some(INVALID_AGENT), Some(_)) => Err(Skipped::InvalidAgent),
                (Some(file), Some(agent), Some(url)) => match locate(url) {
                    None => Err(Skipped::InvalidURL),
                    Some(_) if file == NO_CONTENT => Err(Skipped::NoRobots),
                    Some(located) => Ok(Row { file, agent, path: located.path, url }),
                },
                _ => Err(Skipped::Null),
            });
        }
        Ok(Need::Nothing)
    }

    /// The rows, in their order.
    pub fn rows(&self) -> &[Result<Row<'a>, Skipped>] {
        &self.rows
    }

    /// Reads the beginning of the indexes that some rows need, for all of them at once.
    #[inline]
    pub fn touch(&self, tables: &Tables, positions: &[u32]) {
        let mut last = None;
        let mut touched = 0;
        for &position in positions {
            if let Ok(row) = self.rows[position as usize] {
                if last != Some((row.file, row.agent)) {
                    last = Some((row.file, row.agent));
                    touched ^= rules_of(tables, row.file, row.agent).touch();
                }
            }
        }
        std::hint::black_box(touched);
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
