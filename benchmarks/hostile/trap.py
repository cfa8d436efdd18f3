"""What a hostile file is, and the texts that they are made of."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.inputs import AGENT, ORIGIN

FILE_OCTETS = 500 * 1024
URL_OCTETS = 2048
STAR = b"user-agent:*\n"


@dataclass(frozen=True, slots=True)
class Trap:
    """One hostile file with the URL that goes with it.

    `url_may_vary`: the last octets of the URL do not matter, so that a series of distinct ones can be asked.
    """

    name: str
    octets: bytes
    url: str
    agent: str = AGENT
    url_may_vary: bool = True


def filled(lines: Iterable[bytes], *, start: bytes = STAR, limit: int = FILE_OCTETS) -> bytes:
    """Put lines together until the file is full."""
    parts = [start]
    size = len(start)
    for line in lines:
        size += len(line) + 1
        if size > limit:
            break
        parts.append(line + b"\n")
    return b"".join(parts)


def url_of(unit: str, end: str = "") -> str:
    """Write a URL of full length whose path repeats `unit` and ends with `end`."""
    room = URL_OCTETS - len(ORIGIN) - 1 - len(end)
    return f"{ORIGIN}/{(unit * (room // len(unit) + 1))[:room]}{end}"


def words(alphabet: bytes = b"bcdefghijklmnopqrstuvwxy") -> Iterator[bytes]:
    """Give distinct short texts: b, c, ..., bb, bc, ..."""
    for length in itertools.count(1):
        for letters in itertools.product(alphabet, repeat=length):
            yield bytes(letters)


def pairs() -> Iterator[bytes]:
    """Give distinct texts of pairs of letters between stars: no three octets of them are in a row."""
    letters = [bytes(two) for two in itertools.product(b"abcdefgh", repeat=2)]
    for count in itertools.count(1):
        for chosen in itertools.product(letters, repeat=count):
            yield b"*".join(chosen)


def varied(rule: bytes, end: bytes = b"") -> Iterator[bytes]:
    """Give a rule again and again, each with other pairs of letters behind it: equal ones may be taken as one."""
    return (rule + b"*" + word + end for word in pairs())
