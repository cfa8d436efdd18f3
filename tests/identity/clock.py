"""A clock that tests set."""


class Clock:
    """Returns `now` until a test changes it.

    Args: now: Seconds since the epoch.
    """

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
