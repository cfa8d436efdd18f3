"""Files with one damaged byte in their first page, which has the header and the schema.

A store is replaced by an empty one. A frontier and a history stay, and the error has advice.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import open_frontier
from tests.stores.entries import make_entry

from canfetch.client.frontier.report import read_report
from canfetch.client.sqlite_files import CORRUPTION_ADVICE
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.watch.history import WatchHistory
from canfetch.client.watch.observations import Observation
from canfetch.core.verdict import Effect
from canfetch.errors import StoreError

# What SQLite reads before anything else: https://www.sqlite.org/fileformat2.html
HEADER_BYTES = 100
# The error says that the file belongs to another program, to a newer version, or must not be written. That is what
# the damaged byte states: the version of the schema, the ID of the application, or the version for writing.
STATED = (
    "use another file",
    "upgrade canfetch",
    "use a newer canfetch",
    "is read-only",
    "readonly database",
    "expected the file of a canfetch.Frontier",
    "resume the crawl once to convert it",
)
# Another bit in each run, so that texts become other texts, and no texts.
HIGH_BIT, LOW_BIT, CASE_BIT = 0x80, 0x01, 0x20
OBSERVATION = Observation("https://a.example", 1.0, Effect.CONDITIONAL_ALLOW, 200, "", b"Disallow: /\n")


def use_store(path: Path) -> None:
    store = SQLiteStore(path)
    try:
        store.get(make_entry().key)
        list(store.keys())
        store.put(make_entry())
        store.acquire_lease("https://a.example", holder="a", seconds=60)
    finally:
        store.close()


async def crawl(path: Path) -> None:
    async with open_frontier(path=path) as frontier:
        frontier.add("https://a.example/")
        list(frontier.failed())
        async for turn in frontier:
            turn.done()


def use_frontier(path: Path) -> None:
    run_in_virtual_time(lambda: crawl(path))


def use_history(path: Path) -> None:
    with WatchHistory(path) as history:
        if not list(history.versions()):
            history.record(OBSERVATION, previous=None, change=None, sends=False)
        history.record_check("https://a.example", now=1.0)
        history.next_message_at()


def read_history(path: Path) -> None:
    with WatchHistory(path, read_only=True) as history:
        list(history.versions())


class Kind(NamedTuple):
    """A kind of file.

    Attributes:
        use: Creates a file or uses the one that exists.
        read: Reads a file, if that is another way.
    """

    use: Callable[[Path], object]
    read: Callable[[Path], object] | None = None


KINDS = {
    "store": Kind(use_store),
    "frontier": Kind(use_frontier, read_report),
    "history": Kind(use_history, read_history),
}


def check_use(use: Callable[[Path], object], folder: Path, damaged: bytes, *, is_replaced: bool, where: int) -> None:
    """Use a damaged file, which raises nothing but a StoreError with advice, and is replaced if it is a store."""
    path = folder / "file"
    for other in folder.iterdir():
        other.unlink()
    path.write_bytes(damaged)
    try:
        use(path)
    except StoreError as error:
        message = str(error)
        assert message.startswith(f"{path}: "), message
        assert "\n" not in message, message
        is_stated = message.endswith(STATED)
        assert is_stated or (message.endswith(CORRUPTION_ADVICE) and not is_replaced), (where, message)
        assert not is_replaced or "the database is not a store" in message or where < HEADER_BYTES, (where, message)
    assert is_replaced or not [other for other in folder.iterdir() if ".corrupt-" in other.name], where


def check_bytes(tmp_path: Path, kind: str, bit: int, positions: range) -> None:
    use, read = KINDS[kind]
    path = tmp_path / "file"
    use(path)
    content = path.read_bytes()
    page_bytes = int.from_bytes(content[16:18])
    for where in positions:
        if where < page_bytes and content[where]:
            damaged = content[:where] + bytes([content[where] ^ bit]) + content[where + 1 :]
            check_use(use, tmp_path, damaged, is_replaced=kind == "store", where=where)
            if read is not None:
                check_use(read, tmp_path, damaged, is_replaced=False, where=where)


@pytest.mark.parametrize("kind", KINDS)
def test_some_bytes_of_the_first_page(tmp_path: Path, kind: str) -> None:
    check_bytes(tmp_path, kind, HIGH_BIT, range(3, 4096, 401))


@pytest.mark.slow
@pytest.mark.parametrize("bit", [HIGH_BIT, LOW_BIT, CASE_BIT])
@pytest.mark.parametrize("kind", KINDS)
def test_bytes_of_the_first_page(tmp_path: Path, kind: str, bit: int) -> None:
    check_bytes(tmp_path, kind, bit, range(0, 4096, 11))


def damage_text(content: bytes, text: bytes, damaged: bytes) -> bytes:
    assert content.count(text) >= 1
    assert len(text) == len(damaged)
    return content.replace(text, damaged, 1)


@pytest.mark.parametrize(
    "text, damaged",
    [
        # The name of a table, which is in the message of SQLite, and the text of a definition.
        (b"tableentriesentries", b"table\xe5ntriesentries"),
        (b"expires_at REAL NOT NULL, entry", b"expires_at REAL NOT N\xd5LL, entry"),
        # Another text that SQLite accepts.
        (b"entry TEXT NOT NULL", b"fntry TEXT NOT NULL"),
    ],
)
def test_store_with_a_damaged_schema_is_replaced(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: bytes, damaged: bytes
) -> None:
    path = tmp_path / "robots.sqlite3"
    use_store(path)
    content = damage_text(path.read_bytes(), text, damaged)
    path.write_bytes(content)
    use_store(path)
    [moved] = [other for other in tmp_path.iterdir() if ".corrupt-" in other.name]
    assert moved.read_bytes() == content
    [message] = caplog.messages
    assert message.endswith(f"; it was moved to {moved.name}, and an empty store replaces it")


def test_store_with_a_text_that_is_not_utf_8_is_replaced_during_use(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    use_store(path)
    content = path.read_bytes()
    # In the table and in its index.
    key = make_entry().key.encode()
    path.write_bytes(content.replace(key, b"\xff" + key[1:]))
    store = SQLiteStore(path)
    assert list(store.keys()) == []
    assert store.moved_to is not None
    store.close()


@pytest.mark.parametrize("version", [-5, 2**31 - 1])
def test_history_of_an_unknown_version(tmp_path: Path, version: int) -> None:
    path = tmp_path / "history.sqlite3"
    use_history(path)
    content = path.read_bytes()
    path.write_bytes(content[:60] + version.to_bytes(4, signed=True) + content[64:])
    advice = "damaged: unexpected version -5; use another file" if version < 0 else "upgrade canfetch"
    for use in (use_history, read_history):
        with pytest.raises(StoreError, match=advice):
            use(path)
