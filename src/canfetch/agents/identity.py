"""Whether a request comes from the crawler that its User-Agent header names."""

from collections.abc import Iterable
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple


class IdentityStatus(StrEnum):
    """The result of verifying a crawler."""

    VERIFIED = "verified"
    IMPOSTOR = "impostor"
    UNDECIDED = "undecided"


class Identity(NamedTuple):
    """Whether a request comes from the crawler that it names, and how that was found out.

    Attributes:
        status: Verified, an impostor, or undecided. Undecided requests should be treated as if they were not checked.
        reason: The reason in one clause, such as `66.249.66.1 is crawl-66-249-66-1.googlebot.com`.
    """

    status: IdentityStatus
    reason: str

    @property
    def is_impostor(self) -> bool:
        """Whether the request comes from someone else."""
        return self.status is IdentityStatus.IMPOSTOR


def has_suffix(host_name: str, suffixes: Iterable[str]) -> bool:
    """Return whether a host name is under one of the suffixes of a `Verification`, such as `.googlebot.com`.

    The name may end with the dot of the root. Letters are compared without case.
    """
    # Compared with a leading dot, so that a suffix without one does not match a part of a label.
    name = "." + host_name.lower().removesuffix(".")
    return any(name.endswith("." + suffix.lower().removeprefix(".")) for suffix in suffixes)


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an IP address. An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) is returned as IPv4.

    Returns: The address, or None if `text` is not one.
    """
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
