"""`--store`: servers, files and messages."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import sites
from tests.servers.dead_ports import refusing_port

Run = Any


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
    message = f"canfetch: unsupported --store '{scheme}://': expected a file, a redis:// URL, or none\n"
    assert ran == (2, "", message)
    assert sorted(folder.rglob("*")) == before


def test_store_file_in_any_directory_works(run: Run, folder: Path) -> None:
    assert run("fetch", "http://127.0.0.1", "--offline", "--store", f"{folder}//x.sqlite3").code == 1
    assert (folder / "x.sqlite3").exists()


def test_unwritable_default_store_is_reported_without_the_option(run: Run, folder: Path) -> None:
    (folder / "cache").write_text("in the way", encoding="utf-8")
    ran = run("fetch", "http://127.0.0.1", "--offline")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"canfetch: {folder}")
    assert ran.err.endswith(" (pass --store FILE or --store none)\n")
