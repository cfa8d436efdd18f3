"""Responses with content codings, valid and invalid."""

import gzip
import zlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from tests.servers.valid import RULES
from tests.servers.web import Behaviour, Exchange

_BOMB_BYTES = 64 * 1024 * 1024
_EMPTY_MEMBERS = gzip.compress(b"") * 1_000


def encoded(coding: str, make_body: Callable[[], bytes]) -> Behaviour:
    """Respond with a body that is declared to have `coding`. It is created at the first request."""
    cached_body = cache(make_body)

    async def behaviour(exchange: Exchange) -> None:
        await exchange.respond(200, cached_body(), f"Content-Encoding: {coding}")

    return behaviour


def _library(name: str) -> Any:
    return import_module(name)


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


def _blank_lines(size: int) -> bytes:
    return b"\n" * size


async def endless_members(exchange: Exchange) -> None:
    """Send empty gzip members without end."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
    while True:
        await exchange.send(_EMPTY_MEMBERS)


async def echo_accept_encoding(exchange: Exchange) -> None:
    """Respond with the value of Accept-Encoding."""
    await exchange.respond(200, exchange.request.headers.get("accept-encoding", "").encode())


BEHAVIOURS: dict[str, Behaviour] = {
    "gzip": encoded("gzip", lambda: gzip.compress(RULES)),
    "x-gzip": encoded("X-GZip", lambda: gzip.compress(RULES)),
    "identity": encoded("identity", lambda: RULES),
    "gzip-members": encoded("gzip", lambda: gzip.compress(RULES[:9]) + gzip.compress(RULES[9:])),
    "deflate": encoded("deflate", lambda: zlib.compress(RULES)),
    "raw-deflate": encoded("deflate", lambda: raw_deflate(RULES)),
    "br": encoded("br", lambda: _library("brotli").compress(RULES)),
    "zstd": encoded("zstd", lambda: _library("zstandard").compress(RULES)),
    "gzip-empty": encoded("gzip", lambda: b""),
    "gzip-bomb": encoded("gzip", lambda: gzip.compress(_blank_lines(_BOMB_BYTES))),
    "deflate-bomb": encoded("deflate", lambda: zlib.compress(_blank_lines(_BOMB_BYTES))),
    "br-bomb": encoded("br", lambda: _library("brotli").compress(_blank_lines(_BOMB_BYTES), quality=5)),
    "zstd-bomb": encoded("zstd", lambda: _library("zstandard").compress(_blank_lines(_BOMB_BYTES))),
    "gzip-cut": encoded("gzip", lambda: gzip.compress(RULES)[:-12]),
    "gzip-cut-trailer": encoded("gzip", lambda: gzip.compress(RULES)[:-1]),
    "deflate-cut": encoded("deflate", lambda: zlib.compress(RULES)[:-5]),
    "deflate-one": encoded("deflate", lambda: zlib.compress(RULES)[:1]),
    "br-cut": encoded("br", lambda: _library("brotli").compress(RULES)[:-2]),
    "zstd-cut": encoded("zstd", lambda: _library("zstandard").compress(RULES)[:-2]),
    "gzip-wrong": encoded("gzip", lambda: RULES),
    "deflate-wrong": encoded("deflate", lambda: b"\xff" * 40),
    "br-wrong": encoded("br", lambda: b"\xff" * 40),
    "zstd-wrong": encoded("zstd", lambda: RULES),
    "gzip-checksum": encoded("gzip", lambda: gzip.compress(RULES)[:-8] + bytes(8)),
    "gzip-padded": encoded("gzip", lambda: gzip.compress(RULES) + bytes(1_000)),
    "gzip-padded-trailing": encoded("gzip", lambda: gzip.compress(RULES) + bytes(9) + b"Disallow: /\n"),
    "gzip-trailing": encoded("gzip", lambda: gzip.compress(RULES) + b"Disallow: /\n"),
    "deflate-trailing": encoded("deflate", lambda: zlib.compress(RULES) + b"Disallow: /\n"),
    "br-trailing": encoded("br", lambda: _library("brotli").compress(RULES) + b"Disallow: /\n"),
    "zstd-trailing": encoded("zstd", lambda: _library("zstandard").compress(RULES) + b"Disallow: /\n"),
    "encoded-twice": encoded("gzip, gzip", lambda: gzip.compress(gzip.compress(RULES))),
    "unknown-coding": encoded("compress", lambda: RULES),
    "no-coding": encoded("none, aws-chunked", lambda: RULES),
    "endless-members": endless_members,
    "echo-accept-encoding": echo_accept_encoding,
}
