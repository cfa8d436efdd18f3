//! The decisions of several lists of rules, and which of the remaining patterns still matter to them.

/// The number of lists that can be compared.
pub const MAX_RULE_LISTS: usize = 4;
/// The decision of a pattern that a list does not have.
pub const ABSENT: u8 = 2;

/// The rules of one side of a comparison: a decision for each target.
#[derive(Clone, Debug)]
pub struct RuleList {
    /// The decision of each pattern: 0, 1, or 2 if the list does not have it.
    pub values: Vec<u8>,
    /// The decision if none matches.
    pub default: bool,
    /// Whether the pattern whose match ends last decides.
    pub longest_match: bool,
}

/// The decisions of each list after some bytes of a target, as far as they are made.
#[derive(Clone, Copy, Debug)]
pub struct PartialDecisions {
    /// The decision of each list so far, as bits.
    pub decisions: u8,
    /// The index from which on patterns no longer matter to each list.
    pub limits: [u32; MAX_RULE_LISTS],
}

impl PartialDecisions {
    /// The decision of a list so far.
    pub fn decision(&self, list: usize) -> u8 {
        self.decisions >> list & 1
    }

    fn decide(&mut self, list: usize, decision: u8) {
        self.decisions = self.decisions & !(1 << list) | decision << list;
    }
}

/// The decision of each pattern by each list.
#[derive(Debug)]
pub struct RuleLists {
    lists: Vec<RuleList>,
    count: u32,
    /// The wanted decisions: a bit for each combination of the decisions of all lists.
    wanted: u16,
    /// Whether all of them differ between the first two lists.
    differ: bool,
}

impl RuleLists {
    /// Prepares the lists. `wanted` has a bit for each combination of decisions, read as a number.
    pub fn new(lists: Vec<RuleList>, wanted: u16, patterns: usize) -> Self {
        let combinations = 0..1_u16 << lists.len();
        let differ =
            lists.len() > 1 && combinations.filter(|one| wanted >> one & 1 == 1).all(|one| one & 1 != one >> 1 & 1);
        Self { lists, count: patterns as u32, wanted, differ }
    }

    /// The decisions before the first byte.
    pub fn start(&self) -> PartialDecisions {
        let mut partial = PartialDecisions { decisions: 0, limits: [0; MAX_RULE_LISTS] };
        for (number, list) in self.lists.iter().enumerate() {
            partial.decide(number, u8::from(list.default));
            partial.limits[number] = self.count;
        }
        partial
    }

    /// The decision of a pattern by a list.
    pub fn value(&self, list: usize, text: u32) -> u8 {
        self.lists[list].values[text as usize]
    }

    /// Whether the pattern that ends last decides for a list that has this one.
    pub fn ends_last(&self, text: u32) -> bool {
        self.lists.iter().any(|list| list.longest_match && list.values[text as usize] != ABSENT)
    }

    fn best(&self, list: usize, limit: u32, texts: impl Iterator<Item = u32>) -> Option<u32> {
        texts.filter(|&text| text < limit && self.value(list, text) != ABSENT).min()
    }

    /// Updates the decisions after these patterns have matched.
    pub fn after_matches(&self, partial: &mut PartialDecisions, matched: &[u32]) {
        for (number, list) in self.lists.iter().enumerate() {
            if let Some(best) = self.best(number, partial.limits[number], matched.iter().copied()) {
                partial.decide(number, list.values[best as usize]);
                if !list.longest_match {
                    partial.limits[number] = best;
                }
            }
        }
    }

    /// Whether the decisions about the target that ends here are wanted.
    pub fn is_wanted(&self, partial: &PartialDecisions, matched: &[u32], at_end: &[u32]) -> bool {
        let mut decided = *partial;
        if !at_end.is_empty() {
            for (number, list) in self.lists.iter().enumerate() {
                // Of the patterns that end last, the first one decides.
                let matched = if list.longest_match { matched } else { &[] };
                let ending = matched.iter().chain(at_end).copied();
                if let Some(best) = self.best(number, partial.limits[number], ending) {
                    decided.decide(number, list.values[best as usize]);
                }
            }
        }
        self.wanted >> decided.decisions & 1 == 1
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// Whether the pattern whose match ends last decides by a list.
    pub fn longest_match(&self, list: usize) -> bool {
        self.lists[list].longest_match
    }

    /// Whether the lists that have remaining patterns could still reach a wanted combination of decisions.
    pub fn may_be_wanted(&self, partial: &PartialDecisions) -> bool {
        let open =
            (0..self.lists.len()).filter(|&list| partial.limits[list] > 0).fold(0, |open, list| open | 1 << list);
        let mut combinations = 0..1_u16 << self.lists.len();
        // A list without remaining patterns has only one decision left.
        combinations.any(|one| self.wanted >> one & 1 == 1 && (one ^ u16::from(partial.decisions)) & !open == 0)
    }

    /// Whether only different decisions of the first two lists are wanted, and both have the same one so far.
    pub fn need_difference(&self, partial: &PartialDecisions) -> bool {
        self.differ && partial.decision(0) == partial.decision(1)
    }

    /// Whether a pattern matters to some list.
    pub fn matters(&self, text: u32, partial: &PartialDecisions) -> bool {
        let mut lists = self.lists.iter().zip(partial.limits);
        lists.any(|(list, limit)| text < limit && list.values[text as usize] != ABSENT)
    }

    /// Whether a pattern makes no difference between the first two lists.
    pub fn is_equal(&self, text: u32, partial: &PartialDecisions) -> bool {
        let values = [self.value(0, text), self.value(1, text)];
        if text < partial.limits[0] && text < partial.limits[1] {
            return values[0] == values[1] && values[0] != ABSENT;
        }
        // Only one list has this pattern left. It may not change the decision.
        (0..2).all(|list| {
            text >= partial.limits[list] || values[list] == ABSENT || values[list] == partial.decision(list)
        })
    }
}
