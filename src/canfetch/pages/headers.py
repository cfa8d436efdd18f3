"""The response's fields that say something of the page: X-Robots-Tag, Robots-Tag, and those of TDMRep.

A field that comes several times counts each time; libraries that join them with commas lose only where one ended.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol

from canfetch.pages.directive_lists import parse_directives
from canfetch.pages.directives import Directive
from canfetch.pages.positions import PagePosition, PageSource
from canfetch.pages.robots_tag import parse_robots_tag

Header = tuple[str | bytes, str | bytes]


class HeaderMapping(Protocol):
    """What HTTP libraries give as a response's headers; many of them keep repeated ones apart."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Give pairs of name and value."""
        ...


Headers = Iterable[Header] | HeaderMapping

# draft-illyes-repext asks for 8 KiB at least; this is what servers send at most.
MAX_HEADER_BYTES: Final = 65_536
_READ: Final = frozenset({"x-robots-tag", "robots-tag", "tdm-reservation", "tdm-policy", "content-type"})


class Fields(NamedTuple):
    """The fields that are read, by name in lower case, each with its values in order; and whether there were more."""

    values: dict[str, list[str]]
    truncated: bool


def collect_fields(headers: Headers) -> Fields:
    """Take out the fields that are read, up to 64 KiB of them.

    Args: headers: pairs of name and value, or what has them as items; octets are read as ISO 8859-1, as HTTP has it.
    Raises: TypeError: they are neither.
    Cost: O(octets), of which 64 KiB are kept.
    """
    values: dict[str, list[str]] = {}
    left, cut = MAX_HEADER_BYTES, False
    for pair in _pairs(headers):
        name, value = _pair(pair)
        name = name.strip().lower()
        if name not in _READ:
            continue
        if len(value) > left:
            cut = True
            # What stands behind the last comma may be a part of something that says less.
            value = value[:left].rpartition(",")[0]
        left -= len(value)
        values.setdefault(name, []).append(value)
    return Fields(values, cut)


def parse_header_directives(fields: Fields) -> Iterable[Directive]:
    """Yield the directives of all headers, in their order.

    Cost: O(characters).
    """
    for number, value in enumerate(fields.values.get("x-robots-tag", ()), 1):
        yield from parse_directives(value, PagePosition(PageSource.X_ROBOTS_TAG, number), agents_inside=True)
    for number, value in enumerate(fields.values.get("robots-tag", ()), 1):
        yield from parse_robots_tag(value, PagePosition(PageSource.ROBOTS_TAG, number))


def _pairs(headers: Headers) -> Iterator[Header]:
    # httpx joins repeated headers in `items`, and keeps them apart in `multi_items`.
    items: Any = getattr(headers, "multi_items", None) or getattr(headers, "items", None)
    pairs: Any = headers if items is None else items()
    return iter(pairs)


def _pair(pair: Header) -> tuple[str, str]:
    try:
        name, value = pair
    except (TypeError, ValueError):
        raise TypeError("headers are pairs of a name and a value, or a mapping of names to values") from None
    return _text(name), _text(value)


def _text(given: object) -> str:
    if isinstance(given, bytes):
        return given.decode("latin-1")
    if isinstance(given, str):
        return given
    raise TypeError(f"a header's name and value are str or bytes, not {type(given).__name__}")
