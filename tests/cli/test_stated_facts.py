"""The pace that a file states, in `check`, `matrix` and `fetch`: one JSON form, and nothing without a statement."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import serving
from tests.servers.valid import respond

Run = Any
UNKEPT = ("--store", "none")
PACED = "User-agent: *\nCrawl-delay: 10\nDisallow: /x\n\nUser-agent: GPTBot\nRequest-rate: 1/5\n"
QUIET = "User-agent: *\nDisallow: /x # no delay, no rate and no visit\n"


def closed_file() -> str:
    """Return a file whose window was an hour ago."""
    start, end = time.gmtime(time.time() - 7200), time.gmtime(time.time() - 3600)
    return f"User-agent: *\nVisit-time: {time.strftime('%H%M', start)}-{time.strftime('%H%M', end)}\nDisallow: /x\n"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    for name, content in (("paced.txt", PACED), ("quiet.txt", QUIET), ("closed.txt", closed_file())):
        (folder / name).write_text(content)


def test_check_shows_the_pace_of_each_agent_once(run: Run) -> None:
    agents = ("--agent", "a", "--agent", "GPTBot", "--agent", "b", "--agent", "Googlebot")
    ran = run("check", "/x", "/y", *agents, "--robots", "paced.txt")
    assert ran.lines[:4] == [
        "# a, b: 10 s between requests (line 2)",
        "# GPTBot: 1 request in 5 s (line 6)",
        "# Googlebot: 10 s between requests (line 2), which it ignores",
        "disallowed  /x  a          line 3, Disallow: /x",
    ]
    assert ran.out.count("#") == 3


def test_matrix_shows_the_pace_above_the_table(run: Run) -> None:
    ran = run("matrix", "/x", "/y", "--agent", "a", "--agent", "GPTBot", "--robots", "paced.txt")
    assert ran.lines[:3] == [
        "# a: 10 s between requests (line 2)",
        "# GPTBot: 1 request in 5 s (line 6)",
        "URL      a        GPTBot",
    ]


@pytest.mark.parametrize("command", ["check", "matrix"])
@pytest.mark.parametrize("form", ["text", "ndjson"])
def test_nothing_is_shown_if_the_file_states_nothing(run: Run, command: str, form: str) -> None:
    ran = run(command, "/x", "--agent", "a", "--robots", "quiet.txt", "--format", form)
    assert "#" not in ran.out
    assert '"pace"' not in ran.out


@pytest.mark.slow
def test_json_has_the_value_of_facts(run: Run) -> None:
    asked = ("--agent", "GPTBot", "--format", "ndjson")
    [row] = json.loads(run("facts", "paced.txt", *asked).out)["crawlers"]
    robots = ("--robots", "paced.txt")
    checked, explained = (json.loads(run(name, "/x", *asked, *robots).out) for name in ("check", "explain"))
    table = json.loads(run("matrix", "/x", "--agent", "a", *asked, *robots).out)
    assert checked["pace"] == explained["pace"] == table["pace"]["GPTBot"] == row["pace"]
    assert table["pace"]["a"]["crawl_delay"] == 10


@pytest.mark.parametrize("command", ["check", "matrix"])
def test_an_invalid_url_has_no_pace(run: Run, command: str) -> None:
    ran = run(command, "/x", "nonsense", "--agent", "a", "--robots", "paced.txt", "--format", "ndjson")
    assert ["pace" in json.loads(line) for line in ran.lines] == [True, False]


def test_a_pace_belongs_to_the_file_of_its_origin(run: Run, folder: Path) -> None:
    (folder / "files").mkdir()
    for name, content in (("a.example", PACED), ("b.example", QUIET), ("c.example", PACED)):
        (folder / "files" / f"{name}.txt").write_text(content)
    urls = [f"https://{host}.example/{path}" for path in "xy" for host in "abc"]
    ran = run("check", *urls, "--agent", "a", "--robots-dir", "files")
    found = [line for line in ran.lines if line.startswith("#")]
    assert found == [f"# files/{name}.example.txt: a: 10 s between requests (line 2)" for name in "ac"]
    assert ran.lines[0] == found[0]
    rows = json.loads(run("check", *urls, "--agent", "a", "--robots-dir", "files", "--format", "json").out)
    assert ["pace" in row for row in rows] == [True, False, True] * 2


def test_a_closed_window_has_the_time_at_which_it_opens(run: Run) -> None:
    arguments = ("/x", "--agent", "a", "--robots", "closed.txt")
    checked = run("check", *arguments)
    assert checked.lines[0].startswith("# a: visits at ")
    assert "; closed now, opens at 20" in checked.lines[0]
    pace = json.loads(run("check", *arguments, "--format", "ndjson").out)["pace"]
    assert (pace["may_visit_now"], checked.lines[0].endswith(pace["next_visit_at"])) == (False, True)


@pytest.mark.slow
def test_fetched_files_have_a_pace_also_while_their_window_is_closed(run: Run) -> None:
    with serving(respond(closed_file().encode(), "Content-Type: text/plain")) as site:
        url = site.url("x")
        checked = run("check", url, "--agent", "a", *UNKEPT)
        fetched = run("fetch", site.origin, "--agent", "a", *UNKEPT)
        row = json.loads(run("fetch", site.origin, "--agent", "a", "--format", "ndjson", *UNKEPT).out)
    assert checked.code == 1
    sentence = checked.lines[0].removeprefix("# ")
    assert "; closed now, opens at 20" in sentence
    assert f"  pace     {sentence}" in fetched.lines
    assert not row["pace"]["a"]["may_visit_now"]


@pytest.mark.slow
def test_fetch_shows_the_pace_of_the_star_group_without_an_agent(run: Run) -> None:
    with serving(respond(PACED.encode(), "Content-Type: text/plain")) as site:
        ran = run("fetch", site.origin, *UNKEPT)
        named = run("fetch", site.origin, *UNKEPT, "--agent", "GPTBot", "--agent", "bingbot")
        row = json.loads(run("fetch", site.origin, "--format", "ndjson", *UNKEPT).out)
    assert "  pace     *: 10 s between requests (line 2)" in ran.lines
    assert named.lines[-2:] == [
        "  pace     GPTBot: 1 request in 5 s (line 6)",
        "  pace     bingbot: 10 s between requests (line 2), which it reads as a window with one request",
    ]
    assert list(row["pace"]) == ["*"]


@pytest.mark.slow
def test_fetch_shows_no_pace_if_the_file_states_none_or_does_not_apply(run: Run) -> None:
    with serving(respond(QUIET.encode())) as quiet, serving(respond(PACED.encode(), status=503)) as failing:
        ran = run("fetch", quiet.origin, failing.origin, *UNKEPT)
        rows = json.loads(run("fetch", quiet.origin, failing.origin, "--format", "json", *UNKEPT).out)
    assert "  pace" not in ran.out
    assert not any("pace" in row for row in rows)


def test_more_rates_than_a_line_shows_are_counted(run: Run, folder: Path) -> None:
    rates = "".join(f"Request-rate: 1/{number}\n" for number in range(10, 15))
    (folder / "rates.txt").write_text(f"User-agent: *\n{rates}Disallow: /x\n")
    ran = run("check", "/x", "--agent", "a", "--robots", "rates.txt")
    assert ran.lines[0] == (
        "# a: 1 request in 14 s (line 6); 1 request in 13 s (line 5); 1 request in 12 s (line 4); 2 more"
    )
