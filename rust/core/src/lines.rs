//! Physical lines (RFC 9309 section 2.2, `NL`): LF, CR and CRLF end one, and so does the end of the file.

use crate::tables::Profile;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Where the first line begins: a byte order mark is no part of it, nor is a torn one where the profile says so.
pub fn first_line(octets: &[u8], profile: &Profile) -> usize {
    if octets.starts_with(BYTE_ORDER_MARK) {
        return BYTE_ORDER_MARK.len();
    }
    if !profile.partial_bom {
        return 0;
    }
    // DEVIATION(google): the mark is skipped octet by octet while it agrees.
    octets
        .iter()
        .zip(BYTE_ORDER_MARK)
        .take_while(|(octet, mark)| octet == mark)
        .count()
}

/// Where the line that holds `from` ends, its line end not included.
#[inline]
pub fn end_of_line(octets: &[u8], from: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &octets[from..]).map_or(octets.len(), |offset| from + offset)
}

/// Where the line after the one that ends at `end` begins.
#[inline]
pub fn next_line(octets: &[u8], end: usize) -> usize {
    if octets[end..].starts_with(b"\r\n") {
        end + 2
    } else {
        end + 1
    }
}

/// Where the part of the line `start..end` that counts ends.
pub fn end_of_text(octets: &[u8], start: usize, end: usize, profile: &Profile) -> usize {
    let mut stop = end;
    if profile.line_limit_octets != 0 {
        // DEVIATION(google): the rest of a long line is dropped, and is no line of its own.
        stop = stop.min(start + profile.line_limit_octets);
    }
    if profile.nul_ends_line {
        // DEVIATION(google): its lines are C strings.
        stop = memchr::memchr(0, &octets[start..stop]).map_or(stop, |offset| start + offset);
    }
    stop
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::PROFILES;

    fn lines(octets: &[u8]) -> Vec<&[u8]> {
        let mut found = Vec::new();
        let mut start = 0;
        while start < octets.len() {
            let end = end_of_line(octets, start);
            found.push(&octets[start..end]);
            start = next_line(octets, end);
        }
        found
    }

    #[test]
    fn rfc9309_2_2_three_line_ends() {
        let expected: Vec<&[u8]> = vec![b"a", b"b", b"c", b"", b"d"];
        assert_eq!(lines(b"a\nb\rc\r\n\nd"), expected);
        assert_eq!(lines(b"a\nb\rc\r\n\nd\n"), expected);
    }

    #[test]
    fn google_skips_a_torn_byte_order_mark() {
        let (rfc9309, google) = (&PROFILES[0], &PROFILES[3]);
        for (octets, lenient, torn) in [
            (&b"\xEF\xBB\xBFa"[..], 3, 3),
            (b"\xEF\xBBa", 0, 2),
            (b"\xEFa", 0, 1),
            (b"a\xEF", 0, 0),
            (b"", 0, 0),
        ] {
            assert_eq!(first_line(octets, rfc9309), lenient);
            assert_eq!(first_line(octets, google), torn);
        }
    }
}
