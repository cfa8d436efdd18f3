//! Records: lines with a key and a value (RFC 9309 section 2.2).
//!
//! Nearly every line of a group begins with one of three keys and a colon. [`plain_key`] recognises these with a few
//! comparisons. [`read`] handles all other lines and defines the result.

use crate::bytes::{find_blank, is_blank, is_space, strip};
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

/// Parses the record of the line `from..to`, without its comment, if it has one.
pub fn read(content: &[u8], from: usize, to: usize, profile: &Profile) -> Option<Record> {
    let separator = if let Some(colon) = memchr::memchr(b':', &content[from..to]) {
        from + colon
    } else if profile.missing_colon {
        let (start, stop) = strip(content, from, to, is_space);
        start + white_separator(&content[start..stop])?
    } else {
        return None;
    };
    let key = strip(content, from, separator, is_space);
    if key.0 == key.1 {
        return None;
    }
    Some(Record {
        kind: kind_of(&content[key.0..key.1], profile),
        key,
        value: strip(content, separator + 1, to, is_space),
    })
}

/// Finds the white space that replaces the colon, in a text of exactly two words.
fn white_separator(text: &[u8]) -> Option<usize> {
    let first = find_blank(text)?;
    let second = first + text[first..].iter().position(|&byte| !is_blank(byte))?;
    if find_blank(&text[second..]).is_some() { None } else { Some(first) }
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

/// Returns the kind of the key at `at`, if it is that of a rule or a user-agent line with a colon right after it, and the start of its
/// value. May find none close to the end of the file.
#[inline]
pub fn plain_key(content: &[u8], at: usize) -> Option<(Kind, usize)> {
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const USER_AGE: u64 = u64::from_le_bytes(*b"user-age");
    // The hyphen is not folded: otherwise a CR would be equal to it.
    const USER_AGE_LETTERS: u64 = LETTERS & !(0xFF << 32);
    const NT: u32 = u32::from_le_bytes(*b"nt:\0");
    const NT_LETTERS: u32 = 0x2020;
    const THREE: u32 = 0xFF_FFFF;
    const ALLOW: u64 = u64::from_le_bytes(*b"allow:\0\0");
    const ALLOW_LETTERS: u64 = LETTERS & 0xFF_FFFF_FFFF;
    const SIX: u64 = 0xFFFF_FFFF_FFFF;

    let line: &[u8; 12] = content.get(at..)?.first_chunk()?;
    let (eight, four) = (line.first_chunk()?, line.last_chunk()?);
    let (eight, four) = (u64::from_le_bytes(*eight), u32::from_le_bytes(*four));
    if eight | LETTERS == DISALLOW {
        (line[8] == b':').then_some((Kind::Disallow, at + 9))
    } else if (eight | ALLOW_LETTERS) & SIX == ALLOW {
        Some((Kind::Allow, at + 6))
    } else {
        (eight | USER_AGE_LETTERS == USER_AGE && (four | NT_LETTERS) & THREE == NT)
            .then_some((Kind::UserAgent, at + 11))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    fn read_line(line: &[u8], name: &str) -> Option<Record> {
        let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
        read(line, 0, end, profile(name))
    }

    fn kind_and_value<'l>(line: &'l [u8], name: &str) -> Option<(Kind, &'l [u8])> {
        let record = read_line(line, name)?;
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
                        let record = read_line(line, "google2019").expect("a record");
                        assert_eq!((kind, value - 1), (record.kind, record.key.1));
                    } else {
                        assert!(separator != ":" || !["disallow", "allow", "user-agent"].contains(&key));
                    }
                }
            }
        }
    }
}
