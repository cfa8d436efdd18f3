"""The origins of URLs: the IDs of files in tables of `canfetch bulk parse`."""

import re
from typing import Final

from canfetch.bulk.arguments import AnyColumn, as_column
from canfetch.bulk.arrow_values import Value, read_values
from canfetch.bulk.column import Column, build_column
from canfetch.bulk.types import TEXT
from canfetch.core.origin import Origin, find_origin
from canfetch.core.urls import split_url
from canfetch.errors import InvalidColumn

# Beginnings of URLs that are remembered: some tens of megabytes.
_MAX_KNOWN: Final = 100_000
_MAX_KNOWN_BYTES: Final = 256
_USUAL: Final = re.compile(rb"https?://[^/?#]*")


def origins(url: AnyColumn) -> Column:
    """Return the origin of each URL in canonical form, such as `https://a.example` or `http://a.example:8080`.

    Scheme and host are in lower case, and a host beyond ASCII is in Punycode. User, password and a default port are
    left out. `canfetch bulk parse` writes origins in the same form.

    Args: url: Absolute URLs.
    Returns: A column of texts. A row is null if its URL is null, or is not an absolute URL.
    Raises: InvalidColumn: the column is not text or bytes, or its Arrow data is invalid; TypeError.
    Cost: O(bytes), in Python: one to two microseconds for a URL, and about seven for the first URL of an origin.
    """
    known: dict[bytes, str | None] = {}
    return Column(build_column(TEXT, [_origin(value, known) for value in read_values(as_column(url))]))


def _origin(url: Value, known: dict[bytes, str | None]) -> str | None:
    if url is None:
        return None
    if isinstance(url, int):
        raise InvalidColumn("invalid Arrow data: a column of integers: expected URLs")
    # Everything up to here decides, and one origin has many URLs.
    beginning = url_beginning(url)
    if beginning in known:
        return known[beginning]
    found = origin_of_beginning(beginning)
    origin = None if found is None else str(found)
    if len(beginning) <= _MAX_KNOWN_BYTES:
        if len(known) >= _MAX_KNOWN:
            known.clear()
        known[beginning] = origin
    return origin


def origin_of_beginning(beginning: bytes) -> Origin | None:
    """Return the origin of all URLs with a `url_beginning`, or None if they are not absolute URLs with a host."""
    split = split_url(beginning)
    return None if split is None or not split.scheme else find_origin(beginning)


def url_beginning(url: bytes) -> bytes:
    """Return a URL up to the end of its authority, which determines its origin. Others are cut somewhere."""
    usual = _USUAL.match(url)
    if usual is not None:
        return usual[0]
    start = url.find(b"://") + 3
    slash = url.find(b"/", start)
    end = len(url) if slash < 0 else slash
    for delimiter in (b"?", b"#"):
        position = url.find(delimiter, start, end)
        end = end if position < 0 else position
    return url[:end]
