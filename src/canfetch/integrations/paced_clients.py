"""Clients that wait for their turn before they request documents of an origin, such as tdmrep.json and licenses."""

from collections.abc import Awaitable, Callable

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.origin_state import OriginState
from canfetch.client.sync_client import Client


class PacedClient(Client):
    """A client that requests documents such as tdmrep.json when it is their turn. Those for robots.txt do not wait.

    Attributes: wait_turn: Waits for the turn of a request to an origin, or None.
    """

    wait_turn: Callable[[OriginState], object] | None = None

    def request_document(
        self, url: str, *, max_bytes: int, user_agent: str | None = None, cross_origin: bool = False
    ) -> Response | Failure:
        """Wait, and request a document. See `Client.request_document`."""
        if self.wait_turn is not None:
            self.wait_turn(self.cached_state(url) or self.origin_state(url, cross_origin=cross_origin))
        return super().request_document(url, max_bytes=max_bytes, user_agent=user_agent, cross_origin=cross_origin)


class PacedAsyncClient(AsyncClient):
    """An asynchronous client that requests documents when it is their turn. See `PacedClient`.

    Attributes: wait_turn: An async function, or None.
    """

    wait_turn: Callable[[OriginState], Awaitable[object]] | None = None

    async def request_document(
        self, url: str, *, max_bytes: int, user_agent: str | None = None, cross_origin: bool = False
    ) -> Response | Failure:
        """Wait, and request a document. See `Client.request_document`."""
        if self.wait_turn is not None:
            await self.wait_turn(self.cached_state(url) or await self.origin_state(url, cross_origin=cross_origin))
        return await super().request_document(
            url, max_bytes=max_bytes, user_agent=user_agent, cross_origin=cross_origin
        )
