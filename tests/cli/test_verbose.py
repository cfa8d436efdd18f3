"""`--verbose` logs fetches on standard error."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import sites

Run = Any
LIVE = ("--agent", "GPTBot", "--store", "none")


def test_fetches_are_logged_with_verbose_only(run: Run) -> None:
    with sites("rules", "busy") as [ruled, busy]:
        urls = (f"{ruled.origin}/fish", f"{busy.origin}/fish")
        assert run("check", *urls, *LIVE).err == ""
        ran = run("check", *urls, *LIVE, "-v", "--format", "json")
        twice = run("check", *urls, *LIVE, "-vv")
    assert len(json.loads(ran.out)) == 2
    fetched, failed = sorted(ran.err.splitlines(), reverse=True)
    assert fetched.startswith(f"canfetch: fetched {ruled.origin}/robots.txt: status 200, 0 redirects, ")
    assert failed.startswith(f"canfetch: cannot fetch {busy.origin}/robots.txt: status 503, 0 redirects, ")
    lines = sorted(line.partition(": ")[2] for line in twice.err.splitlines())
    assert [line.split()[0] for line in lines] == ["cannot", "fetched", "requested", "requested"]


@pytest.mark.parametrize(
    "arguments",
    [("fetch",), ("sitemaps",), ("lint",), ("page", "--agent", "GPTBot"), ("explain", "--agent", "GPTBot")],
    ids=["fetch", "sitemaps", "lint", "page", "explain"],
)
def test_every_command_that_fetches_can_be_verbose(run: Run, arguments: tuple[str, ...]) -> None:
    with sites("rules") as [site]:
        ran = run(*arguments, f"{site.origin}/", "--store", "none", "--verbose")
    assert f"canfetch: fetched {site.origin}/robots.txt: status 200" in ran.err


def test_verbose_is_accepted_with_a_local_file(run: Run) -> None:
    assert run("check", "/x", "--agent", "a", "--robots", "robots.txt", "-v").err == ""


def test_unreadable_segment_is_reported(run: Run, folder: Path) -> None:
    (folder / "evidence" / "evidence-x.ndjson").mkdir(parents=True)
    ran = run("check", "/x", "--agent", "a", "--robots", "robots.txt", "--evidence", "evidence")
    first, *_, last = ran.err.splitlines()
    assert first.startswith(f"canfetch: {folder / 'evidence' / 'evidence-x.ndjson'}: cannot be read (")
    assert last.startswith("canfetch: evidence head: ")


def test_list_that_does_not_exist_leaves_no_segment(run: Run, folder: Path) -> None:
    ran = run("check", "--urls-file", "nowhere", "--agent", "a", "--robots", "robots.txt", "--evidence", "evidence")
    assert ran.code == 2
    assert not (folder / "evidence").exists()
