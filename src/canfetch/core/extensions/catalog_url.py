"""Agentmap and Schemamap: the URLs of catalogs that agents may read.

An Agentmap lists the resources of a site for agents, such as tools and APIs. A Schemamap lists its structured data.
Both are drafts, do not affect verdicts, and apply to the whole site.

Source: Agentic Resource Discovery v0.91, section 5.1; NLWeb, which Yoast SEO followed until July 2026.
"""

from typing import NamedTuple

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text
from canfetch.core.urls import split_url


class CatalogURL(NamedTuple):
    """The URL of the catalog, as written."""

    url: str


def parse_catalog_url(value: bytes) -> tuple[CatalogURL | None, ExtensionNote]:
    """Parse a value: an absolute URL."""
    split = split_url(value)
    if split is None or not split.scheme:
        return None, ExtensionNote.UNREADABLE | ExtensionNote.NOT_ABSOLUTE
    return CatalogURL(display_text(value)), ExtensionNote.NONE
