//! The bytes that are parsed, as `canfetch/core/source.py` prepares them: transcoded to UTF-8, and cut to the size limit.

/// How a file is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, or anything that is not UTF-16.
    Utf8,
    /// UTF-16 with a little-endian byte order mark.
    Utf16LittleEndian,
    /// UTF-16 with a big-endian byte order mark.
    Utf16BigEndian,
}

/// The bytes to parse, and what is known about the others.
#[derive(Debug)]
pub struct Source {
    /// The bytes to parse.
    pub content: Vec<u8>,
    /// The number of bytes past the limit.
    pub tail_bytes: usize,
    /// The encoding of the file.
    pub encoding: Encoding,
}

impl Source {
    /// Transcodes UTF-16 with a byte order mark, if the profile supports it, and cuts content over the limit at the last
    /// line end within it.
    pub fn new(mut content: Vec<u8>, reads_utf16: bool, max_bytes: usize) -> Self {
        let encoding = match *content {
            [0xFF, 0xFE, ..] if reads_utf16 => Encoding::Utf16LittleEndian,
            [0xFE, 0xFF, ..] if reads_utf16 => Encoding::Utf16BigEndian,
            _ => Encoding::Utf8,
        };
        let unit = match encoding {
            Encoding::Utf8 => None,
            Encoding::Utf16LittleEndian => Some(u16::from_le_bytes as fn([u8; 2]) -> u16),
            Encoding::Utf16BigEndian => Some(u16::from_be_bytes as fn([u8; 2]) -> u16),
        };
        let is_longer = unit.is_some() && content.len() > max_bytes;
        let mut limit = max_bytes;
        if let (Some(unit), true) = (unit, is_longer) {
            // The limit also counts the bytes of the file itself: a client that stops there has the same rules.
            limit = limit.min(utf16(&content[2..max_bytes - max_bytes % 2], unit).len());
        }
        if let Some(unit) = unit {
            content = utf16(&content[2..], unit);
        }
        let end = readable_bytes(&content, limit, is_longer);
        let tail_bytes = content.len() - end;
        if tail_bytes > 0 {
            content.truncate(end);
            content.shrink_to_fit();
        }
        Self { content, tail_bytes, encoding }
    }

    /// The first line that is not read, from 1; 0 if the whole file is read.
    pub fn first_unread_line(&self) -> u32 {
        if self.tail_bytes == 0 { 0 } else { self.line_count() + 1 }
    }

    /// The number of lines that are read, including an unterminated last one.
    pub fn line_count(&self) -> u32 {
        let mut count = 0;
        let mut rest = &self.content[..];
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let length = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
            rest = &rest[end + length..];
            count += 1;
        }
        count + u32::from(!rest.is_empty())
    }
}

/// Decodes UTF-16 as Python does: each error becomes U+FFFD.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let pairs = bytes.chunks_exact(2);
    let is_odd = !pairs.remainder().is_empty();
    let mut text = String::with_capacity(bytes.len());
    let mut ends_with_high_surrogate = false;
    for decoded in char::decode_utf16(pairs.map(|pair| unit([pair[0], pair[1]]))) {
        ends_with_high_surrogate = matches!(&decoded, Err(error) if error.unpaired_surrogate() < 0xDC00);
        text.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    // A high surrogate and half a unit at the end are one error.
    if is_odd && !ends_with_high_surrogate {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text.into_bytes()
}

/// Returns the number of bytes within the limit, up to a line end. Part of a line may disallow more than the whole line.
/// Of a UTF-16 file that is longer than the limit, `is_longer`, the last line is never known to end there.
fn readable_bytes(content: &[u8], limit: usize, is_longer: bool) -> usize {
    match content.get(limit) {
        None if !is_longer => content.len(),
        Some(b'\n' | b'\r') if !is_longer => limit,
        _ => content[..limit].iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> String {
        String::from_utf8(Source::new(bytes.to_vec(), true, 512_000).content).expect("UTF-8")
    }

    #[test]
    fn utf_16_is_transcoded_as_python_does() {
        assert_eq!(decoded(b"\xFF\xFEa\0\n\0"), "a\n");
        assert_eq!(decoded(b"\xFE\xFF\0a\xD8\x3D\xDE\x00"), "a\u{1F600}");
        // The expected texts are the results of bytes.decode("utf-16-le", "replace").
        for (bytes, expected) in [
            (&b"\xFF\xFEa"[..], "\u{FFFD}"),
            (b"\xFF\xFE\x00\xD8", "\u{FFFD}"),
            (b"\xFF\xFE\x00\xD8a", "\u{FFFD}"),
            (b"\xFF\xFE\x00\xD8a\0", "\u{FFFD}a"),
            (b"\xFF\xFE\x00\xDCa", "\u{FFFD}\u{FFFD}"),
            (b"\xFF\xFE\x00\xD8\x00\xD8\x00\xDC", "\u{FFFD}\u{10000}"),
            (b"\xFF\xFE", ""),
        ] {
            assert_eq!(decoded(bytes), expected, "{bytes:?}");
        }
        assert_eq!(Source::new(b"\xFF\xFEa\0".to_vec(), false, 512_000).content, b"\xFF\xFEa\0");
    }

    #[test]
    fn a_large_file_is_cut_at_a_line_end() {
        for (content, limit, read, unread_line) in [
            (&b"a\nb\nc"[..], 5, 5, 0),
            (b"a\nb\nc", 4, 4, 3),
            (b"a\nb\nc", 3, 3, 3),
            (b"a\nbb\nc", 3, 2, 2),
            (b"a\r\nb", 2, 2, 2),
            (b"abc", 2, 0, 1),
            // UTF-16, of which at most six bytes are read.
            (b"\xFF\xFEa\0\n\0b\0", 6, 2, 2),
            (b"\xFF\xFEa\0\n\0b", 6, 2, 2),
            (b"\xFE\xFF\0a\0b\0\n", 7, 0, 1),
            (b"\xFF\xFEa\0\n\0", 6, 2, 0),
        ] {
            let source = Source::new(content.to_vec(), true, limit);
            assert_eq!((source.content.len(), source.first_unread_line()), (read, unread_line), "{content:?} {limit}");
        }
    }

    #[test]
    fn lines_end_with_lf_cr_or_crlf() {
        for (content, count) in [(&b""[..], 0), (b"a", 1), (b"a\n", 1), (b"a\rb", 2), (b"a\r\n\nb\r", 3)] {
            assert_eq!(Source::new(content.to_vec(), true, 512_000).line_count(), count, "{content:?}");
        }
    }
}
