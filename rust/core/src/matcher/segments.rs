//! Matching one text with one target (RFC 9309 section 2.2.3): the literal segments between stars are found greedily.
//!
//! The leftmost occurrence is always right, except for a last segment before `$`, which must end the target. The search
//! never backtracks, and its time is linear in the text and the target.

use super::haystack::Haystack;

/// The parts of a text, without redundant stars at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The number of bytes before the first star.
    pub head: usize,
    /// The number of bytes to compare, stars included.
    pub body: usize,
    /// Whether the target must end where the body ends.
    pub anchored: bool,
}

impl Shape {
    /// Parses a text.
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
                // A final star matches the rest of the target, so the anchor has no effect.
                Self { head: head.min(used), body: used, anchored: anchored && used == body.len() }
            }
        }
    }

    /// Whether the text has no star.
    #[inline]
    pub fn is_literal(self) -> bool {
        self.head == self.body
    }
}

/// Returns the position of the first star. Segments are short, so a loop is faster than a search function.
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

/// Whether a body with a star matches a target that is known to begin with its head.
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
    fn rfc9309_2_2_3_star_and_dollar() {
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
