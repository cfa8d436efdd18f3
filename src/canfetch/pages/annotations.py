"""Annotations of links and text: link qualifiers in `rel`, and `data-nosnippet`.

Source: Google, qualify your outbound links; HTML, link types; Google, data-nosnippet.
"""

from typing import Any, Final, NamedTuple

from canfetch.pages.directives import printable
from canfetch.pages.html import NO_SNIPPET_NAMES, Element
from canfetch.pages.positions import PagePosition, PageSource

# Google treats these as hints that the site does not vouch for the target, not as commands.
QUALIFIERS: Final = ("nofollow", "ugc", "sponsored")
_MAX_TARGET_LENGTH: Final = 2048


class QualifiedLink(NamedTuple):
    """A link whose `rel` attribute qualifies it.

    Attributes:
        element: The name of the element.
        qualifiers: Which of nofollow, ugc and sponsored it has, in this order.
        target: Its `href` or `action` as written and unresolved, cut at 2048 characters, or None.
        rel: The value of `rel`, cut at 2048 characters.
        position: Where the element is.
    """

    element: str
    qualifiers: tuple[str, ...]
    target: str | None
    rel: str
    position: PagePosition

    def to_json(self) -> dict[str, Any]:
        """Return the link as JSON-compatible values."""
        return {
            "element": self.element,
            "qualifiers": list(self.qualifiers),
            "target": None if self.target is None else printable(self.target),
            "rel": printable(self.rel),
            "position": self.position.to_json(),
        }


class NoSnippet(NamedTuple):
    """An element with `data-nosnippet`.

    Attributes:
        element: The name of the element.
        valid: Whether the attribute is valid on this element: a div, section or span.
        position: Where the element is.
    """

    element: str
    valid: bool
    position: PagePosition

    def to_json(self) -> dict[str, Any]:
        """Return the element as JSON-compatible values."""
        return {"element": printable(self.element), "valid": self.valid, "position": self.position.to_json()}


def parse_rel(rel: str) -> tuple[str, ...]:
    """Return the qualifiers in the value of a `rel` attribute, a list separated by white space or commas.

    Cost: O(characters).
    """
    words = set(rel.lower().replace(",", " ").split())
    return tuple(qualifier for qualifier in QUALIFIERS if qualifier in words)


def parse_link(element: Element) -> QualifiedLink | None:
    """Return the qualified link that an element is, or None if it has no qualifier."""
    rel = element.attributes.get("rel", "")
    qualifiers = parse_rel(rel)
    if not qualifiers:
        return None
    target = element.attributes.get("action" if element.name == "form" else "href")
    cropped = None if target is None else target.strip()[:_MAX_TARGET_LENGTH]
    return QualifiedLink(element.name, qualifiers, cropped, rel[:_MAX_TARGET_LENGTH], element_position(element))


def parse_no_snippet(element: Element) -> NoSnippet:
    """Return the annotation of an element with `data-nosnippet`, whatever the value of the attribute."""
    return NoSnippet(element.name, element.name in NO_SNIPPET_NAMES, element_position(element))


def element_position(element: Element, source: PageSource = PageSource.ELEMENT) -> PagePosition:
    """Return the position of an element."""
    return PagePosition(source, element.number, element.line, element.offset, element.in_head)
