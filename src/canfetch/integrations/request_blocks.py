"""Blocks of code whose requests the integrations of HTTP clients do not check.

A block applies to the requests of the thread or task that has entered it, and to those of tasks and copied contexts
that start in it: HTTP clients and their extensions can send a request in a task of its own. A context variable alone
would apply to them after the end of the block, too, so its value knows whether the block is open.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final


class _Block:
    """A block.

    Args: key: What the block is for.
    Attributes: is_open: Whether the block has not ended.
    """

    __slots__ = ("_key", "_process", "is_open")

    def __init__(self, key: object) -> None:
        self._key: object = key
        self._process = os.getpid()
        self.is_open = True

    def is_for(self, key: object) -> bool:
        """Return whether the block is open in this process, and for a key. In a forked process, it would never end."""
        return self.is_open and self._key is key and self._process == os.getpid()

    def end(self) -> None:
        """End the block, also for the contexts that were copied in it."""
        self.is_open = False
        # Tasks that started in the block can keep it for long.
        self._key = None


# The blocks that the current thread or task is in. Some of them may have ended.
_BLOCKS: Final[ContextVar[tuple[_Block, ...]]] = ContextVar("_BLOCKS", default=())


@contextmanager
def open_block(key: object) -> Iterator[None]:
    """Let `is_in_block` return True for a key.

    Blocks can end in any order, and in another thread or task: a generator that has entered one can be closed anywhere.
    """
    block = _Block(key)
    _BLOCKS.set((*_open_blocks(), block))
    try:
        yield
    finally:
        block.end()
        _BLOCKS.set(_open_blocks())


def is_in_block(key: object) -> bool:
    """Return whether the current thread or task is in a block for a key."""
    return any(block.is_for(key) for block in _BLOCKS.get())


def _open_blocks() -> tuple[_Block, ...]:
    return tuple(block for block in _BLOCKS.get() if block.is_open)
