"""`canfetch cache`: list, export and clear, in real stores."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import own_cache, sites
from tests.servers.dead_ports import refusing_port
from tests.servers.valid import RULES
from tests.servers.web import Site
from tests.stores.conftest import replace_stored_text, stored_text
from tests.stores.read_only import read_only

from canfetch.access.entries import ENTRY_FORMAT, CacheEntry
from canfetch.cli.shared.store_option import open_store

Run = Any
FILE = "robots.sqlite3"


@pytest.fixture(params=["default", "file", pytest.param("redis", marks=pytest.mark.service)])
def store(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Return the options of each kind of store."""
    if request.param == "redis":
        return ("--store", request.getfixturevalue("redis_url"))
    return () if request.param == "default" else ("--store", FILE)


@pytest.fixture
def cached(run: Run, store: tuple[str, ...]) -> Iterator[list[Site]]:
    """Fetch three origins into the store, and clear it at the end."""
    with sites("rules", "busy", "disallow-all") as running:
        run("fetch", *(site.origin for site in running), *store)
        yield sorted(running, key=lambda site: site.origin)
        run("cache", "clear", "--all", *store)


def test_list_as_text(run: Run, store: tuple[str, ...], cached: list[Site]) -> None:
    ran = run("cache", "list", *store)
    assert (ran.code, ran.err) == (0, "")
    assert ran.lines[0] == "FETCHED               STATUS  ACCESS        BYTES  ORIGIN"
    assert [line.split()[-1] for line in ran.lines[1:]] == [site.origin for site in cached]
    assert sorted(line.split()[1:4] for line in ran.lines[1:]) == [
        ["200", "successful", "26"],
        ["200", "successful", "33"],
        ["503", "unreachable", "-"],
    ]
    assert len({line.index("http") for line in ran.lines[1:]} | {ran.lines[0].index("ORIGIN")}) == 1


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_list_in_structured_formats(run: Run, store: tuple[str, ...], cached: list[Site], form: str) -> None:
    ran = run("cache", "list", *store, "--format", form)
    rows = ran.rows(form)
    assert [row["origin"] for row in rows] == [site.origin for site in cached]
    assert {(row["status"], row["access"], row["bytes"]) for row in rows} == {
        (200, "successful", 33),
        (200, "successful", 26),
        (503, "unreachable", None),
    }
    assert rows[0].keys() == {
        *("origin", "policy", "variant", "vary", "access", "detail", "status"),
        *("fetched_at", "next_fetch_at", "bytes", "sha256"),
    }


def test_list_of_some_origins(run: Run, store: tuple[str, ...], cached: list[Site]) -> None:
    ran = run("cache", "list", f"{cached[1].origin}/some/page", "uncached.example", *store)
    assert ran.code == 2
    assert [line.split()[-1] for line in ran.lines[1:]] == [cached[1].origin]
    assert ran.err == "canfetch: https://uncached.example: not cached\n"


def test_export_prints_whole_entries(run: Run, store: tuple[str, ...], cached: list[Site]) -> None:
    ran = run("cache", "export", *store)
    entries = [CacheEntry.from_dict(json.loads(line)) for line in ran.lines]
    assert [entry.origin for entry in entries] == [site.origin for site in cached]
    assert RULES in [entry.copy.content for entry in entries if entry.copy is not None]
    one = run("cache", "export", cached[0].origin, *store)
    assert (one.code, one.lines) == (0, ran.lines[:1])


def test_clear_removes_origins(run: Run, store: tuple[str, ...], cached: list[Site]) -> None:
    ran = run("cache", "clear", cached[0].origin, "uncached.example", *store)
    assert ran == (0, "", "removed 1 origin\n")
    assert len(run("cache", "list", *store, "--format", "ndjson").lines) == 2
    assert run("cache", "clear", "--all", *store) == (0, "", "removed 2 origins\n")
    assert run("cache", "clear", "--all", *store) == (0, "", "removed 0 origins\n")


def test_each_policy_has_its_own_entry(run: Run, store: tuple[str, ...], cached: list[Site]) -> None:
    origin = cached[0].origin
    run("fetch", origin, *store, "--policy", "google")
    run("fetch", origin, *store, "--policy", "google+redirect_limit=0")
    named = run("cache", "list", origin, *store, "--format", "ndjson")
    assert [(json.loads(line)["origin"], json.loads(line)["policy"]) for line in named.lines] == [
        (origin, "rfc9309"),
        (origin, "google"),
        (origin, "google+redirect_limit=0"),
    ]
    ran = run("cache", "list", *store)
    assert [line.partition("http")[2] for line in ran.lines[1:4]] == [
        origin.removeprefix("http"),
        f"{origin.removeprefix('http')}  policy google",
        f"{origin.removeprefix('http')}  policy google+redirect_limit=0",
    ]
    assert run("cache", "clear", origin, *store) == (0, "", "removed 1 origin\n")
    assert len(run("cache", "list", *store).lines) == 3


def test_variants_of_an_origin_are_listed_exported_and_cleared(run: Run, store: tuple[str, ...]) -> None:
    with sites("varying", "rules") as [varying, other]:
        for user_agent in ("OneBot/1.0", "OtherBot/1.0"):
            for _ in range(2):
                ran = run("fetch", varying.origin, other.origin, *store, "--user-agent", user_agent)
                assert ran.code == 0
        assert (len(varying.requests), len(other.requests)) == (2, 1)
    rows = run("cache", "list", varying.origin, *store, "--format", "ndjson").rows()
    assert [(row["origin"], row["vary"]) for row in rows] == [(varying.origin, ["user-agent"])] * 2
    assert [row["variant"][:8] for row in rows] == ["", "headers-"]
    texts = [line for line in run("cache", "list", *store).lines if varying.origin in line]
    assert texts[0].endswith(f"{varying.origin}  vary user-agent")
    assert texts[1].endswith(f"{varying.origin}  variant {rows[1]['variant']}  vary user-agent")
    exported = [CacheEntry.from_json(line) for line in run("cache", "export", varying.origin, *store).lines]
    assert [entry.variant for entry in exported] == ["", rows[1]["variant"]]
    assert run("cache", "clear", varying.origin, *store) == (0, "", "removed 1 origin\n")
    assert run("cache", "clear", "--all", *store) == (0, "", "removed 1 origin\n")


def test_failure_under_limits_does_not_count_for_other_commands(run: Run, store: tuple[str, ...]) -> None:
    with sites("rules") as [site]:
        for _ in range(2):
            ran = run("fetch", site.origin, *store, "--public-only")
            assert ran.code == 1
            assert "is not public" in ran.out
        assert run("fetch", site.origin, *store).code == 0
        assert run("fetch", site.origin, *store, "--public-only").code == 0
        assert len(site.requests) == 1
    rows = run("cache", "list", *store, "--format", "ndjson").rows()
    assert [(row["variant"][:7], row["access"]) for row in rows] == [("", "successful"), ("limits-", "unreachable")]
    assert run("cache", "clear", "--all", *store) == (0, "", "removed 1 origin\n")


@pytest.mark.parametrize("form, out", [("text", ""), ("json", "[]\n"), ("ndjson", "")])
def test_list_of_an_empty_store(run: Run, store: tuple[str, ...], form: str, out: str) -> None:
    run("fetch", *store, "http://127.0.0.1", "--offline")
    assert run("cache", "list", *store, "--format", form) == (0, out, "")


def test_corrupt_entry_is_reported_and_not_deleted(run: Run, folder: Path) -> None:
    with sites("rules", "rules") as running:
        run("fetch", *(site.origin for site in running), "--store", FILE)
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.execute("UPDATE entries SET entry = 'nonsense' WHERE key = ?", (running[0].origin,))
    for command in ("list", "export"):
        for _ in range(2):
            ran = run("cache", command, "--store", FILE)
            assert ran.code == 2
            assert ran.err.startswith(f"canfetch: {running[0].origin}: {FILE}: corrupt cache entry: invalid JSON\n")
            assert running[1].origin in ran.lines[-1]
    assert run("cache", "clear", running[0].origin, "--store", FILE).err == "removed 1 origin\n"
    assert run("cache", "list", "--store", FILE).code == 0


def test_newer_entry_is_reported_and_can_be_cleared(run: Run, folder: Path, store: tuple[str, ...]) -> None:
    with sites("rules", "rules") as [newer, older]:
        run("fetch", newer.origin, older.origin, *store)
        opened = open_store(store[1] if store else str(next((folder / "cache").rglob(FILE))), warn=print)
        assert opened is not None
        entry = opened.get(newer.origin)
        assert entry is not None
        text = json.dumps(entry.to_dict() | {"format": ENTRY_FORMAT + 1})
        with closing(opened):
            replace_stored_text(opened, newer.origin, text)
            for command in ("list", "export"):
                ran = run("cache", command, *store)
                assert ran.code == 2
                assert ran.err.startswith(f"canfetch: {newer.origin}: ")
                message = f"format {ENTRY_FORMAT + 1} is newer than the supported format {ENTRY_FORMAT}"
                assert ran.err.endswith(f": unreadable cache entry: {message}; upgrade canfetch\n")
                assert older.origin in ran.out
                assert run("cache", command, newer.origin, *store) == (2, "", ran.err)
            for options, code in (((), 0), (("--offline",), 1), (("--refresh",), 0)):
                ran = run("fetch", newer.origin, *store, *options)
                assert ran.code == code
                assert ran.err.count("entries of a newer format stay in the store") == 1
            assert stored_text(opened, newer.origin) == text
            assert run("cache", "clear", newer.origin, *store) == (0, "", "removed 1 origin\n")
            assert stored_text(opened, newer.origin) is None
            run("cache", "clear", "--all", *store)


@pytest.mark.parametrize("is_default", [True, False])
def test_read_only_store_is_read(run: Run, folder: Path, *, is_default: bool) -> None:
    cache = folder / "cache"
    options = () if is_default else ("--store", str(cache / FILE))
    with sites("rules", "rules") as [cached, other]:
        run("fetch", cached.origin, *options)
        with read_only(cache) as mounted:
            env = dict.fromkeys(own_cache(folder), str(mounted))
            options = () if is_default else ("--store", str(mounted / FILE))
            listed = run("cache", "list", *options, env=env)
            assert (listed.code, listed.err) == (0, "")
            assert cached.origin in listed.out
            assert len(run("cache", "export", *options, env=env).lines) == 1
            for more in (("--offline",), ()):
                ran = run("fetch", cached.origin, *options, *more, env=env)
                assert (ran.code, ran.err) == (0, "")
                assert "fresh for" in ran.out
            ran = run("fetch", other.origin, *options, env=env)
            assert (ran.code, ran.err.count("\n")) == (0, 1)
            assert ran.err.endswith(f"{FILE}: the store is read-only; fetching without a lease\n")
            cleared = run("cache", "clear", "--all", *options, env=env)
            assert cleared.refusal.endswith(f"{FILE}: the store is read-only\n")
            assert run("cache", "list", *options, env=env) == listed


@pytest.mark.parametrize("arguments", [("list",), ("export",), ("clear", "--all")])
def test_unusable_store_is_reported(run: Run, folder: Path, arguments: tuple[str, ...]) -> None:
    (folder / "notes.txt").write_text("no database " * 1000, encoding="utf-8")
    with refusing_port() as port:
        for place, message in (
            (f"redis://127.0.0.1:{port}/0", "onnection refused"),
            ("notes.txt", "file is not a database; use another file"),
            ("none", "has no entries: expected an SQLite file or a redis:// URL"),
        ):
            ran = run("cache", *arguments, "--store", place)
            assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
            assert ran.err.startswith(f"canfetch: --store {place}")
            assert message in ran.err


def test_invalid_origin_is_reported(run: Run) -> None:
    run("fetch", "http://127.0.0.1", "--offline", "--store", FILE)
    for command in ("list", "export", "clear"):
        assert run("cache", command, "http://", "--store", FILE).refusal.startswith("canfetch: invalid URL 'http://'")


def test_clear_with_origins_and_all_is_refused(run: Run) -> None:
    run("fetch", "http://127.0.0.1", "--offline", "--store", FILE)
    ran = run("cache", "clear", "example.com", "--all", "--store", FILE)
    assert ran == (2, "", "canfetch: expected either origins or --all\n")


@pytest.mark.parametrize("arguments", [("list",), ("export",), ("clear", "--all")])
def test_missing_store_is_reported_and_not_created(run: Run, folder: Path, arguments: tuple[str, ...]) -> None:
    before = sorted(folder.rglob("*"))
    for place in (FILE, "nowhere/robots.sqlite3"):
        message = f"canfetch: --store {place!r} does not exist: expected an SQLite file or a redis:// URL\n"
        assert run("cache", *arguments, "--store", place) == (2, "", message)
    # The default store is created by the first fetch, so its absence is not an error.
    assert run("cache", *arguments).code == 0
    assert sorted(folder.rglob("*")) == before
