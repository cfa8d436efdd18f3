//! All matching rules of a target, found through an index.
//!
//! The index finds the best rule and skips everything that cannot beat it. A listing holds the same texts in forests
//! that report every candidate. It is built only for rule sets whose verdicts are explained often.

use super::forest::Forest;
use super::haystack::Haystack;
use super::index::Index;
use super::query::Query;
use super::texts::Texts;
use super::walk::Match;
use crate::pattern::Form;
use crate::sorting::sort_by_key;

/// The texts of an index, arranged so that every match is found.
#[derive(Debug)]
pub struct Listing {
    a: PerForm,
    b: Option<Box<PerForm>>,
}

/// The texts that are compared with one form of the target.
#[derive(Debug)]
struct PerForm {
    forest: Forest,
    /// Ranks that repeat the text of a better rank, as sorted pairs (better rank, rank). Only the better rank is in the
    /// forest.
    repeated: Box<[(u32, u32)]>,
}

impl Listing {
    /// Arranges the texts of an index.
    pub fn new(index: &Index) -> Self {
        let b = index.b.is_some().then(|| Box::new(PerForm::new(&index.texts, Form::B)));
        Self { a: PerForm::new(&index.texts, Form::A), b }
    }

    /// Returns every rule that matches, each with its best text, in order of precedence.
    pub fn all(&self, index: &Index, query: &Query<'_>) -> Vec<Match> {
        let texts = &index.texts;
        let mut ranks = Vec::new();
        self.a.collect(texts, query.a(), &mut ranks);
        if let Some(b) = &self.b {
            b.collect(texts, query.b(), &mut ranks);
        }
        // The texts of a rule rank one after the other, except for those of an index page, so both sorts are cheap.
        ranks.sort_unstable();
        if ranks.len() > 1 {
            sort_by_key(&mut ranks, |&rank| texts.ranked[rank as usize].rule().into());
            ranks.dedup_by_key(|rank| texts.ranked[*rank as usize].rule());
            ranks.sort_unstable();
        }
        ranks.into_iter().map(|rank| texts.ranked[rank as usize].as_match()).collect()
    }

    /// The memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.a.memory_bytes() + self.b.as_deref().map_or(0, |b| size_of::<PerForm>() + b.memory_bytes())
    }
}

impl PerForm {
    fn new(texts: &Texts, form: Form) -> Self {
        let mut repeated = Vec::new();
        let ranks = texts.distinct_ranks(form, |first, other| repeated.push((first, other)));
        Self { forest: Forest::for_listing(texts, &ranks), repeated: repeated.into() }
    }

    /// Appends the rank of every text that matches.
    fn collect(&self, texts: &Texts, target: &Haystack<'_>, ranks: &mut Vec<u32>) {
        let found = ranks.len();
        self.forest.all(texts, target, ranks);
        if self.repeated.is_empty() {
            return;
        }
        for at in found..ranks.len() {
            let rank = ranks[at];
            let start = self.repeated.partition_point(|&(first, _)| first < rank);
            let same = self.repeated[start..].iter().take_while(|&&(first, _)| first == rank);
            ranks.extend(same.map(|&(_, other)| other));
        }
    }

    fn memory_bytes(&self) -> usize {
        self.forest.memory_bytes() + size_of_val(&*self.repeated)
    }
}
