//! The texts that are compared with one form of the target. Most texts are found by their head. Texts with a weak head are
//! found by their rarest gram.

use super::grams::{Grams, Weak};
use super::haystack::Haystack;
use super::needle::Needle;
use super::texts::{ANCHORED, NO_RANK, Ranked, Texts};
use super::trie::{Head, Kind, Trie, Wild, sort};
use crate::sorting::sort_by_key;

/// More wildcard texts than this with the same head are found by their grams: in the trie, each of them would be
/// checked.
const MANY_AT_A_HEAD: usize = 4;

/// Up to this many texts with a weak head are checked directly, which is faster than searching the target for grams.
const FEW_WEAK: usize = 2;

/// The texts that are compared with one form of the target.
#[derive(Debug)]
pub struct Forest {
    heads: Trie,
    weak: Grams,
}

impl Forest {
    /// Builds a forest that finds the best of these ranks, which are in ascending order.
    pub fn for_deciding(texts: &Texts, ranks: &[u32]) -> Self {
        let (heads, weak) = split(texts, ranks);
        Self { heads: Trie::new(&heads), weak: Grams::new(&weak) }
    }

    /// Builds a forest that finds all of these ranks, which are in ascending order.
    pub fn for_listing(texts: &Texts, ranks: &[u32]) -> Self {
        let (mut heads, weak) = split(texts, ranks);
        for head in &mut heads {
            // The trie keeps only the best of the other kinds.
            head.kind = Kind::Wild;
        }
        Self { heads: Trie::new(&heads), weak: Grams::new(&weak) }
    }

    /// Reads what every search reads first.
    #[inline]
    pub fn touch(&self) -> u32 {
        self.heads.touch() ^ self.weak.touch()
    }

    /// Returns the best of `best` and the ranks whose texts match. Requires [`Self::for_deciding`].
    #[inline]
    pub fn best(&self, texts: &Texts, target: &Haystack<'_>, best: u32) -> u32 {
        let best = self.heads.walk(&texts.bytes, target.bytes(), best, |wild, best| {
            let mut better = wild.iter().take_while(|wild| wild.rank < best);
            let may_match = |wild: &Wild| wild.needle.may_occur_in(target.bytes());
            let found = better.find(|wild| may_match(wild) && texts.matches_after_head(wild.rank, target));
            found.map_or(best, |wild| wild.rank)
        });
        self.weak.search(target.bytes(), best, |rank| {
            target.bytes().starts_with(texts.head(rank)) && texts.matches_after_head(rank, target)
        })
    }

    /// Appends the ranks whose texts match, in no particular order. Requires [`Self::for_listing`].
    #[inline]
    pub fn all(&self, texts: &Texts, target: &Haystack<'_>, found: &mut Vec<u32>) {
        self.heads.walk(&texts.bytes, target.bytes(), NO_RANK, |wild, best| {
            let ranks = wild.iter().map(|wild| wild.rank).take_while(|&rank| rank != NO_RANK);
            found.extend(ranks.filter(|&rank| texts.matches_after_head(rank, target)));
            best
        });
        self.weak.search(target.bytes(), NO_RANK, |rank| {
            if target.bytes().starts_with(texts.head(rank)) && texts.matches_after_head(rank, target) {
                found.push(rank);
            }
            // No rank counts as found, so the search goes on.
            false
        });
    }

    /// The memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.heads.memory_bytes() + self.weak.memory_bytes()
    }
}

/// Splits texts into those found by their head, sorted, and those found by a gram, in order of rank.
fn split<'t>(texts: &'t Texts, ranks: &[u32]) -> (Vec<Head<'t>>, Vec<Weak<'t>>) {
    let mut heads: Vec<Head<'_>> = ranks.iter().map(|&rank| head_of(texts, rank)).collect();
    sort(&mut heads);
    let mut weak = Vec::new();
    let mut strong = Vec::with_capacity(heads.len());
    for same in heads.chunk_by(|one, other| one.text == other.text) {
        let wild = same.iter().filter(|head| head.kind == Kind::Wild).count();
        if wild > MANY_AT_A_HEAD || (wild > 0 && same[0].text.len() <= 1) {
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
        return (heads, Vec::new());
    }
    sort_by_key(&mut weak, |weak| weak.rank.into());
    (strong, weak)
}

fn head_of(texts: &Texts, rank: u32) -> Head<'_> {
    let ranked: Ranked = texts.ranked[rank as usize];
    let kind = match (ranked.head == ranked.body, ranked.has(ANCHORED)) {
        (false, _) => Kind::Wild,
        (true, true) => Kind::Whole,
        (true, false) => Kind::Prefix,
    };
    let (body, head) = (texts.body(rank), texts.head(rank));
    Head { text: head, start: ranked.start, rank, kind, needle: Needle::of(&body[head.len()..]) }
}
