//! The texts that are compared with one form of the target: most by their heads, the others by what is rare in them.

use super::grams::{Grams, Weak};
use super::haystack::Haystack;
use super::trie::{Head, Kind, Trie, sort};
use super::{Ranked, Texts};

/// From this many wildcard texts at one head on, they are found by their grams: hanging there, each would be looked at.
const MANY_AT_A_HEAD: usize = 4;

/// So few texts that say little at their head are looked at sooner than the target is looked through for grams.
const FEW_WEAK: usize = 2;

/// The texts compared with one form of the target.
#[derive(Debug)]
pub struct Forest {
    heads: Trie,
    weak: Grams,
}

impl Forest {
    /// Places the texts of these ranks, ascending.
    pub fn new(texts: &Texts, ranks: &[u32]) -> Self {
        let mut heads: Vec<Head<'_>> = ranks.iter().map(|&rank| head_of(texts, rank)).collect();
        sort(&mut heads);
        let mut weak = Vec::new();
        let mut strong = Vec::with_capacity(heads.len());
        for same in heads.chunk_by(|one, other| one.octets == other.octets) {
            let wild = same.iter().filter(|head| head.kind == Kind::Wild).count();
            if wild > MANY_AT_A_HEAD || (wild > 0 && same[0].octets.len() <= 1) {
                for head in same {
                    match head.kind {
                        Kind::Wild => weak.push(Weak { text: texts.body(head.rank), rank: head.rank }),
                        Kind::Prefix | Kind::Whole => strong.push(*head),
                    }
                }
            } else {
                strong.extend_from_slice(same);
            }
        }
        if weak.len() <= FEW_WEAK {
            return Self { heads: Trie::new(&heads), weak: Grams::default() };
        }
        weak.sort_unstable_by_key(|weak| weak.rank);
        Self { heads: Trie::new(&strong), weak: Grams::new(&weak) }
    }

    /// The best rank, of these texts and the one given.
    #[inline]
    pub fn best(&self, texts: &Texts, target: &Haystack<'_>, best: u32) -> u32 {
        let best = self.heads.walk(&texts.octets, target.octets(), best, |wild, best| {
            let better = wild.iter().copied().take_while(|&rank| rank < best);
            better.into_iter().find(|&rank| texts.matches_behind_head(rank, target)).unwrap_or(best)
        });
        self.weak.search(target.octets(), best, |rank| {
            target.octets().starts_with(texts.head(rank)) && texts.matches_behind_head(rank, target)
        })
    }

    /// Octets held.
    pub fn memory_bytes(&self) -> usize {
        self.heads.memory_bytes() + self.weak.memory_bytes()
    }
}

fn head_of(texts: &Texts, rank: u32) -> Head<'_> {
    let ranked: Ranked = texts.ranked[rank as usize];
    let kind = match (ranked.head == ranked.body, ranked.anchored()) {
        (false, _) => Kind::Wild,
        (true, true) => Kind::Whole,
        (true, false) => Kind::Prefix,
    };
    Head { octets: texts.head(rank), start: ranked.start, rank, kind }
}
