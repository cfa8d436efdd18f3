"""The recipes of `canfetch study`: tables and plots."""

import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.warc_files import RULES, compressed, http_response, record, redirect, response

from canfetch.bulk.studies import DEFINITIONS, RECIPES, get_recipe
from canfetch.bulk.studies.plot import draw_study
from canfetch.errors import InvalidOption

Run = Any
BLOCKED = b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n"


def study(
    folder: Path, run: Run, name: str, records: list[bytes], *options: str
) -> dict[tuple[str, ...], tuple[int, float]]:
    """Run a study, and return its rows by period, subject, measure and class."""
    (folder / "robots.warc.gz").write_bytes(compressed(records))
    done = run("study", name, "robots.warc.gz", "-o", "out.csv", "--force", "-j1", *options)
    assert done.code == 0, done.err
    with (folder / "out.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["study"] for row in rows} <= {name}
    keys = ("period", "subject", "measure", "class")
    return {tuple(row[key] for key in keys): (int(row["files"]), float(row["share"] or "nan")) for row in rows}


def dated(host: str, body: bytes, time: str) -> bytes:
    return record(f"https://{host}/robots.txt", http_response(body), time=time)


def test_imc_2025_by_snapshot(folder: Path, run: Run) -> None:
    records = [
        dated("a.example", b"", "2024-01-01T00:00:00Z"),
        dated("b.example", BLOCKED, "2024-01-02T00:00:00Z"),
        dated("a.example", BLOCKED, "2024-02-01T00:00:00Z"),
        response("c.example", status=404),
    ]
    rows = study(folder, run, "imc-2025", records)
    measure = "imc-2025/1"
    assert rows["2024-01", "GPTBot", measure, "fully-disallowed"] == (1, 0.5)
    assert rows["2024-02", "GPTBot", measure, "fully-disallowed"] == (1, 1.0)
    assert rows["2024-02", "ClaudeBot", measure, "no-restrictions"] == (1, 1.0)
    assert rows["2024-01", "GPTBot", "imc-2025-mention/2", "mentioned"] == (1, 0.5)
    # The studies count files, not missing ones.
    assert {key[0] for key in rows} == {"2024-01", "2024-02"}
    # The agents of the paper, and any of them.
    assert len({key[1] for key in rows}) == 25


def test_imc_2025_any_agent(folder: Path, run: Run) -> None:
    records = [
        response("a.example", b"User-agent: CCBot\nDisallow: /\n"),
        response("b.example", b"User-agent: GPTBot\nDisallow: /x\n"),
        response("c.example", BLOCKED),
        response("d.example", b""),
    ]
    agents = ("--agent", "GPTBot", "--agent", "CCBot", "--period", "none")
    rows = study(folder, run, "imc-2025", records, *agents)
    any_agent = {key[2:]: files for key, (files, _) in rows.items() if key[1] == "any agent" and files}
    assert any_agent == {
        ("imc-2025/1", "fully-disallowed"): 2,
        ("imc-2025/1", "partially-disallowed"): 1,
        ("imc-2025/1", "no-restrictions"): 1,
        ("imc-2025-mention/2", "mentioned"): 3,
        ("imc-2025-mention/2", "not-mentioned"): 1,
        ("imc-2025-explicit-allow/2", "other"): 4,
        ("exact/1", "disallow-all"): 2,
        ("exact/1", "allow-part"): 1,
        ("exact/1", "allow-all"): 1,
    }
    assert {subject for _, subject, _, _ in rows} == {"GPTBot", "CCBot", "any agent"}


def test_consent_in_crisis_shows_the_error_of_the_published_parser(folder: Path, run: Run) -> None:
    content = b"User-agent: *\nAllow: /\n" + BLOCKED
    rows = study(folder, run, "consent-in-crisis", [response("a.example", content)], "--period", "none")
    assert rows["", "GPTBot", "consent-in-crisis-published/1", "none"] == (1, 1.0)
    assert rows["", "GPTBot", "consent-in-crisis/1", "all"] == (1, 1.0)
    assert rows["", "GPTBot", "exact/1", "disallow-all"] == (1, 1.0)
    # GPTBot, CCBot and all others, of which nothing is blocked for the last.
    assert rows["", "all agents", "consent-in-crisis/1", "some"] == (1, 1.0)
    assert rows["", "all agents", "consent-in-crisis-published/1", "some"] == (1, 1.0)


def test_common_crawl_status_classes(folder: Path, run: Run) -> None:
    records = [
        response("a.example"),
        response("b.example", b""),
        response("c.example", status=403),
        response("d.example", status=503),
        response("e.example", status=404),
        redirect("f.example", "https://gone.example/robots.txt"),
        redirect("g.example", "https://a.example/robots.txt"),
        redirect("h.example", "https://e.example/robots.txt"),
        response("i.example", b"<html><body>x"),
    ]
    rows = study(folder, run, "common-crawl", records, "--period", "year", "--agent", "GPTBot")
    status = {key[3]: files for key, (files, _) in rows.items() if key[2] == "common-crawl-status/1" and files}
    assert status == {
        "with-rules": 2,
        "no-rules": 2,
        "forbidden": 1,
        "defer-visits": 1,
        "allow-all": 2,
        "redirect-unresolved": 1,
    }
    assert rows["2026", "*", "common-crawl/1", "allow-part"] == (2, 1.0)
    assert rows["2026", "GPTBot", "common-crawl/1", "no-ruleset"] == (2, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name, measure", [("common-crawl", "common-crawl-status/1"), ("http-archive", "status")])
def test_requests_without_a_response_have_a_class(folder: Path, run: Run, name: str, measure: str) -> None:
    (folder / "robots.csv").write_text("host,status,content\na.example,0,\n", encoding="utf-8")
    done = run("study", name, "robots.csv", "-o", "out.csv")
    assert done.code == 0, done.err
    with (folder / "out.csv").open(encoding="utf-8", newline="") as stream:
        classes = [row["class"] for row in csv.DictReader(stream) if row["measure"] == measure and row["files"] != "0"]
    assert classes == ["no-response"]


@pytest.mark.parametrize(
    "case",
    [
        *[(status, "text/plain", RULES, "allow-all") for status in (201, 204, 206, 400, 401, 404, 407, 410, 418, 451)],
        (403, "text/plain", RULES, "forbidden"),
        (429, "text/plain", RULES, "defer-visits"),
        (500, "text/plain", RULES, "defer-visits"),
        (599, "text/plain", RULES, "defer-visits"),
        (302, "text/plain", RULES, "redirect-unresolved"),
        (200, "TEXT/plain; charset=utf-8", RULES, "with-rules"),
        (200, "message/rfc822", RULES, "no-text"),
        (200, "text/html", RULES, "no-text"),
        (200, "application/octet-stream", RULES, "no-text"),
        # Common Crawl counts this type as robots.txt, but its script does not read it.
        (200, "text/markdown", RULES, "no-rules"),
        (200, "", RULES, "with-rules"),
        (200, "text/plain", b"<html>\n" + RULES, "no-rules"),
        (200, "text/plain", b"User-agent: GPTBot\nCrawl-delay: 3\n", "no-rules"),
        (200, "text/plain", b"User-agent: GPTBot\nDisallow:\n", "with-rules"),
    ],
)
def test_common_crawl_status_class(folder: Path, run: Run, case: tuple[int, str, bytes, str]) -> None:
    status, kind, body, label = case
    head = f"HTTP/1.1 {status} Status\r\n" + (f"Content-Type: {kind}\r\n" if kind else "")
    location = "Location: https://gone.example/\r\n" if status == 302 else ""
    block = f"{head}{location}Content-Length: {len(body)}\r\n\r\n".encode() + body
    records = [record("https://a.example/robots.txt", block)]
    rows = study(folder, run, "common-crawl", records, "--period", "none", "--agent", "GPTBot")
    assert rows["", "*", "common-crawl-status/1", label] == (1, 1.0)
    # Rulesets are counted of files with rules only.
    counted = {key[2] for key, (files, _) in rows.items() if files}
    assert ("exact/1" in counted) == (label == "with-rules")


def test_http_archive(folder: Path, run: Run) -> None:
    records = [response("a.example", BLOCKED), response("b.example", b""), response("c.example", status=404)]
    rows = study(folder, run, "http-archive", records, "--period", "none")
    assert rows["", "*", "status", "200"] == (2, 2 / 3)
    assert rows["", "*", "size", "up to 0 KiB"] == (1, 0.5)
    assert rows["", "*", "size", "up to 1 KiB"] == (1, 0.5)
    # As in the published query, the share is of all sites, including those without a file.
    assert rows["", "GPTBot", "named", "named"] == (1, 1 / 3)


@pytest.mark.parametrize(
    "size, label",
    [
        (1, "up to 1 KiB"),
        (100 << 10, "up to 100 KiB"),
        ((100 << 10) + 1, "up to 200 KiB"),
        (400 << 10, "up to 400 KiB"),
        ((500 << 10) + 1, "over 500 KiB"),
    ],
)
def test_http_archive_has_the_published_sizes(folder: Path, run: Run, size: int, label: str) -> None:
    body = b"User-agent: GPTBot/1.1\n"[:size].ljust(size, b"#")
    rows = study(folder, run, "http-archive", [response("a.example", body)], "--period", "none")
    assert [key[3] for key, (files, _) in rows.items() if key[2] == "size" and files] == [label]
    # The whole value of a line is a name.
    assert rows["", "GPTBot", "named", "named"][0] == 0


def test_http_archive_counts_the_last_response(folder: Path, run: Run) -> None:
    records = [
        redirect("a.example", "https://b.example/robots.txt"),
        response("b.example", status=404),
        redirect("c.example", "https://gone.example/robots.txt"),
        redirect("d.example", "https://d.example/robots.txt"),
        redirect("e.example", ""),
    ]
    rows = study(folder, run, "http-archive", records, "--period", "none")
    status = {label: files for (_, _, measure, label), (files, _) in rows.items() if measure == "status"}
    assert status.pop("no-response") == 0
    assert status == {"404": 2, "redirect-unresolved": 2, "301": 1}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["png", "svg"])
@pytest.mark.parametrize("name", list(RECIPES))
def test_plots(folder: Path, run: Run, name: str, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    records = [
        dated("a.example", b"", "2024-01-01T00:00:00Z"),
        dated("a.example", BLOCKED, f"2024-0{2 if suffix == 'svg' else 1}-01T00:00:00Z"),
    ]
    study(folder, run, name, records, "--plot", f"plot.{suffix}")
    content = (folder / f"plot.{suffix}").read_bytes()
    assert content.startswith(b"\x89PNG") if suffix == "png" else b"<svg" in content


def drawn_axes(monkeypatch: pytest.MonkeyPatch, rows: list[Any]) -> Any:
    """Return the axes of a plot of the study `definitions`."""
    figure = pytest.importorskip("matplotlib.figure")
    drawn: list[Any] = []

    original = figure.Figure

    def kept(*args: Any, **options: Any) -> Any:
        drawn.append(original(*args, **options))
        return drawn[-1]

    monkeypatch.setattr(figure, "Figure", kept)
    draw_study(rows, get_recipe("definitions"), "png")
    return drawn[0].axes[0]


def shares(period: str, share: float) -> list[Any]:
    """Return the rows of a study about one agent in a period."""
    labels = {"disallow-all": share, "allow-all": 1 - share}
    return [
        ("definitions", period, "GPTBot", "exact/1", label, round(100 * part), part) for label, part in labels.items()
    ]


@pytest.mark.slow
def test_a_plot_has_the_distances_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*shares("", 0.5), *shares("2025-02", 0.0), *shares("2025-03", 0.2), *shares("2025-11", 0.4)]
    axes = drawn_axes(monkeypatch, rows)
    (line,) = axes.get_lines()
    x, y = line.get_xdata(orig=False), line.get_ydata()
    # Captures without a time are not on the axis, but in a note.
    assert list(y) == [0, 20, 40]
    assert [x[1] - x[0], x[2] - x[1]] == [28, 245]
    assert axes.figure.get_supxlabel() == "100 files without a time or crawl not shown"
    assert not line.get_clip_on()


@pytest.mark.slow
@pytest.mark.parametrize(
    "periods",
    [
        [f"2025-{month:02}-{day:02}" for month in range(1, 10) for day in range(1, 29)],
        ["2015", "2024", "2025"],
        ["2015-01", "2025-01", "2025-02", "2025-03"],
    ],
    ids=["days", "years", "uneven"],
)
def test_labels_of_dates_do_not_overlap(monkeypatch: pytest.MonkeyPatch, periods: list[str]) -> None:
    axes = drawn_axes(monkeypatch, [row for period in periods for row in shares(period, 0.5)])
    labels = [label.get_text() for label in axes.get_xticklabels()]
    ticks = list(axes.get_xticks())
    assert labels[0] == periods[0]
    assert set(labels) <= set(periods)
    assert 2 <= len(labels) <= 14
    width = (ticks[-1] - ticks[0]) / 13
    assert all(after - before >= width for before, after in pairwise(ticks))


@pytest.mark.slow
def test_each_month_of_a_year_has_a_label(monkeypatch: pytest.MonkeyPatch) -> None:
    periods = [f"2025-{month:02}" for month in range(1, 13)]
    axes = drawn_axes(monkeypatch, [row for period in periods for row in shares(period, 0.5)])
    assert [label.get_text() for label in axes.get_xticklabels()] == periods


def test_all_definitions_are_side_by_side(folder: Path, run: Run) -> None:
    rows = study(folder, run, "definitions", [response("a.example", BLOCKED)], "--agent", "GPTBot")
    assert {key[2] for key in rows} == set(DEFINITIONS)


def test_an_archive_without_files_has_an_empty_table(folder: Path, run: Run) -> None:
    assert not study(folder, run, "definitions", [record("robots.warc", b"", kind="warcinfo")])


def test_invalid_arguments(folder: Path, run: Run) -> None:
    (folder / "robots.warc.gz").write_bytes(compressed([response("a.example")]))
    common = ("study", "definitions", "robots.warc.gz", "-o", "out.csv")
    assert "expected a name that ends in .png" in run(*common, "--plot", "plot.txt").err
    assert "GPTBot/1.0" in run(*common, "--agent", "GPTBot/1.0").err
    assert not list(folder.glob("out*"))
    with pytest.raises(InvalidOption, match="unknown recipe"):
        get_recipe("imc")
