//! Bitmaps: a bit for each row, the lowest bit of a byte first.

use std::ops::Range;

/// Whether a bit of a bitmap is set. A bitmap that is too short has no such bit.
#[inline]
pub fn is_set(bitmap: &[u8], bit: usize) -> bool {
    bitmap.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}

/// Whether all of some bits of a bitmap are set.
pub fn are_set(bitmap: &[u8], bits: Range<usize>) -> bool {
    let bytes = bits.start.div_ceil(8)..bits.end / 8;
    let (before, after) =
        if bytes.start <= bytes.end { (bits.start..bytes.start * 8, bytes.end * 8..bits.end) } else { (bits, 0..0) };
    before.chain(after).all(|bit| is_set(bitmap, bit))
        && bitmap.get(bytes).unwrap_or_default().iter().all(|&byte| byte == u8::MAX)
}
