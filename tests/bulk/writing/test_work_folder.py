"""The folder of an unfinished output."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from canfetch.bulk.writing.columns import Column, ColumnType, Schema
from canfetch.bulk.writing.part_writers import open_part
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.errors import InvalidOption

SCHEMA = Schema("test/1", (Column("n", ColumnType.INTEGER),))
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="the folder is locked on POSIX only")


def write(folder: WorkFolder, number: int) -> None:
    with open_part(folder.parts.path(number), folder.format, SCHEMA, header=number == 0) as sink:
        sink.write((number,))
    folder.parts.complete(number)


def test_output_appears_when_it_is_complete(tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    with WorkFolder(output, "csv", {"a": 1}, restart=False) as folder:
        write(folder, 0)
        assert not output.exists()
    with WorkFolder(output, "csv", {"a": 1}, restart=False) as folder:
        assert folder.is_resumed
        assert folder.parts.receipt(0)
        write(folder, 1)
        folder.finish(2)
    assert output.read_text(encoding="utf-8") == "n\n0\n1\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_part_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with WorkFolder(tmp_path / "out.csv", "csv", {}, restart=False) as folder:
        with (
            pytest.raises(ZeroDivisionError),
            open_part(folder.parts.path(0), "csv", SCHEMA, header=True) as sink,
        ):
            sink.write((1 // 0,))
        assert not list(folder.path.glob("part-*"))


def test_restart_removes_only_its_own_files(tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    partial = tmp_path / "out.csv.partial"
    partial.mkdir()
    (partial / "notes.txt").write_text("mine", encoding="utf-8")
    with WorkFolder(output, "csv", {"a": 1}, restart=True) as folder:
        write(folder, 0)
    with pytest.raises(InvalidOption, match="belongs to a run with other inputs or options"):
        WorkFolder(output, "csv", {"a": 2}, restart=False)
    with WorkFolder(output, "csv", {"a": 2}, restart=True) as folder:
        assert folder.parts.receipt(0) is None
        write(folder, 0)
        folder.finish(1)
    assert [path.name for path in partial.iterdir()] == ["notes.txt"]


@POSIX
def test_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "out.csv.partial"
    folder.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    WorkFolder(tmp_path / "out.csv", "csv", {}, restart=True).discard()
    folder.mkdir()
    tmp_path.chmod(0o1777)
    with pytest.raises(InvalidOption, match=r"out\.csv\.partial' belongs to another user"):
        WorkFolder(tmp_path / "out.csv", "csv", {}, restart=True)
    assert not list(folder.iterdir())


@pytest.mark.slow
@POSIX
def test_only_one_process_writes(tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    code = (
        "import sys; from pathlib import Path; from canfetch.bulk.writing.work_folder import WorkFolder\n"
        f"WorkFolder(Path({str(output)!r}), 'csv', {{}}, restart=True); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with pytest.raises(InvalidOption, match="another process writes to"):
            WorkFolder(output, "csv", {}, restart=True)
        process.kill()
    with WorkFolder(output, "csv", {}, restart=False) as folder:
        assert folder.is_resumed


@pytest.mark.parametrize("call", ["mkdir", "open"])
def test_folder_that_another_process_removes_meanwhile_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    partial = tmp_path / "out.csv.partial"
    partial.mkdir()
    function = getattr(os, call)
    removed: list[Path] = []

    def call_and_remove(path: Any, *arguments: Any) -> Any:
        if removed or Path(path) not in (partial, partial / "lock"):
            return function(path, *arguments)
        removed.append(partial)
        if call == "open":
            partial.rmdir()
            return function(path, *arguments)
        try:
            return function(path, *arguments)
        finally:
            partial.rmdir()

    monkeypatch.setattr(os, call, call_and_remove)
    with WorkFolder(tmp_path / "out.csv", "csv", {}, restart=False) as folder:
        write(folder, 0)
        folder.finish(1)
    assert removed
    assert not partial.exists()


@POSIX
def test_the_process_that_finishes_removes_its_lock_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process that has just opened the file does not use it, because a third one would not see its lock."""
    import fcntl

    output = tmp_path / "out.csv"
    lock = fcntl.flock
    removed: list[Path] = []

    def flock(descriptor: int, operation: int) -> None:
        if not removed:
            removed.append(tmp_path / "out.csv.partial" / "lock")
            removed[0].unlink()
            removed[0].parent.rmdir()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    with WorkFolder(output, "csv", {}, restart=False) as folder:
        assert removed[0].exists()
        with pytest.raises(InvalidOption, match="another process writes to"):
            WorkFolder(output, "csv", {}, restart=False)
        write(folder, 0)
        folder.finish(1)
    assert output.exists()
