"""What clients share: an amount of which one client, and one network of clients, can take only a part."""

from collections import Counter
from typing import Final

from canfetch.web.server.clients import network_of

# Of an amount, for one client. The others have the rest.
CLIENT_PART: Final = 4


class Shares:
    """An amount that clients share, such as bytes of memory.

    Args:
        total: The amount for all clients.
        client_total: The amount for one client. By default a quarter, and at least 1.
        network_total: The amount for all clients of a network, at least that of a client. By default, it can have at
            most as much as is still free, so that several networks together cannot take all: the first one gets a half,
            and the next one a half of the rest.
    """

    def __init__(self, total: int, client_total: int | None = None, network_total: int | None = None) -> None:
        self._total = total
        self._client_total = max(1, total // CLIENT_PART) if client_total is None else client_total
        self._network_total = None if network_total is None else max(network_total, self._client_total)
        # By client and by network. A client without a network is its own.
        self._taken: Counter[str] = Counter()
        self._taken_in: Counter[str] = Counter()
        self.taken = 0

    def take(self, client: str, amount: int = 1) -> bool:
        """Take an amount for a client. Return False, and take nothing, if that is more than is left for it."""
        network = network_of(client)
        left = self._total - self.taken
        # `get` adds nothing to a counter.
        if (
            amount > left
            or self._taken.get(client, 0) + amount > self._client_total
            or self._taken_in.get(network, 0) + amount > (left if self._network_total is None else self._network_total)
        ):
            return False
        self.taken += amount
        self._taken[client] += amount
        self._taken_in[network] += amount
        return True

    def give_back(self, client: str, amount: int = 1) -> None:
        """Give back what was taken."""
        self.taken -= amount
        for taken, key in ((self._taken, client), (self._taken_in, network_of(client))):
            taken[key] -= amount
            if not taken[key]:
                del taken[key]
