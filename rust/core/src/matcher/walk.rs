//! The plain walk: compares every rule of a selection, straight from the file.
//!
//! It needs no index, so it is used for the first decisions about a file. The index and the listing must agree with it.

use super::query::Query;
use crate::groups::{Groups, Rule};
use crate::pattern::{Scratch, differs_early, entries};
use crate::sorting::sort_by_key;
use crate::tables::Profile;

/// A rule that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Its index among the file's rules.
    pub rule: u32,
    /// The specificity of its best text that matches.
    pub specificity: u32,
}

/// Returns the deciding rule, and whether it allows.
pub fn best(
    groups: &Groups,
    selected: &[u32],
    content: &[u8],
    profile: &Profile,
    query: &Query<'_>,
) -> Option<(Match, bool)> {
    let mut scratch = Scratch::default();
    // Specificity and allow in one number: the highest wins, and the first of equals.
    let (mut best, mut weight) = (None, 0);
    for (index, rule) in rules(groups, selected) {
        let value = rule.value.of(content);
        if cannot_match(rule, value, profile, query) {
            continue;
        }
        entries(profile, rule.allow(), value, &mut scratch, |entry| {
            let found = if profile.first_match {
                1
            } else {
                u64::from(entry.specificity) << 2 | u64::from(rule.allow()) << 1 | 1
            };
            if found > weight && query.matches(entry) {
                weight = found;
                best = Some((Match { rule: index, specificity: entry.specificity }, rule.allow()));
            }
        });
    }
    best
}

/// Returns every rule that matches, in order of precedence.
pub fn all(groups: &Groups, selected: &[u32], content: &[u8], profile: &Profile, query: &Query<'_>) -> Vec<Match> {
    let mut scratch = Scratch::default();
    let mut matches = Vec::new();
    for (index, rule) in rules(groups, selected) {
        let value = rule.value.of(content);
        if cannot_match(rule, value, profile, query) {
            continue;
        }
        let mut best = None;
        entries(profile, rule.allow(), value, &mut scratch, |entry| {
            if best.is_none_or(|specificity| entry.specificity > specificity) && query.matches(entry) {
                best = Some(entry.specificity);
            }
        });
        matches.extend(best.map(|specificity| Match { rule: index, specificity }));
    }
    if profile.first_match {
        return matches;
    }
    sort_by_key(&mut matches, |found| {
        u64::from(u32::MAX - found.specificity) << 1 | u64::from(!groups.rules().at(found.rule as usize).allow())
    });
    matches
}

fn rules<'a>(groups: &'a Groups, selected: &'a [u32]) -> impl Iterator<Item = (u32, Rule)> {
    selected.iter().flat_map(|&group| {
        let rules = groups.rules_of(group);
        (rules.start as u32..).zip(groups.rules().range(rules).iter())
    })
}

/// Whether the rule certainly does not match. A quick check that excludes nearly every rule.
#[inline]
fn cannot_match(rule: Rule, value: &[u8], profile: &Profile, query: &Query<'_>) -> bool {
    // An allow rule for an index page has a second text.
    !(profile.index_html && rule.allow()) && differs_early(value, query.a().bytes())
}
