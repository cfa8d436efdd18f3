//! The compiled files and the agents that calls share, in bounded memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use canfetch_core::tables::Profile;

use super::file_entry::{AGENTS_LIMIT, Chain, FileEntry};
use super::hashing::Hashing;
use crate::arrow::Invalid;

/// An agent that is not a product token.
pub const INVALID_AGENT: u32 = u32::MAX;
/// A file ID without content.
pub const NO_CONTENT: u32 = u32::MAX;
/// What a map entry needs besides its key.
const ENTRY_BYTES: usize = 48;

type Numbers<K> = HashMap<K, u32, Hashing>;

/// Files, agents, and how rows find them.
pub struct Tables {
    /// Changes when numbers of files or agents lose their meaning.
    pub generation: u64,
    /// The parsing profile of all files.
    pub profile: &'static Profile,
    /// The files.
    pub files: Vec<FileEntry>,
    /// The agents.
    pub chains: Vec<Chain>,
    agents: Numbers<Box<[u8]>>,
    keys: Keys,
    /// The memory of everything that can be forgotten.
    memory: AtomicUsize,
}

/// How a row names its file.
enum Keys {
    /// By content.
    Contents(Numbers<Arc<[u8]>>),
    /// By the ID in a table of files.
    Ids { texts: Numbers<Box<[u8]>>, integers: Numbers<i64>, dense: Vec<u32> },
}

impl Tables {
    /// Creates tables for files that rows contain.
    pub fn by_content(profile: &'static Profile) -> Self {
        Self::new(profile, Keys::Contents(Numbers::default()))
    }

    /// Creates tables for files that are loaded once.
    pub fn by_id(profile: &'static Profile) -> Self {
        Self::new(profile, Keys::Ids { texts: Numbers::default(), integers: Numbers::default(), dense: Vec::new() })
    }

    fn new(profile: &'static Profile, keys: Keys) -> Self {
        let (files, chains, agents) = (Vec::new(), Vec::new(), Numbers::default());
        Self { generation: 0, profile, files, chains, agents, keys, memory: AtomicUsize::new(0) }
    }

    /// The number of the file with this content, or of the file with this ID.
    #[inline]
    pub fn file_of_text(&self, key: &[u8]) -> Option<u32> {
        match &self.keys {
            Keys::Contents(contents) => contents.get(key).copied(),
            Keys::Ids { texts, .. } => texts.get(key).copied(),
        }
    }

    /// The number of the file with this ID.
    #[inline]
    pub fn file_of_integer(&self, id: i64) -> Option<u32> {
        let Keys::Ids { integers, dense, .. } = &self.keys else { return None };
        match usize::try_from(id).ok().and_then(|id| dense.get(id)) {
            Some(&file) if file != NO_CONTENT => Some(file),
            _ if integers.is_empty() => None,
            _ => integers.get(&id).copied(),
        }
    }

    /// The number of the agent with this name, or [`INVALID_AGENT`]; `None` if the name is new.
    #[inline]
    pub fn agent(&self, name: &[u8]) -> Option<u32> {
        self.agents.get(name).copied()
    }

    /// Whether rows contain the files.
    pub fn has_contents(&self) -> bool {
        matches!(self.keys, Keys::Contents(_))
    }

    /// Adds a file that rows contain.
    pub fn add_content(&mut self, key: Arc<[u8]>, entry: FileEntry) {
        let shared = Arc::ptr_eq(&key, entry.content());
        let bytes = entry.memory_bytes() + ENTRY_BYTES + if shared { 0 } else { key.len() };
        let Keys::Contents(contents) = &mut self.keys else { return };
        if contents.contains_key(&key) {
            // Another thread compiled the same file meanwhile.
            return;
        }
        contents.insert(key, self.files.len() as u32);
        self.files.push(entry);
        *self.memory.get_mut() += bytes;
    }

    /// Forgets the agents, and the files that rows contain. Files that were loaded once are kept, without their rules.
    pub fn clear(&mut self) {
        if let Keys::Contents(contents) = &mut self.keys {
            contents.clear();
            self.files.clear();
        }
        self.agents.clear();
        self.chains.clear();
        self.files.iter_mut().for_each(FileEntry::clear_rules);
        *self.memory.get_mut() = 0;
        self.generation += 1;
    }

    /// Adds an agent by its name; `None` if the name is not a product token.
    pub fn add_agent(&mut self, name: &[u8], chain: Option<&Chain>) {
        let number = chain.map_or(INVALID_AGENT, |chain| self.add_chain(chain));
        self.agents.insert(name.into(), number);
        *self.memory.get_mut() += ENTRY_BYTES + 2 * name.len();
    }

    /// The number of a chain of product tokens, if it is known.
    pub fn chain(&self, chain: &Chain) -> Option<u32> {
        self.chains.iter().position(|known| known == chain).map(|known| known as u32)
    }

    /// Adds a chain of product tokens, unless it is known.
    pub fn add_chain(&mut self, chain: &Chain) -> u32 {
        if let Some(known) = self.chain(chain) {
            return known;
        }
        if self.chains.len() == AGENTS_LIMIT {
            self.clear();
        }
        self.chains.push(chain.clone());
        self.chains.len() as u32 - 1
    }

    /// Counts memory that is needed later.
    pub fn memory_counter(&self) -> &AtomicUsize {
        &self.memory
    }

    /// The memory of everything that can be forgotten.
    pub fn memory(&self) -> usize {
        self.memory.load(Relaxed)
    }

    /// Adds a file; its number.
    pub fn add_file(&mut self, entry: FileEntry) -> u32 {
        self.files.push(entry);
        self.files.len() as u32 - 1
    }

    /// Adds the ID of a file, or of [`NO_CONTENT`].
    pub fn add_id(&mut self, id: Id<'_>, file: u32) -> Result<(), Invalid> {
        let Keys::Ids { texts, integers, .. } = &mut self.keys else { return Ok(()) };
        let (known, shown) = match id {
            Id::Text(text) => (texts.insert(text.into(), file), String::from_utf8_lossy(text).into_owned()),
            Id::Integer(id) => (integers.insert(id, file), id.to_string()),
        };
        match known {
            None => Ok(()),
            Some(_) => Err(Invalid::new(format!("two files with the ID {shown}"))),
        }
    }

    /// Arranges the IDs after the last file: small integers are positions of a list.
    pub fn finish_ids(&mut self) {
        let Keys::Ids { integers, dense, .. } = &mut self.keys else { return };
        let limit = integers.len() * 4;
        let position = |id: i64| usize::try_from(id).ok().filter(|&id| id < limit);
        if integers.keys().all(|&id| position(id).is_some()) {
            *dense = vec![NO_CONTENT; limit];
            for (id, number) in integers.drain() {
                if let Some(id) = position(id) {
                    dense[id] = number;
                }
            }
        }
    }
}

/// The ID of a file in a table.
#[derive(Clone, Copy)]
pub enum Id<'a> {
    /// A text.
    Text(&'a [u8]),
    /// A number.
    Integer(i64),
}
