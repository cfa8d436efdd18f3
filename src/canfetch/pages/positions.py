"""Positions of page-level rules: the header, element or entry, and the line of the page."""

from enum import StrEnum
from typing import Any, NamedTuple


class PageSource(StrEnum):
    """The kind of source that a page-level rule is found in."""

    X_ROBOTS_TAG = "x-robots-tag"
    ROBOTS_TAG = "robots-tag"
    META = "meta"
    TDM_FILE = "tdmrep.json"
    TDM_HEADER = "tdm-header"
    TDM_META = "tdm-meta"
    ELEMENT = "element"
    LINK_HEADER = "link-header"
    LINK = "link"
    SCRIPT = "script"


class PagePosition(NamedTuple):
    """The position of a page-level rule.

    Attributes:
        source: The kind of source.
        number: The header among those of its name, the element among those of its kind, or the entry of the file,
            from 1.
        line: The line of the element, from 1; None outside HTML.
        offset: The byte offset of the element, from 0; None outside HTML.
        in_head: Whether the element is in the head of the page; None outside HTML.
    """

    source: PageSource
    number: int
    line: int | None = None
    offset: int | None = None
    in_head: bool | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the position as JSON-compatible values."""
        return {**self._asdict(), "source": str(self.source)}

    def __str__(self) -> str:
        name = {
            PageSource.X_ROBOTS_TAG: "X-Robots-Tag header",
            PageSource.ROBOTS_TAG: "Robots-Tag header",
            PageSource.META: "meta element",
            PageSource.TDM_FILE: "tdmrep.json entry",
            PageSource.TDM_HEADER: "tdm-reservation header",
            PageSource.TDM_META: "meta element",
            PageSource.ELEMENT: "element",
            PageSource.LINK_HEADER: "Link header",
            PageSource.LINK: "link element",
            PageSource.SCRIPT: "script element",
        }[self.source]
        return f"{name} {self.number}" + ("" if self.line is None else f", line {self.line}")
