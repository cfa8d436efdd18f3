//! The rules of a file for any number of agents, in memory that depends only on the file.
//!
//! Most agents have no group of their own in a file. So a file has a slot for each token that its user-agent lines name,
//! and one for the groups of `*`, and the slot of an agent is found by the hash of its token.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use canfetch::engine::{CompiledFile, RuleSet};

use super::agents::{Agent, token_hash};

/// Rules, once they are bound.
pub type Slot = OnceLock<Arc<RuleSet>>;

/// The agents whose group is remembered if their tokens may be parts of the values of lines.
const REMEMBERED: usize = 512;
/// The number of no line, no group and no agent.
const NONE: u32 = u32::MAX;

/// The rules for a token that a line names.
struct Named {
    hash: u32,
    /// The number of the line.
    line: u32,
    /// The agent that was last found to have this token.
    agent: AtomicU32,
    rules: Slot,
}

/// The slots of agents with a group.
enum Groups {
    /// Lines name whole tokens, which are in a hash table.
    OfTokens(Box<[Named]>),
    /// Lines contain tokens, so all lines are compared. The slot of each group, and the groups of some agents: the number
    /// of an agent, plus 1, and the number of its group.
    OfParts { slots: Box<[Slot]>, remembered: Box<[AtomicU64]> },
}

/// The slots of a file.
pub struct TokenRules {
    groups: Groups,
    /// A bit for each token that a line names. Most searches end here.
    named: u64,
    /// The rules of agents without a group of their own, and of agents without rules.
    star: Slot,
    nothing: Slot,
}

/// The groups that a slot is bound to.
pub enum Selected<'a> {
    /// Those for an agent with one token, to which `*` does not apply.
    Token(&'a [u8]),
    /// Those for an agent.
    Agent(&'a Agent),
    /// Those for `*`.
    Star,
    /// None.
    Nothing,
}

impl TokenRules {
    /// Reads the user-agent lines of a file.
    pub fn new(compiled: &CompiledFile, content: &[u8]) -> Self {
        let profile = compiled.profile();
        let groups = if profile.substring_tokens {
            // Lines of several groups may contain a token, but the first one counts.
            debug_assert!(profile.first_group_only);
            let slots = (0..compiled.groups().len()).map(|_| Slot::new());
            Groups::OfParts { slots: slots.collect(), remembered: (0..REMEMBERED).map(|_| AtomicU64::new(0)).collect() }
        } else {
            Groups::OfTokens(named_tokens(compiled, content))
        };
        let named = match &groups {
            Groups::OfTokens(table) => {
                table.iter().filter(|named| named.line != NONE).fold(0, |bits, named| bits | bit(named.hash))
            }
            Groups::OfParts { .. } => 0,
        };
        Self { groups, named, star: Slot::new(), nothing: Slot::new() }
    }

    /// The memory held, in bytes, without the rules.
    pub fn memory_bytes(&self) -> usize {
        match &self.groups {
            Groups::OfTokens(table) => size_of_val(&**table),
            Groups::OfParts { slots, remembered } => size_of_val(&**slots) + size_of_val(&**remembered),
        }
    }

    /// Returns the slot of an agent, and the groups that it has to be bound to.
    #[inline]
    pub fn slot<'a>(
        &self,
        number: u32,
        agent: &'a Agent,
        compiled: &CompiledFile,
        content: &[u8],
    ) -> (&Slot, Selected<'a>) {
        let table = match &self.groups {
            Groups::OfTokens(table) => table,
            Groups::OfParts { slots, remembered } => {
                let group = group_of(remembered, number, agent, compiled, content);
                let slot = slots.get(group as usize).unwrap_or(&self.nothing);
                return (slot, Selected::Agent(agent));
            }
        };
        if self.named & bit(upper(agent.first_hash)) == 0 && !agent.has_further {
            return self.without_group(agent);
        }
        // Tokens are compared only if their hashes are equal, which is rare for other tokens.
        let found = search(table, agent.first_hash, |named| {
            named.agent.load(Relaxed) == number || {
                let is_same = same(named.line, &agent.tokens()[0], compiled, content);
                if is_same {
                    named.agent.store(number, Relaxed);
                }
                is_same
            }
        });
        if let Ok(named) = found {
            return (&named.rules, Selected::Token(&agent.tokens()[0]));
        }
        if agent.has_further {
            for token in &agent.tokens()[1..] {
                let hash = token_hash(token);
                if let Ok(named) = search(table, hash, |named| same(named.line, token, compiled, content)) {
                    return (&named.rules, Selected::Token(token));
                }
            }
        }
        self.without_group(agent)
    }

    #[inline]
    fn without_group<'a>(&self, agent: &Agent) -> (&Slot, Selected<'a>) {
        if agent.star_applies { (&self.star, Selected::Star) } else { (&self.nothing, Selected::Nothing) }
    }

    /// Forgets the numbers of agents.
    pub fn forget_agents(&mut self) {
        match &mut self.groups {
            Groups::OfTokens(table) => table.iter_mut().for_each(|named| *named.agent.get_mut() = NONE),
            Groups::OfParts { remembered, .. } => remembered.iter_mut().for_each(|known| *known.get_mut() = 0),
        }
    }
}

/// Returns a hash table of the tokens that lines name. At most half of its places are taken, so that searches are short.
fn named_tokens(compiled: &CompiledFile, content: &[u8]) -> Box<[Named]> {
    let (groups, profile) = (compiled.groups(), compiled.profile());
    let lines = groups.agents();
    let free = || Named { hash: 0, line: NONE, agent: AtomicU32::new(NONE), rules: Slot::new() };
    let mut table: Box<[_]> = (0..(2 * lines.len()).next_power_of_two()).map(|_| free()).collect();
    for (number, line) in lines.iter().enumerate() {
        if profile.ignore_empty_groups && groups.rules_of(line.group).is_empty() {
            continue;
        }
        let token = line.token.of(content);
        let hash = token_hash(token);
        if let Err(place) = search(&table, hash, |named| same(named.line, token, compiled, content)) {
            table[place] = Named { hash: upper(hash), line: number as u32, ..free() };
        }
    }
    table
}

/// Returns the token in the table that a search finds, or the free place at which the search ends.
#[inline]
fn search(table: &[Named], hash: u64, is_same: impl Fn(&Named) -> bool) -> Result<&Named, usize> {
    let mut place = hash as usize & (table.len() - 1);
    loop {
        let named = &table[place];
        if named.line == NONE {
            return Err(place);
        }
        if named.hash == upper(hash) && is_same(named) {
            return Ok(named);
        }
        place = (place + 1) & (table.len() - 1);
    }
}

/// The bit of a token, by the upper half of its hash.
fn bit(hash: u32) -> u64 {
    1 << (hash % u64::BITS)
}

fn upper(hash: u64) -> u32 {
    (hash >> u32::BITS) as u32
}

/// Whether a line names a token.
fn same(line: u32, token: &[u8], compiled: &CompiledFile, content: &[u8]) -> bool {
    let named = compiled.groups().agents().at(line as usize).token.of(content);
    named.eq_ignore_ascii_case(token)
}

/// Returns the number of the group of an agent, or [`NONE`].
fn group_of(remembered: &[AtomicU64], number: u32, agent: &Agent, compiled: &CompiledFile, content: &[u8]) -> u32 {
    let place = &remembered[number as usize % REMEMBERED];
    let key = u64::from(number) + 1;
    let known = place.load(Relaxed);
    if known >> u32::BITS == key {
        return known as u32;
    }
    let selection = compiled.select(content, agent.tokens(), agent.star_applies);
    let group = selection.groups.first().copied().unwrap_or(NONE);
    place.store(key << u32::BITS | u64::from(group), Relaxed);
    group
}
