"""Limits on what invalid signatures cost: by address, by network, and for the total, in bounded memory.

A limit is a time in the future (the generic cell rate algorithm): each failure moves it further, and it is reached when
it is a minute ahead. So a limit needs one number, and after it is reached, signatures are examined at its rate.
"""

import socket
from collections import Counter, OrderedDict
from ipaddress import ip_address
from threading import Lock
from typing import Final

from canfetch.agents.identity import SignatureCheck, SignatureReason, SignatureStatus
from canfetch.client.procedure import Clock
from canfetch.client.transports.addresses import NETWORK_BITS, is_public

_WINDOW: Final = 60.0
# The processor time that failures may take at once after a quiet time, in seconds.
_BURST: Final = 0.2
# How many times more failures are examined for a network than for an address, and for a peer with a valid signature.
_PER_NETWORK: Final = 4
_PER_PROVEN: Final = 10
_PROVEN_SECONDS: Final = 3600.0
# Of each table. A network of IPv6 could otherwise fill one.
_MAX_ENTRIES: Final = 20_000
_MAX_PROVEN_OF_NETWORK: Final = 256
# By the length of an address. Addresses and networks have different lengths, so that one table has both.
_NETWORK_BYTES: Final = {4: NETWORK_BITS[4] // 8, 16: NETWORK_BITS[6] // 8}
_MAPPED: Final = b"\0" * 10 + b"\xff\xff"
_NEVER: Final = float("-inf")
# Not the fault of the client.
_OUTAGES: Final = (
    SignatureReason.DIRECTORY_UNAVAILABLE,
    SignatureReason.DIRECTORY_PENDING,
    SignatureReason.DIRECTORY_NOT_REQUESTED,
)

TOO_MANY_FAILURES: Final = SignatureCheck(
    SignatureStatus.NOT_CHECKED,
    SignatureReason.TOO_MANY_FAILURES,
    "too many invalid signatures came from this address or its network",
)
OVERLOADED: Final = SignatureCheck(
    SignatureStatus.NOT_CHECKED,
    SignatureReason.OVERLOADED,
    "too many invalid signatures arrive, and no valid one came from this address or its network recently",
)


class FailureLimits:
    """Decides which signatures are examined. Safe for use by several threads.

    A peer with a valid signature of a crawler in the last hour may fail ten times as often, and so may its network. The
    limit of all peers does not apply to either, and the limit of the network does not apply to the peer.

    Args:
        max_failures: How many invalid signatures are examined in a minute, for each address. A network, of 24 bits for
            IPv4 and 48 bits for IPv6, may send four times as many.
        max_share: The share of the time of a processor that invalid signatures of all other peers may take.
        monotonic: Returns seconds.
    """

    def __init__(self, *, max_failures: int, max_share: float, monotonic: Clock) -> None:
        # The seconds for which a failure counts, by the length of the key, and by whether it is exempt.
        seconds = _WINDOW / max_failures
        self._intervals = {
            length: (one, one / _PER_PROVEN)
            for address, network in _NETWORK_BYTES.items()
            for length, one in ((address, seconds), (network, seconds / _PER_NETWORK))
        }
        self._max_share = max_share
        self._monotonic = monotonic
        # When the failures of an address or a network are forgotten, and until when one is exempt.
        self._failed: OrderedDict[bytes, float] = OrderedDict()
        self._proven: OrderedDict[bytes, float] = OrderedDict()
        # How many addresses of a network are exempt.
        self._proven_of: Counter[bytes] = Counter()
        self._paid_at = _NEVER
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Create a new lock after a fork."""
        self._lock = Lock()

    def find_reached(self, peer: str | None) -> SignatureCheck | None:
        """Return the result for a signature that is not examined, or None if it is to be examined.

        Args: peer: The address of the client, or None if it is unknown.
        Cost: A few dictionary lookups.
        """
        now = self._monotonic()
        is_overloaded = (self._paid_at - now) * self._max_share > _BURST
        proven = self._proven
        # During an overload, the limits of the address are not looked up.
        address = _packed(peer) if proven or not is_overloaded else None
        if address is not None:
            network = _network_of(address)
            if is_overloaded and address not in proven and network not in proven:
                return OVERLOADED
            for key in (address, network):
                is_proven = proven.get(key, _NEVER) > now
                failed = self._failed.get(key)
                # Half of an interval makes up for rounding.
                if failed is not None and failed - now > _WINDOW - self._intervals[len(key)][is_proven] / 2:
                    return TOO_MANY_FAILURES
                if is_proven:
                    return None
        return OVERLOADED if is_overloaded else None

    def record(self, peer: str | None, check: SignatureCheck | None, spent: float, *, is_of_crawler: bool) -> None:
        """Record the result for a signature that was examined.

        Args:
            peer: The address of the client, or None if it is unknown.
            check: The result, or None if there is none.
            spent: Processor time that the result took, in seconds.
            is_of_crawler: Whether only keys of a given crawler are valid. Otherwise, a valid signature proves nothing,
                because anybody can publish keys.
        """
        is_valid = check is not None and check.is_valid
        if is_valid and not is_of_crawler:
            return
        now = self._monotonic()
        address = _packed(peer)
        if is_valid and (address is None or self._proven.get(address, _NEVER) > now + _PROVEN_SECONDS / 2):
            return
        # All clients may have the address of a proxy that is not listed.
        if address is not None and not is_public(ip_address(address)):
            address = None
        with self._lock:
            if is_valid:
                if address is not None:
                    self._prove(address, now)
                return
            keys = () if address is None else (address, _network_of(address))
            proven = [self._proven.get(key, _NEVER) > now for key in keys]
            if check is not None and check.reason not in _OUTAGES:
                for key, is_proven in zip(keys, proven, strict=True):
                    self._fail(key, self._intervals[len(key)][is_proven], now)
            if not any(proven):
                self._paid_at = max(self._paid_at, now) + spent / self._max_share

    def _fail(self, key: bytes, seconds: float, now: float) -> None:
        _put(self._failed, key, max(self._failed.get(key, now), now) + seconds)
        if len(self._failed) > _MAX_ENTRIES:
            self._failed.popitem(last=False)

    def _prove(self, address: bytes, now: float) -> None:
        network = _network_of(address)
        # All entries last equally long, so the first one ends first. That of a network follows those of its addresses.
        while self._proven and (len(self._proven) > _MAX_ENTRIES - 2 or next(iter(self._proven.values())) <= now):
            key, _ = self._proven.popitem(last=False)
            if len(key) in _NETWORK_BYTES:
                self._proven_of[_network_of(key)] -= 1
            else:
                del self._proven_of[key]
        is_new = address not in self._proven
        if not is_new or self._proven_of[network] < _MAX_PROVEN_OF_NETWORK:
            self._proven_of[network] += is_new
            _put(self._proven, address, now + _PROVEN_SECONDS)
        _put(self._proven, network, now + _PROVEN_SECONDS)


def _put(entries: OrderedDict[bytes, float], key: bytes, until: float) -> None:
    entries[key] = until
    entries.move_to_end(key)


def _packed(peer: str | None) -> bytes | None:
    """Return the bytes of an address, those of IPv4 for an IPv4 address in IPv6 form, or None."""
    if peer is None:
        return None
    try:
        if ":" not in peer:
            return socket.inet_pton(socket.AF_INET, peer)
        address = socket.inet_pton(socket.AF_INET6, peer.partition("%")[0])
    except (OSError, ValueError):
        return None
    return address.removeprefix(_MAPPED)


def _network_of(address: bytes) -> bytes:
    return address[: _NETWORK_BYTES[len(address)]]
