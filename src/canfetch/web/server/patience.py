"""How long a client may keep the server waiting."""


class Patience:
    """The seconds that a client may still keep the server waiting. It earns them with bytes that it sends or reads.

    So a client may pause, but not go on more slowly than a rate.

    Args:
        seconds: The seconds at the start, and the most that a client can have.
        rate: The bytes that earn a second.
    """

    def __init__(self, seconds: float, rate: float) -> None:
        self._most = seconds
        self._rate = rate
        self.left = seconds

    def earn(self, size: int) -> None:
        """Count bytes."""
        self.left = min(self._most, self.left + size / self._rate)

    def spend(self, seconds: float) -> None:
        """Count a wait. Nothing is left after one that is too long."""
        self.left = max(0.0, self.left - seconds)
