//! Files whose outcome decides, and not their rules: origins that were unavailable, unreachable or not resolved.

use super::loader::Content;
use crate::arrow::Invalid;
use crate::arrow::text::TextChunk;

/// The numbers of files from here on are outcomes. Larger ones have other meanings.
const FIRST: u32 = u32::MAX - 16;

/// What an outcome decides about each URL, and the value of the column `reason`.
#[derive(Clone, Copy)]
pub struct Outcome {
    pub allowed: Option<bool>,
    pub reason: &'static str,
}

/// In the order of `canfetch.bulk.parsed_files.OUTCOMES`.
const OUTCOMES: [Outcome; 7] = [
    Outcome { allowed: None, reason: "redirect-unresolved" },
    Outcome { allowed: Some(true), reason: "successful" },
    Outcome { allowed: Some(true), reason: "unavailable" },
    Outcome { allowed: Some(true), reason: "unreachable" },
    Outcome { allowed: Some(false), reason: "successful" },
    Outcome { allowed: Some(false), reason: "unavailable" },
    Outcome { allowed: Some(false), reason: "unreachable" },
];

/// The outcome with the number of a file, if it is one.
#[inline]
pub fn outcome(file: u32) -> Option<Outcome> {
    if file < FIRST { None } else { OUTCOMES.get((file - FIRST) as usize).copied() }
}

/// Where the contents of rows are.
pub struct Sources<'a> {
    /// The contents of all rows.
    chunks: Vec<TextChunk<'a>>,
    /// The first row of each chunk.
    starts: Vec<usize>,
    rows: usize,
    /// For each row that of its content, or a content of `further` after the last row, or an outcome below 0.
    of_rows: Option<Vec<i64>>,
    further: &'a [Vec<u8>],
}

impl<'a> Sources<'a> {
    /// Without `sources`, each row has its own content.
    pub fn new(chunks: Vec<TextChunk<'a>>, sources: Option<Vec<i64>>, further: &'a [Vec<u8>]) -> Result<Self, Invalid> {
        let mut rows = 0;
        let starts = chunks.iter().map(|chunk| {
            rows += chunk.length();
            rows - chunk.length()
        });
        let starts = starts.collect();
        match &sources {
            Some(sources) if sources.len() != rows => {
                Err(Invalid::new(format!("{} sources of {rows} files", sources.len())))
            }
            _ => Ok(Self { chunks, starts, rows, of_rows: sources, further }),
        }
    }

    /// The number of rows.
    pub fn length(&self) -> usize {
        self.rows
    }

    /// What each row has.
    pub fn contents(&self) -> impl Iterator<Item = Result<Content<'a>, Invalid>> + '_ {
        (0..self.rows).map(|row| match &self.of_rows {
            None => self.content(row),
            Some(sources) => self.of_source(sources[row]),
        })
    }

    fn of_source(&self, source: i64) -> Result<Content<'a>, Invalid> {
        let invalid = || Invalid::new(format!("a file with the source {source}"));
        let Ok(source) = usize::try_from(source) else {
            let number = u32::try_from(-1 - source).ok().map(|index| FIRST.saturating_add(index));
            return number.filter(|&number| outcome(number).is_some()).map(Content::Outcome).ok_or_else(invalid);
        };
        if source < self.rows {
            return self.content(source);
        }
        self.further.get(source - self.rows).map(|content| Content::Bytes(content)).ok_or_else(invalid)
    }

    fn content(&self, row: usize) -> Result<Content<'a>, Invalid> {
        let chunk = self.starts.partition_point(|&start| start <= row) - 1;
        Ok(self.chunks[chunk].get(row - self.starts[chunk])?.map_or(Content::Missing, Content::Bytes))
    }
}
