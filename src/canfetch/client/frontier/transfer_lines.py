"""The JSON lines of a crawl that is moved: how they are written, and how they are read and checked.

    {"format": "canfetch frontier 3", "group_by": "origin", "done": 1, "failed": 0, "skipped": 1, "refused": 0}
    {"origin": "https://a.example", "last_request_at": 1764218000.5, "retry_at": null, "failures": 0,
     "ready_at": 1764218001.5, "problem": null}
    {"url": "https://a.example/1", "state": "queued", "priority": 0.0, "attempts": 1, "due_at": null, "error": null,
     "depth": 0, "metadata": null, "ended": null, "visit": null}
    {"known": ["0f3a...", ...]}
    {"end": true, "origins": 1, "urls": 1, "known": 3}

The lines of an origin follow it. If it is a group, the first ones have its origins with their delays:

    {"members": [["https://a.example", 0.0], ...]}

`known` has the identities of all its URLs, finished ones too, which keep them from being added again. Rows are read in
the order of their origins, so memory does not grow with the crawl.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from math import isfinite
from typing import Any, Final, NamedTuple, TypeVar

from canfetch.client.frontier.database import damage_error
from canfetch.client.frontier.grouping import GroupBy, unresolved_host
from canfetch.client.frontier.queue_values import Ending, FrontierCounts, URLState, url_text
from canfetch.client.frontier.recrawl import read_visit
from canfetch.client.frontier.url_identity import DIGEST_BYTES, clean_url, identify_url
from canfetch.client.frontier.validation import check_priority, metadata_json, read_metadata
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.text import portable_text, printable_text
from canfetch.core.urls import split_url, url_bytes
from canfetch.errors import InvalidOption, InvalidURL, StoreError

_CheckedT = TypeVar("_CheckedT")
# The first format has no groups and no visits. The second one has no `ready_at` and no `problem`.
_FORMATS: Final = {f"canfetch frontier {version}": version for version in (1, 2, 3)}
FORMAT: Final = list(_FORMATS)[-1]
# The number of rows that are read or written at once, and of identities in a line.
BATCH: Final = 1000
_COUNTS: Final = ("done", "failed", "skipped", "refused")
_STATES: Final = {state: state.name.lower() for state in URLState}
_STATE_OF_NAME: Final = {name: state for state, name in _STATES.items()}
_ENDINGS: Final = {ending.name.lower(): ending for ending in Ending}
# States in which `due_at` has a meaning: when the URL is tried again, or when it failed.
_TIMED: Final = (URLState.DELAYED, URLState.FAILED)
_MAX_COUNT: Final = 2**53
# As in `group_turns`.
_MAX_DELAY: Final = 1e9
_MAX_INTEGER: Final = 2**31 - 1
# Numbers that the crawl counts on, in integers of PostgreSQL.
_MAX_COUNTED: Final = 10**9
# The end of the year 9999, which is the last that a time can be printed for.
_MAX_TIME: Final = 253_402_300_799.0
# Above the longest line that an export has: a URL of 64 KiB whose bytes are escaped.
MAX_LINE_BYTES: Final = 1 << 20


class InvalidExport(StoreError):
    """Raised for lines that are not those of an export. The message begins with the number of the line."""


class OriginLine(NamedTuple):
    """An origin, whose URLs follow it. `line` is the number of its line."""

    line: int
    name: str
    last_request_at: float | None
    retry_at: float | None
    failures: int
    ready_at: float | None
    problem: str | None


class URLLine(NamedTuple):
    """A URL. Its identity is None if an older version accepted it, or its origin, and this one does not."""

    line: int
    url: str
    identity: bytes | None
    state: URLState
    priority: float
    attempts: int
    due_at: float | None
    error: str | None
    depth: int
    metadata: str | None
    ended: Ending | None
    visit: str | None


class MembersLine(NamedTuple):
    """Origins of the group before it, with the delays of their files."""

    line: int
    members: list[tuple[str, float]]


class KnownLine(NamedTuple):
    """The identities of URLs of the origin before it, finished ones too."""

    line: int
    identities: list[bytes]


class CrawlRows(NamedTuple):
    """The rows of a crawl, each table in the order of its origins, whose IDs are the first values."""

    group_by: str
    counts: tuple[int, ...]
    origins: Iterator[tuple[Any, ...]]
    members: Iterator[tuple[Any, ...]]
    urls: Iterator[tuple[Any, ...]]
    known: Iterator[tuple[Any, ...]]


class _Rows:
    """The rows of a table in the order of their origins.

    Args: rows: Rows that begin with the ID of their origin.
    """

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self.next = next(rows, None)
        self.number = 0

    def of(self, origin: int) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of an origin without its ID. Those of all origins before it have been read."""
        while self.next is not None and self.next[0] == origin:
            row = self.next[1:]
            self.next = next(self._rows, None)
            self.number += 1
            yield row


def crawl_lines(source: CrawlRows, name: str) -> Iterator[str]:
    """Yield the lines of a crawl.

    Args: name: The file or the database, for messages.
    Raises: StoreError: A row is damaged.
    """
    yield _line({"format": FORMAT, "group_by": source.group_by, **dict(zip(_COUNTS, source.counts, strict=True))})
    members, urls, known = _Rows(source.members), _Rows(source.urls), _Rows(source.known)
    origins = 0
    for number, origin, last_request_at, retry_at, failures, ready_at, problem in source.origins:
        origins += 1
        yield _line(
            {
                "origin": origin,
                "last_request_at": last_request_at,
                "retry_at": retry_at,
                "failures": failures,
                # The delay can have no limit.
                "ready_at": min(ready_at, _MAX_TIME) if ready_at > 0 else None,
                "problem": problem,
            }
        )
        of_group = members.of(number)
        while more := list(islice(of_group, BATCH)):
            yield _line({"members": more})
        for url, state, priority, attempt, due_at, error, depth, metadata, ended, visit in urls.of(number):
            try:
                name_of_state = _STATES[URLState(state)]
                given = read_metadata(metadata)
                name_of_ending = None if ended is None else Ending(ended).name.lower()
            except ValueError as error_of_row:
                raise damage_error(name, error_of_row) from None
            yield _line(
                {
                    "url": url_text(url),
                    "state": name_of_state,
                    "priority": priority,
                    "attempts": attempt - 1,
                    "due_at": due_at if state in _TIMED else None,
                    "error": error,
                    "depth": depth,
                    "metadata": given,
                    "ended": name_of_ending,
                    "visit": None if (last := read_visit(visit)) is None else last._asdict(),
                }
            )
        identities = (bytes(identity).hex() for (identity,) in known.of(number))
        while batch := list(islice(identities, BATCH)):
            yield _line({"known": batch})
    for rows in (members, urls, known):
        if rows.next is not None:
            raise damage_error(name, ValueError(f"rows of an unknown origin {rows.next[0]}"))
    yield _line({"end": True, "origins": origins, "urls": urls.number, "known": known.number})


def _line(value: dict[str, Any]) -> str:
    # URLs can contain lone surrogates, which only escapes can express.
    return json.dumps(value, allow_nan=False) + "\n"


class LineReader:
    """Reads lines in their order, and checks them.

    Raises: TypeError: `lines` is not an iterable of str or bytes, or a single text.
    """

    def __init__(self, lines: Iterable[str | bytes]) -> None:
        if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
            raise TypeError(f"invalid lines {quoted(lines)}: expected lines, such as an open file")
        self._lines = enumerate(lines, 1)
        self._number = 0
        self._states = dict.fromkeys(URLState, 0)
        self._endings = dict.fromkeys(Ending, 0)
        header = next(self._values(), {})
        name = header.get("format")
        if not isinstance(name, str) or name not in _FORMATS:
            raise InvalidExport(f"line 1: expected the format {FORMAT!r}, which `canfetch frontier export` writes")
        self._version = _FORMATS[name]
        self._keys(header, "format", *(("group_by",) if self._version > 1 else ()), *_COUNTS)
        try:
            self.group_by = GroupBy(header.get("group_by", GroupBy.ORIGIN))
        except ValueError:
            raise self._error(f"invalid group_by {quoted(header['group_by'])}: expected {', '.join(GroupBy)}") from None
        self._is_grouped = self.group_by is not GroupBy.ORIGIN
        self._members: set[str] = set()
        self._last_known = b""
        self._counts = {name: self._count(header, name, _MAX_COUNT) for name in _COUNTS}

    def items(self) -> Iterator[OriginLine | MembersLine | URLLine | KnownLine]:
        """Yield the origins, each with its members, its URLs and then its identities after it."""
        origin: str | None = None
        found = {"origins": 0, "urls": 0, "known": 0}
        has_urls = has_known = False
        for value in self._values():
            if "end" in value:
                self._end(value, found)
                return
            if "origin" in value:
                item: OriginLine | MembersLine | URLLine | KnownLine = self._origin(value)
                assert isinstance(item, OriginLine)
                origin = item.name
                has_urls = has_known = False
                self._members.clear()
                self._last_known = b""
                found["origins"] += 1
            elif origin is None:
                raise self._error("expected an origin first")
            elif "members" in value:
                if not self._is_grouped or has_urls or has_known:
                    raise self._error("expected the members of a group only after the line of the group")
                item = self._group_members(value)
            elif "known" in value:
                item = self._known(value)
                has_known = True
                found["known"] += len(item.identities)
            elif has_known:
                raise self._error("expected the URLs of an origin before its known identities")
            else:
                item = self._url(value, origin)
                has_urls = True
                if item.ended is None:
                    self._states[item.state] += 1
                else:
                    self._endings[item.ended] += 1
                found["urls"] += 1
            yield item
        raise InvalidExport(f"line {self._number + 1}: the export is cut off: expected a line with the key 'end'")

    def result(self) -> FrontierCounts:
        """Return the counts, after all lines have been read."""
        states = self._states
        return FrontierCounts(
            states[URLState.QUEUED] + states[URLState.DELAYED], states[URLState.IN_FLIGHT], **self._counts
        )

    def totals(self) -> dict[str, int]:
        """Return the counts that queues store, after all lines have been read."""
        return {"added": sum(self.result()) - self._counts["refused"], **self._counts}

    def _values(self) -> Iterator[dict[str, Any]]:
        for number, line in self._lines:
            self._number = number
            if not isinstance(line, str | bytes):
                raise TypeError(f"invalid line {quoted(line)}: expected lines as str or bytes, such as an open file")
            if len(line) > MAX_LINE_BYTES:
                raise self._error(f"longer than {MAX_LINE_BYTES} bytes")
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                raise self._error("invalid JSON") from None
            if not isinstance(value, dict):
                raise self._error("expected a JSON object")
            yield value

    def _end(self, value: dict[str, Any], found: dict[str, int]) -> None:
        self._keys(value, "end", *found)
        if value["end"] is not True:
            raise self._error(f"invalid end {quoted(value['end'])}: expected true")
        for name, number in found.items():
            if self._count(value, name, _MAX_COUNT) != number:
                raise self._error(f"the number of {name} is {value[name]}, but the lines have {number}")
        for name, ending in _ENDINGS.items():
            listed = self._endings[ending] + (self._states[URLState.FAILED] if ending is Ending.FAILED else 0)
            if self._counts[name] < listed:
                raise self._error(f"line 1 has {self._counts[name]} {name} URLs, but there are more lines with one")
        for _ in self._lines:
            self._number += 1
            raise self._error("expected nothing after the line with the key 'end'")

    def _origin(self, value: dict[str, Any]) -> OriginLine:
        keys = ("origin", "last_request_at", "retry_at", "failures")
        self._keys(value, *keys, *(("ready_at", "problem") if self._version > 2 else ()))
        name = value["origin"]
        is_known = isinstance(name, str) and name.isprintable() and (self._is_grouped or _is_origin(name))
        if not is_known:
            raise self._error(f"invalid origin {quoted(name)}: expected one such as 'https://example.com'")
        return OriginLine(
            self._number,
            name,
            self._time(value, "last_request_at"),
            self._time(value, "retry_at"),
            self._count(value, "failures", _MAX_COUNTED),
            self._time(value, "ready_at"),
            self._text(value, "problem"),
        )

    def _group_members(self, value: dict[str, Any]) -> MembersLine:
        self._keys(value, "members")
        members: list[tuple[str, float]] = []
        try:
            members = [(name, float(delay)) for name, delay in value["members"]]
            is_valid = all(
                (_valid_origin(name) == name or (self.group_by is GroupBy.ADDRESS and _is_host(name)))
                and 0 <= delay <= _MAX_DELAY
                for name, delay in members
            )
        except (TypeError, ValueError, OverflowError):
            is_valid = False
        if not is_valid:
            raise self._error("invalid members: expected a list of origins and their delays in seconds") from None
        self._members.update(name for name, _ in members)
        return MembersLine(self._number, members)

    def _known(self, value: dict[str, Any]) -> KnownLine:
        self._keys(value, "known")
        try:
            identities = [bytes.fromhex(identity) for identity in value["known"]]
        except (TypeError, ValueError):
            identities = [b""]
        if any(len(identity) != DIGEST_BYTES for identity in identities):
            raise self._error(
                f"invalid known identities: expected a list of {2 * DIGEST_BYTES} hexadecimal digits each"
            )
        for identity in identities:
            if identity <= self._last_known:
                raise self._error(f"the known identity {identity.hex()} is there twice, or not in ascending order")
            self._last_known = identity
        return KnownLine(self._number, identities)

    def _url(self, value: dict[str, Any], origin: str) -> URLLine:
        keys = ("url", "state", "priority", "attempts", "due_at", "error", "depth", "metadata")
        self._keys(value, *keys, *(("ended", "visit") if self._version > 1 else ()))
        url, state = value["url"], value["state"]
        if not isinstance(url, str):
            raise self._error(f"invalid URL {quoted(url)}: expected a string")
        url = portable_text(url)
        if not isinstance(state, str) or state not in _STATE_OF_NAME:
            raise self._error(f"invalid state {quoted(state)}: expected {', '.join(_STATE_OF_NAME)}")
        due_at = self._time(value, "due_at")
        if (due_at is not None) != (_STATE_OF_NAME[state] in _TIMED):
            raise self._error(f"invalid due_at {quoted(due_at)} of a URL that is {state}")
        return URLLine(
            self._number,
            url,
            self._identity(url, origin),
            _STATE_OF_NAME[state],
            self._checked(check_priority, value["priority"]),
            self._count(value, "attempts", _MAX_COUNTED),
            due_at,
            self._text(value, "error"),
            self._count(value, "depth", _MAX_INTEGER),
            self._checked(metadata_json, value["metadata"]),
            *self._visit(value),
        )

    def _visit(self, value: dict[str, Any]) -> tuple[Ending | None, str | None]:
        ended, visit = value.get("ended"), value.get("visit")
        is_valid = isinstance(ended, str) and ended in _ENDINGS and value["state"] == "delayed"
        if ended is not None and not is_valid:
            raise self._error(
                f"invalid ended {quoted(ended)}: expected {', '.join(_ENDINGS)} of a delayed URL, or null"
            )
        last = read_visit(json.dumps(visit))
        if visit is not None and last is None:
            raise self._error(
                f"invalid visit {quoted(visit)}: expected an interval in seconds and two headers, or null"
            )
        return None if ended is None else _ENDINGS[ended], None if last is None else last.to_json()

    def _checked(self, check: Callable[[Any], _CheckedT], value: Any) -> _CheckedT:
        """Return what the check of an argument of the frontier makes of a value."""
        try:
            return check(value)
        except InvalidOption as error:
            raise self._error(str(error)) from None

    def _identity(self, url: str, origin: str) -> bytes | None:
        """Return the identity of a URL. A URL of another origin would be requested without the delay of its own."""
        if clean_url(url) != url:
            raise self._error(f"invalid URL {quoted(url)}: expected no white space around it, and no line ends")
        try:
            identified = identify_url(url, in_group=self._is_grouped)
        except InvalidURL as error:
            # An older version can have accepted it, with its origin. A crawl skips URLs whose host is no longer valid.
            split = split_url(url_bytes(url))
            if split is None or not split.scheme:
                raise self._error(str(error)) from None
            own = _valid_origin(url)
            if own == _valid_origin(origin) or (self._is_grouped and (own is None or own in self._members)):
                return None
            raise self._error(f"the URL {quoted(url)} does not belong to the origin {quoted(origin)}") from None
        if self._is_grouped:
            if identified.origin not in self._members:
                raise self._error(f"the URL {quoted(url)} does not belong to an origin of the group {quoted(origin)}")
        elif identified.origin != origin:
            if _valid_origin(origin) is None:
                return None
            raise self._error(f"the URL {quoted(url)} does not belong to the origin {quoted(origin)}")
        return identified.identity

    def _keys(self, value: dict[str, Any], *names: str) -> None:
        if value.keys() != set(names):
            unknown, missing = value.keys() - set(names), set(names) - value.keys()
            problem = f"unknown key {quoted(min(unknown))}" if unknown else f"missing key {quoted(min(missing))}"
            raise self._error(f"{problem}: expected {', '.join(names)}")

    def _count(self, value: dict[str, Any], name: str, most: int) -> int:
        found = value[name]
        if type(found) is not int or not 0 <= found <= most:
            raise self._error(f"invalid {name} {quoted(found)}: expected a whole number from 0 to {most}")
        return found

    def _finite(self, value: dict[str, Any], name: str) -> float:
        found = value[name]
        with suppress(OverflowError):
            if isinstance(found, int | float) and not isinstance(found, bool) and isfinite(found):
                return float(found)
        raise self._error(f"invalid {name} {quoted(found)}: expected a finite number")

    def _text(self, value: dict[str, Any], name: str) -> str | None:
        found = value.get(name)
        if not isinstance(found, str | None):
            raise self._error(f"invalid {name} {quoted(found)}: expected a string or null")
        return None if found is None else printable_text(found)

    def _time(self, value: dict[str, Any], name: str) -> float | None:
        if value.get(name) is None:
            return None
        found = self._finite(value, name)
        if not 0 <= found <= _MAX_TIME:
            raise self._error(f"invalid {name} {found}: expected seconds since the epoch, or null")
        return found

    def _error(self, problem: str) -> InvalidExport:
        return InvalidExport(f"line {self._number}: {problem}")


def _valid_origin(name: str) -> str | None:
    """Return an origin as this version writes it, or None. The crawl skips the URLs of invalid ones."""
    try:
        return str(Origin.from_url(name))
    except InvalidURL:
        return None


def _is_host(name: str) -> bool:
    """Return whether a name is that of a host in a crawl that is grouped by address."""
    host = unresolved_host(name)
    return host is not None and _valid_origin(f"https://{host}/") == f"https://{host}"


def _is_origin(name: str) -> bool:
    """Return whether a name is a valid origin, or one whose host an older version accepted."""
    split = split_url(name.encode())
    if split is None or not split.scheme or split.rest_start != len(name.encode()):
        return False
    return (_valid_origin(name) or name) == name


def second_origin(origin: OriginLine) -> InvalidExport:
    """Return the error of an origin that an earlier line has."""
    return InvalidExport(f"line {origin.line}: the origin {quoted(origin.name)} has lines already")


def second_member(members: MembersLine) -> InvalidExport:
    """Return the error of an origin that is in two groups."""
    return InvalidExport(f"line {members.line}: an origin belongs to a group already")


def second_url(url: URLLine) -> InvalidExport:
    """Return the error of a URL that an earlier line has."""
    return InvalidExport(f"line {url.line}: the URL {quoted(url.url)} has a line already")
