"""Refuses bodies that have a content coding, and those that are too large in a way that clients notice.

A connection that is closed while the client sends is reset, and most clients then do not read the response. So after
the response, a bounded part of the body is read and discarded.
"""

import asyncio
from contextlib import suppress
from typing import Final

from starlette.types import Receive, Send

TOO_LARGE: Final = 413
CODED: Final = 415
CODED_DETAIL: Final = "the body has a Content-Encoding: send it without one"
_DRAINED_BYTES: Final = 8 * 1024 * 1024
_DRAIN_SECONDS: Final = 1.0


def has_coding(content_encoding: bytes | None) -> bool:
    """Return whether a Content-Encoding header, or None, names a coding."""
    return content_encoding is not None and content_encoding.lower() not in (b"", b"identity")


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
