"""Rows of tables as captures. The names of columns are those of `canfetch bulk parse`, and others that are in use.

| field | columns |
| --- | --- |
| what it belongs to | `origin`, `host`, `domain`; `url`, `robots_url` |
| time | `time`, `fetched_at`, `fetch_time`, `timestamp`, `date` |
| status | `status`, `http_status`, `fetch_status`; 0 or less if there was no response |
| content | `content`, `content_base64`, `body`, `robots_txt`, `text`; `bytes`, 0 if it is empty |
| header fields | `location`, `content_type` |
| responses after redirects | `redirect_targets`: a list of rows, as JSON |
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from canfetch.access.redirects import MAX_LOCATION_BYTES
from canfetch.access.responses import Headers
from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES, NO_RESPONSE, Capture, Fault, Name
from canfetch.bulk.reading.times import parse_time
from canfetch.core.text import encode_text, printable_text
from canfetch.errors import InvalidURL

_OWNERS: Final = ("origin", "host", "domain")
_URLS: Final = ("url", "robots_url")
_TIMES: Final = ("time", "fetched_at", "fetch_time", "timestamp", "date")
_STATUSES: Final = ("status", "http_status", "fetch_status")
_CONTENTS: Final = ("content", "body", "robots_txt", "text")
_BASE64: Final = "content_base64"
_LENGTH: Final = "bytes"
_TARGETS: Final = "redirect_targets"
# pandas writes a column of integers that has a gap as `200.0`.
_WHOLE_NUMBER: Final = re.compile(r"\s*(-?\d{1,9})(?:\.0*)?\s*", re.ASCII)
_HEADERS: Final = {"location": "location", "content_type": "content-type"}
# A row of one of these columns without any other is not a table of files.
_EXPECTED: Final = "a column origin, host or url, and a column content or status"
# The columns that are read. Other columns are not loaded, where the format permits that.
COLUMNS: Final = frozenset([*_OWNERS, *_URLS, *_TIMES, *_STATUSES, *_CONTENTS, _BASE64, _LENGTH, _TARGETS, *_HEADERS])


def missing_columns(columns: Iterable[str]) -> str | None:
    """Return what is expected, or None if a table with these columns is a table of files."""
    names = {column.lower() for column in columns}
    is_named = not names.isdisjoint((*_OWNERS, *_URLS))
    has_files = not names.isdisjoint((*_CONTENTS, _BASE64, *_STATUSES))
    return None if is_named and has_files else _EXPECTED


def to_capture(row: Mapping[str, Any], source: str, position: int, *, empty_is_null: bool = False) -> Capture | Fault:
    """Return the capture of a row, or why the row cannot be used.

    Args:
        row: The cells by the name of the column, in lower case.
        source: The name of the table.
        position: The line or the row, from 1.
        empty_is_null: Whether an empty cell can be a missing one, as in CSV.
    """
    try:
        return _parse_row(row, source, position, empty_is_null=empty_is_null)
    except (InvalidURL, ValueError, TypeError) as error:
        return Fault(source, position, printable_text(str(error)[:400]))


def target_captures(row: Mapping[str, Any], source: str, position: int) -> Iterator[Capture | Fault]:
    """Yield the captures of the URLs to which the redirects of a row lead, in the order of the redirects.

    Args: row, source, position: As for `to_capture`.
    """
    text = row.get(_TARGETS)
    # NaN is a missing cell of pandas.
    if text is None or text in {"", b""} or text != text:  # noqa: PLR0124 - NaN is not equal to itself
        return
    try:
        targets = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        targets = None
    if not isinstance(targets, list) or not all(isinstance(target, dict) for target in targets):
        yield Fault(source, position, f"invalid {_TARGETS}: expected a JSON array of objects")
        return
    for target in targets:
        capture = to_capture(target, source, position)
        if isinstance(capture, Capture) and target.get("url"):
            # Without a path, it is the home page.
            capture = capture._replace(url=Name.of_request(_text(target["url"])).url)
        yield capture


def _parse_row(row: Mapping[str, Any], source: str, position: int, *, empty_is_null: bool) -> Capture:
    owner, url = _first(row, _OWNERS), _first(row, _URLS)
    if owner is None and url is None:
        raise ValueError("no origin: expected text in the column origin, host or url")
    if url is None:
        name = Name.parse_owner(_text(owner))
    else:
        # The URL may be that of a response after a redirect.
        name = Name.parse(_text(url))
        name = name if owner is None else name._replace(owner=Name.parse(_text(owner)).owner)
    status = _parse_status(_first(row, _STATUSES))
    content = _content(row)
    # An empty cell of CSV is a file without content only if another column shows it.
    is_missing = empty_is_null and not content and status is None and _whole_number(row.get(_LENGTH)) != 0
    if content is None or is_missing:
        if status is None or 200 <= status < 300:
            raise ValueError(
                "no content: expected text or bytes in the column content, or the status 0 if there was no response"
            )
        content = b""
    time = parse_time(_first(row, _TIMES))
    # A longer `Location` remains too long to be followed.
    headers: Headers = tuple(
        (field, str(_decoded(row[column])).strip()[: MAX_LOCATION_BYTES + 1])
        for column, field in _HEADERS.items()
        if row.get(column) not in {None, "", b""}
    )
    return Capture(name.owner, name.url, time, status, headers, content[:MAX_CONTENT_BYTES], source, position)


def _first(row: Mapping[str, Any], columns: Iterable[str]) -> Any:
    """Return the first cell that is not missing. Numbers that pandas writes for missing cells are NaN."""
    for column in columns:
        value = row.get(column)
        if value is not None and value == value and value != "":  # noqa: PLR0124 - NaN is not equal to itself
            return value
    return None


def _text(value: Any) -> str:
    text = _decoded(value)
    if not isinstance(text, str):
        raise TypeError(f"invalid origin {str(value)[:100]!r}: expected text or bytes")
    return text.strip()


def _decoded(value: Any) -> Any:
    """Return bytes as text, and other values as they are."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def _parse_status(value: Any) -> int | None:
    if value is None:
        return None
    status = _whole_number(value)
    # Heritrix, for example, writes a negative number for each kind of failure.
    if status is not None and status <= 0:
        return NO_RESPONSE
    if status is None or not 100 <= status <= 999:
        raise ValueError(
            f"invalid status {str(_decoded(value))[:100]!r}: expected a number such as 200, or 0 for no response"
        )
    return status


def _whole_number(value: Any) -> int | None:
    """Return the whole number that a cell has, also as text, or None."""
    if isinstance(value, str | bytes):
        match = _WHOLE_NUMBER.fullmatch(_decoded(value))
        return None if match is None else int(match[1])
    try:
        number = int(value)
    except (ValueError, OverflowError, TypeError):
        return None
    return number if number == value else None


def _content(row: Mapping[str, Any]) -> bytes | None:
    """Return the content, or None if all columns are missing. A column that is not empty counts before empty ones."""
    empty = None
    for column in _CONTENTS:
        value = row.get(column)
        if isinstance(value, str | bytes):
            if value:
                return encode_text(value) if isinstance(value, str) else value
            empty = b""
        elif value is not None and value == value:  # noqa: PLR0124 - NaN is not equal to itself
            raise TypeError(f"invalid {column} of type {type(value).__name__}: expected text or bytes")
    encoded = row.get(_BASE64)
    return b64decode(encoded, validate=True) if isinstance(encoded, str | bytes) and encoded else empty
