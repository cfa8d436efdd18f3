//! The index: the rules of one selection, arranged so that a query checks few of them.
//!
//! Rules are ranked by precedence (RFC 9309 section 2.2.2): the highest specificity first, then allow before disallow,
//! then by line. In profiles where the first match decides, they are ranked by line alone. The lowest matching rank
//! decides, so texts that cannot beat the best rank so far are skipped.

#[cfg(test)]
mod agreement;
mod forest;
mod grams;
pub mod haystack;
mod listing;
mod needle;
mod segments;
pub mod spans;
mod successors;
mod suffixes;
mod trie;
pub mod walk;

use std::cell::OnceCell;

use forest::Forest;
use haystack::Haystack;
use segments::Shape;
use walk::Match;

pub use listing::Listing;
pub use segments::matches;

use crate::groups::Groups;
use crate::pattern::{Entry, Form, Scratch, entries};
use crate::percent::form_b;
use crate::tables::Profile;

/// No rule. Every rank is better.
pub const NO_RANK: u32 = u32::MAX;

/// A target in form (a), and in form (b) if a rule needs it.
#[derive(Debug)]
pub struct Query<'t> {
    a: Haystack<'t>,
    b: OnceCell<Haystack<'static>>,
}

impl<'t> Query<'t> {
    /// Wraps a target in form (a).
    #[inline]
    pub fn new(target: &'t [u8]) -> Self {
        Self { a: Haystack::new(target), b: OnceCell::new() }
    }

    /// The target in form (a).
    #[inline]
    pub fn a(&self) -> &Haystack<'t> {
        &self.a
    }

    /// The target in form (b).
    pub fn b(&self) -> &Haystack<'static> {
        self.b.get_or_init(|| {
            let mut b = Vec::with_capacity(self.a.bytes().len() + 16);
            form_b(self.a.bytes(), &mut b);
            Haystack::new(b)
        })
    }

    /// Whether a text of a rule matches.
    pub fn matches(&self, entry: Entry<'_>) -> bool {
        match entry.form {
            Form::A => matches(entry.text, &self.a),
            Form::B => matches(entry.text, self.b()),
        }
    }
}

/// A text of a rule, at the position of its rank.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    start: u32,
    body: u32,
    head: u32,
    /// The rule, and in the lowest bits [`ANCHORED`], [`ALLOW`] and [`FORM_B`].
    rule_and_flags: u32,
    specificity: u32,
}

const ANCHORED: u32 = 1;
const ALLOW: u32 = 1 << 1;
const FORM_B: u32 = 1 << 2;
/// A file of [`crate::tables::MAX_BYTES_LIMIT`] has fewer than 2^29 rules.
const FLAG_BITS: u32 = 3;

/// The texts of one selection's rules, by rank: the first half of an index.
#[derive(Debug)]
pub struct Texts {
    bytes: Box<[u8]>,
    ranked: Box<[Ranked]>,
}

/// The rules of one selection, arranged so that the deciding one is found quickly.
#[derive(Debug)]
pub struct Index {
    texts: Texts,
    /// For each of the first ranks, whether its rule allows: most decisions need nothing else about the deciding rule.
    allowing: u128,
    a: Forest,
    b: Option<Box<Forest>>,
}

/// A text before it has a rank. Keys sort in the order of ranks.
struct Draft {
    key: u64,
    start: u32,
    end: u32,
    form: Form,
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
        let best = self.a.best(&self.texts, &query.a, NO_RANK);
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

impl Ranked {
    fn new(draft: &Draft, texts: &[u8], groups: &Groups, profile: &Profile) -> Self {
        let shape = Shape::of(&texts[draft.start as usize..draft.end as usize]);
        // The key ends with the index of the rule.
        let index = draft.key as u32 & (u32::MAX >> FLAG_BITS);
        let rule = groups.rules().at(index as usize);
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        Self {
            start: draft.start,
            body: shape.body as u32,
            head: shape.head as u32,
            rule_and_flags: index << FLAG_BITS
                | flag(shape.anchored, ANCHORED)
                | flag(rule.allow(), ALLOW)
                | flag(draft.form == Form::B, FORM_B),
            specificity: if profile.first_match { rule.value.length() } else { u32::MAX - (draft.key >> 32) as u32 },
        }
    }

    #[inline]
    fn has(&self, flag: u32) -> bool {
        self.rule_and_flags & flag != 0
    }

    /// Whether a URL is allowed if this text decides. An empty rule allows.
    #[inline]
    fn allows(&self) -> bool {
        self.has(ALLOW) || self.specificity == 0
    }

    #[inline]
    fn rule(&self) -> u32 {
        self.rule_and_flags >> FLAG_BITS
    }

    #[inline]
    fn as_match(&self) -> Match {
        Match { rule: self.rule(), specificity: self.specificity }
    }
}

impl Texts {
    /// Collects and ranks the texts of some groups.
    pub fn new(groups: &Groups, selected: &[u32], content: &[u8], profile: &Profile) -> Self {
        let rules = || selected.iter().flat_map(|&group| groups.rules_of(group));
        let mut bytes = Vec::with_capacity(rules().map(|rule| groups.rules().at(rule).value.of(content).len()).sum());
        let mut drafts = Vec::with_capacity(rules().count());
        let mut scratch = Scratch::default();
        for index in rules() {
            let rule = groups.rules().at(index);
            entries(profile, rule.allow(), rule.value.of(content), &mut scratch, |entry| {
                let start = bytes.len() as u32;
                bytes.extend_from_slice(entry.text);
                let precedence = if profile.first_match {
                    0
                } else {
                    u64::from(u32::MAX - entry.specificity) << 1 | u64::from(!rule.allow())
                };
                drafts.push(Draft {
                    key: precedence << 31 | index as u64,
                    start,
                    end: bytes.len() as u32,
                    form: entry.form,
                });
            });
        }
        drafts.sort_unstable_by_key(|draft| draft.key);
        bytes.shrink_to_fit();
        let ranked = drafts.iter().map(|draft| Ranked::new(draft, &bytes, groups, profile)).collect();
        Self { bytes: bytes.into(), ranked }
    }

    /// The part of a rank's text that is compared, stars included.
    #[inline]
    fn body(&self, rank: u32) -> &[u8] {
        let ranked = &self.ranked[rank as usize];
        &self.bytes[ranked.start as usize..][..ranked.body as usize]
    }

    /// The part before the first star.
    #[inline]
    fn head(&self, rank: u32) -> &[u8] {
        let ranked = &self.ranked[rank as usize];
        &self.bytes[ranked.start as usize..][..ranked.head as usize]
    }

    /// Returns the ranks of a form in ascending order, without those that follow a rank with the same text. These are
    /// reported to `repeated`, with the rank whose text they repeat.
    fn distinct_ranks(&self, form: Form, mut repeated: impl FnMut(u32, u32)) -> Vec<u32> {
        let ranks =
            (0..self.ranked.len() as u32).filter(|&rank| self.ranked[rank as usize].has(FORM_B) == (form == Form::B));
        let mut ranks: Vec<u32> = ranks.collect();
        ranks.dedup_by(|later, earlier| {
            let equal = self.are_equal(*earlier, *later);
            if equal {
                repeated(*earlier, *later);
            }
            equal
        });
        ranks
    }

    /// Whether two ranks have the same text.
    fn are_equal(&self, one: u32, other: u32) -> bool {
        self.body(one) == self.body(other)
            && self.ranked[one as usize].has(ANCHORED) == self.ranked[other as usize].has(ANCHORED)
    }

    /// Whether the text of a rank matches a target that is known to begin with its head.
    #[inline]
    fn matches_after_head(&self, rank: u32, target: &Haystack<'_>) -> bool {
        let ranked = self.ranked[rank as usize];
        if ranked.head == ranked.body {
            return !ranked.has(ANCHORED) || target.bytes().len() == ranked.head as usize;
        }
        segments::matches_after_head(self.body(rank), ranked.head as usize, ranked.has(ANCHORED), target)
    }
}
