"""`--store`: servers, files and messages."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import sites
from tests.servers.dead_ports import refusing_port
from tests.stores.entries import write_store_of_version_1

Run = Any


@pytest.mark.parametrize("command", [("fetch", "https://host.invalid", "--offline"), ("cache", "clear", "--all")])
def test_store_of_an_older_version_is_emptied_with_one_warning(
    run: Run, folder: Path, command: tuple[str, ...]
) -> None:
    write_store_of_version_1(folder / "robots.sqlite3")
    arguments = (*command, "--store", "robots.sqlite3")
    warning = "canfetch: warning: robots.sqlite3: the cache of an older canfetch (version 1) was emptied\n"
    assert warning in run(*arguments).err
    assert "warning" not in run(*arguments).err


@pytest.mark.parametrize(
    "typed, asked",
    [
        ("redis://valkey:6379/0", "redis://valkey:6379/0"),
        ("valkey://valkey:6379/0", "redis://valkey:6379/0"),
        ("REDIS://Keeper.example/0", "redis://Keeper.example/0"),
        ("ValKey://keeper.example/0", "redis://keeper.example/0"),
        ("valkeys://keeper.example/0", "rediss://keeper.example/0"),
        ("unix:///run/valkey/valkey.sock", "unix:///run/valkey/valkey.sock"),
    ],
)
def test_messages_show_the_url_of_the_store(run: Run, monkeypatch: pytest.MonkeyPatch, typed: str, asked: str) -> None:
    redis = pytest.importorskip("redis")
    seen: list[str] = []

    def refused(url: str, **_: object) -> None:
        seen.append(url)
        raise ValueError("seen")

    monkeypatch.setattr(redis.Redis, "from_url", refused)
    ran = run("cache", "list", "--store", typed)
    assert seen == [asked]
    assert ran == (2, "", f"canfetch: --store {typed!r}: invalid Redis URL: seen\n")


def test_messages_show_the_scheme_that_was_typed(run: Run) -> None:
    pytest.importorskip("redis")
    with refusing_port() as port, sites("rules") as [site]:
        place = f"valkey://127.0.0.1:{port}/0"
        assert run("cache", "list", "--store", place).err.startswith(f"canfetch: --store {place}: ")
        assert run("fetch", site.origin, "--store", place).err.startswith(f"canfetch: {place}: ")


@pytest.mark.parametrize("command", [("cache", "list"), ("fetch", "http://127.0.0.1", "--offline")])
def test_unknown_option_of_a_server_is_reported(run: Run, command: tuple[str, ...]) -> None:
    pytest.importorskip("redis")
    ran = run(*command, "--store", "redis://127.0.0.1:1?foo=1&password=secret")
    place = "'redis://127.0.0.1:1?foo=1&password=***'"
    assert ran == (2, "", f"canfetch: --store {place}: invalid Redis URL: unknown option 'foo'\n")


@pytest.mark.parametrize("command", [("cache", "list"), ("fetch", "http://127.0.0.1", "--offline")])
@pytest.mark.parametrize(
    "place, scheme", [("postgres://localhost/x", "postgres"), ("sqlite:///x.db", "sqlite"), ("://x", "")]
)
def test_unsupported_url_scheme_creates_no_directories(
    run: Run, folder: Path, command: tuple[str, ...], place: str, scheme: str
) -> None:
    before = sorted(folder.rglob("*"))
    ran = run(*command, "--store", place)
    message = f"canfetch: --store '{scheme}://' is not supported: expected a file or a redis:// URL\n"
    assert ran == (2, "", message)
    assert sorted(folder.rglob("*")) == before


def test_store_file_in_any_directory_works(run: Run, folder: Path) -> None:
    assert run("fetch", "http://127.0.0.1", "--offline", "--store", f"{folder}//x.sqlite3").code == 1
    assert (folder / "x.sqlite3").exists()


def test_unusable_default_store_is_a_warning(run: Run, folder: Path) -> None:
    (folder / "cache").write_text("in the way", encoding="utf-8")
    with sites("rules") as [site]:
        ran = run("check", f"{site.origin}/private/x", "--agent", "ExampleBot")
        assert (ran.code, ran.out.split()[0]) == (1, "disallowed")
        assert ran.err.startswith(f"canfetch: warning: {folder}")
        assert ran.err.endswith("; nothing is cached (pass --store FILE or --store none)\n")
        assert ran.err.count("\n") == 1
        assert run("check", f"{site.origin}/x", "--agent", "ExampleBot").code == 0
    ran = run("fetch", "http://127.0.0.1", "--offline", "--store", str(folder / "cache" / "x.sqlite3"))
    assert (ran.code, ran.out) == (2, "")


NO_HOME = "no home directory for the default cache: set HOME or XDG_CACHE_HOME"
NO_HOME_WARNING = f"canfetch: warning: {NO_HOME}; nothing is cached (pass --store FILE or --store none)\n"


@pytest.mark.skipif(sys.platform == "win32", reason="home directories as POSIX has them")
def test_user_without_a_home_directory(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", unknown)
    env: Any = {"HOME": None, "XDG_CACHE_HOME": None}
    with sites("rules") as [site]:
        ran = run("check", f"{site.origin}/x", "--agent", "ExampleBot", env=env)
        assert (ran.code, ran.err) == (0, NO_HOME_WARNING)
    ran = run("cache", "list", env=env)
    assert ran == (2, "", f"canfetch: {NO_HOME} (pass --store FILE)\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can change the user")
def test_process_of_a_user_that_the_system_does_not_know(environment: Any) -> None:
    env = environment()
    for name in ("HOME", "XDG_CACHE_HOME"):
        del env[name]
    # The first run imports everything, because the new user may be unable to read this installation.
    code = """
import os, sys
import canfetch.client.stores.sqlite
from canfetch.cli.main import main, run
run([*sys.argv[1:], "--store", "none", "--quiet"])
os.setgroups([])
os.setgid(54321)
os.setuid(54321)
main()
"""
    with sites("rules") as [site]:
        done = subprocess.run(
            [sys.executable, "-c", code, "check", f"{site.origin}/x", "--agent", "ExampleBot"],
            cwd="/",
            env=env,
            capture_output=True,
            check=False,
            text=True,
        )
    assert (done.returncode, done.stdout.split()[:1], done.stderr) == (0, ["allowed"], NO_HOME_WARNING)
