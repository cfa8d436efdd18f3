"""Which origins of a crawl are one group, between whose requests the delay passes.

With `GroupBy.ADDRESS`, a new host is a group of its own. Before its first turn, its name is resolved, and it becomes
the group of its address, or joins it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache
from inspect import isawaitable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

from canfetch.access.responses import FailureKind
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import resolve_host_async, system_resolve
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.local_errors import describe_os_error, is_local_error
from canfetch.core.choices import unknown_choice
from canfetch.core.origin import Origin, find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, MissingExtra, RequestNotSent, StoreError

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

# Returns the IP addresses of a host, or raises OSError if it has none.
Resolver = Callable[[str], Awaitable[Iterable[str]]]

_HEX_DIGITS: Final = frozenset("0123456789abcdef")
# The first character of the name of a group that is a host whose address is not known yet.
UNRESOLVED: Final = "?"
# Seconds for the addresses of a host, and for those from the system, whose lookup can tell why there is no answer.
_RESOLVE_SECONDS: Final = 10.0
_SYSTEM_SECONDS: Final = 9.0


class GroupBy(StrEnum):
    """What the origins of a group have in common."""

    ORIGIN = "origin"  # each origin is a group
    HOST = "host"  # all schemes and ports of a host
    REGISTRABLE_DOMAIN = "registrable-domain"  # all hosts of a domain that one party has registered
    ADDRESS = "address"  # all hosts with the same smallest IP address, IPv4 first


def parse_group_by(name: object) -> GroupBy:
    """Return the grouping called `name`.

    Raises: InvalidOption: No grouping has this name; MissingExtra: The grouping requires a library that is not
        installed.
    """
    group_by = next((each for each in GroupBy if each == name), None) if isinstance(name, str) else None
    if group_by is None:
        raise InvalidOption(unknown_choice("group_by", name, GroupBy))
    if group_by is GroupBy.REGISTRABLE_DOMAIN:
        _public_suffixes()
    return group_by


def group_name(origin: str, group_by: GroupBy) -> str:
    """Return the name of the group of an origin.

    Args: origin: The name of the origin, such as `https://example.com`.
    """
    if group_by is GroupBy.ORIGIN:
        return origin
    # The dot of the root makes no other machine.
    host = Origin.from_url(f"{origin}/").host.rstrip(".")
    if group_by is GroupBy.ADDRESS:
        try:
            return str(_parse_address(host.strip("[]")))
        except ValueError:
            return f"{UNRESOLVED}{host}"
    if group_by is GroupBy.HOST or _is_address(host):
        return host
    # A public suffix itself, such as `github.io`, has no registrable domain.
    domain: str | None = _public_suffixes().privatesuffix(host)
    return domain or host


def unresolved_host(group: str) -> str | None:
    """Return the host that a group is, if its address is not known yet."""
    return group[1:] if group.startswith(UNRESOLVED) else None


async def resolve_by_system(host: str) -> Sequence[str]:
    """Return the addresses of a host from the system, without blocking the event loop.

    Raises: TransportError.
    """
    seconds = _SYSTEM_SECONDS
    request = TransportRequest(f"https://{host}/", (), 0, seconds, seconds, seconds, allow_private=True)
    return await resolve_host_async(host, system_resolve, Deadlines(request))


async def resolved_group(host: str, resolver: Resolver) -> str:
    """Return the name of the group of a host: its smallest address, IPv4 before IPv6, or the host if it has none.

    Raises: RequestNotSent: This machine cannot resolve names now; TypeError: `resolver` returns something else; what
        `resolver` raises, other than OSError and UnicodeError.
    """
    try:
        async with asyncio.timeout(_RESOLVE_SECONDS):
            result: object = resolver(host)
            if not isawaitable(result):
                raise _invalid_addresses(host, result)
            found = await result
    except TransportError as error:
        if error.kind is FailureKind.LOCAL:
            raise RequestNotSent(f"{host} cannot be resolved: {error.detail}") from None
        return host
    except (OSError, UnicodeError, RuntimeError) as error:
        if is_local_error(error):
            raise RequestNotSent(f"{host} cannot be resolved: {describe_os_error(error)}") from None
        if isinstance(error, RuntimeError):
            raise
        # The codec of Python for names raises UnicodeError for a label that is too long.
        return host
    if isinstance(found, str | bytes) or not isinstance(found, Iterable):
        raise _invalid_addresses(host, found)
    addresses = []
    for text in found:
        try:
            addresses.append(_parse_address(text.strip()))
        except (AttributeError, TypeError, ValueError):
            raise _invalid_addresses(host, text) from None
    # Servers return the addresses in turn in another order. Hosts that share a machine mostly share its IPv4 address.
    return str(min(addresses, key=lambda address: (address.version, int(address)))) if addresses else host


def _invalid_addresses(host: str, result: object) -> TypeError:
    return TypeError(
        f"invalid result of resolver for {quoted(host)}: {quoted(result)}: expected an async function that returns a "
        "list of IP addresses as str"
    )


def has_origin(url: str, origin: str) -> bool:
    """Return whether a URL of a group is one of an origin."""
    return str(find_origin(url)) == origin


def wrong_grouping(name: str, stored: str, group_by: GroupBy) -> StoreError:
    """Return the error of a crawl that was begun with another grouping.

    Args: name: The file or the database, and the crawl.
    """
    return StoreError(
        f"{name}: the crawl groups its URLs by {stored}, not by {group_by}: pass group_by={quoted(stored)}, or begin "
        "another crawl"
    )


def _parse_address(text: str) -> IPv4Address | IPv6Address:
    """Return an address without a scope. One that IPv6 maps from IPv4 is the same machine.

    Raises: ValueError.
    """
    address = ip_address(text.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address


def _is_address(host: str) -> bool:
    """Return whether a host is an IP address: its last label is a number, or it is in brackets.

    Source: WHATWG URL standard, "ends in a number" checker.
    """
    last = host.rpartition(".")[2]
    return host.startswith("[") or last.isdigit() or (last.startswith("0x") and _HEX_DIGITS.issuperset(last[2:]))


@cache
def _public_suffixes() -> "PublicSuffixList":
    try:
        from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise MissingExtra(
            "group_by='registrable-domain' requires the library publicsuffixlist: "
            f'pip install "canfetch[domains]" ({error})'
        ) from None
    return PublicSuffixList()
