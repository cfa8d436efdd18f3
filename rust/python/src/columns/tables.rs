//! The compiled files and the agents that calls share, in bounded memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use canfetch::engine::RuleSet;
use canfetch::engine::tables::Profile;

use super::agents::{Agents, Chain};
use super::file_entry::FileEntry;
use super::hashing::Hashing;
use crate::arrow::Invalid;

/// A file ID without content.
pub const NO_CONTENT: u32 = u32::MAX;
/// The memory of a map entry without its key.
const ENTRY_BYTES: usize = 48;
/// Agents may use this part of the memory: about 200,000 of them by default.
const AGENTS_SHARE: usize = 4;
/// The rules of a loaded file that survive [`Tables::forget_rules`], in bytes for each byte of the file. The rules of a
/// usual file need less, and binding them again takes time. The rules of a hostile file may need a thousand times as much.
const KEPT_RULES: usize = 16;

type Numbers<K> = HashMap<K, u32, Hashing>;

/// Files, agents, and how rows find them.
pub struct Tables {
    /// Changes when numbers of files or agents lose their meaning.
    pub generation: u64,
    /// Changes when numbers of files lose their meaning.
    pub file_generation: u64,
    /// The parsing profile of all files.
    pub profile: &'static Profile,
    /// The files.
    pub files: Vec<FileEntry>,
    /// The agents.
    pub agents: Agents,
    keys: Keys,
    /// The memory of the files that rows contain, without their rules.
    files_memory: usize,
    /// The memory of the rules.
    rules_memory: AtomicUsize,
}

/// How a row names its file.
enum Keys {
    /// By content.
    Contents(Numbers<Arc<[u8]>>),
    /// By the ID in a table of files.
    Ids(Ids),
}

/// The IDs of files.
#[derive(Default)]
struct Ids {
    texts: Numbers<Box<[u8]>>,
    integers: Numbers<i64>,
    /// From 2^63 on, as hashes often are.
    large: Numbers<u64>,
    /// The files of small integers.
    dense: Vec<u32>,
}

impl Tables {
    /// Creates tables for files that rows contain.
    pub fn by_content(profile: &'static Profile) -> Self {
        Self::new(profile, Keys::Contents(Numbers::default()))
    }

    /// Creates tables for files that are loaded once.
    pub fn by_id(profile: &'static Profile) -> Self {
        Self::new(profile, Keys::Ids(Ids::default()))
    }

    fn new(profile: &'static Profile, keys: Keys) -> Self {
        Self {
            generation: 0,
            file_generation: 0,
            profile,
            files: Vec::new(),
            agents: Agents::default(),
            keys,
            files_memory: 0,
            rules_memory: AtomicUsize::new(0),
        }
    }

    /// The number of the file with this content, or of the file with this ID.
    #[inline]
    pub fn file_of_text(&self, key: &[u8]) -> Option<u32> {
        match &self.keys {
            Keys::Contents(contents) => contents.get(key).copied(),
            Keys::Ids(ids) => ids.texts.get(key).copied(),
        }
    }

    /// The number of the file with this ID.
    #[inline]
    pub fn file_of_integer(&self, id: i64) -> Option<u32> {
        let Keys::Ids(ids) = &self.keys else { return None };
        match usize::try_from(id).ok().and_then(|id| ids.dense.get(id)) {
            Some(&file) if file != NO_CONTENT => Some(file),
            _ if ids.integers.is_empty() => None,
            _ => ids.integers.get(&id).copied(),
        }
    }

    /// The number of the file with an ID from 2^63 on.
    #[inline]
    pub fn file_of_large(&self, id: u64) -> Option<u32> {
        let Keys::Ids(ids) = &self.keys else { return None };
        ids.large.get(&id).copied()
    }

    /// Whether rows contain the files.
    pub fn has_contents(&self) -> bool {
        matches!(self.keys, Keys::Contents(_))
    }

    /// Whether everything that can be forgotten needs no more than `limit` bytes.
    pub fn has_room(&self, limit: usize) -> bool {
        self.has_room_for_agents(limit) && self.memory() <= limit
    }

    fn has_room_for_agents(&self, limit: usize) -> bool {
        self.agents.memory() <= limit / AGENTS_SHARE
    }

    /// Forgets agents or files if they use too much memory.
    pub fn make_room(&mut self, limit: usize) {
        self.make_room_for_agents(limit);
        self.make_room_for_files(limit);
    }

    // Room for agents never costs files, and room for files never costs agents. Otherwise a row might never have both.

    fn make_room_for_agents(&mut self, limit: usize) {
        if !self.has_room_for_agents(limit) {
            self.forget_agents();
        }
    }

    fn make_room_for_files(&mut self, limit: usize) {
        if self.memory() > limit {
            self.forget_files();
        }
    }

    /// Adds a file that rows contain.
    pub fn add_content(&mut self, key: Arc<[u8]>, entry: FileEntry, limit: usize) {
        self.make_room_for_files(limit);
        let shared = Arc::ptr_eq(&key, entry.content());
        let bytes = entry.memory_bytes() + ENTRY_BYTES + if shared { 0 } else { key.len() };
        let Keys::Contents(contents) = &mut self.keys else { return };
        if contents.contains_key(&key) {
            // Another thread compiled the same file meanwhile.
            return;
        }
        contents.insert(key, self.files.len() as u32);
        self.files.push(entry);
        self.files_memory += bytes;
    }

    /// Forgets the files that rows contain, or the rules of files that were loaded.
    pub fn forget_files(&mut self) {
        if let Keys::Contents(contents) = &mut self.keys {
            contents.clear();
            self.files.clear();
            self.files_memory = 0;
            self.file_generation += 1;
        }
        self.forget_rules();
        self.generation += 1;
    }

    /// Forgets the rules. All numbers are still valid.
    pub fn forget_rules(&mut self) {
        let kept = if self.has_contents() { 0 } else { KEPT_RULES };
        self.files.iter_mut().for_each(|file| file.forget_rules(kept));
        *self.rules_memory.get_mut() = 0;
    }

    /// Forgets the agents.
    pub fn forget_agents(&mut self) {
        self.agents = Agents::default();
        self.files.iter_mut().for_each(FileEntry::forget_agents);
        self.generation += 1;
    }

    /// Adds agents with their names; `None` if a name is not a product token. Others are forgotten if they use too much of
    /// `limit` bytes, as with all that is added.
    pub fn add_agents(&mut self, agents: impl Iterator<Item = (impl AsRef<[u8]>, Option<Chain>)>, limit: usize) {
        self.make_room_for_agents(limit);
        for (name, chain) in agents {
            self.agents.add(name.as_ref(), chain);
        }
    }

    /// Adds agents by their product tokens.
    pub fn add_chains(&mut self, chains: &[Chain], limit: usize) {
        self.make_room_for_agents(limit);
        for chain in chains {
            self.agents.add_chain(chain.clone());
        }
    }

    /// The rules of a file for an agent.
    #[inline]
    pub fn rules_of(&self, file: u32, agent: u32) -> &Arc<RuleSet> {
        self.files[file as usize].rules(agent, self.agents.at(agent), &self.rules_memory)
    }

    /// The memory of the rules.
    #[inline]
    pub fn rules_memory(&self) -> usize {
        self.rules_memory.load(Relaxed)
    }

    /// The memory of everything that can be forgotten, in bytes.
    pub fn memory(&self) -> usize {
        self.files_memory + self.rules_memory() + self.agents.memory()
    }

    /// Adds a file; its number.
    pub fn add_file(&mut self, entry: FileEntry) -> u32 {
        self.files.push(entry);
        self.files.len() as u32 - 1
    }

    /// Adds the ID of a file, or of [`NO_CONTENT`].
    pub fn add_id(&mut self, id: Id<'_>, file: u32) -> Result<(), Invalid> {
        let Keys::Ids(ids) = &mut self.keys else { return Ok(()) };
        let (known, shown) = match id {
            Id::Text(text) => (ids.texts.insert(text.into(), file), String::from_utf8_lossy(text).into_owned()),
            Id::Integer(id) => (ids.integers.insert(id, file), id.to_string()),
            Id::Large(id) => (ids.large.insert(id, file), id.to_string()),
        };
        match known {
            None => Ok(()),
            Some(_) => Err(Invalid::new(format!("two files with the ID {shown}: keep one row for each ID"))),
        }
    }

    /// Whether there are IDs that are texts, and IDs that are integers.
    pub fn id_kinds(&self) -> (bool, bool) {
        match &self.keys {
            Keys::Contents(_) => (false, false),
            Keys::Ids(ids) => {
                let has_integers = !(ids.integers.is_empty() && ids.large.is_empty() && ids.dense.is_empty());
                (!ids.texts.is_empty(), has_integers)
            }
        }
    }

    /// Arranges the IDs after the last file: small integers are positions of a list.
    pub fn finish_ids(&mut self) {
        let Keys::Ids(Ids { integers, dense, .. }) = &mut self.keys else { return };
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
    /// A number from 2^63 on.
    Large(u64),
}
