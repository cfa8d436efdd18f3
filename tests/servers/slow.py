"""Answers that never end, or never begin."""

import asyncio

from tests.servers.proper import RULES
from tests.servers.web import Behaviour, Exchange

# Far below any read time-out: only a bound on the whole ends these.
_DRIP_SECONDS = 0.02
_PIECE = b"# nothing\n" * 6_400


async def _drip(exchange: Exchange, octets: bytes) -> None:
    for octet in octets:
        await exchange.send(bytes([octet]))
        await asyncio.sleep(_DRIP_SECONDS)


async def silent(exchange: Exchange) -> None:
    await exchange.until_gone()


async def silent_body(exchange: Exchange) -> None:
    """Begin the body, and stop."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + RULES)
    await exchange.until_gone()


async def slow_head(exchange: Exchange) -> None:
    await _drip(exchange, b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 10_000)


async def slow_body(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
    await _drip(exchange, b"#" * 10_000)


async def slow_enough(exchange: Exchange) -> None:
    """Take a moment, and be whole."""
    await exchange.send(f"HTTP/1.1 200 OK\r\nContent-Length: {len(RULES)}\r\n\r\n".encode())
    for start in range(0, len(RULES), 8):
        await exchange.send(RULES[start : start + 8])
        await asyncio.sleep(_DRIP_SECONDS / 4)


async def endless_body(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    while True:
        await exchange.send(_PIECE)


async def endless_chunks(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await exchange.send(b"%x\r\n%b\r\n" % (len(_PIECE), _PIECE))


async def endless_line(exchange: Exchange) -> None:
    """Send one field that does not end."""
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
    """Send one chunk whose extension does not end."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;")
    while True:
        await exchange.send(b"x" * 4_096)


async def endless_missing(exchange: Exchange) -> None:
    """Say that it is not there, and go on talking."""
    await exchange.send(b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n")
    while True:
        await exchange.send(_PIECE)


BEHAVIOURS: dict[str, Behaviour] = {
    "silent": silent,
    "silent-body": silent_body,
    "slow-head": slow_head,
    "slow-body": slow_body,
    "slow-enough": slow_enough,
    "endless-body": endless_body,
    "endless-chunks": endless_chunks,
    "endless-line": endless_line,
    "endless-fields": endless_fields,
    "endless-interim": endless_interim,
    "endless-extension": endless_extension,
    "endless-missing": endless_missing,
}
