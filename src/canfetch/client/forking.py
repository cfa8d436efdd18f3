"""Reset objects in a forked process: a lock held by another thread of the parent is never released in the child."""

import os
from typing import Final, Protocol
from weakref import WeakSet


class ForkAware(Protocol):
    """An object with state that is invalid in a forked process."""

    def reset_after_fork(self) -> None:
        """Reset the state. No other thread of the child runs yet."""
        ...


# Objects of the parent that a forked process must not close.
_ABANDONED: Final[list[object]] = []
_INSTANCES: Final[WeakSet[ForkAware]] = WeakSet()


def reset_on_fork(instance: ForkAware) -> None:
    """Reset `instance` in every process that is forked while it exists."""
    _INSTANCES.add(instance)


def abandon(inherited: object) -> None:
    """Keep an object in a forked process, without closing it.

    To close a connection there would end the session of the parent, release its locks, or damage its file.
    """
    _ABANDONED.append(inherited)


def _reset_instances() -> None:
    for instance in list(_INSTANCES):
        instance.reset_after_fork()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_instances)
