"""Refuses bodies that are too large in a way that clients notice.

A connection that is closed while the client sends is reset, and most clients then do not read the response. So after
the response, a bounded part of the body is read and discarded.
"""

import asyncio
from contextlib import suppress
from typing import Final

from starlette.types import Receive, Send

TOO_LARGE: Final = 413
_DRAINED_BYTES: Final = 8 * 1024 * 1024
_DRAIN_SECONDS: Final = 1.0


async def end_refusal(body: bytes, receive: Receive, send: Send) -> None:
    """Send the body of a response, read the rest of the request, and end the response.

    Args: body: The whole body. The response declares its length, so that the client does not wait for the end.
    """
    await send({"type": "http.response.body", "body": body, "more_body": True})
    left = _DRAINED_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            while left > 0:
                message = await receive()
                if not message.get("more_body", False):
                    break
                left -= len(message.get("body", b""))
    await send({"type": "http.response.body"})
