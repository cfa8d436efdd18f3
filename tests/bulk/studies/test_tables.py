"""The tables of `canfetch study`: classes without a file, crawl delays, rankings, publishers and crawls."""

import csv
from collections import Counter
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bulk.studies.test_studies import BLOCKED, dated, drawn_axes, shares, study
from tests.bulk.warc_files import compressed, record, response

from canfetch.bulk.archives import archive_job
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.resolution import ResolvedFile
from canfetch.bulk.reading.captures import Capture
from canfetch.bulk.studies import RECIPES, recipes
from canfetch.bulk.studies import named_agents as ranking
from canfetch.bulk.studies.plot import period_start
from canfetch.bulk.studies.study_job import StudyOptions, count_study
from canfetch.core.verdict import Effect
from canfetch.errors import StoreError

Run = Any
DELAYS = b"""\
Crawl-delay: 99
User-agent: *
Crawl-delay: 10
Disallow:

User-agent: bingbot
Crawl-delay: 2.5
Crawl-delay: 1
Disallow:

User-agent: GPTBot
Crawl-delay: 5s
Disallow:
"""
NAMES = b"User-agent: *\nUser-agent: GPTBot\nUser-agent: gptbot/1.1 # OpenAI\nUser-agent: Kangaroo Bot\nDisallow: /\n"


@pytest.mark.parametrize("name", list(RECIPES))
def test_classes_without_a_file_have_rows_in_each_period(folder: Path, run: Run, name: str) -> None:
    records = [
        dated("a.example", b"User-agent: x\nCrawl-delay: 3\nDisallow: /a\n", "2024-01-01T00:00:00Z"),
        dated("a.example", BLOCKED, "2024-02-01T00:00:00Z"),
        record("https://b.example/robots.txt", b"HTTP/1.1 404 x\r\n\r\n", time="2024-03-01T00:00:00Z"),
    ]
    rows = study(folder, run, name, records, "--agent", "GPTBot")
    tables = {period: {key[1:] for key in rows if key[0] == period} for period in ("2024-01", "2024-02")}
    assert tables["2024-01"] == tables["2024-02"]
    assert {key[0] for key in rows} <= {*tables, "2024-03"}
    for key, (files, share) in rows.items():
        total = sum(count for other, (count, _) in rows.items() if other[:3] == key[:3])
        # Without files, there is no share.
        assert share == files / total if total else share != share, key  # noqa: PLR0124 - NaN
    counts = Counter(key[2] for key in rows if key[0] == "2024-01" and key[1] == "GPTBot")
    expected = {"exact/1": 4, "imc-2025/1": 3, "common-crawl/1": 4, "named": 2, "crawl-delay/1": 9}
    assert {measure: expected[measure] for measure in counts if measure in expected} == {
        measure: count for measure, count in counts.items() if measure in expected
    }


def test_classes_have_their_order(folder: Path, run: Run) -> None:
    study(folder, run, "consent-in-crisis", [response("a.example", BLOCKED)], "--agent", "GPTBot")
    with (folder / "out.csv").open(encoding="utf-8", newline="") as stream:
        rows = [(row["measure"], row["class"]) for row in csv.DictReader(stream) if row["subject"] == "GPTBot"]
    assert rows[:3] == [("consent-in-crisis-published/1", label) for label in ("all", "some", "none")]


def test_crawl_delays(folder: Path, run: Run) -> None:
    records = [
        response("a.example", DELAYS),
        response("b.example", b"User-agent: *\nDisallow: /\n"),
        response("c.example", b"User-agent: *\nCrawl-delay: 100000\n"),
        response("d.example", b"User-agent: *\nCrawl-delay: 0\n"),
        # A line before all groups applies to no agent.
        response("e.example", b"Crawl-delay: 3\nUser-agent: *\nDisallow:\n"),
        response("f.example", status=404),
    ]
    rows = study(folder, run, "crawl-delay", records, "--period", "none", "--agent", "bingbot", "--agent", "GPTBot")
    found = {
        subject: {(key[2], key[3]): files for key, (files, _) in rows.items() if key[1] == subject and files}
        for subject in ("file", "*", "bingbot", "GPTBot")
    }
    delays, seconds = "crawl-delay/1", "crawl-delay-seconds/1"
    others = {
        (delays, "none"): 2,
        (delays, "0 s"): 1,
        (delays, "over 60 s"): 1,
        (seconds, "0"): 1,
        (seconds, "over 86400"): 1,
    }
    ten = {(delays, "up to 10 s"): 1, (seconds, "10"): 1}
    # The longest of all groups, and of those for an agent.
    assert found["file"] == others | ten
    assert found["*"] == others | ten
    assert found["bingbot"] == others | {(delays, "up to 5 s"): 1, (seconds, "2.5"): 1}
    assert found["GPTBot"] == others | {(delays, "invalid"): 1}
    assert rows["", "file", delays, "up to 10 s"] == (1, 0.2)
    # Exact values are shares of the files with a delay.
    assert rows["", "file", seconds, "10"] == (1, 1 / 3)


def test_exact_values_are_in_the_order_of_numbers(folder: Path, run: Run) -> None:
    records = [
        response(f"{number}.example", f"User-agent: *\nCrawl-delay: {delay}\n".encode())
        for number, delay in enumerate(("10", "2", "0,5", "1000000", "1.994"))
    ]
    rows = study(folder, run, "crawl-delay", records, "--agent", "GPTBot")
    labels = [key[3] for key in rows if key[1:3] == ("GPTBot", "crawl-delay-seconds/1")]
    assert labels == ["0.5", "2", "10", "over 86400"]
    assert rows["2026-05", "GPTBot", "crawl-delay-seconds/1", "2"] == (2, 0.4)


@pytest.mark.parametrize(
    "delay, label, seconds",
    [
        ("0", "0 s", "0"),
        ("0.004", "up to 1 s", "0.01"),
        ("0.07", "up to 1 s", "0.07"),
        ("1.004", "up to 5 s", "1.01"),
        ("59.99", "up to 60 s", "60"),
        ("60.01", "over 60 s", "60.1"),
        ("3600", "over 60 s", "3600"),
        ("1234", "over 60 s", "1240"),
        ("86399.5", "over 60 s", "86400"),
        ("86400.5", "over 60 s", "over 86400"),
    ],
)
def test_both_measures_of_a_delay_agree(delay: str, label: str, seconds: str) -> None:
    capture = Capture("a.example", "a.example/robots.txt", 0.0, 200, (), b"", "x", 0)
    content = f"User-agent: *\nCrawl-delay: {delay}\n".encode()
    file = ResolvedFile(capture, None, Effect.CONDITIONAL_ALLOW, "", capture.url, (), content)
    cells = [cell.label for cell in RECIPES["crawl-delay"].cells(file, ()) if cell.subject == "file"]
    assert cells == [label, seconds]


@given(st.lists(st.floats(0, 86_400), min_size=1, max_size=50))
def test_the_classes_of_exact_values_have_three_digits(delays: list[float]) -> None:
    for delay in delays:
        rounded = recipes._rounded(delay)
        assert len(rounded.replace(".", "").strip("0")) <= 3
        assert delay <= float(rounded) <= max(delay * 1.01, delay + 0.0101)


def test_contents(folder: Path, run: Run) -> None:
    many = b"".join(b"Sitemap: https://x.example/%d\n" % number for number in range(1_001))
    records = [
        response("a.example", b"Sitemap: https://a.example/s\nUser-agent: *\nDisallow: /\nFoo: bar\n"),
        # Lines without a value are not sitemaps, but records.
        response("b.example", b"Sitemap:\nhttps://b.example/s\nSitemap:\n"),
        response("c.example", b"User-agent: *\nDisallow /x\n"),
        response("d.example", b"<html>\n<p>x"),
        response("e.example", many),
        response("f.example", b"# a: comment\n\n"),
        response("g.example", status=404),
    ]
    rows = study(folder, run, "contents", records, "--period", "none")
    found = {key[2:]: files for key, (files, _) in rows.items()}
    assert found == {
        ("sitemaps/1", "0"): 4,
        ("sitemaps/1", "1"): 1,
        ("sitemaps/1", "1001"): 1,
        ("syntax/1", "errors"): 2,
        ("syntax/1", "no-errors"): 4,
    }


def test_ranking_of_agents(folder: Path, run: Run) -> None:
    records = [
        response("a.example", NAMES),
        response("b.example", b"User-agent: gptbot\nUser-agent: GPTBot\nDisallow:\n"),
        response("c.example", b"user agent: *\nDisallow:\n"),
        response("d.example", b""),
        response("e.example", status=404),
    ]
    rows = study(folder, run, "agents", records, "--period", "none")
    named = [(key[1], files) for key, (files, _) in rows.items() if key[2:] == ("named/1", "named")]
    assert named == [("*", 2), ("gptbot", 2), ("kangaroo", 1)]
    written = [(key[1], files) for key, (files, _) in rows.items() if key[2:] == ("named-as-written/1", "named")]
    assert written == [("*", 2), ("GPTBot", 2), ("Kangaroo Bot", 1), ("gptbot", 1), ("gptbot/1.1", 1)]
    # Of all files, including those that name no agent.
    assert rows["", "gptbot", "named/1", "named"] == (2, 0.5)
    assert rows["", "gptbot", "named/1", "not-named"] == (2, 0.5)


def test_ranking_of_some_agents(folder: Path, run: Run) -> None:
    records = [dated("a.example", NAMES, "2024-01-01T00:00:00Z"), dated("a.example", b"", "2024-02-01T00:00:00Z")]
    rows = study(folder, run, "agents", records, "--agent", "GPTBot", "--agent", "CCBot")
    named = {key: files for key, (files, _) in rows.items() if key[3] == "named"}
    assert named == {
        ("2024-01", "gptbot", "named/1", "named"): 1,
        ("2024-01", "ccbot", "named/1", "named"): 0,
        ("2024-01", "GPTBot", "named-as-written/1", "named"): 1,
        ("2024-01", "gptbot/1.1", "named-as-written/1", "named"): 1,
        ("2024-02", "gptbot", "named/1", "named"): 0,
        ("2024-02", "ccbot", "named/1", "named"): 0,
        ("2024-02", "GPTBot", "named-as-written/1", "named"): 0,
        ("2024-02", "gptbot/1.1", "named-as-written/1", "named"): 0,
    }


def test_the_ranking_of_hostile_files_is_bounded(folder: Path, run: Run) -> None:
    names = ["*", "a" * 200, *[f"x{number}" for number in range(1_200)]]
    many = "".join(f"User-agent: {name}\n" for name in names).encode()
    rows = study(folder, run, "agents", [response("a.example", many)], "--period", "none")
    named = [key[1] for key in rows if key[2:] == ("named-as-written/1", "named")]
    assert len(named) == 1_000
    assert max(map(len, named)) == 100


def names(**periods: str) -> list[Counter[tuple[str, str, str, str]]]:
    """Return the counts of files in their order, of which each names one agent: a letter."""
    return [
        Counter({(period, "", "named/1", ""): 1, (period, name, "named/1", "named"): 1})
        for period, files in periods.items()
        for name in files
    ]


def test_rare_names_are_dropped_in_all_periods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "_MAX_COUNTS", 6)
    monkeypatch.setattr(ranking, "_SHOWN", 1)
    counts = ranking.sum_of_names(names(p1="aaaabbc", p2="abcdefgh"))
    found = {(key[0], key[1]): files for key, files in counts.items() if key[1]}
    # In the second period, all names have one file.
    assert found == {("p1", "a"): 4, ("p1", "b"): 2, ("p1", "c"): 1, **{("p2", name): 1 for name in "abc"}}
    assert (counts["p1", "", "named/1", ""], counts["p2", "", "named/1", ""]) == (7, 8)


def test_the_names_of_the_table_are_not_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "_MAX_COUNTS", 2)
    monkeypatch.setattr(ranking, "_SHOWN", 1)
    periods = {f"p{number}": "a" for number in range(20)}
    counts = ranking.sum_of_names(names(**periods, last="bcdefghijklmnopqrstuvwxyz"))
    assert sum(files for key, files in counts.items() if key[1] == "a") == 20


def test_the_ranking_does_not_depend_on_the_part_that_is_complete_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_job, "_CAPTURES_PER_PART", 1)
    monkeypatch.setattr(ranking, "_MAX_COUNTS", 4)
    monkeypatch.setattr(ranking, "_SHOWN", 2)
    store = tmp_path / "store"
    with CaptureStore(store) as captures:
        captures.begin_source(0, "x")
        for number, name in enumerate("aabcdeedcb"):
            url = f"https://{number}.example"
            content = f"User-agent: {name}\n".encode()
            captures.add(0, Capture(url, f"{url}/robots.txt", 0.0, 200, (), content, "x", number))
        captures.finish_source(0)
        captures.finish()
    options = StudyOptions("agents", (), "month", "rfc9309")
    found = []
    for kept in ([], [4, 5, 6], [9]):
        folder = tmp_path / f"run-{len(kept)}"
        folder.mkdir()
        for number in kept:
            copy(tmp_path / "run-0" / f"counts-{number:08d}.json", folder)
        found.append(count_study(store, folder, options, processes=1, advance=lambda _: None))
    assert found[0] == found[1] == found[2]
    assert {row[2] for row in found[0]} >= {"a"}
    # The counts of a part can be lost before they are added.
    folder = tmp_path / "run-0"

    def lose(_: int) -> None:
        (folder / "counts-00000003.json").unlink(missing_ok=True)

    with pytest.raises(StoreError, match=r"counts-00000003\.json.* is damaged or missing: run the command again"):
        count_study(store, folder, options, processes=1, advance=lose)


def test_news_publishers(folder: Path, run: Run) -> None:
    records = [
        response("a.example", BLOCKED),
        response("b.example", b"User-agent: GPTBot\nDisallow: /\n"),
        response("c.example", b"User-agent: GPTBot\nDisallow: /x\n"),
        response("d.example", b"User-agent: *\nDisallow: /\n"),
    ]
    agents = ("--agent", "GPTBot", "--agent", "CCBot", "--period", "none")
    rows = study(folder, run, "news-publishers", records, *agents)
    found = {key[3]: files for key, (files, _) in rows.items() if key[1:3] == ("file", "blocked-agents/1")}
    assert found == {"all": 2, "some": 1, "none": 1, "undecided": 0}
    assert rows["", "GPTBot", "exact/1", "disallow-all"] == (3, 0.75)


def test_a_table_for_each_crawl(folder: Path, run: Run) -> None:
    for name, content in (
        ("crawl-data/CC-MAIN-2025-05/robotstxt/CC-MAIN-20250112012345-20250112042345-00000.warc.gz", b""),
        ("crawl-data/CC-MAIN-2025-38/robotstxt/CC-MAIN-20250905112101-20250905142101-00001.warc.gz", BLOCKED),
        ("CC-MAIN-2012.warc.gz", BLOCKED),
        ("CC-MAIN-20250905112101-20250905142101-00001.warc.gz", BLOCKED),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        # The names of the crawls count, and not the times.
        (folder / name).write_bytes(compressed([dated("a.example", content, "2025-09-05T00:00:00Z")]))
    archives = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.warc.gz"))]
    done = run("study", "imc-2025", *archives, "-o", "out.csv", "--period", "crawl", "--agent", "GPTBot", "-j1")
    assert done.code == 0, done.err
    with (folder / "out.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["measure"] == "imc-2025/1" and row["files"] != "0"]
    assert {row["period"]: row["class"] for row in rows if row["subject"] == "GPTBot"} == {
        "": "fully-disallowed",
        "CC-MAIN-2012": "fully-disallowed",
        "CC-MAIN-2025-05": "no-restrictions",
        "CC-MAIN-2025-38": "fully-disallowed",
    }


@pytest.mark.parametrize(
    "period, day",
    [
        ("CC-MAIN-2025-05", "2025-01-27"),
        ("CC-MAIN-2016-36", "2016-09-05"),
        ("CC-MAIN-2020-53", "2020-12-28"),
        # This year has 52 weeks.
        ("CC-MAIN-2021-53", "2021-01-01"),
        ("CC-MAIN-2012", "2012-01-01"),
        ("CC-MAIN-2009-2010", "2009-01-01"),
        ("2026-05", "2026-05-01"),
    ],
)
def test_the_day_of_a_period(period: str, day: str) -> None:
    # The days of crawls are those of Common Crawl's own table.
    assert period_start(period).isoformat() == day


@pytest.mark.slow
def test_a_plot_of_crawls(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*shares("", 0.5), *shares("CC-MAIN-2025-05", 0.1), *shares("CC-MAIN-2025-38", 0.2)]
    # A subject without files in a period has no share.
    rows += [("definitions", "CC-MAIN-2025-51", "GPTBot", "exact/1", "disallow-all", 0, None)]
    axes = drawn_axes(monkeypatch, rows)
    (line,) = axes.get_lines()
    x, y = line.get_xdata(orig=False), line.get_ydata()
    assert list(y) == [10, 20]
    assert x[1] - x[0] == 231
    assert axes.figure.get_supxlabel() == "100 files without a time or crawl not shown"
