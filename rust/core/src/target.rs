//! Targets: the normalised part of a URL that patterns are compared with (RFC 9309 section 2.2.2).
//!
//! Most URLs are normal already. One pass over the bytes detects this, and the target is then a slice of the URL.

use std::borrow::Cow;

use crate::bytes::{ILLEGAL, PERCENT, class};
use crate::canonical::{has_slash_and_dot, is_canonical};
use crate::percent::{form_a, google_form, literal};
use crate::tables::Profile;

/// Returns the target, in form (a), of a URL whose path begins at `path`.
#[inline]
pub fn target<'u>(url: &'u [u8], path: usize, profile: &Profile) -> Cow<'u, [u8]> {
    if profile.google_target {
        return google_target(url, profile);
    }
    let rest = &url[path..];
    if rest.first() == Some(&b'/') && is_canonical(url, path, profile) {
        return Cow::Borrowed(rest);
    }
    Cow::Owned(normalise(rest, profile))
}

#[cold]
fn normalise(rest: &[u8], profile: &Profile) -> Vec<u8> {
    let text = memchr::memchr(b'#', rest).map_or(rest, |at| &rest[..at]);
    let mut out = Vec::with_capacity(text.len() + 24);
    if matches!(text.first(), None | Some(b'?')) {
        out.push(b'/');
    }
    if profile.literal_paths {
        let query = memchr::memchr(b'?', text).unwrap_or(text.len());
        literal(&text[..query], profile.decode_escapes, &mut out);
        if profile.remove_dot_segments {
            let path_end = out.len();
            remove_dot_segments(&mut out, path_end);
        }
        literal(&text[query..], profile.decode_escapes, &mut out);
        return out;
    }
    form_a(text, true, &mut out);
    if profile.remove_dot_segments {
        let path_end = memchr::memchr(b'?', &out).unwrap_or(out.len());
        remove_dot_segments(&mut out, path_end);
    }
    out
}

/// Removes the dot segments of the path, in place (RFC 3986 section 5.2.4).
fn remove_dot_segments(target: &mut Vec<u8>, path_end: usize) {
    if !has_slash_and_dot(target) {
        return;
    }
    // The first `written` bytes are the output so far, which is empty or begins with `/`, and never overtakes `at`.
    let (mut written, mut at) = (0, 0);
    while at < path_end {
        let end = memchr::memchr(b'/', &target[at + 1..path_end]).map_or(path_end, |offset| at + 1 + offset);
        let up = match &target[at + 1..end] {
            b"." => false,
            b".." => true,
            _ => {
                target.copy_within(at..end, written);
                written += end - at;
                at = end;
                continue;
            }
        };
        if up {
            written = memchr::memrchr(b'/', &target[..written]).unwrap_or(0);
        }
        if end == path_end {
            // A final dot segment refers to the directory.
            target[written] = b'/';
            written += 1;
        }
        at = end;
    }
    target.drain(written..path_end);
}

/// DEVIATION(google): another definition of where the path begins, and no normalisation.
fn google_target<'u>(url: &'u [u8], profile: &Profile) -> Cow<'u, [u8]> {
    let text = google_path(url);
    if profile.encode_target {
        if text.iter().all(|&byte| class(byte) & (ILLEGAL | PERCENT) == 0) && text.first() == Some(&b'/') {
            return Cow::Borrowed(text);
        }
        let mut out = rooted(text);
        google_form(text, |byte| class(byte) & ILLEGAL != 0, &mut out);
        return Cow::Owned(out);
    }
    // Its matcher reads the path as a C string.
    let text = memchr::memchr(0, text).map_or(text, |at| &text[..at]);
    if text.first() == Some(&b'/') {
        return Cow::Borrowed(text);
    }
    let mut out = rooted(text);
    out.extend_from_slice(text);
    Cow::Owned(out)
}

/// Returns a buffer for a target: empty, or `/` if the text does not begin with it.
fn rooted(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 24);
    if text.first() != Some(&b'/') {
        out.push(b'/');
    }
    out
}

/// Returns path, parameters and query as Google's parser extracts them, without the `/` that it may prepend.
fn google_path(url: &[u8]) -> &[u8] {
    let find_start =
        |from: usize| url[from..].iter().position(|byte| matches!(byte, b'/' | b'?' | b';')).map(|at| from + at);
    let search = if url.starts_with(b"//") { 2 } else { 0 };
    let authority = match memchr::memmem::find(&url[search..], b"://") {
        // After the start of a path, `://` is ordinary data.
        Some(at) if find_start(search).is_none_or(|early| early >= search + at) => search + at + 3,
        _ => search,
    };
    let Some(start) = find_start(authority) else { return b"/" };
    match memchr::memchr(b'#', &url[search..]).map(|at| search + at) {
        Some(hash) if hash < start => b"/",
        Some(hash) => &url[start..hash],
        None => &url[start..],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;
    use crate::url::locate;

    fn of(url: &str, name: &str) -> String {
        let located = locate(url.as_bytes()).expect("a valid URL");
        String::from_utf8(target(url.as_bytes(), located.path, profile(name)).into_owned()).expect("UTF-8")
    }

    #[test]
    fn rfc9309_2_2_2_targets_in_form_a() {
        for (url, expected) in [
            ("https://h", "/"),
            ("https://h?a", "/?a"),
            ("https://h#a", "/"),
            ("https://h/a?b=/c#d", "/a?b=/c"),
            ("/%7e%2f%zz*$ ツ", "/~%2F%zz%2A%24%20%E3%83%84"),
            ("//h//a//b", "//a//b"),
            ("/a?b/../c", "/a?b/../c"),
        ] {
            assert_eq!(of(url, "rfc9309"), expected, "{url}");
        }
    }

    #[test]
    fn rfc3986_5_2_4_dot_segments() {
        for (path, expected) in [
            ("/a/b/c/./../../g", "/a/g"),
            ("/./a", "/a"),
            ("/a/.", "/a/"),
            ("/a/b/..", "/a/"),
            ("/..", "/"),
            ("/../../a", "/a"),
            ("/a//../b", "/a/b"),
            ("/.a/..b/...", "/.a/..b/..."),
            ("/a/%2e%2E/b", "/b"),
            ("/a/..?x/..", "/?x/.."),
            ("/%2e", "/"),
        ] {
            assert_eq!(of(path, "rfc9309"), expected, "{path}");
        }
    }

    #[test]
    fn google_get_path_params_query() {
        for (url, expected) in [
            ("https://h", "/"),
            ("https://h?a", "/?a"),
            ("https://h;a", "/;a"),
            ("https://h/a;b?c#d", "/a;b?c"),
            ("https://h#/a", "/"),
            ("//h/a", "/a"),
            ("/a://b/c", "/a://b/c"),
            ("/%7e", "/%7e"),
            ("/a\0b", "/a"),
        ] {
            assert_eq!(of(url, "google"), expected, "{url}");
        }
        assert_eq!(of("/%7e ツ\0", "googlebot"), "/%7E%20%E3%83%84%00");
        assert_eq!(of("https://h;a", "googlebot"), "/;a");
    }
}
