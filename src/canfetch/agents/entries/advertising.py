"""Crawlers that classify pages for advertising."""

from typing import Final

from canfetch.agents.crawler import Crawler, Verification

_CHECKED: Final = "2026-11-22"

ADVERTISING: Final[tuple[Crawler, ...]] = (
    Crawler(("proximic",), "Comscore", ("ads",), "https://www.comscore.com/Web-Crawler", checked=_CHECKED),
    Crawler(
        ("GrapeshotCrawler",),
        "Oracle",
        ("ads",),
        "https://www.addthis.com/grapeshot/crawler/",
        obeys="not-documented",
        checked=_CHECKED,
        verification=Verification(note="the addresses are on its page"),
    ),
)
