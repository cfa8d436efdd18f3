"""The page that a page forwards to by a Refresh header or a meta element.

Source: WHATWG HTML sections 4.2.5.3 (the refresh pragma) and 7.4.6 (the Refresh header).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from canfetch.pages.encodings import parse_media_type
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES, HTML_TYPES, TagPositions, read_tags
from canfetch.pages.resources import resolve_as_browser

_SPACE: Final = "\t\n\f\r "
_DIGITS: Final = "0123456789"
# More digits are the same for a reader: a page that no reader waits for.
_MAX_DIGITS: Final = 9
# What a browser without a script, or no browser at all, reads.
_NOT_SHOWN: Final = frozenset({"noscript", "template"})


class Refresh(NamedTuple):
    """A page to load after a time.

    Attributes:
        seconds: The time.
        url: The absolute URL of the page, without its fragment.
    """

    seconds: int
    url: str


def find_refresh(
    html: bytes, *, url: str, content_type: str | None = None, header: str | None = None
) -> Refresh | None:
    """Return the page that a page forwards to, or None. Never raises on the content of a site.

    The header comes before the elements, and only the first valid one counts.

    Args:
        html: The body, of which at most 2 MiB are read.
        url: The absolute URL of the page. One that loads itself again forwards to nothing.
        content_type: The value of the header, for the encoding.
        header: The value of the Refresh header.
    Raises: MissingExtra: lxml is not installed.
    Cost: O(bytes).
    """
    found = None if header is None else parse_refresh(header, url)
    if found is None and parse_media_type(content_type) in HTML_TYPES:
        target = read_tags(html, content_type, _Collector, marked=(), max_bytes=DEFAULT_MAX_PAGE_BYTES).target
        base = url if target.base is None else resolve_as_browser(url, target.base) or url
        found = next((one for value in target.values if (one := parse_refresh(value, base))), None)
    return None if found is None or found.url == url.partition("#")[0] else found


def parse_refresh(value: str, base: str) -> Refresh | None:
    """Return what a value states, or None if it is not valid, or names a URL that is not one of the web."""
    rest = value.lstrip(_SPACE)
    after = rest.lstrip(_DIGITS)
    digits = rest[: len(rest) - len(after)]
    if not digits and not after.startswith("."):
        return None
    after = after.lstrip(f"{_DIGITS}.")
    if after and after[0] not in f";,{_SPACE}":
        return None
    after = after.lstrip(_SPACE)
    if after[:1] in {";", ","}:
        after = after[1:].lstrip(_SPACE)
    target = resolve_as_browser(base, _reference(after))
    return None if target is None else Refresh(int(digits[:_MAX_DIGITS] or 0), target)


def _reference(text: str) -> str:
    """Return the URL of a value, without `url=` and quotes."""
    if text[:3].lower() == "url":
        named = text[3:].lstrip(_SPACE)
        if not named.startswith("="):
            return text
        text = named[1:].lstrip(_SPACE)
    return text[1:].partition(text[0])[0] if text[:1] in {"'", '"'} else text


class _Collector:
    """The parser target: collects the values through the interface that lxml requires."""

    def __init__(self, positions: TagPositions) -> None:
        del positions
        self.values: list[str] = []
        self.base: str | None = None
        self._hidden = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Handle a start tag; lxml passes its name in lower case."""
        if tag in _NOT_SHOWN:
            self._hidden += 1
        elif self._hidden:
            return
        elif tag == "base" and self.base is None:
            self.base = attributes.get("href")
        elif tag == "meta" and attributes.get("http-equiv", "").strip(_SPACE).lower() == "refresh":
            self.values.append(attributes.get("content", ""))

    def end(self, tag: str) -> None:
        """Handle an end tag, written or inferred."""
        if tag in _NOT_SHOWN:
            self._hidden = max(0, self._hidden - 1)

    def data(self, text: str) -> None:
        """Ignore text."""

    def close(self) -> None:
        """Handle the end of the page."""
