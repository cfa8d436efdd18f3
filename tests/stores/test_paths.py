"""A path that no file can have is one clear error, for everything that is kept in a file."""

import getpass
import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.stores.entries import make_entry

import canfetch
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.frontier.report import read_report
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.watch.history import WatchHistory
from canfetch.errors import EvidenceError, InvalidOption, StoreError

OPENERS: list[Callable[[Path], object]] = [SQLiteStore, WatchHistory, FrontierDatabase, read_report, EvidenceRecorder]


@pytest.mark.parametrize("open_path", OPENERS)
@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_name_that_no_file_can_have(tmp_path: Path, open_path: Callable[[Path], object], name: str) -> None:
    with pytest.raises(InvalidOption, match=r"^invalid (path|folder) '.*': no file can have this name$"):
        open_path(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("open_path", OPENERS)
def test_name_that_is_too_long(tmp_path: Path, open_path: Callable[[Path], object]) -> None:
    with pytest.raises((StoreError, EvidenceError), match=r"x{300}.*: File name too long"):
        open_path(tmp_path / ("x" * 300))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other messages")
@pytest.mark.parametrize("open_path", OPENERS)
@pytest.mark.parametrize("name", ["circle", "circle/file"])
def test_a_circle_of_symbolic_links(tmp_path: Path, open_path: Callable[[Path], object], name: str) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises((StoreError, EvidenceError), match=r"symbolic links"):
        open_path(tmp_path / name)


@pytest.mark.parametrize("open_path", OPENERS)
def test_home_directory_is_not_a_folder_with_its_abbreviation(
    tmp_path: Path, open_path: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidOption, match=r"'~/crawl': '~' is not expanded: use the path of the home directory"):
        open_path(Path("~/crawl"))
    user = getpass.getuser()
    with pytest.raises(InvalidOption, match=f"'~{user}/crawl': '~' is not expanded"):
        open_path(Path(f"~{user}/crawl"))
    assert list(tmp_path.iterdir()) == []


def test_a_name_can_begin_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    SQLiteStore(Path("~no-such-user")).close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows deletes no working directory")
@pytest.mark.parametrize("open_path", OPENERS)
def test_relative_path_in_a_deleted_folder(
    tmp_path: Path, open_path: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "deleted"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(InvalidOption, match=r"^invalid (path|folder) 'crawl': the working directory was deleted$"):
        open_path(Path("crawl"))


def test_store_stays_the_same_file_in_another_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    SQLiteStore(other / "robots.sqlite3").close()
    with closing(SQLiteStore("robots.sqlite3")) as store:
        store.put(make_entry())
        monkeypatch.chdir(other)
        assert list(store.keys()) == [make_entry().key]
        # As in a forked process.
        store.after_fork(in_child=True, was_locked=store.before_fork())
        assert list(store.keys()) == [make_entry().key]


def test_evidence_stays_in_its_folder_in_another_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with EvidenceRecorder("evidence", store_content=True) as recorder:
        other = tmp_path / "other"
        other.mkdir()
        monkeypatch.chdir(other)
        recorder.record("/", canfetch.parse(b"").decide("/", agent="ExampleBot"), content=b"")
    assert list(other.iterdir()) == []
    assert len(list((tmp_path / "evidence" / "content").iterdir())) == 1


def make_named_pipe(path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("the platform has no named pipes")
    os.mkfifo(path)


@pytest.mark.parametrize("open_path", [SQLiteStore, WatchHistory, FrontierDatabase])
@pytest.mark.parametrize(
    "make, kind", [(Path.mkdir, "a directory"), (make_named_pipe, "a named pipe")], ids=["directory", "pipe"]
)
def test_path_of_something_else_than_a_file(
    tmp_path: Path, open_path: Callable[[Path], object], make: Callable[[Path], None], kind: str
) -> None:
    path = tmp_path / "other"
    make(path)
    with pytest.raises(StoreError) as error:
        open_path(path)
    assert str(error.value) == f"{path}: is {kind}, expected a file: use another path"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "make, kind", [(Path.mkdir, "a directory"), (make_named_pipe, "a named pipe")], ids=["directory", "pipe"]
)
def test_lock_of_a_frontier_that_is_something_else_than_a_file(
    tmp_path: Path, make: Callable[[Path], None], kind: str
) -> None:
    path, lock = tmp_path / "crawl.sqlite3", tmp_path / "crawl.sqlite3-lock"
    FrontierDatabase(path).close()
    lock.unlink()
    make(lock)
    for open_path in (FrontierDatabase, read_report):
        with pytest.raises(StoreError) as error:
            open_path(path)
        assert str(error.value) == f"{lock}: is {kind}, expected a file: use another path"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no device here")
@pytest.mark.parametrize("open_path", [SQLiteStore, WatchHistory, FrontierDatabase])
def test_path_of_a_device(open_path: Callable[[Path], object]) -> None:
    with pytest.raises(StoreError, match=r"^/dev/null: is a device, expected a file: use another path$"):
        open_path(Path("/dev/null"))


@pytest.mark.parametrize("make, kind", [(Path.touch, "a file"), (make_named_pipe, "a named pipe")])
def test_evidence_in_something_else_than_a_folder(tmp_path: Path, make: Callable[[Path], None], kind: str) -> None:
    path = tmp_path / "other"
    make(path)
    with pytest.raises(EvidenceError) as error:
        EvidenceRecorder(path)
    assert str(error.value) == f"cannot write evidence to {path}: {str(path)!r} is {kind}, expected a folder"


@pytest.mark.parametrize("open_path", [SQLiteStore, FrontierDatabase])
def test_folder_that_is_a_file(tmp_path: Path, open_path: Callable[[Path], object]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="/file' is a file, expected a folder"):
        open_path(tmp_path / "file" / "crawl")
