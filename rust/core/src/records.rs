//! Records: lines with a key and a value (RFC 9309 section 2.2).
//!
//! Nearly every line of a real file begins with one of four keys and a colon. [`plain_key`] recognises these with a few
//! comparisons. [`read`] handles all other lines and defines the result.

use crate::bytes::{is_space, strip};
use crate::tables::{ALLOW_SPELLINGS, DISALLOW_SPELLINGS, Profile, SITEMAP_SPELLINGS, USER_AGENT_SPELLINGS};

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A user-agent line.
    UserAgent,
    /// An allow rule.
    Allow,
    /// A disallow rule.
    Disallow,
    /// A sitemap record.
    Sitemap,
    /// Any other key (section 2.2.4).
    Other,
}

/// The key and value of a line, as spans of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The kind, from the key.
    pub kind: Kind,
    /// The key.
    pub key: (usize, usize),
    /// The value, without the white space around it.
    pub value: (usize, usize),
}

/// Parses the record of the line `from..to`, if it has one.
pub fn read(content: &[u8], from: usize, to: usize, profile: &Profile) -> Option<Record> {
    // One search finds the separator or a comment. A colon after `#` is not a separator.
    let first = memchr::memchr2(b':', b'#', &content[from..to]).map(|offset| from + offset);
    let (separator, end) = match first {
        Some(colon) if content[colon] == b':' => {
            let end = memchr::memchr(b'#', &content[colon..to]).map_or(to, |offset| colon + offset);
            (colon, end)
        }
        without_colon => {
            if !profile.missing_colon {
                return None;
            }
            let end = without_colon.unwrap_or(to);
            let (start, stop) = strip(content, from, end, is_space);
            (start + white_separator(&content[start..stop])?, end)
        }
    };
    let key = strip(content, from, separator, is_space);
    if key.0 == key.1 {
        return None;
    }
    Some(Record {
        kind: kind_of(&content[key.0..key.1], profile),
        key,
        value: strip(content, separator + 1, end, is_space),
    })
}

/// Finds the white space that replaces the colon, in a line of exactly two words.
fn white_separator(line: &[u8]) -> Option<usize> {
    let first = memchr::memchr2(b' ', b'\t', line)?;
    let after = line[first..].iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    match memchr::memchr2(b' ', b'\t', &line[first + after..]) {
        None => Some(first),
        Some(_) => None,
    }
}

/// Returns the kind of a key.
pub fn kind_of(key: &[u8], profile: &Profile) -> Kind {
    // Most other keys, and the text of files that are not a robots.txt, begin with another letter.
    if !key.first().is_some_and(|first| matches!(first | 0x20, b'u' | b'a' | b'd' | b's')) {
        return Kind::Other;
    }
    let matches = |spellings: &[&[u8]]| {
        let accepted = if profile.typos { spellings } else { &spellings[..1] };
        accepted.iter().any(|spelling| {
            if profile.key_prefixes {
                key.get(..spelling.len()).is_some_and(|start| start.eq_ignore_ascii_case(spelling))
            } else {
                key.eq_ignore_ascii_case(spelling)
            }
        })
    };
    // The order is Google's. It matters only if keys match by prefix.
    if matches(&USER_AGENT_SPELLINGS) {
        Kind::UserAgent
    } else if !profile.ignore_allow && matches(&ALLOW_SPELLINGS) {
        Kind::Allow
    } else if matches(&DISALLOW_SPELLINGS) {
        Kind::Disallow
    } else if matches(&SITEMAP_SPELLINGS) {
        Kind::Sitemap
    } else {
        Kind::Other
    }
}

const LETTERS: u64 = 0x2020_2020_2020_2020;

/// Eight bytes as a word, with the letters that `fold` covers in lower case.
#[inline]
fn word(content: &[u8], at: usize, fold: u64) -> Option<u64> {
    let eight: [u8; 8] = content.get(at..at + 8)?.try_into().ok()?;
    Some(u64::from_le_bytes(eight) | fold)
}

/// Returns the kind of the key at `at`, if it is one of the four with a colon right after it, and the start of its
/// value.
#[inline]
pub fn plain_key(content: &[u8], at: usize) -> Option<(Kind, usize)> {
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const USER_AGE: u64 = u64::from_le_bytes(*b"user-age");
    // The hyphen is not folded: otherwise a CR would be equal to it.
    const USER_AGE_LETTERS: u64 = LETTERS & !(0xFF << 32);
    const ALLOW: u64 = u64::from_le_bytes(*b"allow:\0\0");
    const ALLOW_LETTERS: u64 = LETTERS & 0xFF_FFFF_FFFF;
    const SIX: u64 = 0xFFFF_FFFF_FFFF;
    const SITEMAP: u64 = u64::from_le_bytes(*b"sitemap:");
    const SITEMAP_LETTERS: u64 = LETTERS & (u64::MAX >> 8);

    match content.get(at)? | 0x20 {
        b'd' => (word(content, at, LETTERS)? == DISALLOW && *content.get(at + 8)? == b':')
            .then_some((Kind::Disallow, at + 9)),
        b'a' => (word(content, at, ALLOW_LETTERS)? & SIX == ALLOW).then_some((Kind::Allow, at + 6)),
        b'u' => (word(content, at, USER_AGE_LETTERS)? == USER_AGE
            && content.get(at + 8)? | 0x20 == b'n'
            && content.get(at + 9)? | 0x20 == b't'
            && *content.get(at + 10)? == b':')
            .then_some((Kind::UserAgent, at + 11)),
        b's' => (word(content, at, SITEMAP_LETTERS)? == SITEMAP).then_some((Kind::Sitemap, at + 8)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    fn kind_and_value<'l>(line: &'l [u8], name: &str) -> Option<(Kind, &'l [u8])> {
        let record = read(line, 0, line.len(), profile(name))?;
        Some((record.kind, &line[record.value.0..record.value.1]))
    }

    #[test]
    fn rfc9309_2_2_key_colon_value_comment() {
        assert_eq!(kind_and_value(b" \tDISALLOW\t: /a b # c", "rfc9309"), Some((Kind::Disallow, &b"/a b"[..])));
        assert_eq!(kind_and_value(b"allow:", "rfc9309"), Some((Kind::Allow, &b""[..])));
        assert_eq!(kind_and_value(b"Crawl-delay: 1", "rfc9309"), Some((Kind::Other, &b"1"[..])));
        assert_eq!(kind_and_value(b": /a", "rfc9309"), None);
        assert_eq!(kind_and_value(b"# allow: /", "rfc9309"), None);
    }

    #[test]
    fn google_a_missing_colon_needs_exactly_two_words() {
        assert_eq!(kind_and_value(b"Disallow \t /a", "rfc9309"), Some((Kind::Disallow, &b"/a"[..])));
        assert_eq!(kind_and_value(b"Disallow /a b", "rfc9309"), None);
        assert_eq!(kind_and_value(b"Disallow", "rfc9309"), None);
        assert_eq!(kind_and_value(b"Disallow /a", "google2019"), None);
    }

    #[test]
    fn google_keys_match_by_prefix_only_in_its_profile() {
        assert_eq!(kind_and_value(b"DisallowAITraining: /", "google"), Some((Kind::Disallow, &b"/"[..])));
        assert_eq!(kind_and_value(b"DisallowAITraining: /", "rfc9309"), Some((Kind::Other, &b"/"[..])));
        assert_eq!(kind_and_value(b"dissalow: /", "rfc9309"), Some((Kind::Disallow, &b"/"[..])));
        assert_eq!(kind_and_value(b"dissalow: /", "google2019"), Some((Kind::Other, &b"/"[..])));
    }

    #[test]
    fn plain_key_agrees_with_read() {
        for key in ["disallow", "allow", "user-agent", "sitemap", "user\ragent", "disallov", "alloww", "site-map"] {
            for spelling in [key.to_owned(), key.to_uppercase()] {
                for separator in [":", ";", " :", ""] {
                    let line = format!("{spelling}{separator} /value padding");
                    let line = line.as_bytes();
                    if let Some((kind, value)) = plain_key(line, 0) {
                        let record = read(line, 0, line.len(), profile("google2019")).expect("a record");
                        assert_eq!((kind, value - 1), (record.kind, record.key.1));
                    } else {
                        assert!(separator != ":" || !["disallow", "allow", "user-agent", "sitemap"].contains(&key));
                    }
                }
            }
        }
    }
}
