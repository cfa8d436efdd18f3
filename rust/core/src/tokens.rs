//! Product tokens (RFC 9309 section 2.2.1): what a user-agent line's value names.

use crate::abnf::is_identifier_octet;
use crate::octets::is_space;
use crate::tables::Profile;

/// The token that stands for every crawler.
pub const STAR: &[u8] = b"*";

/// How many octets of a user-agent value are its product token: none, where it names nobody.
pub fn token_length(value: &[u8], profile: &Profile) -> usize {
    if profile.abnf_only || profile.name_in_value {
        return value.len();
    }
    if value.first() == Some(&b'*') {
        // A star with more right behind it is neither everybody nor a name.
        return usize::from(value.get(1).is_none_or(|&octet| is_space(octet)));
    }
    let is_token_octet = if profile.token_letters_only {
        is_identifier_octet
    } else {
        // DEVIATION(rfc9309): real crawlers have digits and dots in their names.
        |octet: u8| !is_space(octet) && !matches!(octet, b'/' | b'*' | b',')
    };
    value.iter().position(|&octet| !is_token_octet(octet)).unwrap_or(value.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::PROFILES;

    fn token(value: &[u8], profile: usize) -> &[u8] {
        &value[..token_length(value, &PROFILES[profile])]
    }

    #[test]
    fn rfc9309_2_2_1_tokens() {
        for (value, lenient, letters) in [
            (&b"*"[..], &b"*"[..], &b"*"[..]),
            (b"* anything", b"*", b"*"),
            (b"*bot", b"", b""),
            (b"MJ12bot", b"MJ12bot", b"MJ"),
            (b"Foo/2.1", b"Foo", b"Foo"),
            (b"foo.bar, baz", b"foo.bar", b"foo"),
            (b"foo*", b"foo", b"foo"),
            (b"360Spider", b"360Spider", b""),
            (b"", b"", b""),
        ] {
            assert_eq!(token(value, 0), lenient);
            assert_eq!(token(value, 3), letters);
        }
    }
}
