"""Sitemap: the URL as written."""

import pytest

from canfetch.core.extensions.document_urls import parse_sitemap


@pytest.mark.parametrize(
    "value, url",
    [
        (b"https://example.com/sitemap.xml", "https://example.com/sitemap.xml"),
        # According to Google, the URL need not be encoded. Unprintable bytes become escapes.
        ("https://example.com/\u30c4.xml".encode(), "https://example.com/\u30c4.xml"),
        (b"https://example.com/\xff\x1b", "https://example.com/%FF%1B"),
        (b"/relative.xml", "/relative.xml"),
        (b"", None),
    ],
)
def test_google_sitemap_is_the_url_as_written(value: bytes, url: str | None) -> None:
    assert parse_sitemap(value) == url
