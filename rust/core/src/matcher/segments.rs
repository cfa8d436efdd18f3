//! One text against one target (RFC 9309 section 2.2.3): literal segments between stars, found greedily.
//!
//! Leftmost is always right for every segment but a last one under `$`, which has to be the target's end: so there is
//! nothing to go back to, and a text costs no more than its octets and the target's.

use super::haystack::Haystack;

/// A text without the stars that say nothing: what its head is, and whether more follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Octets before the first star.
    pub head: usize,
    /// Octets to be compared, stars included.
    pub body: usize,
    /// Whether the target has to end where the body does.
    pub anchored: bool,
}

impl Shape {
    /// Reads a text.
    #[inline]
    pub fn of(text: &[u8]) -> Self {
        let (body, anchored) = match text {
            [body @ .., b'$'] => (body, true),
            _ => (text, false),
        };
        match first_star(body) {
            None => Self { head: body.len(), body: body.len(), anchored },
            Some(head) => {
                let used = body.iter().rposition(|&byte| byte != b'*').map_or(0, |last| last + 1);
                // A last star takes the rest of the target, and leaves nothing to anchor.
                Self { head: head.min(used), body: used, anchored: anchored && used == body.len() }
            }
        }
    }

    /// Whether the text is its head alone.
    #[inline]
    pub fn is_literal(self) -> bool {
        self.head == self.body
    }
}

/// Where the first star is. Segments are short: a loop is through sooner than a search is called.
#[inline]
fn first_star(text: &[u8]) -> Option<usize> {
    text.iter().position(|&byte| byte == b'*')
}

/// Whether the text matches the target.
#[inline]
pub fn matches(text: &[u8], target: &Haystack<'_>) -> bool {
    let shape = Shape::of(text);
    if !target.bytes().starts_with(&text[..shape.head]) {
        return false;
    }
    if shape.is_literal() {
        return !shape.anchored || target.bytes().len() == shape.head;
    }
    matches_after_head(&text[..shape.body], shape.head, shape.anchored, target)
}

/// Whether a body with a star matches the target, whose start is known to be the body's head.
#[inline]
pub fn matches_after_head(body: &[u8], head: usize, anchored: bool, target: &Haystack<'_>) -> bool {
    let mut at = head;
    let mut rest = &body[head + 1..];
    loop {
        let Some(star) = first_star(rest) else {
            return if anchored { target.bytes()[at..].ends_with(rest) } else { target.find(rest, at).is_some() };
        };
        if star > 0 {
            match target.find(&rest[..star], at) {
                Some(found) => at = found + star,
                None => return false,
            }
        }
        rest = &rest[star + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, target: &str) -> bool {
        matches(text.as_bytes(), &Haystack::new(target.as_bytes()))
    }

    #[test]
    fn rfc9309_2_2_3_stars_and_the_end() {
        for (text, target, expected) in [
            ("", "/", true),
            ("/", "/a", true),
            ("/a", "/", false),
            ("/*", "/a", true),
            ("/$", "/", true),
            ("/$", "/a", false),
            ("/a*b", "/axxbxx", true),
            ("/a*b$", "/axxbxx", false),
            ("/*.php$", "/a.php.php", true),
            ("/*ab*ab$", "/abab", true),
            ("/*aba*aba$", "/ababa", false),
            ("/a**b", "/ab", true),
            ("/a*$", "/abc", true),
            ("/a*$", "/b", false),
            ("*", "/", true),
            ("**$", "/", true),
            ("*b", "/ab", true),
            ("$", "/", false),
            ("/a$b", "/a$bc", true),
        ] {
            assert_eq!(check(text, target), expected, "{text} {target}");
        }
    }
}
