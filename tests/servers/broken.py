"""Answers that break off, or are none."""

import asyncio

from tests.servers.proper import RULES
from tests.servers.web import Behaviour, Exchange

# Long enough that what was sent is read before the connection breaks: a reset takes back what was not.
_READ_SECONDS = 0.05
_LONGER = f"HTTP/1.1 200 OK\r\nContent-Length: {len(RULES) + 100}\r\n\r\n".encode() + RULES
_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def sending(octets: bytes) -> Behaviour:
    """Send just that, and close."""

    async def behaviour(exchange: Exchange) -> None:
        await exchange.send(octets)

    return behaviour


def breaking(octets: bytes) -> Behaviour:
    """Send just that, and reset the connection."""

    async def behaviour(exchange: Exchange) -> None:
        if octets:
            await exchange.send(octets)
            await asyncio.sleep(_READ_SECONDS)
        exchange.reset()

    return behaviour


def later(*parts: bytes) -> Behaviour:
    """Send these, each read before the next one comes, and close."""

    async def behaviour(exchange: Exchange) -> None:
        for part in parts:
            await exchange.send(part)
            await asyncio.sleep(_READ_SECONDS)

    return behaviour


async def cut_closing(exchange: Exchange) -> None:
    """Answer without a length, and cut the connection, which is its end where TLS does not know better."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + RULES)
    await asyncio.sleep(_READ_SECONDS)
    exchange.cut()


BEHAVIOURS: dict[str, Behaviour] = {
    "cut-closing": cut_closing,
    "closed": sending(b""),
    "reset": breaking(b""),
    "reset-in-head": breaking(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "reset-in-body": breaking(_LONGER),
    "cut-status": sending(b"HTTP/1.1 20"),
    # A lenient reader takes these for an empty robots.txt, which allows everything.
    "cut-field": sending(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "cut-head": sending(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"),
    "interim-only": sending(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "short-body": sending(_LONGER),
    "long-body": sending(f"HTTP/1.1 200 OK\r\nContent-Length: {len(RULES)}\r\n\r\n".encode() + RULES + b"Disallow: /"),
    "two-lengths": sending(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nAllow"),
    "bad-length": sending(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n" + RULES),
    "negative-length": sending(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" + RULES),
    "bad-chunk": sending(_CHUNKED + b"5\r\nAllow\r\nwhat?\r\nAllow\r\n0\r\n\r\n"),
    "negative-chunk": sending(_CHUNKED + b"-5\r\nAllow\r\n0\r\n\r\n"),
    "late-bad-chunk": later(_CHUNKED, b"5\r\nAllow\r\n", b"what?\r\nAllow\r\n0\r\n\r\n"),
    "late-cut-chunk": later(_CHUNKED, b"5\r\nAllow\r\n", b"5\r\nAl"),
    "late-short-body": later(_LONGER[:-5], _LONGER[-5:]),
    "long-chunk": sending(_CHUNKED + b"5\r\nAllow: /\r\n0\r\n\r\n"),
    "cut-chunk": sending(_CHUNKED + b"ff\r\nAllow"),
    "cut-chunks": sending(_CHUNKED + b"5\r\nAllow\r\n"),
    "cut-last-chunk": sending(_CHUNKED + b"5\r\nAllow\r\n0\r\n"),
    "transfer-coding": sending(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: martian\r\n\r\n" + RULES),
    "not-http": sending(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
    "http-0.9": sending(RULES + b"\n"),
    "no-colon": sending(b"HTTP/1.1 200 OK\r\nthis is no field\r\n\r\n" + RULES),
    "switching": sending(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + RULES),
}
