"""The RSL licenses of a page: Link headers, link elements, and licenses that the page contains.

A license without the media type of RSL, such as a link to the terms of Creative Commons, is not one of RSL.

Source: RSL 1.0 sections 4.5 and 4.6; RFC 8288 section 3.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from canfetch.core.origin import find_origin
from canfetch.core.text import display_text
from canfetch.core.urls import url_bytes
from canfetch.pages.annotations import element_position
from canfetch.pages.directives import printable
from canfetch.pages.encodings import parse_media_type
from canfetch.pages.headers import Fields
from canfetch.pages.html import RSL_TYPE, Element, Elements
from canfetch.pages.positions import PagePosition, PageSource
from canfetch.pages.resources import resolve_as_browser
from canfetch.pages.robots_tag import split_unquoted

_LICENSE: Final = "license"
_MAX_REFERENCE_LENGTH: Final = 2048


class LicenseLink(NamedTuple):
    """A license that a page names or contains.

    Attributes:
        reference: The reference as written, cut at 2048 characters, or None if the page contains the license.
        url: The absolute URL of the license without its fragment, or None if the page contains it, or the reference is
            not valid.
        document: The license if the page contains it, or None.
        position: Where the header or element is.
    """

    reference: str | None
    url: str | None
    document: str | None
    position: PagePosition

    def to_json(self) -> dict[str, Any]:
        """Return the link as JSON-compatible values, without the license that the page contains."""
        return {
            "reference": None if self.reference is None else printable(self.reference),
            "url": None if self.url is None else printable(self.url),
            "position": self.position.to_json(),
        }


def parse_license_links(fields: Fields, elements: Elements, url: str | bytes | None) -> Iterator[LicenseLink]:
    """Yield the licenses of headers, of link elements and of script elements, each in order.

    Args: url: The URL of the page. Without an absolute one, relative references have no URL.
    Cost: O(characters).
    """
    page = None if url is None or find_origin(url) is None else display_text(url_bytes(url))
    for number, value in enumerate(fields.values.get("link", ()), 1):
        position = PagePosition(PageSource.LINK_HEADER, number)
        yield from (_make_link(reference, page, position) for reference in _header_references(value))
    base = page if page is None or elements.base is None else resolve_as_browser(page, elements.base) or page
    for element in elements.links:
        attributes = element.attributes
        if element.name == "link" and _is_license(attributes.get("rel", ""), attributes.get("type", "")):
            yield _make_link(attributes.get("href", ""), base, element_position(element, PageSource.LINK))
    for element, text in elements.licenses:
        yield LicenseLink(None, None, text, element_position(element, PageSource.SCRIPT))


def is_cut_license(element: Element) -> bool:
    """Return whether the limit on attributes cut a link element that may name a license."""
    if element.name != "link" or not element.cut:
        return False
    attributes = element.attributes
    is_license = _is_license(attributes.get("rel", ""), attributes.get("type", ""))
    return not {"rel", "type"}.isdisjoint(element.cut) or (is_license and "href" in element.cut)


def _make_link(reference: str, base: str | None, position: PagePosition) -> LicenseLink:
    reference = reference.strip()
    # A reference that is absolute does not need a base.
    url = resolve_as_browser(base or reference, reference) if reference else None
    return LicenseLink(reference[:_MAX_REFERENCE_LENGTH], url, None, position)


def _is_license(relations: str, media_type: str) -> bool:
    return _LICENSE in relations.lower().split() and parse_media_type(media_type) == RSL_TYPE


def _header_references(value: str) -> Iterator[str]:
    """Yield the targets of the licenses in one Link header."""
    position = 0
    while (start := value.find("<", position)) >= 0 and (end := value.find(">", start)) >= 0:
        parameters = next(split_unquoted(value[end + 1 :], ","))
        position = end + 1 + len(parameters)
        named = _parameters(parameters)
        # A link with an anchor is one of another resource.
        if "anchor" not in named and _is_license(named.get("rel", ""), named.get("type", "")):
            yield value[start + 1 : end]


def _parameters(text: str) -> dict[str, str]:
    """Return the parameters of a link by name in lower case. Of several with one name, the first counts."""
    named: dict[str, str] = {}
    for part in split_unquoted(text, ";"):
        name, _, value = part.partition("=")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1].replace("\\", "")
        named.setdefault(name.strip().lower(), value)
    return named
