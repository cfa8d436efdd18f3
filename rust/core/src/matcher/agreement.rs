//! The index, the listing, the plain walk and a matcher too simple to be wrong return the same results.

use super::index::Index;
use super::listing::Listing;
use super::query::Query;
use super::walk::{self, Match};
use crate::compiled::CompiledFile;
use crate::decide::{DECISIONS_BEFORE_INDEX, Explanation, Reason, RuleSet};
use crate::pattern::{Form, Scratch, entries};
use crate::percent::form_b;
use crate::testing::{Dice, profile};

/// Tracks every position in the target that the text so far can reach.
fn plainly_matches(text: &[u8], target: &[u8]) -> bool {
    let mut reached = vec![false; target.len() + 1];
    reached[0] = true;
    for (at, &byte) in text.iter().enumerate() {
        if byte == b'$' && at + 1 == text.len() {
            return reached[target.len()];
        }
        if byte == b'*' {
            let first = reached.iter().position(|&position| position).unwrap_or(reached.len());
            reached[first..].fill(true);
        } else {
            for position in (0..target.len()).rev() {
                reached[position + 1] = reached[position] && target[position] == byte;
            }
            reached[0] = false;
        }
    }
    reached.contains(&true)
}

/// Compares every rule, in the order of precedence of section 2.2.2.
fn plain_best(file: &CompiledFile, content: &[u8], groups: &[u32], target: &[u8]) -> Option<(Match, bool)> {
    let mut b = Vec::new();
    form_b(target, &mut b);
    let mut best: Option<(Match, bool)> = None;
    for index in groups.iter().flat_map(|&group| file.groups().rules_of(group)) {
        let rule = file.groups().rules().at(index);
        entries(file.profile(), rule.allow(), rule.value.of(content), &mut Scratch::default(), |entry| {
            let target = if entry.form == Form::A { target } else { &b };
            let weight = (entry.specificity, rule.allow());
            if best.is_none_or(|(best, allow)| !file.profile().first_match && weight > (best.specificity, allow))
                && plainly_matches(entry.text, target)
            {
                best = Some((Match { rule: index as u32, specificity: entry.specificity }, rule.allow()));
            }
        });
    }
    best
}

const WORDS: [&[u8]; 26] = [
    b"/",
    b"/",
    b"a",
    b"b",
    b"ab",
    b"abc",
    b"aab",
    b"*",
    b"*",
    b"$",
    b"?",
    b"=",
    b"&",
    b"%2F",
    b"%7e",
    b"%",
    b":",
    b"@",
    b".php",
    b"search",
    b"index.html",
    b"\xC3\xA9",
    b" ",
    b"%24",
    b"..",
    b"cab",
];

fn text(dice: &mut Dice, words: usize) -> Vec<u8> {
    (0..dice.below(words)).flat_map(|_| dice.pick(&WORDS).to_vec()).collect()
}

fn file(dice: &mut Dice) -> Vec<u8> {
    let mut content = b"User-agent: *\n".to_vec();
    let rules = [3, 12, 60, 400][dice.below(4)];
    for _ in 0..dice.below(rules) {
        content.extend_from_slice(dice.pick(&[
            &b"Allow: "[..],
            b"Disallow: ",
            b"Disallow: /",
            b"Disallow: /*",
            b"Allow: /",
        ]));
        content.extend(text(dice, 7));
        content.push(b'\n');
    }
    content
}

#[test]
fn rfc9309_2_2_2_index_walk_and_plain_matcher_agree() {
    let mut dice = Dice::new(9309);
    for round in 0..150 {
        let content = file(&mut dice);
        let profile = profile(["rfc9309", "google", "strict", "draft1996"][round % 4]);
        let compiled = CompiledFile::new(&content, profile);
        let groups = compiled.groups();
        let selected = if groups.is_empty() { vec![] } else { vec![0] };
        let indexed = RuleSet::new(&selected, groups);
        indexed.expect(compiled.file(&content), 1000);
        let index = Index::new(groups, &selected, &content, profile);
        let listing = Listing::new(&index);
        for _ in 0..30 {
            let url = [b"/", &text(&mut dice, 12)[..]].concat();
            let target = crate::target::target(&url, 0, profile);
            let plain = plain_best(&compiled, &content, &selected, &target);
            let query = Query::new(&target);
            let walked = walk::best(groups, &selected, &content, profile, &query);
            assert_eq!(walked, plain, "{target:?} in {content:?}");
            let verdict = indexed.decide(compiled.file(&content), &target);
            assert_eq!(verdict.rule, plain.map(|(rule, _)| rule), "{target:?} in {content:?}");
            let allowed = plain.is_none_or(|(rule, allow)| allow || rule.specificity == 0);
            assert_eq!(verdict.reason.allows(), allowed);
            assert_eq!(verdict.reason == Reason::NoGroup, selected.is_empty());
            let all = walk::all(groups, &selected, &content, profile, &query);
            assert_eq!(all.first().copied(), verdict.rule, "{target:?} in {content:?}");
            assert_eq!(listing.all(&index, &query), all, "{target:?} in {content:?}");
        }
    }
}

#[test]
fn many_similar_rules_agree_too() {
    let mut dice = Dice::new(2);
    let profile = profile("rfc9309");
    for _ in 0..8 {
        let mut content = b"User-agent: *\n".to_vec();
        for _ in 0..300 {
            let head = dice.pick(&[&b"/"[..], b"/*", b"/aaaa*", b"/ab/", b"*"]);
            content.extend([b"Disallow: ", head, &dice.text(b"ab*", 12), b"\n"].concat());
        }
        let compiled = CompiledFile::new(&content, profile);
        let indexed = RuleSet::new(&[0], compiled.groups());
        indexed.expect(compiled.file(&content), 1000);
        let index = Index::new(compiled.groups(), &[0], &content, profile);
        let listing = Listing::new(&index);
        for _ in 0..40 {
            let target = [b"/", &dice.text(b"ab/", 700)[..]].concat();
            let plain = plain_best(&compiled, &content, &[0], &target);
            assert_eq!(indexed.decide(compiled.file(&content), &target).rule, plain.map(|(rule, _)| rule));
            let query = Query::new(&target);
            let walked = walk::best(compiled.groups(), &[0], &content, profile, &query);
            assert_eq!(walked, plain);
            let all = walk::all(compiled.groups(), &[0], &content, profile, &query);
            assert_eq!(listing.all(&index, &query), all, "{target:?} in {content:?}");
        }
    }
}

#[test]
fn equal_rules_are_all_listed_in_file_order() {
    let content = b"User-agent: *\nDisallow: /*a\nDisallow: /*b=/\nDisallow: /*a\nAllow: /*a\nDisallow: /*a\nDisallow: /*c\nAllow: /?b=/";
    let compiled = CompiledFile::new(content, profile("rfc9309"));
    let index = Index::new(compiled.groups(), &[0], content, compiled.profile());
    let rules: Vec<u32> =
        Listing::new(&index).all(&index, &Query::new(b"/?b=/a")).iter().map(|found| found.rule).collect();
    assert_eq!(rules, vec![6, 1, 3, 0, 2, 4]);
}

#[test]
fn the_index_is_built_after_the_first_decisions_and_changes_nothing() {
    let content = b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif$";
    let compiled = CompiledFile::new(content, profile("rfc9309"));
    let set = compiled.rule_set(&[0]);
    let before = compiled.memory_bytes();
    for decision in 0..100 {
        assert!(set.allows(compiled.file(content), b"/a/b/c"), "{decision}");
        assert!(!set.allows(compiled.file(content), b"/x.gif"), "{decision}");
    }
    assert!(compiled.memory_bytes() > before);
    assert!(std::sync::Arc::ptr_eq(&set, &compiled.rule_set(&[0])));
}

#[test]
fn the_listing_is_built_after_the_first_explanations_and_changes_nothing() {
    let content = b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif$\nDisallow: /robots";
    let compiled = CompiledFile::new(content, profile("rfc9309"));
    let set = compiled.rule_set(&[0]);
    let targets: [&[u8]; 4] = [b"/a/b/c", b"/a/x.gif", b"/c", b"/robots.txt"];
    let explain = || targets.map(|target| set.explain(compiled.file(content), target));
    let first: [Explanation; 4] = explain();
    assert_eq!(first.each_ref().map(|found| found.matches.len()), [2, 2, 0, 1]);
    assert_eq!(first[3].verdict.reason, Reason::RobotsTxt);
    for (explanation, target) in first.iter().zip(targets) {
        assert_eq!(explanation.verdict, set.decide(compiled.file(content), target));
    }
    let before = compiled.memory_bytes();
    for _ in 0..DECISIONS_BEFORE_INDEX {
        assert_eq!(explain(), first);
    }
    assert!(compiled.memory_bytes() > before);
}
