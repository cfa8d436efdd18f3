"""The URLs of one sitemap, as the HTTP API lists them."""

from collections.abc import Generator
from typing import Any, Final, NamedTuple

from canfetch.client.documents import Document, Step, fetch_document
from canfetch.sitemaps.content import MAX_SITEMAP_BYTES, MAX_SITEMAP_URLS, SitemapContent, SitemapKind

SITEMAP_SCHEMA: Final = "canfetch.sitemap/1"


class Sitemap(NamedTuple):
    """The URLs of a sitemap.

    Attributes:
        kind: The format. The URLs of an index are those of sitemaps.
        urls: The URLs, in order, each once.
        truncated: Whether the sitemap has more URLs than the limit, or more bytes.
        problem: Why the rest of the sitemap could not be read, or None.
    """

    kind: SitemapKind
    urls: tuple[str, ...]
    truncated: bool
    problem: str | None


class FetchedSitemap(NamedTuple):
    """A sitemap, and the document that it was read from."""

    sitemap: Sitemap
    document: Document

    def to_json(self) -> dict[str, Any]:
        """Return the URLs and where they are from as JSON."""
        facts = self.document.facts().to_json()
        return {
            "schema": SITEMAP_SCHEMA,
            "url": facts["url"],
            "hops": facts["hops"],
            **self.sitemap._asdict(),
            "kind": str(self.sitemap.kind),
        }


def fetch_sitemap(url: str, *, max_urls: int) -> Generator[Step, Any, FetchedSitemap]:
    """Fetch one sitemap.

    Raises: NotFetched.
    """
    document = yield from fetch_document(url, max_bytes=MAX_SITEMAP_BYTES)
    return FetchedSitemap(parse_sitemap(document.checked_body(), max_urls=max_urls), document)


def parse_sitemap(content: bytes, *, max_urls: int = MAX_SITEMAP_URLS) -> Sitemap:
    """Return the URLs of a sitemap. No content raises.

    Cost: As `SitemapContent`.
    """
    # An entry more for each that is repeated.
    reader = SitemapContent(content, max_urls=max(max_urls, MAX_SITEMAP_URLS))
    urls: dict[str, None] = {}
    truncated = False
    for listed in reader:
        if listed.url not in urls:
            if len(urls) >= max_urls:
                truncated = True
                break
            urls[listed.url] = None
    problem = next((problem for problem in reader.problems if problem.is_unreadable), None)
    return Sitemap(
        reader.kind, tuple(urls), truncated or reader.is_truncated, None if problem is None else problem.detail
    )
