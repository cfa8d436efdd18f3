"""The clients of a server: that of its own access policy, and one for each policy that the edition of a request has."""

import asyncio
from collections import Counter
from typing import Any, Final, Protocol

from canfetch.client.async_client import AsyncClient
from canfetch.client.options import DEFAULT_MAX_MEMORY_BYTES

# For the files of each other policy, which few requests select.
_OTHER_MEMORY_BYTES: Final = DEFAULT_MAX_MEMORY_BYTES // 4


class ClientFactory(Protocol):
    """Creates a client. All clients of a server have the same transport and the same store."""

    def __call__(self, *, policy: str, max_memory_bytes: int) -> AsyncClient:
        """Return a client with an access policy."""


class PolicyClients:
    """The clients of a server. A store has entries of its own for each policy, so that the clients can share it.

    Args:
        create: Creates a client.
        policy: The name of the server's access policy.
    """

    def __init__(self, create: ClientFactory, policy: str) -> None:
        self._create = create
        self.own = create(policy=policy, max_memory_bytes=DEFAULT_MAX_MEMORY_BYTES)
        self._clients = {policy: self.own}

    def get(self, policy: str | None) -> AsyncClient:
        """Return the client of a policy, or that of the server for None.

        Args: policy: The policy of an edition, so that their number is small.
        """
        if policy is None:
            return self.own
        if policy not in self._clients:
            self._clients[policy] = self._create(policy=policy, max_memory_bytes=_OTHER_MEMORY_BYTES)
        return self._clients[policy]

    async def close(self) -> None:
        """Close all clients, their transport and their store."""
        await asyncio.gather(*(client.close() for client in self._clients.values()))

    def stats_json(self) -> dict[str, Any]:
        """Return the sums of the counters of all clients, as `ClientStats.to_json` returns those of one."""
        every = [client.stats for client in self._clients.values()]
        failures: Counter[str] = sum((Counter(stats.failures) for stats in every), Counter())
        names = [name for name in every[0]._fields if name != "failures"]
        return {**{name: sum(getattr(stats, name) for stats in every) for name in names}, "failures": dict(failures)}
