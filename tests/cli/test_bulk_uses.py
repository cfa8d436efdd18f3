"""`canfetch bulk filter --use` has the answers of `canfetch.may_use`, row by row."""

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.generated_usage import URLS, generated_content
from tests.json_lines import read_json_lines

import canfetch
from canfetch.bulk import extras
from canfetch.client.watch import Observation, WatchHistory
from canfetch.consent import MissingSource, SourceState
from canfetch.core.origin import Origin
from canfetch.core.text import display_text
from canfetch.core.verdict import Effect
from canfetch.errors import InvalidURL, MissingExtra

pa = pytest.importorskip("pyarrow")
Run = Any
AGENTS = ["GPTBot", "Googlebot", "Applebot", "YandexBot"]
NAMES = [*(name.lower() for name in AGENTS), "*", "Google-Extended", "Applebot-Extended", "YandexAdditional"]
START, DAY, SUCCESS = 1_772_323_200, 86_400, 200
USE = ["use", "use_kind", "use_line", "use_text", "use_token"]
NOT_READ = "headers, html, tdmrep.json"
STATES = {404: SourceState.ABSENT, 503: SourceState.UNREACHABLE}
RULE, SIGNAL = "Disallow: /private/", "Content-Signal: search=yes, ai-train=no"
ROBOTS = "https://a.example/robots.txt"
SIGNALS = "Content Signals (contentsignals.org)"
REFUSED = "a statement disallows the use, and no statement allows it"
GROUP = "the user-agent line is line 1, for *"
STATED = f'robots.txt,line 3,{ROBOTS},,{SIGNALS},"{REFUSED}",robots.txt,"{GROUP}",'
RULED = f"robots.txt,line 2,{ROBOTS},,RFC 9309,content that the agent may not fetch may not be used,robots.txt,"
RULED += f'"GPTBot may not fetch the URL; {GROUP}",'
SILENCE = "nothing is stated, and no standard defines what silence means"
CONTENT = f"""User-agent: *
{RULE}
{SIGNAL}

User-agent: Google-Extended
Disallow: /
"""


@pytest.fixture(params=["local", pytest.param("duckdb", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> str:
    if request.param == "duckdb":
        pytest.importorskip("duckdb")
    return str(request.param)


def write_archive(folder: Path, robots: list[dict[str, Any]]) -> None:
    (folder / "robots.ndjson").write_text("".join(json.dumps(row) + "\n" for row in robots), encoding="utf-8")


def write_urls(folder: Path, urls: list[str]) -> None:
    (folder / "urls.ndjson").write_text("".join(json.dumps({"url": url}) + "\n" for url in urls), encoding="utf-8")


def generate(folder: Path, *, urls: int) -> dict[str, Any]:
    """Write an archive and a list of URLs, and return the robots.txt of each origin."""
    dice = random.Random(9309)  # noqa: S311 - not for cryptography
    robots: list[dict[str, Any]] = [
        {"origin": f"https://s{number}.example", "status": 200, "content": generated_content(dice, NAMES).decode()}
        for number in range(40)
    ]
    robots += [{"origin": f"https://e{status}.example", "status": status, "content": "x"} for status in STATES]
    write_archive(folder, robots)
    origins = [*(row["origin"] for row in robots), "https://unknown.example"]
    paths = [url for url in URLS if url is not None]
    listed = [path if ":" in path else dice.choice(origins) + path for path in dice.choices(paths, k=urls - 1)]
    write_urls(folder, [*listed, "https://e503.example/robots.txt"])
    return {
        row["origin"]: canfetch.parse(row["content"]) if row["status"] == 200 else MissingSource(STATES[row["status"]])
        for row in robots
    }


def expected_use(robots: dict[str, Any], row: dict[str, Any], purpose: str) -> tuple[Any, ...]:
    try:
        origin = str(Origin.from_url(row["url"]))
    except InvalidURL:
        return (None,) * 7
    source = robots.get(origin, MissingSource(SourceState.NOT_READ))
    agent = canfetch.agent(row["agent"])
    verdict = canfetch.may_use(row["url"], purpose=purpose, agent=agent, robots=source)
    changing = (one.name for one in verdict.unread if one.name != "tdmrep.json" or verdict.purpose == "training")
    unread = None if verdict.is_final else ", ".join(dict.fromkeys(changing))
    if verdict.allowed is None:
        return "unknown", *(None,) * 4, unread, None
    first = verdict.decided_by[0]
    if first.line is None:
        return str(first.preference), str(first.kind), None, None, None, unread, first.note
    assert len(first.note) <= 256
    text = display_text(source.content.splitlines()[first.line - 1].strip().replace(b"\t", b" "))
    token = first.note.removeprefix("a rule for ").partition(",")[0] if first.kind == "control-token" else None
    return str(first.preference), str(first.kind), first.line, text, token, unread, first.note


def filter_urls(ran: Run, output: str, *more: str, **options: Any) -> Any:
    agents = [word for name in AGENTS for word in ("--agent", name)]
    arguments = ["--robots", "robots.ndjson", *agents, "-j1", "-o", output, *more]
    return ran("bulk", "filter", "urls.ndjson", *arguments, **options)


@pytest.mark.slow
@pytest.mark.parametrize("purpose", ["training", "ai_input"])
def test_each_row_has_the_answer_of_may_use(folder: Path, run: Run, engine: str, purpose: str) -> None:
    robots = generate(folder, urls=500)
    assert filter_urls(run, "out.ndjson", "--use", purpose, "--engine", engine).code == 0
    rows = read_json_lines(folder / "out.ndjson")
    found = [tuple(row[name] for name in (*USE, "use_unread", "use_note")) for row in rows]
    assert len(rows) == 2_000
    assert found == [expected_use(robots, row, purpose) for row in rows]
    assert {use for use, *_ in found} >= {"disallow", "unknown", None}
    assert {kind for _, kind, *_ in found} >= {"rule", "control-token", "unreachable"}


@pytest.mark.slow
def test_rows_with_a_time_have_the_answers_of_a_history(folder: Path, run: Run, engine: str) -> None:
    dice = random.Random(9309)  # noqa: S311 - not for cryptography
    origin, agent = "https://example.com", "Googlebot"
    captures: list[dict[str, Any]] = [
        {"origin": origin, "status": 200, "content": generated_content(dice, NAMES).decode(), "time": START + day * DAY}
        for day in (10, 20, 25)
    ]
    captures.insert(2, {"origin": origin, "status": 404, "content": "x", "time": START + 22 * DAY})
    write_archive(folder, captures)
    rows: list[dict[str, Any]] = [
        {"url": origin + url, "time": START + day * DAY}
        for url in URLS
        if url is not None and url.startswith("/")
        for day in (9, 10, 19.5, 20, 21, 23, 25, 1000)
    ]
    (folder / "urls.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert filter_urls(run, "out.ndjson", "--use", "training", "--engine", engine, "--time-column", "time").code == 0
    found = [(row["allowed"], row["use"]) for row in read_json_lines(folder / "out.ndjson") if row["agent"] == agent]
    words = {True: "allow", False: "disallow", None: "unknown"}
    with WatchHistory(folder / "history.sqlite3") as history:
        for capture in captures:
            content = capture["content"].encode() if capture["status"] == SUCCESS else None
            effect = Effect.FULL_ALLOW if content is None else Effect.CONDITIONAL_ALLOW
            seen = Observation(origin, capture["time"], effect, capture["status"], "", content)
            assert history.record(seen, previous=history.last_version(origin), change=None, sends=False)
        expected = []
        for row in rows:
            known = history.copy_at(row["url"], at=datetime.fromtimestamp(row["time"], UTC))
            use = known.may_use(row["url"], purpose="training", agent=canfetch.agent(agent))
            expected.append((known.decide(row["url"], agent=canfetch.agent(agent)).allowed, words[use.allowed]))
    assert found == expected
    assert {use for _, use in found} == set(words.values())


@pytest.mark.slow
def test_a_use_adds_columns_and_leaves_out_more_rows(folder: Path, run: Run, engine: str) -> None:
    generate(folder, urls=100)
    assert filter_urls(run, "out.ndjson", "--use", "training", "--engine", engine).code == 0
    assert filter_urls(run, "fetches.ndjson", "--engine", engine).code == 0
    rows = read_json_lines(folder / "out.ndjson")
    fetches = read_json_lines(folder / "fetches.ndjson")
    assert [{name: row[name] for name in fetches[0]} for row in rows] == fetches
    kept = [row for row in rows if row["allowed"] and row["use"] != "disallow"]
    assert filter_urls(run, "kept.ndjson", "--use", "training", "--only-allowed", "--engine", engine).code == 0
    assert read_json_lines(folder / "kept.ndjson") == kept
    assert filter_urls(run, "kept.parquet", "--use", "training", "--only-allowed", "--engine", engine).code == 0
    assert pytest.importorskip("pyarrow.parquet").read_table(folder / "kept.parquet").to_pylist() == kept
    assert 0 < len(kept) < sum(row["allowed"] is True for row in fetches)


@pytest.mark.service
def test_the_python_engine_writes_the_same_rows(folder: Path, process: Run) -> None:
    generate(folder, urls=50)
    outputs = set()
    for name in ("python", "native"):
        done = filter_urls(process, f"{name}.csv", "--use", "training", env={"CANFETCH_ENGINE": name})
        assert (done.code, done.out) == (0, "")
        outputs.add((folder / f"{name}.csv").read_bytes())
    assert len(outputs) == 1


def test_a_refused_use_counts_as_disallowed(folder: Path, run: Run, engine: str) -> None:
    write_archive(folder, [{"origin": "https://a.example", "status": 200, "content": CONTENT}])
    write_urls(folder, ["https://a.example/", "https://a.example/private/", "https://b.example/"])
    command = ["bulk", "filter", "urls.ndjson", "--robots", "robots.ndjson", "--engine", engine, "-j1"]
    done = run(*command, "--agent", "GPTBot", "--use", "training", "-o", "out.csv")
    assert (
        done.err == "canfetch: 3 URLs: 0 allowed, 0 not stated, 2 disallowed, 1 unknown: no-robots 1; wrote out.csv\n"
    )
    assert (folder / "out.csv").read_text(encoding="utf-8").splitlines() == [
        (
            "url,allowed,reason,line,rule,use,use_kind,use_line,use_text,use_token,robots_time,robots_url,robots_truncated,"
            "robots_detail,use_group,use_unread,use_source,use_place,use_url,use_time,use_standard,use_rule,use_read,"
            "use_note,use_until"
        ),
        f'https://a.example/,true,no-match,,,disallow,content-signal,3,"{SIGNAL}",,,{ROBOTS},false,,,,{STATED}',
        f"https://a.example/private/,false,disallow-rule,2,{RULE},disallow,rule,2,{RULE},,,{ROBOTS},false,,,,{RULED}",
        f'https://b.example/,,no-robots,,,unknown,,,,,,,,,,"robots.txt, {NOT_READ}",,,,,,"{SILENCE}",,,',
    ]


@pytest.mark.parametrize("form", ["ndjson", "parquet"])
def test_a_use_on_which_nothing_is_stated_is_not_allowed(folder: Path, run: Run, engine: str, form: str) -> None:
    contents = ["Content-Signal: ai-train=yes", "Content-Signal: ai-train=no", "Disallow: /private/", ""]
    write_archive(
        folder,
        [
            {"origin": f"https://s{number}.example", "status": 200, "content": f"User-agent: *\n{content}\n"}
            for number, content in enumerate(contents)
        ],
    )
    urls = [f"https://s{number}.example/" for number in range(5)]
    pytest.importorskip("pyarrow.parquet").write_table(pa.table({"url": urls}), folder / "urls.parquet")
    write_urls(folder, urls)
    command = ["bulk", "filter", f"urls.{form}", "--robots", "robots.ndjson", "--engine", engine, "-j1"]
    done = run(*command, "--agent", "GPTBot", "--use", "training", "--missing", "allow", "-o", f"out.{form}")
    assert done.err == f"canfetch: 5 URLs: 1 allowed, 3 not stated, 1 disallowed, 0 unknown; wrote out.{form}\n"


@pytest.mark.parametrize("form", ["ndjson", "parquet"])
def test_a_row_names_the_capture_that_decides(folder: Path, run: Run, engine: str, form: str) -> None:
    rules = "User-agent: Google-Extended\nDisallow: / # all\n\nUser-agent: Googlebot\nAllow: /\n"
    write_archive(
        folder,
        [
            {"origin": "https://a.example", "status": 200, "content": rules, "time": START},
            {"origin": "https://a.example", "status": 503, "content": "", "time": START + DAY},
            {"origin": "https://b.example", "status": 503, "content": "", "time": START + DAY},
            {
                "origin": "https://c.example",
                "status": 301,
                "location": "https://a.example/robots.txt",
                "content": "",
                "time": START,
            },
            {
                "origin": "https://e.example",
                "status": 301,
                "location": "https://lost.example/robots.txt",
                "content": "",
                "time": START,
            },
        ],
    )
    write_urls(folder, [f"https://{name}.example/x" for name in "abcde"])
    output = f"out.{form}"
    command = ["bulk", "filter", "urls.ndjson", "--robots", "robots.ndjson", "--engine", engine, "-j1", "-o", output]
    assert run(*command, "--agent", "Googlebot", "--use", "training").code == 0
    if form == "ndjson":
        rows = read_json_lines(folder / output)
        times: list[Any] = ["2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"]
    else:
        rows = pytest.importorskip("pyarrow.parquet").read_table(folder / output).to_pylist()
        times = [datetime.fromtimestamp(START + days * DAY, UTC) for days in (0, 1)]
    deciding = ("disallow", "control-token", 2, "Disallow: / # all", "Google-Extended")
    assert [tuple(row[name] for name in [*USE, "robots_time", "robots_url", "robots_detail"]) for row in rows] == [
        (*deciding, times[0], ROBOTS, "status 503; using the last good copy"),
        ("disallow", "unreachable", None, None, None, times[1], "https://b.example/robots.txt", "status 503"),
        (*deciding, times[0], ROBOTS, None),  # after a redirect
        ("unknown", *(None,) * 7),
        (
            *("unknown", *(None,) * 4, times[0], "https://e.example/robots.txt"),
            "the response of https://lost.example/robots.txt was not captured",
        ),
    ]


def test_a_row_says_that_the_last_good_copy_has_expired(folder: Path, run: Run, engine: str) -> None:
    captures = [(200, CONTENT, START), (503, "", START + DAY)]
    write_archive(
        folder,
        [{"origin": "https://a.example", "status": code, "content": text, "time": at} for code, text, at in captures],
    )
    days = (0, 2, 40)
    rows = [{"url": "https://a.example/", "time": START + day * DAY} for day in days]
    (folder / "urls.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = ["bulk", "filter", "urls.ndjson", "--robots", "robots.ndjson", "--engine", engine, "-j1"]
    assert (
        run(*command, "--agent", "GPTBot", "--use", "training", "--time-column", "time", "-o", "out.ndjson").code == 0
    )
    found = [(row["use_kind"], row["robots_detail"]) for row in read_json_lines(folder / "out.ndjson")]
    assert found == [
        ("content-signal", None),
        ("content-signal", "status 503; using the last good copy"),
        ("unreachable", "status 503; the last good copy has expired"),
    ]


def test_a_row_names_the_group_of_a_token_and_what_was_not_read(folder: Path, run: Run, engine: str) -> None:
    allowed = "User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n"
    contents = {
        "a": "User-agent: Googlebot\nAllow: /\nUser-agent: *\nDisallow: /\n",
        "b": "User-agent: Googlebot\nAllow: /\nUser-agent: google-extended\nDisallow: /\n",
        "c": f"License: https://c.example/l.xml\n{allowed}",
        "d": allowed,
        "e": "User-agent: other\nLicense: https://c.example/l.xml\nAllow: /\n" + allowed,
    }
    write_archive(
        folder,
        [{"origin": f"https://{name}.example", "status": 200, "content": text} for name, text in contents.items()],
    )
    write_urls(folder, [f"https://{name}.example/" for name in contents] + ["x"])
    command = ["bulk", "filter", "urls.ndjson", "--robots", "robots.ndjson", "--engine", engine, "-j1"]
    assert run(*command, "--agent", "Googlebot", "--use", "training", "-o", "out.ndjson").code == 0
    names = ("use", "use_token", "use_group", "use_unread")
    assert [tuple(row[name] for name in names) for row in read_json_lines(folder / "out.ndjson")] == [
        ("disallow", "Google-Extended", "*", None),
        ("disallow", "Google-Extended", "Google-Extended", None),
        ("allow", None, None, f"{NOT_READ}, license"),
        ("allow", None, None, NOT_READ),
        ("allow", None, None, NOT_READ),
        (None, None, None, None),
    ]


def test_the_robots_txt_of_an_unreachable_origin(folder: Path, run: Run, engine: str) -> None:
    write_archive(folder, [{"origin": "https://a.example", "status": 503, "content": ""}])
    write_urls(folder, ["https://a.example/robots.txt"])
    command = ["bulk", "filter", "urls.ndjson", "--robots", "robots.ndjson", "--engine", engine, "-j1"]
    assert run(*command, "--agent", "GPTBot", "--use", "training", "-o", "out.ndjson").code == 0
    (row,) = read_json_lines(folder / "out.ndjson")
    missing = MissingSource(SourceState.UNREACHABLE)
    verdict = canfetch.may_use(row["url"], purpose="training", agent="GPTBot", robots=missing)
    assert (row["allowed"], row["reason"]) == (True, "robots-txt")
    assert (row["use"], row["use_kind"], verdict.allowed) == ("disallow", "unreachable", False)


def test_a_long_line_is_cut(folder: Path, run: Run, engine: str) -> None:
    content = f"User-agent: *\nDisallow: /{'x' * 300}\nContent-Signal: ai-train=no # {'é' * 200}\n"
    write_archive(folder, [{"origin": "https://a.example", "status": 200, "content": content}])
    write_urls(folder, ["https://a.example/"])
    command = ["bulk", "filter", "urls.ndjson", "--robots", "robots.ndjson", "--engine", engine, "-j1"]
    assert run(*command, "--agent", "GPTBot", "--use", "training", "-o", "out.ndjson").code == 0
    (row,) = read_json_lines(folder / "out.ndjson")
    assert row["use_text"] == f"Content-Signal: ai-train=no # {'é' * 111}…"


def test_invalid_uses(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write_archive(folder, [])
    write_urls(folder, ["https://a.example/"])
    command = ["bulk", "filter", "urls.ndjson", "--robots", "robots.ndjson", "--agent", "GPTBot", "-o", "out.csv"]
    done = run(*command, "--use", "fishing")
    assert (done.code, done.err) == (
        2,
        "canfetch: invalid --use: unknown purpose 'fishing': choose from 'training', 'search', 'ai-use'\n",
    )
    (folder / "urls.csv").write_text("url,use\nhttps://a.example/,x\n", encoding="utf-8")
    command[2] = "urls.csv"
    assert "already has a column 'use': rename it" in run(*command, "--use", "search").err

    def missing(*_: str) -> None:
        raise MissingExtra("pyarrow is required for --use: pip install 'canfetch[arrow]'")

    monkeypatch.setattr(extras, "import_extra", missing)
    done = run(*command, "--use", "search")
    assert (done.code, done.err) == (2, "canfetch: pyarrow is required for --use: pip install 'canfetch[arrow]'\n")


def test_a_row_shows_that_its_file_is_longer_than_what_is_parsed(folder: Path, run: Run, engine: str) -> None:
    padding = "# padding\n" * 60_000
    start, end = "User-agent: *\nDisallow: /private/\n", "Content-Signal: ai-train=no\n"
    contents = {"a": start + end, "b": start + padding + end, "c": start + end + "#" * 500_000}
    write_archive(
        folder,
        [{"origin": f"https://{name}.example", "status": 200, "content": text} for name, text in contents.items()]
        + [{"origin": "https://d.example", "status": 404, "content": padding}],
    )
    write_urls(folder, [f"https://{name}.example/" for name in "abcde"])
    command = ["bulk", "filter", "urls.ndjson", "--robots", "robots.ndjson", "--engine", engine, "-j1"]
    assert run(*command, "--agent", "GPTBot", "--use", "training", "-o", "out.ndjson").code == 0
    found = [(row["use"], row["robots_truncated"]) for row in read_json_lines(folder / "out.ndjson")]
    assert found == [("disallow", False), ("unknown", True), ("disallow", False), ("unknown", False), ("unknown", None)]
    assert run("bulk", "parse", "robots.ndjson", "--engine", engine, "-j1", "-o", "files.ndjson").code == 0
    files = [(row["bytes"], row["truncated"]) for row in read_json_lines(folder / "files.ndjson")]
    assert files == [(62, False), (600_062, True), (500_062, False), (600_000, False)]
