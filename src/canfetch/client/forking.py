"""What a process that forks must renew in its child: locks that nobody there gives back, and who waits for whom."""

import os
from typing import Final, Protocol
from weakref import WeakSet


class Renewed(Protocol):
    """Has something that is not true in a child."""

    def renew_in_child(self) -> None:
        """Make it true. No other thread runs in the child yet."""
        ...


_RENEWED: Final[WeakSet[Renewed]] = WeakSet()


def renewed_in_children(one: Renewed) -> None:
    """Let an object be renewed in every child that is forked while it lives."""
    _RENEWED.add(one)


def _renew_all() -> None:
    for one in list(_RENEWED):
        one.renew_in_child()


# Windows does not fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
