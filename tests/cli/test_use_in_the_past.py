"""Answers as of a time are those of `may_use` on what was known then: of histories, clients, archives and lists."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.warc_files import compressed, http_response, record
from tests.cli.test_use_front_ends import AGENTS, CELL, LICENSE_URL, ORIGIN, URLS, Situation, cell
from tests.client.test_may_use import ROBOTS_URL, TDM_URL, AsyncWeb, Web
from tests.json_lines import read_json_lines

import canfetch
from canfetch.bulk.captured_sites import CapturedSites
from canfetch.bulk.cell_texts import statements_text
from canfetch.client.async_client import AsyncClient
from canfetch.client.sync_client import Client
from canfetch.client.watch import Observation, WatchHistory
from canfetch.consent import MissingSource, PageResponse, SourceState, UseVerdict
from canfetch.core.verdict import Effect

START = datetime(2026, 5, 1, tzinfo=UTC)
SITES = 40
BODY = b"x"


def at(day: float) -> datetime:
    return START + timedelta(days=day)


def next_capture(day: int) -> str | None:
    """Return the cell of the time until which an answer holds that is given after the captures of a day."""
    return None if day == SITES - 1 else f"{at(day + 1):%Y-%m-%dT%H:%M:%SZ}"


def page_of(site: Situation) -> PageResponse:
    return PageResponse(200, site.headers, BODY)


def expected(site: Situation, url: str, agent: str, **sources: Any) -> UseVerdict:
    """Return the answer of the function on all that a site has, whether or not a crawler may fetch it."""
    licenses = {} if site.license is None else {LICENSE_URL: site.license.encode()}
    absent = MissingSource(SourceState.ABSENT)
    files = {"tdm": absent if site.tdm is None else site.tdm.encode(), "license": licenses}
    return site.verdict(url, agent, **{"response": page_of(site), **files, **sources})


def archive(folder: Path) -> Path:
    """Write an archive with a capture of each site on its own day, all under the same name, and return its path."""

    def records() -> Iterator[bytes]:
        for day in range(SITES):
            site = Situation(day)
            files = {ROBOTS_URL: site.content, TDM_URL: site.tdm, LICENSE_URL: site.license}
            for url, file in files.items():
                body = b"not found" if file is None else file if isinstance(file, bytes) else file.encode()
                block = http_response(body, status=404 if file is None else 200)
                yield record(url, block, time=f"{at(day):%Y-%m-%dT%H:%M:%SZ}")
            for url in URLS:
                block = http_response(BODY, headers=site.headers[1:])
                yield record(url, block, time=f"{at(day):%Y-%m-%dT%H:%M:%SZ}")

    path = folder / "crawl.warc.gz"
    path.write_bytes(compressed(records()))
    return path


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archive(tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WatchHistory]:
    with WatchHistory(tmp_path_factory.mktemp("history") / "history.sqlite3") as history:
        for day in range(SITES):
            seen = Observation(ORIGIN, at(day).timestamp(), Effect.CONDITIONAL_ALLOW, 200, "", Situation(day).content)
            assert history.record(seen, previous=history.last_version(ORIGIN), change=None, sends=False)
        yield history


@pytest.mark.slow
def test_archives_give_the_answer_of_the_library_as_of_a_time(captured: Path) -> None:
    with CapturedSites(captured) as sites:
        for day in range(SITES):
            site = Situation(day)
            for url in URLS:
                for agent in AGENTS:
                    own = canfetch.agent(agent)
                    verdict = sites.may_use(url, at=at(day + 0.5), purpose=site.purpose, agent=own)
                    assert cell(verdict) == cell(expected(site, url, agent))
                    past = sites.decide(url, at=at(day + 0.5), agent=own)
                    assert past.allowed is site.robots.allows(url, agent=own)
                    assert past.recorded_at == at(day).timestamp()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_lists_give_the_answer_of_the_library_as_of_a_time(captured: Path, run: Any, folder: Path, engine: str) -> None:
    pytest.importorskip("pyarrow")
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    unread = MissingSource(SourceState.NOT_READ)
    for purpose in ("training", "search", "ai-use"):
        days = [day for day in range(SITES) if Situation(day).purpose == purpose]
        rows = [{"url": url, "time": at(day + 0.5).timestamp(), "day": day} for day in days for url in URLS]
        (folder / "urls.ndjson").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        options = [word for agent in AGENTS for word in ("--agent", agent)]
        options += ["--robots", str(captured), "--time-column", "time", "--engine", engine]
        command = ["bulk", "filter", "urls.ndjson", *options, "--use", purpose, "--statements", "-j1"]
        command += ["-o", f"{purpose}.ndjson"]
        assert run(*command).code == 0
        for row in read_json_lines(folder / f"{purpose}.ndjson"):
            site = Situation(row["day"])
            verdict = expected(site, row["url"], row["agent"], response=unread, tdm=unread, license={})
            deciding = verdict.decided_by[0] if verdict.decided_by else None
            cells = (None,) * 3 if deciding is None else (str(deciding.kind), deciding.line, deciding.note)
            assert (row["use_kind"], row["use_line"], row["use_note"]) == cells
            assert row["use_rule"] == verdict.combination
            assert row["use_others"] == statements_text(verdict.other_statements)
            assert row["use_until"] == next_capture(row["day"])
        ran = run(*command, "--pages", str(captured), "--force")
        assert ran.code == 0
        found = read_json_lines(folder / f"{purpose}.ndjson")
        assert len(found) == len(rows) * len(AGENTS)
        for row in found:
            verdict = expected(Situation(row["day"]), row["url"], row["agent"])
            deciding = next(iter((*verdict.decided_by, *verdict.conditions)), None)
            assert row["use"] == {True: "allow", False: "disallow", None: "unknown"}[verdict.allowed]
            assert row["use_rule"] == verdict.combination
            assert row["use_others"] == statements_text(verdict.other_statements)
            assert row["use_until"] == next_capture(row["day"])
            assert row["use_read"].startswith("robots.txt, headers")
            if deciding is not None:
                stated = (str(deciding.kind), deciding.source, deciding.place, deciding.standard, deciding.token)
                assert row["use_note"] == (deciding.note or None)
                names = ("kind", "source", "place", "standard", "token")
                assert tuple(row[f"use_{name}"] for name in names) == stated
                assert row["use_time"] == f"{at(row['day']):%Y-%m-%dT%H:%M:%SZ}"


def test_a_list_without_the_pages_of_its_archive_has_a_note(captured: Path, run: Any, folder: Path) -> None:
    pytest.importorskip("pyarrow")
    (folder / "urls.txt").write_text(f"{URLS[0]}\n", encoding="utf-8")
    command = ["bulk", "filter", "urls.txt", "--robots", str(captured), "--agent", "GPTBot", "-j1", "-o"]
    ran = run(*command, "fetched.csv")
    assert "--pages" not in ran.err
    ran = run(*command, "used.csv", "--use", "training")
    note = f" has {SITES * 7} responses of other URLs, such as '{TDM_URL}': pass it as --pages as well if"
    assert note in ran.err
    assert run(*command, "x.csv", "--pages", str(captured)).err == "canfetch: --pages requires --use\n"
    (folder / "robots.ndjson").write_text("{}", encoding="utf-8")
    ran = run(*command, "x.csv", "--use", "training", "--pages", "robots.ndjson")
    assert (ran.code, ran.err) == (2, "canfetch: invalid --pages 'robots.ndjson': expected a WARC or ARC file\n")


def test_rows_of_an_unreachable_origin_of_a_payment_and_of_a_redirect(run: Any, folder: Path) -> None:
    pytest.importorskip("pyarrow")
    captures = {
        "https://down.example/robots.txt": http_response(b"x", status=503),
        "https://down.example/a": http_response(BODY),
        "https://paid.example/robots.txt": http_response(b""),
        "https://paid.example/a": http_response(BODY, status=402, headers=[("Crawler-Price", "USD 1")]),
        "https://moved.example/robots.txt": http_response(b""),
        "https://moved.example/a": http_response(b"", status=301, headers=[("Location", "//new.example/b")]),
        "https://new.example/robots.txt": http_response(b"User-agent: *\nContent-Signal: ai-train=no\n"),
        "https://new.example/b": http_response(BODY, headers=[("Content-Usage", "train-ai=y")]),
    }
    (folder / "a.warc").write_bytes(b"".join(record(url, block) for url, block in captures.items()))
    urls = [url for url in captures if url.endswith("/a")]
    (folder / "urls.txt").write_text("\n".join(urls), encoding="utf-8")
    command = ["bulk", "filter", "urls.txt", "--robots", "a.warc", "--pages", "a.warc", "--agent", "GPTBot", "-j1"]
    ran = run(*command, "--use", "training", "-o", "out.ndjson")
    assert ran.err == "canfetch: 3 URLs: 0 allowed, 0 not stated, 3 disallowed, 0 unknown; wrote out.ndjson\n"
    names = ("use", "use_kind", "use_source", "use_place", "use_url", "use_text", "use_note", "use_time", "use_read")
    time = "2026-05-01T12:00:00Z"
    assert [tuple(row[name] for name in names) for row in read_json_lines(folder / "out.ndjson")] == [
        (
            *("disallow", "unreachable", "robots.txt", "robots.txt", "https://down.example/robots.txt", None),
            *(
                "the access policy takes robots.txt as unreachable: RFC 9309 section 2.3.1.4 disallows everything then",
                time,
                "headers, html (absent)",
            ),
        ),
        (
            *("unknown", "payment", "headers", "status 402", urls[1], "crawler-price: USD 1", "payment is required"),
            *(time, "robots.txt"),
        ),
        (
            *("disallow", "content-signal", "robots.txt", "line 2", "https://new.example/robots.txt"),
            *(
                "Content-Signal: ai-train=no",
                "the user-agent line is line 1, for *",
                time,
                "robots.txt, headers, html (absent)",
            ),
        ),
    ]
    assert run(*command, "--use", "training", "--only-allowed", "-o", "none.csv").code == 0
    assert len((folder / "none.csv").read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_dates_that_have_passed_count_for_the_last_captures(run: Any, folder: Path, engine: str) -> None:
    pytest.importorskip("pyarrow")
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    dates = {"a": "25 Jun 2010 15:00:00 GMT", "b": "1 Jan 2999 00:00:00 GMT"}
    captures = {"https://a.example/robots.txt": http_response(b"User-agent: *\nContent-Usage: search=y\n")}
    captures |= {
        f"https://a.example/{name}": http_response(BODY, headers=[("X-Robots-Tag", f"unavailable_after: {date}")])
        for name, date in dates.items()
    }
    (folder / "a.warc").write_bytes(b"".join(record(url, block) for url, block in captures.items()))
    (folder / "urls.csv").write_text("url,at\nhttps://a.example/a,2026-11-01\nhttps://a.example/b,2026-11-01\n")
    command = ["bulk", "filter", "urls.csv", "--robots", "a.warc", "--pages", "a.warc", "--agent", "GPTBot", "-j1"]
    command += ["--use", "search", "--engine", engine]
    for number, options in enumerate(([], ["--time-column", "at"])):
        assert run(*command, *options, "-o", f"{number}.ndjson").code == 0
        rows = list(read_json_lines(folder / f"{number}.ndjson"))
        assert [row["use"] for row in rows] == ["disallow", "allow"]
        assert [row["use_until"] for row in rows] == [None, "2999-01-01T00:00:00Z"]


def test_rows_of_captured_pages_over_a_limit_name_the_source(run: Any, folder: Path) -> None:
    pytest.importorskip("pyarrow")
    metas = "<meta name=robots content=nofollow>" * 1_000 + "<meta name=robots content=noai>"
    long = f"<meta name=robots content='{' ' * 70_000}noai'>"
    html = [("Content-Type", "text/html")]
    pages = {"a": metas, "b": long, "c": f"<p>{' ' * 3_000_000}{long}", "d": "<p>"}
    captures = {"https://a.example/robots.txt": http_response(b"User-agent: *\nContent-Usage: train-ai=y\n")}
    captures["https://a.example/.well-known/tdmrep.json"] = http_response(b"", status=404)
    captures |= {
        f"https://a.example/{name}": http_response(page.encode(), headers=html) for name, page in pages.items()
    }
    (folder / "a.warc").write_bytes(b"".join(record(url, block) for url, block in captures.items()))
    (folder / "urls.txt").write_text("".join(f"https://a.example/{name}\n" for name in pages), encoding="utf-8")
    command = ["bulk", "filter", "urls.txt", "--robots", "a.warc", "--pages", "a.warc", "--agent", "GPTBot", "-j1"]
    assert run(*command, "--use", "training", "-o", "out.ndjson").code == 0
    found = [(row["use"], row["use_unread"]) for row in read_json_lines(folder / "out.ndjson")]
    assert found == [("allow", "html")] * 3 + [("allow", None)]


RSL = '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>{}</license></content></rsl>'.format(
    '<prohibits type="usage">ai-train</prohibits>'
)


@pytest.mark.parametrize(
    "address, body, kind",
    [
        ("/tdm.json", b'[{"location": "/", "tdm-reservation": 1}]', "application/json"),
        ("/tdm.json", '\ufeff [{"location": "/", "tdm-reservation": 1}]'.encode(), "text/html"),
        ("/l.xml", f"<!-- terms -->{RSL}".encode(), "application/rsl+xml"),
        ("/l.xml", f"\ufeff{RSL}".encode(), "application/xml"),
        ("/l.xml", RSL.encode("utf-16"), "application/rsl+xml"),
        ("/l.xml", f"<!DOCTYPE rsl>{RSL}".encode(), "text/plain"),
    ],
)
def test_files_are_read_from_where_redirects_lead(run: Any, folder: Path, address: str, body: bytes, kind: str) -> None:
    pytest.importorskip("pyarrow")
    name, first = ("license", "/first.xml") if address == "/l.xml" else ("tdmrep.json", "/.well-known/tdmrep.json")
    moved = http_response(b"", status=301, headers=[("Location", address)])
    captures = [
        ("/robots.txt", http_response(b"License: https://a.example/first.xml\n" if name == "license" else b""), 1),
        (first, moved, 1),
        (address, http_response(body, headers=[("Content-Type", kind)]), 2),
        ("/page", http_response(b"<p>"), 3),
    ]
    content = b"".join(
        record(f"https://a.example{path}", block, time=f"2026-05-0{day}T00:00:00Z") for path, block, day in captures
    )
    (folder / "a.warc").write_bytes(content)
    (folder / "urls.txt").write_text("https://a.example/page\n", encoding="utf-8")
    command = ["bulk", "filter", "urls.txt", "--robots", "a.warc", "--pages", "a.warc", "--agent", "GPTBot", "-j1"]
    assert run(*command, "--use", "training", "-o", "out.ndjson").code == 0
    (row,) = read_json_lines(folder / "out.ndjson")
    assert (row["use"], row["use_source"]) == ("disallow", name)
    # Of the response that was read, not of the redirect.
    assert row["use_time"] == "2026-05-02T00:00:00Z"


@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_the_time_of_robots_txt_is_that_of_the_response_after_redirects(run: Any, folder: Path, engine: str) -> None:
    pytest.importorskip("pyarrow")
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    moved = http_response(b"", status=301, headers=[("Location", "https://a.example/robots.txt")])
    rules = http_response(b"User-agent: *\nContent-Signal: ai-train=no\n")
    captures = [
        ("https://b.example/robots.txt", moved, 1),
        ("https://a.example/robots.txt", rules, 3),
        ("https://b.example/robots.txt", http_response(b"", status=503), 10),
        ("https://lost.example/robots.txt", moved.replace(b"//a.", b"//gone."), 2),
        ("https://down.example/robots.txt", moved.replace(b"//a.", b"//fails."), 4),
        ("https://fails.example/robots.txt", http_response(b"", status=503), 6),
    ]
    content = b"".join(record(url, block, time=f"2026-05-{day:02}T00:00:00Z") for url, block, day in captures)
    (folder / "a.warc").write_bytes(content)
    rows = [("b", "2026-05-05"), ("b", "2026-05-11"), ("lost", "2026-05-11"), ("down", "2026-05-11")]
    listed = "".join(f"https://{name}.example/,{day}\n" for name, day in rows)
    (folder / "urls.csv").write_text(f"url,time\n{listed}", encoding="utf-8")
    command = ["bulk", "filter", "urls.csv", "--robots", "a.warc", "--agent", "GPTBot", "--use", "training", "-j1"]
    assert run(*command, "--time-column", "time", "--engine", engine, "-o", "out.ndjson").code == 0
    names = ("use_kind", "robots_time", "use_time", "use_until")
    found = [tuple(row[name] for name in names) for row in read_json_lines(folder / "out.ndjson")]
    third, sixth = "2026-05-03T00:00:00Z", "2026-05-06T00:00:00Z"
    assert found == [
        ("content-signal", third, third, "2026-05-10T00:00:00Z"),
        # The last good copy.
        ("content-signal", third, third, None),
        (None, "2026-05-02T00:00:00Z", None, None),
        ("unreachable", sixth, sixth, None),
    ]


@pytest.mark.parametrize(
    "pages, read",
    [(("--pages", "a.warc"), "headers, html, license (unreadable)"), ((), None)],
    ids=["pages", "robots.txt"],
)
def test_a_row_names_sources_with_errors_and_those_that_were_read_in_part(
    run: Any, folder: Path, pages: tuple[str, ...], read: str | None
) -> None:
    pytest.importorskip("pyarrow")
    long = b"License: https://a.example/l.xml\nUser-agent: *\nContent-Usage: search=y\n#" + b"x" * 600_000
    captures = {
        "https://a.example/robots.txt": http_response(long),
        "https://a.example/l.xml": http_response(RSL.replace("</license>", "<mistake/></license>").encode()),
        "https://a.example/page": http_response(b"<p>", headers=[("Content-Type", "text/html")]),
    }
    (folder / "a.warc").write_bytes(b"".join(record(url, block) for url, block in captures.items()))
    (folder / "urls.txt").write_text("https://a.example/page\n", encoding="utf-8")
    command = ["bulk", "filter", "urls.txt", "--robots", "a.warc", *pages, "--agent", "GPTBot", "--use", "training"]
    assert run(*command, "-j1", "-o", "out.ndjson").code == 0
    (row,) = read_json_lines(folder / "out.ndjson")
    robots = "robots.txt (only a part was read)"
    assert row["use_read"] == (robots if read is None else f"{robots}, {read}")
    assert (row["use"], row["use_kind"]) == (("unknown", None) if read is None else ("disallow", "license"))


def test_the_statements_that_do_not_decide_are_a_column(run: Any, folder: Path) -> None:
    pytest.importorskip("pyarrow")
    content = """User-agent: *
Content-Usage: train-ai=y
Content-Usage: /a train-ai=n
Content-Signal: ai-train=yes
Allow: /
"""
    captures = {
        "https://a.example/robots.txt": http_response(content.encode()),
        "https://b.example/robots.txt": http_response(b"", status=404),
    }
    (folder / "a.warc").write_bytes(b"".join(record(url, block) for url, block in captures.items()))
    (folder / "urls.txt").write_text("https://a.example/a\nhttps://a.example/\nhttps://b.example/\n", encoding="utf-8")
    command = ["bulk", "filter", "urls.txt", "--robots", "a.warc", "--agent", "GPTBot", "-j1", "-o", "out.ndjson"]
    assert run(*command, "--use", "training", "--statements").code == 0
    group = "the user-agent line is line 1, for *"
    lost = f"robots.txt, line 2: Content-Usage: train-ai=y (line 3 overrides it; {group})"
    names = ("use", "use_line", "use_rule", "use_others")
    specific, restrictive = "the line with the most specific path decides", "the most restrictive statement decides"
    found = [tuple(row[name] for name in names) for row in read_json_lines(folder / "out.ndjson")]
    assert found == [
        (
            *("disallow", 3, f"{specific}; {restrictive}"),
            f"allow: robots.txt, line 4: Content-Signal: ai-train=yes ({group}) | {lost}",
        ),
        ("allow", 2, "a statement allows the use, and no statement disallows it", None),
        ("unknown", None, "nothing is stated, and no standard defines what silence means", None),
    ]
    ran = run(*command, "--force", "--statements")
    assert (ran.code, ran.err) == (2, "canfetch: --statements requires --use\n")


def test_cells_of_a_row_do_not_depend_on_other_rows(run: Any, folder: Path) -> None:
    pytest.importorskip("pyarrow")
    captures = {
        "https://a.example/robots.txt": http_response(
            b"License: https://a.example/l.xml\nUser-agent: *\nContent-Usage: tdm=n\n"
        ),
        "https://b.example/robots.txt": http_response(
            b"", status=301, headers=[("Location", "https://a.example/robots.txt")]
        ),
        "https://b.example/one": http_response(b"x"),
    }
    (folder / "a.warc").write_bytes(b"".join(record(url, block) for url, block in captures.items()))
    names = ("use_kind", "use_line", "use_place", "use_url", "use_note")

    def cells(urls: list[str], *pages: str) -> list[tuple[Any, ...]]:
        (folder / "urls.txt").write_text("\n".join(urls), encoding="utf-8")
        command = ["bulk", "filter", "urls.txt", "--robots", "a.warc", "--agent", "GPTBot", "-j1", *pages]
        assert run(*command, "--use", "training", "-o", "out.ndjson", "--force").code == 0
        return [tuple(row[name] for name in names) for row in read_json_lines(folder / "out.ndjson")]

    pages = ("--pages", "a.warc")
    urls = [f"https://{name}" for name in ("a.example/one", "b.example/one", "b.example/two")]
    statement = ("content-usage", 3, "line 3", "https://a.example/robots.txt")
    label, group = "tdm is a label of the expired draft-ietf-aipref-vocab-01", "the user-agent line is line 2, for *"
    assert cells(urls, *pages) == cells(urls) == [(*statement, f"{label}; {group}")] * 3
    assert cells(urls[:1]) == cells(urls[:1], *pages) == cells(urls, *pages)[:1]


@pytest.mark.slow
def test_histories_and_clients_give_the_answer_of_the_library_as_of_a_time(history: WatchHistory) -> None:
    unread = MissingSource(SourceState.NOT_READ)
    web, asynchronous = Web(), AsyncWeb()

    async def ask(day: int, site: Situation) -> list[UseVerdict]:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=asynchronous, history=history) as client:
            return [await client.may_use(url, **options) for url, options in questions(day, site)]

    def questions(day: int, site: Situation) -> list[tuple[str, dict[str, Any]]]:
        shared = {"at": at(day + 0.5), "purpose": site.purpose, "response": page_of(site)}
        return [(url, {**shared, "agent": canfetch.agent(agent)}) for url in URLS for agent in AGENTS]

    with Client(user_agent="ExampleBot/1.0", transport=web, history=history) as client:
        for day in range(SITES):
            site = Situation(day)
            wanted = [cell(expected(site, url, agent, tdm=unread, license={})) for url in URLS for agent in AGENTS]
            asked = questions(day, site)
            for found in (
                [history.may_use(url, **options) for url, options in asked],
                [client.may_use(url, **options) for url, options in asked],
                asyncio.run(ask(day, site)),
            ):
                assert [cell(verdict) for verdict in found] == wanted
    assert web.requested == asynchronous.requested == []


@pytest.mark.slow
def test_the_command_gives_the_answer_of_the_library_as_of_a_time(history: WatchHistory, run: Any) -> None:
    unread = MissingSource(SourceState.NOT_READ)
    agents = [word for agent in AGENTS for word in ("--agent", agent)]
    for day in range(SITES):
        site = Situation(day)
        headers = [word for name, value in site.headers for word in ("--response-header", f"{name}: {value}")]
        options = ["--at", f"{at(day + 0.5):%Y-%m-%dT%H:%M:%SZ}", "--history", str(history.path), *agents, *headers]
        ran = run("use", *URLS, "--purpose", site.purpose, *options, "--format", "ndjson")
        found = {(row["url"], row["agent_name"]): {key: row[key] for key in CELL} for row in map(json.loads, ran.lines)}
        sources = {"response": PageResponse(200, site.headers), "tdm": unread, "license": {}}
        wanted = {(url, agent): cell(expected(site, url, agent, **sources)) for url in URLS for agent in AGENTS}
        assert found == wanted
