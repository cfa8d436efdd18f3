"""Hostile files: each trap is a robots.txt of at most 500 KiB with a URL of 2 KiB that is slow for some matcher.

Some are known cases: exponential and quadratic matchers, repeated grams, and agents that share rules. Others attack the
techniques of fast engines: rare-gram indexes, substring search with a rare-byte filter, tries, sorting, percent
normalisation, and the parsing of lines and keys.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.hostile import matching, reading, searching
from benchmarks.hostile.reading import SHARED_AGENTS, agents_with_own_rules
from benchmarks.hostile.trap import FILE_BYTES, URL_BYTES, Trap, fill, pairs

__all__ = ["FILE_BYTES", "SHARED_AGENTS", "TRAPS", "URL_BYTES", "Trap", "agents_with_own_rules", "fill", "pairs"]


TRAPS: dict[str, Callable[[], Trap]] = {
    make.__name__: make for make in (*matching.TRAPS, *searching.TRAPS, *reading.TRAPS)
}
