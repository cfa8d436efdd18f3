"""A path that no file can have is one clear error, for everything that is kept in a file."""

from collections.abc import Callable
from pathlib import Path

import pytest

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
    with pytest.raises((StoreError, EvidenceError), match="x" * 300):
        open_path(tmp_path / ("x" * 300))
