//! The parts of a target that a rule matches, for display.

use std::ops::Range;

use crate::bytes::{QUERY_DATA, class};
use crate::decide::File;
use crate::matcher::Query;
use crate::matcher::haystack::Haystack;
use crate::matcher::segments::Shape;
use crate::pattern::{Form, Scratch, entries};

/// Returns the parts of a target in form (a) that the literal segments of a rule match, in ascending order. They are
/// the leftmost ones. Returns nothing if the rule, an index into the file's rules, does not match or does not exist.
pub fn matched_spans(file: File<'_>, rule: u32, target: &[u8]) -> Vec<Range<usize>> {
    let Some(rule) = file.groups.rules().get(rule as usize) else { return Vec::new() };
    let query = Query::new(target);
    let mut best: Option<(u32, Vec<Range<usize>>)> = None;
    entries(file.profile, rule.allow(), rule.value.of(file.content), &mut Scratch::default(), |entry| {
        let better = best.as_ref().is_none_or(|(specificity, _)| entry.specificity > *specificity);
        if better && query.matches(entry) {
            let spans = match entry.form {
                Form::A => segments(entry.text, query.a()),
                Form::B => in_form_a(segments(entry.text, query.b()), target),
            };
            best = Some((entry.specificity, spans));
        }
    });
    best.map_or_else(Vec::new, |(_, spans)| spans)
}

/// Returns where the segments of a text that matches the target are.
fn segments(text: &[u8], target: &Haystack<'_>) -> Vec<Range<usize>> {
    let shape = Shape::of(text);
    let body = &text[..shape.body];
    let mut spans = Vec::new();
    let mut at = 0;
    let mut parts = body.split(|&byte| byte == b'*').peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let start = if is_last && shape.anchored && !shape.is_literal() {
            target.bytes().len().checked_sub(part.len())
        } else {
            target.find(part, at)
        };
        let Some(start) = start else { break };
        at = start + part.len();
        if !part.is_empty() {
            spans.push(start..at);
        }
    }
    spans
}

/// Converts spans of a target's form (b) to spans of its form (a). Form (b) has three bytes for some bytes of form (a).
fn in_form_a(spans: Vec<Range<usize>>, form_a: &[u8]) -> Vec<Range<usize>> {
    let mut starts = Vec::with_capacity(form_a.len());
    let mut in_query = false;
    let mut length = 0;
    for &byte in form_a {
        starts.push(length);
        length += if in_query && class(byte) & QUERY_DATA != 0 { 3 } else { 1 };
        in_query |= byte == b'?';
    }
    let start_of = |at: usize| starts.partition_point(|&start| start <= at).saturating_sub(1);
    let end_of = |at: usize| starts.partition_point(|&start| start < at);
    spans.into_iter().map(|span| start_of(span.start)..end_of(span.end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::CompiledFile;
    use crate::testing::{Dice, profile};

    /// The parts of the target that the value of a rule matches.
    fn parts<'t>(value: &str, target: &'t str, name: &str) -> Vec<&'t str> {
        let content = format!("user-agent: *\nallow: {value}");
        let compiled = CompiledFile::new(content.as_bytes(), profile(name));
        let spans = matched_spans(compiled.file(content.as_bytes()), 0, target.as_bytes());
        spans.into_iter().map(|span| &target[span]).collect()
    }

    #[test]
    fn the_matched_parts_of_a_target() {
        for (value, target, expected) in [
            ("/a", "/abc", &["/a"][..]),
            ("/a*c*e", "/abcdefe", &["/a", "c", "e"]),
            ("/a*fe$", "/abcdefe", &["/a", "fe"]),
            ("/a$", "/a", &["/a"]),
            ("*", "/a", &[]),
            ("/*", "/a", &["/"]),
            ("*.gif$", "/a.gif", &[".gif"]),
            ("/b", "/a", &[]),
            ("/~a", "/~ab", &["/~a"]),
            ("/a?b=%3A", "/a?b=:c", &["/a?b=:"]),
            ("/a?b=:", "/a?b=%3Ac", &["/a?b=%3A"]),
            ("/a?b=:*d", "/a?b=:cd", &["/a?b=:", "d"]),
        ] {
            assert_eq!(parts(value, target, "rfc9309"), expected, "{value} {target}");
        }
        assert_eq!(parts("/d/index.html", "/d/", "google"), ["/d/"]);
        assert_eq!(matched_spans(CompiledFile::new(b"", profile("google")).file(b""), 0, b"/"), []);
    }

    #[test]
    fn spans_are_in_order_and_within_the_target() {
        let mut dice = Dice::new(7);
        for name in ["rfc9309", "google", "googlebot", "draft1996", "yandex"] {
            for _ in 0..3000 {
                let value = [&b"/"[..], &dice.text(b"ab*$?:%3A/", 12)].concat();
                let target = [&b"/"[..], &dice.text(b"ab?:%3A/", 16)].concat();
                let content = [&b"user-agent: *\nallow: "[..], &value].concat();
                let compiled = CompiledFile::new(&content, profile(name));
                let mut end = 0;
                for span in matched_spans(compiled.file(&content), 0, &target) {
                    assert!(end <= span.start && span.start < span.end && span.end <= target.len());
                    end = span.end;
                }
            }
        }
    }
}
