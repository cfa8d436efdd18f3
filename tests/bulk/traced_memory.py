"""The memory that a call takes."""

import tracemalloc
from collections.abc import Callable
from typing import TypeVar

ResultT = TypeVar("ResultT")


def with_peak_memory(work: Callable[[], ResultT]) -> tuple[ResultT, int]:
    """Return the result of a call, and the most bytes that Python had allocated during it."""
    tracemalloc.start()
    try:
        return work(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
