//! Lines of the profile `strict`, which accepts only the grammar of RFC 9309 section 2.2.
//!
//! The names are those of the grammar. A user-agent line outside the grammar still starts a group, but has an empty
//! token. A rule outside the grammar is ignored.

use crate::bytes::{is_blank, strip};
use crate::records::{Kind, Record, kind_of};
use crate::tables::Profile;

/// Parses the record of the line `from..to`, if it has one.
pub fn read(content: &[u8], from: usize, to: usize, profile: &Profile) -> Option<Record> {
    let end = memchr::memchr(b'#', &content[from..to]).map_or(to, |offset| from + offset);
    let separator = from + memchr::memchr(b':', &content[from..end])?;
    let key = strip(content, from, separator, is_blank);
    if key.0 == key.1 {
        return None;
    }
    let kind = kind_of(&content[key.0..key.1], profile);
    let mut value = strip(content, separator + 1, end, is_blank);
    let text = &content[value.0..value.1];
    match kind {
        Kind::UserAgent => {
            if !(is_product_token(text) && is_comment(&content[end..to])) {
                value.1 = value.0;
            }
        }
        Kind::Allow | Kind::Disallow => {
            if !((text.is_empty() || is_path_pattern(text)) && is_comment(&content[end..to])) {
                return None;
            }
        }
        Kind::Sitemap | Kind::Other => {}
    }
    Some(Record { kind, key, value })
}

/// `product-token = identifier / "*"`
pub fn is_product_token(text: &[u8]) -> bool {
    text == b"*" || (!text.is_empty() && text.iter().all(|&byte| is_identifier_byte(byte)))
}

/// A byte of `identifier`.
#[inline]
pub fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')
}

/// `path-pattern = "/" *UTF8-char-noctl`
fn is_path_pattern(text: &[u8]) -> bool {
    text.first() == Some(&b'/') && is_utf8_noctl(text, |byte| byte != b' ' && byte != b'#')
}

/// `comment = "#" *(UTF8-char-noctl / WS / "#")`, or no comment.
fn is_comment(text: &[u8]) -> bool {
    is_utf8_noctl(text, |_| true)
}

/// `UTF8-char-noctl`, with only the ASCII bytes that `admits` accepts and no control character but DEL. A tab is checked
/// as a space.
fn is_utf8_noctl(text: &[u8], admits: impl Fn(u8) -> bool) -> bool {
    // UTF8-2, UTF8-3 and UTF8-4 are those of RFC 3629, which the standard library checks.
    text.iter().all(|&byte| if byte == b'\t' { admits(b' ') } else { byte >= 0x20 && admits(byte) })
        && std::str::from_utf8(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    fn value(line: &[u8]) -> Option<(Kind, &[u8])> {
        let record = read(line, 0, line.len(), profile("strict"))?;
        Some((record.kind, &line[record.value.0..record.value.1]))
    }

    #[test]
    fn rfc9309_2_2_a_rule_outside_the_grammar_is_ignored() {
        assert_eq!(value(b"\tAllow : /a\x7f # \xC3\xA9 #"), Some((Kind::Allow, &b"/a\x7f"[..])));
        assert_eq!(value(b"allow:"), Some((Kind::Allow, &b""[..])));
        for line in [
            &b"allow: a"[..],
            b"allow: *",
            b"allow: /a b",
            b"allow: /a\x0b",
            b"allow: /\xC0\xAF",
            b"allow: /\xED\xA0\x80",
            b"allow: /\xF4\x90\x80\x80",
            b"allow: /a # \x01",
            b"allow /a",
        ] {
            assert_eq!(value(line), None, "{line:?}");
        }
    }

    #[test]
    fn rfc9309_2_2_1_an_invalid_token_is_empty() {
        assert_eq!(value(b"User-agent: Foo_Bar-"), Some((Kind::UserAgent, &b"Foo_Bar-"[..])));
        assert_eq!(value(b"user-agent:*"), Some((Kind::UserAgent, &b"*"[..])));
        for line in
            [&b"user-agent: a1"[..], b"user-agent: a b", b"user-agent:", b"user-agent: a # \xFF", b"user-agent: **"]
        {
            assert_eq!(value(line), Some((Kind::UserAgent, &b""[..])), "{line:?}");
        }
    }
}
