"""What links say of their targets, and which text is kept out of snippets.

Source: Google, qualify your outbound links; HTML, link types; Google, data-nosnippet.
"""

from typing import Any, Final, NamedTuple

from canfetch.pages.directives import plain
from canfetch.pages.html import NO_SNIPPET_NAMES, Element
from canfetch.pages.positions import PagePosition, PageSource

# Hints for Google, not commands: the site does not vouch for the target.
QUALIFIERS: Final = ("nofollow", "ugc", "sponsored")
_LONGEST_TARGET: Final = 2048


class QualifiedLink(NamedTuple):
    """A link whose `rel` qualifies it.

    `qualifiers` are those of nofollow, ugc and sponsored that it has, in that order. `target` is its `href`, or
    `action`, as written and unresolved, at most 2048 characters of it; None where it has none.
    """

    element: str
    qualifiers: tuple[str, ...]
    target: str | None
    rel: str
    position: PagePosition

    def to_json(self) -> dict[str, Any]:
        """Give the link in plain values."""
        return {
            "element": self.element,
            "qualifiers": list(self.qualifiers),
            "target": None if self.target is None else plain(self.target),
            "rel": plain(self.rel),
            "position": self.position.to_json(),
        }


class NoSnippet(NamedTuple):
    """An element with `data-nosnippet`; `valid` says whether it may have one: a div, section or span."""

    element: str
    valid: bool
    position: PagePosition

    def to_json(self) -> dict[str, Any]:
        """Give the element in plain values."""
        return {"element": plain(self.element), "valid": self.valid, "position": self.position.to_json()}


def parse_rel(rel: str) -> tuple[str, ...]:
    """Give the qualifiers in the value of a `rel` attribute; white space or commas part its words.

    Cost: O(characters).
    """
    words = set(rel.lower().replace(",", " ").split())
    return tuple(qualifier for qualifier in QUALIFIERS if qualifier in words)


def parse_link(element: Element) -> QualifiedLink | None:
    """Read a link; None where nothing qualifies it."""
    rel = element.attributes.get("rel", "")
    qualifiers = parse_rel(rel)
    if not qualifiers:
        return None
    target = element.attributes.get("action" if element.name == "form" else "href")
    cropped = None if target is None else target.strip()[:_LONGEST_TARGET]
    return QualifiedLink(element.name, qualifiers, cropped, rel[:_LONGEST_TARGET], element_position(element))


def no_snippet(element: Element) -> NoSnippet:
    """Read an element with `data-nosnippet`; its value means nothing."""
    return NoSnippet(element.name, element.name in NO_SNIPPET_NAMES, element_position(element))


def element_position(element: Element, source: PageSource = PageSource.ELEMENT) -> PagePosition:
    """Give the place of an element."""
    return PagePosition(source, element.number, element.line, element.offset, element.in_head)
