//! The numbers of the files and agents that rows name.

use std::ops::{ControlFlow, Range};

use super::short_values::ShortValues;
use crate::arrow::Invalid;
use crate::arrow::text::{Coded, TextChunk};

/// The number of a row that is null. No file and no agent has it.
pub const NULL: u32 = u32::MAX - 2;
/// A value of a dictionary that has not been looked up.
const UNKNOWN: u32 = u32::MAX - 1;
/// Values at the same address that are remembered.
const RECENT: usize = 1024;

/// Where a row is.
#[derive(Default)]
pub struct Place {
    /// The number of rows before and including each chunk.
    ends: Vec<usize>,
    chunk: usize,
    start: usize,
    /// Whether the only row is repeated.
    pub repeated: bool,
}

impl Place {
    /// The rows of chunks with these lengths.
    pub fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let mut total = 0;
        let ends = lengths.map(|length| {
            total += length;
            total
        });
        Self { ends: ends.collect(), ..Self::default() }
    }

    /// The number of rows, before one is repeated.
    pub fn total(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The chunk of a row, and its row in this chunk. Fast for rows in ascending order.
    #[inline]
    pub fn of(&mut self, row: usize) -> (usize, usize) {
        let row = if self.repeated { 0 } else { row };
        if row < self.start {
            (self.chunk, self.start) = (0, 0);
        }
        while self.ends[self.chunk] <= row {
            self.start = self.ends[self.chunk];
            self.chunk += 1;
        }
        (self.chunk, row - self.start)
    }

    /// The chunk of the first of some rows, its row in this chunk, and the number of rows that are in it.
    #[inline]
    pub fn part(&mut self, rows: Range<usize>) -> (usize, usize, usize) {
        let (chunk, first) = self.of(rows.start);
        (chunk, first, if self.repeated { 1 } else { rows.len().min(self.ends[chunk] - rows.start) })
    }

    /// Appends the number of each row to `found`: `read` appends those of some rows of a chunk, up to a value without a
    /// number, which it returns.
    #[inline]
    pub fn read<T>(
        &mut self,
        mut rows: Range<usize>,
        found: &mut Vec<u32>,
        mut read: impl FnMut(usize, Range<usize>, &mut Vec<u32>) -> Result<Option<T>, Invalid>,
    ) -> Result<Option<T>, Invalid> {
        while !rows.is_empty() {
            let (chunk, first, count) = self.part(rows.clone());
            if let Some(new) = read(chunk, first..first + count, found)? {
                return Ok(Some(new));
            }
            if let (true, Some(&number)) = (self.repeated, found.last()) {
                found.extend(std::iter::repeat_n(number, rows.len() - 1));
                break;
            }
            rows.start += count;
        }
        Ok(None)
    }
}

/// Finds the numbers of texts: once for each value of a dictionary, and otherwise once for each run of equal values.
pub struct Lookup<'c, 'a> {
    chunks: &'c [TextChunk<'a>],
    /// Where the rows are.
    pub place: Place,
    codes: Vec<u32>,
    codes_address: Option<[usize; 4]>,
    values: Values<'a>,
}

/// The values that were found last.
struct Values<'a> {
    last: Option<(&'a [u8], u32)>,
    recent: Vec<(usize, usize, u32)>,
    short: ShortValues,
}

impl<'c, 'a> Lookup<'c, 'a> {
    /// The rows of some chunks.
    pub fn new(chunks: &'c [TextChunk<'a>]) -> Self {
        let place = Place::new(chunks.iter().map(TextChunk::length));
        let recent = if chunks.iter().any(TextChunk::shares_values) { vec![(0, 0, 0); RECENT] } else { Vec::new() };
        let values = Values { last: None, recent, short: ShortValues::default() };
        Self { chunks, place, codes: Vec::new(), codes_address: None, values }
    }

    /// Forgets all numbers.
    pub fn forget(&mut self) {
        self.codes_address = None;
        self.values.forget();
    }

    /// Appends the numbers of rows to `found`, up to a value for which `number` returns none, and returns this value.
    pub fn find(
        &mut self,
        rows: Range<usize>,
        found: &mut Vec<u32>,
        number: impl Fn(&[u8]) -> Option<u32>,
    ) -> Result<Option<&'a [u8]>, Invalid> {
        let Self { chunks, place, codes, codes_address, values } = self;
        place.read(rows, found, |chunk, part, found| {
            let chunk = &chunks[chunk];
            let Some(coded) = chunk.coded() else { return values.find(chunk, part, found, &number) };
            if *codes_address != Some(coded.address) {
                codes.clear();
                codes.resize(coded.values.length(), UNKNOWN);
                *codes_address = Some(coded.address);
            }
            find_codes(codes, chunk, &coded, part, found, &number)
        })
    }
}

fn find_codes<'a>(
    numbers: &mut [u32],
    chunk: &TextChunk<'a>,
    coded: &Coded<'_, 'a>,
    rows: Range<usize>,
    found: &mut Vec<u32>,
    number: impl Fn(&[u8]) -> Option<u32>,
) -> Result<Option<&'a [u8]>, Invalid> {
    for row in rows {
        if chunk.is_null(row) {
            found.push(NULL);
            continue;
        }
        let code = coded.code(row)?;
        if numbers[code] == UNKNOWN {
            numbers[code] = match coded.values.get(code)? {
                None => NULL,
                Some(value) => match number(value) {
                    None => return Ok(Some(value)),
                    Some(number) => number,
                },
            };
        }
        found.push(numbers[code]);
    }
    Ok(None)
}

impl<'a> Values<'a> {
    fn forget(&mut self) {
        self.last = None;
        self.short.clear();
        self.recent.fill((0, 0, 0));
    }

    fn find(
        &mut self,
        chunk: &TextChunk<'a>,
        rows: Range<usize>,
        found: &mut Vec<u32>,
        number: impl Fn(&[u8]) -> Option<u32>,
    ) -> Result<Option<&'a [u8]>, Invalid> {
        let shared = chunk.shares_values();
        let visited = chunk.visit(rows, |value| {
            let Some((rest, length)) = value else {
                found.push(NULL);
                return ControlFlow::Continue(());
            };
            let value = &rest[..length];
            match self.short.get(rest, length).or_else(|| self.longer(value, shared, &number)) {
                Some(number) => {
                    found.push(number);
                    ControlFlow::Continue(())
                }
                None => ControlFlow::Break(value),
            }
        })?;
        Ok(visited.break_value())
    }

    fn longer(&mut self, value: &'a [u8], shared: bool, number: impl Fn(&[u8]) -> Option<u32>) -> Option<u32> {
        if let Some((last, number)) = self.last {
            if std::ptr::eq(last, value) || last == value {
                return Some(number);
            }
        }
        let (address, slot) = (value.as_ptr() as usize, (value.as_ptr() as usize >> 2 ^ value.len()) % RECENT);
        if shared && self.recent[slot].0 == address && self.recent[slot].1 == value.len() {
            return Some(self.recent[slot].2);
        }
        let number = number(value)?;
        self.last = Some((value, number));
        self.short.insert(value, number);
        if shared {
            self.recent[slot] = (address, value.len(), number);
        }
        Some(number)
    }
}
