"""The lease of a worker on PostgreSQL: renewed in a thread, which also ends the workers that no longer renew theirs."""

import threading
import time
from collections.abc import Callable
from typing import Any, Final

from canfetch.client.frontier import postgres_statements as sql
from canfetch.client.frontier.postgres_connection import PostgresConnection
from canfetch.client.frontier.queue_values import KILLED, FailedURL
from canfetch.client.frontier.url_queue import QueueOptions
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.errors import StoreError

# Seconds after which a claim is given back that no task has asked for, and between two looks for such claims.
IDLE_SECONDS: Final = 1.0
# A worker with many URLs takes long to end.
_SILENT_SECONDS: Final = 60.0
# A clock of the server that was set back by less than this is not noticed.
_CLOCK_STEP: Final = 2.0


class Heartbeat:
    """A thread that renews the lease of a worker, ends workers whose leases have expired, and gives back idle claims.

    Args:
        conninfo: The server. The thread has a connection of its own.
        main: The connection of the worker, which renews the lease if the server refuses another one.
        options: See `URLQueue`.
        crawl: The ID of the crawl.
        lease: Seconds.
        worker: Returns the ID of the worker, another one after it has lost its lease.
        give_back_idle: Gives back the claims that no task has asked for.
        killed: Where the URLs are added that failed because their process ended in the last attempt.
    """

    def __init__(
        self,
        conninfo: str,
        main: PostgresConnection,
        options: QueueOptions,
        *,
        crawl: int,
        lease: float,
        worker: Callable[[], int],
        give_back_idle: Callable[[PostgresConnection], None],
        killed: list[FailedURL],
    ) -> None:
        self._connection = PostgresConnection(
            conninfo, outage_seconds=IDLE_SECONDS, silent_seconds=max(lease, _SILENT_SECONDS)
        )
        self._main = main
        self._worker = worker
        self._give_back_idle = give_back_idle
        self._killed = killed
        self._lease = lease
        self._options = options
        self._crawl = crawl
        self._stopped = threading.Event()
        self._beating = threading.Lock()
        self._next_beat = 0.0
        # Workers that died before this one began leave their URLs to it at once, if their leases have expired.
        self._try_to_work()
        self._thread = threading.Thread(target=self._repeat, name="canfetch frontier lease", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            self._connection.close()
            raise StoreError(f"{main.name}: no thread renews the lease: {error}") from None

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        self._connection.gives_up = True
        self._thread.join(timeout=self._lease)
        self._connection.close()

    def wait_for_beat(self) -> None:
        """Wait until `killed` has all URLs that the thread has listed as failed."""
        with self._beating:
            pass

    def _repeat(self) -> None:
        while not self._stopped.wait(min(IDLE_SECONDS, self._lease / 4)):
            self._try_to_work()

    def _try_to_work(self) -> None:
        """Do what is due. If a connection breaks, that is the next time."""
        try:
            if time.monotonic() >= self._next_beat:
                with self._beating:
                    self._beat_with_any()
                self._next_beat = time.monotonic() + self._lease / 4
            self._give_back_idle(self._connection)
        except StoreError as error:
            if not self._stopped.is_set() and self._connection.is_open:
                CLIENT_LOGGER.warning("the lease was not renewed: %s", error)

    def _beat_with_any(self) -> None:
        try:
            self._beat(self._connection)
        except StoreError as error:
            if self._stopped.is_set():
                raise
            self._beat(self._main)
            CLIENT_LOGGER.warning(
                "the connection of the worker has renewed the lease, because another one failed: %s", error
            )

    def _beat(self, connection: PostgresConnection) -> None:
        values: dict[str, Any] = {"crawl": self._crawl, "worker": self._worker(), "lease": self._lease}
        killed: list[FailedURL] = []
        with connection.transaction() as run:
            locked = run(sql.TRY_LOCK_CRAWL, values)
            if not locked:
                run(sql.RENEW, values)
                return
            seen_at, now = locked[0]
            values["now"] = now
            was_set_back = now < seen_at - _CLOCK_STEP
            if was_set_back or now > seen_at + self._lease / 2:
                # The server was away, or its clock was set: its lease could not be renewed.
                run(sql.RENEW_ALL, values)
            if was_set_back:
                for statement in (sql.SHIFT_ORIGINS, sql.SHIFT_URLS):
                    run(statement, {**values, "step": seen_at - now})
            run(sql.SEEN, values)
            run(sql.RENEW, values)
            expired = [left for (left,) in run(sql.EXPIRED, values)]
            if expired:
                run(sql.LOCK_LEFT, {"workers": expired})
            for left in expired:
                killed += self._end_worker(run, left)
        self._killed += killed

    def _end_worker(self, run: Callable[..., list[tuple[Any, ...]]], left: int) -> list[FailedURL]:
        values = {"crawl": self._crawl, "left": left}
        max_attempts, skip_in = self._options.max_attempts, self._options.skip_seconds
        rows = run(sql.REQUEUE, {**values, "max_attempts": max_attempts, "skip_in": skip_in, "error": KILLED})
        killed = [FailedURL.from_row(row[1:]) for row in rows if row[0]]
        run(sql.PLACE_ALL, values)
        run(sql.END_WORKER, {**values, "failed": len(killed)})
        CLIENT_LOGGER.warning(
            "%s: worker %s did not respond: %s of its URLs are queued again, %s failed",
            self._connection.name,
            left,
            len(rows) - len(killed),
            len(killed),
        )
        return killed
