"""The clients of a server: their addresses, behind trusted proxies too, their request rates and their connections."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, MutableMapping
from contextvars import ContextVar
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_network
from typing import Any, Final, Generic, TypeVar

from canfetch.agents.identity import parse_address
from canfetch.agents.proxies import ProxyNetworks
from canfetch.client.transports.addresses import NETWORK_BITS
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.web.settings import RateLimit

# A client with IPv6 usually has a network of this size, with all its addresses.
_IPV6_PREFIX: Final = 64
_MAX_CLIENTS: Final = 20_000
_FORWARDED: Final = b"x-forwarded-for"
_UNKNOWN: Final = "unknown"

# The client whose request is answered: an address, or for IPv6 a network.
current_client: ContextVar[str] = ContextVar("current_client", default=_UNKNOWN)

Connection = TypeVar("Connection")


class ClientAddresses:
    """Finds the address of a client.

    Args: trusted_proxies: Valid addresses and networks of the proxies whose X-Forwarded-For header is believed.
    """

    def __init__(self, trusted_proxies: Iterable[str]) -> None:
        self._proxies = ProxyNetworks(map(ip_network, trusted_proxies))

    def find(self, scope: MutableMapping[str, Any]) -> str:
        """Return the address of a request's client; for IPv6, the network of the client."""
        client = scope.get("client")
        address = parse_address(client[0]) if client else None
        if self._proxies.contains(address):
            names = b",".join(value for name, value in scope["headers"] if name == _FORWARDED)
            address = self._proxies.find_client(names.decode("latin-1")) or address
        return _UNKNOWN if address is None else _name(address)

    def find_direct(self, host: str | None) -> str | None:
        """Return the client of a connection by the address of its other end, or None if that is a trusted proxy."""
        address = None if host is None else parse_address(host)
        if address is None or self._proxies.contains(address):
            return None
        return _name(address)


def _name(address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, _IPV6_PREFIX), strict=False))
    return str(address)


@lru_cache(maxsize=_MAX_CLIENTS)
def network_of(client: str) -> str:
    """Return the network of a client: an IPv4 network /24, or an IPv6 network /48.

    Its clients may be one holder of many addresses. A client without a public address is a network of its own.
    """
    try:
        network = ip_network(client)
    except ValueError:
        return client
    return str(network.supernet(new_prefix=NETWORK_BITS[network.version])) if network.is_global else client


class RateLimiter:
    """Token buckets, one for each client. The number of clients in memory is bounded.

    Args:
        limit: The limit.
        clock: Returns seconds that never go back.
    """

    def __init__(self, limit: RateLimit, clock: Callable[[], float]) -> None:
        if limit.per_second < 0 or (limit.per_second > 0 and limit.burst < 1):
            raise InvalidOption(
                f"invalid rate limit {quoted(limit)}: expected a positive rate and a burst of 1 or more"
            )
        self._limit = limit
        self._clock = clock
        # The tokens of each client, and when they were counted; the client that was seen last is at the end.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """Take a token. Return 0, or the seconds until there is one if the client has none.

        Cost: O(1).
        """
        rate, burst = self._limit.per_second, self._limit.burst
        if rate == 0:
            return 0.0
        now = self._clock()
        tokens, counted_at = self._buckets.pop(client, (float(burst), now))
        tokens = min(burst, tokens + (now - counted_at) * rate)
        wait = 0.0 if tokens >= 1 else (1 - tokens) / rate
        self._buckets[client] = (tokens - 1 if wait == 0.0 else tokens, now)
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return wait


class ClientConnections(Generic[Connection]):
    """The open connections, by network and client, in the order in which they were opened."""

    def __init__(self) -> None:
        self._by_network: dict[str, dict[str, dict[Connection, None]]] = {}

    def add(self, client: str, connection: Connection) -> None:
        """Add a connection of a client."""
        self._by_network.setdefault(network_of(client), {}).setdefault(client, {})[connection] = None

    def remove(self, client: str, connection: Connection) -> None:
        """Remove a connection of a client."""
        network = network_of(client)
        clients = self._by_network[network]
        del clients[client][connection]
        if not clients[client]:
            del clients[client]
        if not clients:
            del self._by_network[network]

    def newest_of_greediest(self, client: str) -> Connection | None:
        """Return the newest connection of the client that has the most, or None if the given client is that one.

        The network with the most connections is looked at first, and then its clients.

        Args: client: A client with a connection.
        Cost: O(clients).
        """
        own = self._by_network[network_of(client)]
        greediest = max(self._by_network.values(), key=_number_of)
        clients = own if _number_of(greediest) == _number_of(own) else greediest
        most = max(clients.values(), key=len)
        if clients is own and len(most) == len(own[client]):
            return None
        return next(reversed(most))


def _number_of(clients: dict[str, dict[Connection, None]]) -> int:
    return sum(map(len, clients.values()))
