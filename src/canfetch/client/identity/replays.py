"""Replay protection: the nonces of signatures that were accepted, in bounded memory.

Source: RFC 9421 section 7.2.2; Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01, "Freshness and Replay".
"""

from collections import OrderedDict
from collections.abc import Iterable
from enum import Enum, auto
from hashlib import blake2b
from heapq import heappush, heappushpop
from threading import Lock
from typing import Final, NamedTuple

# Signers that are not trusted share this number of memories.
_MAX_SIGNERS: Final = 100
_DIGEST_BYTES: Final = 16


class Replay(Enum):
    """Whether a signature was seen before."""

    NEW = auto()
    SEEN = auto()
    FORGOTTEN = auto()


class SignatureNonce(NamedTuple):
    """The nonce of a signature.

    Attributes:
        signer: The URL of the directory.
        key_id: The key. Each key has nonces of its own.
        nonce: The nonce.
        created: When the signature was created, in seconds since the epoch.
        trusted: Whether the signer is never forgotten from now on.
    """

    signer: str
    key_id: str
    nonce: str
    created: int
    trusted: bool


class NonceMemory:
    """The nonces that were seen, by signer. Safe for use by several threads.

    A full memory forgets the nonces of the oldest signatures. From then on, signatures that are as old are not accepted
    any longer, so that none is accepted twice. Each signer has a memory of its own, because signers choose the times.

    Args: max_nonces: Maximum number of nonces of a signer.
    """

    def __init__(self, max_nonces: int) -> None:
        self._max_nonces = max_nonces
        self._signers: OrderedDict[str, _Nonces] = OrderedDict()
        self._trusted: dict[str, _Nonces] = {}
        # The newest signature of all signers that were forgotten.
        self._floor = float("-inf")
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Create a new lock after a fork."""
        self._lock = Lock()

    def record(self, nonce: SignatureNonce, others: Iterable[SignatureNonce] = ()) -> Replay:
        """Record a nonce, and return whether it was recorded before. The check and the records are one step.

        Args:
            nonce: That of a valid signature.
            others: Those of other signatures of the same request. They are recorded if the first one is new.
        Cost: O(log nonces) for each.
        """
        with self._lock:
            found = self._record(nonce)
            if found is Replay.NEW:
                for other in others:
                    self._record(other)
            return found

    def _record(self, nonce: SignatureNonce) -> Replay:
        # Nonces have up to 256 characters. All digests have the same size.
        digest = blake2b(f"{nonce.key_id}\n{nonce.nonce}".encode(), digest_size=_DIGEST_BYTES).digest()
        return self._nonces(nonce.signer, trusted=nonce.trusted).record(digest, nonce.created, self._max_nonces)

    def _nonces(self, signer: str, *, trusted: bool) -> "_Nonces":
        # A signer that is trusted once has one memory for all its signatures.
        found = self._trusted.get(signer)
        if found is not None:
            return found
        found = self._signers.pop(signer, None)
        if found is None:
            # The signer may be one that was forgotten.
            found = _Nonces(self._floor)
        if trusted:
            self._trusted[signer] = found
            return found
        self._signers[signer] = found
        if len(self._signers) > _MAX_SIGNERS:
            _, forgotten = self._signers.popitem(last=False)
            self._floor = max(self._floor, forgotten.newest)
        return found


class _Nonces:
    def __init__(self, floor: float) -> None:
        self._floor = self.newest = floor
        self._seen: set[bytes] = set()
        self._oldest: list[tuple[int, bytes]] = []

    def record(self, nonce: bytes, created: int, max_nonces: int) -> Replay:
        if nonce in self._seen:
            return Replay.SEEN
        if created <= self._floor:
            return Replay.FORGOTTEN
        self._seen.add(nonce)
        self.newest = max(self.newest, created)
        if len(self._oldest) < max_nonces:
            heappush(self._oldest, (created, nonce))
            return Replay.NEW
        forgotten, oldest = heappushpop(self._oldest, (created, nonce))
        self._seen.discard(oldest)
        self._floor = max(self._floor, forgotten)
        return Replay.NEW
