"""`canfetch agents refresh`, `addresses` and `verify`: the addresses that operators publish."""

import csv
import io
import json
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch.agents import CRAWLERS
from canfetch.client.sqlite_files import FileLock

Run = Any
LIST = b'{"prefixes": [{"ipv4Prefix": "198.51.100.0/24"}, {"ipv6Prefix": "2606:4700::/32"}]}'
LISTED, OTHER = "2606:4700::7", "8.8.8.8"


@pytest.fixture
def operator(site: Site, folder: Path) -> Site:
    """Return the server of an operator that publishes two lists, and the registry file of its crawlers."""
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /private/\n"))
    site.serve("/good.json", respond(LIST))
    site.serve("/private/bad.json", respond(LIST))
    tables = [
        f'[[crawler]]\ntokens = ["{token}"]\noperator = "Example"\npurposes = ["research"]\nsource = "test"\n'
        f'verification = {{ address_lists = ["{site.origin}{path}"] }}\n'
        for token, path in (("GoodBot", "/good.json"), ("BadBot", "/private/bad.json"), ("OtherBot", "/good.json"))
    ]
    (folder / "bots.toml").write_text("\n".join(tables), encoding="utf-8")
    return site


def call(run: Run, command: str, *arguments: str) -> Any:
    return run("agents", command, *arguments, "--agents-registry", "bots.toml")


def test_refresh_writes_the_lists(run: Run, folder: Path, operator: Site) -> None:
    ran = call(run, "refresh", "addresses.json", "GoodBot")
    assert ran == (0, f"updated  {operator.origin}/good.json\n", "")
    [entry] = json.loads((folder / "addresses.json").read_bytes())["lists"]
    assert entry["prefixes"] == ["198.51.100.0/24", "2606:4700::/32"]
    assert {request.headers["user-agent"].split("/")[0] for request in operator.requests} == {"canfetch"}


def test_refresh_reports_lists_that_cannot_be_fetched(run: Run, operator: Site) -> None:
    ran = call(run, "refresh", "addresses.json", "goodbot", "BadBot", "--format", "json", "--user-agent", "MyBot/1.0")
    assert (ran.code, ran.err) == (1, "")
    good, bad = json.loads(ran.out)
    assert good == {"url": f"{operator.origin}/good.json", "status": "updated", "reason": None}
    assert (bad["status"], bad["reason"]) == ("failed", "not fetched: disallowed: line 2, Disallow: /private/")
    assert {request.headers["user-agent"] for request in operator.requests} == {"MyBot/1.0"}
    assert operator.count("/private/bad.json") == 0


def test_refresh_of_private_addresses_can_be_refused(run: Run, folder: Path, operator: Site) -> None:
    ran = call(run, "refresh", "addresses.json", "GoodBot", "--public-only", "--proxy", "none")
    assert (ran.code, ran.err) == (1, "")
    assert "failed" in ran.out
    assert operator.requests == []
    assert not (folder / "addresses.json").exists()


def test_addresses_shows_the_age_of_each_list(run: Run, operator: Site) -> None:
    call(run, "refresh", "addresses.json", "GoodBot")
    ran = call(run, "addresses", "addresses.json", "GoodBot", "BadBot")
    assert (ran.code, ran.err) == (1, "")
    heading, good, bad = (line.split() for line in ran.lines)
    assert heading == ["FETCHED", "AGE", "PREFIXES", "STATUS", "LIST"]
    assert good[1:] == ["0", "hours", "2", "current", f"{operator.origin}/good.json"]
    assert bad == ["-", "-", "0", "missing", f"{operator.origin}/private/bad.json"]
    ran = call(run, "addresses", "addresses.json", "GoodBot", "--format", "ndjson")
    row = json.loads(ran.out)
    assert (ran.code, row["status"], row["prefixes"], row["crawlers"]) == (0, "current", 2, ["GoodBot", "OtherBot"])
    assert 0 <= row["age_seconds"] < 600
    assert row["fetched_at"].endswith("Z")


@pytest.mark.parametrize("form", ["text", "csv"])
def test_addresses_shows_lists_of_all_crawlers(run: Run, folder: Path, form: str) -> None:
    unknown = {"url": "https://example.com/\x1b[1m", "fetched_at": "2020-01-02T03:04:05Z", "prefixes": ["192.0.2.1"]}
    lists = {"schema": "canfetch.address-lists/1", "lists": [unknown]}
    (folder / "addresses.json").write_text(json.dumps(lists), encoding="utf-8")
    ran = run("agents", "addresses", "addresses.json", "--format", form)
    assert (ran.code, ran.err) == (1, "")
    urls = {url for crawler in CRAWLERS for url in crawler.verification.address_lists}
    rows = ran.lines[1:] if form == "text" else list(csv.DictReader(io.StringIO(ran.out)))
    assert len(rows) == len(urls) + 1
    old = next(row for row in rows if "2020-01-02T03:04:05Z" in str(row))
    assert "old" in str(old)
    assert "\x1b" not in ran.out
    if form == "text":
        assert " days " in old


@pytest.mark.usefixtures("operator")
@pytest.mark.parametrize(
    "addresses, code, statuses",
    [
        ([LISTED], 0, ["verified"]),
        ([LISTED, OTHER], 1, ["verified", "impostor"]),
        ([OTHER, "127.0.0.1", LISTED], 2, ["impostor", "undecided", "verified"]),
    ],
)
def test_verify_by_published_addresses(run: Run, addresses: list[str], code: int, statuses: list[str]) -> None:
    call(run, "refresh", "addresses.json", "GoodBot")
    options = ("--addresses", "addresses.json")
    ran = call(run, "verify", "Mozilla/5.0 (compatible; GoodBot/1.0)", *addresses, *options)
    assert (ran.code, ran.err) == (code, "")
    assert [line.split()[:2] for line in ran.lines] == [list(pair) for pair in zip(statuses, addresses, strict=True)]
    rows = json.loads(call(run, "verify", "GoodBot", *addresses, *options, "--format", "json").out)
    assert [row["status"] for row in rows] == statuses
    assert {row["crawler"] for row in rows} == {"GoodBot"}


def test_verify_without_a_method_is_undecided(run: Run) -> None:
    ran = run("agents", "verify", "Googlebot", OTHER, "--no-dns")
    assert (ran.code, ran.out.split()[:2], ran.err) == (2, ["undecided", OTHER], "")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("verify", "GoogleBott", OTHER), "unknown crawler 'GoogleBott': did you mean 'Googlebot'?"),
        (("verify", "Perplexity", OTHER), "unknown crawler 'Perplexity': did you mean 'PerplexityBot' or "),
        (("verify", "Googlebot", "example.com"), "invalid address 'example.com': expected an IP address"),
        (("verify", "Googlebot", OTHER, "--addresses", "nowhere.json"), "cannot read --addresses 'nowhere.json'"),
        (("verify", "Googlebot", OTHER, "--addresses", "robots.txt"), "invalid --addresses 'robots.txt': "),
        (("refresh", "addresses.json", "NoSuchBot"), "unknown crawler 'NoSuchBot'"),
        (("refresh", "robots.txt", "GPTBot"), "robots.txt: invalid JSON; remove the file, or choose another path"),
        (("refresh", "addresses.json", "CCBot-none"), "unknown crawler"),
        (("refresh", "addresses.json", "ia_archiver"), "the operators of these crawlers publish no addresses"),
        (
            ("addresses", "nowhere.json"),
            "cannot read 'nowhere.json': no such file; 'canfetch agents refresh nowhere.json' ",
        ),
        (("addresses", "https://x.example/a"), "cannot read 'https://x.example/a': expected a file, not a URL\n"),
        (("addresses", "robots.txt"), "invalid 'robots.txt': "),
        (("addresses", "robots.txt", "--max-age", "-1"), "invalid value for '--max-age'"),
        (("refresh", "addresses.json", "--timeout", "nan"), "invalid --timeout nan"),
    ],
)
def test_invalid_arguments(run: Run, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    ran = run("agents", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message in ran.err
    assert folder.exists()


def test_refresh_to_a_folder_that_does_not_exist(run: Run, operator: Site) -> None:
    ran = call(run, "refresh", "nowhere/addresses.json", "GoodBot")
    assert ran.refusal == "canfetch: cannot write 'nowhere/addresses.json': the folder 'nowhere' does not exist\n"
    assert not operator.requests


@pytest.mark.usefixtures("operator")
def test_refresh_of_a_locked_file(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.client.identity.refreshing.FileLock", partial(FileLock, timeout=0.0))
    with closing(FileLock(str(folder / "addresses.json.lock"))):
        ran = call(run, "refresh", "addresses.json", "GoodBot")
    assert ran.refusal == "canfetch: cannot lock 'addresses.json': another process has locked it\n"


@pytest.mark.usefixtures("operator")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_refresh_keeps_a_link_and_the_permissions_of_its_file(run: Run, folder: Path) -> None:
    assert call(run, "refresh", "real.json", "GoodBot").code == 0
    (folder / "real.json").chmod(0o600)
    (folder / "link.json").symlink_to("real.json")
    before = (folder / "real.json").stat().st_ino
    assert call(run, "refresh", "link.json", "GoodBot").code == 0
    assert (folder / "link.json").is_symlink()
    after = (folder / "real.json").stat()
    assert (after.st_mode & 0o777, after.st_ino != before) == (0o600, True)
