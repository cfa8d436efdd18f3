"""Errors: objects that are not sessions, closed sessions, and options that a session cannot guarantee."""

import asyncio
from typing import Any

import pytest
from tests.access.client_harness import fetch
from tests.servers.web import Site
from tests.transports.harness import failure_kind, make_request, transport_class
from tests.transports.session_harness import (
    TRANSPORTS,
    make_session,
    make_transport,
    open_session,
)

from canfetch.access.responses import FailureKind
from canfetch.errors import InvalidOption


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


@pytest.mark.parametrize("transport_name", sorted({name for name, _ in TRANSPORTS.values()}))
def test_unknown_arguments_are_rejected(transport_name: str) -> None:
    with pytest.raises(TypeError, match="session_argument"):
        transport_class(transport_name)(session_argument="session")


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
