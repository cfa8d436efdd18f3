"""Files that a command replaces keep their owner, group and mode, and changes that others make meanwhile."""

import json
import os
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_cards import CARD

from canfetch.cli.comparing import minimize
from canfetch.cli.linting import fmt
from canfetch.cli.shared.output_files import PendingFile
from canfetch.client import private_files, regular_files
from canfetch.client.sqlite_files import FileLock
from canfetch.lint import Linter

Run = Any
UGLY = b"user-agent: *\ndisallow:   /x\ndisallow: /x/y\nDisalow: /y\n"
IS_ROOT = sys.platform != "win32" and os.geteuid() == 0
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no owners of this kind")


def hand_over(path: Path, mode: int) -> tuple[int, int, int]:
    """Give a file to another user if this is root, and return its owner, group and mode."""
    if IS_ROOT:
        os.chown(path, 12345, 12346)
    path.chmod(mode)
    return permissions(path)


def permissions(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)


@posix
@pytest.mark.parametrize(
    "arguments",
    [
        ("fmt", "file.txt"),
        ("lint", "--fix", "file.txt"),
        ("lint", "robots.txt", "--output", "file.txt"),
        ("minimize", "file.txt", "--in-place"),
        ("init", "--recipe", "allow-all", "--output", "file.txt", "--force"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("mode", [0o640, 0o4755])
def test_owner_group_and_mode_are_kept(run: Run, folder: Path, arguments: tuple[str, ...], mode: int) -> None:
    (folder / "robots.txt").write_bytes(UGLY)
    (folder / "file.txt").write_bytes(UGLY)
    *owner, _ = hand_over(folder / "file.txt", mode)
    assert run(*arguments).code in {0, 1}
    assert (folder / "file.txt").read_bytes() != UGLY
    assert permissions(folder / "file.txt") == (*owner, mode & 0o777)


@posix
def test_owner_of_an_imported_card_and_its_lock(run: Run, folder: Path) -> None:
    card = {**CARD, "web_bot_auth": {"rfc9309-product-token": "ExampleBot", "purpose": "search"}}
    (folder / "card.json").write_text(json.dumps(card), encoding="utf-8")
    (folder / "bots.toml").touch()
    owner = hand_over(folder / "bots.toml", 0o664)[:2]
    assert run("agents", "import", "card.json", "--output", "bots.toml").code == 0
    assert (folder / "bots.toml").read_bytes()
    assert permissions(folder / "bots.toml") == (*owner, 0o664)
    assert permissions(folder / "bots.toml.lock") == (*owner, 0o660)


@posix
def test_owner_of_an_identity_and_its_lock(run: Run, folder: Path) -> None:
    pytest.importorskip("cryptography")
    options = "--url", "https://bot.example", "--product-token", "ExampleBot", "--purpose", "search-index"
    assert run("identity", "init", "bot", *options).code == 0
    before = hand_over(folder / "bot" / "identity.json", 0o600)
    assert run("identity", "rotate", "bot").code == 0
    assert permissions(folder / "bot" / "identity.json") == before
    assert permissions(folder / "bot" / "identity.json.lock") == before


@posix
@pytest.mark.parametrize(
    "mode, expected",
    [(0o640, 0o600), (0o664, 0o644), (0o666, 0o666), (0o604, 0o600), (0o6755, 0o755), (0o400, 0o400)],
    ids=oct,
)
def test_permissions_of_a_group_are_not_those_of_another_group(
    folder: Path, monkeypatch: pytest.MonkeyPatch, mode: int, expected: int
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refuse)
    path = folder / "file.txt"
    with path.open("wb") as stream:
        status = path.stat()
        other = os.stat_result((status.st_mode, 0, 0, 1, status.st_uid, status.st_gid + 1, 0, 0, 0, 0))
        private_files.copy_permissions(other, stream.fileno(), mode)
    assert permissions(path) == (status.st_uid, status.st_gid, expected)


@posix
def test_nobody_else_can_open_the_new_file_before_it_has_its_owner(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes = []

    def record(descriptor: int, *_: int) -> None:
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))

    (folder / "file.txt").write_bytes(b"old")
    (folder / "file.txt").chmod(0o666)
    monkeypatch.setattr(os, "fchown", record)
    regular_files.replace_file(folder / "file.txt", b"new")
    assert modes == [0o600, 0o600]


@posix
@pytest.mark.skipif(not IS_ROOT, reason="other users cannot change owners")
def test_lock_that_is_a_link_changes_no_other_file(folder: Path) -> None:
    (folder / "own.txt").touch(0o600)
    (folder / "bots.toml").touch()
    hand_over(folder / "bots.toml", 0o666)
    (folder / "bots.toml.lock").symlink_to("own.txt")
    with closing(FileLock(str(folder / "bots.toml.lock"))):
        assert permissions(folder / "own.txt") == (0, os.getegid(), 0o600)


@posix
def test_output_replaces_the_target_of_a_link(run: Run, folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "file.txt").write_bytes(UGLY)
    (folder / "link.txt").symlink_to("real/file.txt")
    assert run("init", "--recipe", "allow-all", "--output", "link.txt", "--force").code == 0
    assert (folder / "link.txt").is_symlink()
    assert (folder / "real" / "file.txt").read_bytes() != UGLY


@posix
@pytest.mark.skipif(not IS_ROOT, reason="other users have no files of others")
def test_private_file_does_not_belong_to_the_owner_of_the_one_before(folder: Path) -> None:
    (folder / "crawl.gz").touch()
    hand_over(folder / "crawl.gz", 0o666)
    with PendingFile(str(folder / "crawl.gz"), "--output", force=True, is_private=True) as file:
        file.write(b"urls")
        file.commit()
    assert permissions(folder / "crawl.gz") == (0, os.getegid(), 0o600)


@posix
def test_names_of_one_file_have_one_lock(run: Run, folder: Path) -> None:
    (folder / "card.json").write_text(json.dumps(CARD), encoding="utf-8")
    (folder / "bots.toml").touch()
    (folder / "link.toml").symlink_to("bots.toml")
    run("agents", "import", "card.json", "--output", "link.toml")
    assert (folder / "bots.toml.lock").exists()
    assert not (folder / "link.toml.lock").exists()


@posix
@pytest.mark.skipif(not IS_ROOT, reason="other users have no links of others")
def test_links_of_others_in_a_shared_folder_are_not_followed(run: Run, folder: Path) -> None:
    (folder / "file.txt").write_bytes(UGLY)
    (folder / "shared").mkdir()
    (folder / "shared").chmod(0o1777)
    (folder / "shared" / "link.txt").symlink_to("../file.txt")
    os.chown(folder / "shared" / "link.txt", 12345, 12346, follow_symlinks=False)
    for command in (("fmt",), ("init", "--recipe", "allow-all", "--force", "--output")):
        found = run(*command, "shared/link.txt")
        assert (found.code, "symbolic link of another user" in found.err) == (2, True)
    assert (folder / "file.txt").read_bytes() == UGLY


@posix
def test_lock_that_is_a_link_creates_no_other_file(run: Run, folder: Path) -> None:
    (folder / "card.json").write_text(json.dumps(CARD))
    (folder / "bots.toml.lock").symlink_to("created")
    found = run("agents", "import", "card.json", "--output", "bots.toml")
    assert found.code == 2
    assert found.err.endswith("/bots.toml.lock': unable to open database file\n")
    assert not (folder / "created").exists()


@posix
@pytest.mark.parametrize("mode, expected", [(0o2775, 0o660), (0o1777, 0o660), (0o755, 0o600)])
def test_lock_of_a_new_file_is_for_those_who_may_create_the_file(folder: Path, mode: int, expected: int) -> None:
    shared = folder / "shared"
    shared.mkdir()
    owner = hand_over(shared, mode)[:2]
    with closing(FileLock(str(shared / "bots.toml.lock"))):
        assert permissions(shared / "bots.toml.lock") == (*owner, expected)


def deploy_during(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, deploy: Callable[[], object]) -> None:
    """Run `deploy` at each call of a function of a module or a class."""
    function = getattr(owner, name)

    def call(*arguments: Any, **options: Any) -> Any:
        result = function(*arguments, **options)
        deploy()
        return result

    monkeypatch.setattr(owner, name, call)


@pytest.mark.parametrize(
    "arguments, function",
    [
        (("fmt",), (fmt, "format_robots")),
        (("lint", "--fix"), (Linter, "fix")),
        (("lint", "--unsafe-fixes"), (Linter, "fix")),
        (("minimize", "robots.txt", "--in-place"), (minimize, "find_minimization")),
    ],
    ids=["fmt", "fix", "unsafe-fixes", "minimize"],
)
def test_a_file_that_changes_meanwhile_is_left(
    run: Run,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    function: tuple[object, str],
) -> None:
    path = folder / "robots.txt"
    path.write_bytes(UGLY)
    deploy_during(monkeypatch, *function, lambda: path.write_bytes(b"new"))
    assert run(*arguments).refusal == (
        "canfetch: cannot write 'robots.txt': it has changed since it was read: run the command again\n"
    )
    assert path.read_bytes() == b"new"
    assert [file.name for file in folder.iterdir()] == ["robots.txt"]


def test_watching_fixes_a_file_that_changes_meanwhile_in_the_next_round(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "robots.txt"
    path.write_bytes(UGLY)
    seen = []

    def deploy() -> None:
        seen.append(path.read_bytes())
        if len(seen) == 1:
            path.write_bytes(UGLY + UGLY)

    rounds = iter(range(2))

    def stop(_: float) -> None:
        if next(rounds, None) is None:
            raise KeyboardInterrupt

    deploy_during(monkeypatch, Linter, "fix", deploy)
    monkeypatch.setattr("canfetch.cli.linting.lint.time.sleep", stop)
    run("lint", "--fix", "--watch", "robots.txt")
    assert seen == [UGLY, UGLY + UGLY]
    assert path.read_bytes() not in seen


def test_minimize_reads_a_file_only_to_the_size_limit(run: Run, folder: Path) -> None:
    path = folder / "robots.txt"
    path.write_bytes(UGLY + b"# comment\n" * 60_000)
    assert run("minimize", "robots.txt", "--in-place", "--quiet").code == 0
    assert path.stat().st_size <= 512_000
