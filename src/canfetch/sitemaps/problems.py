"""The faults of sitemaps, by name."""

from enum import StrEnum
from typing import Any, Final, NamedTuple

from canfetch.core.text import printable_text


class SitemapProblemKind(StrEnum):
    """What is wrong with a sitemap."""

    NOT_FETCHED = "not-fetched"  # the server fails, or robots.txt disallows it
    INVALID_GZIP = "invalid-gzip"  # the compressed data is damaged or ends early
    INVALID_XML = "invalid-xml"  # the rest of the document cannot be read
    NOT_A_SITEMAP = "not-a-sitemap"  # another XML document, a web page, or text without URLs
    TOO_LARGE = "too-large"  # more than 50 MiB without compression: the rest is not read
    TOO_MANY_URLS = "too-many-urls"  # more than 50,000 URLs: the others are not listed
    TOO_MANY_SITEMAPS = "too-many-sitemaps"  # more sitemaps than the limit: the others are not read
    NESTED_INDEX = "nested-index"  # an index in an index, which is not read
    MISSING_URL = "missing-url"  # an entry without a URL
    INVALID_URL = "invalid-url"  # not an absolute URL
    URL_TOO_LONG = "url-too-long"  # 2,048 characters or more
    INVALID_LASTMOD = "invalid-lastmod"  # not a W3C date
    NOT_DECIDED = "not-decided"  # no verdict on a URL can be computed
    OTHER_HOST = "other-host"  # the robots.txt of the URL's host does not name the sitemap
    OUTSIDE_FOLDER = "outside-folder"  # the URL is not below the folder of the sitemap, which robots.txt does not name


UNREADABLE: Final = frozenset(
    {
        SitemapProblemKind.NOT_FETCHED,
        SitemapProblemKind.INVALID_GZIP,
        SitemapProblemKind.INVALID_XML,
        SitemapProblemKind.NOT_A_SITEMAP,
        SitemapProblemKind.NOT_DECIDED,
    }
)
"""The problems because of which the answer about a sitemap is incomplete."""


_ENDS: Final = frozenset(
    {
        SitemapProblemKind.INVALID_GZIP,
        SitemapProblemKind.INVALID_XML,
        SitemapProblemKind.TOO_LARGE,
        SitemapProblemKind.TOO_MANY_URLS,
    }
)


class SitemapProblem(NamedTuple):
    """A kind of fault in one sitemap.

    Attributes:
        kind: The kind of fault.
        detail: What is wrong, in words, for the first occurrence.
        occurrences: How often it occurs.
    """

    kind: SitemapProblemKind
    detail: str
    occurrences: int = 1

    @property
    def is_unreadable(self) -> bool:
        """Whether the sitemap, or a part of it, cannot be read or decided."""
        return self.kind in UNREADABLE

    @property
    def is_end(self) -> bool:
        """Whether the rest of the sitemap is not read."""
        return self.kind in _ENDS

    def __str__(self) -> str:
        more = f" (and {self.occurrences - 1} more)" if self.occurrences > 1 else ""
        return f"{self.detail}{more}"

    def to_json(self) -> dict[str, Any]:
        """Return the problem as JSON."""
        return {"kind": str(self.kind), "detail": printable_text(self.detail), "count": self.occurrences}


class ProblemCounter:
    """Counts problems by kind, and keeps the first detail of each."""

    def __init__(self) -> None:
        self._first: dict[SitemapProblemKind, str] = {}
        self._counts: dict[SitemapProblemKind, int] = {}

    def add(self, kind: SitemapProblemKind, detail: str) -> None:
        """Count an occurrence."""
        self._first.setdefault(kind, detail)
        self._counts[kind] = self._counts.get(kind, 0) + 1

    def extend(self, problems: "tuple[SitemapProblem, ...]") -> None:
        """Add the problems of another part."""
        for problem in problems:
            self._first.setdefault(problem.kind, problem.detail)
            self._counts[problem.kind] = self._counts.get(problem.kind, 0) + problem.occurrences

    @property
    def problems(self) -> tuple[SitemapProblem, ...]:
        """The problems, in the order of their first occurrences."""
        return tuple(SitemapProblem(kind, self._first[kind], self._counts[kind]) for kind in self._first)
