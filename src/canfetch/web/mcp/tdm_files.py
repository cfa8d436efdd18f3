"""The TDM files of origins, `/.well-known/tdmrep.json`, fetched and kept in memory.

They reserve the rights to text and data mining, which includes training (TDMRep). A robots.txt can disallow them.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from canfetch.access.redirects import redirect_target
from canfetch.access.responses import Failure
from canfetch.client.origin_state import OriginState
from canfetch.client.transports import AsyncTransport, TransportRequest
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.pages.tdm import MAX_TDM_BYTES, TDM_FILE_PATH

_MAX_REDIRECTS: Final = 5
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_NOT_FOUND: Final = (404, 410)
_SUCCESS: Final = 2
_FRESH_SECONDS: Final = 86_400.0
_RETRY_SECONDS: Final = 600.0
_MAX_BYTES: Final = 16 * 1024 * 1024
# Counted for each file, so that empty ones are bounded, too.
_ENTRY_BYTES: Final = 1024


class FetchedTDMFile(NamedTuple):
    """The content of a TDM file, or None if there is none. `problem` is why it could not be fetched, or None."""

    content: bytes | None = None
    problem: str | None = None


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
        file = await self._request(f"{origin}{TDM_FILE_PATH}")
        seconds = _FRESH_SECONDS if file.problem is None else _RETRY_SECONDS
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

    async def _request(self, url: str) -> FetchedTDMFile:
        for _ in range(_MAX_REDIRECTS + 1):
            state = await self._state(url)
            if not state.decide(url, self._agent, self._clock()).allowed:
                return FetchedTDMFile(problem="robots.txt disallows it")
            response = await self._transport.send(self._to_request(url))
            if isinstance(response, Failure):
                return FetchedTDMFile(problem=str(response.kind))
            if response.status in _NOT_FOUND:
                return FetchedTDMFile()
            if response.status // 100 == _SUCCESS:
                return FetchedTDMFile(response.body)
            target = redirect_target(url, response) if response.status in _REDIRECTS else None
            if target is None:
                return FetchedTDMFile(problem=f"status {response.status}")
            url = target
        return FetchedTDMFile(problem="too many redirects")

    def _to_request(self, url: str) -> TransportRequest:
        return TransportRequest(
            url=url,
            headers=(("User-Agent", self._user_agent), ("Accept", "application/json")),
            max_bytes=MAX_TDM_BYTES,
            connect_timeout=self._timeout,
            read_timeout=self._timeout,
            timeout=self._timeout,
            allow_private=self._allow_private,
        )


def _size(file: FetchedTDMFile) -> int:
    return _ENTRY_BYTES + len(file.content or b"")
