"""Sitemap: the URL as written, or nothing."""

import pytest

from canfetch.core.extensions.sitemap import parse_sitemap


@pytest.mark.parametrize(
    "value, url",
    [
        (b"https://example.com/sitemap.xml", "https://example.com/sitemap.xml"),
        # No need to encode it, says Google; what cannot be shown is shown as its escape.
        ("https://example.com/\u30c4.xml".encode(), "https://example.com/\u30c4.xml"),
        (b"https://example.com/\xff\x1b", "https://example.com/%FF%1B"),
        (b"/relative.xml", "/relative.xml"),
        (b"", None),
    ],
)
def test_google_a_sitemap_is_a_url_as_written(value: bytes, url: str | None) -> None:
    assert parse_sitemap(value) == url
