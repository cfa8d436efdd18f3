"""Folders that cannot be written."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Make a folder and its files read-only, and return the path at which they are.

    Permissions do not apply to root, so root uses a read-only mount. Skip the test if that is not permitted.
    """
    modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
    try:
        for path in modes:
            path.chmod(0o555 if path.is_dir() else 0o444)
        if not os.access(folder, os.W_OK):
            yield folder
            return
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    mounted = folder.with_name(f"{folder.name}-read-only")
    mounted.mkdir()
    if _run("mount", "--bind", str(folder), str(mounted)):
        pytest.skip("permissions do not apply, and folders cannot be mounted")
    try:
        assert not _run("mount", "-o", "remount,bind,ro", str(mounted))
        yield mounted
    finally:
        # Lazily, because a test that fails may leave files open.
        _run("umount", "--lazy", str(mounted))


def _run(*command: str) -> int:
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    except FileNotFoundError:
        return 1
