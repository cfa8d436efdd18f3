"""Patterns that match all URLs that another pattern matches.

1. A form without `*` and `$` covers all forms that start with it.
2. A form with `*` covers a form in which its segments follow each other, each within one segment. Where the other form
   has a `*`, it matches bytes that no pattern contains.
3. The first byte of a URL is `/`, so that `*a` is the same as `/*a`, and `*/a` the same as `/a` and `/*/a` together.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, count, pairwise
from operator import add
from typing import Final, NamedTuple

from canfetch.lint.analysis.canonical_rules import CanonicalRule

# Wildcards are searched in at most this many bytes of forms.
_MAX_SEARCHED: Final = 8 << 20
# Estimated cost of a partial match, in bytes per segment.
_COST_OF_MISS: Final = 512
# If a wildcard covers more than this part of the forms, those that it covers are left out of the next searches.
_COVERED_SHARE: Final = 8
_new_tuple: Final = tuple.__new__


class Covered(NamedTuple):
    """Rules of the same form, and a rule that covers them."""

    covering: CanonicalRule
    equal: list[CanonicalRule]


def covered_among(rules: Sequence[CanonicalRule]) -> Iterator[Covered]:
    """Yield the rules that another one covers, in file order. All of them allow, or all of them disallow."""
    if len(rules) < 2:
        return
    literals: dict[bytes, CanonicalRule] = {}
    others: dict[bytes, CanonicalRule] = {}
    for one in rules:
        _, form, head = one
        (literals if len(head) == len(form) else others).setdefault(form, one)
    heads = sorted({*literals, *[one.head for one in others.values()]})
    longest = _covering_literals(literals, heads)
    # A rule with the same head is shorter, unless it is the rule itself.
    covering = {form: same for form, one in others.items() if (same := literals.get(one.head or b"/")) is not None}
    for some in (literals, others) if longest else ():
        covering = {form: longest[one.head] for form, one in some.items() if one.head in longest} | covering
    wildcards = [one for form, one in others.items() if b"*" in form]
    if wildcards:
        remaining = literals | others
        if covering:
            remaining = {form: one for form, one in remaining.items() if form not in covering}
        covering |= _covering_wildcards(remaining, wildcards)
    equal: dict[bytes, list[CanonicalRule]] = {}
    for one in rules if covering else ():
        if one.form in covering:
            equal.setdefault(one.form, []).append(one)
    for form, ones in equal.items():
        # Google's parser also allows the folder of an index page.
        if not (ones[0].rule.allow and b"/index.htm" in form):
            yield _new_tuple(Covered, (covering[form], ones))


def pattern_covers(covering: bytes, form: bytes) -> bool:
    """Return whether it is plain that one form matches all URLs that another one matches."""
    if b"*" in covering:
        return _Wildcard(covering).covers(form)
    return covering in (form, b"/") or (form.startswith(covering) and not covering.endswith(b"$"))


def _covering_literals(literals: dict[bytes, CanonicalRule], heads: list[bytes]) -> dict[bytes, CanonicalRule]:
    """Return for each head the longest of these rules, without `*` and `$`, that covers all rules with the head.

    Args:
        literals: The rules, by form.
        heads: The heads, sorted. All forms are among them.
    """
    covering: dict[bytes, CanonicalRule] = {}
    end = 0
    # In sorted order, the heads that start with a head come directly after it. Most files have no such pair.
    if not any(map(bytes.startswith, heads[1:], heads)):
        return covering
    for place, (head, following) in enumerate(pairwise(heads)):
        if not following.startswith(head) or place < end or head not in literals:
            continue
        end = bisect_left(heads, head + b"\xff", place)
        # The forms that a head starts with are on a stack.
        stack = [head]
        for longer in heads[place + 1 : end]:
            while not longer.startswith(stack[-1]):
                stack.pop()
            covering[longer] = literals[stack[-1]]
            if longer in literals:
                stack.append(longer)
    return covering


class _Wildcard:
    """A pattern with `*`: what precedes the first `*`, and the segments after it."""

    __slots__ = ("anchored", "longest", "segments", "start")

    def __init__(self, form: bytes) -> None:
        self.start, *self.segments = form.split(b"*")
        self.anchored = form.endswith(b"$")
        self.longest = max(self.segments, key=len)

    def covers(self, form: bytes) -> bool:
        """Return whether the pattern matches all URLs that another form matches."""
        rest = form[1:] if form.startswith(b"*") else b""
        return self._covers_text(_text(form)) and (not rest.startswith(b"/") or self._covers_text(rest))

    def _covers_text(self, text: bytes) -> bool:
        if not text.startswith(self.start):
            return False
        position = len(self.start)
        for segment in self.segments[:-1]:
            found = text.find(segment, position)
            if found < 0:
                return False
            position = found + len(segment)
        last = self.segments[-1]
        if self.anchored:
            return text.endswith(last) and position + len(last) <= len(text)
        return text.find(last, position) >= 0


def _text(form: bytes) -> bytes:
    """Return a form as it matches URLs, which start with `/`."""
    return b"/" + form if form.startswith(b"*") else form


def _covering_wildcards(
    rules: dict[bytes, CanonicalRule], wildcards: Iterable[CanonicalRule]
) -> dict[bytes, CanonicalRule]:
    """Return for forms the first of these rules, with `*`, that covers them.

    Args: rules: The first rule of each form.
    """
    # A form that starts with `*` has a text of its own, which may also be the form of another rule.
    starred = {_text(form): form for form in rules if form.startswith(b"*")}
    texts = sorted({*rules, *starred} - {*starred.values()}) if starred else sorted(rules)
    covering: dict[bytes, CanonicalRule] = {}
    by_start: dict[bytes, _Tails | None] = {}
    left = _MAX_SEARCHED
    for rule in wildcards:
        start = rule.head
        if start not in by_start:
            first, end = bisect_left(texts, start), bisect_left(texts, start + b"\xff")
            # Most wildcards find no text but their own.
            several = end - first > 1 or bool(starred)
            tails = by_start[start] = _Tails(texts[first:end], len(start), covering) if several else None
            left -= tails.size if tails else 0
        tails = by_start[start]
        if tails is None:
            continue
        left -= tails.size
        if left < 0:
            break
        wildcard = _Wildcard(rule.form)
        found = 0
        for text in tails.containing(wildcard.longest):
            for form in (text, starred[text]) if text in starred else (text,):
                if form in rules and form not in covering and _covers(rule, wildcard, rules[form]):
                    covering[form] = rule
                    found += 1
                else:
                    left -= _COST_OF_MISS * len(wildcard.segments)
        # Texts without these forms are shorter, but have to be joined again.
        if found * _COVERED_SHARE > len(tails):
            by_start.clear()
    return covering


def _covers(rule: CanonicalRule, wildcard: _Wildcard, other: CanonicalRule) -> bool:
    if other.form == rule.form or not wildcard.covers(other.form):
        return False
    # Of two patterns that match the same URLs, the first one covers the other.
    return b"*" not in other.form or rule.rule.line < other.rule.line or not _Wildcard(other.form).covers(rule.form)


class _Tails:
    """What follows the same start in each of several texts, joined to one text that is searched at once."""

    def __init__(self, texts: list[bytes], start_length: int, left_out: Collection[bytes]) -> None:
        self._texts = [text for text in texts if text not in left_out] if left_out else texts
        # Forms contain no line ends.
        tails = [text[start_length:] for text in self._texts]
        self._text = b"\n".join(tails)
        self._ends = list(map(add, accumulate(map(len, tails)), count(1)))
        self.size = len(self._text)

    def __len__(self) -> int:
        return len(self._texts)

    def containing(self, inner: bytes) -> Iterator[bytes]:
        """Yield the texts whose tails contain `inner`."""
        found = self._text.find(inner)
        while found >= 0:
            index = bisect_right(self._ends, found)
            yield self._texts[index]
            found = self._text.find(inner, self._ends[index])
