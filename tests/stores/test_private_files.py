"""Only their owner can read the files of a client: caches, evidence, histories."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.access.conftest import ScriptedOrigin

import canfetch
from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.watch.history import WatchHistory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    previous = os.umask(0o022)
    yield
    os.umask(previous)


def modes(folder: Path) -> dict[str, str]:
    """Return the modes of everything in a folder, without random parts of names."""
    return {str(path.relative_to(folder)): oct(stat.S_IMODE(path.stat().st_mode)) for path in sorted(folder.rglob("*"))}


def test_cache_with_its_folders_and_logs(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "a" / "b" / "robots.sqlite3")
    with canfetch.Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin(), store=store) as client:
        client.allows("https://example.com/")
        found = modes(tmp_path)
    store.close()

    files = {f"a/b/robots.sqlite3{suffix}": "0o600" for suffix in ("", "-shm", "-wal")}
    assert found == {"a": "0o700", "a/b": "0o700", **files}


def test_evidence_and_its_content(tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    with (
        canfetch.EvidenceRecorder(folder, store_content=True) as recorder,
        canfetch.Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin(), evidence=recorder) as client,
    ):
        client.allows("https://example.com/")

    found = modes(tmp_path)
    assert {mode for name, mode in found.items() if (tmp_path / name).is_dir()} == {"0o700"}
    assert {mode for name, mode in found.items() if not (tmp_path / name).is_dir()} == {"0o600"}
    assert len(found) >= 4


def test_history(tmp_path: Path) -> None:
    with WatchHistory(tmp_path / "history.sqlite3"):
        assert set(modes(tmp_path).values()) == {"0o600"}


def test_modes_of_existing_files_and_folders_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir(0o755)
    path = folder / "robots.sqlite3"
    path.touch(0o644)
    SQLiteStore(path).close()

    assert modes(tmp_path) == {"shared": "0o755", "shared/robots.sqlite3": "0o644"}


@pytest.mark.parametrize("open_path", [SQLiteStore, WatchHistory, FrontierDatabase])
def test_target_of_a_symbolic_link(tmp_path: Path, open_path: Callable[[Path], Any]) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    with closing(open_path(link)):
        assert modes(tmp_path)["target"] == "0o600"
