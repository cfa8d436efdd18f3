//! The texts of the rules of one selection, in the order in which they decide.
//!
//! Rules are ranked by precedence (RFC 9309 section 2.2.2): the highest specificity first, then allow before disallow,
//! then by line. In profiles where the first match decides, they are ranked by line alone.

use super::haystack::Haystack;
use super::segments::{self, Shape};
use super::walk::Match;
use crate::groups::Groups;
use crate::pattern::{Form, Scratch, entries};
use crate::sorting::sort_by_key;
use crate::tables::Profile;

/// No rule. Every rank is better.
pub const NO_RANK: u32 = u32::MAX;

/// A text of a rule, at the position of its rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) start: u32,
    pub(super) body: u32,
    pub(super) head: u32,
    /// The rule, and in the lowest bits [`ANCHORED`], [`ALLOW`] and [`FORM_B`].
    rule_and_flags: u32,
    pub(super) specificity: u32,
}

pub(super) const ANCHORED: u32 = 1;
pub(super) const ALLOW: u32 = 1 << 1;
const FORM_B: u32 = 1 << 2;
/// A file of [`MAX_BYTES_LIMIT`](crate::tables::MAX_BYTES_LIMIT) has fewer than 2^29 rules.
const FLAG_BITS: u32 = 3;

/// The texts of one selection's rules, by rank: the part of an index that a listing shares.
#[derive(Debug)]
pub struct Texts {
    pub(super) bytes: Box<[u8]>,
    pub(super) ranked: Box<[Ranked]>,
}

/// A text before it has a rank. Keys sort in the order of ranks.
#[derive(Clone, Copy)]
struct Draft {
    key: u64,
    start: u32,
    end: u32,
    form: Form,
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
    pub(super) fn has(&self, flag: u32) -> bool {
        self.rule_and_flags & flag != 0
    }

    /// Whether a URL is allowed if this text decides. An empty rule allows.
    #[inline]
    pub(super) fn allows(&self) -> bool {
        self.has(ALLOW) || self.specificity == 0
    }

    #[inline]
    pub(super) fn rule(&self) -> u32 {
        self.rule_and_flags >> FLAG_BITS
    }

    #[inline]
    pub(super) fn as_match(&self) -> Match {
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
        sort_by_key(&mut drafts, |draft| draft.key);
        bytes.shrink_to_fit();
        let ranked = drafts.iter().map(|draft| Ranked::new(draft, &bytes, groups, profile)).collect();
        Self { bytes: bytes.into(), ranked }
    }

    /// The part of a rank's text that is compared, stars included.
    #[inline]
    pub(super) fn body(&self, rank: u32) -> &[u8] {
        let ranked = &self.ranked[rank as usize];
        &self.bytes[ranked.start as usize..][..ranked.body as usize]
    }

    /// The part before the first star.
    #[inline]
    pub(super) fn head(&self, rank: u32) -> &[u8] {
        let ranked = &self.ranked[rank as usize];
        &self.bytes[ranked.start as usize..][..ranked.head as usize]
    }

    /// Returns the ranks of a form in ascending order, without those that follow a rank with the same text. These are
    /// reported to `repeated`, with the rank whose text they repeat.
    pub(super) fn distinct_ranks(&self, form: Form, mut repeated: impl FnMut(u32, u32)) -> Vec<u32> {
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
    pub(super) fn matches_after_head(&self, rank: u32, target: &Haystack<'_>) -> bool {
        let ranked = self.ranked[rank as usize];
        if ranked.head == ranked.body {
            return !ranked.has(ANCHORED) || target.bytes().len() == ranked.head as usize;
        }
        segments::matches_after_head(self.body(rank), ranked.head as usize, ranked.has(ANCHORED), target)
    }
}
