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

/// The bytes that are searched at once: as many as a word has bits.
const BLOCK: usize = 64;

/// Finds the stops of a file: the bytes LF, CR and `#`, at which the text of a line can end.
///
/// A block is searched without a branch, and its stops are the bits of a word. A search that starts anew in each line
/// costs a mispredicted branch for each of them, because the lengths of lines vary.
pub struct Stops<'c> {
    content: &'c [u8],
    /// Where the current block begins.
    block: usize,
    /// The stops of the block that were not returned yet.
    bits: u64,
}

impl<'c> Stops<'c> {
    /// Searches from a position on.
    #[inline]
    pub fn new(content: &'c [u8], from: usize) -> Self {
        Self { content, block: from, bits: stops_from(content, from) }
    }

    /// Returns the next stop, or the end of the file.
    #[inline]
    pub fn next_stop(&mut self) -> usize {
        while self.bits == 0 {
            self.block += BLOCK;
            if self.block >= self.content.len() {
                return self.content.len();
            }
            self.bits = stops_from(self.content, self.block);
        }
        let at = self.block + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        at
    }

    /// Returns the end of the line, without its line break, whose first stop was returned.
    #[inline]
    pub fn end_of_line(&mut self, first: usize) -> usize {
        let mut end = first;
        while self.content.get(end) == Some(&b'#') {
            end = self.next_stop();
        }
        end
    }

    /// Returns the start of the line after the one that ends at `end`, the last stop that was returned.
    #[inline]
    pub fn next_line(&mut self, end: usize) -> usize {
        if self.content.get(end) == Some(&b'\r') && self.content.get(end + 1) == Some(&b'\n') {
            self.next_stop();
            return end + 2;
        }
        end + 1
    }
}

/// The stops of the block at `from`, the first byte in the lowest bit.
#[inline]
fn stops_from(content: &[u8], from: usize) -> u64 {
    let rest = &content[from.min(content.len())..];
    if let Some(block) = rest.first_chunk() {
        return stops_of(block);
    }
    let mut block = [0; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    stops_of(&block)
}

#[inline]
fn stops_of(block: &[u8; BLOCK]) -> u64 {
    // Compilers turn this loop into vector instructions.
    let mut stops = [0; BLOCK];
    for (stop, &byte) in stops.iter_mut().zip(block) {
        *stop = u8::from(byte == b'\n') | u8::from(byte == b'\r') | u8::from(byte == b'#');
    }
    let mut bits = 0;
    for (at, eight) in stops.chunks_exact(8).enumerate() {
        // The product has the lowest bit of each byte in its highest byte, the first one in the lowest bit.
        let bytes = eight.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
        bits |= (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at);
    }
    bits
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
    use crate::testing::{Dice, profile};

    fn lines(content: &[u8]) -> Vec<&[u8]> {
        let mut found = Vec::new();
        let mut stops = Stops::new(content, 0);
        let mut start = 0;
        while start < content.len() {
            let first = stops.next_stop();
            let end = stops.end_of_line(first);
            found.push(&content[start..end]);
            start = stops.next_line(end);
        }
        found
    }

    #[test]
    fn rfc9309_2_2_lf_cr_and_crlf_end_a_line() {
        let expected: Vec<&[u8]> = vec![b"a", b"b#x#", b"c", b"", b"d"];
        assert_eq!(lines(b"a\nb#x#\rc\r\n\nd"), expected);
        assert_eq!(lines(b"a\nb#x#\rc\r\n\nd\n"), expected);
    }

    #[test]
    fn stops_are_those_of_a_plain_search() {
        let mut dice = Dice::new(64);
        for _ in 0..300 {
            let content = dice.text(b"aaaaaaaaaaa\x80\xFF\"$\t\0\n\r#", 300);
            for from in 0..=content.len().min(70) {
                let mut stops = Stops::new(&content, from);
                let plain = (from..content.len()).filter(|&at| matches!(content[at], b'\n' | b'\r' | b'#'));
                for at in plain.chain([content.len(), content.len()]) {
                    assert_eq!(stops.next_stop(), at, "{content:?} {from}");
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
