"""The connections of each client, and of each network of clients."""

from typing import Generic, TypeVar

from canfetch.web.server.clients import network_of

Connection = TypeVar("Connection")


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
