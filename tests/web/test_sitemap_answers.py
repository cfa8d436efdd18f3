"""Sitemaps of strangers: no content raises, and the memory is bounded."""

import pytest
from tests.bulk.traced_memory import with_peak_memory

from canfetch.answers.sitemaps import parse_sitemap

ENTRY = "<url><loc>https://a.example/</loc></url>"


@pytest.mark.parametrize("encoding", ["utf-7", "big5", "unknown", "hex", "idna", "undefined"])
def test_an_encoding_that_is_not_supported_is_a_problem(encoding: str) -> None:
    content = f'<?xml version="1.0" encoding="{encoding}"?><urlset>{ENTRY}</urlset>'
    found = parse_sitemap(content.encode(), max_urls=5)
    assert found.urls == ()
    assert found.problem is not None
    assert found.problem.startswith("invalid XML: ")


@pytest.mark.slow
def test_urls_before_a_limit_are_returned() -> None:
    names = "".join(f"<a{number}/>" for number in range(300_000))
    content = f"<urlset>{ENTRY}{names}</urlset>".encode()
    found, peak = with_peak_memory(lambda: parse_sitemap(content, max_urls=5))
    assert found.urls == ("https://a.example/",)
    assert found.problem == "invalid XML: too many names of elements and attributes"
    assert peak < 8 << 20


@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0" encoding="UTF-16"?>\n'])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_a_byte_order_mark(declaration: str, encoding: str) -> None:
    content = f"\ufeff{declaration}<urlset>{ENTRY}</urlset>".encode(encoding)
    assert parse_sitemap(content, max_urls=5) == ("urlset", ("https://a.example/",), False, None)
    text = "\ufeffhttps://a.example/\r\nhttps://a.example/ü\r\n".encode(encoding)
    assert parse_sitemap(text, max_urls=5) == ("text", ("https://a.example/", "https://a.example/ü"), False, None)


@pytest.mark.slow
def test_utf_16_without_a_byte_order_mark() -> None:
    content = f'<?xml version="1.0" encoding="UTF-16"?><urlset>{ENTRY}</urlset>'
    for encoding in ("utf-16-le", "utf-16-be"):
        found = parse_sitemap(content.encode(encoding), max_urls=5)
        assert (found.urls, found.problem) == (("https://a.example/",), None), encoding
