"""Questions to the server, through the client of the SDK or directly."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from mcp.client.client import Client
from mcp_types import CallToolResult, TextContent

import canfetch
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.origin_state import OriginState
from canfetch.client.transports import TransportRequest
from canfetch.web.mcp.server import create_server
from canfetch.web.mcp.service import Service, ServiceSettings

ResultT = TypeVar("ResultT")
NOW = 1_790_000_000.0
ORIGIN = "https://example.com"


class Reply(NamedTuple):
    """The result of a call."""

    text: str
    result: dict[str, Any]
    is_error: bool


def to_reply(result: CallToolResult) -> Reply:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return Reply(content.text, result.structured_content or {}, bool(result.is_error))


def ask(*calls: tuple[str, dict[str, Any]], settings: ServiceSettings | None = None) -> list[Reply]:
    """Return the replies to calls, one after another, of a server in this process."""

    async def ask_all(client: Client) -> list[Reply]:
        return [to_reply(await client.call_tool(name, arguments)) for name, arguments in calls]

    return with_client(ask_all, settings=settings)


def with_client(
    asking: Callable[[Client], Awaitable[ResultT]],
    *,
    settings: ServiceSettings | None = None,
    service: type[Service] = Service,
) -> ResultT:
    """Return the result of a function that is called with a client of a server in this process."""

    async def run() -> ResultT:
        server = create_server(service(settings or ServiceSettings(allow_private=True)))
        async with Client(server) as client:
            return await asking(client)

    return asyncio.run(run())


class _Origin:
    def __init__(self, responses: Sequence[tuple[int, bytes, dict[str, str]]], failure: str | None) -> None:
        self._responses = list(responses)
        self._failure = failure

    def send(self, request: TransportRequest) -> Response | Failure:
        if self._failure is not None and len(self._responses) == 1:
            return Failure(request.url, FailureKind.FORBIDDEN_ADDRESS, self._failure)
        status, body, headers = self._responses.pop(0)
        return Response(request.url, status, tuple(headers.items()), body)

    def close(self) -> None:
        """Do nothing."""


def state_of(
    body: bytes,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    hops: Sequence[str] = (),
    failure: str | None = None,
    origin: str = ORIGIN,
    now: float = NOW,
) -> OriginState:
    """Return the state of an origin after the fetch of its robots.txt.

    Args:
        hops: The redirects.
        failure: The message about a private address, in place of the response.
    """
    redirects = [(302, b"", {"Location": location}) for location in hops]
    transport = _Origin([*redirects, (status, body, headers or {})], failure)
    with canfetch.Client(user_agent="ExampleBot/1.0", transport=transport, clock=lambda: now) as client:
        return client.origin_state(f"{origin}/")
