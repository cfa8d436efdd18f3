//! Physical lines (RFC 9309 section 2.2, `NL`), which end with LF, CR, CRLF or the end of the file.

use crate::tables::Profile;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the start of the first line, after a byte order mark. Some profiles also skip a partial one.
pub fn first_line(content: &[u8], profile: &Profile) -> usize {
    if content.starts_with(BYTE_ORDER_MARK) {
        return BYTE_ORDER_MARK.len();
    }
    if !profile.partial_bom {
        return 0;
    }
    // DEVIATION(google): the mark is skipped byte by byte as long as the bytes are equal.
    content.iter().zip(BYTE_ORDER_MARK).take_while(|(byte, mark)| byte == mark).count()
}

/// Returns the end of the line that contains `from`, without its line break.
#[inline]
pub fn end_of_line(content: &[u8], from: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &content[from..]).map_or(content.len(), |offset| from + offset)
}

/// Returns the end of a value that begins at `from`: a line break or a comment. Trailing white space is included.
#[inline]
pub fn end_of_value(content: &[u8], from: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let mut at = from;
    // Values are short: comparing a few words is faster than calling a search function.
    for _ in 0..4 {
        let Some(eight) = content.get(at..at + 8).and_then(|eight| eight.first_chunk()) else { break };
        let word = u64::from_le_bytes(*eight);
        let comment = word ^ (u64::from(b'#') * ONES);
        // The lowest high bit marks the first byte that is a control character or `#`. Higher ones may be wrong.
        let found = (word.wrapping_sub(0x20 * ONES) & !word | comment.wrapping_sub(ONES) & !comment) & HIGH;
        if found != 0 {
            at += found.trailing_zeros() as usize / 8;
            if matches!(content[at], b'\n' | b'\r' | b'#') {
                return at;
            }
            break;
        }
        at += 8;
    }
    memchr::memchr3(b'\n', b'\r', b'#', &content[at..]).map_or(content.len(), |offset| at + offset)
}

/// Returns the start of the line after the one that ends at `end`.
#[inline]
pub fn next_line(content: &[u8], end: usize) -> usize {
    if content[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 }
}

/// Returns the end of the part of the line `start..end` that the profile reads.
pub fn end_of_text(content: &[u8], start: usize, end: usize, profile: &Profile) -> usize {
    let mut stop = end;
    if profile.max_line_bytes != 0 {
        // DEVIATION(google): the rest of a long line is dropped, and is not a line of its own.
        stop = stop.min(start + profile.max_line_bytes);
    }
    if profile.nul_ends_line {
        // DEVIATION(google): its lines are C strings.
        stop = memchr::memchr(0, &content[start..stop]).map_or(stop, |offset| start + offset);
    }
    stop
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    fn lines(content: &[u8]) -> Vec<&[u8]> {
        let mut found = Vec::new();
        let mut start = 0;
        while start < content.len() {
            let end = end_of_line(content, start);
            found.push(&content[start..end]);
            start = next_line(content, end);
        }
        found
    }

    #[test]
    fn rfc9309_2_2_lf_cr_and_crlf_end_a_line() {
        let expected: Vec<&[u8]> = vec![b"a", b"b", b"c", b"", b"d"];
        assert_eq!(lines(b"a\nb\rc\r\n\nd"), expected);
        assert_eq!(lines(b"a\nb\rc\r\n\nd\n"), expected);
    }

    #[test]
    fn the_end_of_a_value_is_that_of_a_plain_search() {
        for fill in [b'a', b'\t', 0x80, 0xFF, b'"', b'$', 0x1F] {
            for length in 0..70 {
                for end in [&b"\nb#"[..], b"\r#", b"#\n", b"", b"\0\n#"] {
                    let text = [&vec![fill; length][..], end].concat();
                    let stop = text.iter().position(|byte| matches!(byte, b'\n' | b'\r' | b'#')).unwrap_or(text.len());
                    for from in 0..=length.min(9) {
                        assert_eq!(end_of_value(&text, from), stop, "{text:?} {from}");
                    }
                }
            }
        }
    }

    #[test]
    fn google_skips_a_partial_byte_order_mark() {
        let (rfc9309, google) = (profile("rfc9309"), profile("google"));
        for (content, lenient, torn) in
            [(&b"\xEF\xBB\xBFa"[..], 3, 3), (b"\xEF\xBBa", 0, 2), (b"\xEFa", 0, 1), (b"a\xEF", 0, 0), (b"", 0, 0)]
        {
            assert_eq!(first_line(content, rfc9309), lenient);
            assert_eq!(first_line(content, google), torn);
        }
    }
}
