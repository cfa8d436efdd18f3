"""TDMRep: reservations of the rights to text and data mining, in a file, headers or meta elements.

Meta elements override headers, and headers override the file. In the file, the first entry whose pattern matches
applies. A value other than 0 and 1 has no effect, and a missing value revokes nothing.

Source: W3C Community Group, TDM Reservation Protocol, final report of 10 May 2024.
"""

import json
from collections.abc import Iterable, Iterator
from enum import Flag, auto
from functools import lru_cache
from typing import Any, Final, NamedTuple

from canfetch.pages.annotations import element_position
from canfetch.pages.directives import note_names, printable
from canfetch.pages.headers import Fields
from canfetch.pages.html import Element
from canfetch.pages.positions import PagePosition, PageSource
from canfetch.pages.url_patterns import is_pattern, match_specificity

TDM_FILE_PATH: Final = "/.well-known/tdmrep.json"
MAX_TDM_BYTES: Final = 512_000
MAX_TDM_ENTRIES: Final = 1_000
_RESERVATION: Final = "tdm-reservation"
_POLICY: Final = "tdm-policy"
_MAX_POLICY_LENGTH: Final = 2048
_MAX_VALUE_LENGTH: Final = 100


# The files that were parsed last are kept.
_MAX_KNOWN_FILES: Final = 8


class ReservationNote(Flag):
    """Notes about the form of a reservation."""

    NONE = 0
    INVALID_VALUE = auto()  # neither 0 nor 1; it has no effect
    STRING_VALUE = auto()  # the string "1" in place of the number 1; it has its effect
    INVALID_LOCATION = auto()  # an entry whose pattern is missing or invalid; it applies to no URL
    POLICY_WITHOUT_RESERVATION = auto()  # a policy without a reservation; it has no effect
    INVALID_POLICY = auto()  # a policy that is not a string


class Reservation(NamedTuple):
    """A reservation, or its revocation, in one place.

    Attributes:
        reserved: Whether the rights are reserved, or None if the value is invalid.
        policy: The URL of the policy, or None.
        location: The pattern of the entry, or None for headers and meta elements, which apply to their own page.
        position: Where the reservation is.
        notes: Notes about the form.
        invalid_value: The value as written if it is neither 0 nor 1. Empty if it is missing.
    """

    reserved: bool | None
    policy: str | None
    location: str | None
    position: PagePosition
    notes: ReservationNote = ReservationNote.NONE
    invalid_value: str = ""

    @property
    def has_location(self) -> bool:
        """Whether it applies to some URL: the pattern of an entry can be missing or invalid."""
        return ReservationNote.INVALID_LOCATION not in self.notes

    def matches(self, target: bytes) -> bool:
        """Return whether the reservation applies to a target from `normalize_target`.

        Cost: O(bytes of the pattern times bytes of the target) at worst.
        """
        return self.location is None or match_specificity(self.location, target) is not None

    def to_json(self) -> dict[str, Any]:
        """Return the reservation as JSON-compatible values."""
        return {
            "reserved": self.reserved,
            "policy": None if self.policy is None else printable(self.policy),
            "location": None if self.location is None else printable(self.location),
            "position": self.position.to_json(),
            "notes": note_names(self.notes),
        }


class TDMFile(NamedTuple):
    """A parsed tdmrep.json.

    Attributes:
        entries: The entries, in order.
        problem: Why the file is invalid or could not be fetched, or None.
        truncated: Whether the file has more entries than the limit.
        unreachable: Whether the file could not be fetched, so that it may reserve the rights.
    """

    entries: tuple[Reservation, ...]
    problem: str | None = None
    truncated: bool = False
    unreachable: bool = False


def parse_tdm_file(content: bytes) -> TDMFile:
    """Parse a tdmrep.json. Never raises, whatever `content` is.

    Cost: O(bytes), of which at most 500 KiB and 1000 entries are parsed. The last eight files are kept, so that many
        questions about one origin parse its file once.
    """
    return _parse_known_file(content) if len(content) <= MAX_TDM_BYTES else _parse_file(content)


@lru_cache(_MAX_KNOWN_FILES)
def _parse_known_file(content: bytes) -> TDMFile:
    return _parse_file(content)


def _parse_file(content: bytes) -> TDMFile:
    result = _parse_json(content, max_bytes=MAX_TDM_BYTES)
    if result.problem is not None:
        return TDMFile((), result.problem)
    if not isinstance(result.value, list):
        return TDMFile((), "not a JSON array")
    entries = [_parse_entry(number, entry) for number, entry in enumerate(result.value[:MAX_TDM_ENTRIES], 1)]
    return TDMFile(tuple(entries), truncated=len(result.value) > MAX_TDM_ENTRIES)


def parse_header_reservations(fields: Fields) -> Iterator[Reservation]:
    """Yield the reservations of the headers, each with the first policy.

    Libraries and proxies join headers with commas. Each value of a header counts once, and what is neither 0 nor 1 is
    one invalid value. A policy is not split, because a URL can contain commas.

    Source: RFC 9110 sections 5.3 and 5.6.1.
    """
    yield from _reservations(
        (
            (value, PagePosition(PageSource.TDM_HEADER, number))
            for number, joined in enumerate(fields.values.get(_RESERVATION, ()), 1)
            for value in _joined_values(joined)
        ),
        next(iter(fields.values.get(_POLICY, ())), None),
    )


def _joined_values(text: str) -> Iterator[str]:
    values = [value.strip() for value in text.split(",")]
    valid = [value for value in ("0", "1") if value in values]
    yield from valid
    others = ", ".join(value for value in values if value and value not in valid)
    if others or not valid:
        yield others


def parse_meta_reservations(metas: Iterable[Element]) -> Iterator[Reservation]:
    """Yield the reservations of the meta elements, each with the first policy."""
    values: list[tuple[str, PagePosition]] = []
    policy: str | None = None
    for meta in metas:
        name = meta.attributes.get("name", "").strip().lower()
        content = meta.attributes.get("content", "")
        if name == _RESERVATION:
            values.append((content, element_position(meta, PageSource.TDM_META)))
        elif name == _POLICY and policy is None:
            policy = content
    yield from _reservations(values, policy)


def select_reservation(file: TDMFile | None, page: Iterable[Reservation], target: bytes | None) -> Reservation | None:
    """Return the reservation that applies to a page, or None.

    Args:
        file: The origin's tdmrep.json.
        page: The reservations of headers and meta elements, in this order.
        target: The page's path and query, or None if its URL is unknown.
    Cost: O(bytes of the file's patterns times bytes of the target) at worst.
    """
    selected: Reservation | None = None
    if file is not None and target is not None:
        first = next((entry for entry in file.entries if entry.matches(target)), None)
        selected = first if first is not None and first.reserved is not None else None
    source: PageSource | None = None
    for reservation in page:
        if reservation.reserved is None:
            continue
        if reservation.position.source is source and selected is not None and selected.reserved:
            # DEVIATION(tdmrep): it does not define two values in one source; here the reservation wins.
            continue
        selected, source = reservation, reservation.position.source
    return selected


def _parse_entry(number: int, entry: object) -> Reservation:
    position = PagePosition(PageSource.TDM_FILE, number)
    if not isinstance(entry, dict):
        return Reservation(None, None, "", position, ReservationNote.INVALID_LOCATION | ReservationNote.INVALID_VALUE)
    location = entry.get("location")
    notes = ReservationNote.NONE
    if not isinstance(location, str) or not is_pattern(location):
        location = location if isinstance(location, str) else ""
        notes |= ReservationNote.INVALID_LOCATION
    return _make_reservation(entry.get(_RESERVATION), entry.get(_POLICY), location, position, notes)


def _reservations(values: Iterable[tuple[str, PagePosition]], policy: str | None) -> Iterator[Reservation]:
    policy = None if policy is None else policy.strip()
    for value, position in values:
        text = value.strip()
        if text in {"0", "1"}:
            # In headers and elements, every value is a string, so there is nothing to note.
            yield _make_reservation(int(text), policy, None, position, ReservationNote.NONE)
        else:
            invalid = _make_reservation(None, policy, None, position, ReservationNote.NONE)
            yield invalid._replace(invalid_value=text[:_MAX_VALUE_LENGTH])


def _make_reservation(
    value: object, policy: object, location: str | None, position: PagePosition, notes: ReservationNote
) -> Reservation:
    if isinstance(value, str) and value.strip() in {"0", "1"}:
        notes |= ReservationNote.STRING_VALUE
        value = int(value)
    reserved = None
    # JSON does not distinguish 1.0 from 1.
    if isinstance(value, int | float) and not isinstance(value, bool) and value in {0, 1}:
        reserved = value == 1
    else:
        notes |= ReservationNote.INVALID_VALUE
    if policy is not None and not isinstance(policy, str):
        policy = None
        notes |= ReservationNote.INVALID_POLICY
    if policy is not None and not reserved:
        notes |= ReservationNote.POLICY_WITHOUT_RESERVATION
    cropped = policy[:_MAX_POLICY_LENGTH] if isinstance(policy, str) and policy else None
    invalid_value = "" if value is None or reserved is not None else json.dumps(value)[:_MAX_VALUE_LENGTH]
    return Reservation(reserved, cropped, location, position, notes, invalid_value)


_MAX_JSON_DEPTH: Final = 64
_OPENING: Final = frozenset(b"[{")
_CLOSING: Final = frozenset(b"]}")
_QUOTE, _BACKSLASH = b'"\\'


class _JSONResult(NamedTuple):
    """The parsed value, or the problem that prevents parsing."""

    value: Any
    problem: str | None


def _parse_json(content: bytes, *, max_bytes: int) -> _JSONResult:
    """Parse JSON. Never raises, whatever `content` is.

    Args:
        content: The file.
        max_bytes: The size limit. A longer file is not parsed, because part of a JSON document is not valid JSON.
    Cost: O(bytes) up to the limit.
    """
    if len(content) > max_bytes:
        return _JSONResult(None, f"longer than {max_bytes} bytes")
    if _depth(content) > _MAX_JSON_DEPTH:
        return _JSONResult(None, f"nested deeper than {_MAX_JSON_DEPTH} levels")
    try:
        return _JSONResult(json.loads(content), None)
    except ValueError:
        # Undecodable bytes, invalid JSON, or numbers with thousands of digits.
        return _JSONResult(None, "invalid JSON")


def _depth(content: bytes) -> int:
    """Return the greatest number of open brackets. The zero bytes of UTF-16 do not change the result."""
    depth = deepest = 0
    quoted = escaped = False
    for byte in content:
        if escaped:
            escaped = False
        elif quoted:
            escaped = byte == _BACKSLASH
            quoted = byte != _QUOTE
        elif byte == _QUOTE:
            quoted = True
        elif byte in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif byte in _CLOSING:
            depth -= 1
    return deepest
