"""Content codings of robots.txt files in crawls of real sites, decoded by Scrapy or by canfetch.

robots.txt is requested without `Accept-Encoding`, so a server that encodes it ignores the request.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

import pytest
from tests.integrations.scrapy.crawl import CrawlPlan, CrawlResult
from tests.integrations.scrapy.pages import ADDON, encoded, serve_pages, targets
from tests.servers.web import Behaviour, Site

pytestmark = pytest.mark.service

brotli = pytest.importorskip("brotli")
zstandard = pytest.importorskip("zstandard")

RULES = b"User-agent: *\nDisallow: /private\n"
_RAW = zlib.compressobj(wbits=-15)
VALID: dict[str, Behaviour] = {
    "gzip": encoded(gzip.compress(RULES), "gzip"),
    "x-gzip": encoded(gzip.compress(RULES), "x-gzip"),
    "deflate": encoded(zlib.compress(RULES), "deflate"),
    "raw deflate": encoded(_RAW.compress(RULES) + _RAW.flush(), "deflate"),
    "brotli": encoded(brotli.compress(RULES), "br"),
    "zstd": encoded(zstandard.compress(RULES), "zstd"),
    "two codings": encoded(brotli.compress(gzip.compress(RULES)), "gzip, br"),
    "identity": encoded(RULES, "identity"),
    # A name that no client knows: the bytes are the file.
    "unknown coding": encoded(RULES, "aws-chunked"),
}
INVALID: dict[str, Behaviour] = {
    "text as gzip": encoded(RULES, "gzip"),
    "text as deflate": encoded(RULES, "deflate"),
    "text as brotli": encoded(RULES, "br"),
    "text as zstd": encoded(RULES, "zstd"),
    # The time in the head of gzip is fixed: with one time in seven the bytes are a cut brotli stream.
    "gzip as brotli": encoded(gzip.compress(RULES, mtime=0), "br"),
}
# Scrapy accepts these, and decodes what there is.
CUT: dict[str, Behaviour] = {
    "cut gzip": encoded(gzip.compress(RULES)[:-12], "gzip"),
    "cut brotli": encoded(brotli.compress(RULES)[:-3], "br"),
}


class Crawl(NamedTuple):
    """The sites by name, the result of the crawl, and whether Scrapy has decoded the files."""

    sites: dict[str, Site]
    result: CrawlResult
    is_decoded_by_scrapy: bool


@pytest.fixture(scope="module", params=[True, False], ids=["decoded by Scrapy", "decoded by canfetch"])
def crawl(request: pytest.FixtureRequest) -> Iterator[Crawl]:
    with ExitStack() as stack:
        behaviours = VALID | INVALID | CUT
        sites = {name: stack.enter_context(Site()) for name in behaviours}
        for name, behaviour in behaviours.items():
            sites[name].serve("/robots.txt", behaviour)
            serve_pages(sites[name], "/page", "/private")
        requests = [{"url": site.origin + path} for site in sites.values() for path in ("/private", "/page")]
        settings = {**ADDON, "COMPRESSION_ENABLED": request.param, "RETRY_ENABLED": False}
        yield Crawl(sites, CrawlPlan(requests, settings).run(), is_decoded_by_scrapy=request.param)


@pytest.mark.parametrize("name", VALID)
def test_encoded_robots_txt_applies(crawl: Crawl, name: str) -> None:
    site = crawl.sites[name]
    assert crawl.result.pages[f"{site.origin}/private"].error == "DisallowedRequest"
    assert crawl.result.pages[f"{site.origin}/page"].status == 200
    assert targets(site) == ["/robots.txt", "/page"]


@pytest.mark.parametrize("name", INVALID)
def test_invalid_coding_disallows_everything(crawl: Crawl, name: str) -> None:
    site = crawl.sites[name]
    for path in ("/private", "/page"):
        page = crawl.result.pages[site.origin + path]
        assert (page.error, page.status) == ("DisallowedRequest", None), page
    assert targets(site) == ["/robots.txt"]


@pytest.mark.parametrize("name", CUT)
def test_cut_file_is_a_failure_unless_scrapy_decodes_it(crawl: Crawl, name: str) -> None:
    page = crawl.result.pages[f"{crawl.sites[name].origin}/page"]
    assert page.status == (200 if crawl.is_decoded_by_scrapy else None)
    assert page.error == ("" if crawl.is_decoded_by_scrapy else "DisallowedRequest")
