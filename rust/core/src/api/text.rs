//! Bytes of a file as text.

use std::borrow::Cow;
use std::fmt::Write;

/// Decodes UTF-8. Invalid bytes and control characters are percent-encoded, so that a file cannot control a terminal.
pub fn display_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => return Cow::Borrowed(text),
        _ => {}
    }
    let mut out = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() {
                encode(character.encode_utf8(&mut [0; 4]).as_bytes(), &mut out);
            } else {
                out.push(character);
            }
        }
        encode(chunk.invalid(), &mut out);
    }
    Cow::Owned(out)
}

fn encode(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        // Writing to a string never fails.
        let _ = write!(out, "%{byte:02X}");
    }
}

/// The beginning of a text, for messages.
pub fn shortened(bytes: &[u8]) -> Box<str> {
    const SHOWN: usize = 100;
    let text = display_text(&bytes[..bytes.len().min(SHOWN)]);
    if bytes.len() > SHOWN { format!("{text}...").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_displayed_without_control_characters() {
        for (bytes, expected) in [
            (&b"/a"[..], "/a"),
            ("/\u{E9}".as_bytes(), "/\u{E9}"),
            (b"/\xE9\x1B[", "/%E9%1B["),
            (b"\xC2\x85", "%C2%85"),
        ] {
            assert_eq!(display_text(bytes), expected);
        }
        assert_eq!(&*shortened(&[b'a'; 101]), format!("{}...", "a".repeat(100)));
    }
}
