"""The option `purpose`: responses whose use their site disallows are refused, or marked."""

import gzip
import http.client
import json
import pickle
import random
from typing import Any

import pytest
from tests.integrations.http_clients.hosts import open_host
from tests.servers.valid import respond
from tests.servers.web import Behaviour, Exchange, Site

from canfetch.errors import InvalidOption, InvalidProductToken
from canfetch.integrations.request_guard import UseDisallowed
from canfetch.integrations.urllib import RobotsHandler

TDM = json.dumps([{"location": "/reserved", "tdm-reservation": 1}]).encode()
HTML = "Content-Type: text/html"
META = b"<meta name=robots content=noai><p>fish"


def targets(site: Site) -> list[str]:
    return [request.target for request in site.requests]


@pytest.fixture
def library(site: Site) -> Site:
    """Return an origin with statements in robots.txt, headers, HTML, tdmrep.json and a license."""
    site.serve("/robots.txt", respond(b"User-agent: *\nContent-Usage: /signal train-ai=n\nContent-Usage: train-ai=y\n"))
    site.serve("/.well-known/tdmrep.json", respond(TDM, "Content-Type: application/json"))
    site.serve("/free", respond(b"<p>free", HTML))
    site.serve("/file", respond(b"noai", "Content-Type: text/plain"))
    site.serve("/header", respond(b"x", "X-Robots-Tag: noai", "Content-Type: text/plain"))
    for target in ("/meta", "/error"):
        site.serve(target, respond(META, HTML, status=200 if target == "/meta" else 404))
    for target in ("/signal", "/reserved"):
        site.serve(target, respond(b"x", "Content-Type: text/plain"))
    site.serve("/moved", respond(b"", "Location: /meta", status=302))
    return site


DISALLOWED = {
    "/signal": "line 2",
    "/reserved": "tdmrep.json",
    "/header": "X-Robots-Tag",
    "/meta": "meta element",
    "/moved": "meta element",
}


@pytest.mark.slow
def test_responses_whose_use_is_disallowed_are_refused(name: str, library: Site) -> None:
    with open_host(name, purpose="ai_train") as host:
        for target, place in DISALLOWED.items():
            with pytest.raises(host.base_error, match=place) as raised:
                host.get(library.url(target[1:]))
            error = raised.value
            assert isinstance(error, UseDisallowed)
            assert error.url == library.url("meta" if target == "/moved" else target[1:])
            assert (error.verdict.allowed, str(error.verdict.purpose)) == (False, "training")
            copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
            assert (str(copied), copied.verdict) == (str(error), error.verdict)
        for target, body in (("/free", b"<p>free"), ("/file", b"noai")):
            fetched = host.get(library.url(target[1:]))
            assert (fetched.body, fetched.use.allowed, fetched.use.is_final) == (body, True, True)
        # The content of an error is not that of the URL.
        assert host.get(library.url("error")).use.allowed is True
        with host.robots.exempt():
            assert host.get(library.url("meta")).use is None
        assert host.robots.stats.disallowed_uses == len(DISALLOWED)
    assert [targets(library).count(file) for file in ("/robots.txt", "/.well-known/tdmrep.json")] == [1, 1]
    # No page is requested again.
    assert targets(library).count("/free") == 1


@pytest.mark.slow
def test_responses_can_be_marked_and_no_body_is_lost(name: str, library: Site) -> None:
    with open_host(name, purpose="training", mark_uses=True) as host:
        for target in DISALLOWED:
            fetched = host.get(library.url(target[1:]))
            assert fetched.use.allowed is False
            assert fetched.body == (META if target in {"/meta", "/moved"} else b"x")
        assert host.robots.stats.disallowed_uses == len(DISALLOWED)
    with open_host(name, purpose="search") as host:
        assert host.get(library.url("meta")).use.allowed is None
    with open_host(name) as host:
        assert host.get(library.url("meta")).use is None


def test_a_part_of_a_page_counts_but_does_not_replace_the_page(name: str, library: Site) -> None:
    library.serve("/part", respond(META, HTML, "Content-Range: bytes 0-37/38", status=206))
    library.serve("/other", respond(b"<html>", HTML, "Content-Range: bytes 0-5/38", status=206))
    library.serve("/empty", respond(b"", HTML))
    with open_host(name, purpose="training", mark_uses=True) as host:
        assert host.get(library.url("part")).use.allowed is False
        for target, unread in (("other", "html: not-read (only a part was read)"), ("empty", "html: not-read")):
            use = host.get(library.url(target)).use
            assert [str(source) for source in use.unread] == [unread]


def test_the_rest_of_a_streamed_response_is_as_sent(library: Site) -> None:
    requests = pytest.importorskip("requests")
    pytest.importorskip("httpx2")
    with open_host("httpx2", purpose="search") as host:
        with host.client.stream("GET", library.url("meta")) as response:
            assert b"".join(response.iter_raw()) == META
        assert response.elapsed.total_seconds() > 0
    with (
        open_host("requests", purpose="search") as host,
        host.session.get(library.url("meta"), stream=True) as response,
    ):
        assert response.raw.read() == META
    with open_host("requests", purpose="training") as host:
        with pytest.raises(requests.RequestException) as raised:
            host.session.get(library.url("meta"), stream=True)
        assert raised.value.request.url == library.url("meta")


def endless(start: bytes) -> Behaviour:
    """Respond with HTML without end, in chunks."""

    async def behaviour(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = start
        while True:
            await exchange.send(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            chunk = b"x" * 65_536

    return behaviour


def test_an_endless_page_is_checked_by_its_beginning(name: str, library: Site) -> None:
    library.serve("/noai", endless(META))
    library.serve("/free", endless(b"<p>free"))
    with open_host(name, purpose="training") as host:
        with pytest.raises(host.base_error, match="meta element"):
            host.get(library.url("noai"))
        fetched = host.get_start(library.url("free"), 3_000_000)
        assert fetched.body[:3_000_000] == b"<p>free".ljust(3_000_000, b"x")
        assert [str(source) for source in fetched.use.unread] == ["html: not-read (only a part was read)"]
    # The rest, without the buffers of sockets.
    assert library.sent_bytes < 64_000_000


@pytest.mark.slow
def test_a_page_over_the_limit_is_passed_on_as_a_whole(name: str, library: Site) -> None:
    page = b"<p>" + random.Random(1).randbytes(3_000_000)  # noqa: S311 - cannot be compressed
    library.serve("/sized", respond(page, HTML))
    library.serve("/coded", respond(gzip.compress(page), HTML, "Content-Encoding: gzip"))
    with open_host(name, purpose="search") as host:
        assert host.get(library.url("sized")).body == page
        body = host.get(library.url("coded")).body
        assert (gzip.decompress(body) if name == "urllib" else body) == page


def cut(*fields: str, reset: bool = False) -> Behaviour:
    """Respond with a page that ends early."""

    async def behaviour(exchange: Exchange) -> None:
        head = "\r\n".join(["HTTP/1.1 200 OK", HTML, *fields])
        await exchange.send(f"{head}\r\n\r\n".encode() + b"64\r\n" + META)
        if reset:
            exchange.reset()

    return behaviour


def test_a_page_that_ends_early_is_an_error_of_the_client(name: str, library: Site) -> None:
    library.serve("/sized", cut("Content-Length: 1000"))
    library.serve("/chunked", cut("Transfer-Encoding: chunked"))
    library.serve("/reset", cut("Content-Length: 1000", reset=True))
    with open_host(name, purpose="training") as host:
        expected = (OSError, http.client.IncompleteRead) if name == "urllib" else host.base_error
        for target in ("sized", "chunked", "reset"):
            with pytest.raises(expected) as raised:
                host.get(library.url(target))
            assert not isinstance(raised.value, UseDisallowed)


def test_a_stalled_page_is_a_timeout_of_requests(library: Site) -> None:
    requests = pytest.importorskip("requests")

    async def stalled(exchange: Exchange) -> None:
        await exchange.send(f"HTTP/1.1 200 OK\r\n{HTML}\r\nContent-Length: 1000\r\n\r\n".encode() + META)
        await exchange.wait_closed()

    library.serve("/stalled", stalled)
    with (
        open_host("requests", purpose="training") as host,
        pytest.raises(requests.ConnectionError, match="timed out"),
    ):
        host.get(library.url("stalled"), timeout=(60, 0.1))


GZIPPED = gzip.compress(META)
CODED = {
    "gzip": GZIPPED,
    "x-gzip": GZIPPED,
    "gzip, gzip": gzip.compress(GZIPPED),
    "unknown": META,
    "cut": GZIPPED[:-8],
}
DECODED = {
    "httpx2": {"gzip", "gzip, gzip", "cut"},
    "httpx2-async": {"gzip", "gzip, gzip", "cut"},
    "aiohttp": {"gzip"},
    "requests": {"gzip", "x-gzip", "gzip, gzip", "cut"},
    "urllib": set(),
}


@pytest.mark.slow
@pytest.mark.parametrize("coding", CODED)
def test_html_that_the_client_does_not_decode_is_not_read(name: str, library: Site, coding: str) -> None:
    if name == "aiohttp" and coding == "cut":
        pytest.skip("aiohttp rejects the response")
    encoding = f"Content-Encoding: {'gzip' if coding == 'cut' else coding}"
    library.serve("/coded", respond(CODED[coding], HTML, encoding))
    with open_host(name, purpose="training") as host:
        if coding in DECODED[name]:
            with pytest.raises(host.base_error, match="meta element"):
                host.get(library.url("coded"))
        else:
            fetched = host.get(library.url("coded"))
            assert (fetched.body, fetched.use.is_final) == (CODED[coding], False)
            assert [str(source) for source in fetched.use.unread] == ["html: not-read"]


def test_aiohttp_without_decompression_does_not_read_encoded_html(library: Site) -> None:
    pytest.importorskip("aiohttp")
    library.serve("/coded", respond(GZIPPED, HTML, "Content-Encoding: gzip"))
    with open_host("aiohttp", purpose="training") as host:
        host.session._auto_decompress = False
        fetched = host.get(library.url("coded"))
        assert (fetched.body, [str(source) for source in fetched.use.unread]) == (GZIPPED, ["html: not-read"])


def test_aiohttp_content_is_not_consumed(library: Site) -> None:
    pytest.importorskip("aiohttp")
    with open_host("aiohttp", purpose="search") as host:
        fetched = host.get_start(library.url("meta"), len(META))
        assert (fetched.body, fetched.use.allowed) == (META, None)


def test_the_last_content_type_counts(name: str, library: Site) -> None:
    library.serve("/html", respond(META, "Content-Type: text/plain", HTML))
    library.serve("/text", respond(META, HTML, "Content-Type: text/plain"))
    with open_host(name, purpose="training") as host:
        with pytest.raises(host.base_error, match="meta element"):
            host.get(library.url("html"))
        assert host.get(library.url("text")).body == META


def test_sites_that_redirect_count(name: str, library: Site, other: Site) -> None:
    other.serve("/robots.txt", respond(b"User-agent: *\nContent-Signal: ai-train=no\n"))
    other.serve("/a", respond(b"", f"Location: {other.url('b%7e')}", status=302))
    other.serve("/b~", respond(b"", f"Location: {library.url('file#top')}", status=301))
    other.serve("/b%7e", respond(b"", f"Location: {library.url('file#top')}", status=301))
    other.serve("/é", respond(b"", f"Location: {library.url('file')}", status=301))
    other.serve("/%C3%A9", respond(b"", f"Location: {library.url('file')}", status=301))
    other.serve("/c", respond(b"", "Location: é", status=302))
    library.serve("/back", respond(b"", f"Location: {other.url('a')}", status=307))
    with open_host(name, purpose="training", mark_uses=True) as host:
        for url in (other.url("a"), library.url("back")):
            use = host.get(url).use
            assert (use.allowed, use.url.partition("#")[0], use.is_final) == (False, library.url("file"), True)
            assert {statement.text for statement in use.decided_by} == {"Content-Signal: ai-train=no"}
            assert any(f"for {other.url('a')}, which redirects" in statement.note for statement in use.decided_by)
            assert {one.place for one in use.decided_by} == {f"line 2 of {other.url('robots.txt')}"}
        notes = [statement.note for statement in host.get(other.url("c")).use.decided_by]
        assert any(f"; for {other.url('c')}, which redirects" in note for note in notes)
        # Without a redirect.
        assert host.get(library.url("file")).use.allowed is True
    with open_host(name, purpose="training") as host, pytest.raises(host.base_error, match="ai-train=no"):
        host.get(library.url("back"))


def test_statements_in_the_headers_of_a_redirect_count(name: str, library: Site) -> None:
    library.serve("/old", respond(b"", "Location: /file", "X-Robots-Tag: noai", status=302))
    with open_host(name, purpose="training", mark_uses=True) as host:
        use = host.get(library.url("old")).use
        assert (use.allowed, use.url) == (False, library.url("file"))
        place = f"headers, X-Robots-Tag header 1 of {library.url('old')}: noai"
        assert [str(one).partition(" (")[0] for one in use.decided_by] == [place]


LICENSE = b"""<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>
<permits type="usage">ai-train</permits><payment type="crawl"><amount currency="USD">1</amount></payment>
</license></content></rsl>"""


def test_a_use_on_conditions_is_refused(name: str, library: Site) -> None:
    rules = f"User-agent: *\nContent-Usage: train-ai=y\nLicense: {library.url('license.xml')}\n"
    library.serve("/robots.txt", respond(rules.encode()))
    library.serve("/license.xml", respond(LICENSE, "Content-Type: application/rsl+xml"))
    with open_host(name, purpose="training") as host:
        with pytest.raises(
            host.base_error, match=r"/file may be used for training: only on conditions: .*USD"
        ) as raised:
            host.get(library.url("file"))
        assert isinstance(raised.value, UseDisallowed)
        assert raised.value.verdict.allowed is None
        assert host.robots.stats.disallowed_uses == 1
    with open_host(name, purpose="training", mark_uses=True) as host:
        assert len(host.get(library.url("file")).use.conditions) == 1


def test_an_agent_that_no_line_can_name_is_an_error(name: str) -> None:
    with (
        pytest.raises(InvalidProductToken, match="'GPTBot,CCBot': expected one name without"),
        open_host(name, agent="GPTBot,CCBot"),
    ):
        """Nothing is sent."""
    with pytest.raises(InvalidProductToken, match="expected one name without"):
        RobotsHandler(user_agent="GPTBot,CCBot", purpose="training")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"purpose": "trainin"}, "unknown purpose 'trainin': did you mean 'training'"),
        ({"purpose": "training", "mark_uses": 1}, "invalid mark_uses 1: expected True or False"),
        ({"mark_uses": True}, "mark_uses has no effect without purpose"),
    ],
)
def test_invalid_options(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message), open_host(name, **options):
        """Nothing is sent."""
