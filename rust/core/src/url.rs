//! URLs: absolute, `//host/path`, or a path that begins with `/`.

use crate::bytes::{ILLEGAL, class};

/// The parts of a valid URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// Whether it has an authority, so that its origin matters.
    pub has_authority: bool,
    /// Where the path begins.
    pub path: usize,
}

/// Finds the path of a URL; `None` if the URL is invalid.
#[inline]
pub fn locate(url: &[u8]) -> Option<Located> {
    let from = match url {
        [b'/', b'/', after, ..] if !matches!(after, b'/' | b'?' | b'#') => 2,
        [b'/', ..] => return Some(Located { has_authority: false, path: 0 }),
        _ => authority_start(url)?,
    };
    let path = authority_end(url, from)?;
    Some(Located { has_authority: true, path })
}

/// Whether the URL begins with this canonical origin, followed by a path, a query, a fragment or nothing.
#[inline]
pub fn has_origin(url: &[u8], origin: &[u8]) -> bool {
    begins_with(url, origin) && url.get(origin.len()).is_none_or(|byte| matches!(byte, b'/' | b'?' | b'#'))
}

/// As `starts_with`, without a call for origins of 16 to 32 bytes, which are most.
#[inline]
fn begins_with(url: &[u8], origin: &[u8]) -> bool {
    let Some(start) = url.get(..origin.len()) else { return false };
    match (origin.first_chunk::<16>(), origin.last_chunk::<16>()) {
        // Together they are all bytes.
        (Some(first), Some(last)) if origin.len() <= 32 => {
            let differences = [(start.first_chunk(), first), (start.last_chunk(), last)].map(|(found, expected)| {
                found.map_or(1, |found| u128::from_ne_bytes(*found) ^ u128::from_ne_bytes(*expected))
            });
            differences[0] | differences[1] == 0
        }
        _ => start == origin,
    }
}

/// Returns the start of the authority after `scheme://` (RFC 3986 section 3.1).
fn authority_start(url: &[u8]) -> Option<usize> {
    if url.starts_with(b"https://") {
        return Some(8);
    }
    let colon = url.iter().position(|&byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')))?;
    (url.first()?.is_ascii_alphabetic() && url[colon..].starts_with(b"://")).then_some(colon + 3)
}

const ENDS_AUTHORITY: u8 = 1;
const NEEDS_VALIDATION: u8 = 2;
/// How each byte affects the search for the end of an authority: 0 for ordinary bytes.
const AUTHORITY_BYTES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'/' | b'?' | b'#' => ENDS_AUTHORITY,
            b'@' | b':' => NEEDS_VALIDATION,
            byte if is_illegal_in_host(byte) => NEEDS_VALIDATION,
            _ => 0,
        };
        byte += 1;
    }
    table
};

const fn is_illegal(byte: u8) -> bool {
    byte < 0x80 && class(byte) & ILLEGAL != 0
}

const fn is_illegal_in_host(byte: u8) -> bool {
    matches!(byte, b'[' | b']') || is_illegal(byte)
}

/// Returns the end of the authority that begins at `from`, if it is valid.
#[inline]
fn authority_end(url: &[u8], from: usize) -> Option<usize> {
    let text = &url[from..];
    let stop = text.iter().position(|&byte| AUTHORITY_BYTES[usize::from(byte)] != 0).unwrap_or(text.len());
    match text.get(stop) {
        Some(&byte) if AUTHORITY_BYTES[usize::from(byte)] == NEEDS_VALIDATION => {
            let end = text
                .iter()
                .position(|&byte| AUTHORITY_BYTES[usize::from(byte)] == ENDS_AUTHORITY)
                .unwrap_or(text.len());
            is_authority(&text[..end]).then_some(from + end)
        }
        _ => (stop > 0).then_some(from + stop),
    }
}

/// Validates an authority with user information, a bracketed address, a port or unusual bytes.
fn is_authority(text: &[u8]) -> bool {
    let host_start = memchr::memrchr(b'@', text).map_or(0, |at| at + 1);
    let (user_information, host_and_port) = text.split_at(host_start);
    let (host, port) = if let Some(inside) = host_and_port.strip_prefix(b"[") {
        let Some(close) = memchr::memchr(b']', inside) else { return false };
        (&inside[..close], &inside[close + 1..])
    } else {
        host_and_port.split_at(memchr::memchr(b':', host_and_port).unwrap_or(host_and_port.len()))
    };
    let is_port = match port {
        [] => true,
        [b':', digits @ ..] => {
            digits.iter().all(u8::is_ascii_digit)
                && digits
                    .iter()
                    .fold(0u32, |number, digit| number.saturating_mul(10).saturating_add(u32::from(digit - b'0')))
                    <= 65_535
        }
        _ => false,
    };
    // Browsers treat a backslash as a slash and would see another host.
    is_port
        && !host.is_empty()
        && !host.iter().any(|&byte| is_illegal_in_host(byte))
        && !user_information.iter().any(|&byte| is_illegal(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(url: &str) -> Option<&str> {
        locate(url.as_bytes()).map(|located| &url[located.path..])
    }

    #[test]
    fn rfc3986_3_valid_urls_and_their_paths() {
        for (url, expected) in [
            ("https://example.com", ""),
            ("https://example.com/a?b", "/a?b"),
            ("http://example.com?b", "?b"),
            ("x+y-1.z://h#f", "#f"),
            ("//h/a", "/a"),
            ("///a", "///a"),
            ("//", "//"),
            ("/a//b", "/a//b"),
            ("https://u:p@[@h:80/a", "/a"),
            ("https://[::1]:/a", "/a"),
            ("https://h:65535/a", "/a"),
            ("https://h:000080/a", "/a"),
            ("https://h%20é/a", "/a"),
        ] {
            assert_eq!(path(url), Some(expected), "{url}");
        }
    }

    #[test]
    fn beginnings_are_compared_as_by_starts_with() {
        let url: Vec<u8> = (0..50).map(|index| b'a' + index % 26).collect();
        for length in 0..=url.len() {
            for changed in 0..=length {
                let mut origin = url[..length].to_vec();
                if let Some(byte) = origin.get_mut(changed) {
                    *byte ^= 1;
                }
                for end in length.saturating_sub(1)..=url.len() {
                    assert_eq!(
                        begins_with(&url[..end], &origin),
                        url[..end].starts_with(&origin),
                        "{length} {changed}"
                    );
                }
            }
        }
    }

    #[test]
    fn rfc3986_3_2_invalid_urls() {
        for url in [
            "",
            "a",
            "?a",
            "#a",
            "example.com/a",
            "https:/a",
            "https:///a",
            "https://",
            "https://?a",
            "1s://h",
            "://h",
            "https://h:65536/",
            "https://h:8a/",
            "https://:80/",
            "https://u@/",
            "https://[]/",
            "https://[::1/",
            "https://[::1]a/",
            "https://h]/",
            "https://a b/",
            "https://a\u{7f}/",
            "https://a|b/",
            "//h:x/",
            "https://example.com\\@evil.com/",
            "https://u p@h/",
            "//u\t@h/",
        ] {
            assert_eq!(path(url), None, "{url}");
        }
    }

    #[test]
    fn an_origin_ends_where_a_path_may_begin() {
        assert!(has_origin(b"https://h", b"https://h"));
        assert!(has_origin(b"https://h?a", b"https://h"));
        assert!(!has_origin(b"https://h:443/", b"https://h"));
        assert!(!has_origin(b"https://hh/", b"https://h"));
    }
}
