"""Response headers with page-level rules: X-Robots-Tag, Robots-Tag, TDMRep, preferences on usage, and licenses.

Repeated headers are stored separately. If a library joins them with commas, only the end of each header is lost.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol

from canfetch.pages.directive_lists import parse_directives
from canfetch.pages.directives import Directive
from canfetch.pages.positions import PagePosition, PageSource
from canfetch.pages.robots_tag import parse_robots_tag

Header = tuple[str | bytes, str | bytes]


class HeaderMapping(Protocol):
    """The headers of a response in an HTTP library; many libraries store repeated headers separately."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Return pairs of name and value."""
        ...


Headers = Iterable[Header] | HeaderMapping

# draft-illyes-repext requires at least 8 KiB; few servers send more than 64 KiB.
MAX_HEADER_BYTES: Final = 65_536
_FIELD_NAMES: Final = frozenset(
    {"x-robots-tag", "robots-tag", "tdm-reservation", "tdm-policy", "content-type", "content-usage", "content-signal"}
    | {"link"}
)

_EXPECTED: Final = "invalid headers: expected pairs of name and value, or a mapping of names to values"
# The headers with lists of directives, of which each counts for itself.
_CUT_NAMES: Final = frozenset({"x-robots-tag", "robots-tag"})


class Fields(NamedTuple):
    """The relevant header fields.

    Attributes:
        values: The values by field name in lower case, in order.
        truncated: Whether the headers exceed the limit.
    """

    values: dict[str, list[str]]
    truncated: bool


def collect_fields(headers: Headers) -> Fields:
    """Return the relevant header fields, up to 64 KiB of them.

    A field that does not fit is left out, because a part of it can state something else. Of lists of directives, those
    that fit are read.

    Args: headers: Pairs of name and value, or an object with `items()`. Bytes are decoded as ISO 8859-1.
    Raises: TypeError: `headers` is neither.
    Cost: O(bytes), of which at most 64 KiB are stored.
    """
    values: dict[str, list[str]] = {}
    left, truncated = MAX_HEADER_BYTES, False
    for name, sent in page_headers(headers):
        value = sent
        if len(sent) > left:
            truncated = True
            if name not in _CUT_NAMES:
                continue
            # The text after the last comma may be the beginning of a directive that restricts more.
            value = sent[:left].rpartition(",")[0]
        left -= len(value)
        values.setdefault(name, []).append(value)
    return Fields(values, truncated)


def parse_header_directives(fields: Fields) -> Iterable[Directive]:
    """Yield the directives of all headers, in order.

    Cost: O(characters).
    """
    for number, value in enumerate(fields.values.get("x-robots-tag", ()), 1):
        yield from parse_directives(value, PagePosition(PageSource.X_ROBOTS_TAG, number), agents_inside=True)
    for number, value in enumerate(fields.values.get("robots-tag", ()), 1):
        yield from parse_robots_tag(value, PagePosition(PageSource.ROBOTS_TAG, number))


def page_headers(headers: Headers) -> Iterator[tuple[str, str]]:
    """Yield the headers that can contain page-level rules, each with its name in lower case.

    Raises: TypeError: `headers` is neither pairs nor a mapping.
    """
    for name, value in header_pairs(headers):
        if name in _FIELD_NAMES and (name != "link" or "license" in value.lower()):
            yield name, value


def header_pairs(headers: Headers) -> Iterator[tuple[str, str]]:
    """Yield the name of each header in lower case, and its value.

    Raises: TypeError: `headers` is neither pairs nor a mapping.
    """
    # In httpx, `items` joins repeated headers and `multi_items` keeps them apart.
    items: Any = getattr(headers, "multi_items", None) or getattr(headers, "items", None)
    pairs: Any = headers if items is None else items()
    if not isinstance(pairs, Iterable):
        raise TypeError(_EXPECTED)
    for pair in pairs:
        try:
            name, value = pair
        except (TypeError, ValueError):
            raise TypeError(_EXPECTED) from None
        yield _decode(name).strip().lower(), _decode(value)


def _decode(text: object) -> str:
    if isinstance(text, bytes):
        return text.decode("latin-1")
    if isinstance(text, str):
        return text
    raise TypeError(f"a header's name and value must be str or bytes, not {type(text).__name__}")
