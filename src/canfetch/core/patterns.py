"""A rule's value becomes the texts that are compared with targets.

1. A text is matched from the target's first octet; `*` is any run of octets, a final `$` the end of the
   target, everything else itself.
2. A rule's specificity is the octets of its canonical form; a literal `$` counts as one.
3. No backtracking: segments are found from the left, the last one before `$` at the end.

Source: RFC 9309 sections 2.2.2 and 2.2.3; google/robotstxt for the `google` profiles.
"""

from typing import NamedTuple

from canfetch.core.escapes import canonical, encode_reserved_data, google_escaped, has_reserved_data, literal
from canfetch.core.profiles import Profile


class PatternText(NamedTuple):
    """One text of a rule: what is compared, with which form of the target, and how much it counts."""

    text: bytes
    specificity: int
    form_b: bool


def is_void(value: bytes, profile: Profile) -> bool:
    """Say whether a rule's value can match nothing by itself: it has no pattern, or one that is none."""
    if not value:
        return not profile.empty_rule_matches
    if profile.any_pattern_start:
        return False
    return value[:1] not in (b"/", b"*") or b"\0" in value


def texts_of(value: bytes, *, allow: bool, profile: Profile) -> tuple[PatternText, ...]:
    """Give the texts of a rule, the most specific first; none where the rule is void.

    Cost: O(octets of the value).
    """
    if is_void(value, profile):
        return ()
    if profile.google_escaping:
        text = google_escaped(value)
        texts = [PatternText(text, len(text), form_b=False)]
        if allow and profile.index_html:
            directory, slash, page = text.rpartition(b"/")
            if slash and page.startswith(b"index.htm"):
                texts.append(PatternText(directory + b"/$", len(directory) + 2, form_b=False))
        return tuple(texts)
    if profile.literal_paths:
        return (PatternText(literal(value, decode=profile.decode_escapes), len(value), form_b=False),)
    form_a = canonical(value)
    texts = [PatternText(_with_literal_dollars(form_a), len(form_a), form_b=False)]
    if not profile.one_form and has_reserved_data(form_a):
        # DEVIATION(rfc9309): the length of form (a) counts in form (b), too, so that a rule's precedence
        # does not depend on how its author wrote it.
        form_b = _with_literal_dollars(encode_reserved_data(form_a))
        texts.append(PatternText(form_b, len(form_a), form_b=True))
    return tuple(texts)


def _with_literal_dollars(form: bytes) -> bytes:
    # A `$` that does not end the pattern is the character, which canonical targets hold as %24.
    if b"$" not in form[:-1]:
        return form
    return form[:-1].replace(b"$", b"%24") + form[-1:]


class Segments(NamedTuple):
    """A text taken apart: the literal head, what follows each `*`, and whether the end is anchored."""

    head: bytes
    middles: tuple[bytes, ...]
    anchored: bool

    def matches_behind_head(self, target: bytes) -> bool:
        """Say whether a target that begins with the head matches as a whole.

        Cost: O(octets of the target times octets of the text) at worst, linear as a rule.
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
            # The last one must reach the end: its leftmost occurrence may not.
            return len(target) - len(last) >= position and target.endswith(last)
        return target.find(last, position) >= 0


def segments_of(text: bytes) -> Segments:
    """Take a text apart at its `*`; runs of them are one, and one at the end is none.

    Cost: O(octets of the text).
    """
    anchored = text.endswith(b"$")
    head, *rest = (text[:-1] if anchored else text).split(b"*")
    if not rest:
        return Segments(head, (), anchored)
    middles = [middle for middle in rest[:-1] if middle]
    if rest[-1]:
        middles.append(rest[-1])
    else:
        # `/a*$` is `/a*`: any run reaches the end.
        anchored = False
    return Segments(head, tuple(middles), anchored)


def matches(text: bytes, target: bytes) -> bool:
    """Say whether one text matches one target: the plain statement, for tests and explanations."""
    segments = segments_of(text)
    return target.startswith(segments.head) and segments.matches_behind_head(target)
