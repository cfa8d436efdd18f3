//! Records: the lines that hold a key and a value (RFC 9309 section 2.2).
//!
//! Nearly every line of a real file is written as the RFC writes it, so the reader first looks whether the line begins
//! with one of four keys and a colon, which takes a few comparisons of words; every other line takes the slow road,
//! which is the definition.

use crate::bytes::{is_space, strip};
use crate::tables::{ALLOW_SPELLINGS, DISALLOW_SPELLINGS, Profile, SITEMAP_SPELLINGS, USER_AGENT_SPELLINGS};

/// What a record is.
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

/// A line's key and value, as spans of the text that it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// What the key says.
    pub kind: Kind,
    /// The key.
    pub key: (usize, usize),
    /// The value, without the white space around it.
    pub value: (usize, usize),
}

/// The record of the line `from..to`, if it has one.
pub fn read(content: &[u8], from: usize, to: usize, profile: &Profile) -> Option<Record> {
    // One search tells a comment's start from a separator; what is behind a `#` separates nothing.
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

/// Where white space stands for the colon: only between the two words of a line that has exactly two.
fn white_separator(line: &[u8]) -> Option<usize> {
    let first = memchr::memchr2(b' ', b'\t', line)?;
    let after = line[first..].iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    match memchr::memchr2(b' ', b'\t', &line[first + after..]) {
        None => Some(first),
        Some(_) => None,
    }
}

/// What a key says.
pub fn kind_of(key: &[u8], profile: &Profile) -> Kind {
    // The keys of other records, and of what is no robots.txt at all, mostly begin like none of the four.
    if !key.first().is_some_and(|first| matches!(first | 0x20, b'u' | b'a' | b'd' | b's')) {
        return Kind::Other;
    }
    let says = |spellings: &[&[u8]]| {
        let accepted = if profile.typos { spellings } else { &spellings[..1] };
        accepted.iter().any(|spelling| {
            if profile.key_prefixes {
                key.get(..spelling.len()).is_some_and(|start| start.eq_ignore_ascii_case(spelling))
            } else {
                key.eq_ignore_ascii_case(spelling)
            }
        })
    };
    // The order is Google's, and counts only where prefixes do.
    if says(&USER_AGENT_SPELLINGS) {
        Kind::UserAgent
    } else if !profile.allow_is_unknown && says(&ALLOW_SPELLINGS) {
        Kind::Allow
    } else if says(&DISALLOW_SPELLINGS) {
        Kind::Disallow
    } else if says(&SITEMAP_SPELLINGS) {
        Kind::Sitemap
    } else {
        Kind::Other
    }
}

const LETTERS: u64 = 0x2020_2020_2020_2020;

/// Eight octets as a word, its letters in lower case where `fold` has the bit.
#[inline]
fn word(content: &[u8], at: usize, fold: u64) -> Option<u64> {
    let eight: [u8; 8] = content.get(at..at + 8)?.try_into().ok()?;
    Some(u64::from_le_bytes(eight) | fold)
}

/// The key at `at`, if it is one of the four with the colon right after it, and where its value begins.
#[inline]
pub fn plain_key(content: &[u8], at: usize) -> Option<(Kind, usize)> {
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const USER_AGE: u64 = u64::from_le_bytes(*b"user-age");
    // The hyphen is no letter: folding it would let a CR pass for it.
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
    fn google_keys_are_prefixes_in_its_profile_alone() {
        assert_eq!(kind_and_value(b"DisallowAITraining: /", "google"), Some((Kind::Disallow, &b"/"[..])));
        assert_eq!(kind_and_value(b"DisallowAITraining: /", "rfc9309"), Some((Kind::Other, &b"/"[..])));
        assert_eq!(kind_and_value(b"dissalow: /", "rfc9309"), Some((Kind::Disallow, &b"/"[..])));
        assert_eq!(kind_and_value(b"dissalow: /", "google2019"), Some((Kind::Other, &b"/"[..])));
    }

    #[test]
    fn the_fast_road_says_what_the_slow_one_says() {
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
