"""Pauses of the cyclic garbage collector."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the cyclic garbage collector, for work that creates many objects and keeps nearly all of them.

    The collector would visit the records of a large file again and again. It is a setting of the process, so that only
    commands pause it, and never the library.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
