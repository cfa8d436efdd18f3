"""The class of hostile files, and functions to build them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.inputs import AGENT, ORIGIN

FILE_BYTES = 500 * 1024
URL_BYTES = 2048
STAR = b"user-agent:*\n"


@dataclass(frozen=True, slots=True)
class Trap:
    """A hostile file and its URL.

    `url_may_vary` means that the last bytes of the URL do not matter, so that a series of different URLs can be used.
    """

    name: str
    content: bytes
    url: str
    agent: str = AGENT
    url_may_vary: bool = True


def fill(lines: Iterable[bytes], *, start: bytes = STAR, limit: int = FILE_BYTES) -> bytes:
    """Join lines until the file is full."""
    parts = [start]
    size = len(start)
    for line in lines:
        size += len(line) + 1
        if size > limit:
            break
        parts.append(line + b"\n")
    return b"".join(parts)


def make_url(unit: str, end: str = "") -> str:
    """Return a URL of maximum length whose path repeats `unit` and ends with `end`."""
    space = URL_BYTES - len(ORIGIN) - 1 - len(end)
    return f"{ORIGIN}/{(unit * (space // len(unit) + 1))[:space]}{end}"


def words(alphabet: bytes = b"bcdefghijklmnopqrstuvwxy") -> Iterator[bytes]:
    """Yield different short texts: b, c, ..., bb, bc, ..."""
    for length in itertools.count(1):
        for letters in itertools.product(alphabet, repeat=length):
            yield bytes(letters)


def pairs() -> Iterator[bytes]:
    """Yield different texts of pairs of letters separated by stars, so that they contain no gram of three bytes."""
    letters = [bytes(two) for two in itertools.product(b"abcdefgh", repeat=2)]
    for count in itertools.count(1):
        for chosen in itertools.product(letters, repeat=count):
            yield b"*".join(chosen)


def varied(rule: bytes, end: bytes = b"") -> Iterator[bytes]:
    """Yield a rule repeatedly, each followed by different pairs of letters, because equal rules may be merged."""
    return (rule + b"*" + word + end for word in pairs())
