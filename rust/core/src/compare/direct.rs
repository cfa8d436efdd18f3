//! Targets that are found without a search, as in `canfetch.compare.direct`.

use std::borrow::Cow;

use memchr::memmem;

use super::segments::borders;
use super::{Form, Pattern};

/// For longer texts, the time must not grow with the square of their length.
const MAX_COMPARED: usize = 64;
/// For more patterns, the segments of two of them are not joined.
const MAX_JOINED: usize = 4;

/// The target in a form.
pub(super) fn in_form<'a>(target: &'a [u8], form: &Form) -> Cow<'a, [u8]> {
    let mark = target.iter().position(|&byte| byte == b'?').unwrap_or(target.len());
    let encodes = |(at, &byte): (usize, &u8)| form.encodes(byte, at > mark);
    if !target.iter().enumerate().any(encodes) {
        return Cow::Borrowed(target);
    }
    let mut text = Vec::with_capacity(target.len() + 16);
    for (at, &byte) in target.iter().enumerate() {
        if encodes((at, &byte)) {
            text.extend_from_slice(&super::escape(byte));
        } else {
            text.push(byte);
        }
    }
    Cow::Owned(text)
}

impl Pattern {
    /// Whether the pattern matches the text of a target in its form.
    pub(super) fn matches_text(&self, text: &[u8]) -> bool {
        if !text.starts_with(&self.head) {
            return false;
        }
        let mut position = self.head.len();
        let Some((last, others)) = self.middles.split_last() else {
            return !self.anchored || position == text.len();
        };
        for middle in others {
            let Some(found) = memmem::find(&text[position..], middle) else { return false };
            position += found + middle.len();
        }
        if self.anchored {
            // The last segment must end the target, which its leftmost occurrence may not do.
            return text.len() >= position + last.len() && text.ends_with(last);
        }
        memmem::find(&text[position..], last).is_some()
    }

    /// Whether the pattern matches a target.
    pub(super) fn matches(&self, target: &[u8], forms: &[Form]) -> bool {
        self.matches_text(&in_form(target, &forms[self.form]))
    }

    /// The bytes of the pattern.
    pub(super) fn size(&self) -> usize {
        self.parts().map(<[u8]>::len).sum()
    }

    fn parts(&self) -> impl Iterator<Item = &[u8]> {
        [&self.head].into_iter().chain(&self.middles).map(Vec::as_slice)
    }

    /// A length that no target is below that the pattern matches.
    pub(super) fn least_length(&self) -> usize {
        let mut length = self.size();
        let starts = |part: &Vec<u8>| part.starts_with(b"/");
        if !(starts(&self.head) || self.head.is_empty() && self.middles.first().is_some_and(starts)) {
            length += 1;
        }
        if self.form != 0 {
            length = length.saturating_sub(self.encoded());
        }
        length
    }

    /// How many bytes of its segments a target may lack, because its form encodes some bytes.
    fn encoded(&self) -> usize {
        // Each escape may be one byte of the target.
        let mut count: usize = self.parts().map(|part| 2 * memchr::memchr_iter(b'%', part).count()).sum();
        for (previous, part) in self.parts().zip(self.parts().skip(1)) {
            let digits = part.iter().take(2).filter(|&&byte| is_digit(byte)).count();
            // A segment may start with the digits of an escape that starts before it, maybe in the previous segment.
            let ends_within = previous.iter().rev().take(2).any(|&byte| byte == b'%');
            if ends_within || matches!(previous, [only] if is_digit(*only)) {
                count += digits;
            } else if digits == 2 {
                count += 1;
            }
        }
        count
    }

    /// A shortest target that the pattern matches, or `None` if it is not that simple. No URL may have it.
    pub(super) fn direct_match(&self, forms: &[Form]) -> Option<Vec<u8>> {
        let mut target = Vec::with_capacity(64);
        for part in self.parts() {
            target.extend_from_slice(part);
        }
        if !target.starts_with(b"/") {
            target.insert(0, b'/');
        }
        (target.len() == self.least_length() && self.matches(&target, forms)).then_some(target)
    }

    /// The shortest head of the targets that a pattern in form (b) matches, if the pattern is only a head.
    pub(super) fn shortest_head(&self, forms: &[Form]) -> Option<Self> {
        let ends_in_escape = self.head.iter().rev().take(2).any(|&byte| byte == b'%');
        if self.form != 1 || !self.middles.is_empty() || self.anchored || ends_in_escape {
            return None;
        }
        let mut head = self.fixed_head().to_vec();
        let mut rest = &self.head[head.len()..];
        while let Some(&byte) = rest.first() {
            let decoded = rest.get(..3).and_then(decoded).filter(|&byte| forms[self.form].encodes(byte, true));
            head.push(decoded.unwrap_or(byte));
            rest = &rest[if decoded.is_some() { 3 } else { 1 }..];
        }
        Some(Self { head, middles: Vec::new(), anchored: false, form: 0, grows: self.grows })
    }

    /// Whether its segments may be in an escape that starts before them, or have one.
    pub(super) fn may_be_in_escape(&self) -> bool {
        let may_be =
            |part: &Vec<u8>| part.first().copied().is_some_and(is_digit) || memchr::memchr(b'%', part).is_some();
        self.middles.iter().any(may_be)
    }

    /// The head through the first `?`, where the forms of a target do not differ.
    pub(super) fn fixed_head(&self) -> &[u8] {
        &self.head[..memchr::memchr(b'?', &self.head).map_or(self.head.len(), |mark| mark + 1)]
    }

    /// Whether the text of another pattern shows that this one matches all that it matches.
    fn covers(&self, other: &Self) -> bool {
        if self.form != other.form || !other.head.starts_with(&self.head) || (self.anchored && !other.anchored) {
            return false;
        }
        let part = |at: usize| if at == 0 { &other.head } else { &other.middles[at - 1] };
        let (mut at, mut position, end) = (0, self.head.len(), other.middles.len());
        for middle in &self.middles[..self.middles.len().saturating_sub(usize::from(self.anchored))] {
            position = loop {
                if let Some(found) = memmem::find(&part(at)[position..], middle) {
                    break position + found + middle.len();
                }
                if at == end {
                    return false;
                }
                (at, position) = (at + 1, 0);
            };
        }
        match self.middles.last() {
            _ if !self.anchored => true,
            None => self.head == other.head && other.middles.is_empty(),
            Some(last) => part(end)[if at == end { position } else { 0 }..].ends_with(last),
        }
    }

    /// Whether there is a `%` without two digits, or the escape of a digit, which is valid only after a `%`.
    pub(super) fn has_stray_percent(&self) -> bool {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'A'..=b'F' => Some(byte - b'A' + 10),
            _ => None,
        };
        self.parts().any(|part| {
            let mut percents = part.iter().enumerate().filter(|&(_, &byte)| byte == b'%');
            percents.any(|(at, _)| match part.get(at + 1..at + 3) {
                Some(&[first, second]) => match (digit(first), digit(second)) {
                    (Some(first), Some(second)) => (first * 16 + second).is_ascii_hexdigit(),
                    _ => true,
                },
                _ => true,
            })
        })
    }
}

/// Whether a byte is a digit of an escape.
fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'F')
}

/// The byte that an escape stands for.
fn decoded(escape: &[u8]) -> Option<u8> {
    (0..=255).find(|&byte| super::escape(byte) == escape)
}

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
