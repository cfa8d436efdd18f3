"""Key directories: the keys that signers publish, fetched when a request names them, and cached.

Anyone can name a directory in a request. So a fetch follows no redirect and connects only to public addresses, the
number of fetches, directories and waiting requests is bounded, and what fails is not fetched again for a while.

Source: Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01, "Key Distribution and Discovery", "Server-Side Request
Forgery", "Discovery Failure", "Cache Behaviour" and "Negative Caching and Retry".
"""

import random
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import Final, NamedTuple

from canfetch import __version__
from canfetch.access.entries import select_stored_headers, update_stored_headers
from canfetch.access.freshness import freshness_lifetime, parse_delta_seconds
from canfetch.access.policies import get_policy
from canfetch.access.responses import Failure, Headers, Response
from canfetch.agents.identity import SignatureReason
from canfetch.client.argument_checks import check_callable, check_count, check_positive_seconds
from canfetch.client.forking import reset_on_fork
from canfetch.client.identity.keys import DIRECTORY_TYPE, MAX_KEY_SET_BYTES, KeySet, VerificationKey, parse_key_set
from canfetch.client.identity.possession import check_proofs, select_keys
from canfetch.client.identity.signed_requests import DEFAULT_CLOCK_SKEW
from canfetch.client.procedure import Clock
from canfetch.client.transports import Transport, TransportRequest
from canfetch.client.transports.daemon_threads import start_daemon_thread
from canfetch.client.transports.http_transport import HTTPTransport
from canfetch.core.text import printable_text
from canfetch.errors import InvalidKey
from canfetch.repository import default_user_agent

# A copy is fresh for as long as the response says, within these bounds, and without a statement for an hour.
_FRESHNESS: Final = get_policy("rfc9309").replace(default_freshness=3600, min_freshness=60, max_freshness=86_400)
# An unknown key is a reason to fetch a fresh directory again, but not for each junk signature.
_REFETCH_SECONDS: Final = 60.0
# After a failure, the pause doubles up to the five minutes that the draft allows.
_RETRY_SECONDS: Final = 60.0
_MAX_RETRY_SECONDS: Final = 300.0
# The share that chance takes off each of these times, so that the processes of a site do not fetch all at once.
_JITTER: Final = 0.1
# Each waiting request may occupy a thread of the server. Any client can name a slow directory.
_MAX_WAITING: Final = 8
_MAX_WAITING_UNTRUSTED: Final = 1
_ACCEPT: Final = f"{DIRECTORY_TYPE}, application/jwk-set+json, application/json;q=0.9"

# Called before a fetch. Returns what a thread calls at its end.
BeginFetch = Callable[[], Callable[[], None]]


class KeyLookup(NamedTuple):
    """The result of looking for a key in a directory.

    Attributes:
        key: The key, or None.
        reason: Why there is none: the directory lacks it, or is not available.
        detail: The reason in one clause.
    """

    key: VerificationKey | None
    reason: SignatureReason = SignatureReason.VERIFIED
    detail: str = ""


PENDING: Final = KeyLookup(None, SignatureReason.DIRECTORY_PENDING, "the directory with the key is still being fetched")


class _Copy:
    """What is known of a directory. A failed fetch leaves the keys as they are."""

    def __init__(self) -> None:
        self.keys: KeySet | None = None
        # Those of the response with the keys, updated by each 304 since then.
        self.headers: Headers = ()
        self.fresh_until = self.stale_until = self.attempted = self.retry_at = 0.0
        self.failures = 0
        self.problem = ""


class _Flight:
    """A fetch in progress."""

    def __init__(self, end: Callable[[], None]) -> None:
        self.end = end
        self.done: Future[None] = Future()
        self.done.set_running_or_notify_cancel()
        self.waiting = 0


class KeyDirectories:
    """The keys of directories. Safe for use by several threads and event loops.

    Args:
        transport: Sends the requests. Default: `HTTPTransport(trust_env=False)`.
        user_agent: The User-Agent header to send. Default: canfetch and its version.
        timeout: Seconds for a fetch.
        max_stale: Seconds for which a copy that is no longer fresh is used if its directory cannot be fetched.
        max_directories: Maximum number of untrusted directories in each of two caches: with keys, and without.
        max_fetches: Maximum number of fetches of untrusted directories at the same time.
        max_fetches_per_minute: Maximum number of fetches of untrusted directories in a minute.
        allow_private: Whether to connect to private and loopback addresses.
        require_possession: Whether keys are used only if their directory is signed with them. Otherwise, a key is
            refused only if its signature of the directory is wrong.
        clock_skew: How many seconds the clock of a directory may differ.
        begin_fetch: Called before each fetch, instead of the limits of `max_fetches` and `max_fetches_per_minute`. It
            returns what a thread calls at the end of the fetch. If it raises, `start` raises that.
        chance: Returns a number from 0 to 1. Times are shortened by up to a tenth at random.
        clock: Returns seconds since the epoch.
    Raises: InvalidOption: An argument is invalid.
    """

    def __init__(
        self,
        *,
        transport: Transport | None = None,
        user_agent: str | None = None,
        timeout: float = 5.0,
        max_stale: float = 86_400.0,
        max_directories: int = 200,
        max_fetches: int = 4,
        max_fetches_per_minute: int = 60,
        allow_private: bool = False,
        require_possession: bool = False,
        clock_skew: float = DEFAULT_CLOCK_SKEW,
        begin_fetch: BeginFetch | None = None,
        chance: Callable[[], float] = random.random,
        clock: Clock = time.time,
    ) -> None:
        for name, seconds in (("timeout", timeout), ("max_stale", max_stale)):
            check_positive_seconds(name, seconds)
        for name, number in (
            ("max_directories", max_directories),
            ("max_fetches", max_fetches),
            ("max_fetches_per_minute", max_fetches_per_minute),
        ):
            check_count(name, number)
        check_callable("clock", clock)
        self._transport = HTTPTransport(trust_env=False) if transport is None else transport
        self._headers = (("User-Agent", user_agent or default_user_agent(__version__)), ("Accept", _ACCEPT))
        self._timeout = timeout
        self._max_stale = max_stale
        self._max_fetches = max_fetches
        self._max_per_minute = max_fetches_per_minute
        self._allow_private = allow_private
        self._require_possession = require_possession
        self._clock_skew = clock_skew
        self._begin_fetch = begin_fetch
        self._chance = chance
        self._clock = clock
        self._trusted: dict[str, _Copy] = {}
        self._known = _Cache(max_directories)
        self._failed = _Cache(max_directories)
        self._starts: deque[float] = deque()
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Forget the fetches in progress: their threads exist only in the parent."""
        self._lock = threading.Lock()
        self._flights: dict[str, _Flight] = {}
        self._untrusted_flights: set[str] = set()

    def start(
        self, url: str, key_id: str, *, trusted: bool = False, may_fetch: bool = True
    ) -> KeyLookup | Future[None]:
        """Return the result of a lookup, or the end of a fetch, after which `finish` returns the result.

        Args:
            url: The URL of the directory.
            key_id: The thumbprint of the key.
            trusted: Whether the site names this directory, and not only the request. Trusted directories are never
                evicted, and fetches of other directories do not delay them.
            may_fetch: Whether a fetch may be started.
        Raises: What `begin_fetch` raises.
        Cost: Lookups in memory, and the start of a thread if the directory has to be fetched.
        """
        now = self._clock()
        with self._lock:
            copy = self._copy(url)
            if copy is not None and not _is_due(copy, key_id, now):
                return self._result(copy, key_id, now)
            flight = self._flights.get(url)
            if flight is not None:
                if flight.waiting >= (_MAX_WAITING if trusted else _MAX_WAITING_UNTRUSTED):
                    return self._result(copy, key_id, now)
                flight.waiting += 1
                return flight.done
            if not may_fetch:
                return self._result(copy, key_id, now, _unavailable("no time is left to fetch it"))
            if self._begin_fetch is None and not trusted and not self._may_start(now):
                return self._result(copy, key_id, now, _NOT_REQUESTED)
            end = _do_nothing if self._begin_fetch is None else self._begin_fetch()
            flight = self._flights[url] = _Flight(end)
            flight.waiting = 1
            known = None if copy is None or copy.keys is None else _Fetched(copy.keys, 0.0, copy.headers)
            if not trusted:
                self._untrusted_flights.add(url)
        # Its requests are those of whoever asked.
        fly = partial(copy_context().run, self._fly, url, flight, known, trusted=trusted)
        thread = start_daemon_thread(fly, name="canfetch-keys")
        error = thread.exception() if thread.done() else None
        if error is not None:
            # `_fly` does not raise, so the error is that of starting the thread.
            self._land(url, flight, f"no thread for a fetch: {error}", trusted=trusted)
        return flight.done

    def finish(self, url: str, key_id: str) -> KeyLookup:
        """Return the result of a lookup after a fetch, or after the wait for one that has not ended."""
        with self._lock:
            return self._result(self._copy(url), key_id, self._clock())

    def _copy(self, url: str) -> _Copy | None:
        return self._trusted.get(url) or self._known.get(url) or self._failed.get(url)

    def _may_start(self, now: float) -> bool:
        while self._starts and not 0 <= now - self._starts[0] < 60:
            self._starts.popleft()
        if len(self._untrusted_flights) >= self._max_fetches or len(self._starts) >= self._max_per_minute:
            return False
        self._starts.append(now)
        return True

    def _result(self, copy: _Copy | None, key_id: str, now: float, otherwise: KeyLookup = PENDING) -> KeyLookup:
        """Return what a copy states of a key. Args: otherwise: The result without a copy that can be used."""
        if copy is not None and copy.failures and otherwise is PENDING:
            # The outage continues while the directory is fetched again.
            otherwise = _unavailable(copy.problem)
        if copy is None or copy.keys is None or not copy.attempted <= now < copy.stale_until:
            return otherwise
        key = copy.keys.keys.get(key_id)
        if key is not None:
            return KeyLookup(key)
        # While the next copy is being fetched, this one decides. Otherwise, junk would be undecided at each refresh.
        if now < copy.fresh_until or otherwise is PENDING:
            return KeyLookup(None, SignatureReason.KEY_UNKNOWN, copy.keys.absence(key_id))
        return otherwise

    def _fly(self, url: str, flight: _Flight, known: "_Fetched | None", *, trusted: bool) -> None:
        try:
            fetched = self._fetch(url, known)
        except Exception as error:  # noqa: BLE001 - transports of the caller may raise anything
            fetched = f"the fetch failed: {error}"
        self._land(url, flight, fetched, trusted=trusted)

    def _fetch(self, url: str, known: "_Fetched | None") -> "_Fetched | str":
        stored = () if known is None else known.headers
        # A response without the keys is not signed by them.
        conditions = () if self._require_possession else _conditions(dict(stored))
        response = self._transport.send(
            TransportRequest(
                url=url,
                headers=(*self._headers, *conditions),
                max_bytes=MAX_KEY_SET_BYTES,
                connect_timeout=self._timeout,
                read_timeout=self._timeout,
                timeout=self._timeout,
                allow_private=self._allow_private,
            )
        )
        if isinstance(response, Failure):
            return f"{response.kind}: {response.detail}"
        if response.status == 304 and known is not None and conditions:
            updated = update_stored_headers(stored, select_stored_headers(response.headers))
            if not _is_same_copy(dict(stored), dict(updated)):
                # The next request has no conditions.
                return _Fetched(None, 0.0, (), "status 304 for another copy")
            return _Fetched(known.keys, self._lifetime(response._replace(headers=updated)), updated)
        if response.status != 200:
            return _Fetched(None, _retry_after(response), stored, f"status {response.status}")
        try:
            found = parse_key_set(response.body)
        except InvalidKey as error:
            return _Fetched(None, 0.0, (), str(error))
        proofs = check_proofs(response, found.keys, now=self._clock(), clock_skew=self._clock_skew)
        keys = select_keys(found, proofs, require_possession=self._require_possession)
        return _Fetched(keys, self._lifetime(response), select_stored_headers(response.headers))

    def _lifetime(self, response: Response) -> float:
        return freshness_lifetime(response, _FRESHNESS, now=self._clock())

    def _land(self, url: str, flight: _Flight, fetched: "_Fetched | str", *, trusted: bool) -> None:
        now = self._clock()
        with self._lock:
            copy = self._copy(url) or _Copy()
            copy.attempted = now
            if isinstance(fetched, str):
                fetched = _Fetched(None, 0.0, copy.headers, fetched)
            copy.headers = fetched.headers
            left = 1.0 - _JITTER * self._chance()
            if fetched.keys is None:
                pause = min(_RETRY_SECONDS * 2.0 ** min(copy.failures, 8), _MAX_RETRY_SECONDS) * left
                copy.failures += 1
                copy.retry_at = now + max(pause, min(fetched.seconds, _MAX_RETRY_SECONDS))
                copy.problem = printable_text(fetched.problem)
            else:
                copy.keys, copy.failures, copy.problem = fetched.keys, 0, ""
                copy.fresh_until = copy.retry_at = now + fetched.seconds * left
                copy.stale_until = copy.fresh_until + self._max_stale
            if trusted or url in self._trusted:
                self._trusted[url] = copy
            else:
                self._failed.discard(url)
                (self._failed if copy.keys is None else self._known).put(url, copy)
            # After a fork, another flight may have this place.
            if self._flights.get(url) is flight:
                del self._flights[url]
            self._untrusted_flights.discard(url)
        flight.end()
        flight.done.set_result(None)


class _Fetched(NamedTuple):
    """The keys of a directory and for how long they are fresh, or a problem and for how long not to fetch it again.

    The headers are those of the copy, for the conditions of the next request.
    """

    keys: KeySet | None
    seconds: float
    headers: Headers
    problem: str = ""


class _Cache:
    """The most recently used copies. The caller holds a lock."""

    def __init__(self, max_entries: int) -> None:
        self._max_entries = max_entries
        self._copies: OrderedDict[str, _Copy] = OrderedDict()

    def get(self, url: str) -> _Copy | None:
        copy = self._copies.get(url)
        if copy is not None:
            self._copies.move_to_end(url)
        return copy

    def put(self, url: str, copy: _Copy) -> None:
        self._copies[url] = copy
        self._copies.move_to_end(url)
        if len(self._copies) > self._max_entries:
            self._copies.popitem(last=False)

    def discard(self, url: str) -> None:
        self._copies.pop(url, None)

    def __len__(self) -> int:
        return len(self._copies)


_NOT_REQUESTED: Final = KeyLookup(
    None,
    SignatureReason.DIRECTORY_NOT_REQUESTED,
    "the directory was not requested: the limit of requests for directories is reached",
)


def _unavailable(problem: str) -> KeyLookup:
    return KeyLookup(None, SignatureReason.DIRECTORY_UNAVAILABLE, f"the directory is not available: {problem}")


def _do_nothing() -> None:
    """Do nothing at the end of a fetch that nothing counts."""


def _is_due(copy: _Copy, key_id: str, now: float) -> bool:
    """Return whether a directory has to be fetched for a key."""
    if now < copy.attempted:
        # The clock was set back, so that no time of the copy means anything.
        return True
    is_fresh = now < copy.fresh_until
    if is_fresh and copy.keys and key_id in copy.keys.keys:
        return False
    if copy.failures:
        return now >= copy.retry_at
    return not is_fresh or now >= copy.attempted + _REFETCH_SECONDS


def _conditions(stored: Mapping[str, str]) -> Headers:
    """Return the conditions of a request for a copy with these headers. Source: RFC 9111 section 4.3.1."""
    names = (("If-None-Match", "etag"), ("If-Modified-Since", "last-modified"))
    return tuple((condition, stored[name]) for condition, name in names if name in stored)


def _is_same_copy(stored: Mapping[str, str], updated: Mapping[str, str]) -> bool:
    return "etag" not in stored or stored["etag"].removeprefix("W/") == updated["etag"].removeprefix("W/")


def _retry_after(response: Response) -> float:
    return float(parse_delta_seconds(response.first_header("retry-after") or "") or 0)
