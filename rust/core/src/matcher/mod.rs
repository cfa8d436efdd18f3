//! The index: the rules of one selection, laid out so that a query looks at few of them.
//!
//! Rules are ranked as RFC 9309 section 2.2.2 weighs them: most octets first, allow before disallow, then by line; in few
//! profiles by line alone. The lowest rank that matches decides, so whatever cannot beat the best rank so far is not looked at.

#[cfg(test)]
mod agreement;
mod forest;
mod grams;
pub mod haystack;
mod segments;
mod successors;
mod suffixes;
mod trie;
pub mod walk;

use std::cell::OnceCell;

use forest::Forest;
use haystack::Haystack;
use segments::Shape;
use walk::Match;

pub use segments::matches;

use crate::groups::Groups;
use crate::pattern::{Entry, Form, Scratch, entries};
use crate::percent::form_b;
use crate::tables::Profile;

/// No rule: beaten by every rank.
pub const NO_RANK: u32 = u32::MAX;

/// A target, and the form of it that few rules ask for.
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
            let mut b = Vec::with_capacity(self.a.octets().len() + 16);
            form_b(self.a.octets(), &mut b);
            Haystack::new(b)
        })
    }

    /// Whether an entry matches.
    pub fn matches(&self, entry: Entry<'_>) -> bool {
        match entry.form {
            Form::A => matches(entry.text, &self.a),
            Form::B => matches(entry.text, self.b()),
        }
    }
}

/// A rule's text, at the place of its rank.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    start: u32,
    body: u32,
    head: u32,
    /// Its rule, and in the lowest bits whether it allows and whether it is anchored.
    rule_and_flags: u32,
    specificity: u32,
}

/// The texts of one selection's rules, by rank.
#[derive(Debug)]
struct Texts {
    octets: Box<[u8]>,
    ranked: Box<[Ranked]>,
}

/// The rules of one selection.
#[derive(Debug)]
pub struct Index {
    texts: Texts,
    a: Forest,
    b: Option<Box<Forest>>,
}

/// A text on its way to its rank. The order of keys is that of ranks.
struct Draft {
    key: u64,
    start: u32,
    end: u32,
    form: Form,
}

impl Index {
    /// Lays the rules of some groups out.
    pub fn new(groups: &Groups, selected: &[u32], octets: &[u8], profile: &Profile) -> Self {
        let rules = || selected.iter().flat_map(|&group| groups.rules_of(group));
        let mut texts = Vec::with_capacity(rules().map(|rule| groups.rules()[rule].value.of(octets).len()).sum());
        let mut drafts = Vec::with_capacity(rules().count());
        let mut scratch = Scratch::default();
        for index in rules() {
            let rule = groups.rules()[index];
            entries(profile, rule.allow(), rule.value.of(octets), &mut scratch, |entry| {
                let start = texts.len() as u32;
                texts.extend_from_slice(entry.text);
                let precedence = if profile.first_match {
                    0
                } else {
                    u64::from(u32::MAX - entry.specificity) << 1 | u64::from(!rule.allow())
                };
                drafts.push(Draft {
                    key: precedence << 31 | index as u64,
                    start,
                    end: texts.len() as u32,
                    form: entry.form,
                });
            });
        }
        drafts.sort_unstable_by_key(|draft| draft.key);
        texts.shrink_to_fit();
        let ranked = drafts.iter().map(|draft| Ranked::new(draft, &texts, groups, profile)).collect();
        let texts = Texts { octets: texts.into(), ranked };
        let of_form = |form| {
            let ranks = drafts.iter().enumerate().filter(move |(_, draft)| draft.form == form);
            let mut ranks: Vec<u32> = ranks.map(|(rank, _)| rank as u32).collect();
            // Section 2.2.2: of equal rules only the first can decide.
            ranks.dedup_by(|later, earlier| texts.are_equal(*earlier, *later));
            ranks
        };
        let (a, b) = (of_form(Form::A), of_form(Form::B));
        Self { a: Forest::new(&texts, &a), b: (!b.is_empty()).then(|| Box::new(Forest::new(&texts, &b))), texts }
    }

    /// The rule that decides, and whether it allows.
    #[inline]
    pub fn best(&self, query: &Query<'_>) -> Option<(Match, bool)> {
        let mut best = self.a.best(&self.texts, &query.a, NO_RANK);
        if let Some(b) = &self.b {
            best = b.best(&self.texts, query.b(), best);
        }
        let ranked = self.texts.ranked.get(best as usize)?;
        Some((
            Match { rule: ranked.rule_and_flags >> 2, specificity: ranked.specificity },
            ranked.rule_and_flags & 2 == 2,
        ))
    }

    /// Octets held.
    pub fn memory_bytes(&self) -> usize {
        self.texts.octets.len()
            + size_of_val(&*self.texts.ranked)
            + self.a.memory_bytes()
            + self.b.as_deref().map_or(0, Forest::memory_bytes)
    }
}

impl Ranked {
    fn new(draft: &Draft, texts: &[u8], groups: &Groups, profile: &Profile) -> Self {
        let shape = Shape::of(&texts[draft.start as usize..draft.end as usize]);
        // The key ends with the rule's index.
        let index = draft.key as u32 & (u32::MAX >> 2);
        let rule = groups.rules()[index as usize];
        Self {
            start: draft.start,
            body: shape.body as u32,
            head: shape.head as u32,
            rule_and_flags: index << 2 | u32::from(rule.allow()) << 1 | u32::from(shape.anchored),
            specificity: if profile.first_match { rule.value.octets() } else { u32::MAX - (draft.key >> 32) as u32 },
        }
    }

    fn anchored(self) -> bool {
        self.rule_and_flags & 1 == 1
    }
}

impl Texts {
    /// What is compared of a rank's text, stars included.
    #[inline]
    fn body(&self, rank: u32) -> &[u8] {
        let ranked = &self.ranked[rank as usize];
        &self.octets[ranked.start as usize..][..ranked.body as usize]
    }

    /// What is in front of its first star.
    #[inline]
    fn head(&self, rank: u32) -> &[u8] {
        let ranked = &self.ranked[rank as usize];
        &self.octets[ranked.start as usize..][..ranked.head as usize]
    }

    /// Whether two ranks have the same text.
    fn are_equal(&self, one: u32, other: u32) -> bool {
        self.body(one) == self.body(other)
            && self.ranked[one as usize].anchored() == self.ranked[other as usize].anchored()
    }

    /// Whether the text of a rank matches a target that is known to begin with its head.
    #[inline]
    fn matches_behind_head(&self, rank: u32, target: &Haystack<'_>) -> bool {
        let ranked = self.ranked[rank as usize];
        segments::matches_behind_head(self.body(rank), ranked.head as usize, ranked.anchored(), target)
    }
}
