//! Whether the target of a URL is canonical as written, so that it need not be copied.
//!
//! Bytes are checked in blocks without a branch, because the lengths of targets vary.

use crate::bytes::{DOLLAR, ILLEGAL, PERCENT, STAR, class, is_unreserved};
use crate::percent::decoded;
use crate::tables::Profile;

/// The number of bytes that are checked at once.
const BLOCK: usize = 16;

/// Whether the text from `path` on, which begins with `/`, is known to be canonical. May be false for a canonical text.
#[inline]
pub fn is_canonical(url: &[u8], path: usize, profile: &Profile) -> bool {
    !has_unusual(url, path) || is_canonical_if_unusual(&url[path..], profile)
}

/// Whether the text from `path` on, or the end of the origin before it, has bytes that may have to be rewritten.
#[inline]
fn has_unusual(url: &[u8], path: usize) -> bool {
    let text = &url[path..];
    let mut found = [0; BLOCK];
    for (before, block) in text.chunks_exact(BLOCK).zip(text[1..].chunks_exact(BLOCK)) {
        if let (Some(before), Some(block)) = (before.first_chunk(), block.first_chunk()) {
            add_unusual(before, block, &mut found);
        }
    }
    // The last block overlaps the one before it, or the origin.
    match (url.last_chunk::<{ BLOCK + 1 }>(), url.last_chunk()) {
        (Some([before @ .., _]), Some(block)) => add_unusual(before, block, &mut found),
        _ => return true,
    }
    u128::from_ne_bytes(found) != 0
}

/// Marks the positions of the unusual bytes of a block. `before` are the bytes before each of its bytes.
#[inline]
fn add_unusual(before: &[u8; BLOCK], block: &[u8; BLOCK], found: &mut [u8; BLOCK]) {
    // Compilers turn this loop into vector instructions.
    for ((found, &before), &byte) in found.iter_mut().zip(before).zip(block) {
        *found |= unusual(byte) | u8::from(before == b'/') & u8::from(byte == b'.');
    }
}

/// Returns 1 for bytes in the classes `ILLEGAL`, `PERCENT`, `STAR` and `DOLLAR`, and for `~`, which is rare. Without a
/// table, so that many bytes are checked at once, in as few instructions as possible.
#[inline]
fn unusual(byte: u8) -> u8 {
    u8::from(byte.wrapping_sub(b'!') > b'z' - b'!')
        | u8::from(byte.wrapping_sub(b'"') <= b'%' - b'"')
        | u8::from(byte == b'*')
        | u8::from(byte == b'`')
        // `<`, `>`, `\` and `^`. The other bytes are outside of `!` to `z`.
        | u8::from(byte & !0x62 == b'<' & !0x62)
}

/// Whether a text is canonical: its form (a), without dot segments. May be false for a canonical text.
fn is_canonical_if_unusual(text: &[u8], profile: &Profile) -> bool {
    if profile.remove_dot_segments && has_slash_and_dot(text) {
        return false;
    }
    let rewritten = if profile.literal_paths { ILLEGAL | PERCENT | STAR | DOLLAR } else { ILLEGAL | STAR | DOLLAR };
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let classes = class(*first);
        if classes & rewritten != 0 {
            return false;
        }
        rest = if classes & PERCENT == 0 {
            after
        } else if is_canonical_escape(rest) {
            &rest[3..]
        } else {
            return false;
        };
    }
    true
}

/// Whether the text begins with an escape that form (a) does not change: its digits are in upper case, and its byte is
/// not unreserved.
fn is_canonical_escape(text: &[u8]) -> bool {
    decoded(text, 0).is_some_and(|byte| !is_unreserved(byte)) && !text[1..3].iter().any(u8::is_ascii_lowercase)
}

/// Whether a `.` follows a `/`, as in dot segments.
#[inline]
pub fn has_slash_and_dot(text: &[u8]) -> bool {
    let pairs = text.iter().zip(text.get(1..).unwrap_or_default());
    pairs.fold(0, |found, (&one, &other)| found | u8::from(one == b'/') & u8::from(other == b'.')) == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::percent::form_a;
    use crate::testing::{Dice, profile};

    #[test]
    fn unusual_bytes_are_those_of_the_classes() {
        for byte in 0..=u8::MAX {
            let expected = class(byte) & (ILLEGAL | PERCENT | STAR | DOLLAR) != 0 || byte == b'~';
            assert_eq!(unusual(byte) == 1, expected, "{byte}");
        }
    }

    #[test]
    fn canonical_targets_are_their_own_form_a() {
        let rfc9309 = profile("rfc9309");
        let mut dice = Dice::new(3);
        let mut canonical = 0;
        for round in 0..20_000 {
            let origin: &[u8] = if round % 2 == 0 { b"https://h" } else { b"" };
            let text = [b"/", &*dice.text(b"abcxyz%%2F7eE/.?", 40)].concat();
            let url = [origin, &text].concat();
            if is_canonical(&url, origin.len(), rfc9309) {
                canonical += 1;
                let mut form = Vec::new();
                form_a(&text, true, &mut form);
                assert_eq!(form, text);
                assert!(!text.windows(2).any(|pair| pair == b"/."), "{text:?}");
            }
        }
        assert!(canonical > 100);
    }

    #[test]
    fn escapes_in_canonical_form_need_no_copy() {
        for (text, name, expected) in [
            ("/a%20%C3%A9%2F", "rfc9309", true),
            ("/%2f", "rfc9309", false),
            ("/%7E", "rfc9309", false),
            ("/%2", "rfc9309", false),
            ("/%%20", "rfc9309", false),
        ] {
            if let Some(profile) = crate::compiled::profile(name) {
                assert_eq!(is_canonical(text.as_bytes(), 0, profile), expected, "{text}");
            }
        }
    }

    #[test]
    fn each_byte_is_checked_at_each_position() {
        let rfc9309 = profile("rfc9309");
        for length in 1..50 {
            let mut url = [b"https://h", &vec![b'/'; length][..]].concat();
            for path in [9, 0] {
                let url = &mut url[9 - path..];
                assert!(is_canonical(url, path, rfc9309), "{length}");
                for at in path + 1..url.len() {
                    for byte in [b'#', b'.', b'%', 0xFF] {
                        url[at] = byte;
                        assert!(!is_canonical(url, path, rfc9309), "{length} {at} {byte}");
                    }
                    url[at] = b'/';
                }
            }
        }
    }
}
