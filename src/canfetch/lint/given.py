"""What is given to the linter: the file, and what else is known about it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from canfetch.access.entries import CacheEntry
from canfetch.pages.page_rules import PageRules

_NOTHING: Final[Mapping[str, bytes | None]] = MappingProxyType({})


class SeenPage(NamedTuple):
    """A page of the site: its URL, and what it says of itself."""

    url: str
    rules: PageRules


class Given(NamedTuple):
    """A file to lint, and what is known about it; what is not known is not looked at.

    Attributes:
        content: the file, as it came.
        path: its name or path in a file system.
        url: where it is, or is going to be.
        delivery: what came of fetching it, as a client keeps it.
        siblings: robots.txt files of the same service under other schemes and hosts, by URL; None for one that
            has no file.
        pages: pages of the site.
    """

    content: bytes
    path: str | None = None
    url: str | None = None
    delivery: CacheEntry | None = None
    siblings: Mapping[str, bytes | None] = _NOTHING
    pages: tuple[SeenPage, ...] = ()
