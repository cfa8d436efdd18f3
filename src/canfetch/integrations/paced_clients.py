"""Clients that wait for their turn before they request documents of an origin, such as tdmrep.json and licenses."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.documents import run_steps, run_steps_async
from canfetch.client.origin_state import OriginState
from canfetch.client.sync_client import Client


class PacedClient(Client):
    """A client that requests documents such as tdmrep.json when it is their turn. Those for robots.txt do not wait.

    Attributes: start_turn: Waits for the turn of a request to an origin, and returns its context, or None.
    """

    start_turn: Callable[[OriginState], AbstractContextManager[object]] | None = None

    def fetch_use_files(self, url: str, purpose: str, *, cross_origin: bool) -> float:
        """Fetch the tdmrep.json of an origin, and the licenses that its robots.txt names, if they are not in memory.

        Args: As for `may_use`, which needs these files.
        Returns: When one of them has to be fetched again, in seconds since the epoch.
        Raises: As `may_use`.
        """
        from canfetch.client.use import question_steps  # noqa: PLC0415 - as in `may_use`

        named = () if cross_origin else (self._origin_of(url),)
        steps = question_steps(url, purpose, self._named_agent(None), None, self._clock())
        return run_steps(steps, partial(self._perform_step, named)).readings[-1].fresh_until

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

    async def fetch_use_files(self, url: str, purpose: str, *, cross_origin: bool) -> float:
        """Fetch the files of an origin that `may_use` needs. See `PacedClient.fetch_use_files`."""
        from canfetch.client.use import question_steps  # noqa: PLC0415 - as in `may_use`

        named = () if cross_origin else (self._origin_of(url),)
        steps = question_steps(url, purpose, self._named_agent(None), None, self._clock())
        return (await run_steps_async(steps, partial(self._perform_step, named))).readings[-1].fresh_until

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
