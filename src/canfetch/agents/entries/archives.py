"""Crawlers of archives."""

from typing import Final

from canfetch.agents.crawler import Crawler, Verification

_ARCHIVE: Final = "Wikipedia, robots.txt: the Internet Archive since April 2017"

ARCHIVES: Final[tuple[Crawler, ...]] = (
    Crawler(
        ("CCBot",),
        "Common Crawl",
        # Common Crawl publishes an archive. Others train models on it.
        ("archive", "training"),
        "https://commoncrawl.org/ccbot",
        honours=("crawl-delay", "sitemap"),
        verification=Verification((".crawl.commoncrawl.org",), ("https://index.commoncrawl.org/ccbot.json",)),
    ),
    Crawler(("archive.org_bot",), "Internet Archive", ("archive",), _ARCHIVE, obeys="no", source_kind="third-party"),
    Crawler(("ia_archiver",), "Internet Archive", ("archive",), _ARCHIVE, obeys="no", source_kind="third-party"),
    Crawler(
        ("ArchiveBot",),
        "Archive Team",
        ("archive",),
        "https://wiki.archiveteam.org/index.php?title=Robots.txt",
        obeys="no",
        checked="2026-11-26",
    ),
)
