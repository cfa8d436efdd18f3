"""One sitemap: every format, every fault, and the limits of the protocol."""

import gzip
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bulk.traced_memory import with_peak_memory

from canfetch.sitemaps import ListedURL, SitemapContent
from canfetch.sitemaps.content import MAX_SITEMAP_BYTES, MAX_SITEMAP_URLS

SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
URL = "https://a.example/"


def entry(url: str = URL, more: str = "") -> str:
    return f"<url><loc>{url}</loc>{more}</url>"


def urlset(*entries: str) -> bytes:
    return f"<urlset {SPACE}>{''.join(entries)}</urlset>".encode()


def read(content: bytes) -> tuple[str, list[ListedURL], list[str]]:
    """Return the format, the URLs, and the problems of a sitemap."""
    sitemap = SitemapContent(content)
    listed = list(sitemap)
    assert sitemap.urls == len(listed)
    problems = [f"{problem.kind} {problem.occurrences}: {problem.detail}" for problem in sitemap.problems]
    return str(sitemap.kind), listed, problems


RSS = f"""<rss><channel><link>{URL}x</link>
<item><link>{URL}</link><pubDate>Wed, 25 Nov 2026</pubDate></item></channel></rss>"""
ATOM = f"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="{URL}x"/><entry>
<link rel="self" href="{URL}s"/><link href="{URL}"/><updated>2026-11-25T00:00:00Z</updated></entry></feed>"""
INDEX = f"<sitemapindex {SPACE}><sitemap><loc>{URL}s.xml</loc></sitemap></sitemapindex>"
IMAGE = f"<image:image xmlns:image='i'><image:loc>{URL}i.png</image:loc></image:image>"
ENTITY = '<!DOCTYPE a [<!ENTITY b "https://a.example/">]><urlset><url><loc>&b;</loc></url></urlset>'


@pytest.mark.parametrize(
    "content, kind, listed",
    [
        (urlset(entry(more="<lastmod> 2026-11-25 </lastmod>")), "urlset", [(URL, "2026-11-25")]),
        (INDEX.encode(), "index", [(f"{URL}s.xml", None)]),
        (RSS.encode(), "rss", [(URL, "Wed, 25 Nov 2026")]),
        (ATOM.encode(), "atom", [(URL, "2026-11-25T00:00:00Z")]),
        (f"\ufeff{URL}\r\n\r\n {URL}ü \r{URL}c".encode(), "text", [(URL, None), (f"{URL}ü", None), (f"{URL}c", None)]),
        (f"\ufeff{URL}\n".encode("utf-16-le"), "text", [(URL, None)]),
        (urlset(entry(more=IMAGE)), "urlset", [(URL, None)]),
        (urlset(entry("<![CDATA[https://a.example/?a&b]]>")), "urlset", [(f"{URL}?a&b", None)]),
        (b"", "text", []),
    ],
    ids=["urlset", "index", "rss", "atom", "text", "utf-16", "images", "cdata", "empty"],
)
@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
def test_formats(content: bytes, kind: str, listed: list[tuple[str, str | None]], compressed: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert read(gzip.compress(content) if compressed else content) == (kind, listed, [])


@pytest.mark.parametrize(
    "content, listed, problem",
    [
        (urlset("<url></url>", entry()), [URL], "missing-url 1: line 1: an entry has no URL"),
        (urlset(entry(more="<lastmod>25.11.</lastmod>")), [URL], "invalid-lastmod 1: line 1: '25.11.' is not a date"),
        (b"\n<!DOCTYPE HTML>\n<p>Log in<br>", [], "not-a-sitemap 1: not a sitemap: it is a web page"),
        (b"<html></html>", [], "not-a-sitemap 1: not a sitemap: the root element is html"),
        (b"Disallow: /\n", [], "not-a-sitemap 1: not a sitemap: it is not XML, and no line has a URL"),
        (f"{URL}\nabout\n".encode(), [URL], "invalid-url 1: lines without a URL: 1"),
        (urlset(entry(), entry(f"{URL}b"))[:-12], [URL], "invalid-xml 1: invalid XML: unclosed token: line 1, column "),
        (gzip.compress(urlset(entry()))[:-4], [URL], "invalid-gzip 1: the gzip data ends early"),
        (b"\x1f\x8bdamaged", [], "invalid-gzip 1: invalid gzip data: Error -3 while decompressing data: "),
        (ENTITY.encode(), [], "invalid-xml 1: invalid XML: declarations are not supported"),
        (urlset(entry(URL + "a" * 3000)), [URL + "a" * 3000], "url-too-long 1: 'https://a.example/aaaaa"),
        (urlset(entry(URL + "a" * 9000), entry()), [URL], "url-too-long 1: 'https://a.example/aaaaa"),
    ],
    ids=[
        "no-url",
        "date",
        "page",
        "html",
        "robots",
        "line",
        "cut",
        "cut-gzip",
        "damaged-gzip",
        "entities",
        "long",
        "too-long",
    ],
)
def test_faults_are_named_problems(content: bytes, listed: list[str], problem: str) -> None:
    _, found, (reported,) = read(content)
    assert [one.url for one in found] == listed
    assert reported.startswith(problem)


@pytest.mark.parametrize("date", ["2026", "2026-11", "2026-11-25", "2026-11-25T10:00Z", "2026-11-25T10:00:00.5+01:00"])
def test_sitemaps_protocol_w3c_dates_are_valid(date: str) -> None:
    assert read(urlset(entry(more=f"<lastmod>{date}</lastmod>")))[2] == []


@pytest.mark.parametrize("date", ["", "26", "20261125", "2026-13", "2026-11-25T10:00", "2026-W48-3x", "٢٠٢٦"])
def test_sitemaps_protocol_other_dates_are_not(date: str) -> None:
    _, listed, problems = read(urlset(entry(more=f"<lastmod>{date}</lastmod>")))
    assert listed[0].lastmod == date
    assert [problem.partition(" ")[0] for problem in problems] == ["invalid-lastmod"]


@pytest.mark.slow
def test_sitemaps_protocol_has_at_most_50000_urls() -> None:
    content = urlset(*(entry(f"{URL}{number}") for number in range(MAX_SITEMAP_URLS + 1)))
    kind, listed, problems = read(content)
    assert (kind, len(listed)) == ("urlset", MAX_SITEMAP_URLS)
    assert problems == ["too-many-urls 1: more than 50,000 URLs"]
    assert read(content.replace(b"<url><loc>https://a.example/50000</loc></url>", b""))[2] == []


@pytest.mark.slow
def test_decompression_is_bounded_by_50_mib() -> None:
    bomb = gzip.compress(urlset(entry(), " " * (MAX_SITEMAP_BYTES + 1), entry(f"{URL}late")), 1)

    def read_bomb() -> SitemapContent:
        content = SitemapContent(bomb)
        assert [listed.url for listed in content] == [URL]
        return content

    content, peak = with_peak_memory(read_bomb)
    assert content.bytes == MAX_SITEMAP_BYTES
    assert [str(problem.kind) for problem in content.problems] == ["too-large"]
    assert content.is_truncated
    assert peak < 8 << 20


def test_urls_are_read_as_a_stream() -> None:
    content = SitemapContent(urlset(*(entry(f"{URL}{number}") for number in range(5000)), "<"))
    urls: Iterator[ListedURL] = iter(content)
    assert next(urls).url == f"{URL}0"
    assert content.bytes == 64 * 1024
    assert content.problems == ()
    whole = SitemapContent(urlset(*(entry(f"{URL}{number}") for number in range(5000)), "<"))
    assert len(list(whole)) == 5000
    assert [str(problem.kind) for problem in whole.problems] == ["invalid-xml"]


def test_members_of_a_gzip_file_are_one_sitemap() -> None:
    text = "".join(f"{URL}{number}\n" for number in range(10))
    members = gzip.compress(text[:50].encode()) + gzip.compress(text[50:].encode())
    assert [listed.url for listed in SitemapContent(members)] == text.split()


@given(st.lists(st.integers(0, 400), max_size=6), st.booleans())
def test_a_sitemap_can_be_read_in_parts(cuts: list[int], compress: bool) -> None:  # noqa: FBT001 - of a law
    content = urlset(*(entry(f"{URL}{number}") for number in range(9)), "<url/>")
    if compress:
        content = gzip.compress(content[:99]) + gzip.compress(content[99:])
    ends = sorted({*(cut for cut in cuts if cut > 1), len(content)})
    parts = (content[start:end] for start, end in pairwise([0, *ends]))
    assert list(SitemapContent(parts).entries()) == list(SitemapContent(content).entries())


@given(
    st.binary(max_size=300), st.sampled_from([b"", b"<urlset>", b"\x1f\x8b\x08", b"\xff\xfe", b"https://a.example/\n"])
)
def test_no_content_raises(content: bytes, start: bytes) -> None:
    sitemap = SitemapContent(start + content)
    assert all(listed.url.isprintable() for listed in sitemap)


def test_number_of_elements_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.sitemaps.content._MAX_ELEMENTS", 100)
    content = SitemapContent(urlset(entry(), "<a/>" * 98, entry(f"{URL}late")))
    assert [listed.url for listed in content] == [URL]
    assert [str(problem.kind) for problem in content.problems] == ["too-large"]


def test_entries_without_a_url_count() -> None:
    content = SitemapContent(urlset("<url/>", entry(), "<url/>", entry(f"{URL}late")), max_urls=3)
    assert [listed.url for listed in content] == [URL]
    assert {str(problem.kind): problem.occurrences for problem in content.problems} == {
        "missing-url": 2,
        "too-many-urls": 1,
    }
