"""Sitemaps: what they list, with every fault as a named problem, and with the verdicts of crawlers.

robots.txt -> sitemaps, indexes -> (robots.txt of the sitemap, fetch) -> content -> URLs -> host rules -> verdicts

- `content` reads one sitemap without I/O, as a stream of URLs in bounded memory. Open it first.
- `problems` has the faults of sitemaps by name.
- `reading` reads several sitemaps and their indexes: a procedure without I/O, which `fetching` performs with
  threads or tasks. `site` has the steps of clients.

Source: sitemaps.org, protocol 0.9.
"""

from canfetch.sitemaps.content import ListedURL, SitemapContent, SitemapKind, SkippedEntry
from canfetch.sitemaps.problems import SitemapProblem, SitemapProblemKind
from canfetch.sitemaps.reading import SitemapEntry, SitemapFile
from canfetch.sitemaps.site import read_sitemaps

__all__ = [
    "ListedURL",
    "SitemapContent",
    "SitemapEntry",
    "SitemapFile",
    "SitemapKind",
    "SitemapProblem",
    "SitemapProblemKind",
    "SkippedEntry",
    "read_sitemaps",
]
