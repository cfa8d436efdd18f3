"""What clients share: an amount of which one client can take only a part."""

from collections import Counter
from typing import Final

# Of an amount, for one client. The others have the rest.
CLIENT_PART: Final = 4


class Shares:
    """An amount that clients share, such as bytes of memory.

    Args:
        total: The amount for all clients.
        client_total: The amount for one client. By default a quarter, and at least 1.
    """

    def __init__(self, total: int, client_total: int | None = None) -> None:
        self._total = total
        self._client_total = max(1, total // CLIENT_PART) if client_total is None else client_total
        self._taken: Counter[str] = Counter()
        self.taken = 0

    def take(self, client: str, amount: int = 1) -> bool:
        """Take an amount for a client. Return False, and take nothing, if that is more than is left for it."""
        if self.taken + amount > self._total or self._taken[client] + amount > self._client_total:
            if not self._taken[client]:
                del self._taken[client]
            return False
        self.taken += amount
        self._taken[client] += amount
        return True

    def give_back(self, client: str, amount: int = 1) -> None:
        """Give back what was taken."""
        self.taken -= amount
        self._taken[client] -= amount
        if not self._taken[client]:
            del self._taken[client]
