"""The TDM files of origins, `/.well-known/tdmrep.json`, fetched and kept in memory.

They reserve the rights to text and data mining, which includes training (TDMRep). A robots.txt can disallow them.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

from canfetch.access.responses import Failure, Response
from canfetch.answers.pages import FetchedTDMFile, fetch_tdm_file
from canfetch.client.documents import DecideStep, FetchStep, Step, run_steps_async
from canfetch.client.origin_state import OriginState
from canfetch.client.transports import AsyncTransport, TransportRequest
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.verdict import Verdict

_FRESH_SECONDS: Final = 86_400.0
_RETRY_SECONDS: Final = 600.0
_MAX_BYTES: Final = 16 * 1024 * 1024
# Counted for each file, so that empty ones are bounded, too.
_ENTRY_BYTES: Final = 1024


class TDMFileFetcher:
    """Fetches TDM files. Concurrent questions about one origin share one request.

    Args:
        transport: Sends the requests.
        state: Returns the state of the origin of a URL.
        agent: The agent of the server, which robots.txt may disallow to fetch the file.
        user_agent: Its User-Agent header.
        timeout: Seconds for a request.
        allow_private: Whether to connect to private and loopback addresses.
        clock: Returns the time in seconds since the epoch.
    """

    def __init__(
        self,
        *,
        transport: AsyncTransport,
        state: Callable[[str], Awaitable[OriginState]],
        agent: Agent,
        user_agent: str,
        timeout: float,
        allow_private: bool,
        clock: Callable[[], float],
    ) -> None:
        self._transport = transport
        self._state = state
        self._agent = agent
        self._user_agent = user_agent
        self._timeout = timeout
        self._allow_private = allow_private
        self._clock = clock
        # By origin: the file, and until when it is used. The least recently used is first.
        self._files: OrderedDict[str, tuple[FetchedTDMFile, float]] = OrderedDict()
        self._bytes = 0
        self._fetches: dict[str, asyncio.Task[FetchedTDMFile]] = {}

    async def get(self, url: str) -> FetchedTDMFile:
        """Return the file of the origin of a URL."""
        origin = str(Origin.from_url(url))
        known = self._files.get(origin)
        if known is not None and self._clock() < known[1]:
            self._files.move_to_end(origin)
            return known[0]
        fetch = self._fetches.get(origin)
        if fetch is None:
            fetch = self._fetches[origin] = asyncio.create_task(self._fetch(origin))
            fetch.add_done_callback(lambda _: self._fetches.pop(origin, None))
        # The fetch continues for other questions if this one is cancelled.
        return await asyncio.shield(fetch)

    async def close(self) -> None:
        """Cancel the fetches in progress."""
        fetches = list(self._fetches.values())
        for fetch in fetches:
            fetch.cancel()
        await asyncio.gather(*fetches, return_exceptions=True)

    async def _fetch(self, origin: str) -> FetchedTDMFile:
        file = await run_steps_async(fetch_tdm_file(origin), self._perform)
        seconds = _FRESH_SECONDS if file.reason is None else _RETRY_SECONDS
        self._forget(origin)
        self._files[origin] = file, self._clock() + seconds
        self._bytes += _size(file)
        while self._bytes > _MAX_BYTES:
            self._forget(next(iter(self._files)))
        return file

    def _forget(self, origin: str) -> None:
        known = self._files.pop(origin, None)
        if known is not None:
            self._bytes -= _size(known[0])

    async def _perform(self, step: Step) -> Verdict | Response | Failure:
        if isinstance(step, DecideStep):
            return (await self._state(step.url)).decide(step.url, self._agent, self._clock())
        return await self._transport.send(self._to_request(step))

    def _to_request(self, step: FetchStep) -> TransportRequest:
        return TransportRequest(
            url=step.url,
            headers=(("User-Agent", self._user_agent), ("Accept", "application/json")),
            max_bytes=step.max_bytes,
            connect_timeout=self._timeout,
            read_timeout=self._timeout,
            timeout=self._timeout,
            allow_private=self._allow_private,
        )


def _size(file: FetchedTDMFile) -> int:
    return _ENTRY_BYTES + len(file.content or b"") + len(file.problem or "")
