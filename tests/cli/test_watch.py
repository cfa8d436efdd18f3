"""`canfetch watch` and `canfetch history` on real servers."""

import json
import os
import signal
import time
from contextlib import suppress
from io import BufferedIOBase
from itertools import pairwise
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

import pytest
from tests.cli.conftest import RunProcess, StartProcess, pipes, serving
from tests.client.watch.receivers import NO_CONTENT, receiver
from tests.servers.certificates import Authority
from tests.servers.dead_ports import refusing_port
from tests.servers.fixtures import authority
from tests.servers.web import Behaviour, Exchange, Site

from canfetch.client.watch.history import WatchHistory
from canfetch.client.watch.observations import Observation
from canfetch.core.verdict import Effect

__all__ = ["authority"]

Run = Any
UNKEPT = ("--store", "none")
ONCE = ("--once", *UNKEPT)
OPEN = b"User-agent: *\nDisallow: /private/\n"
CLOSED = b"User-agent: GPTBot\nDisallow: /\n"


def answer(body: bytes, status: int = 200) -> Behaviour:
    async def behaviour(exchange: Exchange) -> None:
        await exchange.respond(status, body, "Content-Type: text/plain")

    return behaviour


def changing() -> Site:
    """Return a server, not started yet, whose file closes the site for GPTBot at the second request."""
    site = Site()
    site.serve("/robots.txt", answer(OPEN), answer(CLOSED))
    return site


def test_a_change_is_reported_and_the_history_has_both_versions(run: Run) -> None:
    with changing() as site:
        first = run("watch", site.origin, *ONCE)
        second = run("watch", site.origin, *ONCE)
        third = run("watch", site.origin, *ONCE)
    assert [(ran.code, ran.err) for ran in (first, second, third)] == [(0, ""), (1, ""), (0, "")]
    assert (first.out, third.out) == ("", "")
    assert second.lines[0].startswith(f"{site.origin}  20")
    assert second.lines[1:] == [
        "  all other crawlers",
        "    gains /private/",
        "          such as /private/",
        "  GPTBot",
        "    loses / (in part)",
        "          such as /",
    ]
    history = run("history", site.origin)
    assert history.code == 0
    assert "conditional-allow, sha256" in history.lines[0]
    assert history.lines[1].startswith("     2  20")
    rows = json.loads(run("history", "--format", "json").out)
    assert [row["id"] for row in rows] == [1, 2]
    assert rows[0]["change"] is None
    assert rows[1]["change"]["schema"] == "canfetch.change/1"
    assert run("history", "--content", "1").out.encode() == OPEN


def test_ndjson_and_the_webhook_have_the_same_report(run: Run) -> None:
    with changing() as site, receiver() as running:
        options = ("--format", "ndjson", "--webhook", running.url)
        run("watch", site.origin, *ONCE, *options)
        ran = run(
            "watch",
            site.origin,
            *ONCE,
            *options,
            env={"CANFETCH_WEBHOOK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
        )
    (received,) = running.received
    assert json.loads(received.body) == json.loads(ran.out)
    assert received.headers["webhook-signature"].startswith("v1,")


@pytest.mark.parametrize("profile", ["original1994", "draft1996"])
def test_a_file_that_is_not_utf_8_is_reported_and_sent(run: Run, profile: str) -> None:
    with Site() as site, receiver() as running:
        site.serve("/robots.txt", answer(b"User-agent: *\nDisallow:\n"), answer(b"User-agent: *\nDisallow: /\xc3\n"))
        command = ("watch", site.origin, *ONCE, "--profile", profile, "--format", "ndjson", "--webhook", running.url)
        assert run(*command).code == 0
        ran = run(*command)
    assert (ran.code, ran.err) == (1, "")
    report = json.loads(ran.out)
    assert report["changes"][0]["newly_disallowed"]["patterns"] == ["/%C3"]
    assert [json.loads(received.body) for received in running.received] == [report]


def test_a_receiver_that_is_down_costs_a_warning(run: Run) -> None:
    with changing() as site, refusing_port() as port:
        options = ("--webhook", f"http://127.0.0.1:{port}/")
        run("watch", site.origin, *ONCE, *options)
        ran = run("watch", site.origin, *ONCE, *options)
    assert ran.code == 1
    assert ran.err.startswith("canfetch: warning: the webhook did not accept msg_")
    assert ran.err.endswith("it will be sent again\n")


def test_origins_are_checked_before_messages_are_sent(run: Run, folder: Path) -> None:
    with WatchHistory(folder / "robots-history.sqlite3") as history:
        observed = Observation("https://example.com", 0.0, Effect.FULL_ALLOW, 404, "status 404", None)
        assert history.record(observed, previous=None, change={}, sends=True)
    requests = []
    with changing() as site, receiver() as running:

        def answer(stream: BufferedIOBase) -> None:
            requests.append(site.count("/robots.txt"))
            stream.write(NO_CONTENT)

        running.answer = answer
        assert run("watch", site.origin, *ONCE, "--webhook", running.url).code == 0
    assert requests == [1]


def test_the_options_of_the_network_apply_to_the_webhook(run: Run, authority: Authority) -> None:
    with changing() as site, receiver(tls=authority.good()) as running, refusing_port() as port:
        options = ("--webhook", running.url, "--proxy", "none", "--ca-file", str(authority.file))
        environment = {"HTTP_PROXY": f"http://127.0.0.1:{port}", "HTTPS_PROXY": f"http://127.0.0.1:{port}"}
        run("watch", site.origin, *ONCE, *options, env=environment)
        ran = run("watch", site.origin, *ONCE, *options, env=environment)
    assert (ran.code, ran.err) == (1, "")
    assert len(running.received) == 1


def test_an_unreachable_origin_does_not_stop_the_others(run: Run) -> None:
    with serving(answer(OPEN)) as site, refusing_port() as port:
        ran = run("watch", f"http://127.0.0.1:{port}", site.origin, *ONCE)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith(f"canfetch: warning: no response at the first check of http://127.0.0.1:{port}: ")
    rows = json.loads(run("history", "--format", "json").out)
    assert {row["effect"] for row in rows} == {"full-disallow", "conditional-allow"}


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((), "no origin: pass one or more"),
        (("a b",), "invalid origin 'a b'"),
        (("https://example.com", "--every", "5"), "'5': expected one minute to one year"),
        (("https://example.com", "--every", "5s"), "'5s': expected one minute to one year"),
        (("https://example.com", "--webhook", "ftp://x/"), "invalid webhook 'ftp://x/'"),
        (("https://example.com", "--webhook", "http://[::1/"), "invalid webhook 'http://[::1/'"),
        (("https://example.com", "--webhook", "http://a..b/"), "invalid webhook 'http://a..b/'"),
        (("https://example.com", "--agent", "a b"), "invalid agent 'a b'"),
        (("https://example.com", "--history", "."), "--history .: is a directory, expected a file"),
        (
            ("https://example.com", "--history", "nowhere/h.sqlite3"),
            "unable to open database file: the folder 'nowhere' does not exist",
        ),
    ],
)
def test_mistakes_are_one_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in run("watch", *arguments, "--once").refusal


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--history", "missing.sqlite3"), "--history 'missing.sqlite3' does not exist"),
        (("--content", "7"), "no version 7"),
        (("https://other.example",), "no version of https://other.example"),
    ],
)
def test_mistakes_about_the_history_are_one_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    with serving(answer(OPEN)) as site:
        run("watch", site.origin, *ONCE)
    assert message in run("history", *arguments).refusal


def test_the_help_of_every_has_its_limits(run: Run) -> None:
    assert "an origin, one minute to one year, such as 30m" in " ".join(run("watch", "--help").out.split())


def test_a_version_without_a_file_has_no_content(run: Run) -> None:
    with serving(answer(b"", 404)) as site:
        run("watch", site.origin, *ONCE)
    assert run("history", "--content", "1").refusal == "canfetch: version 1 has no file: status 404\n"


@pytest.mark.service
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_watch_loses_no_change(folder: Path, start: StartProcess, process: RunProcess) -> None:
    bodies = [f"User-agent: *\nDisallow: /{number}/\n".encode() for number in range(12)]
    with Site() as site, receiver() as running:
        site.serve("/robots.txt", *(answer(body) for body in bodies))
        command = ("watch", site.origin, "--webhook", running.url, *UNKEPT, "--once")
        for number in range(8):
            # Killed at any point: during the start, the request, the comparison or the message.
            with start(*command) as killed:
                with suppress(TimeoutExpired):
                    killed.wait(0.1 * number)
                killed.kill()
        for _ in range(3):
            process(*command)
        with WatchHistory(folder / "robots-history.sqlite3") as history:
            # A message that a killed process had started to send is sent again after a minute.
            while (due_at := history.next_message_at()) is not None:
                time.sleep(max(0.0, due_at - time.time()))
                process(*command)
        rows = process("history", "--format", "json").rows("json")
    reports = [row["change"] for row in rows]
    assert reports[0] is None
    # Each report starts where the one before it ended, so no change between two versions is missing.
    for before, after in pairwise(rows):
        assert after["change"]["before"]["sha256"] == before["sha256"]
    sent = [json.loads(received.body) for received in running.received]
    assert [report for report in reports[1:] if report not in sent] == []


@pytest.mark.service
@pytest.mark.skipif(os.name != "posix", reason="SIGINT")
def test_in_the_foreground_it_runs_until_it_is_interrupted(folder: Path, start: StartProcess) -> None:
    with changing() as site, start("watch", site.origin, *UNKEPT, "-v") as process:
        _, _, log = pipes(process)
        # The log of the first fetch.
        assert site.origin in log.readline().decode()
        with WatchHistory(folder / "robots-history.sqlite3") as history:
            deadline = time.monotonic() + 300
            while history.last_version(site.origin) is None and time.monotonic() < deadline:
                time.sleep(0.05)
            assert history.last_version(site.origin) is not None
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
    assert process.returncode == 130
    # It was not due again.
    assert site.count("/robots.txt") == 1
