//! The rows of a block, and the order in which they are decided.
//!
//! Rows of one file are decided one after the other, so that its index is read from memory once for all of them. Their
//! targets are copied to adjacent memory while the columns are read in their own order, because reading URLs in another
//! order waits for memory, too.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use canfetch::engine::tables::Profile;
use canfetch::engine::{RuleSet, has_origin, locate, target};

use super::agents::INVALID_AGENT;
use super::lookup::NULL;
use super::outcomes::{Outcome, Skipped, outcome};
use super::rows::Rows;
use super::tables::{NO_CONTENT, Tables};
use crate::arrow::Invalid;

/// The rows of a block for each file, so that most of an index is read from memory once for many of them. A block of
/// `MAX_ROWS` needs about 50 MB.
const ROWS_PER_FILE: usize = 128;
const MIN_ROWS: usize = 1 << 12;
const MAX_ROWS: usize = 1 << 19;
/// The answers of a block of more than `MIN_ROWS`, if each row has an answer for many agents.
const MAX_ANSWERS: usize = 1 << 23;
/// A block ends after a row with which its targets are at least as long as this.
const MAX_TARGET_BYTES: usize = 1 << 26;
/// Rows whose files and agents are found before their targets. Their numbers fit into the fastest cache of a processor.
const GATHERED_ROWS: usize = 1 << 10;
/// Rows whose indexes are read from memory together.
pub const TOUCHED_ROWS: usize = 16;
/// Fewer rows than this are decided in their own order.
const MIN_SORTED: usize = 64;
/// The lists to which rows are copied. The ends of more lists do not fit into the cache of a processor.
const BUCKET_BITS: u32 = 12;

/// A row that has a verdict: the numbers of its file and agent, and its target.
pub struct Row<'a> {
    pub file: u32,
    agent: u32,
    target: Target<'a>,
}

/// Where a target is.
#[derive(Clone, Copy)]
enum Target<'a> {
    /// In the column of URLs.
    Url(&'a [u8]),
    /// Among those that differ from their URL: where it begins, and its length.
    Rewritten(usize, usize),
}

impl Target<'_> {
    #[inline]
    fn length(self) -> usize {
        match self {
            Self::Url(bytes) => bytes.len(),
            Self::Rewritten(_, length) => length,
        }
    }
}

/// A row in the order of decisions.
#[derive(Clone, Copy)]
pub struct Placed<'t> {
    pub file: u32,
    pub agent: u32,
    pub target: &'t [u8],
}

/// Returns the length of a block for a number of files, and of agents that all rows have.
fn block_rows(files: usize, agents: usize) -> usize {
    let most = (MAX_ANSWERS / agents.max(1)).min(MAX_ROWS);
    files.saturating_mul(ROWS_PER_FILE).min(most).max(MIN_ROWS)
}

/// Returns where the path of a URL begins, or `None` if the URL is invalid. `origin` is what precedes the path of an
/// earlier URL, or nothing.
#[inline]
fn path<'a>(url: &'a [u8], origin: &mut &'a [u8]) -> Option<usize> {
    if !origin.is_empty() && has_origin(url, origin) {
        return Some(origin.len());
    }
    let located = locate(url)?;
    *origin = &url[..located.path];
    Some(located.path)
}

/// Returns a row, or why it has no verdict. A target that differs from its URL is appended to `rewritten`.
#[inline]
fn row<'a>(
    file: u32,
    agent: u32,
    url: Option<&'a [u8]>,
    origin: &mut &'a [u8],
    rewritten: &mut Vec<u8>,
    profile: &Profile,
) -> Result<Row<'a>, Skipped> {
    let url = url.filter(|_| file != NULL && agent != NULL).ok_or(Skipped::Null)?;
    if agent == INVALID_AGENT {
        return Err(Skipped::InvalidAgent);
    }
    let path = path(url, origin).ok_or(Skipped::InvalidURL)?;
    if file == NO_CONTENT {
        return Err(Skipped::NoRobots);
    }
    let target = target(url, path, profile);
    if let Some(outcome) = outcome(file) {
        return Err(without_rules(outcome, &target, profile));
    }
    let target = match target {
        Cow::Borrowed(bytes) => Target::Url(bytes),
        Cow::Owned(bytes) => {
            rewritten.extend_from_slice(&bytes);
            Target::Rewritten(rewritten.len() - bytes.len(), bytes.len())
        }
    };
    Ok(Row { file, agent, target })
}

/// Decides a row by the outcome that its file has in place of rules.
#[cold]
fn without_rules(outcome: Outcome, target: &[u8], profile: &Profile) -> Skipped {
    let is_exempt = profile.robots_txt_allowed && target == b"/robots.txt";
    if is_exempt && outcome.allowed == Some(false) { Skipped::RobotsTxt } else { Skipped::Outcome(outcome) }
}

/// The content or the agents that have to be added before the next block of rows.
pub enum Need<'a> {
    Nothing,
    Content(&'a [u8]),
    Agents(Vec<&'a [u8]>),
}

/// The rows of a block.
#[derive(Default)]
pub struct Block<'a> {
    /// In their own order.
    rows: Vec<Result<Row<'a>, Skipped>>,
    /// The targets that differ from their URLs.
    rewritten: Vec<u8>,
    /// The files and agents of the next rows.
    files: Vec<u32>,
    agents: Vec<u32>,
    /// Those that have a verdict, in the order of decisions.
    order: Vec<Place>,
    /// The targets in this order.
    targets: Vec<u8>,
    /// The rows and the bytes of each bucket, and then where its next row and its next target belong.
    ends: Vec<(usize, usize)>,
    /// Files whose numbers differ only in this many of the lowest bits have one bucket.
    shift: u32,
}

/// A row in the order of decisions.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// Its file, and in the lower half its agent.
    key: u64,
    /// Where its target is, and in the lowest bits its position in the block.
    start_and_position: u64,
    length: usize,
}

const POSITION_BITS: u32 = 19;
const _: () = assert!(MAX_ROWS <= 1 << POSITION_BITS);

impl Place {
    fn new(position: usize, row: &Row<'_>, start: usize) -> Self {
        Self {
            key: u64::from(row.file) << u32::BITS | u64::from(row.agent),
            start_and_position: (start as u64) << POSITION_BITS | position as u64,
            length: row.target.length(),
        }
    }

    /// The position of the row.
    #[inline]
    pub fn position(self) -> usize {
        self.start_and_position as usize & ((1 << POSITION_BITS) - 1)
    }

    #[inline]
    fn target(self) -> Range<usize> {
        let start = (self.start_and_position >> POSITION_BITS) as usize;
        start..start + self.length
    }

    #[inline]
    fn agent(self) -> u32 {
        self.key as u32
    }

    #[inline]
    fn file(self) -> u32 {
        (self.key >> u32::BITS) as u32
    }
}

impl<'a> Block<'a> {
    /// Finds the files and agents of a block of rows from `first` on, up to one whose file or agent is new.
    pub fn gather(&mut self, rows: &mut Rows<'_, 'a>, tables: &Tables, mut first: usize) -> Result<Need<'a>, Invalid> {
        self.rows.clear();
        self.rewritten.clear();
        let mut bytes = 0;
        // The bytes before the path of the last URL with an authority. Often the next URL begins with them.
        let mut origin: &[u8] = &[];
        let end = rows.length.min(first + block_rows(tables.files.len(), rows.chains().len()));
        self.rows.reserve(end - first);
        let bits = usize::BITS - tables.files.len().saturating_sub(1).leading_zeros();
        self.shift = if end - first < MIN_SORTED { bits } else { bits.saturating_sub(BUCKET_BITS) };
        self.ends.clear();
        self.ends.resize((tables.files.len() >> self.shift) + 1, (0, 0));
        while first < end {
            // Column by column, so that the processor reads several rows of a column at once.
            let near = first..end.min(first + GATHERED_ROWS);
            self.files.clear();
            self.agents.clear();
            let content = rows.files(near, tables, &mut self.files)?;
            rows.agents(first..first + self.files.len(), tables, &mut self.agents)?;
            let mut numbers = self.files.iter().zip(&self.agents);
            let Self { rows: found, rewritten, ends, shift, .. } = self;
            rows.urls(first..first + self.agents.len(), |url| {
                let Some((&file, &agent)) = numbers.next() else { return ControlFlow::Break(()) };
                let row = row(file, agent, url, &mut origin, rewritten, tables.profile);
                if let Ok(row) = &row {
                    let length = row.target.length();
                    let (bucket_rows, bucket_bytes) = &mut ends[(row.file >> *shift) as usize];
                    *bucket_rows += 1;
                    *bucket_bytes += length;
                    bytes += length;
                }
                found.push(row);
                first += 1;
                if bytes >= MAX_TARGET_BYTES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if bytes >= MAX_TARGET_BYTES {
                return Ok(Need::Nothing);
            }
            if self.agents.len() < self.files.len() {
                return Ok(Need::Agents(rows.new_agents(first..end, tables)?));
            }
            if let Some(content) = content {
                return Ok(Need::Content(content));
            }
        }
        Ok(Need::Nothing)
    }

    /// The rows, in their own order.
    pub fn rows(&self) -> &[Result<Row<'a>, Skipped>] {
        &self.rows
    }

    /// The rows that have a verdict, in the order of [`Self::sort`].
    pub fn order(&self) -> &[Place] {
        &self.order
    }

    /// A row of [`Self::order`].
    #[inline]
    pub fn placed(&self, place: Place) -> Placed<'_> {
        Placed { file: place.file(), agent: place.agent(), target: &self.targets[place.target()] }
    }

    /// Whether all rows have a verdict.
    pub fn is_complete(&self) -> bool {
        self.order.len() == self.rows.len()
    }

    /// Orders the rows that have a verdict, so that those of a file follow each other.
    pub fn sort(&mut self) {
        let mut next = (0, 0);
        for end in &mut self.ends {
            let (rows, bytes) = *end;
            *end = next;
            next = (next.0 + rows, next.1 + bytes);
        }
        self.order.resize(next.0, Place::default());
        if self.targets.len() < next.1 {
            self.targets.resize(next.1, 0);
        }
        for (position, row) in self.rows.iter().enumerate() {
            let Ok(row) = row else { continue };
            let target = match row.target {
                Target::Url(bytes) => bytes,
                Target::Rewritten(start, length) => &self.rewritten[start..start + length],
            };
            let (place, start) = &mut self.ends[(row.file >> self.shift) as usize];
            self.order[*place] = Place::new(position, row, *start);
            self.targets[*start..*start + target.len()].copy_from_slice(target);
            *place += 1;
            *start += target.len();
        }
        if self.shift > 0 {
            let mut first = 0;
            for &(end, _) in &self.ends {
                self.order[first..end].sort_unstable_by_key(|place| place.key);
                first = end;
            }
        }
    }
}

/// Reads the beginning of indexes before they are needed, those of several rows at once.
#[derive(Default)]
pub struct Toucher {
    file: Option<u32>,
    /// One bit for some agents of the file whose indexes have been read.
    agents: u64,
}

impl Toucher {
    /// Reads the beginning of the indexes for the next rows in the order of decisions.
    #[inline]
    pub fn touch(&mut self, tables: &Tables, near: &[Place]) {
        let mut sets: [Option<&RuleSet>; TOUCHED_ROWS] = [None; TOUCHED_ROWS];
        let mut count = 0;
        for place in near {
            let (file, bit) = (place.file(), 1 << (place.agent() % u64::BITS));
            if self.file != Some(file) {
                *self = Self { file: Some(file), agents: 0 };
            }
            if self.agents & bit == 0 {
                self.agents |= bit;
                sets[count % TOUCHED_ROWS] = Some(tables.rules_of(file, place.agent()));
                count += 1;
            }
        }
        // In a second loop, because each of these reads waits for the one before it.
        let touched = sets.iter().take(count).flatten().fold(0, |touched, set| touched ^ set.touch());
        std::hint::black_box(touched);
    }
}
