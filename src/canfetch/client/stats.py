"""Counters of a client."""

import threading
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from canfetch.client.forking import reset_on_fork


class ClientStats(NamedTuple):
    """A snapshot of what a client has done since it was created.

    Decisions are not counted, but the lookups of their origins are.

    Attributes:
        fetches: Fetches of a robots.txt that ended, with all their redirects, successfully or not.
        failures: Number of failed fetches by reason: a `FailureKind` such as `timeout` or `dns`, or an `OutcomeKind`
            such as `server_error`. A fetch failed if no response arrived or if the access policy treats the
            response as unreachable.
        interrupted_fetches: Fetches that were cancelled, or ended by an exception.
        requests: Requests that were sent.
        redirects: Redirects that were followed.
        body_bytes: Bytes of the response bodies, after decoding.
        not_modified: Fetches that ended with 304, so that the cached copy stayed current.
        memory_hits: Lookups that found the origin in memory, up to date or not. A decision about a fresh origin is one
            lookup, and a decision that starts a fetch is several.
        store_hits: Lookups that a fresh entry of the store answered without a fetch.
        lease_waits: Fetches that had to wait for another worker that was fetching the same origin.
        stale_copies: Failed fetches after which the last good copy is still used.
        background_refreshes: Fetches that started while the expired copy was used (`stale_while_revalidate`).
        evictions: Origins that were removed from memory to free space.
        store_errors: Store operations that failed.
        corrupt_entries: Entries of the store that were discarded because they could not be read.
        cached_origins: Number of origins in memory now.
        memory_bytes: Approximate memory of these origins now, in bytes.
    """

    fetches: int
    failures: Mapping[str, int]
    interrupted_fetches: int
    requests: int
    redirects: int
    body_bytes: int
    not_modified: int
    memory_hits: int
    store_hits: int
    lease_waits: int
    stale_copies: int
    background_refreshes: int
    evictions: int
    store_errors: int
    corrupt_entries: int
    cached_origins: int
    memory_bytes: int

    def to_json(self) -> dict[str, Any]:
        """Return the counters as a JSON object."""
        return {**self._asdict(), "failures": dict(self.failures)}

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickle and `copy.deepcopy`, which do not support read-only mappings."""
        return _restore_stats, (self.to_json(),)


def _restore_stats(counts: dict[str, Any]) -> ClientStats:
    return ClientStats(**{**counts, "failures": MappingProxyType(counts["failures"])})


class FetchCounters:
    """Counts fetches. Safe for use by several threads."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Take a new lock. The counts continue those of the parent."""
        self._lock = threading.Lock()

    def add(self, *, failure: str | None = None, **counts: int) -> None:
        """Add to counters.

        Args:
            failure: The reason of a failed fetch, which is counted as well.
            counts: Names of `ClientStats`, and what to add.
        """
        with self._lock:
            self._counts.update(counts)
            if failure is not None:
                self._failures[failure] += 1

    def snapshot(self, **others: int) -> ClientStats:
        """Return all counters.

        Args: others: The values that are counted elsewhere.
        """
        with self._lock:
            counts, failures = Counter(self._counts), MappingProxyType(dict(self._failures))
        counted = {name: counts[name] for name in ClientStats._fields if name != "failures" and name not in others}
        return ClientStats(failures=failures, **counted, **others)
