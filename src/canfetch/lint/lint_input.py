"""The linter's input: a robots.txt file and its context."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from canfetch.access.entries import CacheEntry
    from canfetch.pages.page_rules import PageRules

_NO_SIBLINGS: Final[Mapping[str, bytes | None]] = MappingProxyType({})


class SitePage(NamedTuple):
    """A page of the site: its URL and its own robots rules."""

    url: str
    rules: "PageRules"


class LintInput(NamedTuple):
    """A file to lint, with its context. Checks that need missing context find nothing.

    Attributes:
        content: The file's bytes.
        path: Its name or path in a file system.
        url: The URL at which it is, or will be, published.
        path_in_site: Its path in the site, such as `/pages/robots.txt`, if it is in a folder of the site. It is
            not used with `url`.
        delivery: The cache entry that results from fetching it.
        siblings: The robots.txt files of the same site under other schemes and hosts, by URL. None marks a file
            that does not exist.
        pages: Pages of the site.
    """

    content: bytes
    path: str | None = None
    url: str | None = None
    delivery: "CacheEntry | None" = None
    siblings: Mapping[str, bytes | None] = _NO_SIBLINGS
    pages: tuple[SitePage, ...] = ()
    path_in_site: str | None = None

    @property
    def name(self) -> str:
        """The path or URL, or `robots.txt`."""
        return self.path or self.url or "robots.txt"

    @property
    def file_name(self) -> str:
        """The last part of the path, or an empty string."""
        return (self.path or "").replace("\\", "/").rpartition("/")[2]
