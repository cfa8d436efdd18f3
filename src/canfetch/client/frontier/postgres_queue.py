"""A crawl in PostgreSQL, shared by many processes: `PostgresQueue`."""

from typing import Final

from canfetch.client.frontier.postgres_connection import PostgresConnection, name_server
from canfetch.client.frontier.postgres_worker import PostgresWorker
from canfetch.client.frontier.url_queue import QueueOptions
from canfetch.client.frontier.validation import check_shared_crawl


class PostgresQueue:
    """The URLs of a crawl in a PostgreSQL database, which any number of processes share: the `backend` of a `Frontier`.

        frontier = Frontier(client, seeds, backend=PostgresQueue("postgresql://crawler@db/crawls", crawl="news"))

    Each process opens its own frontier with the same crawl. An origin belongs to one of them at a time, so its delay
    holds over all. The tables, whose names begin with `canfetch_`, are created in the first schema of the search path.
    The encoding of the database must be UTF8. Delays between processes are measured with the clock of the server.

    A process has to respond to the server within its lease, which a thread does for it. If it does not, because it was
    killed or suspended, the URLs of its open turns are queued again for the others, and its own calls of `Turn.done`
    return False and change nothing.

    Args:
        conninfo: A URL or connection string of libpq, such as `postgresql://user@host:5432/database`. Of several hosts,
            the first that can be written is used if it contains `target_session_attrs=read-write`.
        crawl: The name of the crawl, 1 to 200 characters. A database can have many.
        lease: Seconds after which a process that does not respond loses its turns. At most a billion.
        outage_seconds: How long each operation waits for a server that is away, restarts, is read-only or has no space.
            After that it raises StoreError. The event loop waits, too. `export_frontier` and `import_frontier`
            only wait for the server before they begin. At most a billion.
    Raises: MissingExtra: The library `psycopg` is not installed; InvalidOption.
    """

    def __init__(self, conninfo: str, *, crawl: str, lease: float = 30.0, outage_seconds: float = 60.0) -> None:
        check_shared_crawl(crawl, accepts=_can_be_stored, lease=lease, outage_seconds=outage_seconds)
        self._conninfo = conninfo
        self._name = name_server(conninfo)
        self.crawl: Final = crawl
        self._lease = lease
        self._outage_seconds = outage_seconds

    def connect(self, *, creates_tables: bool = False) -> PostgresConnection:
        """Open a connection to the database, after waiting for a server that is away.

        Raises: StoreError: As `open_queue`. Unless `creates_tables` is set, also if there are no tables of this
            version.
        """
        connection = PostgresConnection(
            self._conninfo, outage_seconds=self._outage_seconds, creates_tables=creates_tables
        )
        connection.wait_for_server()
        return connection

    def open_queue(self, options: QueueOptions) -> PostgresWorker:
        """Open the queues for one frontier.

        Raises: StoreError: The server cannot be reached, the encoding of the database is not UTF8, its tables are those
            of a newer version, workers of an older version use them, or the crawl was begun with another grouping.
        """
        return PostgresWorker(
            self._conninfo, self.crawl, options, lease=self._lease, outage_seconds=self._outage_seconds
        )

    def __repr__(self) -> str:
        return f"<PostgresQueue {self._name} crawl={self.crawl!r}>"


def _can_be_stored(name: str) -> bool:
    """Return whether a name has neither null characters nor lone surrogates."""
    return "\0" not in name and not any("\ud800" <= character <= "\udfff" for character in name)
