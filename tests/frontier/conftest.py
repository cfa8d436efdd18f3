"""The backends of the frontier: most tests of this folder run with each."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from simulation.virtual_time import virtual_now
from tests.frontier.crawl_processes import Sites
from tests.frontier.crawls import use_backend
from tests.postgres import PostgresServer, start_postgres
from tests.urlfrontier import URLFrontierServer, start_urlfrontier

from canfetch.client.frontier import URLFrontier
from canfetch.client.frontier.postgres_connection import PostgresConnection
from canfetch.client.frontier.postgres_queue import PostgresQueue
from canfetch.client.frontier.postgres_statements import NOW
from canfetch.client.frontier.urlfrontier_connection import URLFrontierConnection

# A commit is not waited for, because these servers do not crash, and each run draws the same origins.
_OPTIONS: Final = "?options=-csynchronous_commit%3Doff%20-cseed%3D0.5"
_VIRTUAL_NOW: Final = "current_setting('virtual.now')::float8"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of what a backend does not have with the others only."""
    items[:] = [
        item
        for item in items
        if not (item.get_closest_marker("files") and "[postgres" in item.name)
        and not ("[urlfrontier" in item.name and not item.get_closest_marker("urlfrontier"))
    ]


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server for the session."""
    with start_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def urlfrontier() -> Iterator[URLFrontierServer]:
    """Start a test server of the URLFrontier protocol for the session."""
    with start_urlfrontier() as server:
        yield server


@pytest.fixture
def sites() -> Iterator[Sites]:
    """Serve sites to the processes of a crawl."""
    served = Sites()
    yield served
    served.close()


@pytest.fixture(
    params=["sqlite", *(pytest.param(name, marks=pytest.mark.service) for name in ("postgres", "urlfrontier"))]
)
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the test with each backend."""
    if request.param == "sqlite":
        yield "sqlite"
        return
    if request.param == "urlfrontier":
        with virtual_urlfrontier(request.getfixturevalue("urlfrontier").address, request.node.nodeid):
            yield "urlfrontier"
        return
    server = request.getfixturevalue("postgres")
    with virtual_postgres(server.url() + _OPTIONS, request.node.nodeid):
        yield "postgres"


class _VirtualSession:
    """A connection to a server whose clock is that of the event loop.

    Args: latest: The time, for the thread that renews the lease and has no loop.
    """

    def __init__(self, session: Any, latest: list[float]) -> None:
        self._session = session
        self._latest = latest

    def execute(self, statement: str, values: Any = None, **options: Any) -> Any:
        with suppress(RuntimeError):
            self._latest[0] = virtual_now()
        self._session.execute("SELECT set_config('virtual.now', %s, false)", (repr(self._latest[0]),))
        return self._session.execute(statement.replace(NOW, _VIRTUAL_NOW), values, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


@contextmanager
def virtual_postgres(url: str, name: str) -> Iterator[None]:
    """Keep the URLs of all frontiers of a block in PostgreSQL, in virtual time."""
    numbers = itertools.count()
    latest = [0.0]
    connect = PostgresConnection._connected

    def options(path: Path | None) -> dict[str, Any]:
        crawl = f"{name[-100:]} {next(numbers) if path is None else path.name}"
        return {"backend": PostgresQueue(url, crawl=crawl)}

    with pytest.MonkeyPatch.context() as patch, use_backend(options):
        patch.setattr(PostgresConnection, "_connected", lambda connection: _VirtualSession(connect(connection), latest))
        # Nobody else adds URLs, and months of virtual time have too many half seconds.
        patch.setattr("canfetch.client.frontier.postgres_worker._POLL_SECONDS", 1e6)
        patch.setattr("canfetch.client.frontier.postgres_worker._ROUNDING", 0.0)
        # Idle claims are given back after a second of real time, in which any virtual time can pass.
        patch.setattr("canfetch.client.frontier.postgres_worker.IDLE_SECONDS", 1e9)
        yield


@contextmanager
def virtual_urlfrontier(address: str, name: str, lease: float = 1e5) -> Iterator[None]:
    """Keep the URLs of all frontiers of a block in a test server of URLFrontier, in virtual time."""
    numbers = itertools.count()
    latest = [0.0]

    def now() -> float:
        with suppress(RuntimeError):
            latest[0] = virtual_now()
        return latest[0]

    def options(path: Path | None) -> dict[str, Any]:
        crawl = f"{name[-100:]} {next(numbers) if path is None else path.name}"
        return {"backend": URLFrontier(address, crawl=crawl, lease=lease)}

    with pytest.MonkeyPatch.context() as patch, use_backend(options):
        patch.setattr(URLFrontierConnection, "_headers", lambda _: [("test-now", repr(now()))])
        patch.setattr("canfetch.client.frontier.urlfrontier_service.wall_clock", now)
        # Idle claims are given back after a second of real time, in which any virtual time can pass.
        patch.setattr("canfetch.client.frontier.urlfrontier_leases._IDLE_SECONDS", 1e9)
        # Hours of virtual time have too many half seconds.
        patch.setattr("canfetch.client.frontier.urlfrontier_queue._POLL_SECONDS", 5.0)
        yield
