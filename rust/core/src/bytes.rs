//! Byte classes in one table, so that a hot loop needs one look-up for each byte.

/// Invalid in a URI (RFC 3986 section 2): controls, space, DEL and above, and the excluded delimiters.
pub const ILLEGAL: u8 = 1;
/// `%`, and `#`, which ends a target. Patterns never contain `#`, because it starts a comment.
pub const PERCENT: u8 = 1 << 1;
/// `*`, which matches any bytes in a pattern (RFC 9309 section 2.2.3).
pub const STAR: u8 = 1 << 2;
/// `$`, which matches the end of the target in a pattern (the same section).
pub const DOLLAR: u8 = 1 << 3;
/// `?`, which starts the query.
pub const QUESTION: u8 = 1 << 4;
/// Reserved bytes that are data after the first `?` (RFC 9309 section 2.2.2, the table).
pub const QUERY_DATA: u8 = 1 << 5;

const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut class = 0;
        if byte <= 0x20 || byte >= 0x7F {
            class |= ILLEGAL;
        }
        class |= match byte as u8 {
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => ILLEGAL,
            b'%' => PERCENT,
            b'*' => STAR,
            b'$' => DOLLAR,
            b'#' => PERCENT | QUERY_DATA,
            b'?' => QUESTION | QUERY_DATA,
            b'/' | b':' | b'[' | b']' | b'@' | b'!' | b'\'' | b'(' | b')' | b'+' | b',' | b';' => QUERY_DATA,
            _ => 0,
        };
        table[byte] = class;
        byte += 1;
    }
    table
}

/// The classes of a byte.
#[inline]
pub const fn class(byte: u8) -> u8 {
    CLASSES[byte as usize]
}

/// Whether the byte is unreserved: escaped or not, it means the same (RFC 3986 section 2.3).
#[inline]
pub const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// ASCII white space, line ends included.
#[inline]
pub const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

/// The grammar's `WS` (RFC 9309 section 2.2).
#[inline]
pub const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns the position of the first space or tab. Words are short, so this is faster than calling a search function.
#[inline]
pub fn find_blank(text: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut at = 0;
    while let Some(eight) = text[at..].first_chunk() {
        let word = u64::from_le_bytes(*eight);
        let (space, tab) = (word ^ (ONES * u64::from(b' ')), word ^ (ONES * u64::from(b'\t')));
        // The lowest high bit marks the first byte that is 0. Higher ones may be wrong.
        let zeros = (space.wrapping_sub(ONES) & !space | tab.wrapping_sub(ONES) & !tab) & (0x80 * ONES);
        if zeros != 0 {
            return Some(at + zeros.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    text[at..].iter().position(|&byte| is_blank(byte)).map(|offset| at + offset)
}

/// Returns the position at or after `from` where a long run of spaces ends, or `from`.
#[inline]
pub fn skip_spaces(text: &[u8], mut from: usize) -> usize {
    while text[from..].starts_with(b"        ") {
        from += 8;
    }
    from
}

/// Returns the position of the first byte in `from..to` that is neither a space nor a tab, or `to`.
#[inline]
pub fn skip_blanks(text: &[u8], mut from: usize, to: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW: u64 = 0x7F * ONES;
    while from < to && is_blank(text[from]) {
        let Some(eight) = text[from..].first_chunk() else {
            from += 1;
            continue;
        };
        let word = u64::from_le_bytes(*eight);
        let (space, tab) = (word ^ (ONES * u64::from(b' ')), word ^ (ONES * u64::from(b'\t')));
        // The high bit of each byte that is not 0.
        let others = (((space & LOW) + LOW) | space) & (((tab & LOW) + LOW) | tab) & !LOW;
        from += others.trailing_zeros() as usize / 8;
    }
    from.min(to)
}

/// Returns the span of `text` within `from..to` without the bytes at both ends for which `is_white` is true.
#[inline]
pub fn strip(text: &[u8], mut from: usize, mut to: usize, is_white: impl Fn(u8) -> bool) -> (usize, usize) {
    while from < to && is_white(text[from]) {
        from += 1;
    }
    while from < to && is_white(text[to - 1]) {
        to -= 1;
    }
    (from, to)
}

/// Returns the span of a value within `from..to`, without the white space around it.
#[inline]
pub fn strip_value(text: &[u8], from: usize, to: usize) -> (usize, usize) {
    // Usually one space precedes a value, and nothing follows.
    let start = from + usize::from(text.get(from) == Some(&b' '));
    if start < to && text[start] > b' ' && text[to - 1] > b' ' { (start, to) } else { strip(text, from, to, is_space) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3986_2_bytes_of_a_uri_are_legal() {
        for byte in *b"azAZ09-._~:/?#[]@!$&'()*+,;=%" {
            assert_eq!(class(byte) & ILLEGAL, 0, "{}", char::from(byte));
        }
        for byte in *b"\0\t\n\r \"<>\\^`{|}\x7f\x80\xff" {
            assert_eq!(class(byte) & ILLEGAL, ILLEGAL, "{byte}");
        }
    }

    #[test]
    fn the_first_blank_is_that_of_a_plain_search() {
        for fill in [b'a', 0x09 ^ 0x80, 0x1F, 0x21, 0xFF, 0] {
            for length in 0..40 {
                for end in [&b" \t"[..], b"\t ", b"", b"\n a"] {
                    let text = [&vec![fill; length][..], end].concat();
                    assert_eq!(find_blank(&text), text.iter().position(|&byte| is_blank(byte)), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn blanks_are_those_of_a_plain_search() {
        for after in [b'a', b'\n', 0x0B, 0x00, 0x21, 0x1F, 0xA0, 0x89, 0x80, 0xFF] {
            for length in 0..20 {
                for bits in [0, 1, 0x55, 0xF0F0F] {
                    let blanks = (0..length).map(|at| if bits >> at & 1 == 0 { b' ' } else { b'\t' });
                    let text: Vec<u8> = blanks.chain([after, b' ', b'\t', after]).chain([b'x'; 8]).collect();
                    for to in 0..text.len() {
                        let plain = text[..to].iter().position(|&byte| !is_blank(byte)).unwrap_or(to);
                        assert_eq!(skip_blanks(&text, 0, to), plain, "{text:?} {to}");
                        assert_eq!(skip_blanks(&text[..to], 0, to), plain, "{text:?} {to}");
                    }
                }
            }
        }
    }

    #[test]
    fn strip_stops_at_the_middle() {
        let text = b"  a b\t";
        assert_eq!(strip(text, 0, text.len(), is_space), (2, 5));
        assert_eq!(strip(b" \t ", 0, 3, is_space), (3, 3));
        assert_eq!(skip_spaces(&[b' '; 19], 1), 17);
    }
}
