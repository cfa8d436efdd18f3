//! The index, the plain walk and a matcher too simple to be wrong give one answer.

use super::Query;
use super::walk::{self, Match};
use crate::compiled::{CompiledFile, profile};
use crate::decide::{Reason, RuleSet};
use crate::pattern::{Form, Scratch, entries};
use crate::percent::form_b;
use crate::testing::Dice;

/// Keeps every place that the text read so far can have led to.
fn plainly_matches(text: &[u8], target: &[u8]) -> bool {
    let mut places = vec![false; target.len() + 1];
    places[0] = true;
    for (at, &octet) in text.iter().enumerate() {
        if octet == b'$' && at + 1 == text.len() {
            return places[target.len()];
        }
        if octet == b'*' {
            let first = places.iter().position(|&place| place).unwrap_or(places.len());
            places[first..].fill(true);
        } else {
            for place in (0..target.len()).rev() {
                places[place + 1] = places[place] && target[place] == octet;
            }
            places[0] = false;
        }
    }
    places.contains(&true)
}

/// Asks every rule, and weighs them as section 2.2.2 does.
fn plain_best(file: &CompiledFile, octets: &[u8], groups: &[u32], target: &[u8]) -> Option<(Match, bool)> {
    let mut b = Vec::new();
    form_b(target, &mut b);
    let mut best: Option<(Match, bool)> = None;
    for index in groups.iter().flat_map(|&group| file.groups().rules_of(group)) {
        let rule = file.groups().rules()[index];
        entries(file.profile(), rule.allow(), rule.value.of(octets), &mut Scratch::default(), |entry| {
            let target = if entry.form == Form::A { target } else { &b };
            let weight = (entry.specificity, rule.allow());
            if best.is_none_or(|(best, allow)| weight > (best.specificity, allow))
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
    let mut octets = b"User-agent: *\n".to_vec();
    let rules = [3, 12, 60, 400][dice.below(4)];
    for _ in 0..dice.below(rules) {
        octets.extend_from_slice(dice.pick(&[
            &b"Allow: "[..],
            b"Disallow: ",
            b"Disallow: /",
            b"Disallow: /*",
            b"Allow: /",
        ]));
        octets.extend(text(dice, 7));
        octets.push(b'\n');
    }
    octets
}

#[test]
fn rfc9309_2_2_2_index_walk_and_plain_matcher_agree() {
    let mut dice = Dice::new(9309);
    for round in 0..150 {
        let octets = file(&mut dice);
        let profile = profile(["rfc9309", "google", "strict"][round % 3]).expect("a profile");
        let compiled = CompiledFile::new(&octets, profile);
        let indexed = RuleSet::new(&[0], compiled.groups());
        indexed.expect(compiled.file(&octets), 1000);
        for _ in 0..30 {
            let url = [b"/", &text(&mut dice, 12)[..]].concat();
            let target = crate::target(&url, 0, profile);
            let plain = plain_best(&compiled, &octets, &[0], &target);
            let query = Query::new(&target);
            let walked = walk::best(compiled.groups(), &[0], &octets, profile, &query);
            assert_eq!(walked, plain, "{target:?} in {octets:?}");
            let verdict = indexed.decide(compiled.file(&octets), &target);
            assert_eq!(verdict.rule, plain.map(|(rule, _)| rule), "{target:?} in {octets:?}");
            let allowed = plain.is_none_or(|(rule, allow)| allow || rule.specificity == 0);
            assert_eq!(verdict.reason.allows(), allowed);
            assert_ne!(verdict.reason, Reason::NoGroup);
            let all = walk::all(compiled.groups(), &[0], &octets, profile, &query);
            assert_eq!(all.first().copied(), verdict.rule, "{target:?} in {octets:?}");
        }
    }
}

#[test]
fn many_rules_that_share_much_agree_too() {
    let mut dice = Dice::new(2);
    let profile = profile("rfc9309").expect("a profile");
    for _ in 0..8 {
        let mut octets = b"User-agent: *\n".to_vec();
        for _ in 0..300 {
            let head = dice.pick(&[&b"/"[..], b"/*", b"/aaaa*", b"/ab/", b"*"]);
            octets.extend([b"Disallow: ", head, &dice.text(b"ab*", 12), b"\n"].concat());
        }
        let compiled = CompiledFile::new(&octets, profile);
        let indexed = RuleSet::new(&[0], compiled.groups());
        indexed.expect(compiled.file(&octets), 1000);
        for _ in 0..40 {
            let target = [b"/", &dice.text(b"ab/", 700)[..]].concat();
            let plain = plain_best(&compiled, &octets, &[0], &target);
            assert_eq!(indexed.decide(compiled.file(&octets), &target).rule, plain.map(|(rule, _)| rule));
            let walked = walk::best(compiled.groups(), &[0], &octets, profile, &Query::new(&target));
            assert_eq!(walked, plain);
        }
    }
}

#[test]
fn the_index_comes_after_the_first_questions_and_changes_nothing() {
    let octets = b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif$";
    let compiled = CompiledFile::new(octets, profile("rfc9309").expect("a profile"));
    let set = compiled.rule_set(&[0]);
    let held = compiled.memory_bytes();
    for question in 0..100 {
        assert!(set.allows(compiled.file(octets), b"/a/b/c"), "{question}");
        assert!(!set.allows(compiled.file(octets), b"/x.gif"), "{question}");
    }
    assert!(compiled.memory_bytes() > held);
    assert!(std::sync::Arc::ptr_eq(&set, &compiled.rule_set(&[0])));
}
