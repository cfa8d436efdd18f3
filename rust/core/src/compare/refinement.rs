//! The patterns of one or two lists of rules in order of precedence, and what is known about each, for any number of
//! questions.

use std::collections::{BTreeSet, HashMap};

use super::budget::{Budget, TooLarge};
use super::domain::{Form, in_form};
use super::pattern_index::{MatchIndex, Overlaps, may_overlap};
use super::patterns::Pattern;

/// Comes after the places of all patterns. The place of a pattern is its index plus one, and 0 comes before all.
pub(super) const LAST: u32 = u32::MAX;
/// The bytes that are compared in one step.
pub(super) const BYTES_OF_A_STEP: usize = 8;
/// The decision of a pattern that a list does not have.
pub(super) const ABSENT: u8 = 2;
/// A wanted decision that does not matter.
pub(super) const ANY: u8 = 2;

/// The wanted decision of each list: 0, 1, or 2 if it does not matter.
pub type Wanted = [u8; 2];

/// Properties of a pattern that are computed once.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub least_length: usize,
    pub direct_match: Option<Vec<u8>>,
    /// The shortest head of its targets, if the pattern is only a head in form (b).
    pub shortest_head: Option<Pattern>,
    pub has_stray_percent: bool,
    /// The steps of one comparison with a target, or with another pattern.
    pub steps: usize,
    /// The index of the first equal pattern.
    pub first: u32,
}

/// The rules of one side of a comparison: a decision for each target.
#[derive(Clone, Debug)]
pub(super) struct RankedRuleList {
    /// The decision of each ranked pattern: 0, 1, or 2 if the list does not have it.
    pub values: Vec<u8>,
    pub default: u8,
}

/// The pattern that decides by each list, if any, and its decision.
pub(super) type Deciders = [(Option<u32>, u8); 2];
type Searched = HashMap<(Box<[u32]>, Box<[u32]>), Option<Vec<u8>>>;

/// The patterns of one or two lists of rules in order of precedence, for any number of questions.
#[derive(Debug)]
pub struct Refinement {
    patterns: Vec<Pattern>,
    known: Vec<Known>,
    numbers: HashMap<Pattern, u32>,
    /// The patterns before this one have a rank.
    pub(super) ranked: u32,
    pub(super) lists: Vec<RankedRuleList>,
    /// The ranked patterns that two lists decide differently.
    pub(super) differing: BTreeSet<u32>,
    /// An index for each form.
    pub(super) indexes: Vec<MatchIndex>,
    pub(super) overlaps: Overlaps,
    /// The results of searches.
    pub(super) searched: Searched,
    pub(super) searched_memory: usize,
}

impl Refinement {
    /// Prepares the patterns. The decisions of a list are 0, 1, or 2 for a pattern that it does not have.
    pub fn new(patterns: Vec<Pattern>, lists: Vec<(Vec<u8>, bool)>, forms: &[Form]) -> Self {
        let of_form = |form: usize| (0..).zip(&patterns).filter(move |(_, pattern)| pattern.form == form);
        let indexes = (0..forms.len()).map(|form| MatchIndex::new(of_form(form))).collect();
        let overlaps = Overlaps::new(&patterns);
        let lists = lists.into_iter().map(|(values, default)| RankedRuleList { values, default: u8::from(default) });
        let mut refinement = Self {
            patterns: Vec::with_capacity(patterns.len()),
            known: Vec::with_capacity(patterns.len()),
            numbers: HashMap::with_capacity(patterns.len()),
            ranked: patterns.len() as u32,
            lists: lists.collect(),
            differing: BTreeSet::new(),
            indexes,
            overlaps,
            searched: HashMap::new(),
            searched_memory: 0,
        };
        for pattern in patterns {
            refinement.push(pattern, forms);
        }
        (0..refinement.ranked).for_each(|index| refinement.note_difference(index));
        refinement
    }

    fn push(&mut self, pattern: Pattern, forms: &[Form]) -> u32 {
        let index = self.patterns.len() as u32;
        let first = *self.numbers.entry(pattern.clone()).or_insert(index);
        self.known.push(Known {
            least_length: pattern.least_length(),
            direct_match: pattern.direct_match(forms),
            shortest_head: pattern.shortest_head(forms),
            has_stray_percent: pattern.has_stray_percent(),
            steps: 4 + pattern.size() / BYTES_OF_A_STEP,
            first,
        });
        self.patterns.push(pattern);
        first
    }

    /// The index of a pattern. It is added if it is new.
    pub fn index_of(&mut self, pattern: Pattern, forms: &[Form]) -> u32 {
        match self.numbers.get(&pattern) {
            Some(&index) => index,
            None => self.push(pattern, forms),
        }
    }

    /// The number of patterns.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The number of lists.
    pub fn lists(&self) -> usize {
        self.lists.len()
    }

    /// Changes the decision of a ranked pattern by a list. Returns whether there is such a pattern and list.
    pub fn set_value(&mut self, list: usize, index: u32, value: u8) -> bool {
        let values = self.lists.get_mut(list).map(|list| &mut list.values);
        let Some(current) = values.and_then(|values| values.get_mut(index as usize)) else { return false };
        *current = value;
        self.note_difference(index);
        true
    }

    fn note_difference(&mut self, index: u32) {
        let [one, other] = self.lists.as_slice() else { return };
        if one.values[index as usize] == other.values[index as usize] {
            self.differing.remove(&index);
        } else {
            self.differing.insert(index);
        }
    }

    /// Whether only the ranked patterns overlap this one whose heads do.
    pub(super) fn overlap_by_heads(&self, index: u32) -> bool {
        self.pattern(index).form <= 1 && self.indexes.iter().skip(2).all(MatchIndex::is_empty)
    }

    /// Whether a pattern may match a common target with all of others, as far as their heads show.
    pub(super) fn overlaps_all(&self, index: u32, others: &[u32]) -> bool {
        let one = self.pattern(index);
        others.iter().all(|&other| may_overlap(one, self.pattern(other)))
    }

    pub(super) fn pattern(&self, index: u32) -> &Pattern {
        &self.patterns[index as usize]
    }

    /// Patterns with the same shortest common targets that are compared with the target itself.
    ///
    /// This is possible for one pattern that is a head in form (b), and others that do not extend into its escapes: the
    /// shortest targets contain the characters that the form encodes. In other cases, the patterns themselves are returned.
    pub(super) fn as_is(&self, indices: &[u32]) -> Vec<&Pattern> {
        let mut patterns: Vec<&Pattern> = indices.iter().map(|&one| self.pattern(one)).collect();
        let mut encoded = (0..indices.len()).filter(|&at| patterns[at].form != 0);
        let (Some(at), None) = (encoded.next(), encoded.next()) else { return patterns };
        let Some(shortest) = &self.known(indices[at]).shortest_head else { return patterns };
        let path = patterns[at].fixed_head();
        let extends = |one: &&Pattern| one.form == 0 && (!path.starts_with(&one.head) || one.may_be_in_escape());
        if !patterns.iter().any(extends) {
            patterns[at] = shortest;
        }
        patterns
    }

    pub(super) fn known(&self, index: u32) -> &Known {
        &self.known[index as usize]
    }

    /// The decision of the pattern at a place.
    pub(super) fn value_at(&self, list: usize, place: u32) -> u8 {
        self.lists[list].values[place as usize - 1]
    }

    pub(super) fn deciders(&self, target: &[u8], forms: &[Form], budget: &mut Budget) -> Result<Deciders, TooLarge> {
        let mut best = [LAST; 2];
        let mut steps = 20 + target.len();
        for (form, index) in self.indexes.iter().enumerate().filter(|(_, index)| !index.is_empty()) {
            let text = in_form(target, &forms[form]);
            index.visit(&text, |candidate| {
                let open = |list: usize| {
                    self.lists
                        .get(list)
                        .is_some_and(|each| candidate < best[list] && each.values[candidate as usize] != ABSENT)
                };
                let open = [open(0), open(1)];
                if open != [false; 2] {
                    steps += self.known(candidate).steps + text.len() / BYTES_OF_A_STEP;
                    if self.pattern(candidate).matches_text(&text) {
                        for list in 0..2 {
                            if open[list] {
                                best[list] = candidate;
                            }
                        }
                    }
                }
                // The other candidates come later in the order of precedence.
                candidate < best[0] || (self.lists.len() > 1 && candidate < best[1])
            });
            budget.spend(std::mem::take(&mut steps))?;
        }
        let mut deciders = [(None, 0); 2];
        for (number, list) in self.lists.iter().enumerate() {
            deciders[number] = match best[number] {
                LAST => (None, list.default),
                index => (Some(index), list.values[index as usize]),
            };
        }
        Ok(deciders)
    }
}
