"""Which stored entries of an origin serve a client, and under which variant the next one is stored.

The key of the origin has the entry that was stored first. If it varies by a request header, and the client sends
another value, the client has a variant of its own: one for each set of request headers, whatever names a server sends.
"""

from collections.abc import Generator
from typing import Any, NamedTuple

from canfetch.access.compatibility import expire_if_incompatible
from canfetch.access.effective_access import FetchNeed, fetch_need
from canfetch.access.entries import SHARED_VARIANT, CacheEntry, entry_key
from canfetch.access.limits import KnownEntries, Limits, newer_entry
from canfetch.access.responses import Headers
from canfetch.access.vary import SentHeaders
from canfetch.client.options import Options
from canfetch.client.store_actions import GetEntry
from canfetch.core.origin import Origin
from canfetch.core.verdict import Access


class FoundEntry(NamedTuple):
    """The result of a lookup.

    Attributes:
        known: The newest stored entry that serves the client, and the last failure under its limits. The failure is
            not looked up if the origin is reachable and the entry is fresh.
        variant: The variant whose lease permits fetching. It is empty for the entry under the key of the origin.
        failure_variant: The variant under which the next failure under the limits of the client is stored.
    """

    known: KnownEntries
    variant: str
    failure_variant: str


class VariantLookup:
    """Find the entries of an origin that serve a client.

    Args:
        origin: The origin.
        options: The options of the client.
        headers: The headers that the client sends, without those of conditional requests.
        limits: The limits of the client.
    """

    def __init__(self, origin: Origin, options: Options, headers: Headers, limits: Limits) -> None:
        self._origin = str(origin)
        self._options = options
        self._headers = SentHeaders(self._origin, headers)
        self._limits = limits

    def key(self, variant: str) -> str:
        """Return the key of a variant."""
        return entry_key(self._origin, self._options.policy.name, variant)

    def find(self, now: float) -> Generator[GetEntry, Any, FoundEntry]:
        """Find the newest stored entry that serves the client."""
        entry, variant = yield from self._find_entry(now)
        failure, failure_variant = None, self._limits.variant
        is_unreachable = entry is not None and entry.outcome.access is Access.UNREACHABLE
        if is_unreachable or fetch_need(entry, now=now) is not FetchNeed.NO:
            failure, failure_variant = yield from self._find_failure()
        return FoundEntry(KnownEntries(entry, failure), variant, failure_variant)

    def _find_entry(self, now: float) -> Generator[GetEntry, Any, tuple[CacheEntry | None, str]]:
        first = yield GetEntry(self.key(""))
        if first is None or self._serves(first):
            return self._adapt(first), ""
        variant = self._headers.variant
        own = self._adapt((yield GetEntry(self.key(variant))))
        # The most recent of the responses that serve the client counts: RFC 9111 section 4.1.
        shared = self._adapt((yield GetEntry(self.key(SHARED_VARIANT))))
        return newer_entry(own, shared, now=now), variant

    def _find_failure(self) -> Generator[GetEntry, Any, tuple[CacheEntry | None, str]]:
        variant = self._limits.variant
        first = yield GetEntry(self.key(variant))
        if first is None or self._serves(first):
            return self._adapt(first), variant
        # The redirects before the failure depend on headers.
        variant = f"{variant}-{self._headers.variant}"
        return self._adapt((yield GetEntry(self.key(variant)))), variant

    def place(self, entry: CacheEntry, variant: str) -> CacheEntry:
        """Return a new entry with the variant under which it is stored.

        Args:
            entry: The entry.
            variant: The variant that `find` returned.
        """
        if not entry.vary and entry.outcome.access is Access.SUCCESSFUL:
            # The origin does not vary any more. An error does not show that.
            variant = ""
        return entry._replace(variant=variant)

    def displaced(self, entry: CacheEntry, previous: CacheEntry | None) -> CacheEntry | None:
        """Return the entry to store in addition to `entry`, so that clients that it does not serve keep a good copy.

        Args:
            entry: The entry that `place` returned.
            previous: The entry that it replaces, or None.
        """
        if previous is None or previous.copy is None or entry.variant or previous.variant or previous.vary:
            return None
        return previous._replace(variant=SHARED_VARIANT) if entry.vary else None

    def _serves(self, entry: CacheEntry) -> bool:
        return self._headers.match(entry.vary) and (entry.copy is None or self._headers.match(entry.copy.vary))

    def _adapt(self, entry: CacheEntry | None) -> CacheEntry | None:
        if entry is None or not self._serves(entry):
            return None
        options = self._options
        misconfigured = self._origin in options.misconfigured_origins
        return expire_if_incompatible(entry, options.policy, max_bytes=options.max_bytes, misconfigured=misconfigured)
