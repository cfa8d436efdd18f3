"""The option `purpose`: responses whose use their site disallows are refused, or marked."""

import json
import pickle
from typing import Any

import pytest
from tests.integrations.http_clients.hosts import open_host
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch.errors import InvalidOption
from canfetch.integrations.request_guard import UseDisallowed

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


def test_a_body_that_is_not_complete_is_not_read(name: str, library: Site) -> None:
    library.serve("/part", respond(META, HTML, "Content-Range: bytes 0-37/38", status=206))
    library.serve("/empty", respond(b"", HTML))
    with open_host(name, purpose="training") as host:
        for target in ("part", "empty"):
            use = host.get(library.url(target)).use
            assert [str(source) for source in use.unread] == ["html: not-read"]


def test_the_rest_of_a_streamed_response_is_as_sent(library: Site) -> None:
    requests = pytest.importorskip("requests")
    pytest.importorskip("httpx2")
    with open_host("httpx2", purpose="search") as host:
        with host.client.stream("GET", library.url("meta")) as response:
            assert b"".join(response.iter_raw()) == META
        assert response.elapsed.total_seconds() > 0
    with open_host("requests", purpose="training") as host:
        from canfetch.integrations.requests import use_verdict

        with host.session.get(library.url("meta"), stream=True) as response:
            assert response.raw.read() == META
        verdict = use_verdict(response)
        assert verdict is not None
        assert [str(source) for source in verdict.unread] == ["html: not-read"]
        with pytest.raises(requests.RequestException) as raised:
            host.session.get(library.url("meta"))
        assert raised.value.request.url == library.url("meta")


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
