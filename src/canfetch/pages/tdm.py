"""TDMRep: whether the rights of text and data mining are reserved, said by a file, a header or a meta element.

A later carrier goes before an earlier one: the file, the header, the meta element. In the file the first entry whose
pattern matches counts, whatever follows. A value that is neither 0 nor 1 says nothing, and what is absent takes nothing
back.

Source: W3C Community Group, TDM Reservation Protocol, final report of 10 May 2024.
"""

from collections.abc import Iterable, Iterator
from enum import Flag, auto
from typing import Any, Final, NamedTuple

from canfetch.core.escapes import encode_reserved_data
from canfetch.core.patterns import matches, texts_of
from canfetch.core.profiles import PROFILES
from canfetch.core.targets import target_of
from canfetch.core.text import encode_text
from canfetch.core.urls import split_url
from canfetch.pages.annotations import element_position
from canfetch.pages.bounded_json import parse_json
from canfetch.pages.directives import note_names, plain
from canfetch.pages.headers import Fields
from canfetch.pages.html import Element
from canfetch.pages.positions import PagePosition, PageSource

TDM_FILE_PATH: Final = "/.well-known/tdmrep.json"
MAX_TDM_BYTES: Final = 512_000
MAX_TDM_ENTRIES: Final = 1_000
_RESERVATION: Final = "tdm-reservation"
_POLICY: Final = "tdm-policy"
_LONGEST_POLICY: Final = 2048
# Patterns and URLs are compared as robots.txt has it.
_PROFILE: Final = PROFILES["rfc9309"]


class ReservationNote(Flag):
    """What is odd about a reservation."""

    NONE = 0
    INVALID_VALUE = auto()  # neither 0 nor 1: it says nothing
    STRING_VALUE = auto()  # "1" for 1; it counts
    INVALID_LOCATION = auto()  # an entry whose pattern is missing or can match nothing; it counts for no URL
    POLICY_WITHOUT_RESERVATION = auto()  # a policy where nothing is reserved; it has no effect
    INVALID_POLICY = auto()  # a policy that is no text


class Reservation(NamedTuple):
    """What one carrier says of text and data mining.

    `reserved` is None where it says nothing. `location` is the entry's pattern, and None for headers and meta
    elements, which speak of their own page.
    """

    reserved: bool | None
    policy: str | None
    location: str | None
    position: PagePosition
    notes: ReservationNote = ReservationNote.NONE

    def matches(self, target: bytes) -> bool:
        """Say whether it is about a target, as `target_of` makes it.

        Cost: O(octets of the pattern times octets of the target) at worst.
        """
        if self.location is None:
            return True
        texts = texts_of(encode_text(self.location), allow=True, profile=_PROFILE)
        return any(matches(text.text, encode_reserved_data(target) if text.form_b else target) for text in texts)

    def to_json(self) -> dict[str, Any]:
        """Give the reservation in plain values."""
        return {
            "reserved": self.reserved,
            "policy": None if self.policy is None else plain(self.policy),
            "location": None if self.location is None else plain(self.location),
            "position": self.position.to_json(),
            "notes": note_names(self.notes),
        }


class TDMFile(NamedTuple):
    """The entries of a tdmrep.json in their order, and what keeps it from being one, if anything does.

    `cut` says that there are more entries than are read, `unknown` that it could not be had, so that nobody knows
    what it reserves.
    """

    entries: tuple[Reservation, ...]
    problem: str | None = None
    truncated: bool = False
    unreachable: bool = False


def parse_tdm_file(octets: bytes) -> TDMFile:
    """Read a tdmrep.json; whatever the octets are, nothing raises.

    Cost: O(octets), of which at most 500 KiB are read, and 1000 entries.
    """
    read = parse_json(octets, max_bytes=MAX_TDM_BYTES)
    if read.problem is not None:
        return TDMFile((), read.problem)
    if not isinstance(read.value, list):
        return TDMFile((), "it is no JSON array")
    entries = [_entry(number, entry) for number, entry in enumerate(read.value[:MAX_TDM_ENTRIES], 1)]
    return TDMFile(tuple(entries), truncated=len(read.value) > MAX_TDM_ENTRIES)


def normalize_target(url: str | bytes) -> bytes | None:
    """Give the path and query of a URL in the form in which patterns are compared; None where it is no URL.

    Cost: O(octets).
    """
    octets = encode_text(url) if isinstance(url, str) else url
    split = split_url(octets)
    return None if split is None else target_of(octets, split, _PROFILE)


def parse_header_reservations(fields: Fields) -> Iterator[Reservation]:
    """Yield what the response's headers say; the first policy goes with each."""
    yield from _reservations(
        (
            (value, PagePosition(PageSource.TDM_HEADER, number))
            for number, value in enumerate(fields.values.get(_RESERVATION, ()), 1)
        ),
        next(iter(fields.values.get(_POLICY, ())), None),
    )


def parse_meta_reservations(metas: Iterable[Element]) -> Iterator[Reservation]:
    """Yield what the page's meta elements say; the first policy goes with each."""
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
    """Give the reservation that holds for a page, or None where nobody says anything.

    Args:
        file: the origin's tdmrep.json.
        page: what headers and meta elements say, in that order.
        target: the page's path and query, or None where its URL is not known.
    Cost: O(octets of the file's patterns times octets of the target) at worst.
    """
    decided: Reservation | None = None
    if file is not None and target is not None:
        first = next((entry for entry in file.entries if entry.matches(target)), None)
        decided = first if first is not None and first.reserved is not None else None
    carrier: PageSource | None = None
    for reservation in page:
        if reservation.reserved is None:
            continue
        if reservation.position.source is carrier and decided is not None and decided.reserved:
            # DEVIATION(tdmrep): of two values in one carrier, of which it says nothing, the reservation counts.
            continue
        decided, carrier = reservation, reservation.position.source
    return decided


def _entry(number: int, entry: object) -> Reservation:
    position = PagePosition(PageSource.TDM_FILE, number)
    if not isinstance(entry, dict):
        return Reservation(None, None, "", position, ReservationNote.INVALID_LOCATION | ReservationNote.INVALID_VALUE)
    location = entry.get("location")
    notes = ReservationNote.NONE
    if not isinstance(location, str) or not texts_of(encode_text(location), allow=True, profile=_PROFILE):
        location = location if isinstance(location, str) else ""
        notes |= ReservationNote.INVALID_LOCATION
    return _reservation(entry.get(_RESERVATION), entry.get(_POLICY), location, position, notes)


def _reservations(values: Iterable[tuple[str, PagePosition]], policy: str | None) -> Iterator[Reservation]:
    for value, position in values:
        text = value.strip()
        # In headers and elements every value is a text.
        number = int(text) if text in {"0", "1"} else None
        yield _reservation(number, None if policy is None else policy.strip(), None, position, ReservationNote.NONE)


def _reservation(
    value: object, policy: object, location: str | None, position: PagePosition, notes: ReservationNote
) -> Reservation:
    if isinstance(value, str) and value.strip() in {"0", "1"}:
        notes |= ReservationNote.STRING_VALUE
        value = int(value)
    reserved = None
    if isinstance(value, int) and not isinstance(value, bool) and value in {0, 1}:
        reserved = value == 1
    else:
        notes |= ReservationNote.INVALID_VALUE
    if policy is not None and not isinstance(policy, str):
        policy = None
        notes |= ReservationNote.INVALID_POLICY
    if policy is not None and not reserved:
        notes |= ReservationNote.POLICY_WITHOUT_RESERVATION
    cropped = policy[:_LONGEST_POLICY] if isinstance(policy, str) and policy else None
    return Reservation(reserved, cropped, location, position, notes)
