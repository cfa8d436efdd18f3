"""Verification of signed requests: the profile, the directory with the key, the signature, and replays."""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import cache
from time import thread_time
from typing import Any, Final

from canfetch.agents import REGISTRY
from canfetch.agents.crawler import Crawler
from canfetch.agents.identity import SignatureCheck, SignatureReason, SignatureStatus, SignedRequest
from canfetch.client.argument_checks import check_callable, check_count, check_positive_seconds
from canfetch.client.forking import reset_on_fork
from canfetch.client.identity.directory_urls import DirectoryURL, parse_directory_url
from canfetch.client.identity.failure_limits import FailureLimits
from canfetch.client.identity.key_directories import BeginFetch, KeyDirectories
from canfetch.client.identity.keys import TEST_KEYS
from canfetch.client.identity.message_signatures import load_library
from canfetch.client.identity.replays import NonceMemory, Replay, SignatureNonce
from canfetch.client.identity.signed_requests import (
    DEFAULT_CLOCK_SKEW,
    DEFAULT_MAX_LIFETIME,
    NO_SIGNATURE,
    SignatureClaim,
    find_absence,
    find_claims,
    verify_claim,
)
from canfetch.client.identity.waiting import Steps, Wait, run_steps, run_steps_async
from canfetch.client.procedure import Clock
from canfetch.client.transports import Transport
from canfetch.core.origin import check_sent_port, find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, InvalidURL

# Names and their ports, or None for all ports.
Hosts = frozenset[tuple[str, int | None]]

_MAX_CLOCK_SKEW: Final = 3600
_RANKS: Final = {
    SignatureReason.DIRECTORY_UNAVAILABLE: 3,
    SignatureReason.DIRECTORY_PENDING: 3,
    SignatureReason.DIRECTORY_NOT_REQUESTED: 3,
    SignatureReason.KEY_UNKNOWN: 2,
}
_REPLAYS: Final = {
    Replay.SEEN: (SignatureReason.REPLAYED, "the nonce of the signature was used before"),
    Replay.FORGOTTEN: (
        SignatureReason.REPLAY_UNKNOWN,
        "the signature is older than the nonces in memory, so that it may be a replay",
    ),
}


class SignatureVerifier:
    """Verifies Web Bot Auth signatures of requests. Safe for use by several threads and event loops.

    Args:
        hosts: The host names of the site, such as `example.com`. Signatures for others are invalid, because whoever
            receives one could send it to this site with that other host. A name without a port is for all ports, and a
            dot at its end is ignored. None accepts all hosts: the server has to refuse unknown ones.
        directories: The URLs of the directories of crawlers, by product token. They replace those of the registry.
        max_lifetime: The longest time from the creation of a signature to its end, in seconds, or None.
        clock_skew: How many seconds the clock of a signer may differ.
        reject_replays: Whether each signature is accepted only once by this object, and none of the signatures of an
            accepted request again.
        require_nonce: Whether signatures without a nonce are invalid with `reject_replays`. Otherwise, they may be used
            more than once.
        max_nonces: Maximum number of nonces in memory, for each signer, with `reject_replays`. 100,000 take 20 MB.
        max_failures_per_minute: How many invalid signatures of an address are examined in a minute, and four times as
            many of its network (24 bits of IPv4, 48 bits of IPv6). Further ones are `not-checked`.
        max_failure_time: Seconds of processor time that examining invalid signatures may take in each second. Those of
            addresses and networks without a valid one of a given crawler in the last hour are then `not-checked`.
        timeout: Seconds that a request waits for directories. A fetch continues, for later requests.
        transport, user_agent, fetch_timeout, max_stale, max_directories, max_fetches_per_minute, allow_private,
            require_possession, begin_fetch: How directories are fetched. See `KeyDirectories`. Verifications raise what
            `begin_fetch` does.
        clock: Returns seconds since the epoch.
        monotonic: Returns seconds, for the limits of invalid signatures.
    Raises: InvalidOption: An argument is invalid. MissingExtra.
    """

    def __init__(
        self,
        *,
        hosts: Collection[str] | None,
        directories: Mapping[str, str | Iterable[str]] | None = None,
        max_lifetime: float | None = DEFAULT_MAX_LIFETIME,
        clock_skew: float = DEFAULT_CLOCK_SKEW,
        reject_replays: bool = False,
        require_nonce: bool = True,
        max_nonces: int = 100_000,
        max_failures_per_minute: int = 20,
        max_failure_time: float = 0.01,
        timeout: float = 1.0,
        transport: Transport | None = None,
        user_agent: str | None = None,
        fetch_timeout: float = 5.0,
        max_stale: float = 86_400.0,
        max_directories: int = 200,
        max_fetches_per_minute: int = 60,
        allow_private: bool = False,
        require_possession: bool = False,
        begin_fetch: BeginFetch | None = None,
        clock: Clock = time.time,
        monotonic: Clock = time.monotonic,
    ) -> None:
        load_library()
        check_positive_seconds("timeout", timeout)
        if max_lifetime is not None:
            check_positive_seconds("max_lifetime", max_lifetime)
        _check_clock_skew(clock_skew)
        check_count("max_nonces", max_nonces)
        check_count("max_failures_per_minute", max_failures_per_minute)
        check_positive_seconds("max_failure_time", max_failure_time)
        check_callable("clock", clock)
        check_callable("monotonic", monotonic)
        self._hosts = None if hosts is None else parse_hosts(hosts)
        self._directories = {
            name.lower(): _parse_directories(name, urls) for name, urls in dict(directories or {}).items()
        }
        self._named = frozenset(one.fetched for found in self._directories.values() for one in found)
        self._max_lifetime = max_lifetime
        self._clock_skew = clock_skew
        self._nonces = NonceMemory(max_nonces) if reject_replays else None
        self._limits = FailureLimits(
            max_failures=max_failures_per_minute, max_share=max_failure_time, monotonic=monotonic
        )
        self.requires_nonce = reject_replays and require_nonce
        self._timeout = timeout
        self._clock = clock
        self._keys = KeyDirectories(
            transport=transport,
            user_agent=user_agent,
            timeout=fetch_timeout,
            max_stale=max_stale,
            max_directories=max_directories,
            max_fetches_per_minute=max_fetches_per_minute,
            allow_private=allow_private,
            require_possession=require_possession,
            clock_skew=clock_skew,
            begin_fetch=begin_fetch,
            clock=clock,
        )
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Create new locks after a fork. Each process remembers nonces and failures of its own."""
        self._limits.reset_after_fork()
        if self._nonces is not None:
            self._nonces.reset_after_fork()

    def directories_of(self, crawler: Crawler) -> tuple[DirectoryURL, ...]:
        """Return the directories whose keys sign requests of a crawler: those of the site, or those of the registry."""
        found = self._directories.get(crawler.name.lower())
        return _parse_directories(crawler.name, crawler.verification.key_directories) if found is None else found

    def verify(
        self,
        request: SignedRequest,
        *,
        crawler: Crawler | None = None,
        at: float | None = None,
        peer: str | None = None,
    ) -> SignatureCheck:
        """Return whether a request has a valid signature.

        A request may have several signatures. The result is that of the first valid one, if any.

        Args:
            request: The request.
            crawler: Whether only the directories of this crawler count. By default, any directory does, and a valid
                signature proves nothing but its URL.
            at: When a recorded request was received, in seconds since the epoch. Default: now. Keys that its directory
                has removed since then are unknown, and the limits of invalid signatures do not apply.
            peer: The address of the client, for the limits of invalid signatures. Without it, only that of all
                addresses applies.
        Returns: The result. No failure raises.
        Cost: A few tenths of a millisecond for each signature, a few milliseconds for a hostile one, and a wait of at
            most `timeout` seconds.
        """
        return run_steps(self.steps(request, crawler, peer) if at is None else self.examine(request, crawler, at))

    async def verify_async(
        self,
        request: SignedRequest,
        *,
        crawler: Crawler | None = None,
        at: float | None = None,
        peer: str | None = None,
    ) -> SignatureCheck:
        """Return whether a request has a valid signature, without blocking the event loop. See `verify`."""
        steps = self.steps(request, crawler, peer) if at is None else self.examine(request, crawler, at)
        return await run_steps_async(steps)

    def find_unchecked(self, signature_input: str | None, peer: str | None) -> SignatureCheck | None:
        """Return the result for a request whose signature is not examined because of a limit, or None.

        Args:
            signature_input: The field Signature-Input.
            peer: The address of the client, or None if it is unknown.
        Cost: A search for the tag, and a few dictionary lookups.
        """
        return None if find_absence(signature_input) else self._limits.find_reached(peer)

    def steps(self, request: SignedRequest, crawler: Crawler | None, peer: str | None) -> Steps[SignatureCheck]:
        """Return a generator that does what `verify` does for a request of now, for `run_steps`."""
        absent = find_absence(request.field("signature-input"))
        if absent is not None:
            return absent
        reached = self._limits.find_reached(peer)
        if reached is not None:
            return reached
        check: SignatureCheck | None = None
        found: SignatureCheck
        spent, started = 0.0, thread_time()
        steps = self.examine(request, crawler)
        try:
            wait = next(steps)
            while True:
                # The thread of an event loop does other work until the wait ends.
                spent += thread_time() - started
                try:
                    is_done = yield wait
                finally:
                    started = thread_time()
                wait = steps.send(is_done)
        except StopIteration as stop:
            check = found = stop.value
            return found
        finally:
            spent += thread_time() - started
            self._limits.record(peer, check, spent, is_of_crawler=crawler is not None)

    def examine(
        self,
        request: SignedRequest,
        crawler: Crawler | None,
        at: float | None = None,
        timeout: float | None = None,
        hosts: Hosts | None = None,
    ) -> Steps[SignatureCheck]:
        """Return a generator that does what `verify` does, without limits, for `run_steps`.

        Args:
            timeout: Seconds to wait, if that is less than the `timeout` of this object.
            hosts: The hosts of the site. Default: those of this object.
        """
        best = NO_SIGNATURE
        hosts = self._hosts if hosts is None else hosts
        deadline = time.monotonic() + (self._timeout if timeout is None else min(timeout, self._timeout))
        now = self._clock() if at is None else at
        claims = find_claims(request, now=now, clock_skew=self._clock_skew, max_lifetime=self._max_lifetime)
        for found in claims:
            if isinstance(found, SignatureCheck):
                check = found
            elif hosts is not None and not _is_one_of(request.authority, hosts):
                problem = f"{request.authority} is not a host of the site"
                check = found.conclude(SignatureStatus.INVALID, SignatureReason.OTHER_HOST, problem)
            else:
                check = yield from self._verify(found, crawler, at, deadline)
                if check.is_valid and self._nonces is not None:
                    others = yield from self._find_others(found, claims, crawler, at=at, deadline=deadline)
                    check = self._check_replay(self._nonces, check, found, others, crawler)
            if check.is_valid:
                return check
            if best is NO_SIGNATURE or _rank(check) > _rank(best):
                best = check
        return best

    def _verify(
        self,
        claim: SignatureClaim,
        crawler: Crawler | None,
        at: float | None,
        deadline: float,
    ) -> Steps[SignatureCheck]:
        url = claim.directory.fetched
        trusted = url in _registered_directories()
        if crawler is not None:
            directory = self._directory_of(crawler, claim)
            if directory is None:
                return claim.conclude(
                    SignatureStatus.UNVERIFIED,
                    SignatureReason.OTHER_DIRECTORY,
                    f"{claim.directory.identifier} is not a directory of {crawler.name}",
                )
            # Not the query of the request, which might choose the keys.
            url, trusted = directory.fetched, True
        elif url != claim.directory.identifier and not self._is_named(claim):
            # A server that repeats its query would publish the keys of anyone, and the identifier has no query.
            detail = f"Signature-Agent: invalid URL {quoted(url)}: expected a URL without a query"
            return claim.conclude(SignatureStatus.INVALID, SignatureReason.AGENT_INVALID_URL, detail)
        if claim.key_id in TEST_KEYS:
            return claim.conclude(
                SignatureStatus.INVALID, SignatureReason.TEST_KEY, "the key is a test key, which everyone has"
            )
        may_fetch = trusted or time.monotonic() < deadline
        lookup = self._keys.start(url, claim.key_id, trusted=trusted, may_fetch=may_fetch)
        if isinstance(lookup, Future):
            yield Wait(lookup, deadline)
            lookup = self._keys.finish(url, claim.key_id)
        if lookup.key is None:
            return claim.conclude(SignatureStatus.UNVERIFIED, lookup.reason, lookup.detail)
        now = self._clock() if at is None else at
        return verify_claim(claim, lookup.key, now=now, clock_skew=self._clock_skew)

    def _find_others(
        self,
        claim: SignatureClaim,
        claims: Sequence[SignatureClaim | SignatureCheck],
        crawler: Crawler | None,
        *,
        at: float | None,
        deadline: float,
    ) -> Steps[list[SignatureClaim]]:
        """Return the other signatures of a request with a valid one that must not be accepted after it.

        Those of the same signer need not be valid: its directory may lack their key for now. Those of another signer
        have to be, because a full memory refuses signatures.
        """
        found = []
        for other in claims:
            if other is claim or isinstance(other, SignatureCheck):
                continue
            is_of_crawler = crawler is not None and self._directory_of(crawler, other) is not None
            if not is_of_crawler and other.directory.identifier != claim.directory.identifier:
                # Under the name of a crawler, no directory that only the request names is fetched.
                may_wait = crawler is None or self._is_named(other)
                check = yield from self._verify(other, None, at, deadline if may_wait else 0.0)
                if not check.is_valid:
                    continue
            found.append(other)
        return found

    def _check_replay(
        self,
        nonces: NonceMemory,
        check: SignatureCheck,
        claim: SignatureClaim,
        others: Iterable[SignatureClaim],
        crawler: Crawler | None,
    ) -> SignatureCheck:
        """Return the result for a valid signature, and record it with the other signatures of the request."""
        invalid = SignatureStatus.INVALID
        nonce = self._nonce(claim, crawler)
        if nonce is None:
            if not self.requires_nonce:
                return check
            return claim.conclude(invalid, SignatureReason.NONCE_MISSING, "the signature has no nonce")
        replay = nonces.record(nonce, filter(None, (self._nonce(other, crawler) for other in others)))
        return check if replay is Replay.NEW else claim.conclude(invalid, *_REPLAYS[replay])

    def _nonce(self, claim: SignatureClaim, crawler: Crawler | None) -> SignatureNonce | None:
        if not claim.nonce:
            return None
        trusted = self._is_named(claim) or (crawler is not None and self._directory_of(crawler, claim) is not None)
        return SignatureNonce(claim.directory.identifier, claim.key_id, claim.nonce, claim.created, trusted)

    def _directory_of(self, crawler: Crawler, claim: SignatureClaim) -> DirectoryURL | None:
        """Return the directory of a crawler that a signature names, or None."""
        found = (one for one in self.directories_of(crawler) if one.identifier == claim.directory.identifier)
        return next(found, None)

    def _is_named(self, claim: SignatureClaim) -> bool:
        """Return whether the site or the registry names a directory, for any crawler."""
        url = claim.directory.fetched
        return url in self._named or url in _registered_directories()


@cache
def _registered_directories() -> frozenset[str]:
    """Return the URLs of the directories in the registry. Those that only requests name do not delay them."""
    urls = (url for crawler in REGISTRY.crawlers for url in crawler.verification.key_directories)
    return frozenset(parse_directory_url(url).fetched for url in urls)


def _rank(check: SignatureCheck) -> int:
    """Return how much a result that is not valid says: an outage might hide a valid signature."""
    if check.reason is SignatureReason.OTHER_DIRECTORY:
        return 0
    return _RANKS.get(check.reason, 1)


def _check_clock_skew(seconds: Any) -> None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _MAX_CLOCK_SKEW:
        raise InvalidOption(f"invalid clock_skew {quoted(seconds)}: expected 0 to {_MAX_CLOCK_SKEW} seconds")


def _is_one_of(authority: str, hosts: Hosts) -> bool:
    """Return whether the host of a request is one of those of `parse_hosts`."""
    origin = find_origin(f"host://{authority}/")
    if origin is None:
        return False
    name = origin.host.removesuffix(".")
    return bool(hosts & {(name, None), (name, origin.port)})


def parse_hosts(hosts: Any) -> Hosts:
    """Return host names and their ports, or None for all ports. A dot at the end of a name is ignored.

    Raises: InvalidOption: One is invalid, or has a port that clients do not send.
    """
    if isinstance(hosts, str | bytes):
        raise InvalidOption(f"invalid hosts {quoted(hosts)}: expected a list, such as [{quoted(hosts)}]")
    parsed = set()
    for host in hosts:
        origin = find_origin(f"host://{host}/") if isinstance(host, str) else None
        if origin is None or "/" in host or "*" in host or ".." in host:
            raise InvalidOption(f"invalid host {quoted(host)}: expected a name such as 'example.com'")
        check_sent_port(host, origin.port)
        parsed.add((origin.host.removesuffix("."), origin.port))
    if not parsed:
        raise InvalidOption("invalid hosts []: expected host names, or None for all hosts")
    return frozenset(parsed)


def _parse_directories(name: str, urls: str | Iterable[str]) -> tuple[DirectoryURL, ...]:
    try:
        return tuple(parse_directory_url(url) for url in ([urls] if isinstance(urls, str) else urls))
    except InvalidURL as error:
        raise InvalidOption(f"invalid directory of {name}: {error}") from None
