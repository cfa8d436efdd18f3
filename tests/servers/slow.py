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


async def endless_body(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    while True:
        await exchange.send(_FILLER)


async def endless_chunks(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await exchange.send(b"%x\r\n%b\r\n" % (len(_FILLER), _FILLER))


async def endless_line(exchange: Exchange) -> None:
    """Send one header without end."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nX-Endless: ")
    while True:
        await exchange.send(b"x" * 4_096)


async def endless_fields(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await exchange.send(b"X-Endless: yes\r\n" * 256)


async def endless_interim(exchange: Exchange) -> None:
    while True:
        await exchange.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 256)


async def endless_extension(exchange: Exchange) -> None:
    """Send a chunk extension without end."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;")
    while True:
        await exchange.send(b"x" * 4_096)


async def endless_missing(exchange: Exchange) -> None:
    """Send 404 with a body without end."""
    await exchange.send(b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n")
    while True:
        await exchange.send(_FILLER)


BEHAVIOURS: dict[str, Behaviour] = {
    "silent": silent,
    "silent-body": silent_body,
    "slow-head": slow_head,
    "slow-body": slow_body,
    "slow-redirect": slow_redirect,
    "concurrent": concurrent,
    "slow-complete": slow_complete,
    "endless-body": endless_body,
    "endless-chunks": endless_chunks,
    "endless-line": endless_line,
    "endless-fields": endless_fields,
    "endless-interim": endless_interim,
    "endless-extension": endless_extension,
    "endless-missing": endless_missing,
}
