"""Redirects to other URLs than /robots.txt, whose responses may come before them or in another archive."""

import json
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.warc_files import RULES, compressed, http_response, record, response

from canfetch.access.policies import get_policy
from canfetch.agents import agent
from canfetch.bulk.archives import archive_job
from canfetch.bulk.archives.archive_job import Collected, collect, store_path, write_table
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.sources import Source, find_source, read_source
from canfetch.bulk.writing.work_folder import WorkFolder

URL = "https://a.example/private/"
DISALLOWED = (False, "disallow-rule")


def moved(path: str, location: str, *, time: str = "2026-04-01T00:00:00Z") -> bytes:
    block = http_response(b"", status=302, headers=[("Location", location)])
    return record(f"https://a.example{path}", block, time=time)


def page(path: str, body: bytes = RULES, *, time: str = "2026-01-01T00:00:00Z", **more: Any) -> bytes:
    return record(f"https://a.example{path}", http_response(body), time=time, **more)


CHAIN = [moved("/robots.txt", "/1"), moved("/1", "/2"), moved("/2", "/3"), page("/3")]


def write(folder: Path, archives: Sequence[Sequence[bytes]]) -> list[Source]:
    """Write WARC files, and return them in their order."""
    sources = []
    for number, records in enumerate(archives):
        path = folder / f"{number}.warc.gz"
        path.write_bytes(compressed(records))
        sources.append(find_source(str(path)))
    return sources


def read(store: Path, sources: Sequence[Source], faults: list[Fault] | None = None) -> Collected:
    found: list[Fault] = []
    collected = collect(sources, store, advance=lambda _: None, on_fault=found.append)
    assert faults is not None or not found
    if faults is not None:
        faults += found
    return collected


def decide(store: Path) -> tuple[bool | None, str]:
    with CaptureStore(store, read_only=True) as captures:
        decisions = URLDecisions(captures, policy=get_policy("rfc9309"), profile="rfc9309", missing=None)
        decision = decisions.decide(URL, agent("GPTBot"), None)
        return decision.allowed, decision.reason


@pytest.mark.slow
def test_the_order_of_records_and_archives_does_not_matter(tmp_path: Path) -> None:
    for number, order in enumerate(permutations(CHAIN)):
        for archives in ([order], [order[:1], order[1:3], order[3:]]):
            store = tmp_path / f"{number}-{len(archives)}.sqlite"
            collected = read(store, write(tmp_path, archives))
            assert decide(store) == DISALLOWED
            assert (collected.captures, collected.left_out, collected.missed) == (1, [], [])


def test_tables(tmp_path: Path) -> None:
    rows = [
        {"url": "https://a.example/r2.txt", "content": RULES.decode()},
        {"url": "https://a.example/robots.txt", "status": 302, "location": "/r2.txt"},
    ]
    path = tmp_path / "rows.ndjson"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert read(tmp_path / "store.sqlite", [find_source(str(path))]).left_out == []
    assert decide(tmp_path / "store.sqlite") == DISALLOWED


@pytest.mark.slow
def test_captures_of_a_target_before_and_after_the_redirect(tmp_path: Path) -> None:
    """The first one after it in time counts, wherever it is."""
    allowing, other = b"User-agent: *\nAllow: /\n", page("/other")
    captures = [
        page("/r2.txt", allowing, time="2026-03-01T00:00:00Z"),
        page("/r2.txt", RULES, time="2026-04-02T00:00:00Z"),
        moved("/robots.txt", "/r2.txt"),
        page("/r2.txt", allowing, time="2026-04-03T00:00:00Z"),
    ]
    for number, order in enumerate(permutations(captures)):
        store = tmp_path / f"{number}.sqlite"
        (left_out,) = read(store, write(tmp_path, [[other, *order, other]])).left_out
        assert decide(store) == DISALLOWED
        assert (left_out.records, left_out.example) == (2, "https://a.example/other")


def test_only_archives_with_such_responses_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def counted(source: Source, **options: Any) -> Iterator[Any]:
        seen.append(Path(source.name).name)
        return read_source(source, **options)

    monkeypatch.setattr(archive_job, "read_source", counted)
    pages = [page(f"/{number}") for number in range(100, 200)]
    read(
        tmp_path / "store.sqlite",
        write(tmp_path, [[*pages, page("/r2.txt")], pages, [moved("/robots.txt", "/r2.txt")]]),
    )
    assert seen == ["0.warc.gz", "1.warc.gz", "2.warc.gz", "0.warc.gz"]


def test_records_that_are_set_aside(tmp_path: Path) -> None:
    """A damaged target is reported, and the other damage of its archive only once."""
    cut = [("WARC-Truncated", "length")]
    records = [page("/r2.txt", headers=cut), response("b.example", headers=[("Content-Encoding", "compress")])]
    records += [moved("/robots.txt", "/r2.txt"), page("/other", headers=cut)]
    faults: list[Fault] = []
    read(tmp_path / "store.sqlite", write(tmp_path, [records]), faults)
    assert [fault.reason.partition(": ")[0] for fault in faults] == [
        "https://a.example/r2.txt",
        "https://b.example/robots.txt",
    ]
    assert decide(tmp_path / "store.sqlite") == (None, "redirect-unresolved")


def test_more_redirects_than_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_job, "_MAX_PASSES", 2)
    sources = write(tmp_path, [CHAIN[::-1]])
    (missed,) = read(tmp_path / "store.sqlite", sources).missed
    assert (missed.source, missed.name, missed.urls) == (0, sources[0].name, 1)
    assert decide(tmp_path / "store.sqlite") == (None, "redirect-unresolved")


@pytest.mark.slow
def test_killed_runs_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends in any of the archives, also when it reads one again, is continued with the same result."""
    others = [response(f"h{number}.example") for number in range(5)]
    archives = [
        [page("/other"), moved("/2", "/3"), *others],
        [moved("/robots.txt", "/1"), page("/3"), others[0]],
        [others[1], moved("/1", "/2"), page("/3", time="2026-05-01T00:00:00Z")],
    ]
    sources = write(tmp_path, archives)
    calls, killed_at = 0, 0

    def failing(source: Source, **options: Any) -> Iterator[Any]:
        nonlocal calls
        calls += 1
        for number, item in enumerate(read_source(source, **options)):
            if calls == killed_at and number == 1:
                raise KeyboardInterrupt
            yield item

    def run(name: str) -> bytes:
        output = tmp_path / f"{name}.parquet"
        with WorkFolder(output, "parquet", {}, restart=False) as folder:
            read(store_path(folder), sources)
            assert decide(store_path(folder)) == DISALLOWED
            write_table(folder, TableOptions("files"), policy="rfc9309", processes=1, advance=lambda _: None)
        return output.read_bytes()

    pytest.importorskip("pyarrow")
    monkeypatch.setattr(archive_job, "_CAPTURES_PER_PART", 2)
    # A killed process commits what it has written so far.
    monkeypatch.setattr("canfetch.bulk.archives.capture_store._ROWS_PER_TRANSACTION", 1)
    monkeypatch.setattr(archive_job, "read_source", failing)
    expected = run("whole")
    assert calls == 6
    for killed_at in range(1, 7):
        calls = 0
        with pytest.raises(KeyboardInterrupt):
            run(f"killed-{killed_at}")
        assert run(f"killed-{killed_at}") == expected
