"""Where the URLs of a queue are, until the frontier is closed or the process forks: `QueueConnection`."""

import threading

from canfetch.errors import StoreError


class QueueConnection:
    """A connection to a file, a database or a service.

    Args: name: Its name in messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._unusable_because: str | None = None
        # Whether it belongs to the process that forked this one.
        self.is_of_parent = False

    @property
    def is_open(self) -> bool:
        """Whether it can be used."""
        return self._unusable_because is None

    def check_usable(self) -> None:
        """Check that it was not closed.

        Raises: StoreError.
        """
        if self._unusable_because is not None:
            raise StoreError(f"{self.name}: {self._unusable_because}")

    def _end_use(self, reason: str) -> bool:
        """Note why it can no longer be used. Return whether it could be used until now."""
        was_open = self.is_open
        self._unusable_because = self._unusable_because or reason
        return was_open

    def _end_use_after_fork(self) -> bool:
        self.is_of_parent = self.is_of_parent or self.is_open
        return self._end_use("a forked process cannot use the frontier of its parent")


def check_thread(thread: int, name: str) -> None:
    """Check that a queue is used in the thread that opened it.

    Args:
        thread: The identifier of that thread.
        name: The file, the database or the service.
    Raises: RuntimeError: This is another thread.
    """
    if threading.get_ident() != thread:
        raise RuntimeError(
            f"{name}: a frontier belongs to the thread that created it: call its methods there, for example with "
            "`loop.call_soon_threadsafe`"
        )
