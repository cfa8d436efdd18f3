"""Refreshing the file of published addresses, from a real server on loopback."""

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from tests.servers.web import Behaviour, Exchange, Site

from canfetch.agents import Crawler, Verification
from canfetch.agents.address_lists import AddressLists
from canfetch.client.identity import AddressListFile, RefreshResult, refresh_address_lists
from canfetch.client.identity.refreshing import _MAX_LIST_BYTES
from canfetch.client.sqlite_files import FileLock
from canfetch.errors import InvalidAddressList, StoreError

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
LIST = b'{"creationTime": "2026", "prefixes": [{"ipv4Prefix": "66.249.64.0/27"}]}'
OTHER = b'{"prefixes": [{"ipv4Prefix": "66.249.65.0/27"}]}'


def respond(status: int, body: bytes = b"", *fields: str) -> Behaviour:
    async def behaviour(exchange: Exchange) -> None:
        await exchange.respond(status, body, *fields)

    return behaviour


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as started:
        started.serve("/robots.txt", respond(200, b"User-agent: *\nDisallow: /private/\n"))
        yield started


def refresh(path: Path, *urls: str, now: float = 1_790_000_000.0) -> RefreshResult:
    crawler = Crawler(("ExampleBot",), "Example", ("research",), "test", verification=Verification((), urls))
    return refresh_address_lists(path, user_agent=USER_AGENT, crawlers=[crawler], clock=lambda: now)


def test_lists_are_fetched_and_written(site: Site, tmp_path: Path) -> None:
    site.serve("/a.json", respond(200, LIST))
    site.serve("/b.json", respond(301, b"", "Location: /c.json"))
    site.serve("/c.json", respond(200, OTHER))
    path = tmp_path / "addresses.json"
    result = refresh(path, f"{site.origin}/a.json", f"{site.origin}/b.json")
    assert result == RefreshResult((f"{site.origin}/a.json", f"{site.origin}/b.json"), {})
    lists = AddressListFile(path).current().lists
    assert [one.ranges.prefixes for one in lists.values()] == [("66.249.64.0/27",), ("66.249.65.0/27",)]
    assert {one.fetched_at for one in lists.values()} == {1_790_000_000.0}
    assert {request.headers["user-agent"] for request in site.requests} == {USER_AGENT}
    assert {file.name for file in tmp_path.iterdir()} == {path.name, f"{path.name}.lock"}


@pytest.mark.parametrize(
    "target, behaviour, reason",
    [
        ("/gone.json", respond(404), "status 404"),
        ("/html.json", respond(200, b"<!doctype html>"), "invalid JSON"),
        ("/empty.json", respond(200, b'{"prefixes": []}'), "the list has no prefix"),
        ("/long.json", respond(200, b" " * (_MAX_LIST_BYTES + 1)), "longer than 4194304 bytes"),
        ("/private/a.json", respond(200, LIST), "not fetched: disallowed: line 2, Disallow: /private/"),
        ("/loop.json", respond(302, b"", "Location: /loop.json"), "more than 5 redirects"),
        ("/nowhere.json", respond(302), "invalid redirect"),
        ("/hidden.json", respond(302, b"", "Location: /private/a.json"), "not fetched: disallowed"),
    ],
    ids=["404", "html", "empty", "long", "disallowed", "loop", "no-location", "redirect-to-disallowed"],
)
def test_failed_list_keeps_its_previous_copy(
    site: Site, tmp_path: Path, target: str, behaviour: Behaviour, reason: str
) -> None:
    path = tmp_path / "addresses.json"
    failing, good = f"{site.origin}{target}", f"{site.origin}/good.json"
    previous = {
        "schema": "canfetch.address-lists/1",
        "lists": [{"url": failing, "fetched_at": "2026-01-02T03:04:05Z", "prefixes": ["66.249.66.0/27"]}],
    }
    path.write_text(json.dumps(previous), encoding="utf-8")
    site.serve(target, behaviour)
    site.serve("/good.json", respond(200, LIST))
    result = refresh(path, failing, good)
    assert result.updated == (good,)
    assert reason in result.failed[failing]
    written = json.loads(path.read_bytes())["lists"]
    assert previous["lists"][0] in written
    assert len(written) == 2


def test_file_is_not_touched_if_nothing_was_fetched(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "addresses.json"
    assert refresh(path, f"{site.origin}/missing").failed == {f"{site.origin}/missing": "status 404"}
    assert not path.exists()


def test_lists_that_another_process_adds_meanwhile_are_kept(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "addresses.json"
    urls = f"{site.origin}/a.json", f"{site.origin}/b.json"

    async def refresh_other(exchange: Exchange) -> None:
        await asyncio.to_thread(refresh, path, urls[1])
        await exchange.respond(200, LIST)

    site.serve("/a.json", refresh_other)
    site.serve("/b.json", respond(200, OTHER))
    assert refresh(path, urls[0]).updated == urls[:1]
    assert set(AddressListFile(path).current().lists) == set(urls)


def test_a_locked_file_is_not_replaced(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "addresses.json"
    site.serve("/a.json", respond(200, LIST))
    monkeypatch.setattr("canfetch.client.identity.refreshing.FileLock", partial(FileLock, timeout=0.0))
    with closing(FileLock(f"{path}.lock")), pytest.raises(StoreError, match="another process has locked it"):
        refresh(path, f"{site.origin}/a.json")
    assert not path.exists()


def test_other_files_are_not_overwritten(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidAddressList, match=r"settings\.json: invalid schema None"):
        refresh(path, f"{site.origin}/a.json")
    assert path.read_text(encoding="utf-8") == "{}"
    assert not site.requests


def write(path: Path, *prefixes: str) -> None:
    entry = {"url": "https://example.com/a", "fetched_at": "2026-11-20T08:00:00Z", "prefixes": prefixes}
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps({"schema": "canfetch.address-lists/1", "lists": [entry]}), encoding="utf-8")
    temporary.replace(path)


def prefixes(lists: AddressLists) -> tuple[str, ...]:
    return lists.lists["https://example.com/a"].ranges.prefixes


def test_servers_read_a_changed_file_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "addresses.json"
    write(path, "66.249.64.0/27")
    file = AddressListFile(path)
    write(path, "66.249.65.0/27")
    assert prefixes(file.current()) == ("66.249.65.0/27",)
    with caplog.at_level(logging.ERROR, "canfetch.client"):
        path.write_text("{", encoding="utf-8")
        for _ in range(3):
            assert prefixes(file.current()) == ("66.249.65.0/27",)
        path.unlink()
        for _ in range(3):
            assert prefixes(file.current()) == ("66.249.65.0/27",)
    assert [record.getMessage().removeprefix(f"{path}: ") for record in caplog.records] == [
        "invalid JSON; the last good copy stays in use",
        "No such file or directory; the last good copy stays in use",
    ]
    write(path, "66.249.66.0/27")
    assert prefixes(file.current()) == ("66.249.66.0/27",)
