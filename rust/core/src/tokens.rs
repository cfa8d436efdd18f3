//! Product tokens of user-agent lines (RFC 9309 section 2.2.1).

use crate::abnf::is_identifier_byte;
use crate::bytes::is_space;
use crate::tables::Profile;

/// The token that matches every crawler.
pub const STAR: &[u8] = b"*";

/// Returns the length of the product token at the start of a user-agent value; 0 without a token.
pub fn token_length(value: &[u8], profile: &Profile) -> usize {
    if profile.abnf_only || profile.substring_tokens {
        return value.len();
    }
    if value.first() == Some(&b'*') {
        // A star with other text right after it is not a token.
        return usize::from(value.get(1).is_none_or(|&byte| is_space(byte)));
    }
    let is_token_byte = if profile.token_letters_only {
        is_identifier_byte
    } else {
        // DEVIATION(rfc9309): real crawlers have digits and dots in their names.
        |byte: u8| !is_space(byte) && !matches!(byte, b'/' | b'*' | b',')
    };
    value.iter().position(|&byte| !is_token_byte(byte)).unwrap_or(value.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    fn token<'v>(value: &'v [u8], name: &str) -> &'v [u8] {
        &value[..token_length(value, profile(name))]
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
            assert_eq!(token(value, "rfc9309"), lenient);
            assert_eq!(token(value, "google"), letters);
        }
    }
}
