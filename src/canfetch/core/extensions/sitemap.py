"""Sitemap: the URL of a list of the site's URLs. It does not belong to a group.

Source: sitemaps.org; Google's specification.
"""

from typing import NamedTuple

from canfetch.core.text import display_text


class SitemapURL(NamedTuple):
    """The URL of a sitemap, as written."""

    url: str


def parse_sitemap(value: bytes) -> str | None:
    """Parse a value: the URL as written, or None if the value is empty."""
    return display_text(value) or None
