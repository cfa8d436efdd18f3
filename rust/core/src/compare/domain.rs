//! The possible targets, and the forms that patterns are compared with.

use std::borrow::Cow;

/// The place of bytes that no target continues with.
pub const DEAD: u16 = u16::MAX;

/// A form of the target: the bytes that it encodes, in the path up to the first `?`, and in the query.
#[derive(Clone, Debug)]
pub struct Form {
    /// For each byte, whether it is encoded in the path.
    pub in_path: Vec<bool>,
    /// For each byte, whether it is encoded in the query.
    pub in_query: Vec<bool>,
}

impl Form {
    /// Whether a byte is encoded.
    pub fn encodes(&self, byte: u8, in_query: bool) -> bool {
        if in_query { self.in_query[usize::from(byte)] } else { self.in_path[usize::from(byte)] }
    }

    /// For each byte, whether it is encoded.
    pub fn encoded(&self, in_query: bool) -> &[bool] {
        if in_query { &self.in_query } else { &self.in_path }
    }
}

/// The possible targets: an automaton over bytes. Its first place is 0.
#[derive(Clone, Debug)]
pub struct Domain {
    /// The next place for each place and byte, or [`DEAD`].
    pub table: Vec<u16>,
    /// Whether a target may end in each place.
    pub accepting: Vec<bool>,
    /// Whether `?` has to be tried in each place.
    pub needs_query: Vec<bool>,
    /// The bytes that are alike in every place, if all kinds of bytes have to be tried.
    pub classes: Option<Vec<Vec<u8>>>,
    /// Bytes that are alike in every place, one of which has to be tried otherwise.
    pub ordinary: Vec<u8>,
    /// The order in which bytes are tried.
    pub order: Vec<u8>,
}

impl Domain {
    /// The place after one more byte.
    pub fn next(&self, place: u16, byte: u8) -> u16 {
        self.table[usize::from(place) * 256 + usize::from(byte)]
    }

    /// Whether a target is in the domain.
    pub fn contains(&self, target: &[u8]) -> bool {
        let mut place = 0;
        for &byte in target {
            place = self.next(place, byte);
            if place == DEAD {
                return false;
            }
        }
        self.accepting[usize::from(place)]
    }

    /// Adds bytes that represent all those that no pattern expects. Returns false if there are none.
    pub fn add_unexpected(&self, place: u16, expected: &mut [bool; 256]) -> bool {
        if place == 0 {
            for byte in 0..=255 {
                expected[usize::from(byte)] |= self.next(0, byte) != DEAD;
            }
            return true;
        }
        if let Some(classes) = &self.classes {
            let known = *expected;
            for class in classes {
                if let Some(&byte) = class.iter().find(|&&byte| !known[usize::from(byte)]) {
                    expected[usize::from(byte)] = true;
                }
            }
            return true;
        }
        let Some(&ordinary) = self.ordinary.iter().find(|&&byte| !expected[usize::from(byte)]) else { return false };
        expected[usize::from(ordinary)] = true;
        expected[usize::from(b'?')] |= self.needs_query[usize::from(place)];
        true
    }
}

/// The possible targets, and the forms that patterns are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a> {
    /// The targets in which no stray `%` matters.
    pub ordinary: &'a Domain,
    /// All targets.
    pub complete: &'a Domain,
    /// The forms.
    pub forms: &'a [Form],
}

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
            text.extend_from_slice(&escape(byte));
        } else {
            text.push(byte);
        }
    }
    Cow::Owned(text)
}

/// The escape of a byte.
pub(super) fn escape(byte: u8) -> [u8; 3] {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    [b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]
}
