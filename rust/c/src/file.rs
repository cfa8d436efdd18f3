//! Parsed files.

use std::ffi::c_char;
use std::ptr;
use std::str;

use canfetch::{ParseOptions, Profile};

use crate::boundary::{Place, bytes, close, copy, handle, open};
use crate::handles::{Robots, Rules, agent as agent_of};
use crate::status::{Status, call};
use crate::verdict::Verdict;

// That of the crate.
const DEFAULT_MAX_BYTES: usize = 512_000;

/// Parse a robots.txt as RFC 9309 specifies. Content is never an error. At most 512,000 bytes are read.
///
/// If the file is longer, pass at least 512,001 bytes: the library then ignores the line that the limit cuts. A part of a
/// line may disallow more than the whole line.
///
/// The content is copied, so the caller may free it after the call. On success, `*robots` is a handle that the caller frees
/// with canfetch_close(). After an error it is NULL.
///
/// Threads can use one handle at the same time, with every function except canfetch_close().
///
/// # Safety
///
/// `content` points to `length` bytes. `robots` points to memory for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_parse(content: *const c_char, length: usize, robots: *mut *mut Robots) -> Status {
    // SAFETY: the caller promises the same.
    unsafe { canfetch_parse_as(content, length, ptr::null(), 0, 0, robots) }
}

/// Parse a robots.txt as canfetch_parse() does, with a profile and a limit.
///
/// `profile` is the name of a profile, such as "google". A `profile_length` of 0 selects "rfc9309". `max_bytes` is the
/// number of bytes that are read, from 512,000 to 536,870,912. 0 selects 512,000. If the file is longer, pass more bytes
/// than the limit.
///
/// # Safety
///
/// As for canfetch_parse(). `profile` points to `profile_length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_parse_as(
    content: *const c_char,
    length: usize,
    profile: *const c_char,
    profile_length: usize,
    max_bytes: usize,
    robots: *mut *mut Robots,
) -> Status {
    call(|| {
        // SAFETY: the caller promises memory for a pointer, and bytes.
        let (robots, content, profile) =
            unsafe { (Place::new(robots, ptr::null_mut())?, bytes(content, length)?, bytes(profile, profile_length)?) };
        let mut options = ParseOptions::new();
        if !profile.is_empty() {
            let name = str::from_utf8(profile).map_err(|_| Status::UnknownProfile)?;
            options = options.profile(name.parse::<Profile>().map_err(|_| Status::UnknownProfile)?);
        }
        let max_bytes = if max_bytes == 0 { DEFAULT_MAX_BYTES } else { max_bytes };
        options = options.max_bytes(max_bytes).map_err(|_| Status::InvalidNumber)?;
        let content = needed(content, max_bytes);
        let mut copied = Vec::new();
        copied.try_reserve_exact(content.len()).map_err(|_| Status::OutOfMemory)?;
        copied.extend_from_slice(content);
        robots.set(open(Robots::new(options.parse(copied))));
        Ok(())
    })
}

/// Returns the bytes that are needed to parse content: one byte past the limit shows that the content is longer.
fn needed(content: &[u8], max_bytes: usize) -> &[u8] {
    &content[..content.len().min(max_bytes.saturating_add(1))]
}

/// Free a file. NULL is ignored. Rules that were made from the file stay valid.
///
/// # Safety
///
/// `robots` is NULL, or a handle that is not closed and that no thread is using.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_close(robots: *mut Robots) {
    call(|| {
        // SAFETY: the caller promises that the handle is open and unused.
        unsafe { close(robots) };
        Ok(())
    });
}

/// Check whether an agent may fetch a URL. The fragment of the URL is ignored.
///
/// `agent` is a product token, such as "ExampleBot". After an error, `*allowed` is false. For many URLs and one agent,
/// canfetch_rules_allows() is faster.
///
/// # Safety
///
/// `robots` is an open handle. `agent` and `url` point to as many bytes as their lengths. `allowed` points to a `bool`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_allows(
    robots: *const Robots,
    agent: *const c_char,
    agent_length: usize,
    url: *const c_char,
    url_length: usize,
    allowed: *mut bool,
) -> Status {
    call(|| {
        // SAFETY: the caller promises a `bool`, an open handle, and bytes.
        let (allowed, robots, agent, url) = unsafe {
            (Place::new(allowed, false)?, handle(robots)?, bytes(agent, agent_length)?, bytes(url, url_length)?)
        };
        allowed.set(robots.allows(&agent_of(agent)?, url)?);
        Ok(())
    })
}

/// Decide whether an agent may fetch a URL, with the reason and the deciding rule.
///
/// After an error, `verdict->allowed` is false and `verdict->reason` is CANFETCH_REASON_UNDECIDED. `verdict->pattern` belongs
/// to `robots`: do not free it, and copy it before you close the file.
///
/// # Safety
///
/// As for canfetch_allows(). `verdict` points to memory for a verdict.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_decide(
    robots: *const Robots,
    agent: *const c_char,
    agent_length: usize,
    url: *const c_char,
    url_length: usize,
    verdict: *mut Verdict,
) -> Status {
    call(|| {
        // SAFETY: the caller promises memory for a verdict, an open handle, and bytes.
        let (verdict, robots, agent, url) = unsafe {
            (Place::new(verdict, Verdict::NONE)?, handle(robots)?, bytes(agent, agent_length)?, bytes(url, url_length)?)
        };
        verdict.set(Rules::new(robots, &agent_of(agent)?).decide(url)?);
        Ok(())
    })
}

/// Explain a decision in English: the verdict, the deciding rule, and the other rules that match, one on each line.
///
/// The text is UTF-8 without control characters other than line feeds. It is copied into `buffer`, which has `size` bytes,
/// with a NUL byte at the end. `*length` is its length without the NUL byte. If `size` is too small, the buffer is
/// unchanged, and the status is CANFETCH_STATUS_BUFFER_TOO_SMALL: call again with `*length + 1` bytes. `buffer` may be NULL
/// if `size` is 0. After another error, `*length` is 0.
///
/// # Safety
///
/// As for canfetch_allows(). `buffer` points to `size` bytes. `length` points to a `size_t` outside of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_explain(
    robots: *const Robots,
    agent: *const c_char,
    agent_length: usize,
    url: *const c_char,
    url_length: usize,
    buffer: *mut c_char,
    size: usize,
    length: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: the caller promises a number, an open handle, and bytes.
        let (length, robots, agent, url) =
            unsafe { (Place::new(length, 0)?, handle(robots)?, bytes(agent, agent_length)?, bytes(url, url_length)?) };
        let text = Rules::new(robots, &agent_of(agent)?).explain(url)?;
        // SAFETY: the caller promises a buffer of this size.
        unsafe { copy(&text, buffer, size, &length) }
    })
}

/// Find the longest valid Crawl-delay of the groups that apply to an agent, in seconds. Without one, `*seconds` is -1.
///
/// # Safety
///
/// `robots` is an open handle. `agent` points to `agent_length` bytes. `seconds` points to a `double`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_crawl_delay(
    robots: *const Robots,
    agent: *const c_char,
    agent_length: usize,
    seconds: *mut f64,
) -> Status {
    call(|| {
        // SAFETY: the caller promises a `double`, an open handle, and bytes.
        let (seconds, robots, agent) =
            unsafe { (Place::new(seconds, -1.0)?, handle(robots)?, bytes(agent, agent_length)?) };
        seconds.set(Rules::new(robots, &agent_of(agent)?).crawl_delay());
        Ok(())
    })
}

/// Find the value of a sitemap record by its index from 0, in file order.
///
/// The text is UTF-8 without control characters, and no NUL byte follows. It belongs to `robots`: do not free it, and copy it
/// before you close the file. After the last record, the status is CANFETCH_STATUS_NO_SUCH_ENTRY. After an error, `*data` is
/// NULL and `*length` is 0.
///
/// # Safety
///
/// `robots` is an open handle. `data` points to memory for a pointer, and `length` to a `size_t`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_sitemap(
    robots: *const Robots,
    index: usize,
    data: *mut *const c_char,
    length: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: the caller promises memory for a pointer and a number. Both are written before one is rejected.
        let (data, length) = unsafe { (Place::new(data, ptr::null()), Place::new(length, 0)) };
        // SAFETY: the caller promises an open handle.
        let (data, length, robots) = (data?, length?, unsafe { handle(robots)? });
        let sitemap = robots.sitemaps().get(index).ok_or(Status::NoSuchEntry)?;
        data.set(sitemap.as_ptr().cast());
        length.set(sitemap.len());
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use canfetch::Agent;

    use super::*;

    /// The number of rules that apply to any agent.
    fn rules(profile: Profile, content: &[u8]) -> usize {
        ParseOptions::new().profile(profile).parse(content).rules_for(&Agent::new("Bot").unwrap()).rule_count()
    }

    #[test]
    fn content_past_the_limit_changes_nothing() {
        // The limit ends a line, or is in a line.
        for (tail, expected) in [(&b"\nDisallow: /b\n"[..], 1), (b"/b\nDisallow: /c\n", 0)] {
            let mut content = b"User-agent: *\nDisallow: /a".to_vec();
            content.resize(DEFAULT_MAX_BYTES, b'a');
            content.extend_from_slice(tail);
            let part = needed(&content, DEFAULT_MAX_BYTES);
            assert_eq!(part.len(), DEFAULT_MAX_BYTES + 1);
            assert_eq!((rules(Profile::Rfc9309, part), rules(Profile::Rfc9309, &content)), (expected, expected));
        }
        assert_eq!(needed(b"Allow: /", DEFAULT_MAX_BYTES), b"Allow: /");
    }

    #[test]
    fn utf_16_past_the_limit_changes_nothing() {
        // A character of UTF-16 has one to three bytes in UTF-8.
        for character in ['a', '\u{E9}', '\u{20AC}', '\u{1F600}'] {
            let line = format!("Disallow: /{character}{character}{character}\n");
            let text = format!("\u{FEFF}User-agent: *\n{}", line.repeat(30_000));
            let content: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let part = needed(&content, DEFAULT_MAX_BYTES);
            let count = rules(Profile::Bing, part);
            assert!(count > 10_000);
            assert_eq!(count, rules(Profile::Bing, &content));
        }
    }

    #[test]
    fn the_limit_is_that_of_the_crate() {
        let options = ParseOptions::new();
        assert_eq!(options.max_bytes(DEFAULT_MAX_BYTES), Ok(options));
        assert!(options.max_bytes(DEFAULT_MAX_BYTES - 1).is_err());
    }
}
