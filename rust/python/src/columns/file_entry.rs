//! A compiled file, and the rules of each agent.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use canfetch_core::{CompiledFile, File, RuleSet, Selection, tables::Profile};

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

#[cfg(test)]
mod tests {
    use super::super::agents::{Agents, Chain};
    use super::*;
    use canfetch_core::{profile, tables::PROFILES};

    const FILE: &[u8] = b"User-agent: Foo\nUser-agent: foo\nAllow: /1\n\nUser-agent: Empty\nUser-agent: Foobar\n\n\
        User-agent: FOO\nAllow: /2\n\nUser-agent: *\nAllow: /3\nUser-agent: b, c d/1\nUser-agent:\nAllow: /4\n";
    const TOKENS: &[&str] = &["foo", "Foo", "fOO", "foobar", "oo", "empty", "b", "c", "d", "other", "*", "b,"];

    fn chains() -> Vec<Chain> {
        let single = TOKENS.iter().map(|&token| vec![token]);
        let double = TOKENS.iter().flat_map(|&one| TOKENS.iter().map(move |&other| vec![one, other]));
        let chain = |tokens: Vec<&str>, star_applies| Chain {
            tokens: tokens.iter().map(|token| token.as_bytes().to_vec()).collect(),
            star_applies,
        };
        single.chain(double).flat_map(|tokens| [true, false].map(|star| chain(tokens.clone(), star))).collect()
    }

    #[test]
    fn rules_are_those_of_the_selected_groups() {
        for profile in PROFILES.iter().filter_map(|known| profile(known.name)) {
            for content in [FILE, b"", b"User-agent: foo\nAllow: /", b"User-agent: *\nAllow: /"] {
                let mut agents = Agents::default();
                let (mut entry, memory) = (FileEntry::new(content.into(), profile), AtomicUsize::new(0));
                for round in 0..3 {
                    for (place, chain) in chains().iter().enumerate() {
                        // Numbers that share a place of remembered groups, and those of the first agents.
                        let number = [FIRST_AGENTS as u32 + 64 * place as u32, place as u32][round % 2];
                        let known = agents.add_chain(chain.clone(), profile);
                        let rules = entry.rules(number, agents.at(known), &memory);
                        let selection = entry.compiled().select(content, &chain.tokens, chain.star_applies);
                        assert_eq!(rules.groups(), selection.groups, "{} {chain:?} {content:?}", profile.name);
                    }
                    entry.forget_agents();
                }
                assert!(memory.load(Relaxed) > 0);
                entry.forget_rules(0);
                assert_eq!(entry.compiled().rules_memory_bytes(), 0);
            }
        }
    }

    #[test]
    fn memory_does_not_depend_on_the_number_of_agents() {
        let profile = profile("rfc9309").unwrap();
        let (entry, memory) = (FileEntry::new(FILE.into(), profile), AtomicUsize::new(0));
        let mut agents = Agents::default();
        let mut bound = |number: u32| {
            let chain = Chain { tokens: vec![format!("agent{number}").into_bytes()], star_applies: true };
            let known = agents.add_chain(chain, profile);
            entry.rules(FIRST_AGENTS as u32 + number, agents.at(known), &memory);
            memory.load(Relaxed)
        };
        let one = bound(0);
        assert_eq!((1..1000).map(&mut bound).max(), Some(one));
    }
}
