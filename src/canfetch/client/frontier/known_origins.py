"""What a process knows of origins that it shares with others."""

from collections import OrderedDict
from collections.abc import Container
from typing import Any, Final

from canfetch.client.frontier.queue_values import QueuedOrigin

_KNOWN_ORIGINS: Final = 50_000


class KnownOrigins:
    """The origins that were used last.

    Args: kept: The IDs of origins that are never forgotten.
    """

    def __init__(self, kept: Container[int]) -> None:
        self._kept = kept
        self._by_id: OrderedDict[int, QueuedOrigin] = OrderedDict()
        self._ids: dict[str, int] = {}
        self._next = 1

    def __getitem__(self, id_: int) -> QueuedOrigin:
        return self._by_id[id_]

    def find(self, name: str) -> int:
        """Return the ID of an origin in this process."""
        id_ = self._ids.get(name)
        if id_ is None:
            id_ = self._ids[name] = self._next
            self._next += 1
            self._by_id[id_] = QueuedOrigin(id_, name, None, None, 0)
            if len(self._by_id) > _KNOWN_ORIGINS:
                oldest = next(other for other in self._by_id if other not in self._kept and other != id_)
                del self._ids[self._by_id.pop(oldest).name]
        self._by_id.move_to_end(id_)
        return id_

    def change(self, id_: int, **changes: Any) -> None:
        """Note what has changed."""
        self._by_id[id_] = self._by_id[id_]._replace(**changes)
