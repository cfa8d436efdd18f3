//! The file, the agent and the URL of each row.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

use super::agents::INVALID_AGENT;
use super::hashing::Hashing;
use super::lookup::{Lookup, NULL, Place};
use super::tables::{NO_CONTENT, Tables};
use crate::arrow::Invalid;
use crate::arrow::numbers::{Integer, IntegerChunk};
use crate::arrow::text::TextChunk;
use crate::arrow::values::Chunks;

/// The new agents that are resolved together, and their bytes.
const NEW_AGENTS: usize = 1 << 14;
const NEW_BYTES: usize = 1 << 22;

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
        let mut places = vec![match &mut files {
            Files::Texts(lookup) => &mut lookup.place,
            Files::Integers(_, place) => place,
        }];
        let mut names = vec![if by_content { "content" } else { "id" }];
        if let Agents::Texts(lookup) = &mut agents {
            places.push(&mut lookup.place);
            names.push("agent");
        }
        places.push(&mut url_place);
        names.extend(["url", "purpose"]);
        let lengths: Vec<_> = places.iter().map(|place| place.total()).chain(further).collect();
        let length = lengths.iter().copied().find(|&length| length != 1).unwrap_or(1);
        if lengths.iter().any(|&other| other != 1 && other != length) {
            let shown = names.iter().zip(lengths).filter(|(_, length)| *length != 1);
            let shown: Vec<_> = shown.map(|(name, length)| format!("{name} {length}")).collect();
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

    /// Appends the file of each row to `found`, up to content that is new, and returns this content. An ID that is not in
    /// the table is [`NO_CONTENT`], and a null is [`NULL`].
    pub fn files(
        &mut self,
        rows: Range<usize>,
        tables: &Tables,
        found: &mut Vec<u32>,
    ) -> Result<Option<&'a [u8]>, Invalid> {
        match &mut self.files {
            Files::Texts(lookup) => lookup.find(rows, found, |key| match tables.file_of_text(key) {
                None if !tables.has_contents() => Some(NO_CONTENT),
                file => file,
            }),
            Files::Integers(chunks, place) => place.read(rows, found, |chunk, part, found| {
                chunks[chunk].visit(part, |id| {
                    found.push(match id {
                        Integer::Null => NULL,
                        Integer::TooLarge => NO_CONTENT,
                        Integer::Large(id) => tables.file_of_large(id).unwrap_or(NO_CONTENT),
                        Integer::Number(id) => tables.file_of_integer(id).unwrap_or(NO_CONTENT),
                    });
                })?;
                Ok(None)
            }),
        }
    }

    /// Appends the agent of each row to `found`, up to one that is new: the first agent, if all rows have the same ones. It
    /// may be [`INVALID_AGENT`] or [`NULL`].
    pub fn agents(&mut self, rows: Range<usize>, tables: &Tables, found: &mut Vec<u32>) -> Result<(), Invalid> {
        match &mut self.agents {
            Agents::Texts(lookup) => lookup.find(rows, found, |name| tables.agents.number(name)).map(|_| ()),
            Agents::Chains(numbers) => {
                let number = numbers.first().copied().unwrap_or(INVALID_AGENT);
                found.extend(std::iter::repeat_n(number, rows.len()));
                Ok(())
            }
        }
    }

    /// The names of the new agents of some rows, each once. Further ones are left out if there are very many.
    pub fn new_agents(&mut self, mut rows: Range<usize>, tables: &Tables) -> Result<Vec<&'a [u8]>, Invalid> {
        let Agents::Texts(lookup) = &mut self.agents else { return Ok(Vec::new()) };
        // In the order of their rows, because the first agents of a table are found fastest.
        let (mut names, mut known, mut bytes) = (Vec::new(), HashSet::<_, Hashing>::default(), 0);
        if lookup.place.repeated {
            rows.end = rows.end.min(rows.start + 1);
        }
        let mut found = Vec::new();
        while names.len() < NEW_AGENTS && bytes < NEW_BYTES {
            found.clear();
            let Some(name) = lookup.find(rows.clone(), &mut found, |name| tables.agents.number(name))? else { break };
            rows.start += found.len() + 1;
            if known.insert(name) {
                names.push(name);
                bytes += name.len();
            }
        }
        Ok(names)
    }

    /// The agents that all rows have.
    pub fn chains(&self) -> &[u32] {
        match &self.agents {
            Agents::Texts(_) => &[],
            Agents::Chains(numbers) => numbers,
        }
    }

    /// Calls `visit` with the URL of each of some rows, until it breaks. A null is `None`.
    #[inline]
    pub fn urls(
        &mut self,
        mut rows: Range<usize>,
        mut visit: impl FnMut(Option<&'a [u8]>) -> ControlFlow<()>,
    ) -> Result<(), Invalid> {
        let (chunks, place) = &mut self.urls;
        while !rows.is_empty() {
            let (chunk, first, count) = place.part(rows.clone());
            let part = first..first + count;
            let visited = chunks[chunk].visit(part, |value| visit(value.map(|(rest, length)| &rest[..length])))?;
            if visited.is_break() {
                break;
            }
            rows.start += count;
        }
        Ok(())
    }
}
