"""Files of hosts next to those of their origins, redirects of hosts to themselves, and chains over time."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.captured_items import unexpected
from tests.json_lines import read_json_lines

from canfetch.access.policies import get_policy
from canfetch.agents import agent
from canfetch.bulk.archives.archive_job import collect, store_path, write_table
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.reading.times import parse_time
from canfetch.bulk.writing.work_folder import WorkFolder

ALLOW = "User-agent: *\nAllow: /\n"
DISALLOW = "User-agent: *\nDisallow: /\n"
HTTP, HTTPS = "http://a.example/c", "https://a.example/c"
UNRESOLVED = (None, "redirect-unresolved")
Row = dict[str, Any]


def file(origin: str, content: str, time: str | None = None) -> Row:
    return {"origin": origin, "content": content, "time": time}


def moved(origin: str, location: str, time: str | None = None) -> Row:
    return {"origin": origin, "status": 301, "location": location, "time": time}


def make_store(folder: Path, rows: list[Row]) -> Path:
    archive = folder / "files.ndjson"
    archive.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path = folder / "store.sqlite"
    path.unlink(missing_ok=True)
    collect([find_source(str(archive))], path, advance=lambda _: None, on_fault=unexpected)
    return path


def decide(store: Path, url: str, time: str | None = None, policy: str = "rfc9309") -> tuple[bool | None, str]:
    with CaptureStore(store, read_only=True) as captures:
        decisions = URLDecisions(captures, policy=get_policy(policy), profile="rfc9309", missing=None)
        decision = decisions.decide(url, agent("GPTBot"), parse_time(time))
        return decision.allowed, decision.reason


def test_a_host_that_redirects_to_its_https_origin(tmp_path: Path) -> None:
    host = moved("a.example", "https://A.example:443/robots.txt")
    for rows in ([host, file("https://a.example", DISALLOW)], [file("https://a.example", DISALLOW), host]):
        store = make_store(tmp_path, rows)
        assert [decide(store, url) for url in (HTTP, HTTPS)] == [(False, "disallow-rule")] * 2
    store = make_store(tmp_path, [host])
    assert [decide(store, url) for url in (HTTP, HTTPS)] == [UNRESOLVED] * 2
    # A later file of the host may be that of https.
    store = make_store(tmp_path, [host | {"time": "2026-01-01"}, file("a.example", DISALLOW, "2026-02-01")])
    assert [decide(store, url, "2026-01-15") for url in (HTTP, HTTPS)] == [(False, "disallow-rule")] * 2


@pytest.mark.parametrize("location", ["http://a.example/robots.txt", "https://www.a.example/robots.txt"])
def test_a_loop_through_a_host_is_not_proven(tmp_path: Path, location: str) -> None:
    """The scheme of the request of a host is unknown, so that it may not be the one that a redirect leads back to."""
    www = moved("www.a.example", "https://a.example/robots.txt")
    store = make_store(tmp_path, [moved("a.example", location), www])
    assert [decide(store, url) for url in (HTTP, HTTPS, "http://www.a.example/")] == [UNRESOLVED] * 3


@pytest.mark.parametrize("time", ["2026-01-01", None])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_redirect_to_a_host_has_either_scheme(tmp_path: Path, scheme: str, time: str | None) -> None:
    rows = [moved("https://b.example", f"{scheme}://a.example/robots.txt", time), file("a.example", DISALLOW, time)]
    for order in (rows, rows[::-1]):
        store = make_store(tmp_path, order)
        assert decide(store, "https://b.example/") == (False, "disallow-rule")
    # The record of the origin counts before that of the host if both have the same time, or none.
    rows.append(file(f"{scheme}://a.example", ALLOW, time))
    for order in (rows, rows[::-1]):
        store = make_store(tmp_path, order)
        assert decide(store, "https://b.example/") == (True, "allow-rule")


def test_a_redirect_leads_to_the_next_record_of_the_host_or_the_origin(tmp_path: Path) -> None:
    redirect = moved("https://b.example", "http://a.example/robots.txt", "2026-02-01")
    for host, origin, expected in (
        ("2026-03-01", "2026-04-01", "disallow-rule"),
        ("2026-04-01", "2026-03-01", "allow-rule"),
        ("2026-01-01", "2026-03-01", "allow-rule"),
        ("2026-03-01", "2026-01-01", "disallow-rule"),
        ("2026-01-02", "2026-01-01", "disallow-rule"),
        ("2026-01-01", "2026-01-02", "allow-rule"),
        (None, "2026-01-01", "allow-rule"),
        ("2026-01-01", None, "disallow-rule"),
    ):
        rows = [redirect, file("a.example", DISALLOW, host), file("http://a.example", ALLOW, origin)]
        assert decide(make_store(tmp_path, rows), "https://b.example/")[1] == expected


def test_a_host_that_redirects_to_its_http_origin_was_requested_over_https(tmp_path: Path) -> None:
    rows = [moved("a.example", "http://a.example/robots.txt"), moved("b.example", "http://a.example/robots.txt")]
    store = make_store(tmp_path, rows)
    assert [decide(store, url) for url in (HTTP, HTTPS, "http://b.example/")] == [UNRESOLVED] * 3
    store = make_store(tmp_path, [*rows, file("http://a.example", DISALLOW)])
    assert decide(store, "http://b.example/") == decide(store, HTTPS) == (False, "disallow-rule")


def test_loops_that_are_proven(tmp_path: Path) -> None:
    """A relative redirect to the same path is a loop with both schemes, and those of origins have one."""
    origins = [
        moved("http://b.example", "https://b.example/robots.txt"),
        moved("https://b.example", "http://b.example/robots.txt"),
    ]
    store = make_store(tmp_path, [moved("a.example", "/robots.txt"), *origins])
    for url in (HTTP, HTTPS, "http://b.example/", "https://b.example/"):
        assert decide(store, url) == (True, "unavailable")


def test_the_record_in_force_is_that_of_the_host_or_the_origin(tmp_path: Path) -> None:
    host, origin = file("a.example", DISALLOW, "2025-01-01"), file("https://a.example", ALLOW, "2026-01-01")
    for rows in ([host, origin], [origin, host]):
        store = make_store(tmp_path, rows)
        assert decide(store, HTTPS, "2024-06-01") == (None, "no-robots")
        assert decide(store, HTTPS, "2025-06-01") == (False, "disallow-rule")
        assert decide(store, HTTPS, "2026-06-01") == decide(store, HTTPS) == (True, "allow-rule")
        assert decide(store, HTTP, "2026-06-01") == (False, "disallow-rule")
    store = make_store(tmp_path, [origin | {"time": "2024-01-01"}, host])
    assert decide(store, HTTPS, "2024-06-01") == (True, "allow-rule")
    assert decide(store, HTTPS, "2025-06-01") == decide(store, HTTPS) == (False, "disallow-rule")


@pytest.mark.parametrize("time", ["2026-01-01", None])
def test_the_origin_counts_before_the_host_at_the_same_time(tmp_path: Path, time: str | None) -> None:
    rows = [file("https://a.example", ALLOW, time), file("a.example", DISALLOW, time)]
    rows.append(moved("b.example", "https://a.example/robots.txt", time))
    for order in (rows, rows[::-1]):
        store = make_store(tmp_path, order)
        for url in (HTTPS, "http://b.example/"):
            assert decide(store, url, time) == decide(store, url) == (True, "allow-rule")
        assert decide(store, HTTP) == (False, "disallow-rule")


def test_a_failure_keeps_the_copy_of_the_host_for_its_origin_only(tmp_path: Path) -> None:
    """The states of a host differ between its origins if one of them has records."""
    rows = [
        file("https://a.example", ALLOW, "2026-01-01"),
        {"origin": "a.example", "status": 503, "time": "2026-01-02"},
    ]
    store = make_store(tmp_path, rows)
    with CaptureStore(store, read_only=True) as captures:
        decisions = URLDecisions(captures, policy=get_policy("rfc9309"), profile="rfc9309", missing=None)
        at = parse_time("2026-01-03")
        found = [decisions.decide(url, agent("GPTBot"), at).reason for url in (HTTP, HTTPS, HTTP)]
    assert found == ["unreachable", "allow-rule", "unreachable"]


def test_hops_of_a_chain_follow_each_other_in_time(tmp_path: Path) -> None:
    chain = [
        moved("https://a.example", "https://b.example/robots.txt", "2026-01-10"),
        moved("https://b.example", "https://c.example/robots.txt", "2026-01-20"),
        file("https://c.example", ALLOW, "2026-01-12"),
        file("https://c.example", DISALLOW, "2026-01-25"),
    ]
    store = make_store(tmp_path, chain)
    assert decide(store, HTTPS) == decide(store, "https://b.example/") == (False, "disallow-rule")


def test_a_chain_never_leads_back_in_time(tmp_path: Path) -> None:
    """A redirect that was captured before is in force at the time of the request."""
    chain = [
        moved("https://a.example", "https://b.example/robots.txt", "2026-01-10"),
        moved("https://b.example", "https://c.example/robots.txt", "2025-01-20"),
        file("https://c.example", ALLOW, "2025-01-25"),
        file("https://c.example", DISALLOW, "2026-01-12"),
    ]
    store = make_store(tmp_path, chain)
    assert decide(store, HTTPS) == (False, "disallow-rule")
    assert decide(store, "https://b.example/") == (True, "allow-rule")


@pytest.mark.slow
@pytest.mark.parametrize("table", ["files", "decisions"])
def test_tables_of_all_engines_and_of_their_own_output(tmp_path: Path, table: str) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("duckdb")
    rows = [
        moved("a.example", "https://a.example/robots.txt", "2026-01-01"),
        file("https://a.example", DISALLOW, "2026-01-03"),
        moved("c.example", "https://c.example/robots.txt"),
        moved("https://d.example", "https://a.example/robots.txt", "2026-01-02"),
    ]
    make_store(tmp_path, rows)
    options = TableOptions(table, (NamedAgent("GPTBot", agent("GPTBot")),))

    def written(archive: Path, name: str, options: TableOptions, engine: str = "local") -> Path:
        output = tmp_path / name
        with WorkFolder(output, "ndjson", {}, restart=True) as work:
            collect([find_source(str(archive))], store_path(work), advance=lambda _: None, on_fault=unexpected)
            write_table(work, options, policy="rfc9309", processes=1, advance=lambda _: None, engine=engine)
        return output

    def cells(path: Path) -> list[Row]:
        found = read_json_lines(path)
        return [{name: row[name] for name in row if name not in {"source", "position"}} for row in found]

    archive = tmp_path / "files.ndjson"
    local = written(archive, "local.ndjson", options)
    assert written(archive, "duckdb.ndjson", options, "duckdb").read_bytes() == local.read_bytes()
    parsed = written(archive, "parsed.ndjson", TableOptions("files"))
    assert cells(written(parsed, "again.ndjson", options)) == cells(local)
    if table == "files":
        assert [(row["url"], row["effect"]) for row in cells(local)] == [
            ("http://a.example/robots.txt", "conditional-allow"),
            ("https://a.example/robots.txt", "conditional-allow"),
            ("http://c.example/robots.txt", None),
            ("https://d.example/robots.txt", "conditional-allow"),
        ]
    else:
        assert [row["allowed"] for row in cells(local)] == [False, False, None, False]


FAILED = {"status": 503, "content": ""}
TIMES = ["2026-02-02", "2026-03-01", "2026-06-02", "2026-06-20", "2026-08-01", None]


@pytest.mark.parametrize("policy", ["rfc9309", "google"])
@pytest.mark.parametrize("target", ["https://www.a.example/robots.txt", "http://www.a.example/r2.txt"])
@pytest.mark.parametrize(
    "earlier",
    [
        pytest.param([{"content": DISALLOW, "time": "2026-01-01"}], id="copy"),
        pytest.param([{"status": 404, "time": "2026-01-01"}], id="missing"),
        pytest.param([{"content": DISALLOW, "time": "2026-01-01"}, {**FAILED, "time": "2026-01-20"}], id="outages"),
        pytest.param([{**FAILED, "time": "2026-01-20"}], id="outage"),
        pytest.param([], id="unknown"),
    ],
)
def test_a_later_outage_of_a_target_keeps_the_copy_before(
    tmp_path: Path, earlier: list[Row], target: str, policy: str
) -> None:
    """The answers are those for a site that does not redirect."""
    states = [*earlier, {**FAILED, "time": "2026-06-01"}]
    rows = [
        {"url": "https://a.example/robots.txt", "status": 301, "location": target, "time": "2026-02-01"},
        *({"url": target, **state} for state in states),
        *({"url": "https://b.example/robots.txt", **state} for state in states),
    ]
    if not earlier:
        # The first capture of the target after the redirect counts, also before its time.
        rows.append({"url": "https://b.example/robots.txt", **FAILED, "time": "2026-02-01"})
    store = make_store(tmp_path, rows)
    found = [decide(store, HTTPS, time, policy) for time in TIMES]
    assert found == [decide(store, "https://b.example/c", time, policy) for time in TIMES]
    with WorkFolder(tmp_path / "parsed.ndjson", "ndjson", {}, restart=True) as work:
        archive = find_source(str(tmp_path / "files.ndjson"))
        collect([archive], store_path(work), advance=lambda _: None, on_fault=unexpected)
        write_table(work, TableOptions("files"), policy=policy, processes=1, advance=lambda _: None)
    again = make_store(tmp_path, read_json_lines(tmp_path / "parsed.ndjson"))
    assert [decide(again, HTTPS, time, policy) for time in TIMES] == found


def test_the_copy_before_a_later_outage_has_its_own_evidence(tmp_path: Path) -> None:
    www = "https://www.a.example"
    rows = [
        file(www, DISALLOW, "2026-01-01"),
        moved("https://a.example", f"{www}/robots.txt", "2026-02-01"),
        {"origin": www, **FAILED, "time": "2026-06-01"},
    ]
    with CaptureStore(make_store(tmp_path, rows), read_only=True) as captures:
        decisions = URLDecisions(captures, policy=get_policy("rfc9309"), profile="rfc9309", missing=None)
        for time, copy_time, detail in (
            ("2026-06-02", "2026-01-01", "status 503; using the last good copy"),
            ("2026-03-01", "2026-01-01", None),
            ("2026-08-01", "2026-06-01", "status 503; the last good copy has expired"),
        ):
            provenance = decisions.find(HTTPS, parse_time(time)).provenance
            expected = (parse_time(copy_time), f"{www}/robots.txt", False, detail)
            assert provenance == expected
