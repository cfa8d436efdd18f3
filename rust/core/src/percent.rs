//! Percent-encoding (RFC 9309 section 2.2.2, RFC 3986 section 2): the canonical forms of patterns and targets.

use crate::bytes::{DOLLAR, ILLEGAL, PERCENT, QUERY_DATA, STAR, class, is_unreserved};

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Appends the byte, percent-encoded.
#[inline]
pub fn push_encoded(byte: u8, out: &mut Vec<u8>) {
    out.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
}

/// Decodes the escape at `at`, if there is a valid one.
#[inline]
pub fn decoded(text: &[u8], at: usize) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let [b'%', high, low] = *text.get(at..at + 3)? else { return None };
    Some((digit(high)? << 4 | digit(low)?) as u8)
}

/// Appends form (a): escapes of unreserved bytes decoded, hexadecimal digits in upper case, bytes that are invalid in a
/// URI encoded, and the rest as written. With `encode_special`, `*` and `$` are encoded, because in a target they are
/// literal.
pub fn form_a(text: &[u8], encode_special: bool, out: &mut Vec<u8>) {
    let rewritten = if encode_special { ILLEGAL | PERCENT | STAR | DOLLAR } else { ILLEGAL | PERCENT };
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| class(byte) & rewritten != 0) {
        out.extend_from_slice(&rest[..at]);
        let byte = rest[at];
        let read = match decoded(rest, at) {
            _ if byte != b'%' => {
                push_encoded(byte, out);
                1
            }
            Some(byte) if is_unreserved(byte) && !completes_a_stray(byte, out) => {
                out.push(byte);
                3
            }
            Some(byte) => {
                push_encoded(byte, out);
                3
            }
            None => {
                out.push(b'%');
                1
            }
        };
        rest = &rest[at + read..];
    }
    out.extend_from_slice(rest);
}

/// Whether the decoded byte would turn an invalid `%` before it into a valid escape. Form (a) would then change if it
/// were computed again.
fn completes_a_stray(byte: u8, out: &[u8]) -> bool {
    byte.is_ascii_hexdigit()
        && match out {
            [.., b'%'] => true,
            [.., b'%', digit] => digit.is_ascii_hexdigit(),
            _ => false,
        }
}

/// Appends form (b) of a text in form (a): reserved data after the first `?` is encoded (the RFC's table).
pub fn form_b(form_a: &[u8], out: &mut Vec<u8>) {
    let query = memchr::memchr(b'?', form_a).map_or(form_a.len(), |at| at + 1);
    out.extend_from_slice(&form_a[..query]);
    let mut rest = &form_a[query..];
    while let Some(at) = rest.iter().position(|&byte| class(byte) & QUERY_DATA != 0) {
        out.extend_from_slice(&rest[..at]);
        push_encoded(rest[at], out);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// Whether a text in form (a) has reserved data after its first `?`, raw or escaped.
pub fn has_reserved_data(form_a: &[u8]) -> bool {
    memchr::memchr(b'?', form_a).is_some_and(|question| {
        let query = &form_a[question + 1..];
        query.iter().enumerate().any(|(at, &byte)| {
            let data = if byte == b'%' { decoded(query, at).unwrap_or(byte) } else { byte };
            class(data) & QUERY_DATA != 0
        })
    })
}

/// Appends the text with `*` and `$` escaped so that they match only themselves. With `decode`, all escapes but `%2F`
/// are decoded. Every byte has one spelling and no spelling is a prefix of another, so prefixes of texts remain
/// prefixes.
pub fn literal(text: &[u8], decode: bool, out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&written) = text.get(at) {
        let escaped = if decode && written == b'%' { decoded(text, at) } else { None };
        at += if escaped.is_some() { 3 } else { 1 };
        match escaped.unwrap_or(written) {
            // `%2F` stays as written, so `%` is encoded to keep a decoded `%25` apart from it.
            b'/' if escaped.is_some() => out.extend(b"%2F"),
            b'%' if decode => out.extend(b"%25"),
            1 => out.extend(b"\x01\x01"),
            b'*' => out.extend(b"\x01s"),
            b'$' => out.extend(b"\x01d"),
            byte => out.push(byte),
        }
    }
}

/// Reverts the escaping of `*` and `$` by `literal`, for display.
pub fn unescape_literal(literal: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(literal.len());
    let mut rest = literal.iter();
    while let Some(&byte) = rest.next() {
        out.push(match byte {
            1 => match rest.next() {
                Some(b's') => b'*',
                Some(b'd') => b'$',
                _ => 1,
            },
            byte => byte,
        });
    }
    out
}

/// Appends the text as Google's parser escapes it: hexadecimal digits in upper case, bytes encoded if `encode` is true
/// for them, and nothing decoded.
pub fn google_form(text: &[u8], encode: impl Fn(u8) -> bool, out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if decoded(text, at).is_some() {
            out.extend(text[at..at + 3].iter().map(u8::to_ascii_uppercase));
            at += 3;
            continue;
        }
        if encode(byte) {
            push_encoded(byte, out);
        } else {
            out.push(byte);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a(text: &[u8], encode_special: bool) -> String {
        let mut out = Vec::new();
        form_a(text, encode_special, &mut out);
        String::from_utf8(out).expect("form (a) is ASCII")
    }

    #[test]
    fn rfc9309_2_2_2_the_table_in_form_a() {
        assert_eq!(a("/foo/bar/ツ".as_bytes(), true), "/foo/bar/%E3%83%84");
        assert_eq!(a(b"/foo/bar/%e3%83%84", true), "/foo/bar/%E3%83%84");
        assert_eq!(a(b"/foo/bar/%62%61%7A", true), "/foo/bar/baz");
        assert_eq!(a(b"/%2f%7e %zz*$", true), "/%2F~%20%zz%2A%24");
        assert_eq!(a(b"/%2f%7e %zz*$", false), "/%2F~%20%zz*$");
    }

    #[test]
    fn draft1996_star_and_dollar_are_literal() {
        for (text, raw, decoded) in [
            ("/*$\x01", "/\x01s\x01d\x01\x01", "/\x01s\x01d\x01\x01"),
            ("/%2a%2Fx%2fy", "/%2a%2Fx%2fy", "/\x01s%2Fx%2Fy"),
            ("/%7e%zz%4", "/%7e%zz%4", "/~%25zz%254"),
            ("/%252F", "/%252F", "/%252F"),
        ] {
            for (decode, expected) in [(false, raw), (true, decoded)] {
                let mut out = Vec::new();
                literal(text.as_bytes(), decode, &mut out);
                assert_eq!(out, expected.as_bytes(), "{text} {decode}");
                if !decode {
                    assert_eq!(unescape_literal(&out), text.as_bytes());
                }
            }
        }
    }

    #[test]
    fn a_stray_percent_stays_stray() {
        assert_eq!(a(b"%%34%31", false), "%%341");
        assert_eq!(a(b"%4%31", false), "%4%31");
        assert_eq!(a(b"%g%31", false), "%g1");
        for text in [&b"%%34%31"[..], b"%4%31", b"%%%%41", b"%2%35%34", b"%4%4%31%31"] {
            let once = a(text, true);
            assert_eq!(a(once.as_bytes(), true), once);
        }
    }

    #[test]
    fn rfc9309_2_2_2_the_table_in_form_b() {
        let mut out = Vec::new();
        form_b(b"/foo/bar?baz=https://foo.bar", &mut out);
        assert_eq!(out, b"/foo/bar?baz=https%3A%2F%2Ffoo.bar");
        assert!(has_reserved_data(b"/a?b=%2F"));
        assert!(has_reserved_data(b"/a?b?c"));
        assert!(!has_reserved_data(b"/a/b:c?d=e&f=%20"));
        assert!(!has_reserved_data(b"/a/b:c"));
    }
}
