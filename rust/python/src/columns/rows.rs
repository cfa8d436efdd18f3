//! The file, the agent and the URL of each row.

use std::collections::HashSet;
use std::ops::Range;

use super::agents::INVALID_AGENT;
use super::hashing::Hashing;
use super::short_values::ShortValues;
use super::tables::{NO_CONTENT, Tables};
use crate::arrow::Invalid;
use crate::arrow::integers::{Integer, IntegerChunk};
use crate::arrow::text::TextChunk;
use crate::arrow::values::Chunks;

/// Numbers that no file and no agent has.
const UNKNOWN: u32 = u32::MAX - 1;
const NULL: u32 = u32::MAX - 2;
/// Values at the same address that are remembered.
const RECENT: usize = 1024;
/// The new agents that are resolved together, and their bytes.
const NEW_AGENTS: usize = 1 << 14;
const NEW_BYTES: usize = 1 << 22;

/// Where a row is.
#[derive(Default)]
struct Place {
    /// The number of rows before and including each chunk.
    ends: Vec<usize>,
    chunk: usize,
    start: usize,
    /// Whether the only row is repeated.
    repeated: bool,
}

impl Place {
    fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let mut total = 0;
        let ends = lengths.map(|length| {
            total += length;
            total
        });
        Self { ends: ends.collect(), ..Self::default() }
    }

    fn total(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Allows to visit rows again.
    fn rewind(&mut self) {
        self.chunk = 0;
        self.start = 0;
    }

    /// The chunk of a row, and its row in this chunk. Rows are visited in ascending order.
    #[inline]
    fn of(&mut self, row: usize) -> (usize, usize) {
        let row = if self.repeated { 0 } else { row };
        while self.ends[self.chunk] <= row {
            self.start = self.ends[self.chunk];
            self.chunk += 1;
        }
        (self.chunk, row - self.start)
    }
}

/// What a column has in a row.
pub enum Found<'a> {
    /// A null.
    Null,
    /// The number of a file or an agent.
    Number(u32),
    /// A value that has no number yet.
    New(&'a [u8]),
}

/// Finds the numbers of texts: once for each value of a dictionary, and otherwise once for each run of equal values.
struct Lookup<'c, 'a> {
    chunks: &'c [TextChunk<'a>],
    place: Place,
    codes: Vec<u32>,
    codes_address: Option<[usize; 4]>,
    last: Option<(&'a [u8], u32)>,
    recent: Vec<(usize, usize, u32)>,
    short: ShortValues,
}

impl<'c, 'a> Lookup<'c, 'a> {
    fn new(chunks: &'c [TextChunk<'a>]) -> Self {
        let place = Place::new(chunks.iter().map(TextChunk::length));
        let recent = if chunks.iter().any(TextChunk::shares_values) { vec![(0, 0, 0); RECENT] } else { Vec::new() };
        Self {
            chunks,
            place,
            codes: Vec::new(),
            codes_address: None,
            last: None,
            recent,
            short: ShortValues::default(),
        }
    }

    /// Forgets all numbers.
    fn forget(&mut self) {
        self.codes_address = None;
        self.last = None;
        self.short.clear();
        self.recent.fill((0, 0, 0));
    }

    #[inline]
    fn find(&mut self, row: usize, number: impl FnOnce(&[u8]) -> Option<u32>) -> Result<Found<'a>, Invalid> {
        let (chunk, row) = self.place.of(row);
        let chunk = &self.chunks[chunk];
        if chunk.is_null(row) {
            return Ok(Found::Null);
        }
        let Some(coded) = chunk.coded() else { return self.find_value(chunk, row, number) };
        if self.codes_address != Some(coded.address) {
            self.codes.clear();
            self.codes.resize(coded.values.length(), UNKNOWN);
            self.codes_address = Some(coded.address);
        }
        let code = coded.code(row)?;
        Ok(match self.codes[code] {
            UNKNOWN => match coded.values.get(code)? {
                None => {
                    self.codes[code] = NULL;
                    Found::Null
                }
                Some(value) => match number(value) {
                    None => Found::New(value),
                    Some(number) => {
                        self.codes[code] = number;
                        Found::Number(number)
                    }
                },
            },
            NULL => Found::Null,
            number => Found::Number(number),
        })
    }

    #[inline]
    fn find_value(
        &mut self,
        chunk: &TextChunk<'a>,
        row: usize,
        number: impl FnOnce(&[u8]) -> Option<u32>,
    ) -> Result<Found<'a>, Invalid> {
        let Some(value) = chunk.get(row)? else { return Ok(Found::Null) };
        if let Some(number) = self.short.get(value) {
            return Ok(Found::Number(number));
        }
        if let Some((last, number)) = self.last {
            if std::ptr::eq(last, value) || last == value {
                return Ok(Found::Number(number));
            }
        }
        let (address, slot) = (value.as_ptr() as usize, (value.as_ptr() as usize >> 2 ^ value.len()) % RECENT);
        if chunk.shares_values() && self.recent[slot].0 == address && self.recent[slot].1 == value.len() {
            return Ok(Found::Number(self.recent[slot].2));
        }
        let Some(number) = number(value) else { return Ok(Found::New(value)) };
        self.last = Some((value, number));
        self.short.insert(value, number);
        if chunk.shares_values() {
            self.recent[slot] = (address, value.len(), number);
        }
        Ok(Found::Number(number))
    }
}

/// The files of rows.
enum Files<'c, 'a> {
    Texts(Lookup<'c, 'a>),
    Integers(&'c [IntegerChunk<'a>], Place),
}

/// The agents of rows.
enum Agents<'c, 'a> {
    Texts(Lookup<'c, 'a>),
    /// The same agents in all rows, as numbers.
    Chains(Vec<u32>),
}

/// The columns of a call.
pub struct Rows<'c, 'a> {
    /// The number of rows.
    pub length: usize,
    files: Files<'c, 'a>,
    agents: Agents<'c, 'a>,
    urls: (&'c [TextChunk<'a>], Place),
}

impl<'c, 'a> Rows<'c, 'a> {
    /// Combines columns of the same length. A column with one row is repeated. Without a column of agents, all rows have
    /// the same ones. `further` is the length of a column that is read elsewhere.
    pub fn new(
        files: &'c Chunks<'a>,
        agents: Option<&'c Chunks<'a>>,
        urls: &'c Chunks<'a>,
        by_content: bool,
        further: Option<usize>,
    ) -> Result<Self, Invalid> {
        let mut files = match files {
            Chunks::Text(chunks) => Files::Texts(Lookup::new(chunks)),
            Chunks::Integers(_) if by_content => {
                return Err(Invalid::new("a column of integers: expected the content of files"));
            }
            Chunks::Integers(chunks) => Files::Integers(chunks, Place::new(chunks.iter().map(IntegerChunk::length))),
        };
        let mut agents = match agents {
            Some(Chunks::Text(chunks)) => Agents::Texts(Lookup::new(chunks)),
            Some(Chunks::Integers(_)) => return Err(Invalid::new("a column of integers: expected agents")),
            None => Agents::Chains(Vec::new()),
        };
        let Chunks::Text(urls) = urls else {
            return Err(Invalid::new("a column of integers: expected URLs"));
        };
        let mut url_place = Place::new(urls.iter().map(TextChunk::length));
        let mut places = vec![
            match &mut files {
                Files::Texts(lookup) => &mut lookup.place,
                Files::Integers(_, place) => place,
            },
            &mut url_place,
        ];
        if let Agents::Texts(lookup) = &mut agents {
            places.push(&mut lookup.place);
        }
        let lengths: Vec<_> = places.iter().map(|place| place.total()).chain(further).collect();
        let length = lengths.iter().copied().find(|&length| length != 1).unwrap_or(1);
        if lengths.iter().any(|&other| other != 1 && other != length) {
            let shown: Vec<_> = lengths.iter().map(usize::to_string).collect();
            return Err(Invalid::new(format!("columns with different numbers of rows: {}", shown.join(", "))));
        }
        for place in places {
            place.repeated = place.total() == 1;
        }
        Ok(Self { length, files, agents, urls: (urls, url_place) })
    }

    /// Forgets all numbers of files and agents.
    pub fn forget(&mut self, chains: Vec<u32>) {
        if let Files::Texts(lookup) = &mut self.files {
            lookup.forget();
        }
        match &mut self.agents {
            Agents::Texts(lookup) => lookup.forget(),
            Agents::Chains(numbers) => *numbers = chains,
        }
    }

    /// Allows to visit rows again, which are otherwise visited in ascending order.
    pub fn rewind(&mut self) {
        match &mut self.files {
            Files::Texts(lookup) => lookup.place.rewind(),
            Files::Integers(_, place) => place.rewind(),
        }
        if let Agents::Texts(lookup) = &mut self.agents {
            lookup.place.rewind();
        }
        self.urls.1.rewind();
    }

    /// The file of a row. An ID that is not in the table is [`NO_CONTENT`].
    #[inline]
    pub fn file(&mut self, row: usize, tables: &Tables) -> Result<Found<'a>, Invalid> {
        match &mut self.files {
            Files::Texts(lookup) => lookup.find(row, |key| match tables.file_of_text(key) {
                None if !tables.has_contents() => Some(NO_CONTENT),
                found => found,
            }),
            Files::Integers(chunks, place) => {
                let (chunk, row) = place.of(row);
                Ok(match chunks[chunk].get(row)? {
                    Integer::Null => Found::Null,
                    Integer::TooLarge => Found::Number(NO_CONTENT),
                    Integer::Number(id) => Found::Number(tables.file_of_integer(id).unwrap_or(NO_CONTENT)),
                })
            }
        }
    }

    /// The agent of a row: the first one, if all rows have the same agents. It may be [`INVALID_AGENT`].
    #[inline]
    pub fn agent(&mut self, row: usize, tables: &Tables) -> Result<Found<'a>, Invalid> {
        match &mut self.agents {
            Agents::Texts(lookup) => lookup.find(row, |name| tables.agents.number(name)),
            Agents::Chains(numbers) => Ok(Found::Number(numbers.first().copied().unwrap_or(INVALID_AGENT))),
        }
    }

    /// The names of the new agents of some rows, each once. Further ones are left out if there are very many.
    pub fn new_agents(&mut self, rows: Range<usize>, tables: &Tables) -> Result<Vec<&'a [u8]>, Invalid> {
        let Agents::Texts(lookup) = &mut self.agents else { return Ok(Vec::new()) };
        // In the order of their rows, because the first agents of a table are found fastest.
        let (mut names, mut known, mut bytes) = (Vec::new(), HashSet::<_, Hashing>::default(), 0);
        let count = if lookup.place.repeated { 1 } else { rows.len() };
        for row in rows.take(count) {
            let Found::New(name) = lookup.find(row, |name| tables.agents.number(name))? else { continue };
            if known.insert(name) {
                names.push(name);
                bytes += name.len();
            }
            if names.len() >= NEW_AGENTS || bytes >= NEW_BYTES {
                break;
            }
        }
        lookup.place.rewind();
        Ok(names)
    }

    /// The agents that all rows have.
    pub fn chains(&self) -> &[u32] {
        match &self.agents {
            Agents::Texts(_) => &[],
            Agents::Chains(numbers) => numbers,
        }
    }

    /// The URL of a row.
    #[inline]
    pub fn url(&mut self, row: usize) -> Result<Option<&'a [u8]>, Invalid> {
        let (chunks, place) = &mut self.urls;
        let (chunk, row) = place.of(row);
        chunks[chunk].get(row)
    }
}
