"""The rule of leases of a URLFrontier service: which process has which queue, as far as the documentation promises it.

A process that responds keeps the queue of a URL that it was given. It loses the queue if it does not renew the lease in
time, by its own clock. The protocol cannot check the clock of a process: one that is suspended between the look at its
clock and the call changes a queue that another process has. Such a call, a service that forgets its leases and a clock
that is set are gaps: what processes have at that moment may be given to others.
"""

from collections import defaultdict
from collections.abc import Callable
from math import inf
from typing import Final

from simulation.processes import Hold, Process
from simulation.rules import BrokenRule
from simulation.virtual_time import virtual_now

# The share of a lease for which a process may be disturbed, and still renews the lease in time.
_MARGIN: Final = 0.25
# A call that fails is repeated after this time at the latest.
_LONGEST_PAUSE: Final = 2.0


class QueueLeases:
    """What all processes have been given.

    Args:
        lease: Seconds.
        on_gap: Called with the queue of each gap.

    Attributes:
        uncertain: The queues of all gaps.
        changed: The URLs that a process has put while another one had them.
    """

    def __init__(self, lease: float, on_gap: Callable[[str], None]) -> None:
        self._lease = lease
        self._on_gap = on_gap
        self.uncertain: set[str] = set()
        self.changed: set[str] = set()
        # The process that was given a URL of a queue last, or a URL, and when each process was given one of a queue.
        self._owners: dict[str, Process] = {}
        self._url_owners: dict[str, Process] = {}
        self._given: dict[tuple[Process, str], float] = {}
        # When the last call began that has renewed a lease, as far as the process knows.
        self._renewed: dict[tuple[Process, str], float] = {}
        # When a process was given a URL of a queue after its lease had expired.
        self._lapsed: dict[tuple[Process, str], float] = {}
        # What a process is about to give back.
        self._ending: set[tuple[Process, str]] = set()
        self._gaps: dict[str, float] = {}
        self._forgotten_at = -inf
        self._disturbances: defaultdict[Process, list[tuple[float, float]]] = defaultdict(list)

    def is_lost(self, hold: Hold) -> bool:
        """Return whether what a process was given may belong to another one now."""
        lapsed_at = max(self._gaps.get(hold.queue, -inf), self._lapsed.get((hold.process, hold.queue), -inf))
        if hold.is_late or not hold.process.is_alive or lapsed_at >= hold.at:
            return True
        disturbed = sum(seconds for at, seconds in self._disturbances[hold.process] if at >= hold.at)
        return disturbed > self._lease * _MARGIN and self.has_expired(hold)

    def has_expired(self, hold: Hold) -> bool:
        """Return whether a lease has expired by the clock of its process."""
        return virtual_now() >= self._renewed.get((hold.process, hold.queue), -inf) + self._lease

    def disturb(self, process: Process, seconds: float) -> None:
        """Note that a call of a process takes some time from now on, in which it perhaps renews no lease."""
        if seconds > 0:
            self._disturbances[process].append((virtual_now(), seconds))

    def note_failure(self, process: Process) -> None:
        """Note that a call of a process has failed, which is perhaps repeated later."""
        self.disturb(process, max(_LONGEST_PAUSE, self._lease / 8))

    def give(self, process: Process, queue: str, url: str) -> None:
        """Note that the service leases a URL of a queue to a process."""
        if self._renewed.get((process, queue), inf) + self._lease <= virtual_now():
            self._lapsed[process, queue] = virtual_now()
        self._owners[queue] = self._url_owners[url] = process
        self._given[process, queue] = virtual_now()
        self._ending.discard((process, queue))

    def end(self, hold: Hold) -> None:
        """Note that a turn is about to end. A block of its queue renews no lease then."""
        self._ending.add((hold.process, hold.queue))

    def renew(self, process: Process, queue: str, started: float) -> None:
        """Note that a process knows that its lease was renewed.

        Args: started: When it began to call.
        """
        if (process, queue) not in self._ending:
            self._renewed[process, queue] = started

    def forget(self) -> None:
        """Note that all leases may have ended."""
        self._forgotten_at = virtual_now()
        for queue in self._owners:
            self._open_gap(queue)

    def change(
        self, process: Process, queue: str, started: float, url: str | None = None, *, block_end: float = inf
    ) -> None:
        """Check that a process may block a queue now, or put a URL of it.

        Args:
            started: When it looked at its clock before the call.
            url: The URL, or None for a block.
            block_end: When the block ends.
        Raises: BrokenRule.
        """
        owner = self._owners.get(queue, process) if url is None else self._url_owners.get(url, process)
        if owner is process:
            return
        now = virtual_now()
        expired_at = self._renewed.get((process, queue), -inf) + self._lease
        has_forgotten = max(self._forgotten_at, self._gaps.get(queue, -inf)) >= self._given.get((process, queue), inf)
        # A block that is repeated is one of a queue that the process has given back.
        is_delayed = started < expired_at <= now or started < block_end <= now
        if not has_forgotten and not is_delayed:
            raise BrokenRule(f"at {now:.3f} s: {process.name} changes {url or queue}, which {owner.name} has")
        self._open_gap(queue)
        if url is not None:
            self.changed.add(url)

    def _open_gap(self, queue: str) -> None:
        self._gaps[queue] = virtual_now()
        self.uncertain.add(queue)
        self._on_gap(queue)
