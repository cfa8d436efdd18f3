"""Truncated and invalid responses."""

import asyncio

from tests.servers.valid import RULES
from tests.servers.web import Behaviour, Exchange

# Time for the client to read the sent data. A reset discards unread data.
_READ_SECONDS = 0.05
_SHORT_BODY = f"HTTP/1.1 200 OK\r\nContent-Length: {len(RULES) + 100}\r\n\r\n".encode() + RULES
_CLOSING = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + RULES
_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def send_raw(data: bytes) -> Behaviour:
    """Send `data` and close the connection."""

    async def behaviour(exchange: Exchange) -> None:
        await exchange.send(data)

    return behaviour


def send_and_reset(data: bytes) -> Behaviour:
    """Send `data` and reset the connection."""

    async def behaviour(exchange: Exchange) -> None:
        if data:
            await exchange.send(data)
            await asyncio.sleep(_READ_SECONDS)
        exchange.reset()

    return behaviour


def send_in_parts(*parts: bytes) -> Behaviour:
    """Send the parts with a pause after each, and close the connection."""

    async def behaviour(exchange: Exchange) -> None:
        for part in parts:
            await exchange.send(part)
            await asyncio.sleep(_READ_SECONDS)

    return behaviour


async def cut_closing(exchange: Exchange) -> None:
    """Send a response without a length, and close the connection without a TLS closing alert."""
    await exchange.send(_CLOSING)
    await asyncio.sleep(_READ_SECONDS)
    exchange.cut()


BEHAVIOURS: dict[str, Behaviour] = {
    "cut-closing": cut_closing,
    "closed": send_raw(b""),
    "reset": send_and_reset(b""),
    "reset-in-head": send_and_reset(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "reset-in-body": send_and_reset(_SHORT_BODY),
    "reset-in-chunks": send_and_reset(_CHUNKED + b"5\r\nAllow\r\n"),
    "reset-closing": send_and_reset(_CLOSING),
    "cut-status": send_raw(b"HTTP/1.1 20"),
    # A lenient reader accepts these as an empty robots.txt, which allows everything.
    "cut-field": send_raw(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "cut-head": send_raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"),
    "interim-only": send_raw(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "short-body": send_raw(_SHORT_BODY),
    "long-body": send_raw(f"HTTP/1.1 200 OK\r\nContent-Length: {len(RULES)}\r\n\r\n".encode() + RULES + b"Disallow: /"),
    "two-lengths": send_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nAllow"),
    "bad-length": send_raw(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n" + RULES),
    "negative-length": send_raw(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" + RULES),
    "bad-chunk": send_raw(_CHUNKED + b"5\r\nAllow\r\nwhat?\r\nAllow\r\n0\r\n\r\n"),
    "negative-chunk": send_raw(_CHUNKED + b"-5\r\nAllow\r\n0\r\n\r\n"),
    "late-bad-chunk": send_in_parts(_CHUNKED, b"5\r\nAllow\r\n", b"what?\r\nAllow\r\n0\r\n\r\n"),
    "late-cut-chunk": send_in_parts(_CHUNKED, b"5\r\nAllow\r\n", b"5\r\nAl"),
    "late-short-body": send_in_parts(_SHORT_BODY[:-5], _SHORT_BODY[-5:]),
    "long-chunk": send_raw(_CHUNKED + b"5\r\nAllow: /\r\n0\r\n\r\n"),
    "cut-chunk": send_raw(_CHUNKED + b"ff\r\nAllow"),
    "cut-chunks": send_raw(_CHUNKED + b"5\r\nAllow\r\n"),
    "cut-last-chunk": send_raw(_CHUNKED + b"5\r\nAllow\r\n0\r\n"),
    "two-transfer-codings": send_raw(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: martian\r\n\r\n" + RULES
    ),
    "long-head": send_raw(b"HTTP/1.1 200 OK\r\n" + 20 * (b"X: " + 4_000 * b"y" + b"\r\n") + b"\r\n" + RULES),
    "transfer-coding": send_raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: martian\r\n\r\n" + RULES),
    "not-http": send_raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
    "http-0.9": send_raw(RULES + b"\n"),
    "no-colon": send_raw(b"HTTP/1.1 200 OK\r\nnot a header\r\n\r\n" + RULES),
    "switching": send_raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + RULES),
}
