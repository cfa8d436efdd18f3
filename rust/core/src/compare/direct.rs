//! Targets that are found without a search, as in `canfetch.compare.direct`.

use memchr::memmem;

use super::domain::Form;
use super::patterns::{Pattern, borders};

/// For longer texts, the time must not grow with the square of their length.
const MAX_COMPARED: usize = 64;
/// For more patterns, the segments of two of them are not joined.
const MAX_JOINED: usize = 4;

/// Whether it is plain that no target matches all of some patterns and none of others.
pub(super) fn have_no_target(matched: &[&Pattern], avoided: &[&Pattern], forms: &[Form]) -> bool {
    if avoided.iter().any(|one| matched.iter().any(|other| one.covers(other))) {
        return true;
    }
    let head = common_head(matched);
    if avoided.iter().any(|one| !one.anchored && one.matches(head, forms)) {
        // Whatever follows the head, the pattern still matches.
        return true;
    }
    let anchored = matched.iter().filter(|one| one.anchored && one.form == 0);
    let mut exact = anchored.clone().filter(|one| one.middles.is_empty() && !one.head.is_empty());
    if exact.any(|one| matched.iter().any(|other| !other.matches(&one.head, forms))) {
        return true;
    }
    let ends = anchored.map(|one| one.middles.last().unwrap_or(&one.head));
    let longest = ends.clone().max_by_key(|end| end.len());
    longest.is_some_and(|longest| ends.into_iter().any(|end| !longest.ends_with(end)))
}

/// A common target of patterns that is simple to find and accepted. There may be others.
///
/// A common target starts with the longest head. The segments of a pattern that are not in this head follow it, apart
/// from the bytes at the start of the first one that the head ends with. The segments of a second pattern follow them.
/// With `shortest`, no other target is shorter.
pub(super) fn common_target(
    patterns: &[&Pattern],
    forms: &[Form],
    shortest: bool,
    is_accepted: impl Fn(&[u8]) -> bool,
) -> Option<Vec<u8>> {
    let head = common_head(patterns);
    let as_is = patterns.iter().filter(|pattern| pattern.form == 0);
    let rests: Vec<Rest<'_>> = as_is.map(|pattern| Rest::new(head, pattern)).collect();
    // The first one of the longest.
    let longest = rests.iter().rev().max_by_key(|rest| rest.length())?;
    if !head.starts_with(b"/") {
        return None;
    }
    let matches = |target: &Vec<u8>| patterns.iter().all(|one| one.matches(target, forms));
    let target = followed_by(head.to_vec(), longest.shared, longest.segments);
    if matches(&target) {
        return is_accepted(&target).then_some(target);
    }
    if rests.len() > MAX_JOINED {
        return None;
    }
    let least = least_length_of(&rests);
    for (at, one) in rests.iter().enumerate() {
        for other in rests.iter().enumerate().filter(|&(number, _)| number != at).map(|(_, other)| other) {
            let (Some(end), Some(start)) = (one.segments.last(), other.segments.first()) else { continue };
            let target = followed_by(head.to_vec(), one.shared, one.segments);
            let target = followed_by(target, shared(end, start), other.segments);
            if (!shortest || target.len() == least) && matches(&target) && is_accepted(&target) {
                return Some(target);
            }
        }
    }
    None
}

/// A text that some segments follow. Its last bytes are the first ones of the first segment.
fn followed_by(mut text: Vec<u8>, shared: usize, segments: &[Vec<u8>]) -> Vec<u8> {
    text.truncate(text.len() - shared);
    for segment in segments {
        text.extend_from_slice(segment);
    }
    text
}

/// A length that no common target of patterns is below.
///
/// Besides the bytes of each pattern, it contains the longest segments of two patterns. Unless one contains the other,
/// they share at most the bytes with which one ends and the other starts.
pub(super) fn least_common_length(patterns: &[&Pattern]) -> usize {
    let head = common_head(patterns);
    let as_is = patterns.iter().filter(|pattern| pattern.form == 0);
    least_length_of(&as_is.map(|pattern| Rest::new(head, pattern)).collect::<Vec<_>>())
}

fn least_length_of(rests: &[Rest<'_>]) -> usize {
    let pairs = rests.iter().enumerate().flat_map(|(at, one)| rests[at + 1..].iter().map(move |other| (one, other)));
    let of_two = pairs.map(|(one, other)| one.length_with(other));
    rests.iter().map(Rest::length).chain(of_two).max().unwrap_or(0)
}

/// The bytes that common targets start with.
fn common_head<'a>(patterns: &[&'a Pattern]) -> &'a [u8] {
    let heads = patterns.iter().filter(|one| one.form == 0 && !one.head.is_empty()).map(|one| one.head.as_slice());
    heads.max_by_key(|head| head.len()).unwrap_or(b"/")
}

/// What is left of a pattern after the head that common targets start with.
struct Rest<'a> {
    /// The length of the head.
    head: usize,
    /// The segments that are not in it.
    segments: &'a [Vec<u8>],
    /// The bytes at the start of the first of these segments that the head ends with.
    shared: usize,
}

impl<'a> Rest<'a> {
    fn new(head: &[u8], pattern: &'a Pattern) -> Self {
        let mut position = pattern.head.len();
        for (number, middle) in pattern.middles.iter().enumerate() {
            let Some(found) = memmem::find(&head[position..], middle) else {
                let shared = shared(&head[position..], middle);
                return Self { head: head.len(), segments: &pattern.middles[number..], shared };
            };
            position += found + middle.len();
        }
        Self { head: head.len(), segments: &[], shared: 0 }
    }

    fn length(&self) -> usize {
        self.head + self.segments.iter().map(Vec::len).sum::<usize>() - self.shared
    }

    fn length_with(&self, other: &Self) -> usize {
        let longest = |rest: &Self| rest.segments.iter().max_by_key(|segment| segment.len());
        let (Some(one), Some(two)) = (longest(self), longest(other)) else { return 0 };
        if memmem::find(one, two).is_some() || memmem::find(two, one).is_some() {
            return 0;
        }
        let overlap = shared(one, two).max(shared(two, one));
        self.head - self.shared.max(other.shared) + one.len() + two.len() - overlap
    }
}

/// The most bytes with which one text ends and the other starts.
fn shared(one: &[u8], other: &[u8]) -> usize {
    let most = one.len().min(other.len());
    if most <= MAX_COMPARED {
        return (1..=most).rev().find(|&shared| one.ends_with(&other[..shared])).unwrap_or(0);
    }
    let (end, start) = (&one[one.len() - most..], &other[..most]);
    let borders = borders(start);
    let mut shared = 0;
    for &byte in end {
        while shared > 0 && (shared == most || start[shared] != byte) {
            shared = borders[shared] as usize;
        }
        shared += usize::from(start[shared] == byte);
    }
    shared
}
