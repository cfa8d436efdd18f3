"""The leased URLs of a process that shares a crawl in URLFrontier, and the thread that renews their leases.

A service leases the URLs of a queue for a time. A frontier asks for one URL of a queue at a time: while it is leased,
clients that ask in the same way get no other URL of the queue. The thread renews the leases by longer blocks. A process
that was suspended for longer has lost its turns, by its own clock: the protocol cannot check that.
"""

import threading
import time
from dataclasses import dataclass, field
from typing import Any, Final

from canfetch.client.frontier.claimed_origins import ClaimedOrigins
from canfetch.client.frontier.queue_values import Phase, QueuedURL
from canfetch.client.frontier.url_queue import QueueOptions
from canfetch.client.frontier.urlfrontier_connection import PutItem, URLFrontierConnection, running_seconds
from canfetch.client.frontier.urlfrontier_service import CrawlService
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.errors import StoreError

# Seconds after which a claim is given back that no task has asked for.
_IDLE_SECONDS: Final = 1.0


@dataclass(slots=True)
class Claim:
    """A leased URL, which is the next one of its origin.

    Attributes:
        node: The node that has the queue.
        info: The URL as the service has it.
        origin: The ID of the origin, or of the group.
        queued: The URL.
        lost_at: When the lease expires, by the clock of `running_seconds`.
        due_at: When it may have its turn.
        phase: What it waits for.
        since: When it got this phase, by the monotonic clock.
        has_turn: Whether its turn has begun.
        is_blocked: Whether its queue is blocked.
        is_busy: Whether the thread of the frontier changes its queue. The thread that renews leases must not, then.
        is_dropped: Whether the URL was skipped, or waits in the service.
        delays: The delays of the origins of a group. No other process changes them during the lease.
    """

    node: int
    info: Any
    origin: int
    queued: QueuedURL
    lost_at: float
    due_at: float
    phase: Phase = Phase.WAITING
    since: float = field(default_factory=time.monotonic)
    has_turn: bool = False
    is_blocked: bool = False
    is_busy: bool = False
    is_dropped: bool = False
    delays: dict[str, float] = field(default_factory=dict)

    @property
    def priority(self) -> float:
        """The priority of the URL."""
        return self.queued.priority


class LeasedURLs(ClaimedOrigins[Claim]):
    """The part of a queue that keeps leases.

    Args:
        connection: The service.
        crawl: The ID of the crawl.
        options: See `URLQueue`.
        lease: Whole seconds.
    """

    def __init__(self, connection: URLFrontierConnection, crawl: str, options: QueueOptions, *, lease: int) -> None:
        super().__init__(connection, options)
        self._connection = connection
        self._service = CrawlService(connection, crawl, lease=lease, clock=options.clock)
        self._lease = lease
        self._stopped = threading.Event()
        self._renewal = threading.Thread(target=self._renew_leases, name="canfetch frontier lease", daemon=True)

    def _start_renewal(self) -> None:
        """Start the thread that renews the leases.

        Raises: StoreError: No thread is available.
        """
        try:
            self._renewal.start()
        except RuntimeError as error:
            raise StoreError(f"{self._connection.name}: no thread renews the leases: {error}") from None

    def has_origin(self, origin: int) -> bool:
        """Return whether this process still has the lease of a queue, by its own clock."""
        claim = self._claims.get(origin)
        return claim is not None and not self._is_lost(claim)

    def _is_lost(self, claim: Claim) -> bool:
        """Return whether the lease of a claim has expired, and forget the claim then."""
        if running_seconds() < claim.lost_at:
            return False
        self._forget(claim)
        return True

    def _forget(self, claim: Claim) -> None:
        """Forget a claim whose lease has expired."""
        CLIENT_LOGGER.warning(
            "%s: the lease of %s was not renewed for %d s, so others can have it",
            self._connection.name,
            claim.queued.url,
            self._lease,
        )
        with self._lock:
            if self._claims.get(claim.origin) is claim:
                del self._claims[claim.origin]
                self._lost.append(claim.origin)

    def _put(self, claim: Claim, date: int, info: Any = None) -> None:
        self._service.put(claim.node, claim.info if info is None else info, date, until=claim.lost_at)

    def _block(self, claim: Claim, end: int) -> None:
        """Block the queue of a claim until a date."""
        self._service.block(claim.node, claim.info.key, end, until=claim.lost_at)
        claim.is_blocked = True

    def _give_back(self, claim: Claim, due_at: float, date: int | None, info: Any = None) -> None:
        """Block the queue of a claim until a time, put its URL, and remove the claim.

        Args:
            date: When the URL may be fetched, or 0 if never, or None if it is completed already.
            info: The URL as it is put, or None if it is unchanged.
        """
        with self._busy(claim):
            left = due_at - self._clock()
            end = self._service.date(due_at) if left > 0 else 0
            # The block of the lease lasts longer. It ends after the put, which can take longer than until the due time.
            is_shortened = claim.is_blocked and left < claim.lost_at - running_seconds()
            # Otherwise before the put, so that no other process has the queue in between.
            if end and not is_shortened:
                # If the put fails, the claim stays, and the block with it: `is_blocked` is only for blocks that end.
                self._service.block(claim.node, claim.info.key, end, until=claim.lost_at)
            if date is not None:
                self._put(claim, date, info)
            if is_shortened:
                self._service.unblock(claim.node, claim.info.key, end, until=claim.lost_at)
            with self._lock:
                self._claims.pop(claim.origin, None)

    def _renew_leases(self) -> None:
        while not self._stopped.wait(min(_IDLE_SECONDS, self._lease / 4)):
            with self._lock:
                claims = list(self._claims.values())
            for claim in claims:
                try:
                    self._renew(claim)
                except Exception as error:
                    if not isinstance(error, StoreError) and not self._connection.is_call_error(error):
                        raise
                    # The others would wait for the same service, and the lock is needed by turns.
                    if not self._stopped.is_set():
                        CLIENT_LOGGER.warning("%s: a lease was not renewed: %s", self._connection.name, error)
                    break

    def _renew(self, claim: Claim) -> None:
        """Renew the lease of a claim by a block of its queue, or give it back if no task has asked for it."""
        # The lock is held during the call: the thread of the frontier must not change the queue before it ends.
        with self._lock:
            started = running_seconds()
            if claim.is_busy or self._claims.get(claim.origin) is not claim or started >= claim.lost_at:
                return
            if self._is_idle(claim, _IDLE_SECONDS):
                # First: a call that fails can have had an effect, and another process has the URL then.
                del self._claims[claim.origin]
                self._lost.append(claim.origin)
                if not claim.is_dropped:
                    self._connection.put_once(
                        claim.node, [PutItem(claim.info, self._service.now())], seconds=self._lease / 4
                    )
                if claim.is_blocked:
                    # It can have been deferred since it was due.
                    end = self._service.date(claim.due_at) if claim.due_at > self._clock() else 0
                    self._service.unblock(claim.node, claim.info.key, end, until=claim.lost_at)
            elif claim.lost_at - started < self._lease * 3 / 4:
                end = self._service.date(max(self._clock() + self._lease, claim.due_at))
                self._service.block_once(claim.node, claim.info.key, end)
                claim.is_blocked = True
                claim.lost_at = started + self._lease
