//! A compiled file, and the rules of each agent.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use canfetch_core::{CompiledFile, File, RuleSet, tables::Profile};

/// The agents of the first block, which is part of the entry. Each further block is twice as large.
const FIRST_BLOCK: usize = 8;
const BLOCKS: usize = 10;
/// The agents that a file can have rules for.
pub const AGENTS_LIMIT: usize = FIRST_BLOCK * ((1 << BLOCKS) - 1);
/// Estimates of the memory that a set of rules needs once its index is built. A rule of a real file needs 86 bytes.
const INDEX_BYTES: usize = 256;
const INDEX_BYTES_PER_RULE: usize = 96;

/// The rules of an agent, once they are bound.
type Slot = OnceLock<Arc<RuleSet>>;

/// A product token chain, and whether `*` applies to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The product tokens, in the order in which they are tried.
    pub tokens: Vec<Vec<u8>>,
    /// Whether the groups for `*` apply if no token has a group.
    pub star_applies: bool,
}

/// A file that is compiled when it is first needed. Threads read it without a lock.
pub struct FileEntry {
    content: Arc<[u8]>,
    profile: &'static Profile,
    compiled: OnceLock<CompiledFile>,
    first: [Slot; FIRST_BLOCK],
    further: [OnceLock<Box<[Slot]>>; BLOCKS - 1],
}

impl FileEntry {
    /// Wraps content that is already transcoded and truncated.
    pub fn new(content: Arc<[u8]>, profile: &'static Profile) -> Self {
        Self { content, profile, compiled: OnceLock::new(), first: Default::default(), further: Default::default() }
    }

    /// Compiles the file, unless that has been done.
    pub fn compiled(&self) -> &CompiledFile {
        self.compiled.get_or_init(|| CompiledFile::new(&self.content, self.profile))
    }

    /// The compiled file with its bytes, as decisions need it.
    #[inline]
    pub fn file(&self) -> File<'_> {
        self.compiled().file(&self.content)
    }

    /// The bytes of the file.
    pub fn content(&self) -> &Arc<[u8]> {
        &self.content
    }

    /// The memory of the file when it is compiled, without the rules of agents.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.content.len() + self.compiled().memory_bytes()
    }

    /// Returns the rules of an agent, and adds their memory to `memory` when they are bound.
    #[inline]
    pub fn rules(&self, agent: u32, chain: &Chain, memory: &AtomicUsize) -> &Arc<RuleSet> {
        let slot = match self.first.get(agent as usize) {
            Some(slot) => slot,
            None => self.further_slot(agent as usize),
        };
        slot.get_or_init(|| self.bind(chain, memory))
    }

    fn further_slot(&self, agent: usize) -> &Slot {
        // Block `n` begins at agent `FIRST_BLOCK * (2^n - 1)`.
        let position = agent + FIRST_BLOCK;
        let block = (position / FIRST_BLOCK).ilog2() as usize;
        let length = FIRST_BLOCK << block;
        let slots = self.further[block - 1].get_or_init(|| (0..length).map(|_| Slot::new()).collect());
        &slots[position - length]
    }

    #[cold]
    fn bind(&self, chain: &Chain, memory: &AtomicUsize) -> Arc<RuleSet> {
        let compiled = self.compiled();
        let selection = compiled.select(&self.content, &chain.tokens, chain.star_applies);
        let rules = compiled.rule_set(&selection.groups);
        // One reference is in the compiled file, and more belong to other agents with the same groups.
        let is_new = Arc::strong_count(&rules) <= 2;
        let index = if is_new { INDEX_BYTES + rules.rule_count() * INDEX_BYTES_PER_RULE } else { 0 };
        memory.fetch_add(2 * size_of::<Slot>() + index, Relaxed);
        rules
    }

    /// Forgets the rules of all agents.
    pub fn clear_rules(&mut self) {
        self.first = Default::default();
        self.further = Default::default();
    }
}
