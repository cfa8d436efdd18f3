"""Responses that are slow, never end, or never start."""

import asyncio

from tests.servers.valid import RULES
from tests.servers.web import Behaviour, Exchange

# Far below any read timeout, so that only the timeout of the whole request ends these.
_DRIP_SECONDS = 0.02
_FILLER = b"# filler\n" * 6_400


async def _drip(exchange: Exchange, data: bytes) -> None:
    for byte in data:
        await exchange.send(bytes([byte]))
        await asyncio.sleep(_DRIP_SECONDS)


async def silent(exchange: Exchange) -> None:
    await exchange.wait_closed()


async def silent_body(exchange: Exchange) -> None:
    """Send the start of the body, then nothing."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + RULES)
    await exchange.wait_closed()


async def slow_head(exchange: Exchange) -> None:
    await _drip(exchange, b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 10_000)


async def slow_redirect(exchange: Exchange) -> None:
    """Redirect after a while to a server that never responds."""
    await asyncio.sleep(10 * _DRIP_SECONDS)
    await exchange.respond(302, b"", f"Location: {exchange.sibling_url('silent')}", reason="Found")


async def slow_body(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
    await _drip(exchange, b"#" * 10_000)


async def concurrent(exchange: Exchange) -> None:
    """Respond when there have been several connections at the same time."""
    await exchange.site.wait_overlap()
    await exchange.respond(200, RULES)


async def slow_complete(exchange: Exchange) -> None:
    """Send a complete response slowly."""
    await exchange.send(f"HTTP/1.1 200 OK\r\nContent-Length: {len(RULES)}\r\n\r\n".encode())
    for start in range(0, len(RULES), 8):
        await exchange.send(RULES[start : start + 8])
        await asyncio.sleep(_DRIP_SECONDS / 4)


def _endless(start: bytes, part: bytes) -> Behaviour:
    """Return a behaviour that sends the start of a response, and then a part of it without end."""

    async def endless(exchange: Exchange) -> None:
        await exchange.send(start)
        while True:
            await exchange.send(part)

    return endless


BEHAVIOURS: dict[str, Behaviour] = {
    "silent": silent,
    "silent-body": silent_body,
    "slow-head": slow_head,
    "slow-body": slow_body,
    "slow-redirect": slow_redirect,
    "concurrent": concurrent,
    "slow-complete": slow_complete,
    "endless-body": _endless(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", _FILLER),
    "endless-chunks": _endless(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"%x\r\n%b\r\n" % (len(_FILLER), _FILLER)
    ),
    "endless-line": _endless(b"HTTP/1.1 200 OK\r\nX-Endless: ", b"x" * 4_096),
    "endless-fields": _endless(b"HTTP/1.1 200 OK\r\n", b"X-Endless: yes\r\n" * 256),
    "endless-interim": _endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 256),
    "endless-extension": _endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"x" * 4_096),
    "endless-missing": _endless(b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n", _FILLER),
}
