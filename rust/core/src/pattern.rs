//! Patterns (RFC 9309 sections 2.2.2 and 2.2.3): a rule's value becomes the texts that are compared with targets.
//!
//! In a text, `*` matches any bytes, a final `$` matches the end of the target, and other bytes match themselves.

use crate::bytes::{DOLLAR, ILLEGAL, PERCENT, QUESTION, STAR, class};
use crate::percent::{form_a, form_b, google_form, has_reserved_data, literal};
use crate::tables::Profile;

/// The canonical form of the target that a text is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Reserved bytes are as written.
    A,
    /// Reserved data in the query is encoded.
    B,
}

/// One text of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The text.
    pub text: &'a [u8],
    /// The length of the pattern, which decides between rules.
    pub specificity: u32,
    /// The form of the target that it is compared with.
    pub form: Form,
}

/// Reusable buffers for the few patterns that change.
#[derive(Debug, Default)]
pub struct Scratch {
    a: Vec<u8>,
    text: Vec<u8>,
    b: Vec<u8>,
}

/// Calls `take` with each text of a rule. A void rule has no text, and some rules have two.
#[inline]
pub fn entries(profile: &Profile, allow: bool, value: &[u8], scratch: &mut Scratch, take: impl FnMut(Entry<'_>)) {
    if profile.google_escaping {
        google_entries(profile, allow, value, scratch, take);
    } else {
        rfc9309_entries(profile, value, scratch, take);
    }
}

fn rfc9309_entries(profile: &Profile, value: &[u8], scratch: &mut Scratch, mut take: impl FnMut(Entry<'_>)) {
    match value.first() {
        Some(b'/' | b'*') => {}
        // DEVIATION(rfc9309): a pattern may begin with a star (erratum 7995); any other start matches nothing.
        Some(_) if profile.any_pattern_start => {}
        _ => return,
    }
    if profile.literal_paths {
        if memchr::memchr(0, value).is_none() {
            scratch.a.clear();
            literal(value, profile.decode_escapes, &mut scratch.a);
            take(Entry { text: &scratch.a, specificity: value.len() as u32, form: Form::A });
        }
        return;
    }
    let last = value.len() - 1;
    let classes = value.iter().fold(0, |classes, &byte| classes | class(byte));
    let literal_dollar = classes & DOLLAR != 0 && memchr::memchr(b'$', value).is_some_and(|at| at < last);
    let rewrite = classes & (ILLEGAL | PERCENT) != 0;
    if !rewrite && !literal_dollar && classes & QUESTION == 0 {
        take(Entry { text: value, specificity: value.len() as u32, form: Form::A });
        return;
    }
    if memchr::memchr(0, value).is_some() {
        return;
    }
    let a = if rewrite {
        scratch.a.clear();
        form_a(value, false, &mut scratch.a);
        &scratch.a[..]
    } else {
        value
    };
    // Computed before a literal `$` is encoded, so that it counts as one byte.
    let specificity = a.len() as u32;
    let text = if literal_dollar { encode_dollars(a, &mut scratch.text) } else { a };
    take(Entry { text, specificity, form: Form::A });
    if classes & QUESTION != 0 && !profile.single_form && has_reserved_data(a) {
        scratch.b.clear();
        form_b(text, &mut scratch.b);
        take(Entry { text: &scratch.b, specificity, form: Form::B });
    }
}

/// Encodes every `$` but a final one, because it is literal (section 2.2.3).
fn encode_dollars<'a>(a: &[u8], out: &'a mut Vec<u8>) -> &'a [u8] {
    out.clear();
    let Some((&last, mut rest)) = a.split_last() else { return out };
    while let Some(at) = rest.iter().position(|&byte| byte == b'$') {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(b"%24");
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(last);
    out
}

fn google_entries(
    profile: &Profile,
    allow: bool,
    value: &[u8],
    scratch: &mut Scratch,
    mut take: impl FnMut(Entry<'_>),
) {
    let starts = match value.first() {
        None => profile.empty_rule_matches,
        Some(first) => profile.any_pattern_start || matches!(first, b'/' | b'*'),
    };
    if !starts {
        return;
    }
    let text = if value.iter().any(|&byte| byte == b'%' || byte >= 0x80) {
        scratch.a.clear();
        google_form(value, |byte| byte >= 0x80, &mut scratch.a);
        &scratch.a[..]
    } else {
        value
    };
    take(Entry { text, specificity: text.len() as u32, form: Form::A });
    if !(profile.index_html && allow) {
        return;
    }
    // DEVIATION(google): an allow rule for an index page also allows its directory.
    if let Some(slash) = memchr::memrchr(b'/', text) {
        if text[slash..].starts_with(b"/index.htm") {
            scratch.text.clear();
            scratch.text.extend_from_slice(&text[..=slash]);
            scratch.text.push(b'$');
            take(Entry { text: &scratch.text, specificity: slash as u32 + 2, form: Form::A });
        }
    }
}

/// Whether the first bytes of the value show that no text of the rule matches the target: an ordinary byte differs, and
/// no byte before it is special, encoded, or different in the two forms.
#[inline]
pub fn differs_early(value: &[u8], target: &[u8]) -> bool {
    for (at, &byte) in value.iter().enumerate() {
        if class(byte) & (ILLEGAL | PERCENT | STAR | DOLLAR | QUESTION) != 0 {
            return false;
        }
        if target.get(at) != Some(&byte) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    fn texts(value: &[u8], allow: bool, name: &str) -> Vec<(String, u32, Form)> {
        let mut found = Vec::new();
        entries(profile(name), allow, value, &mut Scratch::default(), |entry| {
            found.push((String::from_utf8_lossy(entry.text).into_owned(), entry.specificity, entry.form));
        });
        found
    }

    fn one(text: &str, specificity: u32) -> Vec<(String, u32, Form)> {
        vec![(text.to_owned(), specificity, Form::A)]
    }

    #[test]
    fn rfc9309_2_2_2_texts_and_specificity() {
        assert_eq!(texts(b"/a*b$", false, "rfc9309"), one("/a*b$", 5));
        assert_eq!(texts("/ツ".as_bytes(), false, "rfc9309"), one("/%E3%83%84", 10));
        assert_eq!(texts(b"/a$b$$", false, "rfc9309"), one("/a%24b%24$", 6));
        assert_eq!(texts(b"/a b", false, "rfc9309"), one("/a%20b", 6));
        assert_eq!(texts(b"*.gif$", false, "rfc9309"), one("*.gif$", 6));
        for void in [&b""[..], b"a", b"$", b"%2Fa", b"/a\0b"] {
            assert_eq!(texts(void, false, "rfc9309"), vec![], "{void:?}");
        }
    }

    #[test]
    fn rfc9309_2_2_2_reserved_data_makes_a_second_text() {
        assert_eq!(
            texts(b"/a:b?c=/$d", false, "rfc9309"),
            vec![("/a:b?c=/%24d".to_owned(), 10, Form::A), ("/a:b?c=%2F%24d".to_owned(), 10, Form::B)]
        );
        assert_eq!(texts(b"/a?b=%2f", false, "rfc9309").len(), 2);
        assert_eq!(texts(b"/a/b?c=d", false, "rfc9309").len(), 1);
    }

    #[test]
    fn google_texts() {
        assert_eq!(texts(b"/%7e%zz\xFF", false, "google"), one("/%7E%zz%FF", 10));
        assert_eq!(texts(b"", false, "google"), one("", 0));
        assert_eq!(texts(b"a", false, "google"), one("a", 1));
        assert_eq!(
            texts(b"/d/index.html", true, "google"),
            vec![("/d/index.html".to_owned(), 13, Form::A), ("/d/$".to_owned(), 4, Form::A)]
        );
        assert_eq!(texts(b"/d/index.html", false, "google").len(), 1);
    }
}
