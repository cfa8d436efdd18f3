"""Reverse DNS: the names of an address, and whether one of them belongs to a crawler's operator.

Source: Google, "Verify requests from Google crawlers and fetchers"; Bing, "How to verify Bingbot".
"""

import socket
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from canfetch.agents.identity import has_suffix, parse_address
from canfetch.client.transports.dns import Resolve
from canfetch.core.text import printable_text

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
    """What DNS says about an address."""

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
