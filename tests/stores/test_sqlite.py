"""What is specific to the SQLite store: processes, crashes, invalid files, locked files."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from tests.stores.entries import make_entry, write_store_of_version_1

from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.stores.locations import default_path
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.errors import CorruptEntry, StoreError

WRITER = """
import sys
from canfetch.client.stores.sqlite import SQLiteStore
from tests.stores.entries import make_entry
store = SQLiteStore(sys.argv[1])
for number in range(100000):
    store.put(make_entry(f"https://host{number}.example/"))
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


def _lease(path: str, holder: str) -> bool:
    store = SQLiteStore(path)
    acquired = store.acquire_lease("https://example.com", holder=holder, seconds=60)
    store.close()
    return acquired


@pytest.mark.slow
def test_sqlite_one_of_several_processes_acquires_a_lease(tmp_path: Path) -> None:
    path = str(tmp_path / "robots.sqlite3")

    with multiprocessing.get_context("spawn").Pool(4) as pool:
        acquired = pool.starmap(_lease, [(path, str(number)) for number in range(8)])

    assert sorted(acquired) == [False] * 7 + [True]


@pytest.mark.slow
@pytest.mark.parametrize("acknowledged", [1, 7, 40])
def test_sqlite_stored_entries_survive_a_kill(tmp_path: Path, acknowledged: int) -> None:
    path = tmp_path / "robots.sqlite3"
    root = Path(__file__).parents[2]
    paths = [str(root), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True, env=environment, cwd=root
    ) as writer:
        assert writer.stdout is not None
        stored = [int(writer.stdout.readline()) for _ in range(acknowledged)]
        writer.send_signal(signal.SIGKILL)
        stored += [int(line) for line in writer.stdout if line.endswith("\n")]

    store = SQLiteStore(path)
    for number in stored:
        url = f"https://host{number}.example/"
        assert store.get(url.rstrip("/")) == make_entry(url)
    store.close()


def test_sqlite_changed_content_raises(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    store = SQLiteStore(path)
    entry = make_entry()
    store.put(entry)
    with sqlite3.connect(path) as connection:
        connection.execute('UPDATE entries SET entry = replace(entry, \'"sha256":"\', \'"sha256":"0\')')
    connection.close()

    with pytest.raises(CorruptEntry, match="does not match its hash"):
        store.get(entry.origin)
    store.close()


def test_sqlite_file_that_is_not_a_database_raises(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    path.write_bytes(b"not a database at all, but longer than a header" * 100)
    with pytest.raises(StoreError, match="delete this file"):
        SQLiteStore(path)
    path.write_bytes(b"1")
    with pytest.raises(StoreError, match="is a file of another program"):
        SQLiteStore(path)
    assert path.read_bytes() == b"1"


def test_sqlite_unsupported_version_raises(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="version 99 is newer than 3: upgrade canfetch, or use another file"):
        SQLiteStore(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (99,)


def test_sqlite_file_of_a_frontier_is_not_a_store(tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite3"
    FrontierDatabase(path).close()
    content = path.read_bytes()
    with pytest.raises(StoreError, match=r"crawl\.sqlite3: the database is not a store: use another file"):
        SQLiteStore(path)
    assert path.read_bytes() == content


def test_sqlite_store_of_an_older_version_is_emptied(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "robots.sqlite3"
    write_store_of_version_1(path)
    for replaced in (1, None):
        store = SQLiteStore(path)
        assert store.replaced_version == replaced
        assert list(store.keys()) == ([] if replaced else ["https://example.com"])
        store.put(make_entry())
        assert store.acquire_lease("https://example.com", holder="a", seconds=60)
        store.close()
    assert caplog.messages == [f"{path}: the store of version 1 was replaced by an empty one"]


@pytest.mark.slow
def test_sqlite_store_of_an_older_version_is_emptied_by_one_of_several_processes(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    write_store_of_version_1(path)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        acquired = pool.starmap(_lease, [(str(path), str(number)) for number in range(8)])
    assert sorted(acquired) == [False] * 7 + [True]


def test_sqlite_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "application.sqlite3"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE entries (fish TEXT)")
        connection.execute("CREATE TABLE invoices (number INTEGER)")
        connection.execute("PRAGMA user_version = 1")
    content = path.read_bytes()
    with pytest.raises(StoreError, match="the database is not a store: use another file"):
        SQLiteStore(path)
    assert path.read_bytes() == content


def test_sqlite_path_that_cannot_be_created_raises(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot open the store"):
        SQLiteStore(tmp_path / "file" / "robots.sqlite3")
    with pytest.raises(StoreError):
        SQLiteStore(tmp_path)


def test_sqlite_closed_store_raises(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "robots.sqlite3")
    store.close()
    with pytest.raises(StoreError):
        store.get("https://example.com")


@pytest.mark.skipif(sys.platform == "win32", reason="a file in use cannot be deleted")
def test_sqlite_file_that_is_deleted_while_it_is_in_use(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    store = SQLiteStore(path)
    store.put(make_entry("https://a.example/"))
    for file in list(tmp_path.iterdir()):
        file.unlink()
    store.put(make_entry("https://b.example/"))
    assert list(store.keys()) == ["https://a.example", "https://b.example"]
    assert list(tmp_path.iterdir()) == []
    # As another process would create it.
    other = SQLiteStore(path)
    other.put(make_entry("https://c.example/"))
    other.close()
    assert list(store.keys()) == ["https://c.example"]
    store.close()


@pytest.mark.parametrize(
    "platform, variable, folders",
    [("linux", "XDG_CACHE_HOME", ()), ("win32", "LOCALAPPDATA", ()), ("darwin", "HOME", ("Library", "Caches"))],
)
def test_sqlite_default_path_is_in_the_cache_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variable: str, folders: tuple[str, ...]
) -> None:
    if variable == "HOME" and sys.platform == "win32":
        pytest.skip("HOME is not used on this platform")
    monkeypatch.setenv(variable, str(tmp_path))
    assert default_path(platform) == tmp_path.joinpath(*folders, "canfetch", "robots.sqlite3")


@pytest.mark.parametrize("value", ["'nonsense'", "'" + "[" * 100_000 + "'", "NULL", "5", "x'ff'"])
def test_sqlite_corrupt_entry_raises(tmp_path: Path, value: str) -> None:
    path = tmp_path / "robots.sqlite3"
    with closing(SQLiteStore(path)) as store:
        store.put(make_entry())
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = 'entries'")
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(f"UPDATE entries SET entry = {value}")  # noqa: S608 - a constant
        with pytest.raises(CorruptEntry, match="corrupt cache entry"):
            store.get("https://example.com")


@pytest.mark.slow
def test_sqlite_wait_for_other_threads_counts_towards_the_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The clock is read before and after the wait for the other threads.
    times = iter([100.0, 104.0])
    path = tmp_path / "robots.sqlite3"
    timeouts: list[str] = []
    with closing(SQLiteStore(path)) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        assert store._connection is not None
        store._connection.set_trace_callback(lambda text: timeouts.extend([text] if "busy_timeout" in text else []))
        monkeypatch.setattr("canfetch.client.stores.sqlite.monotonic", lambda: next(times))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="database is locked"):
            store.put(make_entry())
        other.execute("ROLLBACK")
        assert timeouts == ["PRAGMA busy_timeout = 1000", "PRAGMA busy_timeout = 5000"]


def test_sqlite_locked_file_delays_waiting_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.client.stores.sqlite._BUSY_SECONDS", 0.2)
    with closing(SQLiteStore(tmp_path / "robots.sqlite3")) as store:
        with ThreadPoolExecutor(1) as other, store._lock:
            put = other.submit(store.put, make_entry())
            with pytest.raises(StoreError, match=r"the store is busy: other threads used it for 0\.2 s"):
                put.result()
        store.put(make_entry())
        assert store.get("https://example.com") == make_entry()


ENDLESS = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    "SELECT x AS key, x AS expires_at, x AS entry FROM n"
)


@pytest.mark.parametrize(
    "script",
    [
        f"DROP TABLE entries; CREATE VIEW entries AS {ENDLESS}",
        f"DROP TABLE leases; CREATE VIEW leases AS {ENDLESS}",
        f"CREATE TRIGGER endless AFTER INSERT ON entries BEGIN INSERT INTO entries {ENDLESS}; END",
    ],
)
@pytest.mark.parametrize("version", [0, 1, 3])
def test_sqlite_file_with_an_endless_view_is_not_a_store(tmp_path: Path, script: str, version: int) -> None:
    path = tmp_path / "robots.sqlite3"
    SQLiteStore(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"{script}; PRAGMA user_version = {version}")
    with pytest.raises(StoreError, match=r"the database is not a store: use another file"):
        SQLiteStore(path)


@pytest.mark.parametrize("set_back,is_held", [(60.0, True), (7200.0, False)])
def test_a_lease_does_not_outlast_a_clock_that_was_set_back(tmp_path: Path, set_back: float, *, is_held: bool) -> None:
    now = [1_000_000.0]
    with closing(SQLiteStore(tmp_path / "robots.sqlite3", clock=lambda: now[0])) as store:
        assert store.acquire_lease("https://example.com", holder="killed", seconds=60)
        now[0] -= set_back
        assert store.acquire_lease("https://example.com", holder="other", seconds=60) is not is_held


def test_a_long_lease_is_held(tmp_path: Path) -> None:
    with closing(SQLiteStore(tmp_path / "robots.sqlite3", clock=lambda: 1_000_000.0)) as store:
        assert store.acquire_lease("https://example.com", holder="slow", seconds=10_000)
        assert not store.acquire_lease("https://example.com", holder="other", seconds=10_001)


class InterruptedLock:
    """A lock whose call is interrupted just after it was acquired."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.is_interrupted = True

    def acquire(self, *, timeout: float) -> bool:
        acquired = self._lock.acquire(timeout=timeout)
        if self.is_interrupted:
            raise KeyboardInterrupt
        return acquired

    def release(self) -> None:
        self._lock.release()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_interrupt_just_after_the_lock_was_acquired_leaves_the_store_usable(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "robots.sqlite3")
    lock = store._lock = InterruptedLock()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        list(store.keys())
    lock.is_interrupted = False
    with ThreadPoolExecutor(1) as executor:
        assert executor.submit(lambda: list(store.keys())).result(3) == []
    store.close()
