//! A target that segments are looked for in.

/// A target.
#[derive(Debug)]
pub struct Haystack<'t> {
    octets: &'t [u8],
}

impl<'t> Haystack<'t> {
    /// Wraps a target.
    #[inline]
    pub fn new(octets: &'t [u8]) -> Self {
        Self { octets }
    }

    /// The target's octets.
    #[inline]
    pub fn octets(&self) -> &'t [u8] {
        self.octets
    }

    /// Where the segment first occurs at or behind `from`.
    #[inline]
    pub fn find(&self, segment: &[u8], from: usize) -> Option<usize> {
        let rest = &self.octets[from..];
        let found = match segment {
            [octet] => memchr::memchr(*octet, rest),
            _ => memchr::memmem::find(rest, segment),
        };
        found.map(|offset| from + offset)
    }
}
