"""What a process that forks must renew in its child: locks that nobody there gives back, and who waits for whom."""

import os
from typing import Final, Protocol
from weakref import WeakSet


class ForkAware(Protocol):
    """Has something that is not true in a child."""

    def reset_after_fork(self) -> None:
        """Make it true. No other thread runs in the child yet."""
        ...


_RENEWED: Final[WeakSet[ForkAware]] = WeakSet()


def reset_on_fork(one: ForkAware) -> None:
    """Let an object be renewed in every child that is forked while it lives."""
    _RENEWED.add(one)


def _renew_all() -> None:
    for one in list(_RENEWED):
        one.reset_after_fork()


# Windows does not fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
