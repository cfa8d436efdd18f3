//! The lines before the first group. They have no effect, so most of their ends are never searched for.

use memchr::{memchr_iter, memchr2_iter};

use crate::bytes::is_space;
use crate::tables::USER_AGENT_SPELLINGS;

/// The bytes that are searched at once.
const BLOCK: usize = 128;
/// A block with the bytes after it that are compared.
const WINDOW: usize = BLOCK + 4;

/// Returns the start of a line before which the file has no user-agent line in any profile, and the number of lines before
/// it. The first line starts at `from`. If the file has no user-agent line, returns its end and 0.
#[inline]
pub fn skip_preamble(content: &[u8], from: usize) -> (usize, u32) {
    match content.get(from) {
        // The first group of these files is usually near.
        None | Some(b'#' | b'u' | b'U') => (from, 0),
        _ => find_line(content, from).map_or((content.len(), 0), |start| (start, count_lines(content, from, start))),
    }
}

/// Returns the start of the first line after `from` that begins with the key of user-agent lines.
#[inline(never)]
fn find_line(content: &[u8], from: usize) -> Option<usize> {
    (from..content.len())
        .step_by(BLOCK)
        .filter(|&block| content[block..].first_chunk().is_none_or(may_contain_key))
        .find_map(|block| find_in_block(content, from, block))
}

/// Whether the first letters of the key may follow white space in a block.
#[inline]
fn may_contain_key(window: &[u8; WINDOW]) -> bool {
    let (before, first, second, fourth) = (&window[..], &window[1..], &window[2..], &window[4..]);
    let mut found = 0;
    // Compilers turn this loop into vector instructions.
    for at in 0..BLOCK {
        let other_letters = ((first[at] ^ b'u') | (second[at] ^ b's') | (fourth[at] ^ b'r')) & !0x20;
        found |= u8::from(before[at] <= b' ') & u8::from(other_letters == 0);
    }
    found != 0
}

/// Returns the start of the first line whose key is after a byte of the block.
fn find_in_block(content: &[u8], from: usize, block: usize) -> Option<usize> {
    let first = block + 1;
    let keys = memchr2_iter(b'u', b'U', &content[first..content.len().min(first + BLOCK)]).map(|offset| first + offset);
    keys.filter(|&key| is_space(content[key - 1]) && begins_key(&content[key..]))
        .find_map(|key| line_start(content, from, key))
}

/// Whether some bytes begin with a spelling of the key of user-agent lines.
fn begins_key(bytes: &[u8]) -> bool {
    USER_AGENT_SPELLINGS
        .iter()
        .any(|spelling| bytes.get(..spelling.len()).is_some_and(|start| start.eq_ignore_ascii_case(spelling)))
}

/// Returns the start of the line of a key, if only white space precedes the key.
fn line_start(content: &[u8], from: usize, key: usize) -> Option<usize> {
    let blank = |byte: &&u8| is_space(**byte) && !is_line_end(**byte);
    let start = key - content[from..key].iter().rev().take_while(blank).count();
    (start == from || is_line_end(content[start - 1])).then_some(start)
}

const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns the number of lines in `from..to`, where another line starts.
fn count_lines(content: &[u8], from: usize, to: usize) -> u32 {
    let lines = &content[from..to];
    let returns = memchr_iter(b'\r', lines).filter(|at| lines.get(at + 1) != Some(&b'\n'));
    (memchr_iter(b'\n', lines).count() + returns.count()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;

    #[test]
    fn every_spelling_begins_with_the_letters_that_are_searched() {
        for spelling in USER_AGENT_SPELLINGS {
            assert!(spelling.starts_with(b"user"));
        }
    }

    #[test]
    fn a_key_after_white_space_is_found_at_every_offset() {
        for spelling in USER_AGENT_SPELLINGS {
            for letters in [spelling.to_ascii_lowercase(), spelling.to_ascii_uppercase()] {
                for length in 0..3 * BLOCK {
                    for blanks in [&b""[..], b" ", b"\t \x0B\x0C"] {
                        let before = [&vec![b'x'; length], &b"\n"[..]].concat();
                        for after in [&b""[..], b": a", &[b'y'; BLOCK]] {
                            let content = [&before[..], blanks, &letters, after].concat();
                            assert_eq!(skip_preamble(&content, 0), (length + 1, 1), "{content:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_key_within_a_line_is_not_found() {
        for text in
            ["<user-agent", "a user-agent: b", "\u{A0}user-agent:", "\0user-agent:", "\n user_agent: a", "\nuse"]
        {
            assert_eq!(skip_preamble(text.as_bytes(), 0), (text.len(), 0), "{text:?}");
        }
    }

    #[test]
    fn lines_are_counted_as_a_plain_search_counts_them() {
        let mut dice = Dice::new(22);
        for _ in 0..2000 {
            let mut content = dice.text(b"<<< \t\n\r\n\r\0uUsSeErR", 400);
            content.splice(..0, *b"<");
            let ends = (0..content.len())
                .filter(|&at| content[at] == b'\n' || content[at] == b'\r' && content.get(at + 1) != Some(&b'\n'));
            let lines = ends.count() as u32 + 1;
            content.extend(b"\n");
            let start = content.len();
            let lines = if content[start - 2] == b'\r' { lines - 1 } else { lines };
            content.extend(b" \tUser-Agent: a\n");
            assert_eq!(skip_preamble(&content, 0), (start, lines), "{content:?}");
        }
    }
}
