"""Sitemap: where the site's lists of URLs are. It belongs to no group.

Source: sitemaps.org; Google's specification.
"""

from typing import NamedTuple

from canfetch.core.text import display_text


class SitemapURL(NamedTuple):
    """The URL of a list of URLs, as written."""

    url: str


def parse_sitemap(value: bytes) -> str | None:
    """Read a value: the URL as written, or None where there is none."""
    return display_text(value) or None
