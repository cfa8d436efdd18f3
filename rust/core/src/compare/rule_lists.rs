//! Lists of rules that have most of their rules in common, such as those of a file before and after a small change.
//!
//! Only the rules that overlap a changed one are compared. The answers are those of `canfetch.compare.rule_lists`, which
//! counts its work in objects of the Python engine.

use super::budget::{Budget, TooLarge};
use super::domain::Targets;
use super::patterns::Pattern;
use super::question::Question;
use super::refinement::{ABSENT, Refinement};
use crate::bytes::{DOLLAR, ILLEGAL, PERCENT, QUESTION, STAR, class};
use crate::pattern::{Form, Scratch, entries};
use crate::percent::unescape_literal;
use crate::tables::Profile;

/// At most this many changed patterns are tried before a search.
const MAX_DIRECT: usize = 64;
/// With more heads, most rules overlap one of them.
const MAX_HEADS: usize = 32;
/// The time for the indices of a pattern, and for a question, in objects.
const OBJECTS_OF_A_PATTERN: usize = 3;
const OBJECTS_OF_A_QUESTION: usize = 10;
/// The steps of an object, which takes about a microsecond in Python.
const STEPS_OF_AN_OBJECT: usize = 40;

/// A rule without its line: whether it allows, and its value.
pub type RuleText<'a> = (bool, &'a [u8]);
/// The place in the order of precedence. Lower ranks win.
type Rank = (i64, bool);

struct RankedPattern {
    rank: Rank,
    pattern: Pattern,
    allow: bool,
}

/// Returns a target about which two lists decide differently, and whether it is confirmed, or `None`.
///
/// `changed` has the rules that only one list has, or that moved in a profile in which the order counts.
///
/// # Errors
///
/// The limit was reached.
pub fn differing_target(
    changed: &[RuleText<'_>],
    lists: [&[RuleText<'_>]; 2],
    profile: &Profile,
    targets: Targets<'_>,
    budget: &mut Budget,
    confirm: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<Option<(Vec<u8>, bool)>, TooLarge> {
    let changed = patterns_of(changed, &[], profile);
    if changed.is_empty() {
        return Ok(None);
    }
    for one in changed.iter().take(MAX_DIRECT) {
        let direct = one.pattern.direct_match(targets.forms);
        if let Some(target) = direct.filter(|target| targets.complete.contains(target)) {
            spend(budget, 1)?;
            if confirm(&target) {
                return Ok(Some((target, true)));
            }
        }
    }
    let heads = fixed_heads(&changed);
    let lists = lists.map(|list| patterns_of(list, &heads, profile));
    spend(budget, OBJECTS_OF_A_PATTERN * (lists[0].len() + lists[1].len()) + OBJECTS_OF_A_QUESTION)?;
    let question = Question { wanted: vec![[1, 0], [0, 1]], within: Vec::new(), outside: Vec::new(), shortest: false };
    let target = refinement(&lists, profile, targets).find(&question, targets, budget)?;
    Ok(target.map(|target| {
        let is_confirmed = confirm(&target);
        (target, is_confirmed)
    }))
}

fn spend(budget: &mut Budget, objects: usize) -> Result<(), TooLarge> {
    // Objects are counted even if they exceed the limit.
    budget.spend(STEPS_OF_AN_OBJECT * objects).inspect_err(|_| budget.steps = 0)
}

/// The fixed heads of patterns. None are returned if there are too many, so that all rules are compared.
fn fixed_heads(patterns: &[RankedPattern]) -> Vec<&[u8]> {
    let mut heads = Vec::new();
    for one in patterns {
        let head = one.pattern.fixed_head();
        if !heads.contains(&head) {
            heads.push(head);
        }
        if heads.len() > MAX_HEADS {
            return Vec::new();
        }
    }
    heads
}

/// The patterns of rules that may match a target with one of some heads. Without heads, all of them.
fn patterns_of(rules: &[RuleText<'_>], heads: &[&[u8]], profile: &Profile) -> Vec<RankedPattern> {
    let overlaps =
        |head: &[u8]| heads.is_empty() || heads.iter().any(|other| head.starts_with(other) || other.starts_with(head));
    let mut patterns = Vec::new();
    for &rule in rules {
        if overlaps(unchanged_head(rule.1)) {
            add_patterns(rule, profile, &mut patterns);
        }
    }
    patterns.retain(|one| overlaps(one.pattern.fixed_head()));
    patterns
}

/// Bytes with which the heads of all patterns of a rule start.
fn unchanged_head(value: &[u8]) -> &[u8] {
    let special = ILLEGAL | PERCENT | STAR | DOLLAR | QUESTION;
    let head = &value[..value.iter().position(|&byte| class(byte) & special != 0).unwrap_or(value.len())];
    // Google's parser also reads the folder of an index page.
    let page: &[u8] = b"/index.htm";
    &head[..head.windows(page.len()).position(|part| part == page).map_or(head.len(), |folder| folder + 1)]
}

fn add_patterns((allow, value): RuleText<'_>, profile: &Profile, patterns: &mut Vec<RankedPattern>) {
    entries(profile, allow, value, &mut Scratch::default(), |entry| {
        let specificity = entry.specificity;
        let pattern = if profile.literal_paths {
            Pattern { head: unescape_literal(entry.text), middles: Vec::new(), anchored: false, form: 0 }
        } else {
            pattern_of(entry.text, usize::from(entry.form == Form::B))
        };
        // A rule with specificity 0 matches everything, and allows.
        let one = RankedPattern { rank: (-i64::from(specificity), !allow), pattern, allow: allow || specificity == 0 };
        patterns.push(one);
    });
}

fn pattern_of(text: &[u8], form: usize) -> Pattern {
    let anchored = text.ends_with(b"$");
    let mut parts = text[..text.len() - usize::from(anchored)].split(|&byte| byte == b'*').map(<[u8]>::to_vec);
    let head = parts.next().unwrap_or_default();
    let mut middles: Vec<Vec<u8>> = parts.collect();
    // `/a*$` is the same as `/a*`.
    let anchored = anchored && middles.last().is_none_or(|last| !last.is_empty());
    middles.retain(|middle| !middle.is_empty());
    Pattern { head, middles, anchored, form }
}

/// The patterns of both lists in order of precedence.
fn refinement(lists: &[Vec<RankedPattern>; 2], profile: &Profile, targets: Targets<'_>) -> Refinement {
    let exemption = Pattern { head: b"/robots.txt".to_vec(), middles: Vec::new(), anchored: true, form: 0 };
    let exemption = RankedPattern { rank: (i64::MIN, false), pattern: exemption, allow: true };
    // In order. The decisions of both lists belong to a pattern.
    let mut ranked: Vec<(Rank, &Pattern, [u8; 2])> = Vec::new();
    for (number, list) in lists.iter().enumerate() {
        let mut heads: Vec<&[u8]> = Vec::new();
        for one in list.iter().chain(profile.robots_txt_allowed.then_some(&exemption)) {
            let (mut rank, head) = (one.rank, &one.pattern.head[..]);
            // Literal prefixes are ranked by their length. They are never compared if an earlier one starts them.
            if profile.first_match && !one.pattern.anchored {
                if heads.iter().any(|other| head.starts_with(other)) {
                    continue;
                }
                heads.push(head);
                rank = (-i64::from(head.len() as u32), false);
            }
            let place = ranked.binary_search_by(|(other, pattern, _)| (other, *pattern).cmp(&(&rank, &one.pattern)));
            let place = place.unwrap_or_else(|place| {
                ranked.insert(place, (rank, &one.pattern, [ABSENT; 2]));
                place
            });
            ranked[place].2[number] = u8::from(one.allow);
        }
    }
    let values = [0, 1].map(|list| (ranked.iter().map(|(_, _, values)| values[list]).collect(), true));
    Refinement::new(ranked.iter().map(|(_, pattern, _)| (*pattern).clone()).collect(), values.into(), targets.forms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::PROFILES;

    #[test]
    fn heads_of_patterns_start_with_the_unchanged_head() {
        let values: [&[u8]; 8] =
            [b"/a/b", b"/a*b$", b"/a%7e", b"/d/index.html", b"/d/index.html/index.htm", b"/a?b:c", b"a", b"/\xC3\xA9"];
        for (profile, value) in PROFILES.iter().flat_map(|profile| values.map(|value| (profile, value))) {
            for one in patterns_of(&[(true, value), (false, value)], &[], profile) {
                assert!(one.pattern.head.starts_with(unchanged_head(value)), "{value:?} {}", profile.name);
            }
        }
        assert_eq!(unchanged_head(b"/a/b*"), b"/a/b");
    }

    #[test]
    fn texts_are_split_at_stars() {
        let pattern = |head: &[u8], middles: &[&[u8]], anchored| Pattern {
            head: head.to_vec(),
            middles: middles.iter().map(|middle| middle.to_vec()).collect(),
            anchored,
            form: 0,
        };
        assert_eq!(pattern_of(b"/a**b*$", 0), pattern(b"/a", &[b"b"], false));
        assert_eq!(pattern_of(b"*b$", 0), pattern(b"", &[b"b"], true));
        assert_eq!(pattern_of(b"/a$", 0), pattern(b"/a", &[], true));
    }
}
