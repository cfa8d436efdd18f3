"""A corrupt SQLite store is moved aside, and an empty one replaces it. Files that never were stores stay."""

import gzip
import hashlib
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.stores.entries import make_entry

from canfetch.client.stores.corrupt_files import MAX_CORRUPT_FILES
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.errors import StoreError

ENTRIES = 40


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the content of a store of many pages."""
    path = tmp_path_factory.mktemp("store") / "robots.sqlite3"
    store = SQLiteStore(path)
    for number in range(ENTRIES):
        store.put(make_entry(f"https://host{number}.example/"))
    store.close()
    return path.read_bytes()


def noise(size: int) -> bytes:
    return hashlib.shake_256(b"noise").digest(size)


def moved_files(path: Path) -> list[str]:
    return sorted(other.name for other in path.parent.iterdir() if ".corrupt-" in other.name)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "zeros": lambda content: bytes(len(content)),
    "start of another format": lambda content: b"PK\x03\x04" + content[4:],
    "half a header": lambda content: content[:50],
    "half a page": lambda content: content[:2048],
    "half a file": lambda content: content[: len(content) // 2],
    "damaged schema": lambda content: content[:100] + bytes(200) + content[300:],
    "damaged pages": lambda content: content[:4096] + noise(len(content) - 4096),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_corrupt_store_is_replaced(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    path = tmp_path / "robots.sqlite3"
    damaged = DAMAGES[damage](content)
    path.write_bytes(damaged)
    path.chmod(0o660)

    store = SQLiteStore(path)
    for number in range(ENTRIES):
        store.get(f"https://host{number}.example")
    assert path.stat().st_mode & 0o777 == (0o666 if sys.platform == "win32" else 0o660)
    assert store.acquire_lease("https://a.example", holder="a", seconds=60)
    store.put(make_entry("https://a.example/"))
    assert store.get("https://a.example") == make_entry("https://a.example/")
    store.close()

    [name] = moved_files(path)
    assert (tmp_path / name).read_bytes() == damaged
    [message] = caplog.messages
    assert message.startswith(f"{path}: ")
    assert message.endswith(f"; it was moved to {name}, and an empty store replaces it")
    assert store.moved_to == tmp_path / name
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_damage_is_found_during_use(tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "robots.sqlite3"
    path.write_bytes(content)
    first, second = SQLiteStore(path), SQLiteStore(path)
    first.put(make_entry("https://a.example/"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(noise(path.stat().st_size - 4096))

    for number in range(ENTRIES):
        first.get(f"https://host{number}.example")
    first.put(make_entry("https://new.example/"))
    # The other store has the moved file open, and uses the new one.
    assert second.get("https://new.example") == make_entry("https://new.example/")
    second.put(make_entry("https://other.example/"))
    assert list(first.keys()) == ["https://new.example", "https://other.example"]
    second.close()
    assert list(first.keys()) == ["https://new.example", "https://other.example"]
    first.close()
    assert len(caplog.messages) == 1
    assert len([name for name in moved_files(path) if not name.endswith(("-wal", "-shm"))]) == 1


def test_invalid_text_of_an_entry_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    store = SQLiteStore(path)
    store.put(make_entry())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET entry = CAST(x'ff' AS TEXT)")
    store.put(make_entry())
    assert store.get(make_entry().key) == make_entry()
    store.close()


def test_number_of_corrupt_files_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    (tmp_path / "robots.sqlite3.corrupt-notes").write_text("of somebody", encoding="utf-8")
    for number in range(MAX_CORRUPT_FILES + 2):
        # Nothing but NUL bytes, as some file systems leave after a crash.
        path.write_bytes(bytes(1000 + number))
        SQLiteStore(path).close()
    names = moved_files(path)
    assert "robots.sqlite3.corrupt-notes" in names
    kept = [(tmp_path / name).stat().st_size - 1000 for name in names if name != "robots.sqlite3.corrupt-notes"]
    assert sorted(kept) == list(range(2, MAX_CORRUPT_FILES + 2))


def test_files_of_other_programs_stay(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name, script in {
        "tables": "CREATE TABLE bookmarks (url TEXT)",
        "views": "CREATE VIEW entries AS SELECT 1",
        "application": "PRAGMA application_id = 7; CREATE TABLE entries (a)",
    }.items():
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            connection.executescript(script)
    # Damaged ones are not stores, either.
    (tmp_path / "damaged").write_bytes((tmp_path / "application").read_bytes()[:5000])
    content = (tmp_path / "tables").read_bytes()
    (tmp_path / "damaged tables").write_bytes(content[:100] + b"\7\7" + content[102:])
    (tmp_path / "text").write_text("a list of URLs\n" * 100, encoding="utf-8")
    (tmp_path / "statements").write_text("CREATE TABLE entries (key TEXT);\n", encoding="utf-8")
    (tmp_path / "archive").write_bytes(gzip.compress(b"entries" * 1_000))
    (tmp_path / "random bytes").write_bytes(noise(100_000))
    # An ISO image has its first descriptor after 32 KiB of NUL bytes.
    (tmp_path / "image").write_bytes(bytes(32_768) + b"\x01CD001\x01" + noise(5_000))
    (tmp_path / "last byte").write_bytes(bytes(1_000_000) + b"\1")
    (tmp_path / "empty disk").write_bytes(bytes(17 * 1024 * 1024))
    for path in sorted(tmp_path.iterdir()):
        before = path.read_bytes()
        with pytest.raises(StoreError, match="use another file") as raised:
            SQLiteStore(path)
        assert str(raised.value).count(str(path)) == 1
        assert path.read_bytes() == before, path.name
    assert not [path.name for path in tmp_path.iterdir() if ".corrupt-" in path.name]
    assert caplog.messages == []


USER = """
import logging, sys
from canfetch.client.stores.sqlite import SQLiteStore
from tests.stores.entries import make_entry
logging.basicConfig(level=logging.WARNING, stream=sys.stdout, format="%(levelname)s")
sys.stdin.readline()
store = SQLiteStore(sys.argv[1])
url = f"https://{sys.argv[2]}.example/"
for number in range(40):
    store.get(f"https://host{number}.example")
store.put(make_entry(url))
assert store.get(url[:-1]) == make_entry(url)
store.close()
"""


@pytest.mark.service
@pytest.mark.parametrize("damage", ["zeros", "damaged pages"])
def test_several_processes_find_it_at_once(tmp_path: Path, content: bytes, damage: str) -> None:
    path = tmp_path / "robots.sqlite3"
    path.write_bytes(DAMAGES[damage](content))
    users = [
        subprocess.Popen(
            [sys.executable, "-c", USER, str(path), f"user{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for user in users:
        assert user.stdin is not None
        user.stdin.write("\n")
        user.stdin.flush()
    ended = [user.communicate(timeout=300) for user in users]
    assert [errors for _, errors in ended] == [""] * 4
    assert sorted(output for output, _ in ended) == ["", "", "", "WARNING\n"]
    store = SQLiteStore(path)
    assert list(store.keys()) == [f"https://user{number}.example" for number in range(4)]
    store.close()
    assert len([name for name in moved_files(path) if not name.endswith(("-wal", "-shm"))]) == 1
