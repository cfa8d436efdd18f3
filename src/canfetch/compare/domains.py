"""The targets that valid URLs produce, as deterministic automata over bytes.

1. A profile converts a URL to its target, and a target is unchanged by a second conversion. So the possible targets are
   the texts that the conversion does not change.
2. Two profiles that convert differently are compared on the targets that neither of them changes.
3. Comparisons try the bytes that some pattern expects, and some bytes that no pattern expects:
   `unexpected` returns only as many as can make a difference.

Source: docs/semantics.md section 5.
"""

from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Any, Final, NamedTuple

from canfetch.core.escapes import PLAIN, RESERVED_DATA
from canfetch.core.profiles import Profile
from canfetch.core.text import HEX_DIGITS, UNRESERVED

DEAD: Final = -1
# Letters first: a byte that no pattern expects appears in examples.
ORDINARY: Final = b"xyzghijklmnopqrstuvwXYZGHIJKLMNOPQRSTUVW-_~"
"""Bytes that are alike in every place of a domain, unless some pattern expects them."""
_ORDINARY_IN_ORDER: Final = ORDINARY + bytes(byte for byte in b"abcdef0123456789ABCDEF=&" if byte not in ORDINARY)
_NICE_ORDER: Final = _ORDINARY_IN_ORDER + bytes(byte for byte in range(0x100) if byte not in _ORDINARY_IN_ORDER)
READABLE_FIRST: Final = {byte: position for position, byte in enumerate(_NICE_ORDER)}
"""The order in which bytes are tried, so that examples consist of letters where any byte will do."""
_UPPER_HEX: Final = frozenset(b"0123456789ABCDEF")
_HEX: Final = frozenset(HEX_DIGITS)
_UNRESERVED: Final = frozenset(UNRESERVED)
_PERCENT, _SLASH, _DOT, _QUERY_MARK, _HASH = b"%/.?#"
# Domains distinguish these bytes. All others are alike if they are alike in `PLAIN`.
_DISTINGUISHED: Final = frozenset(b"\0%/.?#*$") | _HEX
_ALIKE: Final = tuple(
    [byte for byte in range(0x100) if byte not in _DISTINGUISHED and (byte in PLAIN) is is_plain]
    for is_plain in (True, False)
)
_FIRST_ALIKE: Final = {byte: alike[0] for alike in _ALIKE for byte in alike}
# For each byte the first one that is alike, and these in order.
_REPRESENTATIVES: Final = [_FIRST_ALIKE.get(byte, byte) for byte in range(0x100)]
_REPRESENTED: Final = sorted(set(_REPRESENTATIVES))
# In the path: at the start of a segment, after `.`, after `..`, or elsewhere.
_START, _ONE_DOT, _TWO_DOTS, _ELSEWHERE, _IN_QUERY = "start", ".", "..", "path", "query"
# What a domain needs to know about the bytes so far. Each kind of domain has its own.
_State = Any
_Step = Callable[[_State, int], _State | None]


class NoOrdinaryByte(Exception):
    """Raised when patterns expect each ordinary byte. The comparison then needs the complete domain."""


class Domain:
    """A set of targets.

    Args:
        start: The state before the first byte.
        step: Returns the state after one more byte, or None if no target continues so.
        accepts: Returns whether a target may end in a state.
        needs_query: Returns whether `?` has to be tried in a state even if no pattern expects it.
        complete: Whether all kinds of bytes have to be tried in every state.

    Attributes:
        table: The next state for each state and byte, or `DEAD`.
        accepting: Whether a target may end in each state.
        needs_query: Whether `?` has to be tried in each state.
        complete: As above.
        classes: The bytes that are alike in every place. Only complete domains have them.
    """

    __slots__ = ("accepting", "classes", "complete", "needs_query", "table")

    def __init__(
        self,
        start: _State,
        step: _Step,
        accepts: Callable[[_State], bool],
        *,
        needs_query: Callable[[_State], bool] = lambda _: False,
        complete: bool = False,
    ) -> None:
        numbers: dict[_State, int] = {start: 0}
        states = [start]
        self.table: list[list[int]] = []
        for state in states:
            following_numbers: dict[int, int] = {}
            for byte in _REPRESENTED:
                following = step(state, byte)
                if following is None:
                    following_numbers[byte] = DEAD
                    continue
                if following not in numbers:
                    numbers[following] = len(states)
                    states.append(following)
                following_numbers[byte] = numbers[following]
            self.table.append([following_numbers[byte] for byte in _REPRESENTATIVES])
        self.accepting = [accepts(state) for state in states]
        self.complete = complete
        self.needs_query = [needs_query(state) for state in states]
        self.classes = self._byte_classes() if complete else []

    def _byte_classes(self) -> list[bytes]:
        columns = {byte: tuple([row[byte] for row in self.table]) for byte in _REPRESENTED}
        classes: dict[Hashable, list[int]] = {}
        for byte in _NICE_ORDER:
            # Form (b) distinguishes reserved bytes.
            key = columns[_REPRESENTATIVES[byte]], byte in RESERVED_DATA
            classes.setdefault(key, []).append(byte)
        return [bytes(members) for members in classes.values()]

    def contains(self, target: bytes) -> bool:
        """Return whether a target is in the domain.

        Cost: O(bytes).
        """
        state = 0
        for byte in target:
            state = self.table[state][byte]
            if state == DEAD:
                return False
        return self.accepting[state]

    def unexpected(self, state: int, expected: Iterable[int]) -> list[int]:
        """Return bytes that represent all those that no pattern expects.

        Raises: NoOrdinaryByte: There are none, and the domain is not complete.
        """
        row = self.table[state]
        if state == 0:
            return [byte for byte in range(0x100) if row[byte] != DEAD]
        if self.complete:
            found = (next((byte for byte in members if byte not in expected), None) for members in self.classes)
            return [byte for byte in found if byte is not None and row[byte] != DEAD]
        ordinary = next((byte for byte in ORDINARY if byte not in expected), None)
        if ordinary is None:
            raise NoOrdinaryByte
        bytes_to_try = [ordinary] if row[ordinary] != DEAD else []
        if self.needs_query[state] and _QUERY_MARK not in expected:
            bytes_to_try.append(_QUERY_MARK)
        return bytes_to_try


def _in_segment(place: str, byte: int) -> str | None:
    """Return the place after one more byte, or None if a segment of the path would be `.` or `..`."""
    if place == _IN_QUERY:
        return place
    if byte in (_SLASH, _QUERY_MARK):
        if place in (_ONE_DOT, _TWO_DOTS):
            return None
        return _START if byte == _SLASH else _IN_QUERY
    if byte == _DOT:
        return {_START: _ONE_DOT, _ONE_DOT: _TWO_DOTS}.get(place, _ELSEWHERE)
    return _ELSEWHERE


class _Escape(NamedTuple):
    """What is known of an escape: its first digit, if any, and whether a stray `%` precedes it."""

    digit: int | None
    after_stray: bool


def _canonical_escape(escape: _Escape | None, byte: int, *, strict: bool) -> tuple[bool, _Escape | None]:
    """Return whether form (a) may continue with this byte, and the escape that it is part of.

    Args: strict: Reject a stray `%`, and the escapes that are only valid after one.
    """
    if byte == _PERCENT:
        return not (strict and escape), _Escape(None, escape is not None)
    if escape is None:
        return True, None
    if byte not in _HEX or (strict and byte not in _UPPER_HEX):
        return not strict, None
    if escape.digit is None:
        return True, _Escape(byte, escape.after_stray)
    value = int(bytes([escape.digit, byte]), 16)
    if escape.digit not in _UPPER_HEX or byte not in _UPPER_HEX:
        return False, None
    return value not in _UNRESERVED or (escape.after_stray and value in _HEX), None


def _canonical(*, strict: bool) -> Domain:
    """Return the targets of profiles that compare canonical forms. With `strict`, those without a stray `%`."""
    allowed = frozenset(PLAIN + b"%") - frozenset(b"*$#")

    def step(state: _State, byte: int) -> _State | None:
        if state == ():
            return (_START, None) if byte == _SLASH else None
        place, escape = state
        if byte not in allowed:
            return None
        valid, escape = _canonical_escape(escape, byte, strict=strict)
        place = _in_segment(place, byte)
        return (place, escape) if valid and place is not None else None

    def accepts(state: _State) -> bool:
        if state == ():
            return False
        place, escape = state
        return place not in (_ONE_DOT, _TWO_DOTS) and not (strict and escape)

    def needs_query(state: _State) -> bool:
        return state != () and state[0] != _IN_QUERY and state[1] is None

    return Domain((), step, accepts, needs_query=needs_query, complete=not strict)


def _as_written(*, encoded: bool, complete: bool) -> Domain:
    """Return the targets of Google's parser. With `encoded`, bytes that are invalid in a URI are escapes."""
    allowed = frozenset(PLAIN + b"%") - {_HASH} if encoded else frozenset(range(0x100)) - frozenset(b"\0#")

    def step(state: _State, byte: int) -> _State | None:
        if state == ():
            return "" if byte == _SLASH else None
        if byte not in allowed:
            return None
        if not encoded or (byte != _PERCENT and (not state or byte not in _HEX)):
            return ""
        if byte == _PERCENT:
            return "%"
        if state == "%":
            return "%u" if byte in _UPPER_HEX else "%l"
        return "" if state == "%u" and byte in _UPPER_HEX else None

    return Domain((), step, lambda state: state != (), complete=complete)


def _literal(*, decoded: bool, in_url: bool, complete: bool) -> Domain:
    """Return the targets of profiles that compare paths literally.

    Args:
        decoded: Whether all escapes but `%2F` are decoded, so that `%` is `%25`.
        in_url: Whether a target is written as a URL, which has no `#`.
    """
    allowed = frozenset(range(0x100)) - ({_HASH} if in_url or not decoded else frozenset())

    def step(state: _State, byte: int) -> _State | None:
        if state == ():
            return (_START, "") if byte == _SLASH else None
        place, escape = state
        if byte not in allowed:
            return None
        if decoded and (escape or byte == _PERCENT):
            escape += chr(byte)
            if escape not in ("%", "%2", "%25", "%2F"):
                return None
            escape = "" if len(escape) == 3 else escape
        place = _in_segment(place, byte)
        return None if place is None else (place, escape)

    def accepts(state: _State) -> bool:
        return state != () and state[0] not in (_ONE_DOT, _TWO_DOTS) and not state[1]

    def needs_query(state: _State) -> bool:
        return state != () and state[0] != _IN_QUERY and not state[1]

    return Domain((), step, accepts, needs_query=needs_query, complete=complete)


def _conversion(profile: Profile) -> str:
    if profile.google_target:
        return "encoded" if profile.encode_target else "as written"
    if profile.literal_paths:
        return "decoded" if profile.decode_escapes else "literal"
    return "canonical"


@cache
def _domain(conversion: str, *, complete: bool, in_url: bool) -> Domain:
    match conversion:
        case "canonical":
            return _canonical(strict=not complete)
        case "as written" | "encoded":
            return _as_written(encoded=conversion == "encoded", complete=complete)
        case "decoded" | "literal":
            return _literal(decoded=conversion == "decoded", in_url=in_url, complete=complete)
        case _:
            raise AssertionError(conversion)


@cache
def _intersection(first: str, second: str, *, complete: bool) -> Domain:
    domains = [_domain(name, complete=complete, in_url=True) for name in (first, second)]
    tables = [domain.table for domain in domains]

    def step(state: _State, byte: int) -> _State | None:
        one, other = state
        following = tables[0][one][byte], tables[1][other][byte]
        return None if DEAD in following else following

    def accepts(state: _State) -> bool:
        one, other = state
        return bool(domains[0].accepting[one] and domains[1].accepting[other])

    def needs_query(state: _State) -> bool:
        one, other = state
        return bool(domains[0].needs_query[one] or domains[1].needs_query[other])

    return Domain((0, 0), step, accepts, needs_query=needs_query, complete=complete)


def domain_of(first: Profile, second: Profile, *, complete: bool) -> Domain:
    """Return the targets on which two profiles are compared.

    Args: complete: Whether to try all kinds of bytes in every state. Otherwise targets are left out that differ from
        others only in a stray `%`.
    """
    conversions = sorted({_conversion(first), _conversion(second)})
    if len(conversions) == 1:
        return _domain(conversions[0], complete=complete, in_url=False)
    return _intersection(*conversions, complete=complete)


def to_url_path(target: bytes, profile: Profile) -> bytes:
    """Return the path and query of a URL that has this target in a profile."""
    return target.replace(b"#", b"%23") if profile.decode_escapes else target
