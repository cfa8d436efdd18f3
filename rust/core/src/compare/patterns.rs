//! Patterns: the texts of rules, split into segments.

use memchr::memmem;

use super::domain::{Form, escape, in_form};

/// One text of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    /// The literal bytes at the start.
    pub head: Vec<u8>,
    /// The segments after each `*`, none of which is empty.
    pub middles: Vec<Vec<u8>>,
    /// Whether the target must end with the pattern.
    pub anchored: bool,
    /// The index of the form of the target that it is compared with.
    pub form: usize,
}

impl Pattern {
    /// Whether the pattern matches the text of a target in its form.
    #[inline(never)] // Many callers, none of which gains by a copy.
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

    /// The number of bytes of the segments that a target may lack, because its form encodes some bytes.
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
        Some(Self { head, middles: Vec::new(), anchored: false, form: 0 })
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
    pub(super) fn covers(&self, other: &Self) -> bool {
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

/// The byte that an escape encodes.
fn decoded(text: &[u8]) -> Option<u8> {
    (0..=255).find(|&byte| escape(byte) == text)
}

/// For each prefix, the length of the longest shorter prefix that it ends with.
pub(super) fn borders(content: &[u8]) -> Box<[u32]> {
    let mut borders = vec![0_u32; content.len() + 1];
    let mut length = 0;
    for at in 1..content.len() {
        while length > 0 && content[length] != content[at] {
            length = borders[length] as usize;
        }
        length += usize::from(content[length] == content[at]);
        borders[at + 1] = length as u32;
    }
    borders.into_boxed_slice()
}
