"""`canfetch explain --all-profiles`: one line for each profile, and a summary."""

import csv
import io
import json
from typing import Any

import pytest
from tests.conftest import need_native
from tests.servers.valid import respond
from tests.servers.web import Site

import canfetch

Run = Any
# Profiles differ on this file: a blank line, and a first rule that is less specific.
BLANK = "User-agent: FooBot\n\nDisallow: /a\nAllow: /b\n\nUser-agent: *\nDisallow: /a\nAllow: /a/b\n"


def test_every_profile_has_a_line_and_differences_are_marked(run: Run) -> None:
    ran = run("explain", "/a/c", "--agent", "FooBot", "--robots", "-", "--all-profiles", "--exact", stdin=BLANK)
    assert ran.code == 1
    assert ran.out == (
        "FooBot, /a/c\n"
        "  rfc9309       disallowed  line 3, Disallow: /a\n"
        "  strict        disallowed  line 3, Disallow: /a\n"
        "  google2019    disallowed  line 3, Disallow: /a\n"
        "  google        disallowed  line 3, Disallow: /a\n"
        "  googlebot     disallowed  line 3, Disallow: /a\n"
        "  bing          disallowed  line 3, Disallow: /a\n"
        "! yandex        allowed     no rule for FooBot matches\n"
        "  draft1996     disallowed  line 7, Disallow: /a\n"
        "  original1994  disallowed  line 7, Disallow: /a\n"
        "  1 of 9 profiles differs from rfc9309: yandex\n"
    )


@pytest.mark.parametrize("chosen", ["python", "native", "both"])
def test_every_engine_compares_all_profiles(run: Run, chosen: str) -> None:
    if chosen != "python":
        need_native()
    arguments = ("explain", "--agent", "FooBot", "--all-profiles", "--exact", "--engine", chosen)
    ran = run(*arguments, "/a/c", "--robots", "-", stdin=BLANK)
    assert (ran.code, ran.err) == (1, "")
    assert ran.lines[-1] == "  1 of 9 profiles differs from rfc9309: yandex"
    with Site() as site:
        fetched = run(*arguments, f"{site.origin}/fish", "--store", "none")
    assert (fetched.code, fetched.err) == (0, "")
    assert len(fetched.lines) == 11


def test_profile_option_selects_the_base_of_the_comparison(run: Run) -> None:
    arguments = ("explain", "/a", "/b", "--agent", "FooBot", "--agent", "BarBot", "--robots", "-", "--all-profiles")
    ran = run(*arguments, "--profile", "yandex", stdin=BLANK)
    blocks = ran.out.split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == ["FooBot, /a", "BarBot, /a", "FooBot, /b", "BarBot, /b"]
    assert [block.splitlines()[-1].strip() for block in blocks] == [
        f"8 of 9 profiles differ from yandex: {', '.join(name for name in canfetch.PROFILES if name != 'yandex')}",
        "all 9 profiles agree here; draft1996 differs on /a/b",
        "all 9 profiles agree here; rfc9309 differs on /a",
        "all 9 profiles agree here; draft1996 differs on /a/b",
    ]


def test_equal_readings_have_no_difference_elsewhere(run: Run) -> None:
    simple = b"User-agent: *\nDisallow: /a/\n"
    ran = run("explain", "/b", "/c", "--agent", "FooBot", "--robots", "-", "--all-profiles", stdin=simple)
    assert [line for line in ran.lines if "agree" in line] == ["  all 9 profiles agree"] * 2


@pytest.mark.parametrize("form", ["json", "ndjson", "csv"])
def test_json_and_csv_have_a_verdict_for_each_profile(run: Run, form: str) -> None:
    arguments = ("explain", "/a", "--agent", "FooBot", "--robots", "-", "--all-profiles", "--format", form)
    out = run(*arguments, stdin=BLANK).out
    if form == "json":
        rows = json.loads(out)
    elif form == "ndjson":
        rows = [json.loads(line) for line in out.splitlines()]
    else:
        rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["profile"] for row in rows] == list(canfetch.PROFILES)
    assert [row["allowed"] in (True, "true") for row in rows].count(True) == 1


@pytest.mark.parametrize(
    "body, code", [(BLANK, 1), ("User-agent: *\nDisallow: /b\n", 0), ("User-agent: *\n\nDisallow: /\n", 1)]
)
def test_exit_code_is_1_if_any_profile_disallows(run: Run, body: str, code: int) -> None:
    for quiet in ([], ["--quiet"]):
        ran = run("explain", "/a", "--agent", "FooBot", "--robots", "-", "--all-profiles", *quiet, stdin=body)
        assert ran.code == code
        assert bool(ran.out) is not bool(quiet)


def test_invalid_url_is_reported_once(run: Run) -> None:
    ran = run("explain", "nonsense", "/b", "--agent", "FooBot", "--robots", "-", "--all-profiles", stdin=BLANK)
    assert ran.code == 2
    assert ran.err.count("nonsense") == 1
    assert ran.out.startswith("FooBot, /b\n")


def test_file_is_fetched_once_for_all_profiles(run: Run, site: Site) -> None:
    site.serve("/robots.txt", respond(BLANK.encode()))
    ran = run("explain", f"{site.origin}/a", "--agent", "FooBot", "--all-profiles")
    assert ran.code == 1
    assert "! yandex        allowed     no rule for FooBot matches\n" in ran.out
    assert site.count("/robots.txt") == 1


def test_without_a_file_the_profiles_agree(run: Run, site: Site) -> None:
    site.serve("/robots.txt", respond(b"", status=404))
    ran = run("explain", f"{site.origin}/a", "--agent", "FooBot", "--all-profiles")
    assert (ran.code, ran.out.count("allowed")) == (0, 9)
    assert "all 9 profiles agree" in ran.out


def test_evidence_and_all_profiles_are_refused_together(run: Run) -> None:
    ran = run("explain", "/a", "--agent", "a", "--robots", "-", "--all-profiles", "--evidence", "e", stdin="")
    assert ran.code == 2
    assert "--evidence and --all-profiles cannot be used together" in ran.err


@pytest.mark.parametrize("profile", ["draft1996", "original1994"])
def test_first_match_profiles_are_explained_without_specificity(run: Run, profile: str) -> None:
    body = "User-agent: *\nDisallow: /a\nDisallow: /a/b\n"
    ran = run("explain", "/a/b", "--agent", "x", "--robots", "-", "--profile", profile, stdin=body)
    assert "line 2 decides: the first matching rule wins" in ran.out
    assert "Disallow: /a/b  later line\n" in ran.out
