//! The agents that calls share: their names, their product tokens and their numbers.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, LazyLock};

use super::hashing::Hashing;

/// An agent that is not a product token.
pub const INVALID_AGENT: u32 = u32::MAX;
/// Estimates of the memory of a name, of an agent, and of each of its tokens, without their bytes.
const NAME_BYTES: usize = 64;
const AGENT_BYTES: usize = 160;
const TOKEN_BYTES: usize = 40;
/// The bytes of a token that are folded at once.
const FOLDED_BYTES: usize = 64;

/// One secret for the tokens of all agents and files.
static TOKEN_HASHING: LazyLock<Hashing> = LazyLock::new(Hashing::default);

/// Returns the hash of a product token, which is the same for lower and upper case.
pub fn token_hash(token: &[u8]) -> u64 {
    let mut hasher = TOKEN_HASHING.build_hasher();
    let mut folded = [0; FOLDED_BYTES];
    for part in token.chunks(FOLDED_BYTES) {
        let folded = &mut folded[..part.len()];
        folded.copy_from_slice(part);
        folded.make_ascii_lowercase();
        hasher.write(folded);
    }
    hasher.finish()
}

/// A product token chain, and whether `*` applies to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chain {
    /// The product tokens, in the order in which they are tried.
    pub tokens: Vec<Vec<u8>>,
    /// Whether the groups for `*` apply if no token has a group.
    pub star_applies: bool,
}

impl From<(Vec<Vec<u8>>, bool)> for Chain {
    fn from((tokens, star_applies): (Vec<Vec<u8>>, bool)) -> Self {
        Self { tokens, star_applies }
    }
}

/// An agent, with what most files need to find its rules: they have no group for it.
pub struct Agent {
    chain: Arc<Chain>,
    /// The hash of the first token.
    pub first_hash: u64,
    /// Whether there are further tokens.
    pub has_further: bool,
    /// Whether the groups for `*` apply if no token has a group.
    pub star_applies: bool,
}

impl Agent {
    fn new(chain: Arc<Chain>) -> Self {
        let first_hash = chain.tokens.first().map_or(0, |token| token_hash(token));
        Self { first_hash, has_further: chain.tokens.len() > 1, star_applies: chain.star_applies, chain }
    }

    /// The product tokens, in the order in which they are tried.
    pub fn tokens(&self) -> &[Vec<u8>] {
        &self.chain.tokens
    }
}

/// Agents by their names and by their tokens.
#[derive(Default)]
pub struct Agents {
    names: HashMap<Box<[u8]>, u32, Hashing>,
    numbers: HashMap<Arc<Chain>, u32, Hashing>,
    list: Vec<Agent>,
    memory: usize,
}

impl Agents {
    /// The agent with a number.
    #[inline]
    pub fn at(&self, number: u32) -> &Agent {
        &self.list[number as usize]
    }

    /// The number of the agent with this name, or [`INVALID_AGENT`]; `None` if the name is new.
    #[inline]
    pub fn number(&self, name: &[u8]) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// The number of the agent with these tokens, if it is known.
    pub fn number_of_chain(&self, chain: &Chain) -> Option<u32> {
        self.numbers.get(chain).copied()
    }

    /// Adds an agent by its name; `None` if the name is not a product token.
    pub fn add(&mut self, name: &[u8], chain: Option<Chain>) {
        let number = chain.map_or(INVALID_AGENT, |chain| self.add_chain(chain));
        if self.names.insert(name.into(), number).is_none() {
            self.memory += NAME_BYTES + name.len();
        }
    }

    /// Adds an agent by its tokens, unless it is known.
    pub fn add_chain(&mut self, chain: Chain) -> u32 {
        if let Some(known) = self.number_of_chain(&chain) {
            return known;
        }
        let tokens = chain.tokens.iter().map(|token| TOKEN_BYTES + token.len());
        self.memory += AGENT_BYTES + tokens.sum::<usize>();
        let (number, chain) = (self.list.len() as u32, Arc::new(chain));
        self.list.push(Agent::new(Arc::clone(&chain)));
        self.numbers.insert(chain, number);
        number
    }

    /// The memory of the agents, in bytes.
    pub fn memory(&self) -> usize {
        self.memory
    }
}
