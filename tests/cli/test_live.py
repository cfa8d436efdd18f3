"""`check`, `explain` and `matrix` on real servers."""

import asyncio
import csv
import io
import json
import re
import sqlite3
import threading
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete
from tests.cli.conftest import serving, sites
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.dead_ports import refusing_port
from tests.servers.proxy import ProxySite
from tests.servers.valid import RULES, respond
from tests.servers.web import Exchange, Site

from canfetch.cli.main import cli

Run = Any
RULES_BEHAVIOUR = BEHAVIOURS["rules"]
AS_GPTBOT = ("--agent", "GPTBot")
UNKEPT = (*AS_GPTBOT, "--store", "none")


@pytest.fixture
def ruled(site: Site) -> Site:
    """Return a server with a robots.txt that disallows /private."""
    site.serve("/robots.txt", RULES_BEHAVIOUR)
    return site


# --- stored copies -----------------------------------------------------------------------------


def test_a_stored_copy_that_decides_is_named_with_its_time(run: Run, ruled: Site) -> None:
    command = ("check", f"{ruled.origin}/private", *AS_GPTBOT)
    first = run(*command)
    (line,) = run(*command).lines
    assert line.startswith(first.lines[0] + " (stored copy of 20")
    assert line.endswith("Z; --refresh asks the server)")
    assert run(*command, "--refresh").lines == first.lines
    assert "  copy      stored copy of 20" in run("explain", *command[1:]).out
    assert "copy" not in run("explain", *command[1:], "--refresh").out


@pytest.mark.parametrize(
    "command",
    [
        "check {}/fish --agent GPTBot",
        "explain {}/fish --agent GPTBot",
        "matrix {}/fish {}/ --agent GPTBot",
        "facts {}",
        "fetch {}",
        "sitemaps {}",
        "sitemaps {} --urls",
        "sitemaps {} --urls --agent GPTBot --blocked",
        "page {}/fish --agent GPTBot",
        "page {}/fish --agent GPTBot --resources",
        "use {}/fish --purpose training",
        "use {}/fish --purpose training --no-page",
    ],
)
def test_every_text_from_a_stored_copy_names_its_time_once(run: Run, ruled: Site, command: str) -> None:
    sitemap = f"<urlset><url><loc>{ruled.origin}/fish</loc></url></urlset>"
    ruled.serve("/robots.txt", respond(RULES + f"\nSitemap: {ruled.origin}/sitemap.xml\n".encode()))
    ruled.serve("/sitemap.xml", respond(sitemap.encode()))
    ruled.serve("/fish", respond(b"<script src=/code.js></script>", "Content-Type: text/html"))
    arguments = command.replace("{}", ruled.origin).split()
    first = run(*arguments)
    again = run(*arguments)
    note = re.compile(r"stored copy of 20\S+Z; --refresh asks the server")
    assert "stored copy" not in first.out + first.err
    assert len(note.findall(again.out + again.err)) == 1
    assert again.code == first.code
    assert "stored copy" not in str(run(*arguments, "--refresh"))
    assert "stored copy" not in run(*arguments, "--format", "json").err


def test_a_table_names_each_stored_copy_once(run: Run, ruled: Site) -> None:
    with sites("rules") as others:
        origins = [site.origin for site in (ruled, *others)]
        urls = [f"{origin}/{path}" for path in ("a", "b") for origin in origins]
        run("matrix", *urls, *AS_GPTBOT)
        lines = [line for line in run("matrix", *urls, *AS_GPTBOT).lines if line.startswith("# ")]
    assert [line.partition(": stored copy of ")[0] for line in lines] == [
        f"# {origin}/robots.txt" for origin in origins
    ]


def test_lint_of_a_url_asks_the_server_each_time(run: Run, ruled: Site) -> None:
    command = ("lint", ruled.origin, "--isolated")
    ruled.serve("/robots.txt", respond(b"Disallow: /private\n", "Content-Type: text/plain"))
    assert "CF301" in run(*command).out
    ruled.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /private\n", "Content-Type: text/plain"))
    assert "CF301" not in run(*command).out
    assert "CF301" not in run(*command, "--offline").out
    assert ruled.count("/robots.txt") == 2


# --- formats and exit codes --------------------------------------------------------------------


def test_check_fetches_and_shows_the_deciding_line(run: Run, ruled: Site) -> None:
    ran = run("check", f"{ruled.origin}/fish", f"{ruled.origin}/private", *UNKEPT)
    assert ran.lines == [
        f"allowed     {ruled.origin}/fish     GPTBot  no rule for * matches",
        f"disallowed  {ruled.origin}/private  GPTBot  line 2, Disallow: /private",
    ]
    assert (ran.code, ran.err) == (1, "")


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_json_has_the_access_of_the_file(run: Run, ruled: Site, form: str) -> None:
    ran = run("check", f"{ruled.origin}/fish", f"{ruled.origin}/private", *UNKEPT, "--format", form)
    rows = ran.rows(form)
    assert [(row["url"], row["allowed"]) for row in rows] == [
        (f"{ruled.origin}/fish", True),
        (f"{ruled.origin}/private", False),
    ]
    access = rows[0]["access"]
    assert (access["access"], access["effect"], access["explanation"]) == (
        "successful",
        "conditional-allow",
        "status 200",
    )
    assert access["robots_url"] == f"{ruled.origin}/robots.txt"
    assert len(access["sha256"]) == 64
    assert ran.code == 1


def test_csv_has_a_row_for_each_verdict(run: Run, ruled: Site) -> None:
    ran = run("check", f"{ruled.origin}/private", "nowhere", *UNKEPT, "--agent", "CCBot", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [(row["agent_name"], row["allowed"], row["rule_line"]) for row in rows] == [
        ("GPTBot", "false", "2"),
        ("CCBot", "false", "2"),
        ("GPTBot", "", ""),
        ("CCBot", "", ""),
    ]
    assert rows[2]["error"].startswith("invalid URL 'nowhere'")
    assert ran.code == 2


@pytest.mark.parametrize("more", [(), ("--quiet",)])
def test_exit_code_of_several_origins(run: Run, ruled: Site, more: tuple[str, ...]) -> None:
    fish, private = f"{ruled.origin}/fish", f"{ruled.origin}/private"
    for urls, code in (
        ((fish,), 0),
        ((fish, private), 1),
        ((private, "nowhere", fish), 2),
        (("nowhere", fish), 2),
    ):
        ran = run("check", *urls, *UNKEPT, *more)
        assert ran.code == code
        assert (ran.out == "") is bool(more)


def test_explain_shows_the_fetched_file(run: Run, ruled: Site) -> None:
    ran = run("explain", f"{ruled.origin}/private/x", *UNKEPT)
    assert ran.code == 1
    assert ran.lines[:7] == [
        f"disallowed: GPTBot may not fetch {ruled.origin}/private/x",
        "  line 2 decides: no other rule matches",
        "",
        f"  {ruled.origin}/robots.txt:2",
        "  1 | User-agent: *",
        "  2 | Disallow: /private",
        "    |           ^^^^^^^^ 8 bytes",
    ]
    assert f"  file      {ruled.origin}/robots.txt, fetched at 20" in ran.out
    assert "  access    successful, conditional-allow: status 200 (policy rfc9309)" in ran.lines


def test_explain_of_an_unreachable_origin_shows_no_file(run: Run) -> None:
    with refusing_port() as port:
        ran = run("explain", f"http://127.0.0.1:{port}/x", *UNKEPT)
    assert ran.code == 1
    assert ran.lines[1] == f"  robots.txt is unreachable: connect: 127.0.0.1 port {port}: Connection refused"
    assert "  group     none: there is no file" in ran.lines
    assert f"  file      http://127.0.0.1:{port}/robots.txt, no copy, last attempt at 20" in ran.out


def test_explain_of_an_origin_without_a_robots_txt(run: Run, site: Site) -> None:
    ran = run("explain", f"{site.origin}/x", *UNKEPT)
    assert ran.code == 0
    assert ran.lines[1] == "  robots.txt is unavailable: status 404"
    assert "  access    unavailable, full-allow: status 404 (policy rfc9309)" in ran.lines


@pytest.mark.parametrize("form", ["text", "json", "ndjson", "csv"])
def test_matrix_of_live_origins(run: Run, ruled: Site, form: str) -> None:
    urls = (f"{ruled.origin}/fish", f"{ruled.origin}/private")
    ran = run("matrix", *urls, *UNKEPT, "--agent", "CCBot", "--format", form)
    assert ran.code == 1
    if form == "text":
        assert [line.split()[1:] for line in ran.lines] == [["GPTBot", "CCBot"], ["yes", "yes"], ["no", "2", "no", "2"]]
    elif form == "csv":
        assert [row[1:] for row in csv.reader(ran.lines)][1:] == [["allowed"] * 2 + [""], ["disallowed"] * 2 + [""]]
    else:
        rows = ran.rows(form)
        assert rows[1]["verdicts"]["CCBot"] == {"allowed": False, "reason": "disallow-rule", "line": 2}
    assert ruled.count("/robots.txt") == 1


# --- concurrency and order ---------------------------------------------------------------------


class Meeting:
    """A behaviour that responds when `guests` requests have arrived; `most` is the largest number of open requests."""

    def __init__(self, guests: int) -> None:
        self.most = 0
        self._here = 0
        self._lock = threading.Lock()
        self._all_here = threading.Barrier(guests, timeout=120)

    async def behaviour(self, exchange: Exchange) -> None:
        with self._lock:
            self._here += 1
            self.most = max(self.most, self._here)
        await asyncio.to_thread(self._all_here.wait)
        with self._lock:
            self._here -= 1
        await exchange.respond(200, RULES)


def test_origins_are_fetched_at_the_same_time(run: Run) -> None:
    meeting = Meeting(guests=8)
    with ExitStack() as running:
        origins = [running.enter_context(serving(meeting.behaviour)).origin for _ in range(8)]
        for command in ("check", "matrix"):
            ran = run(command, *(f"{origin}/private" for origin in origins), *UNKEPT)
            assert ran.code == 1
            assert [line.count("/private") for line in ran.lines if "http" in line] == [
                2 if command == "check" else 1
            ] * 8
        assert run("fetch", *origins, "--store", "none").code == 0
    assert meeting.most == 8


def test_parallel_limits_concurrent_fetches(run: Run) -> None:
    # The barrier opens only if two fetches overlap, and a third would be counted.
    meeting = Meeting(guests=2)
    with ExitStack() as running:
        origins = [running.enter_context(serving(meeting.behaviour)).origin for _ in range(6)]
        assert run("check", *origins, *UNKEPT, "--parallel", "2").code == 0
        assert run("fetch", *origins, "--store", "none", "--parallel", "2").code == 0
    assert meeting.most == 2


def test_answers_are_in_the_order_of_the_urls(run: Run) -> None:
    with sites("slow-complete", "rules", "slow-complete", "disallow-all", "html") as running:
        urls = [f"{site.origin}/private" for site in (*running, *reversed(running))]
        ran = run("check", *urls, *UNKEPT)
        assert [line.split()[1] for line in ran.lines] == urls
        assert [site.count("/robots.txt") for site in running] == [1] * 5


@pytest.mark.slow
def test_long_list_of_one_origin_is_one_request(run: Run, ruled: Site, folder: Path) -> None:
    (folder / "urls.txt").write_text(f"{ruled.origin}/fish\n" * 10_000, encoding="utf-8")
    assert run("check", "--urls-file", "urls.txt", *UNKEPT, "-q") == (0, "", "")
    assert len(run("check", "--urls-file", "urls.txt", *UNKEPT).lines) == 10_000
    assert ruled.count("/robots.txt") == 2


def test_spellings_of_one_origin_share_a_request(run: Run, ruled: Site) -> None:
    urls = (f"{ruled.origin}/a", f"HTTP://127.0.0.1:0{ruled.port}/b", f"http://user:x@{ruled.netloc}?c#d")
    assert run("check", *urls, *UNKEPT).code == 0
    assert ruled.count("/robots.txt") == 1


def test_invalid_urls_in_a_list_are_reported_with_their_lines(run: Run, ruled: Site, folder: Path) -> None:
    gopher = "gopher://127.0.0.1/x"
    listed = [f"{ruled.origin}/fish", "/path", "http://", "", f"{ruled.origin}/private", "/" + "x" * 1_100_000, gopher]
    (folder / "urls.txt").write_text("\n".join(listed), encoding="utf-8")
    for more in ((), ("-q",)):
        ran = run("check", "--urls-file", "urls.txt", *UNKEPT, *more)
        assert ran.code == 2
        assert ran.err.splitlines() == [
            "canfetch: urls.txt:2: cannot fetch robots.txt for '/path': expected an absolute URL, or --robots FILE",
            "canfetch: urls.txt:3: invalid URL 'http://': expected an absolute URL such as 'https://example.com/'",
            f"canfetch: urls.txt:6: invalid URL '/{'x' * 39}'...: expected at most 1 MiB",
            (
                f"canfetch: urls.txt:7: cannot fetch robots.txt for '{gopher}': "
                "expected one of the schemes http, https, ftp"
            ),
        ]
        assert len(ran.lines) == (0 if more else 2)


def test_read_error_of_a_list_follows_the_answers(run: Run, ruled: Site) -> None:
    ran = run("check", f"{ruled.origin}/fish", "--urls-file", "/proc/self/mem", *UNKEPT)
    if "no such file" in ran.err:
        pytest.skip("no file here that opens and cannot be read")
    assert ran.code == 2
    assert len(ran.lines) == 1
    assert "cannot read /proc/self/mem: " in ran.err


def test_empty_list_sends_no_request(run: Run) -> None:
    ran = run("check", "--urls-file", "-", *UNKEPT, stdin=b"\n")
    assert ran.refusal == "canfetch: --urls-file '-' is empty: expected one URL per line\n"


# --- one file for all --------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/robots.txt", "/", ""])
def test_robots_option_accepts_a_url(run: Run, ruled: Site, path: str) -> None:
    ran = run("check", "/private", f"{ruled.origin}/fish", *UNKEPT, "--robots", f"{ruled.origin}{path}")
    assert [line.split()[0] for line in ran.lines] == ["disallowed", "allowed"]
    assert (ran.code, ran.err) == (1, "")
    assert ruled.count("/robots.txt") == 1


def test_named_origin_does_not_govern_another_even_without_a_file(run: Run) -> None:
    with sites("rules") as [ruled], Site() as bare:
        for named, other in ((ruled, bare), (bare, ruled)):
            for more in ((), ("-q",)):
                ran = run("check", f"{other.origin}/x", *UNKEPT, "--robots", named.origin, *more)
                assert f"belongs to {other.origin}, but this file governs {named.origin}" in ran.refusal
                assert other.count("/robots.txt") == 0 or other is ruled


# --- options -----------------------------------------------------------------------------------


def test_cached_origin_is_not_fetched_again(run: Run, ruled: Site, folder: Path) -> None:
    for store in ((), ("--store", "robots.sqlite3")):
        before = ruled.count("/robots.txt")
        for _ in range(3):
            assert run("check", f"{ruled.origin}/fish", *AS_GPTBOT, *store).code == 0
        assert ruled.count("/robots.txt") == before + 1
    assert (folder / "robots.sqlite3").is_file()
    assert [*(folder / "cache").rglob("robots.sqlite3")]


def test_origin_cached_in_redis_is_not_fetched_again(run: Run, ruled: Site, redis_url: str) -> None:
    for _ in range(3):
        assert run("check", f"{ruled.origin}/fish", *AS_GPTBOT, "--store", redis_url).code == 0
    assert ruled.count("/robots.txt") == 1
    assert run("cache", "clear", ruled.origin, "--store", redis_url).err == "removed 1 origin\n"


def test_every_run_fetches_without_a_store(run: Run, ruled: Site) -> None:
    for _ in range(3):
        assert run("check", f"{ruled.origin}/fish", *UNKEPT).code == 0
    assert ruled.count("/robots.txt") == 3


@pytest.mark.parametrize("command", ["check", "explain", "matrix"])
def test_refresh_fetches_each_origin_once_per_run(run: Run, ruled: Site, command: str) -> None:
    urls = (f"{ruled.origin}/fish", f"{ruled.origin}/fowl", f"{ruled.origin}/fish")
    run(command, *urls, *AS_GPTBOT)
    for asked in (2, 3):
        assert run(command, *urls, *AS_GPTBOT, "--refresh").code == 0
        assert ruled.count("/robots.txt") == asked


def test_offline_sends_no_request(run: Run, ruled: Site) -> None:
    unknown = run("check", f"{ruled.origin}/fish", *AS_GPTBOT, "--offline")
    assert unknown.code == 1
    assert "robots.txt is unreachable: offline and not cached" in unknown.out
    explained = run("explain", f"{ruled.origin}/fish", *AS_GPTBOT, "--offline")
    assert f"{ruled.origin}/robots.txt, never fetched" in explained.out
    (verdict,) = json.loads(run("explain", f"{ruled.origin}/fish", *AS_GPTBOT, "--offline", "--format", "json").out)
    assert verdict["access"]["fetched_at"] is None
    assert ruled.requests == []
    run("check", f"{ruled.origin}/fish", *AS_GPTBOT)
    assert run("check", f"{ruled.origin}/fish", *AS_GPTBOT, "--offline").code == 0
    assert ruled.count("/robots.txt") == 1


def test_timeout_applies_to_an_origin_that_never_responds(run: Run) -> None:
    with sites("silent", "slow-body", "slow-head") as running:
        ran = run("check", *(f"{site.origin}/x" for site in running), *UNKEPT, "--timeout", "0.3")
    assert ran.code == 1
    assert [line.partition("GPTBot")[2].strip() for line in ran.lines] == [
        "robots.txt is unreachable: timeout: fetch not finished within 0.3 s"
    ] * 3


@pytest.mark.parametrize("policy, code", [("rfc9309", 1), ("yandex", 0), ("rfc9309+server_error=full-allow", 0)])
def test_policy_selects_the_effect_of_an_error(run: Run, policy: str, code: int) -> None:
    with sites("busy") as [busy]:
        ran = run("check", f"{busy.origin}/x", *UNKEPT, "--policy", policy, "--format", "ndjson")
    assert ran.code == code
    assert json.loads(ran.out)["access"]["policy"] == policy


@pytest.mark.parametrize(
    "policy, code", [("rfc9309", 0), ("google", 0), ("yandex", 0), ("rfc9309+not_robots=unreachable", 1)]
)
def test_page_instead_of_the_file_is_reported(run: Run, site: Site, policy: str, code: int) -> None:
    site.serve("/robots.txt", respond(b"<!DOCTYPE html><title>Just a moment...</title>", "Content-Type: text/html"))
    arguments = (f"{site.origin}/x", *UNKEPT, "--policy", policy)
    explanation = "status 200, but the content is HTML or XML without any record"
    checked, explained = run("check", *arguments), run("explain", *arguments)
    assert checked.code == explained.code == code
    assert explanation.removeprefix("status 200, but ") in checked.out
    assert explanation in explained.out
    as_json = json.loads(run("check", *arguments, "--format", "ndjson").out)
    assert as_json["access"]["explanation"].startswith(explanation)
    fetched = run("fetch", site.origin, "--store", "none", "--policy", policy)
    assert explanation in fetched.out
    assert f"{policy}, not_robots" in fetched.out


def test_policy_is_reported_by_its_canonical_name(run: Run, ruled: Site) -> None:
    policy = "google+unauthorized=full-disallow+redirect_limit=7+server_error=unreachable"
    ran = run("check", f"{ruled.origin}/fish", *UNKEPT, "--policy", policy, "--format", "ndjson")
    assert json.loads(ran.out)["access"]["policy"] == "google+redirect_limit=7+unauthorized=full-disallow"


def test_policy_names_are_completed() -> None:
    complete = ShellComplete(cli, {}, "canfetch", "_CANFETCH_COMPLETE")
    found = complete.get_completions(["check", "--policy"], "google")
    assert [item.value for item in found] == ["google", "google2019"]


def test_public_only_refuses_proxies(run: Run, monkeypatch: pytest.MonkeyPatch, ruled: Site) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    ran = run("check", f"{ruled.origin}/fish", *UNKEPT, "--public-only")
    assert "--public-only cannot be guaranteed with a proxy" in ran.refusal


def test_proxy_of_the_environment_is_used(run: Run, monkeypatch: pytest.MonkeyPatch, ruled: Site) -> None:
    with ProxySite() as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        assert run("check", f"{ruled.origin}/fish", *UNKEPT).code == 0
    assert len(proxy.heads) == 1


def test_unsupported_proxy_of_the_environment_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    ran = run("check", "http://127.0.0.1:9/fish", *UNKEPT)
    assert ran.code == 2
    assert "invalid or unsupported proxy 'socks5://127.0.0.1:9'" in ran.err


def test_public_only_refuses_loopback(run: Run, ruled: Site) -> None:
    ran = run("check", f"{ruled.origin}/fish", *UNKEPT, "--public-only")
    assert ran.code == 1
    assert "127.0.0.1" in ran.out
    assert ruled.requests == []


def test_user_agent_is_sent(run: Run, ruled: Site) -> None:
    run("check", f"{ruled.origin}/fish", *UNKEPT)
    run("check", f"{ruled.origin}/fish", *UNKEPT, "--user-agent", "ExampleBot/1.0 (+https://example.com/bot)")
    sent = [asked.headers["user-agent"] for asked in ruled.requests]
    assert sent[0].startswith("canfetch/")
    assert sent[1] == "ExampleBot/1.0 (+https://example.com/bot)"


# --- errors outside the network --------------------------------------------------------------


def test_invalid_user_agent_is_refused(run: Run) -> None:
    ran = run("check", "http://127.0.0.1/x", *AS_GPTBOT, "--user-agent", "Bot\nX: y")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "invalid --user-agent 'Bot\\nX: y'" in ran.err


@pytest.mark.parametrize("command", ["check", "explain", "matrix", "fetch"])
def test_unreachable_redis_is_reported_once_and_answers_continue(run: Run, command: str) -> None:
    pytest.importorskip("redis")
    with sites("rules", "rules", "rules") as running, refusing_port() as port:
        store = f"redis://:secret@127.0.0.1:{port}/0"
        agent = () if command == "fetch" else AS_GPTBOT
        ran = run(command, *(f"{site.origin}/fish" for site in running), *agent, "--store", store)
        assert [site.count("/robots.txt") for site in running] == [1] * 3
    assert ran.code == 0
    assert ran.err.startswith(f"canfetch: redis://:***@127.0.0.1:{port}/0: ")
    assert ran.err.endswith("; continuing from memory\n")
    assert ran.err.count("\n") == 1


def test_corrupt_entry_is_dropped_with_a_warning_and_fetched_again(run: Run, ruled: Site, folder: Path) -> None:
    stored = ("check", f"{ruled.origin}/fish", *AS_GPTBOT, "--store", "robots.sqlite3")
    run(*stored)
    with closing(sqlite3.connect(folder / "robots.sqlite3", isolation_level=None)) as connection:
        connection.execute("UPDATE entries SET entry = replace(entry, 'sha256', 'sha255')")
    ran = run(*stored)
    assert ran.code == 0
    assert ran.err == (
        f"canfetch: {ruled.origin}: robots.sqlite3: corrupt cache entry: missing key 'sha256'; "
        "it is discarded and fetched again\n"
    )
    assert run(*stored).err == ""
    assert ruled.count("/robots.txt") == 2


@pytest.mark.parametrize("command", ["check", "fetch"])
def test_file_that_is_not_a_store_is_refused(run: Run, folder: Path, command: str) -> None:
    (folder / "notes.txt").write_text("no database " * 1000, encoding="utf-8")
    agent = () if command == "fetch" else AS_GPTBOT
    for place, message in (
        ("notes.txt", "notes.txt: file is not a database; use another file, or delete this file if it was a store"),
        ("robots.txt/store", "robots.txt/store: cannot open the store: "),
    ):
        ran = run(command, "http://127.0.0.1/x", *agent, "--store", place)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert ran.err.startswith(f"canfetch: --store {message}")


def test_missing_list_is_reported_before_any_request(run: Run, ruled: Site) -> None:
    assert "no such file" in run("check", f"{ruled.origin}/fish", *UNKEPT, "--urls-file", "missing.txt").refusal
    assert ruled.requests == []
