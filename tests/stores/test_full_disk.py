"""A disk that is full when a file is created, or later: one clear error with the path and the fix."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.stores.entries import make_entry

from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.watch.history import WatchHistory
from canfetch.errors import EvidenceError, StoreError

Opener = Callable[[Path], SQLiteStore | WatchHistory | FrontierDatabase | EvidenceRecorder]
OPENERS: list[Opener] = [SQLiteStore, WatchHistory, FrontierDatabase, EvidenceRecorder]
FIX = "free some space, or use another disk"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount, options = shutil.which("mount"), ("-t", "tmpfs", "-o", "size=256k", "tmpfs")
    if mount is None or subprocess.run([mount, *options, folder], capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a file system")
    try:
        yield folder
    finally:
        # Also if a failed test has left a file open.
        subprocess.run(["umount", "-l", folder], check=True)


def fill(folder: Path) -> Path:
    """Fill a disk, and return the file that does."""
    path = folder / "ballast"
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        while os.write(descriptor, bytes(4096)):
            pass
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return path


@pytest.mark.service
@pytest.mark.parametrize("open_path", OPENERS)
def test_file_on_a_full_disk(small_disk: Path, open_path: Opener) -> None:
    ballast = fill(small_disk)
    path = small_disk / "new"
    with pytest.raises((StoreError, EvidenceError)) as error:
        open_path(path)
    assert str(path) in str(error.value)
    assert str(error.value).endswith(f": {FIX}")
    ballast.unlink()
    open_path(path).close()


@pytest.mark.service
def test_store_on_a_disk_that_becomes_full(small_disk: Path) -> None:
    store = SQLiteStore(small_disk / "robots.sqlite3")
    entry = make_entry()
    store.put(entry)
    ballast = fill(small_disk)
    large = entry._replace(copy=entry.copy and entry.copy._replace(content=b"#" * 100_000))
    with pytest.raises(StoreError) as error:
        store.put(large)
    assert str(error.value) == f"{store.path}: database or disk is full: {FIX}"
    assert store.get(entry.key) == entry
    ballast.unlink()
    store.put(large)
    store.close()


LIMITED = """
import resource, signal, sys
from pathlib import Path
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.frontier.database import FrontierDatabase
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.watch.history import WatchHistory
from canfetch.errors import EvidenceError, StoreError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
# Python would save the bytecode of a module cut off at the limit, and fail to import it from then on.
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
errors = []
for number, open_path in enumerate((SQLiteStore, WatchHistory, FrontierDatabase, EvidenceRecorder)):
    try:
        open_path(Path(sys.argv[1]) / str(number))
    except (StoreError, EvidenceError) as error:
        errors.append(str(error))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(*errors, sep="\\n")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of the size of a file")
@pytest.mark.slow
def test_files_may_not_grow(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.stderr == ""
    *databases, evidence = ran.stdout.splitlines()
    # SQLite does not say why a write failed.
    assert databases == [
        f"{tmp_path / str(number)}: disk I/O error: check the disk and its free space, or use another one"
        for number in range(3)
    ]
    assert evidence.startswith(f"{tmp_path / '3'}")
    assert evidence.endswith(f"segment not opened: File too large: {FIX}")
