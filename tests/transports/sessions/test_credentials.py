"""Credentials of a session: they are sent to the first origin, and never to another one after a redirect.

A robots.txt that was requested with credentials may differ from one without them. So the robots.txt that a redirect led
to is requested again for its own origin if the session has credentials for it.
"""

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest
from tests.access.client_harness import fetch
from tests.servers.redirects import redirect
from tests.servers.valid import RULES, respond
from tests.servers.web import Exchange, Site
from tests.transports.harness import make_request
from tests.transports.session_harness import (
    SESSION_NAMES,
    SYNC_NAMES,
    make_session,
    make_transport,
    open_session,
    session_class,
)

import canfetch
from canfetch.access.responses import Response

SECRET = base64.b64encode(b"user:secret").decode()
CREDENTIALS = {"authorization", "cookie", "x-api-key"}


def session_settings(name: str) -> dict[str, Any]:
    """Return settings of a session with its own header, cookie and authentication."""
    settings: dict[str, Any] = {"headers": {"X-Api-Key": "secret", "X-Team": "7"}, "cookies": {"preview": "secret"}}
    if name == "aiohttp-session":
        # Its argument `auth` is deprecated.
        return {**settings, "headers": {**settings["headers"], "Authorization": f"Basic {SECRET}"}}
    return {**settings, "auth": ("user", "secret")}


def test_headers_cookies_and_authentication_of_the_session_apply(session_name: str, site: Site) -> None:
    site.serve("/robots.txt", redirect("/rules"))
    # aiohttp stores no cookies of IP addresses by default.
    fetch(session_name, f"http://localhost:{site.port}", session_settings(session_name))
    assert len(site.requests) == 2
    for request in site.requests:
        assert request.headers["user-agent"] == "ExampleBot/1.0"
        assert request.headers["x-team"] == "7"
        assert request.headers["x-api-key"] == "secret"
        assert request.headers["authorization"] == f"Basic {SECRET}"
        assert "preview=secret" in request.headers["cookie"]


def test_credentials_of_the_session_are_not_sent_to_another_origin(session_name: str, site: Site) -> None:
    with Site() as other:
        site.serve("/robots.txt", redirect(f"http://localhost:{other.port}/rules"))
        fetch(session_name, f"http://localhost:{site.port}", session_settings(session_name))
        assert [CREDENTIALS & set(request.headers) for request in site.requests] == [CREDENTIALS]
        (redirected,) = other.requests
        assert CREDENTIALS & set(redirected.headers) == set()
        assert redirected.headers["x-team"] == "7"


def test_credentials_are_not_sent_to_the_origin_again_after_another_origin(session_name: str, site: Site) -> None:
    with Site() as other:
        origin = f"http://localhost:{site.port}"
        site.serve("/robots.txt", redirect(f"http://localhost:{other.port}/rules"))
        other.serve("/rules", redirect(f"{origin}/chosen"))
        fetch(session_name, origin, session_settings(session_name))
        assert [CREDENTIALS & set(request.headers) for request in site.requests] == [CREDENTIALS, set()]


def test_credentials_are_not_sent_to_another_origin_for_documents(session_name: str, site: Site) -> None:
    def ask(url: str) -> None:
        with (
            make_session(session_name, **session_settings(session_name)) as session,
            canfetch.Client(user_agent="ExampleBot/1.0", transport=make_transport(session_name, session)) as client,
        ):
            client.may_use(url, purpose="training")

    async def ask_async(url: str) -> None:
        async with (
            make_session(session_name, **session_settings(session_name)) as session,
            canfetch.AsyncClient(
                user_agent="ExampleBot/1.0", transport=make_transport(session_name, session)
            ) as client,
        ):
            await client.may_use(url, purpose="training")

    with Site() as other:
        origin = f"http://localhost:{site.port}"
        site.serve("/robots.txt", respond(f"License: http://localhost:{other.port}/rsl\n".encode() + RULES))
        site.serve("/.well-known/tdmrep.json", redirect(f"http://localhost:{other.port}/tdm"))
        other.serve("/robots.txt", respond(RULES))
        other.serve("/tdm", redirect(f"{origin}/chosen"))
        ask(f"{origin}/fish") if session_name in SYNC_NAMES else asyncio.run(ask_async(f"{origin}/fish"))
        sent = {request.target: CREDENTIALS & set(request.headers) for request in (*other.requests, *site.requests)}
        assert sent["/.well-known/tdmrep.json"] == CREDENTIALS
        assert (sent["/tdm"], sent["/chosen"], sent["/rsl"]) == (set(), set(), set())
        for one, expected in ((site, CREDENTIALS), (other, set())):
            robots = [each.headers for each in one.requests if each.target == "/robots.txt"]
            assert [CREDENTIALS & set(headers) for headers in robots] == [expected]


CREDENTIAL_SETTINGS: list[tuple[str, dict[str, Any]]] = [
    *[(name, {"headers": {"X-Api-Key": "secret"}}) for name in SESSION_NAMES],
    *[(name, {"cookies": {"preview": "secret"}}) for name in SESSION_NAMES],
    *[(name, {"auth": ("user", "secret")}) for name in SESSION_NAMES if name != "aiohttp-session"],
]


@pytest.mark.parametrize("settings", [{}, {"headers": {"X-Team": "7"}}], ids=["no-settings", "other-header"])
def test_one_request_serves_both_origins_after_a_redirect(
    session_name: str, site: Site, settings: dict[str, Any]
) -> None:
    with Site() as other:
        target = f"http://localhost:{other.port}"
        site.serve("/robots.txt", redirect(f"{target}/robots.txt"))
        other.serve("/robots.txt", respond(RULES, "Set-Cookie: visit=1"))
        fetch(session_name, site.origin, settings, target)
        assert len(other.requests) == 1


@pytest.mark.parametrize("name, settings", CREDENTIAL_SETTINGS)
def test_session_with_credentials_requests_the_robots_txt_of_both_origins(
    name: str, site: Site, settings: dict[str, Any]
) -> None:
    session_class(name)
    with Site() as other:
        target = f"http://localhost:{other.port}"
        site.serve("/robots.txt", redirect(f"{target}/robots.txt"))
        other.serve("/robots.txt", respond(RULES))
        fetch(name, site.origin, settings, target)
        assert [bool(CREDENTIALS & set(request.headers)) for request in other.requests] == [False, True]


def test_netrc_does_not_apply_after_a_redirect_to_another_origin(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("default login user password secret\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with Site() as other:
        site.serve("/robots.txt", redirect(other.url("rules")))
        fetch("requests-session", site.origin, {})
        assert ["authorization" in request.headers for request in (*site.requests, *other.requests)] == [True, False]


@pytest.mark.parametrize("name, settings", [("aiohttp-session", {"trust_env": True}), ("requests-session", {})])
@pytest.mark.parametrize("has_netrc", [True, False])
def test_session_with_netrc_requests_the_robots_txt_of_both_origins(
    name: str, settings: dict[str, Any], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_netrc: bool
) -> None:
    session_class(name)
    if has_netrc:
        (tmp_path / ".netrc").write_text("default login user password secret\n", encoding="utf-8")
    monkeypatch.delenv("NETRC", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with Site() as other:
        site.serve("/robots.txt", redirect(f"{other.origin}/robots.txt"))
        other.serve("/robots.txt", respond(RULES))
        fetch(name, site.origin, settings, other.origin)
        assert len(other.requests) == (2 if has_netrc else 1)


def test_credentials_for_a_url_that_requests_rejects_are_unknown() -> None:
    session = make_session("requests-session")
    assert make_transport("requests-session", session).adds_credentials("http://*.example/robots.txt")


@pytest.mark.parametrize("name", ["httpx2-client", "httpx2-async-client"])
def test_digest_authentication_reads_no_body_without_end(name: str, site: Site) -> None:
    import httpx2

    async def challenge(exchange: Exchange) -> None:
        await exchange.send(
            b"HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n"
            b'WWW-Authenticate: Digest realm="a", nonce="b", qop="auth", algorithm=SHA-256\r\n\r\n'
        )
        while True:
            await exchange.send(bytes(65_536))

    site.serve("/robots.txt", challenge, respond(RULES))
    with open_session(name, auth=httpx2.DigestAuth("user", "secret")) as send:
        answer = send(make_request(f"{site.origin}/robots.txt"))
    assert isinstance(answer, Response), answer
    assert answer.body == RULES
    assert ["authorization" in request.headers for request in site.requests] == [False, True]
