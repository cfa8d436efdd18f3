//! A compiled file, and the rules of each agent.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use canfetch::engine::{CompiledFile, File, RuleSet, Selection, tables::Profile};

use super::agents::Agent;
use super::token_rules::{Selected, Slot, TokenRules};

/// The first agents of a table have slots of their own in each file, which are found without a search.
const FIRST_AGENTS: usize = 16;
/// Estimates of the memory that a set of rules needs once its index is built. A rule of a real file needs 86 bytes.
const INDEX_BYTES: usize = 256;
const INDEX_BYTES_PER_RULE: usize = 96;

/// A file that is compiled when it is first needed. Threads read it without a lock.
pub struct FileEntry {
    content: Arc<[u8]>,
    profile: &'static Profile,
    compiled: OnceLock<CompiledFile>,
    first: [Slot; FIRST_AGENTS],
    further: OnceLock<TokenRules>,
}

impl FileEntry {
    /// Wraps content that is already transcoded and truncated.
    pub fn new(content: Arc<[u8]>, profile: &'static Profile) -> Self {
        Self { content, profile, compiled: OnceLock::new(), first: Default::default(), further: OnceLock::new() }
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
    pub fn rules(&self, number: u32, agent: &Agent, memory: &AtomicUsize) -> &Arc<RuleSet> {
        match self.first.get(number as usize) {
            Some(slot) => slot.get_or_init(|| self.bind(&Selected::Agent(agent), memory)),
            None => self.further_rules(number, agent, memory),
        }
    }

    fn further_rules(&self, number: u32, agent: &Agent, memory: &AtomicUsize) -> &Arc<RuleSet> {
        let compiled = self.compiled();
        let further = self.further.get_or_init(|| {
            let further = TokenRules::new(compiled, &self.content);
            memory.fetch_add(further.memory_bytes(), Relaxed);
            further
        });
        let (slot, selected) = further.slot(number, agent, compiled, &self.content);
        slot.get_or_init(|| self.bind(&selected, memory))
    }

    #[cold]
    fn bind(&self, selected: &Selected<'_>, memory: &AtomicUsize) -> Arc<RuleSet> {
        let compiled = self.compiled();
        let rules = compiled.rule_set(&self.select(selected).groups);
        // One reference is in the compiled file, and more belong to other agents with the same groups.
        let is_new = Arc::strong_count(&rules) <= 2;
        let index = if is_new { INDEX_BYTES + rules.rule_count() * INDEX_BYTES_PER_RULE } else { 0 };
        memory.fetch_add(2 * size_of::<Slot>() + index, Relaxed);
        rules
    }

    fn select(&self, selected: &Selected<'_>) -> Selection {
        let compiled = self.compiled();
        match *selected {
            Selected::Agent(agent) => compiled.select(&self.content, agent.tokens(), agent.star_applies),
            Selected::Token(token) => compiled.select(&self.content, &[token], false),
            Selected::Star => compiled.select::<&[u8]>(&self.content, &[], true),
            Selected::Nothing => compiled.select::<&[u8]>(&self.content, &[], false),
        }
    }

    /// Forgets the numbers of all agents.
    pub fn forget_agents(&mut self) {
        self.first = Default::default();
        if let Some(further) = self.further.get_mut() {
            further.forget_agents();
        }
    }

    /// Forgets the rules of all agents, except for up to `kept` bytes for each byte of the file.
    pub fn forget_rules(&mut self, kept: usize) {
        self.first = Default::default();
        self.further = OnceLock::new();
        if let Some(compiled) = self.compiled.get_mut() {
            if compiled.rules_memory_bytes() > kept * self.content.len() {
                compiled.forget_rules();
            }
        }
    }
}
