"""Files and URLs made to be slow: each trap is a robots.txt of at most 500 KiB and a URL of 2 KiB, with its idea.

Their sources: the measured cases of earlier surveys (exponential and quadratic matchers, repeated grams, agents that
share rules), and attacks on what a fast engine is likely to do: rare-gram indexes, substring searches with a
rare-octet filter, tries, sorting, percent normalisation, line and key reading. `benchmarks.search` looks for more.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.hostile import matching, reading, searching
from benchmarks.hostile.reading import SHARED_AGENTS, agents_with_their_own
from benchmarks.hostile.trap import FILE_OCTETS, URL_OCTETS, Trap, filled, pairs

__all__ = ["FILE_OCTETS", "SHARED_AGENTS", "TRAPS", "URL_OCTETS", "Trap", "agents_with_their_own", "filled", "pairs"]


TRAPS: dict[str, Callable[[], Trap]] = {
    make.__name__: make for make in (*matching.TRAPS, *searching.TRAPS, *reading.TRAPS)
}
