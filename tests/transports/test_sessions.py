"""Existing sessions of the caller: what the transports guarantee with them, and what they do not."""

import asyncio
import base64
import gc
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from tests.servers.certificates import Authority
from tests.servers.dead_ports import refusing_port
from tests.servers.proxy import ProxySite
from tests.servers.redirects import redirect
from tests.servers.threaded import ThreadedServer
from tests.servers.valid import ETAG, RULES, respond
from tests.servers.web import Exchange, Site
from tests.transports.harness import SHORT_SECONDS, Send, failure_kind, make_request, transport_class
from tests.transports.session_harness import (
    SESSION_NAMES,
    SYNC_NAMES,
    TRANSPORTS,
    make_session,
    make_transport,
    open_session,
    session_class,
)
from tests.transports.test_contract import AIOHTTP, FAILURES, HTTPX2, LIMIT, SLOW, TOO_LONG, WHOLE, skip_without_decoder

from canfetch import AsyncClient, Client
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.errors import InvalidOption, InvalidURL

# Deviations from the other transports.
HTTPX2_CLIENT = {**HTTPX2, "endless-interim": FailureKind.TIMEOUT}
AIOHTTP_SESSION = {
    **AIOHTTP,
    "reset-in-body": FailureKind.INCOMPLETE,
    "reset-in-chunks": FailureKind.INCOMPLETE,
    # A session does not show how the connection ended.
    "reset-closing": None,
}
# http.client reads the heads, and urllib3 the bodies.
REQUESTS_SESSION: dict[str, FailureKind | None] = {
    "interim": FailureKind.PROTOCOL,
    "many-fields": FailureKind.PROTOCOL,
    "very-many-fields": FailureKind.PROTOCOL,
    "cut-status": FailureKind.PROTOCOL,
    "cut-field": FailureKind.PROTOCOL,
    "cut-head": FailureKind.INCOMPLETE,
    "endless-interim": FailureKind.TIMEOUT,
    # All chunks have arrived, but not the end of the trailers.
    "cut-last-chunk": None,
}
ALL_FAILURES = [(label, kind) for kind, labels in FAILURES.items() for label in labels]
ALL_FAILURES += [(label, FailureKind.TIMEOUT) for label in SLOW]


@pytest.fixture(scope="module", params=SESSION_NAMES)
def session_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def session_send(session_name: str) -> Iterator[Send]:
    with open_session(session_name) as opened:
        yield opened


def deviations(name: str) -> dict[str, FailureKind | None]:
    if name == "requests-session":
        return REQUESTS_SESSION
    return AIOHTTP_SESSION if name == "aiohttp-session" else dict(HTTPX2_CLIENT)


# --- the responses of the contract -----------------------------------------------------------------------------------


@pytest.mark.parametrize("label", WHOLE)
def test_complete_response_is_returned(session_name: str, session_send: Send, shared_site: Site, label: str) -> None:
    skip_without_decoder(label)
    url = shared_site.url(label)
    answer = session_send(make_request(url))
    if label in deviations(session_name):
        assert failure_kind(answer) is deviations(session_name)[label]
        return
    assert isinstance(answer, Response), answer
    assert (answer.url, answer.status, answer.body) == (url, 200, WHOLE[label])


@pytest.mark.parametrize("label", TOO_LONG)
def test_reading_stops_one_byte_past_the_limit(session_send: Send, shared_site: Site, label: str) -> None:
    skip_without_decoder(label)
    answer = session_send(make_request(shared_site.url(label)))
    assert isinstance(answer, Response), answer
    assert len(answer.body) == LIMIT + 1


@pytest.mark.slow
@pytest.mark.parametrize("label, kind", ALL_FAILURES)
def test_broken_response_is_a_failure(
    session_name: str, session_send: Send, shared_site: Site, label: str, kind: FailureKind
) -> None:
    skip_without_decoder(label)
    expected = deviations(session_name).get(label, kind)
    answer = session_send(
        make_request(shared_site.url(label), timeout=SHORT_SECONDS if expected is FailureKind.TIMEOUT else 20.0)
    )
    if expected is None:
        assert isinstance(answer, Response)
    else:
        assert failure_kind(answer) is expected


@pytest.mark.parametrize("status", [204, 301, 304, 404, 410, 429, 500, 503, 999])
def test_status_is_returned_without_a_body(session_send: Send, shared_site: Site, status: int) -> None:
    answer = session_send(make_request(shared_site.url(f"status-{status}")))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (status, b"")


@pytest.mark.parametrize("label", ["itself", "relative", "raw-location", "nowhere", "mail"])
def test_redirect_is_not_followed(session_name: str, site: Site, label: str) -> None:
    options = {"follow_redirects": True} if session_name.startswith("httpx2") else {}
    with open_session(session_name, **options) as send:
        answer = send(make_request(site.url(label)))
    assert isinstance(answer, Response), answer
    assert answer.status // 100 == 3
    assert len(site.requests) == 1


def test_conditional_request_is_sent(session_send: Send, shared_site: Site) -> None:
    answer = session_send(make_request(shared_site.url("revalidating"), headers=(("If-None-Match", ETAG),)))
    assert isinstance(answer, Response)
    assert (answer.status, answer.header("etag"), answer.body) == (304, ETAG, b"")


@pytest.mark.parametrize(
    "written, sent", [("/a/../b/./c//d", "/a/../b/./c//d"), ("/%c3%b6?a[1]='", "/%c3%b6?a[1]='"), ("?a b", "/?a%20b")]
)
def test_target_is_sent_unchanged(session_name: str, session_send: Send, site: Site, written: str, sent: str) -> None:
    session_send(make_request(f"{site.origin}{written}"))
    if session_name == "requests-session":
        # urllib3 normalises escapes, but not the path.
        sent = sent.replace("%c3%b6", "%C3%B6").replace("[1]", "%5B1%5D")
    assert [received.target for received in site.requests] == [sent]


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/robots.txt", "gopher://127.0.0.1/"])
def test_other_schemes_are_a_failure(session_send: Send, url: str) -> None:
    assert failure_kind(session_send(make_request(url))) is FailureKind.SCHEME


def test_url_without_host_raises(session_send: Send) -> None:
    with pytest.raises(InvalidURL):
        session_send(make_request("http:///robots.txt"))


def test_header_with_line_break_is_not_sent(session_send: Send, site: Site) -> None:
    answer = session_send(make_request(site.url("rules"), headers=(("User-Agent", "a\r\nb: c"),)))
    assert failure_kind(answer) is FailureKind.PROTOCOL
    assert site.requests == []


def test_refused_connection_is_a_failure(session_send: Send) -> None:
    with refusing_port() as port:
        assert failure_kind(session_send(make_request(f"http://127.0.0.1:{port}/"))) is FailureKind.CONNECT


def test_connection_that_the_server_closed_while_it_was_idle_is_replaced(session_send: Send, site: Site) -> None:
    async def behaviour(exchange: Exchange) -> None:
        # Without `Connection: close`, although the server closes the connection.
        await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(RULES), RULES))

    site.serve("/robots.txt", behaviour)
    for _ in range(20):
        answer = session_send(make_request(f"{site.origin}/robots.txt"))
        assert isinstance(answer, Response), answer
        assert answer.body == RULES


# --- deadlines -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_thread_of_an_abandoned_request_ends(shared_site: Site) -> None:
    with open_session("httpx2-client") as send:
        for label in ("endless-interim", "slow-head", "slow-body", "silent"):
            assert (
                failure_kind(send(make_request(shared_site.url(label), timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
            )
        for thread in threading.enumerate():
            if thread.name == "canfetch-httpx2":
                thread.join(300)
                assert not thread.is_alive()
    gc.collect()


def join_abandoned_threads() -> None:
    for thread in threading.enumerate():
        if thread.name == "canfetch-httpx2":
            thread.join(300)
            assert not thread.is_alive()


@pytest.mark.parametrize("name", ["httpx2-client", "httpx2-async-client"])
@pytest.mark.parametrize("label", ["endless-interim", "slow-head", "slow-body", "silent", "silent-body"])
def test_abandoned_request_frees_its_place_in_the_pool(name: str, site: Site, label: str) -> None:
    import httpx2

    with open_session(name, limits=httpx2.Limits(max_connections=1)) as send:
        assert failure_kind(send(make_request(site.url(label), timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
        join_abandoned_threads()
        assert isinstance(send(make_request(site.url("rules"))), Response)


class _SlowSecondResponse(ThreadedServer):
    """Responds to the first request on a connection, and sends the second response without end, in single bytes."""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;")
        while not writer.is_closing():
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)


def test_thread_of_an_abandoned_request_on_an_older_connection_ends() -> None:
    with _SlowSecondResponse() as server, open_session("httpx2-client") as send:
        url = f"http://127.0.0.1:{server.port}/robots.txt"
        assert isinstance(send(make_request(url)), Response)
        assert failure_kind(send(make_request(url, timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT
        join_abandoned_threads()
        assert server.max_connections == 1


@pytest.mark.parametrize("label", ["silent", "silent-body"])
def test_silence_exceeds_the_read_timeout(session_send: Send, shared_site: Site, label: str) -> None:
    answer = session_send(make_request(shared_site.url(label), read_timeout=SHORT_SECONDS))
    assert isinstance(answer, Failure), answer
    assert (answer.kind, answer.detail) == (FailureKind.TIMEOUT, f"no data for {SHORT_SECONDS:g} s")


@pytest.mark.slow
@pytest.mark.parametrize("name", SYNC_NAMES)
def test_threads_can_share_a_client(name: str, site: Site) -> None:
    with open_session(name) as send, ThreadPoolExecutor(32) as threads:
        results = list(threads.map(send, [make_request(site.url("concurrent"))] * 100))
    assert all(isinstance(result, Response) and result.body == RULES for result in results)
    assert site.max_connections > 1


# --- the settings of the session -------------------------------------------------------------------------------------

SECRET = base64.b64encode(b"user:secret").decode()
CREDENTIALS = {"authorization", "cookie", "x-api-key"}


def session_settings(name: str) -> dict[str, Any]:
    """Return settings of a session with its own header, cookie and authentication."""
    settings: dict[str, Any] = {"headers": {"X-Api-Key": "secret", "X-Team": "7"}, "cookies": {"preview": "secret"}}
    if name == "aiohttp-session":
        # Its argument `auth` is deprecated.
        return {**settings, "headers": {**settings["headers"], "Authorization": f"Basic {SECRET}"}}
    return {**settings, "auth": ("user", "secret")}


def fetch(name: str, url: str, settings: dict[str, Any], *more_urls: str, **options: Any) -> None:
    """Fetch the robots.txt of origins with a canfetch client over a session."""
    if name in SYNC_NAMES:
        with (
            make_session(name, **settings) as session,
            Client(user_agent="ExampleBot/1.0", transport=make_transport(name, session), **options) as client,
        ):
            for each in (url, *more_urls):
                client.origin_state(each)
        return

    async def run() -> None:
        async with (
            make_session(name, **settings) as session,
            AsyncClient(user_agent="ExampleBot/1.0", transport=make_transport(name, session), **options) as client,
        ):
            for each in (url, *more_urls):
                await client.origin_state(each)

    asyncio.run(run())


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


def test_header_of_the_client_replaces_that_of_the_session(session_name: str, site: Site) -> None:
    settings = {"headers": {"From": "session@example.com", "User-Agent": "Other/1.0", "Accept-Encoding": "identity"}}
    fetch(session_name, site.origin, settings, headers={"from": "bot@example.com"})
    (request,) = site.requests
    assert request.headers["from"] == "bot@example.com"
    assert request.headers["user-agent"] == "ExampleBot/1.0"
    assert "gzip" in request.headers["accept-encoding"]


def test_middleware_of_an_aiohttp_session_runs_after_a_redirect_to_another_origin(site: Site) -> None:
    session_class("aiohttp-session")

    async def sign(request: Any, handler: Any) -> Any:
        request.headers["X-Signed"] = "yes"
        return await handler(request)

    with Site() as other:
        site.serve("/robots.txt", redirect(other.url("rules")))
        fetch("aiohttp-session", site.origin, {"middlewares": [sign]})
        assert [request.headers["x-signed"] for request in (*site.requests, *other.requests)] == ["yes", "yes"]


@pytest.mark.parametrize("name", ["httpx2-client", "httpx2-async-client"])
def test_query_parameters_and_base_url_of_an_httpx2_client_are_not_used(name: str, site: Site) -> None:
    with open_session(name, params={"a": "b"}, base_url="https://example.com/base/") as send:
        answer = send(make_request(f"{site.origin}/rules"))
    assert isinstance(answer, Response), answer
    assert [request.target for request in site.requests] == ["/rules"]


@pytest.mark.parametrize("status, body", [(200, RULES), (301, b""), (404, b""), (503, b"")])
def test_session_that_raises_for_the_status_changes_nothing(
    session_name: str, shared_site: Site, status: int, body: bytes
) -> None:
    def hook(response: Any) -> None:
        response.raise_for_status()

    async def async_hook(response: Any) -> None:
        response.raise_for_status()

    options: dict[str, dict[str, Any]] = {
        "httpx2-client": {"event_hooks": {"response": [hook]}},
        "httpx2-async-client": {"event_hooks": {"response": [async_hook]}},
        "aiohttp-session": {"raise_for_status": True},
        "requests-session": {"hooks": {"response": [lambda response, **_: response.raise_for_status()]}},
    }
    with open_session(session_name, **options[session_name]) as send:
        answer = send(make_request(shared_site.url(f"status-{status}")))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.body) == (status, body)


@pytest.mark.parametrize("status", [200, 301, 404, 429, 503])
def test_adapter_of_requests_that_raises_after_retries_does_not_hide_the_status(site: Site, status: int) -> None:
    session = make_session("requests-session")
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    site.serve("/robots.txt", respond(b"", status=status))
    retry = Retry(2, status_forcelist=[status], respect_retry_after_header=False)
    with session:
        session.mount("http://", HTTPAdapter(max_retries=retry))
        answer = make_transport("requests-session", session).send(make_request(site.url("robots.txt")))
    assert site.count("/robots.txt") == 3
    if status == 200:
        assert failure_kind(answer) is FailureKind.PROTOCOL
    else:
        assert isinstance(answer, Response)
        assert (answer.status, answer.body) == (status, b"")


@pytest.mark.parametrize("name", ["httpx2-client", "httpx2-async-client"])
@pytest.mark.parametrize("label", ["rules", "gzip", "chunked", "empty"])
def test_hook_that_reads_the_body_changes_nothing(name: str, shared_site: Site, label: str) -> None:
    def hook(response: Any) -> None:
        response.read()

    async def async_hook(response: Any) -> None:
        await response.aread()

    with open_session(name, event_hooks={"response": [hook if name == "httpx2-client" else async_hook]}) as send:
        answer = send(make_request(shared_site.url(label)))
        assert isinstance(answer, Response), answer
        assert answer.body == WHOLE[label]
        cut = send(make_request(shared_site.url(label), max_bytes=5))
        assert isinstance(cut, Response), cut
        assert cut.body == WHOLE[label][:6]


@pytest.mark.parametrize("label", ["rules", "gzip", "chunked", "empty"])
def test_hook_of_a_requests_session_may_read_the_body(shared_site: Site, label: str) -> None:
    def hook(response: Any, **_: Any) -> None:
        assert response.content is not None

    with open_session("requests-session", hooks={"response": [hook]}) as send:
        answer = send(make_request(shared_site.url(label)))
        assert isinstance(answer, Response), answer
        assert answer.body == WHOLE[label]
        cut = send(make_request(shared_site.url(label), max_bytes=5))
        assert isinstance(cut, Response), cut
        assert cut.body == WHOLE[label][:6]


@pytest.mark.parametrize("name", SYNC_NAMES)
def test_hook_has_the_context_of_the_caller(name: str, shared_site: Site) -> None:
    current: ContextVar[str] = ContextVar("current", default="none")
    seen: list[str] = []

    def hook(*_: Any, **__: Any) -> None:
        seen.append(current.get())

    settings: dict[str, dict[str, Any]] = {
        "httpx2-client": {"event_hooks": {"request": [hook]}},
        "requests-session": {"hooks": {"response": hook}},
    }
    with open_session(name, **settings[name]) as send:
        token = current.set("span")
        send(make_request(shared_site.url("rules")))
        current.reset(token)
    assert seen == ["span"]


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


def test_redirect_without_end_is_not_read_by_a_requests_session(site: Site) -> None:
    async def endless_redirect(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 302 Found\r\nLocation: /rules\r\nConnection: close\r\n\r\n")
        while True:
            await exchange.send(bytes(65_536))

    site.serve("/robots.txt", endless_redirect)
    with open_session("requests-session") as send:
        answer = send(make_request(f"{site.origin}/robots.txt"))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.header("location"), answer.body) == (302, "/rules", b"")


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


@pytest.mark.slow
def test_thread_of_an_abandoned_body_of_requests_ends(shared_site: Site) -> None:
    # The threads of other tests wait for heads that do not end.
    others = set(threading.enumerate())
    with open_session("requests-session") as send:
        for label in ("slow-body", "silent-body"):
            answer = send(make_request(shared_site.url(label), timeout=SHORT_SECONDS))
            assert failure_kind(answer) is FailureKind.TIMEOUT
        for thread in set(threading.enumerate()) - others:
            thread.join(300)
            assert not thread.is_alive()
    gc.collect()


@pytest.mark.parametrize("auto_decompress", [True, False])
@pytest.mark.parametrize("label", ["gzip", "br", "zstd", "gzip-bomb", "br-bomb", "zstd-bomb"])
def test_aiohttp_session_may_decompress(shared_site: Site, label: str, *, auto_decompress: bool) -> None:
    skip_without_decoder(label)
    with open_session("aiohttp-session", auto_decompress=auto_decompress) as send:
        answer = send(make_request(shared_site.url(label)))
    assert isinstance(answer, Response), answer
    assert answer.body == WHOLE[label] if label in WHOLE else len(answer.body) == LIMIT + 1


def test_cookies_of_the_servers_are_stored_in_the_session(session_name: str, site: Site) -> None:
    site.serve("/robots.txt", respond(RULES, "Set-Cookie: a=b"))
    with open_session(session_name) as send:
        for _ in range(2):
            send(make_request(f"http://localhost:{site.port}/robots.txt"))
    assert "a=b" in site.requests[1].headers["cookie"]


def test_proxy_of_the_session_is_used(session_name: str, site: Site) -> None:
    with (
        ProxySite() as proxy,
        open_session(session_name, proxy=f"http://127.0.0.1:{proxy.port}") as send,
    ):
        answer = send(make_request(site.robots_url("rules")))
        assert isinstance(answer, Response), answer
        assert answer.body == RULES
        assert len(proxy.heads) == 1


def test_tunnel_of_the_session_is_used(session_name: str, authority: Authority, tls_site: Site) -> None:
    with ProxySite() as proxy:
        with open_session(session_name, ssl_context=authority.client(), proxy=f"http://127.0.0.1:{proxy.port}") as send:
            answer = send(make_request(tls_site.robots_url("rules")))
        assert isinstance(answer, Response), answer
        assert answer.body == RULES
        assert proxy.heads[0].startswith("CONNECT ")
    for refusal in ("403 Forbidden", "407 Proxy Authentication Required"):
        with (
            ProxySite(refusal=refusal) as proxy,
            open_session(session_name, proxy=f"http://127.0.0.1:{proxy.port}") as send,
        ):
            assert failure_kind(send(make_request(tls_site.robots_url("rules")))) is FailureKind.CONNECT


def test_proxy_of_the_session_that_requires_a_login_is_a_connect_failure(session_name: str) -> None:
    with (
        ProxySite(refusal="407 Proxy Authentication Required") as proxy,
        open_session(session_name, proxy=f"http://127.0.0.1:{proxy.port}") as send,
    ):
        assert failure_kind(send(make_request("http://rules.site.test/robots.txt"))) is FailureKind.CONNECT


def test_tls_settings_of_the_session_apply(session_name: str, authority: Authority) -> None:
    with Site(tls=authority.good()) as tls_site:
        with open_session(session_name, ssl_context=authority.client()) as send:
            answer = send(make_request(tls_site.url("rules")))
            assert isinstance(answer, Response), answer
            assert answer.body == RULES
        with open_session(session_name) as send:
            assert failure_kind(send(make_request(tls_site.url("rules")))) is FailureKind.TLS
    with Site(tls=authority.expired()) as tls_site, open_session(session_name, ssl_context=authority.client()) as send:
        assert failure_kind(send(make_request(tls_site.url("rules")))) is FailureKind.TLS


# --- options that a session cannot guarantee -------------------------------------------------------------------------


def test_private_addresses_cannot_be_forbidden(session_name: str, site: Site) -> None:
    argument = TRANSPORTS[session_name][1]
    message = rf"invalid allow_private False: .* remove {argument}=, or pass allow_private=True"
    with pytest.raises(InvalidOption, match=message):
        fetch(session_name, site.origin, {}, allow_private=False)
    with open_session(session_name) as send:
        answer = send(make_request(site.url("rules"), allow_private=False))
    assert failure_kind(answer) is FailureKind.FORBIDDEN_ADDRESS
    assert site.requests == []


@pytest.mark.parametrize("transport_name, argument", TRANSPORTS.values(), ids=TRANSPORTS)
@pytest.mark.parametrize("session", [3, "session", object], ids=["number", "str", "class"])
def test_other_objects_are_rejected(transport_name: str, argument: str, session: object) -> None:
    with pytest.raises(
        InvalidOption, match=rf"invalid {argument} .*: expected an object of (httpx2|aiohttp|requests)\."
    ):
        transport_class(transport_name)(**{argument: session})


def test_session_of_the_other_kind_is_rejected() -> None:
    httpx2 = pytest.importorskip("httpx2")
    with pytest.raises(InvalidOption, match=r"expected an object of httpx2\.Client"):
        transport_class("httpx2")(client=httpx2.AsyncClient())
    with httpx2.Client() as client, pytest.raises(InvalidOption, match=r"expected an object of httpx2\.AsyncClient"):
        transport_class("httpx2-async")(client=client)


@pytest.mark.parametrize(
    "options, name",
    [
        ({"proxy": "http://127.0.0.1:3128"}, "proxy"),
        ({"trust_env": False}, "trust_env"),
        ({"resolve": lambda _name: []}, "resolve"),
        ({"http2": None}, "http2"),
    ],
    ids=["proxy", "trust_env", "resolve", "http2"],
)
def test_settings_of_the_transport_are_rejected(options: dict[str, Any], name: str) -> None:
    httpx2 = pytest.importorskip("httpx2")
    with (
        httpx2.Client() as client,
        pytest.raises(InvalidOption, match=f"client and {name} cannot be used together: the client has its own"),
    ):
        transport_class("httpx2")(client=client, **options)


@pytest.mark.slow
def test_unsupported_proxy_of_the_environment_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    httpx2 = pytest.importorskip("httpx2")
    monkeypatch.setenv("ALL_PROXY", "https://127.0.0.1:3128")
    with httpx2.Client(trust_env=False) as client:
        transport_class("httpx2")(client=client)


def test_closed_session_raises(session_name: str, shared_site: Site) -> None:
    request = make_request(shared_site.url("rules"))
    if session_name == "requests-session":
        pytest.skip("a session of requests can be used after it was closed")
    if session_name == "httpx2-client":
        session = make_session(session_name)
        session.close()
        with pytest.raises(RuntimeError, match="closed"):
            make_transport(session_name, session).send(request)
        return

    async def run() -> None:
        async with make_session(session_name) as session:
            pass
        await make_transport(session_name, session).send(request)

    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(run())
