//! The index: finds the rule that decides. The lowest matching rank decides, so texts that cannot beat the best rank so far
//! are skipped.

use super::forest::Forest;
use super::query::Query;
use super::texts::{ALLOW, NO_RANK, Ranked, Texts};
use super::walk::Match;
#[cfg(test)]
use crate::groups::Groups;
use crate::pattern::Form;
#[cfg(test)]
use crate::tables::Profile;

/// The rules of one selection, arranged so that the deciding one is found quickly.
#[derive(Debug)]
pub struct Index {
    pub(super) texts: Texts,
    /// For each of the first ranks, whether its rule allows: most decisions need nothing else about the deciding rule.
    allowing: u128,
    a: Forest,
    pub(super) b: Option<Box<Forest>>,
}

impl Index {
    /// Builds the index of some groups.
    #[cfg(test)]
    pub fn new(groups: &Groups, selected: &[u32], content: &[u8], profile: &Profile) -> Self {
        Self::of(Texts::new(groups, selected, content, profile))
    }

    /// Builds the index of texts.
    pub fn of(texts: Texts) -> Self {
        // Section 2.2.2: of equal rules only the first can decide.
        let (a, b) = (texts.distinct_ranks(Form::A, |_, _| {}), texts.distinct_ranks(Form::B, |_, _| {}));
        let b = (!b.is_empty()).then(|| Box::new(Forest::for_deciding(&texts, &b)));
        let first = texts.ranked.iter().take(u128::BITS as usize);
        let allowing = first.rev().fold(0, |bits, ranked| bits << 1 | u128::from(ranked.allows()));
        Self { a: Forest::for_deciding(&texts, &a), b, texts, allowing }
    }

    /// Reads what every query reads first.
    #[inline]
    pub fn touch(&self) -> u32 {
        self.a.touch() ^ self.texts.ranked.first().map_or(0, |ranked| ranked.start)
    }

    /// Returns the deciding rule, and whether it allows.
    #[inline]
    pub fn best(&self, query: &Query<'_>) -> Option<(Match, bool)> {
        let ranked = self.texts.ranked.get(self.best_rank(query) as usize)?;
        Some((ranked.as_match(), ranked.has(ALLOW)))
    }

    /// Returns whether the deciding rule allows, or no rule matches.
    #[inline]
    pub fn allows(&self, query: &Query<'_>) -> bool {
        let best = self.best_rank(query);
        if best < u128::BITS {
            return self.allowing >> best & 1 == 1;
        }
        self.texts.ranked.get(best as usize).is_none_or(Ranked::allows)
    }

    #[inline]
    fn best_rank(&self, query: &Query<'_>) -> u32 {
        let best = self.a.best(&self.texts, query.a(), NO_RANK);
        match &self.b {
            Some(b) => b.best(&self.texts, query.b(), best),
            None => best,
        }
    }

    /// The memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.texts.bytes.len()
            + size_of_val(&*self.texts.ranked)
            + self.a.memory_bytes()
            + self.b.as_deref().map_or(0, Forest::memory_bytes)
    }
}
