"""The origins that one of several processes has claimed, and which of them is next."""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from heapq import nsmallest
from typing import Final, Generic, Protocol, TypeVar

from canfetch.client.frontier.queue_connection import QueueConnection
from canfetch.client.frontier.queue_values import Phase, QueuedOrigin
from canfetch.client.frontier.url_queue import QueueOptions, URLQueue

# The number of origins that are claimed at once, and the number of claims that wait for a turn at which more are
# claimed.
CLAIMS: Final = 32
_FEW_CLAIMS: Final = 8
# Seconds for which the frontier may decide about the URLs of ready origins. A callback can block it.
_CHOOSING_SECONDS: Final = 60.0


class Claim(Protocol):
    """An origin that belongs to this process.

    Attributes:
        due_at: When it was or will be due.
        phase: What it waits for.
        since: When it got this phase, or was last returned, by the monotonic clock.
        is_busy: Whether a statement about it is running, which can take as long as the server is away.
    """

    due_at: float
    phase: Phase
    since: float
    is_busy: bool

    @property
    def priority(self) -> float:
        """The priority of its first URL."""
        ...


C = TypeVar("C", bound=Claim)


class ClaimedOrigins(URLQueue, Generic[C]):
    """The part of a queue that chooses among claims."""

    def __init__(self, connection: QueueConnection, options: QueueOptions) -> None:
        super().__init__(connection, options)
        # The thread that renews the leases takes claims away, too.
        self._lock = threading.Lock()
        self._claims: dict[int, C] = {}
        self._lost: list[int] = []
        # The ready claims that were returned last. The frontier decides about their URLs, and calls `on_skip`.
        self._chosen: list[C] = []

    def _origin(self, claim: C) -> QueuedOrigin:
        """Return the origin of a claim."""
        raise NotImplementedError

    @property
    def is_shared(self) -> bool:
        """Whether other processes can take the origins that this one does not use. See `URLQueue`."""
        return True

    def _is_idle(self, claim: C, seconds: float) -> bool:
        """Return whether a claim only waits for a task of this process, and has done so for some seconds.

        The caller holds the lock. While an origin waits for a time, no other process could use it either.
        """
        if claim.phase is Phase.READY and any(claim is chosen for chosen in self._chosen):
            seconds = _CHOOSING_SECONDS
        if claim.is_busy or claim.since >= time.monotonic() - seconds:
            return False
        if claim.phase is Phase.WAITING:
            return claim.due_at <= self._clock() - seconds
        return claim.phase in (Phase.READY, Phase.UNCHECKED)

    @contextmanager
    def _busy(self, *claims: C) -> Iterator[None]:
        """Keep the thread that renews leases from claims, for a block."""
        with self._lock:
            for claim in claims:
                claim.is_busy = True
        try:
            yield
        finally:
            with self._lock:
                for claim in claims:
                    claim.is_busy = False

    def has_origin(self, origin: int) -> bool:
        """Return whether this process still has a claim of an origin, as far as it knows."""
        return origin in self._claims

    def lost_origins(self) -> list[int]:
        """Return the origins that this process no longer has, since the last call."""
        if not self._lost:
            return []
        with self._lock:
            lost, self._lost = self._lost, []
            return lost

    def set_phases(self, phases: Iterable[tuple[Phase, int]]) -> None:
        """Set the phases of origins, but not of those that this process has lost, or that wait for a turn or a time."""
        since = time.monotonic()
        with self._lock:
            for phase, id_ in phases:
                claim = self._claims.get(id_)
                # An origin that was lost and claimed again can have two checks. The second ends at any time.
                if claim is not None and claim.phase is not Phase.FULL and claim.due_at <= self._clock():
                    claim.phase = phase
                    claim.since = since

    def next_unchecked(self, limit: int) -> list[QueuedOrigin]:
        """Return origins whose robots.txt has to be obtained next. Of equal ones, those that were claimed first."""
        with self._lock:
            unchecked = [claim for claim in self._claims.values() if claim.phase is Phase.UNCHECKED]
            unchecked.sort(key=lambda claim: -claim.priority)
            for claim in unchecked[:limit]:
                claim.since = time.monotonic()
            return [self._origin(claim) for claim in unchecked[:limit]]

    def next_ready(self, limit: int) -> list[QueuedOrigin]:
        """Return the first ready origins. See `URLQueue`."""
        with self._lock:
            ready = [(id_, claim) for id_, claim in self._claims.items() if claim.phase is Phase.READY]
            first = nsmallest(limit, ready, key=lambda item: (-item[1].priority, item[1].due_at, item[0]))
            since = time.monotonic()
            for _, claim in first:
                # No longer idle: the caller decides about it now.
                claim.since = since
            self._chosen = [claim for _, claim in first]
            return [self._origin(claim) for claim in self._chosen]

    def _due_origins(self, now: float) -> list[int]:
        with self._lock:
            return [id_ for id_, claim in self._claims.items() if claim.phase is Phase.WAITING and claim.due_at <= now]

    def _due_times(self) -> list[float]:
        """Return when the claims are due that wait for a time."""
        with self._lock:
            return [claim.due_at for claim in self._claims.values() if claim.phase is Phase.WAITING]

    def _has_few_claims(self) -> bool:
        """Return whether more should be claimed, because few wait for a check or a turn."""
        with self._lock:
            return sum(claim.phase in (Phase.READY, Phase.UNCHECKED) for claim in self._claims.values()) < _FEW_CLAIMS
