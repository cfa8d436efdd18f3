"""Pauses of the cyclic garbage collector, which only commands use, because it is a setting of the process."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the cyclic garbage collector, for work that creates many objects and keeps nearly all of them.

    The collector would visit the records of a large file again and again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def freeze_objects() -> None:
    """Exempt all present objects from later collections, such as those of the interpreter as it exits.

    These visit all imported modules, and take a tenth of a short run. Call it before DuckDB is imported, whose objects
    are reported as leaked if they are not collected at exit.
    """
    # Other implementations have other collectors.
    if sys.implementation.name == "cpython":
        gc.freeze()
