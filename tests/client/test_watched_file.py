"""Files that are read again when they change."""

import os
from pathlib import Path

import pytest

from canfetch.client.watched_file import WatchedFile
from canfetch.errors import ServingError


def parse(content: bytes) -> bytes:
    if content == b"invalid":
        raise ServingError("invalid content")
    return content


def watch(path: Path, *, now: float | None = None, max_bytes: int = 100) -> WatchedFile[bytes]:
    return WatchedFile(path, parse, max_bytes=max_bytes, clock=lambda: path.stat().st_mtime if now is None else now)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "file"
    file.write_bytes(b"one")
    return file


def test_file_is_read_once_if_it_does_not_change(path: Path) -> None:
    os.utime(path, (1000, 1000))
    calls: list[bytes] = []
    file = WatchedFile(path, calls.append, max_bytes=10, clock=lambda: 2000)
    for _ in range(3):
        file.current()
    assert calls == [b"one"]


def test_recent_file_is_read_again_although_its_time_and_size_are_the_same(path: Path) -> None:
    os.utime(path, (1000, 1000))
    file = watch(path, now=1001)
    path.write_bytes(b"two")
    os.utime(path, (1000, 1000))
    assert file.current() == b"two"


@pytest.mark.parametrize("content", [b"two", b"invalid"])
def test_recent_file_is_parsed_once(path: Path, content: bytes) -> None:
    calls: list[bytes] = []

    def counted(content: bytes) -> bytes:
        calls.append(content)
        return parse(content)

    os.utime(path, (1000, 1000))
    file = WatchedFile(path, counted, max_bytes=100, clock=lambda: 1001.0)
    path.write_bytes(content)
    os.utime(path, (1000, 1000))
    assert {file.current() for _ in range(3)} == {b"two" if content == b"two" else b"one"}
    assert calls == [b"one", content]
    # Its permissions may have changed, and the result can depend on them.
    os.utime(path, (1001, 1001))
    file.current()
    assert calls == [b"one", content, content]


@pytest.mark.parametrize("now", [5000.0, 10.0])
def test_file_of_another_time_is_read_again_if_it_is_written_in_place(path: Path, now: float) -> None:
    os.utime(path, (1000, 1000))
    file = watch(path, now=now)
    path.write_bytes(b"two")
    os.utime(path, (1000, 1000))
    # The time of the change of the inode is that of the system.
    assert file.current() == b"two"


@pytest.mark.skipif(os.name == "nt", reason="the platform has no permissions")
def test_file_is_parsed_again_after_a_change_of_its_permissions(path: Path) -> None:
    def parse_private(content: bytes) -> bytes:
        if path.stat().st_mode & 0o077:
            raise ServingError("others can read it")
        return content

    path.chmod(0o600)
    file = WatchedFile(path, parse_private, max_bytes=100, clock=lambda: path.stat().st_mtime)
    path.write_bytes(b"two")
    path.chmod(0o644)
    assert [file.current() for _ in range(2)] == [b"one"] * 2
    path.chmod(0o600)
    assert file.current() == b"two"


def test_replaced_file_with_the_same_time_and_size_is_read_again(path: Path) -> None:
    os.utime(path, (1000, 1000))
    file = watch(path, now=5000)
    other = path.with_name("other")
    other.write_bytes(b"two")
    os.utime(other, (1000, 1000))
    other.replace(path)
    assert file.current() == b"two"
    assert file.reloads == 1


def test_invalid_and_missing_files_leave_the_last_good_value(path: Path) -> None:
    file = watch(path)
    path.write_bytes(b"invalid")
    assert file.current() == b"one"
    path.write_bytes(b"x" * 101)
    assert file.current() == b"one"
    path.unlink()
    assert file.current() == b"one"
    path.mkdir()
    assert file.current() == b"one"
    assert file.failed_reloads == 4
    path.rmdir()
    path.write_bytes(b"two")
    assert file.current() == b"two"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_named_pipe_does_not_block(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a regular file"):
        watch(pipe)


def test_first_read_raises(tmp_path: Path, path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        watch(tmp_path / "missing")
    with pytest.raises(OSError, match="longer than 2 bytes"):
        watch(path, max_bytes=2)
    path.write_bytes(b"invalid")
    with pytest.raises(ServingError):
        watch(path)


def test_relative_path_is_that_of_the_start(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    file = watch(Path(path.name), now=5e9)
    monkeypatch.chdir("/")
    path.write_bytes(b"changed")
    assert file.current() == b"changed"
