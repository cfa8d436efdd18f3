"""A body, decoded as it comes, and no further than one octet past the limit; every transport has this one."""

from typing import Final

from canfetch.access.responses import FailureKind, Headers
from canfetch.client.transports.codings import Coding, Identity, codings
from canfetch.client.transports.failing import Failed

# What is coded is shorter than what it stands for, nearly always; a server that sends much and means nothing
# (empty blocks, empty members) is stopped.
_MOST_CODED_PER_LIMIT: Final = 2
_CODED_ALLOWANCE_OCTETS: Final = 65_536
# Small enough that a coding that copies what it has not used yet stays linear.
_STEP_OCTETS: Final = 16_384


def accept_encoding() -> str:
    """Name the codings that can be undone here, as Accept-Encoding has them."""
    return ", ".join(codings())


class Body:
    """A body that comes in pieces.

    Args:
        headers: of the response; Content-Encoding says how it is coded.
        max_bytes: one octet past it, after decoding, is the last one kept.
    Raises: Failed: ENCODING, for codings that nobody asked for, or more than one.
    Cost: memory of the limit and a small multiple of 128 KiB; time linear in what comes.
    """

    def __init__(self, headers: Headers, max_bytes: int) -> None:
        self._coding = _coding_of(headers)
        self._most = max_bytes + 1
        self._most_coded = _MOST_CODED_PER_LIMIT * self._most + _CODED_ALLOWANCE_OCTETS
        self._coded = 0
        self._decoded = bytearray()

    @property
    def full(self) -> bool:
        """Whether the limit is passed: no more needs to be read."""
        return len(self._decoded) >= self._most

    def feed(self, octets: bytes) -> None:
        """Take the next octets as they were sent.

        Raises: Failed: ENCODING, where they are not what they were said to be.
        """
        for start in range(0, len(octets), _STEP_OCTETS):
            if self.full:
                return
            piece = octets[start : start + _STEP_OCTETS]
            self._coded += len(piece)
            self._decoded += self._coding.decode(piece, self._most - len(self._decoded))
            if self._coded > self._most_coded and not self.full:
                raise Failed(FailureKind.ENCODING, f"{self._coded} octets that stand for {len(self._decoded)}")

    def octets(self) -> bytes:
        """Give what came, now that all of it came.

        Raises: Failed: INCOMPLETE, where the coding is cut short.
        """
        if not self.full and self._coded and not self._coding.ended:
            raise Failed(FailureKind.INCOMPLETE, "the coded body is cut short")
        return bytes(self._decoded)


def _coding_of(headers: Headers) -> Coding:
    values = ",".join(value for name, value in headers if name.lower() == "content-encoding")
    named = [name for name in (part.strip().lower() for part in values.split(",")) if name not in {"", "identity"}]
    if not named:
        return Identity()
    if len(named) > 1:
        raise Failed(FailureKind.ENCODING, f"coded more than once: {values[:100]}")
    # The old name, which RFC 9110 section 8.4.1.3 keeps.
    coding = codings().get("gzip" if named[0] == "x-gzip" else named[0])
    if coding is None:
        raise Failed(FailureKind.ENCODING, f"a content coding that nobody asked for: {values[:100]}")
    return coding()
