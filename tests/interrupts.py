"""Interrupts at every moment of a call: KeyboardInterrupt in place of the result of each function that it calls."""

import sys
from collections.abc import Callable, Iterator
from itertools import count
from types import FrameType
from typing import Any

_RETURNS = frozenset({"return", "c_return"})


def interrupt_each(call: Callable[[], object]) -> Iterator[int]:
    """Make a call again and again, interrupted after one more function each time, until it comes to its end.

    Yields: The number of functions that had returned, after each interrupt.
    """
    for allowed in count():
        if not _is_interrupted(call, allowed):
            return
        yield allowed


def _is_interrupted(call: Callable[[], object], allowed: int) -> bool:
    left = allowed

    def interrupt(_frame: FrameType, event: str, _function: Any) -> None:
        nonlocal left
        if event in _RETURNS:
            left -= 1
            if left < 0:
                # Python ends profiling with this.
                raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(interrupt)
    try:
        call()
    except KeyboardInterrupt:
        # Not `suppress`, which would be interrupted itself.
        pass
    finally:
        sys.setprofile(before)
    # Also if the call went on, because Python ignores exceptions of finalizers.
    return left < 0
