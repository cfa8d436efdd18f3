"""Credentials are sent to the origins that the caller names, and not to those that a document or a redirect names."""

from pathlib import Path
from typing import Any

import pytest
from tests.access.scripted_web import ScriptedWeb
from tests.client.either import BOTH, EitherClient

from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.client.watch.history import WatchHistory
from canfetch.client.watch.watcher import Watcher

A = "https://a.example"
E = "https://e.example"
FILE = "User-agent: *\nAllow: /\n"
TDM = "/.well-known/tdmrep.json"
SECRET: dict[str, Any] = {"headers": {"Authorization": "Bearer secret"}}
SITES: dict[str, dict[str, Any]] = {
    "license": {f"{A}/robots.txt": {"body": f"License: {E}/rsl\n{FILE}"}},
    "redirect": {f"{A}/robots.txt": {"body": FILE}, f"{A}{TDM}": {"location": f"{E}/tdm"}},
}


class Session(ScriptedWeb):
    """A transport with credentials of its own for all URLs."""

    def adds_credentials(self, url: str) -> bool:  # noqa: ARG002 - the same for all
        return True


def sent(requests: list[TransportRequest], url: str) -> list[tuple[bool, bool]]:
    """Return whether each request for a URL has the header, and whether a session adds no credentials."""
    return [
        (any(name == "Authorization" for name, _ in request.headers), request.cross_origin)
        for request in requests
        if request.url == url
    ]


@BOTH
@pytest.mark.parametrize("site", SITES)
def test_robots_txt_of_an_origin_that_a_site_names_is_requested_without_credentials(kind: str, site: str) -> None:
    web = ScriptedWeb({**SITES[site], f"{E}/robots.txt": {"body": FILE}})
    with EitherClient(kind, web, **SECRET) as client:
        for _ in range(2):
            client.may_use(f"{A}/page", purpose="training")
    assert sent(web.requests, f"{A}/robots.txt") == [(True, False)]
    assert sent(web.requests, f"{E}/robots.txt") == [(False, True)]


@BOTH
@pytest.mark.parametrize("site", SITES)
def test_a_session_adds_no_credentials_for_an_origin_that_a_site_names(kind: str, site: str) -> None:
    web = Session({**SITES[site], f"{E}/robots.txt": {"body": FILE}})
    with EitherClient(kind, web) as client:
        client.may_use(f"{A}/page", purpose="training")
    for request in web.requests:
        assert request.cross_origin is request.url.startswith(E)


@BOTH
def test_files_are_not_shared_with_an_origin_that_the_caller_names(kind: str) -> None:
    """With credentials, a server can send another file."""
    web = Session({**SITES["license"], f"{E}/robots.txt": {"body": FILE}, f"{E}/rsl": {"body": "<rsl/>"}})
    store = MemoryStore()
    with EitherClient(kind, web, store=store, **SECRET) as client:
        client.may_use(f"{A}/page", purpose="training")
        assert store.get(E) is None
        client.decide(f"{E}/page")
        client.license_file(f"{E}/rsl")
        client.may_use(f"{A}/page", purpose="training")
        assert client.stats.cached_origins == 3
    assert sent(web.requests, f"{E}/robots.txt") == [(False, True), (True, False)]
    assert [cross_origin for _, cross_origin in sent(web.requests, f"{E}/rsl")] == [True, False]


@BOTH
def test_without_credentials_one_request_serves_all(kind: str) -> None:
    web = ScriptedWeb({**SITES["license"], f"{E}/robots.txt": {"body": FILE}})
    with EitherClient(kind, web, headers={"From": "bot@example.com"}) as client:
        client.may_use(f"{A}/page", purpose="training")
        client.decide(f"{E}/page")
        client.license_file(f"{E}/rsl")
    assert len(sent(web.requests, f"{E}/robots.txt")) == len(sent(web.requests, f"{E}/rsl")) == 1


@BOTH
def test_a_redirect_back_leads_to_a_named_origin(kind: str) -> None:
    web = ScriptedWeb({**SITES["redirect"], f"{E}/robots.txt": {"body": FILE}, f"{E}/tdm": {"location": f"{A}/chosen"}})
    with EitherClient(kind, web, **SECRET) as client:
        client.may_use(f"{A}/page", purpose="training")
    assert sent(web.requests, f"{A}/robots.txt") == [(True, False)]
    assert sent(web.requests, f"{A}/chosen") == [(False, True)]


@BOTH
def test_a_caller_can_follow_a_redirect_itself(kind: str) -> None:
    web = ScriptedWeb({f"{E}/robots.txt": {"body": f"Sitemap: {E}/s.xml\nUser-agent: *\nDisallow: /p\n"}})
    with EitherClient(kind, web, **SECRET) as client:
        assert not client.decide(f"{E}/page", cross_origin=True).allowed
        assert client.sitemaps(E, cross_origin=True) == (f"{E}/s.xml",)
        client.may_use(f"{E}/page", purpose="training", cross_origin=True)
        assert client.cached_state(E) is None
        assert client.cached_state(E, cross_origin=True) is not None
    assert sent(web.requests, f"{E}/robots.txt") == [(False, True)]


@BOTH
def test_a_robots_txt_without_credentials_is_not_shared_by_its_redirects(kind: str) -> None:
    other = "https://other.example"
    web = ScriptedWeb({f"{E}/robots.txt": {"location": f"{other}/robots.txt"}, f"{other}/robots.txt": {"body": FILE}})
    with EitherClient(kind, web, **SECRET) as client:
        client.decide(f"{E}/page", cross_origin=True)
        client.decide(f"{other}/page")
    assert sent(web.requests, f"{other}/robots.txt") == [(False, True), (True, False)]


@BOTH
def test_closing_ends_the_requests_without_credentials(kind: str) -> None:
    client = EitherClient(kind, ScriptedWeb({f"{E}/robots.txt": {"body": FILE}}), **SECRET)
    client.close()
    with pytest.raises(Exception, match="closed"):
        client.decide(f"{E}/page", cross_origin=True)


def test_a_watcher_requests_licenses_without_credentials(tmp_path: Path) -> None:
    web = ScriptedWeb({**SITES["license"], f"{E}/robots.txt": {"body": FILE}})
    with (
        WatchHistory(tmp_path / "history.sqlite3") as history,
        Client(user_agent="B/1", transport=web, **SECRET) as client,
    ):
        Watcher(history, warn=print).record_files(client.origin_state(A), client)
    assert sent(web.requests, f"{E}/robots.txt") == [(False, True)]
    assert sent(web.requests, f"{E}/rsl") == [(False, True)]
