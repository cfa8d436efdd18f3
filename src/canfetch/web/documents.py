"""Requests for pages and sitemaps of the API."""

import asyncio
from typing import Final

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.documents import FetchStep
from canfetch.client.transports import TransportRequest
from canfetch.web.origins import Origins

_TIMEOUT: Final = 20.0
_MAX_WAIT: Final = 10.0


async def fetch(origins: Origins, step: FetchStep, *, deadline: float) -> Response | Failure:
    """Send a request, without following redirects.

    Args: deadline: The time of the event loop at which a response is late.
    Raises: TooManyFetches.
    """
    request = TransportRequest(
        url=step.url,
        headers=(("User-Agent", origins.user_agent), ("Accept", "text/html, */*;q=0.5")),
        max_bytes=step.max_bytes,
        connect_timeout=_MAX_WAIT,
        read_timeout=_MAX_WAIT,
        timeout=_TIMEOUT,
        allow_private=origins.allow_private,
    )
    try:
        async with asyncio.timeout_at(deadline), origins.fetch_slot():
            return await origins.transport.send(request)
    except TimeoutError:
        return Failure(step.url, FailureKind.TIMEOUT, "no response in the time of the request")
