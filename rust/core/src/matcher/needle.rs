//! Four literal bytes of a text: a check that rejects most texts without reading them.
//!
//! Texts are far from each other in memory, so a decision about a file that was not used recently waits for each of
//! them. A needle is stored beside the rank, where the processor already is.

/// The number of bytes at the end of a text from which its needle is chosen. There, texts with a common beginning
/// differ.
const BYTES_READ: usize = 32;

/// Longer targets are not searched for needles: each text would cost a pass over the target.
const LONGEST_TARGET: usize = 256;

/// Four bytes in a row that every matching target contains, or 0 if a text has no such bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needle(u32);

impl Needle {
    /// Returns the last four literal bytes in a row of a part of a text without its anchor.
    pub fn of(body: &[u8]) -> Self {
        let end = &body[body.len().saturating_sub(BYTES_READ)..];
        let mut segments = end.rsplit(|&byte| byte == b'*');
        Self(segments.find_map(<[u8]>::last_chunk).map_or(0, |four| u32::from_le_bytes(*four)))
    }

    /// Whether a target may match the text.
    #[inline]
    pub fn may_occur_in(self, target: &[u8]) -> bool {
        if self.0 == 0 || target.len() > LONGEST_TARGET {
            return true;
        }
        // Without an end at the first occurrence, several windows are compared at once.
        let windows = target.windows(4).filter_map(<[u8]>::first_chunk);
        windows.fold(false, |found, four| found | (u32::from_le_bytes(*four) == self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_four_literal_bytes_count() {
        let may = |body: &str, target: &str| Needle::of(body.as_bytes()).may_occur_in(target.as_bytes());
        assert!(may("/*?sort=", "/a?sort=1"));
        assert!(!may("/*?sort=", "/a?sor=1"));
        assert!(!may("/*.html*.x", "/a.htm"));
        assert!(may("/*.html*.x", "/a.html"));
        assert!(may("/*ab*cd", "/"));
        assert!(may("", ""));
        assert!(!may("abcd", "abc"));
    }

    #[test]
    fn a_long_target_is_not_searched() {
        let needle = Needle::of(b"/*wxyz");
        assert!(!needle.may_occur_in(&[b'a'; LONGEST_TARGET]));
        assert!(needle.may_occur_in(&[b'a'; LONGEST_TARGET + 1]));
    }
}
