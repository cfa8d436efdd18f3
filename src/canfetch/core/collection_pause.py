"""A pause of Python's cyclic garbage collector."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_collection() -> Iterator[None]:
    """Pause the collector, if it is on.

    Work on a large file creates several hundred thousand objects that live until its end, and the collector would visit
    them again and again: up to a third of the time. Hardly any are in a cycle. The pause applies to the process, so
    other threads collect their cycles when it ends.
    """
    if not gc.isenabled():
        # By the caller, or by another thread that works on a large file.
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
