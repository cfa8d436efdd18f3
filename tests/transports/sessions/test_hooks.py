"""Hooks, middleware and adapters of a session: they run for robots.txt, and cannot change what a transport returns."""

import threading
from contextvars import ContextVar
from typing import Any

import pytest
from tests.access.client_harness import fetch
from tests.servers.dead_ports import refusing_port
from tests.servers.redirects import redirect
from tests.servers.valid import RULES, respond
from tests.servers.web import Exchange, Site
from tests.transports.harness import expect_response, failure_kind, make_request
from tests.transports.session_harness import (
    SYNC_NAMES,
    make_session,
    make_transport,
    open_session,
    session_class,
)
from tests.transports.test_contract import WHOLE

from canfetch.access.responses import Failure, FailureKind, Response


def test_middleware_of_an_aiohttp_session_runs_after_a_redirect_to_another_origin(site: Site) -> None:
    session_class("aiohttp-session")

    async def sign(request: Any, handler: Any) -> Any:
        request.headers["X-Signed"] = "yes"
        return await handler(request)

    with Site() as other:
        site.serve("/robots.txt", redirect(other.url("rules")))
        fetch("aiohttp-session", site.origin, {"middlewares": [sign]})
        assert [request.headers["x-signed"] for request in (*site.requests, *other.requests)] == ["yes", "yes"]


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


def socks_error(name: str, module: str, message: str = "") -> Exception:
    """Return an exception that looks like one of a library for SOCKS proxies."""
    kind: type[Exception] = type(name, (Exception,), {"__module__": module})
    return kind(message)


@pytest.mark.parametrize("name", ["httpx2-client", "httpx2-async-client", "aiohttp-session"])
@pytest.mark.parametrize(
    "error, kind, detail",
    [
        (socks_error("ProtocolError", "socksio.exceptions", "Malformed reply"), FailureKind.CONNECT, "Malformed reply"),
        (socks_error("ProxyError", "python_socks._errors"), FailureKind.CONNECT, "proxy responded ProxyError"),
        (socks_error("ProxyTimeoutError", "python_socks._errors", "2 s"), FailureKind.TIMEOUT, "2 s"),
        (
            socks_error("ProxyConnectionError", "python_socks._errors", "refused"),
            FailureKind.LOCAL,
            "the proxy cannot be reached: refused",
        ),
    ],
    ids=["junk", "refused", "silent", "dead"],
)
def test_exceptions_of_socks_proxies_are_failures(
    name: str, shared_site: Site, error: Exception, kind: FailureKind, detail: str
) -> None:
    def hook(*_: Any) -> None:
        raise error

    async def async_hook(*_: Any) -> None:
        raise error

    settings: dict[str, dict[str, Any]] = {
        "httpx2-client": {"event_hooks": {"request": [hook]}},
        "httpx2-async-client": {"event_hooks": {"request": [async_hook]}},
        "aiohttp-session": {"middlewares": [async_hook]},
    }
    with open_session(name, **settings[name]) as send:
        answer = send(make_request(shared_site.url("rules")))
    assert failure_kind(answer) is kind
    assert isinstance(answer, Failure)
    assert detail in answer.detail


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


@pytest.mark.parametrize("backoff", [0, 3600])
def test_adapter_of_requests_does_not_wait_beyond_the_time_of_the_request(site: Site, backoff: int) -> None:
    session = make_session("requests-session")
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    site.serve("/robots.txt", respond(b"", *([] if backoff else ["Retry-After: 3600"]), status=503))
    retry = Retry(5, status_forcelist=[503], backoff_factor=backoff, backoff_max=3600)
    threads = set(threading.enumerate())
    with session:
        session.mount("http://", HTTPAdapter(max_retries=retry))
        answer = make_transport("requests-session", session).send(make_request(site.url("robots.txt")))
    assert isinstance(answer, Response)
    assert (answer.status, answer.header("retry-after")) == (503, None if backoff else "3600")
    # urllib3 does not wait before its first retry after a status.
    assert site.count("/robots.txt") == (2 if backoff else 1)
    for thread in set(threading.enumerate()) - threads:
        thread.join(60)
        assert not thread.is_alive()


def test_backoff_of_an_adapter_that_is_too_long_ends_the_retries() -> None:
    session = make_session("requests-session")
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    class Counting(HTTPAdapter):
        sent = 0

        def send(self, *arguments: Any, **options: Any) -> Any:
            self.sent += 1
            return super().send(*arguments, **options)

    adapter = Counting(max_retries=Retry(5, backoff_factor=3600, backoff_max=3600))
    with refusing_port() as port, session:
        session.mount("http://", adapter)
        answer = make_transport("requests-session", session).send(make_request(f"http://127.0.0.1:{port}/robots.txt"))
    assert failure_kind(answer) is FailureKind.CONNECT
    # What the class of an adapter counts is kept.
    assert adapter.sent == 1


def reading_hooks(name: str) -> dict[str, Any]:
    """Return options of a session with a hook that reads the body of each response."""

    def read(response: Any, **_: Any) -> None:
        assert (response.content if name == "requests-session" else response.read()) is not None

    async def read_async(response: Any) -> None:
        await response.aread()

    if name == "requests-session":
        return {"hooks": {"response": [read]}}
    return {"event_hooks": {"response": [read if name == "httpx2-client" else read_async]}}


@pytest.mark.parametrize("name", ["httpx2-client", "httpx2-async-client", "requests-session"])
@pytest.mark.parametrize("label", ["rules", "gzip", "chunked", "empty"])
def test_hook_that_reads_the_body_changes_nothing(name: str, shared_site: Site, label: str) -> None:
    url = shared_site.url(label)
    with open_session(name, **reading_hooks(name)) as send:
        assert expect_response(send(make_request(url))).body == WHOLE[label]
        assert expect_response(send(make_request(url, max_bytes=5))).body == WHOLE[label][:6]


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
