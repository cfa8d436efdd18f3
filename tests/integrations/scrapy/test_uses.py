"""The setting CANFETCH_PURPOSE: which responses count as HTML that was read, and the sites of redirects."""

import gzip
from collections.abc import Iterator

import pytest
from tests.integrations.scrapy.crawl import CrawlPlan, CrawlResult
from tests.integrations.scrapy.pages import ADDON, page, redirect, robots
from tests.servers.valid import respond
from tests.servers.web import Site

pytestmark = pytest.mark.service

META = b"<html><head><meta name=robots content=noai></head><p>fish"


@pytest.fixture(scope="module")
def crawl() -> Iterator[tuple[str, str, CrawlResult]]:
    """Return the origin of the content, one that disallows the use and redirects to it, and the result of a crawl."""
    with Site() as site, Site() as other:
        other.serve("/robots.txt", robots("User-agent: *\nContent-Signal: ai-train=no\n"))
        other.serve("/moved", redirect(f"{site.origin}/free"))
        site.serve("/moved", redirect(f"{site.origin}/free?moved"))
        site.serve("/noted", respond(b"", f"Location: {site.origin}/free?noted", "X-Robots-Tag: noai", status=302))
        for target in ("/free", "/free?moved", "/free?noted"):
            site.serve(target, page())
        site.serve("/octets", respond(META, "Content-Type: application/octet-stream"))
        site.serve("/last", respond(META, "Content-Type: text/plain", "Content-Type: text/html"))
        site.serve("/coded", page("Content-Encoding: gzip", html=gzip.compress(META)))
        site.serve("/head", page(html=b""))
        site.serve("/text", respond(META, "Content-Type: text/plain"))
        site.serve("/priced", respond(b"", "Crawler-Price: USD 1", status=402))
        site.serve("/part", respond(META, "Content-Type: text/html", "Content-Range: bytes 0-57/58", status=206))
        requests = [
            *(
                {"url": site.origin + target}
                for target in ("/free", "/moved", "/noted", "/octets", "/last", "/coded", "/text", "/part")
            ),
            {"url": f"{site.origin}/head", "method": "HEAD"},
            {"url": f"{site.origin}/priced"},
            {"url": f"{other.origin}/moved"},
        ]
        settings = {**ADDON, "CANFETCH_PURPOSE": "training", "COMPRESSION_ENABLED": False}
        yield site.origin, other.origin, CrawlPlan(requests, settings).run()


def test_sites_that_redirect_count(crawl: tuple[str, str, CrawlResult]) -> None:
    origin, other, result = crawl
    moved = result.pages[f"{other}/moved"]
    assert moved.error == "DisallowedUse"
    assert "Content-Signal: ai-train=no" in moved.message
    assert result.pages[f"{origin}/moved"].meta["page"] == result.pages[f"{origin}/free"].meta["page"]
    noted = result.pages[f"{origin}/noted"]
    assert (noted.error, f"X-Robots-Tag header 1 of {origin}/noted: noai" in noted.message) == ("DisallowedUse", True)


def test_a_use_on_conditions_is_dropped(crawl: tuple[str, str, CrawlResult]) -> None:
    priced = crawl[2].pages[f"{crawl[0]}/priced"]
    assert (priced.error, "only on conditions: headers, status 402" in priced.message) == ("DisallowedUse", True)


@pytest.mark.parametrize("target", ["/octets", "/last", "/part"])
def test_what_scrapy_takes_for_html_is_read(crawl: tuple[str, str, CrawlResult], target: str) -> None:
    refused = crawl[2].pages[crawl[0] + target]
    assert (refused.error, "meta element 1" in refused.message) == ("DisallowedUse", True)


# Whether HTML is a source that was not read.
TARGETS = {"/coded": True, "/head": True, "/free": False, "/text": False}


def test_bodies_that_are_missing_or_encoded_are_not_read(crawl: tuple[str, str, CrawlResult]) -> None:
    origin, _, result = crawl
    unread = {target: "; not read: html" in result.pages[origin + target].meta["page"] for target in TARGETS}
    assert unread == TARGETS


def test_sites_that_a_site_names_get_no_credentials() -> None:
    """Scrapy itself adds the header to the requests for all pages."""
    with Site() as site, Site() as other:
        for one in (site, other):
            for target in ("/page", "/other"):
                one.serve(target, page())
        site.serve("/robots.txt", robots(f"License: {other.origin}/rsl\nUser-agent: *\nAllow: /\n"))
        site.serve("/.well-known/tdmrep.json", redirect(f"{other.origin}/tdm"))
        site.serve("/moved", redirect(f"{other.origin}/page"))
        other.serve("/robots.txt", robots("User-agent: *\nAllow: /\n"))
        settings = {
            **ADDON,
            "CANFETCH_PURPOSE": "training",
            "CANFETCH_MARK_USES": True,
            "DEFAULT_REQUEST_HEADERS": {"Authorization": "Bearer secret"},
        }
        requests = [{"url": f"{site.origin}{target}"} for target in ("/page", "/moved", "/other")]
        CrawlPlan(requests, settings).run()
        sent = {request.target: "authorization" in request.headers for request in other.requests}
        assert {name: has for name, has in sent.items() if name != "/page"} == {
            "/robots.txt": False,
            "/.well-known/tdmrep.json": False,
            "/tdm": False,
            "/rsl": False,
        }
        assert {request.headers.get("authorization") for request in site.requests} == {"Bearer secret"}
