"""Patterns: a rule's value becomes the texts that are compared with targets.

1. A text matches from the first byte of the target. `*` matches any bytes, a final `$` matches the end of the target,
   and other bytes match themselves.
2. A rule's specificity is the number of bytes of its canonical form; a literal `$` counts as one byte.
3. Matching never backtracks: segments are found from the left, and the last one before `$` at the end.

Source: RFC 9309 sections 2.2.2 and 2.2.3; google/robotstxt for the `google` profiles.
"""

from typing import Final, NamedTuple

from canfetch.core.escapes import (
    PLAIN,
    canonical,
    encode_reserved_data,
    escape_literal,
    google_escape,
    has_reserved_data,
)
from canfetch.core.profiles import Profile

_PATTERN_STARTS: Final = (b"/", b"*")
# Maps bytes that are the same in the value of a rule and in its only text to a letter, and all others to a space.
_PLAIN_TO_LETTER: Final = bytes(ord("a") if byte in PLAIN and byte not in b"?$" else ord(" ") for byte in range(0x100))
# A text is a named tuple, whose own constructor takes several times as long.
_new_tuple: Final = tuple.__new__


class PatternText(NamedTuple):
    """One text of a rule, its specificity, and whether it is compared with form (b) of the target."""

    text: bytes
    specificity: int
    form_b: bool


def is_void(value: bytes, profile: Profile) -> bool:
    """Return whether a rule with this value matches nothing: the pattern is empty or invalid."""
    if not value:
        return not profile.empty_rule_matches
    if profile.any_pattern_start:
        return False
    return value[:1] not in (b"/", b"*") or b"\0" in value


def parse_pattern(value: bytes, *, allow: bool, profile: Profile) -> tuple[PatternText, ...]:
    """Return the texts of a rule, the most specific first. A void rule has no texts.

    Cost: O(bytes of the value).
    """
    if (
        value[:1] in _PATTERN_STARTS
        and value.translate(_PLAIN_TO_LETTER).isalpha()
        and not (profile.google_escaping or profile.literal_paths)
    ):
        # Fast path for most rules: no step below changes such a value.
        return (_new_tuple(PatternText, (value, len(value), False)),)
    if is_void(value, profile):
        return ()
    if profile.google_escaping:
        text = google_escape(value)
        texts = [PatternText(text, len(text), form_b=False)]
        if allow and profile.index_html:
            directory, slash, page = text.rpartition(b"/")
            if slash and page.startswith(b"index.htm"):
                texts.append(PatternText(directory + b"/$", len(directory) + 2, form_b=False))
        return tuple(texts)
    if profile.literal_paths:
        return (PatternText(escape_literal(value, decode=profile.decode_escapes), len(value), form_b=False),)
    form_a = canonical(value)
    texts = [_new_tuple(PatternText, (_encode_literal_dollars(form_a), len(form_a), False))]
    if not profile.single_form and has_reserved_data(form_a):
        # DEVIATION(rfc9309): form (b) has the specificity of form (a), so that a rule's precedence does not depend on
        # the spelling of its value.
        form_b = _encode_literal_dollars(encode_reserved_data(form_a))
        texts.append(_new_tuple(PatternText, (form_b, len(form_a), True)))
    return tuple(texts)


def specificity(value: bytes, profile: Profile) -> int:
    """Return the specificity of a rule: that of its first text, or 0 for a void rule.

    Cost: O(bytes of the value), in C for values that no profile changes.
    """
    if value[:1] in _PATTERN_STARTS and not value.translate(None, PLAIN):
        return len(value)
    if is_void(value, profile):
        return 0
    if profile.google_escaping:
        return len(google_escape(value))
    return len(value if profile.literal_paths else canonical(value))


def _encode_literal_dollars(form: bytes) -> bytes:
    # A `$` before the end of a pattern is literal, and canonical targets contain it as %24.
    if b"$" not in form[:-1]:
        return form
    return form[:-1].replace(b"$", b"%24") + form[-1:]


class Segments(NamedTuple):
    """The parts of a text: the literal head, the segments after each `*`, and whether the end is anchored."""

    head: bytes
    middles: tuple[bytes, ...]
    anchored: bool

    def matches(self, target: bytes) -> bool:
        """Return whether a target matches.

        Cost: As `matches_after_head`.
        """
        return target.startswith(self.head) and self.matches_after_head(target)

    def matches_after_head(self, target: bytes) -> bool:
        """Return whether a target that starts with the head matches.

        Cost: O(bytes of the target times bytes of the text) at worst, usually linear.
        """
        position = len(self.head)
        if not self.middles:
            return not self.anchored or position == len(target)
        for middle in self.middles[:-1]:
            found = target.find(middle, position)
            if found < 0:
                return False
            position = found + len(middle)
        last = self.middles[-1]
        if self.anchored:
            # The last segment must end the target, which its leftmost occurrence may not do.
            return len(target) - len(last) >= position and target.endswith(last)
        return target.find(last, position) >= 0


def split_segments(text: bytes) -> Segments:
    """Split a text at its `*`. Runs of `*` count as one, and one at the end is dropped.

    Cost: O(bytes of the text).
    """
    anchored = text.endswith(b"$")
    head, *rest = (text[:-1] if anchored else text).split(b"*")
    if not rest:
        return _new_tuple(Segments, (head, (), anchored))
    # `/a*$` is the same as `/a*`.
    anchored = anchored and bool(rest[-1])
    middles = tuple(rest) if all(rest) else tuple(filter(None, rest))
    return _new_tuple(Segments, (head, middles, anchored))


def matches(text: bytes, target: bytes) -> bool:
    """Return whether one text matches one target: the plain definition, for tests and explanations."""
    return split_segments(text).matches(target)
