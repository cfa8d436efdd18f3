"""Clients that wait for their turn before they request documents of an origin, such as tdmrep.json and licenses."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.origin_state import OriginState
from canfetch.client.sync_client import Client


class PacedClient(Client):
    """A client that requests documents such as tdmrep.json when it is their turn. Those for robots.txt do not wait.

    Attributes: start_turn: Waits for the turn of a request to an origin, and returns its context, or None.
    """

    start_turn: Callable[[OriginState], AbstractContextManager[object]] | None = None

    def request_document(
        self, url: str, *, max_bytes: int, user_agent: str | None = None, cross_origin: bool = False
    ) -> Response | Failure:
        """Wait, and request a document. See `Client.request_document`."""
        turn: AbstractContextManager[object] = nullcontext()
        if self.start_turn is not None:
            turn = self.start_turn(self.cached_state(url) or self.origin_state(url, cross_origin=cross_origin))
        with turn:
            return super().request_document(url, max_bytes=max_bytes, user_agent=user_agent, cross_origin=cross_origin)


class PacedAsyncClient(AsyncClient):
    """An asynchronous client that requests documents when it is their turn. See `PacedClient`.

    Attributes: start_turn: An async function, or None.
    """

    start_turn: Callable[[OriginState], Awaitable[AbstractContextManager[object]]] | None = None

    async def request_document(
        self, url: str, *, max_bytes: int, user_agent: str | None = None, cross_origin: bool = False
    ) -> Response | Failure:
        """Wait, and request a document. See `Client.request_document`."""
        turn: AbstractContextManager[object] = nullcontext()
        if self.start_turn is not None:
            state = self.cached_state(url) or await self.origin_state(url, cross_origin=cross_origin)
            turn = await self.start_turn(state)
        with turn:
            return await super().request_document(
                url, max_bytes=max_bytes, user_agent=user_agent, cross_origin=cross_origin
            )
