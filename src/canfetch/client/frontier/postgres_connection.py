"""A connection to a PostgreSQL server with the tables of frontiers. It requires the library `psycopg`.

Statements that fail because the server is away, restarts, has no space, or is read-only for now are repeated for a
bounded time. Each statement is a transaction of its own and can be repeated: one that was committed, although the
connection broke before it was known, finds nothing left to do.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any, Final, cast

from canfetch.client.forking import abandon, reset_on_fork
from canfetch.client.frontier.postgres_statements import NOW
from canfetch.client.frontier.queue_connection import QueueConnection
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import InvalidOption, MissingExtra, StoreError

if TYPE_CHECKING:
    import psycopg

SCHEMA_VERSION: Final = 3
# Two processes that create the tables at the same time wait for one another with this lock.
_SCHEMA_LOCK: Final = 0x63616E66
_CONNECT_SECONDS: Final = 10
# Between two looks whether an answer takes too long.
_LOOK_SECONDS: Final = 0.1
# The number of rows of a long result that are read at once.
_FETCHED: Final = 1000
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0
_LOCK_SECONDS: Final = 30
# What passes without a change of the program: connections, resources, shutdowns, a standby that is being promoted, and
# conflicts of transactions.
_PASSING_CLASSES: Final = ("08", "53", "57", "40")
_READ_ONLY: Final = "25006"
_LOCK_TIMEOUT: Final = "55P03"
# A prepared statement exists already or does not exist: a pooler has given this process the session of another one.
_LOST_STATEMENTS: Final = ("42P05", "26000")
# Another transaction has inserted the same key and was committed in this moment. The next snapshot has its row.
_DUPLICATE_KEY: Final = "23505"
# The numbers of `state` in `canfetch_urls` are those of `queue_values.URLState`, those of `ended` are those of
# `queue_values.Ending` for a URL that waits for its next visit, those of `canfetch_origins` are those of
# `postgres_worker.OriginState`. Times are seconds since the epoch by the clock of the server. `worker` is the process
# that has an origin or a URL. Every statement about the URLs of an origin names the origin, and the primary keys begin
# with it, so that both tables can be partitioned by it. Unless a crawl groups its URLs by origin, a row of
# `canfetch_origins` is a group, and `canfetch_members` are the origins of groups with the delays of their files. The
# longest one of a group is in its row.
_MEMBERS: Final = (
    """CREATE TABLE canfetch_members (
        crawl integer NOT NULL,
        name text NOT NULL,
        origin bigint NOT NULL,
        delay double precision NOT NULL DEFAULT 0,
        PRIMARY KEY (crawl, name)
    )""",
    "CREATE INDEX canfetch_members_delays ON canfetch_members (origin, delay)",
)
COUNT_ADDED: Final = (
    "UPDATE canfetch_origins AS o SET added = (SELECT count(*) FROM canfetch_known WHERE origin = o.id)"
)
_SCHEMA: Final = (
    """CREATE TABLE canfetch_crawls (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL UNIQUE,
        seen_at double precision NOT NULL,
        added bigint NOT NULL DEFAULT 0,
        done bigint NOT NULL DEFAULT 0,
        failed bigint NOT NULL DEFAULT 0,
        skipped bigint NOT NULL DEFAULT 0,
        refused bigint NOT NULL DEFAULT 0,
        group_by text NOT NULL DEFAULT 'origin'
    )""",
    # Each process counts for itself, so that they do not wait for one row. At its end, its counts go to the crawl.
    """CREATE TABLE canfetch_workers (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        crawl integer NOT NULL,
        name text NOT NULL,
        alive_until double precision NOT NULL,
        reads_sources boolean NOT NULL DEFAULT true,
        added bigint NOT NULL DEFAULT 0,
        done bigint NOT NULL DEFAULT 0,
        failed bigint NOT NULL DEFAULT 0,
        skipped bigint NOT NULL DEFAULT 0,
        refused bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50)""",
    "CREATE INDEX canfetch_workers_of_crawl ON canfetch_workers (crawl)",
    """CREATE TABLE canfetch_origins (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        crawl integer NOT NULL,
        name text NOT NULL,
        state smallint NOT NULL DEFAULT 0,
        priority double precision NOT NULL DEFAULT 0,
        due_at double precision NOT NULL DEFAULT 0,
        ready_at double precision NOT NULL DEFAULT 0,
        failures integer NOT NULL DEFAULT 0,
        last_request_at double precision,
        retry_at double precision,
        problem text,
        worker bigint,
        has_new_urls boolean NOT NULL DEFAULT false,
        delay double precision NOT NULL DEFAULT 0,
        added bigint NOT NULL DEFAULT 0,
        UNIQUE (crawl, name)
    ) WITH (fillfactor = 70)""",
    "CREATE INDEX canfetch_origins_waiting ON canfetch_origins (crawl, due_at, id) WHERE state = 1",
    "CREATE INDEX canfetch_origins_ready ON canfetch_origins (crawl, priority DESC, due_at, id) WHERE state = 2",
    "CREATE INDEX canfetch_origins_ready_ids ON canfetch_origins (crawl, priority, id) WHERE state = 2",
    "CREATE INDEX canfetch_origins_claimed ON canfetch_origins (worker) WHERE state = 3",
    "CREATE SEQUENCE canfetch_url_ids",
    """CREATE TABLE canfetch_urls (
        origin bigint NOT NULL,
        id bigint NOT NULL DEFAULT nextval('canfetch_url_ids'),
        crawl integer NOT NULL,
        url bytea NOT NULL,
        priority double precision NOT NULL,
        attempt integer NOT NULL DEFAULT 1,
        state smallint NOT NULL DEFAULT 0,
        due_at double precision,
        error text,
        worker bigint,
        depth integer NOT NULL DEFAULT 0,
        metadata text,
        visit text,
        ended smallint,
        PRIMARY KEY (origin, id)
    ) WITH (fillfactor = 90)""",
    "CREATE INDEX canfetch_urls_queued ON canfetch_urls (origin, priority DESC, id) WHERE state = 0",
    "CREATE INDEX canfetch_urls_in_flight ON canfetch_urls (crawl, worker) WHERE state = 1",
    "CREATE INDEX canfetch_urls_delayed ON canfetch_urls (origin, due_at) WHERE state = 2",
    "CREATE INDEX canfetch_urls_failed ON canfetch_urls (crawl, id) WHERE state = 3",
    # The identities of all URLs that were added, finished ones too.
    """CREATE TABLE canfetch_known (
        origin bigint NOT NULL,
        identity bytea NOT NULL,
        PRIMARY KEY (origin, identity)
    )""",
    *_MEMBERS,
)
# By the version from which they lead to the next one.
_MIGRATIONS: Final[Mapping[int, tuple[str, ...]]] = {
    # Version 1 grouped by origin only, and knew no depths and metadata.
    1: (
        "ALTER TABLE canfetch_crawls ADD COLUMN group_by text NOT NULL DEFAULT 'origin'",
        "ALTER TABLE canfetch_origins ADD COLUMN delay double precision NOT NULL DEFAULT 0",
        "ALTER TABLE canfetch_urls ADD COLUMN depth integer NOT NULL DEFAULT 0",
        "ALTER TABLE canfetch_urls ADD COLUMN metadata text",
        *_MEMBERS,
    ),
    # Version 2 did not count the URLs of an origin, and visited them once.
    2: (
        "ALTER TABLE canfetch_urls ADD COLUMN visit text, ADD COLUMN ended smallint",
        "ALTER TABLE canfetch_origins ADD COLUMN added bigint NOT NULL DEFAULT 0",
        COUNT_ADDED,
    ),
}


class PostgresConnection(QueueConnection):
    """A connection that is opened again when it breaks. One transaction runs at a time, also in threads.

    Args:
        conninfo: A URL or connection string of libpq.
        outage_seconds: How long a statement is repeated while the server is away.
        silent_seconds: How long the server may take for a statement. After that, it counts as away.
        creates_tables: Whether tables that do not exist are created, and those of an older version brought to this one.
    Raises: MissingExtra: The library `psycopg` is not installed; InvalidOption: `conninfo` cannot be read; StoreError:
        The server cannot be reached, the encoding of the database is not UTF8, its tables are those of another version,
        or workers of an older one use them.
    """

    def __init__(
        self, conninfo: str, *, outage_seconds: float, silent_seconds: float = inf, creates_tables: bool = False
    ) -> None:
        self._psycopg = import_psycopg()
        super().__init__(name_server(conninfo))
        self._conninfo = lower_scheme(conninfo)
        self._outage_seconds = outage_seconds
        self._silent_seconds = silent_seconds
        self._creates_tables = creates_tables
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._lock = threading.Lock()
        # How often it was opened. The last statements of a connection that broke may have been committed or not.
        self.opened = 0
        # Set to give up waiting for the server, from another thread.
        self.gives_up = False
        reset_on_fork(self)

    def run(
        self,
        statement: str,
        values: Mapping[str, object] | Callable[[], Mapping[str, object]] | None = None,
        *,
        before: str | None = None,
    ) -> list[tuple[Any, ...]]:
        """Run a statement as a transaction, and return its rows.

        Args:
            values: Its parameters, or a function that returns them each time that the statement is sent.
            before: Another statement with the same parameters, which runs first in the same transaction.
        Raises: StoreError.
        """
        self.check_usable()
        with self._lock:
            return self._run(statement, values, before)

    def _run(
        self,
        statement: str,
        values: Mapping[str, object] | Callable[[], Mapping[str, object]] | None,
        before: str | None,
    ) -> list[tuple[Any, ...]]:
        failed_at: float | None = None
        waited = 0.0
        pause = _FIRST_PAUSE
        while True:
            try:
                connection = self._connected()
                given = values() if callable(values) else values
                with nullcontext() if before is None else connection.transaction():
                    if before is not None:
                        connection.execute(before, given)
                    return _rows(connection.execute(statement, given, binary=True))
            except self._psycopg.Error as error:
                self._leave_read_only(error)
                if not self._is_passing(error):
                    raise self._store_error(error) from None
                now = time.monotonic()
                # A process that was suspended in the meantime has not waited for the server.
                waited += 0.0 if failed_at is None else min(now - failed_at, _LONGEST_PAUSE + _CONNECT_SECONDS)
                failed_at = now
                if self._connection is not None and isinstance(error, self._psycopg.errors.ConnectionTimeout):
                    waited += self._silent_seconds
                if self.gives_up or waited + pause > self._outage_seconds:
                    raise self._store_error(error, seconds=waited) from None
                CLIENT_LOGGER.warning("%s: repeated in %.2f s: %s", self.name, pause, _describe(error))
            except BaseException:
                self._drop()
                raise
            if self._connection is not None and self._connection.closed:
                self._connection = None
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def wait_for_server(self) -> None:
        """Connect to the server, before a transaction, which is not repeated if the server is away.

        Raises: StoreError.
        """
        self.run("SELECT 1")

    @contextmanager
    def transaction(self) -> Iterator[Callable[..., list[tuple[Any, ...]]]]:
        """Run several statements as one transaction, which is not repeated.

        Yields: A function with the arguments of `run`.
        Raises: StoreError.
        """
        self.check_usable()
        try:
            with self._lock, (connection := self._connected()).transaction():

                def run(statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
                    return _rows(connection.execute(statement, values, binary=True))

                yield run
        except self._psycopg.Error as error:
            self._leave_read_only(error)
            raise self._store_error(error) from None
        except BaseException as error:
            if not isinstance(error, Exception):
                self._drop()
            raise

    def close(self, reason: str = "the frontier is closed") -> None:
        """Close the connection."""
        self._end_use(reason)
        self._drop()

    def _drop(self) -> None:
        """Close the connection to the server, on which an interrupt can have left half a statement."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(self._psycopg.Error):
                connection.close()

    def _leave_read_only(self, error: "psycopg.Error") -> None:
        """Close a connection that cannot write: a new one can have other settings, or lead to another server."""
        if error.sqlstate == _READ_ONLY:
            self._drop()

    def reset_after_fork(self) -> None:
        """Make the connection unusable in a forked process. The server takes it for that of the parent."""
        if self._end_use_after_fork():
            abandon(self._connection)
            self._connection = None

    def _connected(self) -> "psycopg.Connection[tuple[Any, ...]]":
        if self._connection is None or self._connection.closed:
            # A failure to connect is not the silence of an open connection.
            self._connection = None
            connection = _open(self._conninfo, self._silent_seconds)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
            self.opened += 1
        return self._connection

    def _prepare(self, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
        """Set what the statements need, and create the tables, or bring them to this version."""
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise StoreError(
                f"{self.name}: the database has the encoding {encoding}, which cannot store all texts: create it with "
                "ENCODING 'UTF8'"
            )
        # Otherwise, the library escapes the backslashes of binary values twice.
        connection.execute("SET standard_conforming_strings = on")
        # Otherwise, the server reads the None of a list as a text.
        connection.execute("SET array_nulls = on")
        # Each statement sees what others have committed, such as the tables that another process has just created.
        connection.execute("SET default_transaction_isolation = 'read committed'")
        # A process that is suspended within a transaction must not keep its locks.
        connection.execute("SET idle_in_transaction_session_timeout = '5s'")
        lock_seconds = min(_LOCK_SECONDS, self._silent_seconds / 2)
        connection.execute(f"SET lock_timeout = {int(1000 * lock_seconds)}".encode())
        # The values of the parameters change no plan, and planning takes as long as running.
        connection.execute("SET plan_cache_mode = force_generic_plan")
        if self._checked_version(connection) == SCHEMA_VERSION:
            return
        migrating: Any = connection
        # Many rows take long.
        migrating.silent_seconds = inf
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SCHEMA_LOCK,))
            version = self._checked_version(connection)
            if 0 < version < SCHEMA_VERSION:
                self._check_no_worker(connection, version)
            if version == 0:
                connection.execute("CREATE TABLE canfetch_schema (version integer NOT NULL)")
                self._check_persistence(connection)
                connection.execute("INSERT INTO canfetch_schema VALUES (0)")
            steps = (_SCHEMA,) if version == 0 else (_MIGRATIONS[older] for older in range(version, SCHEMA_VERSION))
            for statement in chain.from_iterable(steps):
                connection.execute(statement.encode())
            connection.execute("UPDATE canfetch_schema SET version = %s", (SCHEMA_VERSION,))
        migrating.silent_seconds = self._silent_seconds

    def _check_persistence(self, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
        """Check that the tables stay when the connection ends.

        Raises: StoreError.
        """
        found = connection.execute(
            "SELECT relpersistence = 't' FROM pg_catalog.pg_class WHERE oid = 'canfetch_schema'::regclass"
        ).fetchone()
        if found == (True,):
            raise StoreError(
                f"{self.name}: the search_path begins with pg_temp, whose tables are dropped when the connection closes"
            )

    def _check_no_worker(self, connection: "psycopg.Connection[tuple[Any, ...]]", version: int) -> None:
        """Check that no worker of an older version uses the tables: its statements do not keep the new columns.

        Raises: StoreError.
        """
        # No worker begins before the tables are migrated.
        connection.execute("LOCK TABLE canfetch_workers IN SHARE MODE")
        lease = f"SELECT max(alive_until) - {NOW} FROM canfetch_workers"  # noqa: S608 - a constant
        row = connection.execute(lease.encode()).fetchone()
        if row is not None and row[0] is not None and row[0] > 0:
            raise StoreError(
                f"{self.name}: workers of an older canfetch use the tables, which have version {version}: stop them, "
                f"so that the tables can get version {SCHEMA_VERSION}; the leases of killed ones end in {row[0]:.0f} s"
            )

    def _checked_version(self, connection: "psycopg.Connection[tuple[Any, ...]]") -> int:
        """Return the version of the tables.

        Raises: StoreError: This connection cannot use it.
        """
        version = self._version(connection)
        if version == 0 and not self._creates_tables:
            raise StoreError(f"{self.name}: the database has no crawl")
        if version < 0:
            raise StoreError(f"{self.name}: the table canfetch_schema has no valid version: use another database")
        if 0 < version < SCHEMA_VERSION and not self._creates_tables:
            problem = "a canfetch.Frontier that opens the database converts them"
        elif version > SCHEMA_VERSION:
            problem = "use a newer canfetch"
        else:
            return version
        raise StoreError(f"{self.name}: the tables have version {version}, expected {SCHEMA_VERSION}: {problem}")

    def _version(self, connection: "psycopg.Connection[tuple[Any, ...]]") -> int:
        """Return the version of the tables, 0 if there are none, or a negative number if it is not valid."""
        # Not `to_regclass`, which remembers within a transaction that there was no table.
        found = connection.execute(
            "SELECT 1 FROM pg_catalog.pg_class WHERE relname = 'canfetch_schema' AND pg_table_is_visible(oid)"
        ).fetchone()
        if found is None:
            return 0
        row = connection.execute("SELECT version FROM canfetch_schema").fetchone()
        return int(row[0] or -1) if row else -1

    def _is_passing(self, error: "psycopg.Error") -> bool:
        """Return whether the same statement may succeed later."""
        if error.sqlstate is None:
            # There is no answer of the server. A wrong password or database has no connection either.
            return isinstance(error, self._psycopg.OperationalError) and not _is_refused_login(error)
        return error.sqlstate.startswith(_PASSING_CLASSES) or error.sqlstate in (
            _READ_ONLY,
            _LOCK_TIMEOUT,
            _DUPLICATE_KEY,
        )

    def _store_error(self, error: "psycopg.Error", *, seconds: float | None = None) -> StoreError:
        waited = "" if seconds is None else f" for {seconds:.0f} s"
        hint = ": a pooler must have the session mode" if error.sqlstate in _LOST_STATEMENTS else ""
        return StoreError(f"{self.name}: the frontier cannot be used{waited}: {_describe(error)}{hint}")


def _open(conninfo: str, silent_seconds: float) -> "psycopg.Connection[tuple[Any, ...]]":
    """Connect to a server.

    Args: silent_seconds: How long a statement may take. After that, it raises `ConnectionTimeout`, and the connection
        is closed.
    """
    connection: Any = _connection_type().connect(
        conninfo,
        autocommit=True,
        # Above the settings of the connection string, the role and the database.
        client_encoding="UTF8",
        # The statements are few and always the same, so the server plans each of them once.
        prepare_threshold=1,
        connect_timeout=_CONNECT_SECONDS,
        fallback_application_name="canfetch",
    )
    connection.silent_seconds = silent_seconds
    return cast("psycopg.Connection[tuple[Any, ...]]", connection)


@cache
def _connection_type() -> Any:
    psycopg = import_psycopg()

    class Connection(psycopg.Connection):  # type: ignore[misc, name-defined]
        silent_seconds = inf

        def wait(self, gen: Any, interval: float = _LOOK_SECONDS, **options: Any) -> Any:
            return super().wait(self._limited(gen, interval), interval, **options)

        def _limited(self, operation: Any, interval: float) -> Generator[Any, Any, Any]:
            """Pass an operation on, which is resumed after each interval without an answer."""
            silent = 0.0
            try:
                state = next(operation)
                while True:
                    ready = yield state
                    # Not the time of a clock, because this process can have been suspended.
                    silent = 0.0 if ready else silent + interval
                    if silent > self.silent_seconds:
                        self.close()
                        raise psycopg.errors.ConnectionTimeout(f"no answer for {silent:.0f} s")
                    state = operation.send(ready)
            except StopIteration as end:
                return end.value

    return Connection


def _rows(cursor: "psycopg.Cursor[tuple[Any, ...]]") -> list[tuple[Any, ...]]:
    # Not `description`, which makes an object for each column.
    return cursor.fetchall() if cursor.pgresult is not None and cursor.pgresult.nfields else []


def fetched(run: Callable[..., list[tuple[Any, ...]]], name: str, query: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query, a batch at a time, in the transaction of `PostgresConnection.transaction`.

    Args:
        run: Runs a statement in the transaction.
        name: The name of a cursor.
        query: The query, without parameters.
    """
    run(f"DECLARE canfetch_{name} NO SCROLL CURSOR FOR {query}")
    while rows := run(f"FETCH {_FETCHED} FROM canfetch_{name}"):
        yield from rows


# What messages of libpq contain about a login that no repetition changes.
_LOGIN_REASONS: Final = (
    "password authentication failed",
    "no password supplied",
    "does not exist",
    "no pg_hba.conf entry",
    "is not permitted to log in",
    "does not support SSL",
    "certificate verify failed",
    # Between UTF8 and the encoding of the database.
    "is not supported",
)
_SCHEMES: Final = ("postgresql://", "postgres://")


def _is_refused_login(error: "psycopg.Error") -> bool:
    message = str(error)
    return any(reason in message for reason in _LOGIN_REASONS)


def _describe(error: "psycopg.Error") -> str:
    """Return the message of the server on one line."""
    message = error.diag.message_primary or str(error) or type(error).__name__
    return printable_text(" ".join(message.split()))


def name_server(conninfo: str) -> str:
    """Return a connection string without its user and password, for messages.

    Raises: InvalidOption: It cannot be read; MissingExtra.
    """
    if not isinstance(conninfo, str):
        raise InvalidOption(
            f"invalid conninfo {quoted(conninfo)}: expected a URL such as postgresql://localhost/crawls"
        )
    conninfo = lower_scheme(conninfo)
    parts = None if _has_unescaped_at(conninfo) else _parse_conninfo(conninfo)
    if parts is None:
        expected = (
            "expected a URL such as postgresql://user:password@localhost:5432/crawls, with '@', ':' and '/' in the "
            "password written as %40, %3A and %2F"
        )
        raise InvalidOption(f"invalid conninfo: {_parameter_problem(conninfo) or expected}")
    hosts = [f"[{host}]" if ":" in host else host for host in str(parts.get("host") or "localhost").split(",")]
    ports = [f":{port}" if port else "" for port in str(parts.get("port") or "").split(",")]
    # One port is that of all hosts.
    named = map("".join, zip(hosts, ports * len(hosts), strict=False))
    return printable_text(f"postgresql://{','.join(named)}/{parts.get('dbname') or ''}")


def is_database_url(name: str) -> bool:
    """Return whether a text is the URL of a database, and not the path of a file."""
    return lower_scheme(name).startswith(_SCHEMES)


def lower_scheme(conninfo: str) -> str:
    """Return a connection string with the scheme of a URL in lower case, which libpq requires."""
    scheme, separator, rest = conninfo.partition("://")
    return scheme.lower() + separator + rest if scheme.lower() + separator in _SCHEMES else conninfo


def _has_unescaped_at(conninfo: str) -> bool:
    """Return whether a URL has `@` other than after the user and password: libpq reads the rest as the host."""
    return conninfo.startswith(_SCHEMES) and "@" in _without_user(conninfo).partition("?")[0]


def _without_user(conninfo: str) -> str:
    """Return a URL without its scheme, user and password, which end at the first `@` before the first `/`."""
    rest = conninfo.partition("://")[2]
    return rest.partition("@")[2] if "@" in rest.partition("/")[0] else rest


def _parse_conninfo(conninfo: str) -> dict[str, Any] | None:
    """Return the parts of a connection string, or None if it is invalid.

    The message of the library is not used, because it can contain the password.
    """
    psycopg = import_psycopg()
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 - an optional dependency

    try:
        parts: dict[str, Any] = conninfo_to_dict(conninfo)
    except (psycopg.ProgrammingError, UnicodeEncodeError):
        return None
    return parts


def _parameter_problem(conninfo: str) -> str | None:
    """Return what is wrong with the first invalid parameter of a URL, or None."""
    query = _without_user(conninfo).partition("?")[2] if conninfo.startswith(_SCHEMES) else ""
    # With an unescaped `@`, the query can be a part of the password.
    for parameter in [] if "@" in query else query.split("&"):
        name, _, value = parameter.partition("=")
        if "=" in value:
            return f"the value of the parameter {quoted(name)} has an unescaped '=': write it as %3D"
        if _parse_conninfo(f"postgresql:///?{parameter}") is None:
            return (
                f"the parameter {quoted(name)} is unknown or has an invalid value: expected parameters of libpq, such "
                "as ?sslmode=require"
            )
    return None


def import_psycopg() -> Any:
    """Return the library psycopg.

    Raises: MissingExtra: It is not installed.
    """
    try:
        import psycopg  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise MissingExtra(
            f'a frontier on PostgreSQL requires the library psycopg: pip install "canfetch[postgres]" ({error})'
        ) from None
    return psycopg
