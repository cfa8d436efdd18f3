// For any file and URL: nothing panics, and the index, the listing, the plain walk and a simple matcher agree.
//
// RUSTC_BOOTSTRAP=1 cargo fuzz run decide -- -dict=fuzz/robots.dict -max_len=4096
//
// Input: a byte that selects the profile, the file, a line `##`, and URLs, one per line.
#![no_main]

use canfetch::engine::pattern::{Form, Scratch, entries};
use canfetch::engine::tables::PROFILES;
use canfetch::engine::{CompiledFile, DECISIONS_BEFORE_INDEX, File, RuleSet, locate, target};
use libfuzzer_sys::fuzz_target;

const END_OF_FILE: &[u8] = b"\n##\n";

fuzz_target!(|input: &[u8]| {
    let Some((choice, input)) = input.split_first() else { return };
    let profile = &PROFILES[usize::from(*choice) % PROFILES.len()];
    let split = input.windows(END_OF_FILE.len()).position(|window| window == END_OF_FILE);
    let (content, urls) = split.map_or((input, &b"/"[..]), |at| (&input[..at], &input[at + END_OF_FILE.len()..]));
    let compiled = CompiledFile::new(content, profile);
    let file = compiled.file(content);
    for tokens in [&[&b"foo"[..]][..], &[b"a", b"*"], &[b"bar"]] {
        let selection = compiled.select(content, tokens, true);
        let indexed = RuleSet::new(&selection.groups, file.groups);
        indexed.expect(file, usize::MAX);
        for _ in 0..=DECISIONS_BEFORE_INDEX {
            indexed.explain(file, b"/");
        }
        for url in urls.split(|&byte| byte == b'\n') {
            if let Some(located) = locate(url) {
                check(file, &selection.groups, &indexed, &target(url, located.path, profile));
            }
        }
    }
});

fn check(file: File<'_>, groups: &[u32], indexed: &RuleSet, target: &[u8]) {
    let plain = plain_rule(file, groups, target);
    let walking = RuleSet::new(groups, file.groups);
    let walked = walking.decide(file, target);
    assert_eq!(indexed.decide(file, target), walked);
    let exempt = file.profile.robots_txt_allowed && target == b"/robots.txt";
    let decided = walked.rule.map(|found| (found.rule, found.specificity));
    assert_eq!(decided, if exempt { None } else { plain });
    let explanation = indexed.explain(file, target);
    assert_eq!(explanation, walking.explain(file, target));
    assert_eq!(explanation.verdict, walked);
    assert_eq!(explanation.matches.first().map(|found| (found.rule, found.specificity)), plain);
}

/// Compares every rule: the highest specificity wins, then allow, then the first line. In some profiles, the first
/// line.
fn plain_rule(file: File<'_>, groups: &[u32], target: &[u8]) -> Option<(u32, u32)> {
    let b = form_b(target);
    let mut best: Option<(u32, bool, u32)> = None;
    for index in groups.iter().flat_map(|&group| file.groups.rules_of(group)) {
        let rule = file.groups.rules().at(index);
        entries(file.profile, rule.allow(), rule.value.of(file.content), &mut Scratch::default(), |entry| {
            let target = if entry.form == Form::A { target } else { &b };
            let better = best.is_none_or(|(specificity, allow, _)| {
                !file.profile.first_match && (entry.specificity, rule.allow()) > (specificity, allow)
            });
            if better && plainly_matches(entry.text, target) {
                best = Some((entry.specificity, rule.allow(), index as u32));
            }
        });
    }
    best.map(|(specificity, _, rule)| (rule, specificity))
}

/// Returns the target with the reserved data after its first `?` encoded.
fn form_b(target: &[u8]) -> Vec<u8> {
    let mut in_query = false;
    let mut out = Vec::new();
    for &byte in target {
        if in_query && b":/?#[]@!'()+,;".contains(&byte) {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            out.push(byte);
        }
        in_query |= byte == b'?';
    }
    out
}

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
