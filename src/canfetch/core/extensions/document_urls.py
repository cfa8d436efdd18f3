"""Records that name a document by its URL: Sitemap, License, Agentmap and Schemamap. They do not affect verdicts.

A sitemap lists the URLs of a site, and does not belong to a group. A license has the terms of use, in Really Simple
Licensing (RSL). The License records of a crawler's groups replace those outside groups. An Agentmap lists the resources
of a site for agents, such as tools and APIs, and a Schemamap its structured data. Both are drafts, and apply to the
whole site.

Source: sitemaps.org; Google's specification; RSL 1.0 of December 2025, whose guide describes records outside groups
only, and whose specification describes both; Agentic Resource Discovery v0.91, section 5.1; NLWeb, which Yoast SEO
followed until July 2026.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text
from canfetch.core.urls import split_url

DocumentT = TypeVar("DocumentT")


class SitemapURL(NamedTuple):
    """The URL of a sitemap, as written."""

    url: str


class License(NamedTuple):
    """The URL of the terms, as written."""

    url: str


class CatalogURL(NamedTuple):
    """The URL of the catalog, as written."""

    url: str


def parse_sitemap(value: bytes) -> str | None:
    """Parse the value of a sitemap record: the URL as written, or None if the value is empty."""
    return display_text(value) or None


def parse_sitemap_record(value: bytes) -> tuple[SitemapURL | None, ExtensionNote]:
    """Parse a value as `parse_sitemap` does, and note a URL that is not absolute."""
    url = parse_sitemap(value)
    if url is None:
        return None, ExtensionNote.UNREADABLE
    return SitemapURL(url), ExtensionNote.NONE if _is_absolute(value) else ExtensionNote.NOT_ABSOLUTE


def parse_absolute_url(kind: Callable[[str], DocumentT], value: bytes) -> tuple[DocumentT | None, ExtensionNote]:
    """Parse a value: an absolute URL.

    Args: kind: `License` or `CatalogURL`.
    """
    if not _is_absolute(value):
        return None, ExtensionNote.UNREADABLE | ExtensionNote.NOT_ABSOLUTE
    return kind(display_text(value)), ExtensionNote.NONE


def _is_absolute(value: bytes) -> bool:
    split = split_url(value)
    return split is not None and bool(split.scheme)
