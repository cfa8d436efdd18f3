"""Where something stands: in which header, element or entry, counted from 1, and in which line of the page."""

from enum import StrEnum
from typing import Any, NamedTuple


class PageSource(StrEnum):
    """What carries a statement."""

    X_ROBOTS_TAG = "x-robots-tag"
    ROBOTS_TAG = "robots-tag"
    META = "meta"
    TDM_FILE = "tdmrep.json"
    TDM_HEADER = "tdm-header"
    TDM_META = "tdm-meta"
    ELEMENT = "element"


class PagePosition(NamedTuple):
    """Where a statement stands.

    `number` counts from 1: the header among those of its name, the meta element among all meta elements of the
    page, the entry of the file. `line` counts from 1, `octet` from 0; both are None outside of HTML. `in_head`
    says whether an element stands in the head of the page.
    """

    source: PageSource
    number: int
    line: int | None = None
    offset: int | None = None
    in_head: bool | None = None

    def to_json(self) -> dict[str, Any]:
        """Give the place in plain values."""
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
        }[self.source]
        return f"{name} {self.number}" + ("" if self.line is None else f", line {self.line}")
