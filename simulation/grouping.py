"""Which origins of a crawl are one group, and the resolver of crawls that group them by address."""

import asyncio
import random
from collections.abc import Callable
from typing import Final, NamedTuple

from canfetch.access.responses import FailureKind
from canfetch.client.transports.failures import TransportError
from simulation.plans import Plan
from simulation.rules import BrokenRule
from simulation.sites import HOUR, default_origins
from simulation.virtual_time import virtual_now

# Of two names: their schemes, ports and hosts, and a domain below which anyone can register another one.
_ORIGINS: Final = tuple(
    origin.format(name)
    for name in ("site0", "site1")
    for origin in (
        "https://{}.example",
        "http://{}.example",
        "https://{}.example:8443",
        "https://www.{}.example",
        "https://{}.github.io",
    )
)
# The longest time for the addresses of a host.
_RESOLVE_SECONDS: Final = 10.0
_ADDRESSES: Final = ("192.0.2.1", "192.0.2.2")
_OTHERS: Final = ("2001:db8::1", "198.51.100.7")


class ResolverError(Exception):
    """What the resolver of a crawler raises itself."""


class _Host(NamedTuple):
    """What the name servers know of a host.

    Attributes:
        address: Its smallest address.
        other: An address that some lookups find, too.
        seconds: The seconds until their answer.
        until: When the address is found at the earliest.
        kind: What is found before.
    """

    address: str
    other: str
    seconds: float
    until: float
    kind: str


def make_origins(plan: Plan) -> list[str]:
    """Return the origins of the sites."""
    if plan.group_by == "origin":
        return default_origins(len(plan.kinds))
    origins = list(_ORIGINS)
    random.Random(f"{plan.seed} origins").shuffle(origins)
    return origins[: len(plan.kinds)]


class Grouping:
    """The groups of a crawl.

    Args:
        plan: What happens.
        origins: The origins of the sites.
        note: Called with each event.
    """

    def __init__(self, plan: Plan, origins: list[str], note: Callable[..., object]) -> None:
        self._group_by = plan.group_by
        self._note = note
        self._chance = random.Random(f"{plan.seed} addresses")
        self._hosts = {host: self._make_host() for host in map(host_of, origins)}
        # What the last lookup of a host has found, and with what its first request was sent.
        self._found: dict[str, str] = {}
        self._used: dict[str, str] = {}

    def group_of(self, origin: str) -> str:
        """Return the group of an origin, which is requested now."""
        if self._group_by == "origin":
            return origin
        host = host_of(origin)
        if self._group_by == "host":
            return host
        if self._group_by == "registrable-domain":
            return host.removeprefix("www.")
        # A host keeps its group.
        return self._used.setdefault(host, self._found.get(host, host))

    def lose_power(self) -> None:
        """Forget the groups of hosts, which the crawl may have lost."""
        self._used.clear()

    async def resolve(self, name: str) -> list[str]:
        """Return the addresses of a host.

        Raises: OSError; ResolverError; BrokenRule: No site has this host.
        """
        host = self._hosts.get(name)
        if host is None:
            raise BrokenRule(f"at {virtual_now():.3f} s: {name} is resolved, and is on no site")
        # What applies if the answer comes too late.
        self._found[name] = name
        self._note("resolve", virtual_now(), name)
        await asyncio.sleep(host.seconds)
        address = host.address
        if virtual_now() < host.until:
            if host.kind == "not found":
                raise OSError("no such host")
            if host.kind == "raises":
                raise ResolverError
            if host.kind == "not sent":
                raise TransportError(FailureKind.LOCAL, "scripted")
            address = next(each for each in _ADDRESSES if each != address)
        self._found[name] = address
        addresses = [address, *((host.other,) if self._chance.random() < 0.5 else ())]
        self._chance.shuffle(addresses)
        return addresses

    def _make_host(self) -> _Host:
        chance = self._chance
        return _Host(
            chance.choice(_ADDRESSES),
            chance.choice(_OTHERS),
            chance.choice((0.0, 0.0, 0.3, _RESOLVE_SECONDS + 2.0)),
            chance.choice((0.0, 0.0, 5.0, 60.0, 2 * HOUR)),
            chance.choice(("not found", "raises", "not sent", "moves", "moves", "moves")),
        )


def host_of(origin: str) -> str:
    """Return the host of an origin."""
    return origin.partition("://")[2].partition(":")[0]
