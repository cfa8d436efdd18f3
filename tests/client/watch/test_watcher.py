"""What is recorded, reported and sent when the robots.txt of an origin changes."""

import json
import sqlite3
from collections.abc import Iterator
from io import BufferedIOBase
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.client.watch.receivers import NO_CONTENT, Receiver, receiver

from canfetch.client.sync_client import Client
from canfetch.client.watch.history import MAX_VERSIONS, WatchHistory
from canfetch.client.watch.observations import Observation
from canfetch.client.watch.watcher import MAX_PARALLEL_MESSAGES, Watcher
from canfetch.client.watch.webhooks import RETRY_DELAYS, Webhook
from canfetch.core.agent import Agent
from canfetch.core.verdict import Effect
from canfetch.errors import StoreError

ORIGIN = "https://example.com"
START = 1_790_000_000.0
OPEN = "User-agent: *\nDisallow: /private/\n"
CLOSED_FOR_GPTBOT = f"{OPEN}\nUser-agent: GPTBot\nDisallow: /\n"


class Watched:
    """A watched origin, its history, and a clock."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.now = START
        self.path = path
        self.transport = ScriptedOrigin()
        self.client = Client(user_agent="ExampleBot/1.0", transport=self.transport, clock=lambda: self.now)
        self.history = WatchHistory(path)
        self.warnings: list[str] = []
        self.watcher = Watcher(self.history, warn=self.warnings.append, clock=lambda: self.now, **options)

    def serve(self, body: str | None, status: int = 200) -> dict[str, Any] | None:
        """Serve a file, and check the origin an hour later."""
        self.transport.event = {"status": status} if body is None else {"status": status, "body": body}
        self.now += 3600
        assert self.history.claim(ORIGIN, now=self.now, every=3600)
        return self.watcher.record(self.client.origin_state(ORIGIN, refresh=True))

    def close(self) -> None:
        self.client.close()
        self.history.close()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    opened = Watched(tmp_path / "history.sqlite3")
    yield opened
    opened.close()


def test_the_first_version_is_recorded_and_not_reported(watched: Watched) -> None:
    assert watched.serve(OPEN) is None
    (version,) = watched.history.versions(ORIGIN)
    assert version.observation.content == OPEN.encode()
    assert version.change is None


def test_a_change_names_who_loses_what(watched: Watched) -> None:
    watched.serve(OPEN)
    report = watched.serve(CLOSED_FOR_GPTBOT)
    assert report is not None
    assert (report["schema"], report["origin"]) == ("canfetch.change/1", ORIGIN)
    assert (report["before"]["at"], report["after"]["at"]) == ("2026-09-21T15:13:20Z", "2026-09-21T16:13:20Z")
    (change,) = report["changes"]
    assert change["agents"] == ["GPTBot"]
    assert "/" in change["newly_disallowed"]["examples"]
    assert change["newly_allowed"] == {"patterns": [], "partial_patterns": [], "examples": []}
    assert [version.change for version in watched.history.versions(ORIGIN)] == [None, report]


def test_a_change_of_the_text_alone_is_recorded_and_not_reported(watched: Watched) -> None:
    watched.serve(OPEN)
    assert watched.serve(f"# new\n{OPEN}") is None
    assert [version.change for version in watched.history.versions(ORIGIN)] == [None, None]


def test_the_same_file_is_not_recorded_again(watched: Watched) -> None:
    watched.serve(OPEN)
    watched.serve(OPEN)
    assert len(list(watched.history.versions(ORIGIN))) == 1


def test_missing_and_unreachable_files_are_changes(watched: Watched) -> None:
    watched.serve(OPEN)
    gone = watched.serve(None, 404)
    assert gone is not None
    assert gone["after"]["effect"] == "full-allow"
    assert gone["changes"][0]["newly_allowed"]["patterns"] == ["/private/"]
    assert watched.serve("", 200) is None
    closed = watched.serve(None, 503)
    # The last good copy still applies.
    assert closed is None
    watched.now += 31 * 86_400
    closed = watched.serve(None, 503)
    assert closed is not None
    assert closed["changes"][0]["newly_disallowed"]["patterns"] == ["/"]


def test_only_the_chosen_agents_are_compared(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "history.sqlite3", agents=[Agent("Googlebot")])
    watched.serve(OPEN)
    assert watched.serve(CLOSED_FOR_GPTBOT) is None
    assert watched.serve("User-agent: Googlebot\nDisallow: /\n") is not None
    watched.close()


def test_a_file_that_cannot_be_compared_is_reported_as_such(watched: Watched) -> None:
    watched.serve(OPEN)
    hostile = "User-agent: *\n" + "".join(f"Disallow: /{'*a' * 40}{number}*b\n" for number in range(300))
    report = watched.serve(hostile)
    assert report is not None
    assert report["changes"] or report["undecided"].startswith("undecided")


def test_origins_are_due_after_the_interval_and_claimed_by_one_process(watched: Watched) -> None:
    with WatchHistory(watched.path) as other:
        assert watched.history.claim(ORIGIN, now=START, every=60)
        assert not other.claim(ORIGIN, now=START, every=60)
        # A process that was killed during a check.
        assert other.claim(ORIGIN, now=START + 601, every=60)
        other.record_check(ORIGIN, now=START + 601)
        assert not watched.history.claim(ORIGIN, now=START + 660, every=60)
        assert watched.history.next_check_at([ORIGIN], every=60) == START + 661
        assert watched.history.claim(ORIGIN, now=START + 661, every=60)
        watched.history.record_check(ORIGIN, now=START + 661)
        # The clock was set back.
        assert other.claim(ORIGIN, now=START - 86_400, every=60)


def test_two_processes_record_a_change_once(watched: Watched) -> None:
    watched.serve(OPEN)
    with WatchHistory(watched.path) as other:
        second = Watcher(other, warn=watched.warnings.append, clock=lambda: watched.now)
        assert watched.serve(CLOSED_FOR_GPTBOT) is not None
        state = watched.client.origin_state(ORIGIN)
        assert second.record(state) is None
    assert len(list(watched.history.versions(ORIGIN))) == 2


@pytest.mark.slow
def test_old_versions_are_deleted(watched: Watched) -> None:
    for number in range(MAX_VERSIONS + 3):
        watched.serve(f"# {number}\n")
    versions = list(watched.history.versions(ORIGIN))
    assert len(versions) == MAX_VERSIONS
    assert versions[0].observation.content == b"# 3\n"
    with sqlite3.connect(watched.path) as connection:
        assert connection.execute("SELECT count(*) FROM contents").fetchone() == (MAX_VERSIONS,)
    connection.close()


class Sending(Watched):
    """A watched origin whose changes are sent to a receiver."""

    def __init__(self, path: Path, running: Receiver) -> None:
        super().__init__(path, webhook=Webhook(running.url))
        self.serve(OPEN)
        self.report = self.serve(CLOSED_FOR_GPTBOT)


def test_a_change_is_sent_once(tmp_path: Path) -> None:
    with receiver() as running:
        watched = Sending(tmp_path / "history.sqlite3", running)
        watched.watcher.send_messages()
        watched.watcher.send_messages()
        watched.close()
    (received,) = running.received
    assert json.loads(received.body) == watched.report
    assert watched.warnings == []


def test_a_failed_message_is_sent_again_with_the_same_id_after_a_restart(tmp_path: Path) -> None:
    with receiver(500, 503, 204) as running:
        watched = Sending(tmp_path / "history.sqlite3", running)
        watched.watcher.send_messages()
        watched.watcher.send_messages()
        assert len(running.received) == 1
        assert watched.history.next_message_at() == watched.now + RETRY_DELAYS[0]
        watched.now += RETRY_DELAYS[0]
        watched.watcher.send_messages()
        watched.close()
        with WatchHistory(watched.path) as reopened:
            later = Watcher(
                reopened,
                webhook=Webhook(running.url),
                warn=watched.warnings.append,
                clock=lambda: watched.now + RETRY_DELAYS[1],
            )
            later.send_messages()
            assert reopened.next_message_at() is None
    assert len({received.headers["webhook-id"] for received in running.received}) == 1
    assert len(running.received) == 3
    assert [warning.partition("(")[2] for warning in watched.warnings] == [
        "status 500): it will be sent again",
        "status 503): it will be sent again",
    ]


@pytest.mark.parametrize("status, attempts", [(410, 1), (500, len(RETRY_DELAYS) + 1)])
def test_a_message_is_given_up_after_the_last_attempt(tmp_path: Path, status: int, attempts: int) -> None:
    with receiver(status) as running:
        watched = Sending(tmp_path / "history.sqlite3", running)
        for delay in (0.0, *RETRY_DELAYS, 86_400.0):
            watched.now += delay
            watched.watcher.send_messages()
        assert len(running.received) == attempts
        assert watched.history.next_message_at() is None
        assert watched.warnings[-1].endswith("it is not sent again")
        # The report is still there.
        last = watched.history.last_version(ORIGIN)
        assert last is not None
        assert last.change == watched.report
        watched.close()


def record_messages(history: WatchHistory, number: int, *, at: float = START) -> None:
    """Record a number of messages, each about the first version of an origin."""
    for index in range(number):
        observed = Observation(f"https://{index}.example", at, Effect.FULL_ALLOW, 404, "status 404", None)
        assert history.record(observed, previous=None, change={"number": index}, sends=True)


def test_messages_are_sent_at_the_same_time(tmp_path: Path) -> None:
    barrier = Barrier(3)

    def answer(stream: BufferedIOBase) -> None:
        barrier.wait(300)
        stream.write(NO_CONTENT)

    with receiver() as running, WatchHistory(tmp_path / "history.sqlite3") as history:
        running.answer = answer
        record_messages(history, 3)
        warnings: list[str] = []
        webhook = Webhook(running.url, timeout=300)
        Watcher(history, webhook=webhook, warn=warnings.append, clock=lambda: START).send_messages()
        assert warnings == []
        assert history.next_message_at() is None


def test_a_message_is_sent_once_in_a_run_even_if_it_is_due_again(tmp_path: Path) -> None:
    with receiver(500) as running, WatchHistory(tmp_path / "history.sqlite3") as history:
        record_messages(history, MAX_PARALLEL_MESSAGES + 2)
        # Each look at the clock is a second later, so that the first retries are due during the run.
        ticks = count(START)
        warnings: list[str] = []
        watcher = Watcher(
            history, webhook=Webhook(running.url, timeout=300), warn=warnings.append, clock=lambda: next(ticks)
        )
        watcher.send_messages()
        sent = [received.headers["webhook-id"] for received in running.received]
        assert len(sent) == len(set(sent))


def test_a_run_ends_when_the_next_check_is_due(tmp_path: Path) -> None:
    with receiver() as running, WatchHistory(tmp_path / "history.sqlite3") as history:
        record_messages(history, MAX_PARALLEL_MESSAGES + 2)
        warnings: list[str] = []
        watcher = Watcher(history, webhook=Webhook(running.url, timeout=300), warn=warnings.append, clock=lambda: START)
        watcher.send_messages(until=START)
        assert len(running.received) == MAX_PARALLEL_MESSAGES
        watcher.send_messages(until=START)
        assert len(running.received) == MAX_PARALLEL_MESSAGES + 2
        assert history.next_message_at() is None


def test_a_run_with_a_slow_receiver_ends(tmp_path: Path) -> None:
    with receiver() as running, WatchHistory(tmp_path / "history.sqlite3") as history:
        record_messages(history, MAX_PARALLEL_MESSAGES + 2)
        # Each look at the clock is a minute later.
        ticks = count(START, 60)
        warnings: list[str] = []
        watcher = Watcher(
            history, webhook=Webhook(running.url, timeout=300), warn=warnings.append, clock=lambda: next(ticks)
        )
        watcher.send_messages()
        assert len(running.received) == MAX_PARALLEL_MESSAGES
        watcher.send_messages()
        assert len(running.received) == MAX_PARALLEL_MESSAGES + 2


YEAR = 365 * 86_400


def test_a_message_of_a_clock_that_was_ahead_is_sent(tmp_path: Path) -> None:
    with receiver() as running, WatchHistory(tmp_path / "history.sqlite3") as history:
        record_messages(history, 1, at=START + YEAR)
        warnings: list[str] = []
        Watcher(
            history, webhook=Webhook(running.url, timeout=300), warn=warnings.append, clock=lambda: START
        ).send_messages()
        assert len(running.received) == 1


@pytest.mark.parametrize("attempts", range(1, len(RETRY_DELAYS) + 1))
def test_an_attempt_by_a_clock_that_was_ahead_delays_a_message_no_further(tmp_path: Path, attempts: int) -> None:
    with receiver(*[500] * attempts, 204) as running, WatchHistory(tmp_path / "history.sqlite3") as history:
        record_messages(history, 1)
        now = START
        warnings: list[str] = []
        watcher = Watcher(history, webhook=Webhook(running.url, timeout=300), warn=warnings.append, clock=lambda: now)
        for delay in (0.0, *RETRY_DELAYS)[:attempts]:
            now += delay
            watcher.send_messages()
        delay = RETRY_DELAYS[attempts - 1]
        assert history.next_message_at() == now + delay
        # The message waits as long as its delay, or as it is reserved for a process.
        now -= max(60 - delay, 0)
        watcher.send_messages()
        assert len(running.received) == attempts
        now -= 1
        watcher.send_messages()
        assert len(running.received) == attempts + 1


def test_a_message_of_a_process_that_was_killed_is_sent_by_another(tmp_path: Path) -> None:
    with receiver() as running, WatchHistory(tmp_path / "history.sqlite3") as history:
        record_messages(history, 1)
        assert len(history.claim_messages(due_at=START, now=START, limit=10)) == 1
        now = START
        warnings: list[str] = []
        watcher = Watcher(history, webhook=Webhook(running.url, timeout=300), warn=warnings.append, clock=lambda: now)
        watcher.send_messages()
        assert running.received == []
        now += 60
        watcher.send_messages()
        assert len(running.received) == 1


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite3"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (a)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is not a history"):
        WatchHistory(path)
    assert path.read_bytes() == before
    path.write_bytes(b"not a database, but long enough to look like a file of something else" * 20)
    with pytest.raises(StoreError, match="not a database"):
        WatchHistory(path)
    with pytest.raises(StoreError, match="unable to open"):
        WatchHistory(tmp_path / "missing" / "history.sqlite3")


def test_a_newer_history_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    WatchHistory(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(StoreError, match="history version 2 is newer than 1: upgrade canfetch"):
        WatchHistory(path)


def test_reading_a_history_leaves_no_other_files(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    WatchHistory(path).close()
    with WatchHistory(path, read_only=True):
        pass
    assert [file.name for file in tmp_path.iterdir()] == ["history.sqlite3"]
