"""The verifier: addresses first, then reverse DNS in daemon threads, with a timeout and bounded caches.

A peer chooses its address, its header, and the speed of the DNS servers of its address. So these are bounded:

- Each lookup runs in its own daemon thread. There are at most `max_lookups`, and two for each network.
- Only the request that starts a lookup waits for it. Until it ends, requests with the same question are undecided.
- Confirmed addresses have a cache of their own, which other addresses cannot fill.
"""

import socket
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from enum import StrEnum
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from canfetch.agents.address_lists import Address, AddressLists
from canfetch.agents.crawler import Crawler
from canfetch.agents.identity import (
    Identity,
    IdentityStatus,
    SignatureCheck,
    SignatureReason,
    SignedRequest,
    has_suffix,
    parse_address,
)
from canfetch.client.argument_checks import check_callable, check_count, check_positive_seconds
from canfetch.client.forking import reset_on_fork
from canfetch.client.identity.signature_verifier import Hosts, SignatureVerifier, parse_hosts
from canfetch.client.identity.signed_requests import NO_SIGNATURE
from canfetch.client.identity.waiting import Steps, Wait, run_steps, run_steps_async
from canfetch.client.procedure import Clock
from canfetch.client.transports.addresses import NETWORK_BITS, is_public
from canfetch.client.transports.daemon_threads import start_daemon_thread
from canfetch.client.transports.dns import Resolve, system_resolve
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import InvalidOption

# Returns the names of an IP address, or nothing if it has none. Raises OSError if the lookup failed. It may block.
Reverse = Callable[[str], Sequence[str]]

# The owner of an address can give it any number of names, and each one costs a lookup.
_MAX_NAMES: Final = 4
# Results of the system's resolver that mean that the name or the address has no entry.
_NO_SUCH_NAME: Final = frozenset(
    code for name in ("EAI_NONAME", "EAI_NODATA") if (code := getattr(socket, name, None)) is not None
)
# HOST_NOT_FOUND and NO_DATA of `h_errno`, which the socket module does not define.
_NO_SUCH_ADDRESS: Final = frozenset({1, 4})


class NameStatus(StrEnum):
    """The result of looking up an address in DNS."""

    CONFIRMED = "confirmed"  # a name under the suffixes resolves back to the address
    DENIED = "denied"  # the address has other names, or the name does not resolve back
    NAMELESS = "nameless"  # the address has no name
    FAILED = "failed"  # a lookup failed


class NameCheck(NamedTuple):
    """The result of looking up an address, with the reason in one clause."""

    status: NameStatus
    reason: str


def system_reverse(address: str) -> Sequence[str]:
    """Return the names of an address from the system's resolver.

    Raises: OSError: The lookup failed.
    """
    try:
        name, aliases, _ = socket.gethostbyaddr(address)
    except socket.herror as error:
        if error.errno in _NO_SUCH_ADDRESS:
            return ()
        raise
    return [name, *aliases]


def check_names(address: str, suffixes: Sequence[str], *, reverse: Reverse, resolve: Resolve) -> NameCheck:
    """Return whether an address has a name under one of the suffixes that resolves back to it.

    Cost: A reverse lookup, and at most four forward lookups.
    """
    try:
        names = list(reverse(address))
    except (OSError, ValueError) as error:
        return NameCheck(NameStatus.FAILED, f"the name of {address} cannot be looked up: {_describe(error)}")
    if not names:
        return NameCheck(NameStatus.NAMELESS, f"{address} has no name")
    matching = [name for name in names if has_suffix(name, suffixes)][:_MAX_NAMES]
    if not matching:
        return NameCheck(NameStatus.DENIED, f"{address} is {_shown(names[0])}")
    failure: NameCheck | None = None
    for name in matching:
        try:
            found = resolve(name)
        except (OSError, ValueError) as error:
            if getattr(error, "errno", None) not in _NO_SUCH_NAME:
                failure = NameCheck(NameStatus.FAILED, f"{_shown(name)} cannot be looked up: {_describe(error)}")
            continue
        if parse_address(address) in [parse_address(one) for one in found]:
            return NameCheck(NameStatus.CONFIRMED, f"{address} is {_shown(name)}")
    return failure or NameCheck(
        NameStatus.DENIED, f"{address} claims the name {_shown(matching[0])}, which does not resolve back to it"
    )


def _shown(name: str) -> str:
    # The owner of the address chooses the name.
    return printable_text(name.removesuffix("."))[:255]


def _describe(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


_DAY: Final = 86_400.0
DEFAULT_MAX_AGE: Final = 14 * _DAY
# How long a result is used. A failed lookup is repeated soon, and an address rarely changes hands within a day.
_SECONDS: Final = {
    NameStatus.CONFIRMED: _DAY,
    NameStatus.DENIED: 3600.0,
    NameStatus.NAMELESS: 3600.0,
    NameStatus.FAILED: 60.0,
}
# One network cannot occupy all lookups with DNS servers that do not answer.
_LOOKUPS_PER_NETWORK: Final = 2

_NO_CRAWLER: Final = "the User-Agent field names no crawler of the registry"

_Key = tuple[tuple[str, ...], Address]


class _ListSource(Protocol):
    def current(self) -> AddressLists: ...


class IdentityVerifier:
    """Verifies that requests come from the crawlers that they name. Safe for use by several threads and event loops.

    A valid signature by a key of the crawler's directories verifies a request from any address. Otherwise, the address
    decides, unless the crawler must sign.

    Args:
        address_lists: The published addresses: an `AddressListFile`, `AddressLists`, or None.
        dns: Whether to look up the names of addresses.
        reverse: Function that returns the names of an address. Default: the system's resolver.
        resolve: Function that returns the addresses of a name. Default: the system's resolver.
        timeout: Seconds that a request waits for a lookup. The lookup itself continues, for later requests.
        max_lookups: Maximum number of lookups at the same time, each in a thread.
        max_entries: Maximum number of addresses in each of the two caches.
        max_age: Seconds after which a list of addresses is too old to call a request an impostor's.
        signatures: Verifies signatures of requests. Default: they are not considered.
        clock: Returns seconds since the epoch.
    Raises: InvalidOption: An argument is invalid.
    """

    def __init__(
        self,
        *,
        address_lists: AddressLists | _ListSource | None = None,
        dns: bool = True,
        reverse: Reverse = system_reverse,
        resolve: Resolve = system_resolve,
        timeout: float = 1.0,
        max_lookups: int = 16,
        max_entries: int = 10_000,
        max_age: float = DEFAULT_MAX_AGE,
        signatures: SignatureVerifier | None = None,
        clock: Clock = time.time,
    ) -> None:
        if signatures is not None and not isinstance(signatures, SignatureVerifier):
            raise InvalidOption(f"invalid signatures {quoted(signatures)}: expected a SignatureVerifier or None")
        for name, function in (("reverse", reverse), ("resolve", resolve), ("clock", clock)):
            check_callable(name, function)
        for name, seconds in (("timeout", timeout), ("max_age", max_age)):
            check_positive_seconds(name, seconds)
        for name, number in (("max_lookups", max_lookups), ("max_entries", max_entries)):
            check_count(name, number)
        self._lists = _list_source(address_lists)
        self._dns = dns
        self._check = partial(check_names, reverse=reverse, resolve=resolve)
        self._timeout = timeout
        self._max_lookups = max_lookups
        self._max_age = max_age
        self._clock = clock
        self._signatures = signatures
        self._confirmed = _Cache(max_entries)
        self._others = _Cache(max_entries)
        # Resolvers without access to the internet answer that no address has a name. So a missing name is evidence
        # only after some other address had one.
        self._names_exist = False
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Forget the lookups in progress: their threads exist only in the parent."""
        self._lock = threading.Lock()
        self._in_progress: set[_Key] = set()
        self._networks: Counter[tuple[int, int]] = Counter()

    @property
    def signatures(self) -> SignatureVerifier | None:
        """What verifies the signatures of requests, or None."""
        return self._signatures

    def verify(
        self,
        crawler: Crawler,
        address: str | None,
        *,
        request: SignedRequest | None = None,
        require_signature: bool = False,
    ) -> Identity:
        """Verify that an address is one of a crawler's, or that the crawler signed a request.

        Args:
            crawler: The crawler, as `find_crawler` returns it.
            address: The address of the client, or None if it is unknown.
            request: The request, for its signatures. Without it, and without `signatures`, only the address counts.
            require_signature: Whether a request without a valid signature is an impostor's, whatever its address is.
                If the directory of the crawler is not available, the identity is undecided. It is also undecided if the
                directory is being fetched for the first time (`directory-pending`): respond with 503 then.
        Returns: The identity. No failure raises: if DNS does not answer, the identity is undecided.
        Cost: Lookups in memory, or else waits of at most `timeout` seconds for DNS, and as much for a directory.
        """
        return run_steps(self._steps(crawler, address, request, is_required=require_signature))

    async def verify_async(
        self,
        crawler: Crawler,
        address: str | None,
        *,
        request: SignedRequest | None = None,
        require_signature: bool = False,
    ) -> Identity:
        """Verify an address or a signature, without blocking the event loop. See `verify`."""
        return await run_steps_async(self._steps(crawler, address, request, is_required=require_signature))

    def verify_recorded(
        self, request: SignedRequest, crawler: Crawler | None, address: str | None = None, at: float | None = None
    ) -> Identity:
        """Return who sent a request that was recorded, such as one in a log.

        Its signatures are always verified. If nobody names a directory for the crawler, any directory counts, so that
        `signature` states who signed the request. That verifies no crawler.

        Args:
            request: The request.
            crawler: The crawler that its User-Agent header names, or None if the registry lacks it.
            address: The address of the client, or None if it is unknown.
            at: When it was received, in seconds since the epoch. Default: now.
        Raises: InvalidOption: This verifier has no `signatures`.
        Cost: As that of `verify`. Directories that only the request names are fetched.
        """
        return run_steps(self._recorded_steps(request, crawler, address, at))

    async def verify_recorded_async(
        self,
        request: SignedRequest,
        crawler: Crawler | None,
        address: str | None = None,
        at: float | None = None,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - what is late has a result
        hosts: Collection[str] | None = None,
    ) -> Identity:
        """Return who sent a request that was recorded, without blocking the event loop. See `verify_recorded`.

        Args:
            timeout: Seconds to wait for directories, if that is less than the `timeout` of `signatures`.
            hosts: The host names of the site, as for `SignatureVerifier`. Default: those of `signatures`.
        Raises: InvalidOption: As `verify_recorded`, or a host is invalid.
        """
        parsed = None if hosts is None else parse_hosts(hosts)
        return await run_steps_async(self._recorded_steps(request, crawler, address, at, timeout, hosts=parsed))

    def _steps(
        self, crawler: Crawler, address: str | None, request: SignedRequest | None, *, is_required: bool
    ) -> Steps[Identity]:
        signature = None
        if request is not None and self._signatures is not None and self._signatures.directories_of(crawler):
            signature = yield from self._signatures.steps(request, crawler, address)
        decided = _judge(signature, is_required=is_required)
        if decided is not None:
            return decided
        return (yield from self._address_steps(crawler, address))._replace(signature=signature)

    def _recorded_steps(
        self,
        request: SignedRequest,
        crawler: Crawler | None,
        address: str | None,
        at: float | None,
        timeout: float | None = None,
        *,
        hosts: Hosts | None = None,
    ) -> Steps[Identity]:
        if self._signatures is None:
            raise InvalidOption("verify_recorded requires IdentityVerifier(signatures=SignatureVerifier(...))")
        signer = crawler if crawler is not None and self._signatures.directories_of(crawler) else None
        signature = yield from self._signatures.examine(request, signer, at, timeout, hosts)
        decided = None if signer is None else _judge(signature, is_required=False)
        if decided is not None:
            return decided
        if crawler is None:
            return Identity(IdentityStatus.UNDECIDED, _NO_CRAWLER, signature)
        return (yield from self._address_steps(crawler, address))._replace(signature=signature)

    def _address_steps(self, crawler: Crawler, address: str | None) -> Steps[Identity]:
        started = self._start(crawler, address)
        if isinstance(started, Identity):
            return started
        future, listed = started
        is_done = yield Wait(future, time.monotonic() + self._timeout)
        late = NameCheck(NameStatus.FAILED, f"no name of {address} within {self._timeout:g} s")
        return self._conclude(future.result() if is_done else late, crawler, listed=listed)

    def _start(self, crawler: Crawler, address: str | None) -> "Identity | tuple[Future[NameCheck], bool | None]":
        """Return what is known, or start a lookup. The second value is whether published lists have the address."""
        parsed = None if address is None else parse_address(address)
        if parsed is None:
            return _undecided("the address of the client is unknown")
        if not is_public(parsed):
            # Most likely a proxy. Calling its requests an impostor's would block the real crawler.
            return _undecided(f"{parsed} is not a public address")
        verification = crawler.verification
        fetched_since = self._clock() - self._max_age
        listed = self._lists().contain(verification.address_lists, parsed, fetched_since=fetched_since)
        if listed:
            return Identity(IdentityStatus.VERIFIED, f"{crawler.operator} publishes {parsed}")
        if not self._dns or not verification.host_names:
            if listed is None:
                return _undecided(_missing_method(crawler))
            return _impostor(f"{crawler.operator} does not publish {parsed}")
        key = (tuple(verification.host_names), parsed)
        check = self._cached(key) or self._start_lookup(key)
        return self._conclude(check, crawler, listed=listed) if isinstance(check, NameCheck) else (check, listed)

    def _cached(self, key: _Key) -> NameCheck | None:
        now = self._clock()
        with self._lock:
            check = self._confirmed.get(key, now) or self._others.get(key, now)
            if check is not None:
                return check
            network = _network_of(key[1])
            if key in self._in_progress:
                return NameCheck(NameStatus.FAILED, f"the lookup of {key[1]} is in progress")
            if len(self._in_progress) >= self._max_lookups or self._networks[network] >= _LOOKUPS_PER_NETWORK:
                return NameCheck(NameStatus.FAILED, "too many lookups are in progress")
            self._in_progress.add(key)
            self._networks[network] += 1
            return None

    def _start_lookup(self, key: _Key) -> "Future[NameCheck] | NameCheck":
        future = start_daemon_thread(partial(self._look_up, key), name="canfetch-identity")
        error = future.exception() if future.done() else None
        if error is None:
            return future
        # `_look_up` does not raise, so the error is that of starting the thread.
        self._finish(key, None)
        return NameCheck(NameStatus.FAILED, f"no thread for a lookup: {error}")

    def _look_up(self, key: _Key) -> NameCheck:
        suffixes, address = key
        try:
            check = self._check(str(address), suffixes)
        except Exception as error:  # noqa: BLE001 - functions of the caller may raise anything
            check = NameCheck(NameStatus.FAILED, f"the lookup of {address} failed: {error}")
        self._finish(key, check)
        return check

    def _finish(self, key: _Key, check: NameCheck | None) -> None:
        with self._lock:
            self._in_progress.remove(key)
            network = _network_of(key[1])
            self._networks[network] -= 1
            if not self._networks[network]:
                del self._networks[network]
            if check is None:
                return
            self._names_exist = self._names_exist or check.status in (NameStatus.CONFIRMED, NameStatus.DENIED)
            cache = self._confirmed if check.status is NameStatus.CONFIRMED else self._others
            cache.put(key, check, self._clock() + _SECONDS[check.status])

    def _conclude(self, check: NameCheck, crawler: Crawler, *, listed: bool | None) -> Identity:
        if check.status is NameStatus.CONFIRMED:
            return Identity(IdentityStatus.VERIFIED, check.reason)
        if check.status is NameStatus.DENIED:
            return _impostor(check.reason)
        if listed is False:
            # A fresh list decides, whether DNS answers or not: impostors control the zones of their own addresses.
            return _impostor(f"{crawler.operator} does not publish this address, and {check.reason}")
        if check.status is NameStatus.NAMELESS and self._names_exist:
            return _impostor(check.reason)
        return _undecided(check.reason)


def _judge(signature: SignatureCheck | None, *, is_required: bool) -> Identity | None:
    """Return what a signature decides, or None if the address decides."""
    if signature is not None and signature.is_valid:
        return Identity(IdentityStatus.VERIFIED, signature.detail, signature)
    if not is_required:
        return None
    found = NO_SIGNATURE if signature is None else signature
    # A missing directory is not evidence. Everything else is up to the client, which could leave out more.
    is_missing = found.reason in {SignatureReason.DIRECTORY_UNAVAILABLE, SignatureReason.DIRECTORY_PENDING}
    status = IdentityStatus.UNDECIDED if is_missing else IdentityStatus.IMPOSTOR
    return Identity(status, f"a signature is required: {found.detail}", found)


def _list_source(lists: Any) -> Callable[[], AddressLists]:
    if lists is None:
        lists = AddressLists({})
    if isinstance(lists, AddressLists):
        return lambda: lists
    current: Callable[[], AddressLists] | None = getattr(lists, "current", None)
    if current is None or not callable(current):
        raise InvalidOption(f"invalid address_lists {quoted(lists)}: expected an AddressListFile, AddressLists or None")
    return current


class _Cache:
    """The most recently used results, each until a time. The caller holds a lock."""

    def __init__(self, max_entries: int) -> None:
        self._max_entries = max_entries
        self._entries: OrderedDict[_Key, tuple[NameCheck, float]] = OrderedDict()

    def get(self, key: _Key, now: float) -> NameCheck | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        check, expires = entry
        # A clock that was set back must not keep an entry for longer.
        if not expires - _SECONDS[check.status] <= now < expires:
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return check

    def put(self, key: _Key, check: NameCheck, expires: float) -> None:
        self._entries[key] = check, expires
        self._entries.move_to_end(key)
        if len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)


def _network_of(address: Address) -> tuple[int, int]:
    return address.version, int(address) >> (address.max_prefixlen - NETWORK_BITS[address.version])


def _missing_method(crawler: Crawler) -> str:
    verification = crawler.verification
    if verification.address_lists:
        return f"the addresses that {crawler.operator} publishes are missing or too old"
    if verification.host_names:
        return "names are not looked up"
    return f"{crawler.operator} documents no method that can be checked by address"


def _impostor(reason: str) -> Identity:
    return Identity(IdentityStatus.IMPOSTOR, reason)


def _undecided(reason: str) -> Identity:
    return Identity(IdentityStatus.UNDECIDED, reason)
