//! The rows of a block, and the order in which they are decided.
//!
//! Rows of one file are decided one after the other, so that its index is read from memory once for all of them.

use canfetch_core::{RuleSet, locate};

use super::file_entry::AGENTS_LIMIT;
use super::results::{Skipped, rules_of};
use super::rows::{Found, Rows};
use super::tables::{INVALID_AGENT, NO_CONTENT, Tables};
use crate::arrow::Invalid;

/// The rows of a block for each file, so that most of an index is read from memory once for several of them. More rows
/// than `MAX_ROWS` are no longer in the cache of a processor when they are decided.
const ROWS_PER_FILE: usize = 64;
const MIN_ROWS: usize = 1 << 12;
const MAX_ROWS: usize = 1 << 18;
/// Rows whose URLs and indexes are read from memory together.
pub const TOUCHED_ROWS: usize = 16;
/// Fewer rows than this are decided in their own order.
const MIN_SORTED: usize = 64;
/// The bits of a file number that one pass sorts by.
const DIGIT_BITS: u32 = 12;
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
    order: Vec<Place>,
    sorted: Vec<Place>,
}

/// Where a row belongs: its position in the block in the lowest bits, then its agent, then its file. So sorting and
/// touching read no rows, which are far apart in memory.
#[derive(Clone, Copy, Default)]
pub struct Place(u64);

const POSITION_BITS: u32 = 18;
const AGENT_BITS: u32 = 14;
const _: () = assert!(MAX_ROWS <= 1 << POSITION_BITS && AGENTS_LIMIT <= 1 << AGENT_BITS);

impl Place {
    fn new(position: usize, row: &Row<'_>) -> Self {
        let agent_and_position = u64::from(row.agent) << POSITION_BITS | position as u64;
        Self(u64::from(row.file) << (AGENT_BITS + POSITION_BITS) | agent_and_position)
    }

    /// The position of the row.
    #[inline]
    pub fn position(self) -> usize {
        self.0 as usize & ((1 << POSITION_BITS) - 1)
    }

    #[inline]
    fn agent(self) -> u32 {
        (self.0 >> POSITION_BITS) as u32 & ((1 << AGENT_BITS) - 1)
    }

    #[inline]
    fn file(self) -> u32 {
        (self.0 >> (AGENT_BITS + POSITION_BITS)) as u32
    }
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

    /// Reads the URLs of some rows, and the beginning of the indexes that they need, for all of them at once.
    #[inline]
    pub fn touch<'t>(&self, tables: &'t Tables, near: &[Place]) {
        let mut touched = 0;
        let mut sets: [Option<&'t RuleSet>; TOUCHED_ROWS] = [None; TOUCHED_ROWS];
        let mut count = 0;
        let mut last = None;
        for place in near {
            if let Ok(row) = &self.rows[place.position()] {
                touched ^= row.url.get(row.path).copied().map_or(0, u32::from);
            }
            let file_and_agent = (place.file(), place.agent());
            if last != Some(file_and_agent) {
                last = Some(file_and_agent);
                sets[count % TOUCHED_ROWS] = Some(rules_of(tables, place.file(), place.agent()));
                count += 1;
            }
        }
        // In a second loop, because each of these reads waits for the one before it.
        for set in sets.iter().take(count).flatten() {
            touched ^= set.touch();
        }
        std::hint::black_box(touched);
    }

    /// The rows that have a verdict, in the order of [`Self::sort`].
    pub fn order(&self) -> &[Place] {
        &self.order
    }

    /// Orders the rows that have a verdict, so that those of a file follow each other, and those of an agent within them.
    pub fn sort(&mut self, tables: &Tables) {
        self.order.clear();
        let rows = self.rows.iter().enumerate();
        self.order.extend(rows.filter_map(|(position, row)| Some(Place::new(position, row.as_ref().ok()?))));
        if self.order.len() >= MIN_SORTED {
            self.sort_by(Place::agent, tables.chains.len());
            self.sort_by(Place::file, tables.files.len());
        }
    }

    /// Sorts by a number that is smaller than `limit`, and keeps the order of rows with the same number.
    fn sort_by(&mut self, number: impl Fn(Place) -> u32, limit: usize) {
        let bits = usize::BITS - limit.saturating_sub(1).leading_zeros();
        for pass in 0..bits.div_ceil(DIGIT_BITS) {
            let digit = |place| (number(place) >> (pass * DIGIT_BITS)) as usize % DIGITS;
            let mut starts = [0_u32; DIGITS];
            for &place in &self.order {
                starts[digit(place)] += 1;
            }
            let mut total = 0;
            for start in &mut starts {
                total += std::mem::replace(start, total);
            }
            self.sorted.resize(self.order.len(), Place::default());
            for &place in &self.order {
                let next = &mut starts[digit(place)];
                self.sorted[*next as usize] = place;
                *next += 1;
            }
            std::mem::swap(&mut self.order, &mut self.sorted);
        }
    }
}
