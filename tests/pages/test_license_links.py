"""The RSL licenses that the headers and the HTML of a page name or contain."""

import pytest

from canfetch.pages import LicenseLink, PageNote, PagePosition, PageSource, html, parse_page

URL = "https://www.example.com/a/page"
TYPE = 'type="application/rsl+xml"'


def urls_of(value: str, url: str | bytes | None = URL) -> list[str | None]:
    return [link.url for link in parse_page(headers={"Link": value}, url=url).licenses]


@pytest.mark.parametrize(
    "value, urls",
    [
        # The guide of RSL about HTTP headers.
        (f'<https://example.com/license.xml>; rel="license"; {TYPE}', ["https://example.com/license.xml"]),
        ("<https://example.com/l>; REL=License; Type=Application/RSL+XML;x", ["https://example.com/l"]),
        (f"</a,b;c>;rel='x';rel=license;{TYPE}, </l>;rel=license;{TYPE}", ["https://www.example.com/l"]),
        (f'</x>; rel="preload", <../l>; rel="up \\license"; {TYPE}', ["https://www.example.com/l"]),
        (f'</x>; rel=license; title=","; {TYPE}', ["https://www.example.com/x"]),
        # Terms in another format, and of another resource.
        ("<https://creativecommons.org/licenses/by/4.0/>; rel=license", []),
        (f'<https://example.com/l>; rel=license; anchor="/b"; {TYPE}', []),
        (f"https://example.com/l; rel=license; {TYPE}", []),
        (f"<https://example.com/l; rel=license; {TYPE}", []),
        (f"<mailto:a@example.com>; rel=license; {TYPE}", [None]),
        (f"<>; rel=license; {TYPE}", [None]),
    ],
)
def test_rfc8288_link_headers(value: str, urls: list[str | None]) -> None:
    assert urls_of(value) == urls


def test_a_relative_reference_needs_the_url_of_the_page() -> None:
    value = f"</l>; rel=license; {TYPE}"
    assert urls_of(value, b"https://www.example.com/b") == ["https://www.example.com/l"]
    assert urls_of(value, None) == urls_of(value, "/path") == [None]
    assert urls_of(f"<https://example.com/l#x>; rel=license; {TYPE}", None) == ["https://example.com/l"]


def test_links_about_other_things_do_not_use_up_the_limit_on_headers() -> None:
    headers = [("Link", "</x.css>; rel=preload" * 10_000), ("X-Robots-Tag", "noindex")]
    page = parse_page(headers=headers)
    assert (len(page.directives), page.notes) == (1, PageNote.NONE)


def test_elements() -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")
    content = f"""<base href="/b/"><base href="/c/"><a rel=license {TYPE} href=/a>
<link rel=license {TYPE} href="l.xml"><link rel=license href=/cc><link rel=license {TYPE}>
<template><script {TYPE}>x</script></template><script>y</script>
<p><script type="application/rsl+xml; charset=utf-8"><rsl><link rel=license/><p ></p></rsl></script>
<script {TYPE}></script>"""
    page = parse_page(content, url=URL)
    link, empty, inline, blank = page.licenses
    assert (link.reference, link.url) == ("l.xml", "https://www.example.com/b/l.xml")
    assert str(link.position) == "link element 2, line 2"
    assert (empty.reference, empty.url) == ("", None)
    # No marker of positions is left in it.
    assert inline.document == "<rsl><link rel=license/><p ></p></rsl>"
    assert (str(inline.position), inline.position.in_head) == ("script element 1, line 4", False)
    assert blank.document == ""
    assert inline.to_json() == {
        "reference": None,
        "url": None,
        "position": {"source": "script", "number": 1, "line": 4, "offset": inline.position.offset, "in_head": False},
    }


def test_the_base_of_an_invalid_element_is_the_page() -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")
    (link,) = parse_page(f"<base href='data:x'><link rel=license {TYPE} href=l>", url=URL).licenses
    assert link.url == "https://www.example.com/a/l"
    (unknown,) = parse_page(f"<base href='/b/'><link rel=license {TYPE} href=l>").licenses
    assert unknown.url is None


def test_a_license_in_another_encoding() -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")
    (link,) = parse_page(f"<script {TYPE}>é</script>".encode("utf-16")).licenses
    assert link.document == "é"


def test_licenses_over_the_limit_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")
    monkeypatch.setattr(html, "MAX_ELEMENTS", 2)
    page = parse_page(f"<script {TYPE}>x</script>" * 3)
    assert ([link.document for link in page.licenses], page.notes) == (["x", "x"], PageNote.TOO_MANY_ELEMENTS)


def test_json_is_printable() -> None:
    link = LicenseLink("\x1b", "https://example.com/\x1b", None, PagePosition(PageSource.LINK_HEADER, 1))
    assert str(link.to_json()).isprintable()
    assert str(link.position) == "Link header 1"
