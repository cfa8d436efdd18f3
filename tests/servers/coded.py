"""Answers in content codings, right and wrong."""

import gzip
import zlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from tests.servers.proper import RULES
from tests.servers.web import Behaviour, Exchange

_BOMB_OCTETS = 64 * 1024 * 1024
_EMPTY_MEMBERS = gzip.compress(b"") * 1_000


def coded(coding: str, octets: Callable[[], bytes]) -> Behaviour:
    """Answer with octets that are said to be in that coding; they are made when they are first asked for."""
    made = cache(octets)

    async def behaviour(exchange: Exchange) -> None:
        await exchange.answer(200, made(), f"Content-Encoding: {coding}")

    return behaviour


def _library(name: str) -> Any:
    return import_module(name)


def _raw_deflate(octets: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(octets) + stream.flush()


def _nothing(size: int) -> bytes:
    return b"\n" * size


async def endless_members(exchange: Exchange) -> None:
    """Send gzip members for ever, each of them empty."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
    while True:
        await exchange.send(_EMPTY_MEMBERS)


async def as_asked(exchange: Exchange) -> None:
    """Say what codings were asked for."""
    await exchange.answer(200, exchange.asked.headers.get("accept-encoding", "").encode())


BEHAVIOURS: dict[str, Behaviour] = {
    "gzip": coded("gzip", lambda: gzip.compress(RULES)),
    "x-gzip": coded("X-GZip", lambda: gzip.compress(RULES)),
    "identity": coded("identity", lambda: RULES),
    "gzip-members": coded("gzip", lambda: gzip.compress(RULES[:9]) + gzip.compress(RULES[9:])),
    "deflate": coded("deflate", lambda: zlib.compress(RULES)),
    "raw-deflate": coded("deflate", lambda: _raw_deflate(RULES)),
    "br": coded("br", lambda: _library("brotli").compress(RULES)),
    "zstd": coded("zstd", lambda: _library("zstandard").compress(RULES)),
    "gzip-empty": coded("gzip", lambda: b""),
    "gzip-bomb": coded("gzip", lambda: gzip.compress(_nothing(_BOMB_OCTETS))),
    "deflate-bomb": coded("deflate", lambda: zlib.compress(_nothing(_BOMB_OCTETS))),
    "br-bomb": coded("br", lambda: _library("brotli").compress(_nothing(_BOMB_OCTETS), quality=5)),
    "zstd-bomb": coded("zstd", lambda: _library("zstandard").compress(_nothing(_BOMB_OCTETS))),
    "gzip-cut": coded("gzip", lambda: gzip.compress(RULES)[:-12]),
    "gzip-cut-trailer": coded("gzip", lambda: gzip.compress(RULES)[:-1]),
    "deflate-cut": coded("deflate", lambda: zlib.compress(RULES)[:-5]),
    "deflate-one": coded("deflate", lambda: zlib.compress(RULES)[:1]),
    "br-cut": coded("br", lambda: _library("brotli").compress(RULES)[:-2]),
    "zstd-cut": coded("zstd", lambda: _library("zstandard").compress(RULES)[:-2]),
    "gzip-wrong": coded("gzip", lambda: RULES),
    "deflate-wrong": coded("deflate", lambda: b"\xff" * 40),
    "br-wrong": coded("br", lambda: b"\xff" * 40),
    "zstd-wrong": coded("zstd", lambda: RULES),
    "gzip-checksum": coded("gzip", lambda: gzip.compress(RULES)[:-8] + bytes(8)),
    "gzip-trailing": coded("gzip", lambda: gzip.compress(RULES) + b"Disallow: /\n"),
    "deflate-trailing": coded("deflate", lambda: zlib.compress(RULES) + b"Disallow: /\n"),
    "br-trailing": coded("br", lambda: _library("brotli").compress(RULES) + b"Disallow: /\n"),
    "zstd-trailing": coded("zstd", lambda: _library("zstandard").compress(RULES) + b"Disallow: /\n"),
    "twice-coded": coded("gzip, gzip", lambda: gzip.compress(gzip.compress(RULES))),
    "unknown-coding": coded("compress", lambda: RULES),
    "endless-members": endless_members,
    "as-asked": as_asked,
}
