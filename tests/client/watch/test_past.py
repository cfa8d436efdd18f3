"""Answers as of a time: the version that was the newest one then decides, and never a later one."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.client.either import BOTH, EitherClient
from tests.client.test_may_use import Web, ok
from tests.client.watch.test_watcher import ORIGIN, START, Watched

from canfetch.client.site_files import SiteFile
from canfetch.client.sync_client import Client
from canfetch.client.watch import PastVerdict, WatchHistory
from canfetch.client.watch.observations import Observation
from canfetch.client.watch.watcher import Watcher
from canfetch.consent import PageResponse, SourceState
from canfetch.core.times import rfc3339
from canfetch.core.verdict import Access, Effect, Reason
from canfetch.errors import (
    InvalidOption,
    InvalidProductToken,
    InvalidURL,
    NotKnownAtTime,
    StoreError,
    UnknownProfile,
)

OPEN = "User-agent: *\nContent-Signal: ai-train=yes\nDisallow: /private/\n"
CLOSED = "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /\n"
FISH = f"{ORIGIN}/fish"
HOUR = 3600


def moment(hours: float) -> datetime:
    """Return a time that many hours after the start."""
    return datetime.fromtimestamp(START, UTC) + timedelta(hours=hours)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[WatchHistory]:
    """Return a history with versions one, three and five hours after the start: open, closed, and open again."""
    watched = Watched(tmp_path / "history.sqlite3")
    for body in (OPEN, OPEN, CLOSED, CLOSED, f"# again\n{OPEN}"):
        watched.serve(body)
    yield watched.history
    watched.close()


@pytest.mark.parametrize(
    "hours, answer, recorded, following",
    [
        (0.99, None, None, 1),
        (1, True, 1, 3),
        (2.5, True, 1, 3),
        (3, False, 3, 5),
        (4.99, False, 3, 5),
        (5, True, 5, None),
        (1000, True, 5, None),
    ],
)
def test_the_version_of_the_time_decides(
    history: WatchHistory, hours: float, answer: object, recorded: int | None, following: int | None
) -> None:
    past = history.decide(FISH, at=moment(hours), agent="ExampleBot")
    assert past.allowed is answer
    assert past.recorded_at == (None if recorded is None else START + recorded * HOUR)
    assert past.next_recorded_at == (None if following is None else START + following * HOUR)
    use = history.may_use(FISH, at=moment(hours), purpose="training", agent="ExampleBot")
    assert use.allowed is answer
    assert use.expires_at == past.next_recorded_at


def test_the_answer_names_the_time_of_the_copy_and_of_the_next_one(history: WatchHistory) -> None:
    past = history.decide(FISH, at=moment(4), agent="ExampleBot")
    times = "copy of 2026-09-21T17:13:20Z; the next one is of 2026-09-21T19:13:20Z"
    assert str(past) == f"disallowed: line 3, Disallow: / ({times})"
    assert past.verdict is not None
    assert past.verdict.access.fetched_at == past.recorded_at
    use = history.may_use(FISH, at=moment(4), purpose="training")
    assert str(use.sources[0]) == f"robots.txt: read ({times})"
    assert [source.name for source in use.unread] == ["headers", "html", "tdmrep.json"]
    assert history.decide(FISH, at=moment(9), agent="a").explanation.endswith("; no later one is known)")
    assert json.loads(json.dumps(past.to_json())) == {
        "schema": "canfetch.past-verdict/1",
        "url": FISH,
        "at": "2026-09-21T18:13:20Z",
        "allowed": False,
        "recorded_at": "2026-09-21T17:13:20Z",
        "next_recorded_at": "2026-09-21T19:13:20Z",
        "explanation": past.explanation,
        "verdict": past.verdict.to_json(),
    }


def test_before_the_first_copy_nothing_is_known(history: WatchHistory) -> None:
    past = history.decide(FISH, at=moment(0), agent="ExampleBot")
    words = "not known at 2026-09-21T14:13:20Z: the first known copy is of 2026-09-21T15:13:20Z"
    assert str(past) == words
    assert (past.verdict, past.to_json()["verdict"]) == (None, None)
    with pytest.raises(TypeError, match="no truth value"):
        bool(past)
    use = history.may_use(FISH, at=moment(0), purpose="training")
    assert (use.sources[0].state, use.sources[0].detail) == (SourceState.NOT_READ, words)
    assert not use.is_final
    other = history.decide("https://other.example/", at=moment(9), agent="ExampleBot")
    assert str(other).endswith("no copy is known")
    assert (other.allowed, other.next_recorded_at) == (None, None)


def test_the_response_of_the_time_counts(history: WatchHistory) -> None:
    page = PageResponse(200, {"X-Robots-Tag": "unavailable_after: 2026-09-21T18:00:00Z"})
    search = {"purpose": "search", "response": page, "agent": "Googlebot"}
    early, late = (history.may_use(FISH, at=moment(hours), **search) for hours in (2, 5.5))  # type: ignore[arg-type]
    assert (early.allowed, late.allowed) == (None, False)
    # The next version comes before the date.
    assert early.expires_at == START + 3 * HOUR


@pytest.mark.parametrize(
    "status, effect, reason, state",
    [
        (404, Effect.FULL_ALLOW, Reason.UNAVAILABLE, SourceState.ABSENT),
        (403, Effect.FULL_DISALLOW, Reason.UNAVAILABLE, SourceState.UNREACHABLE),
        (503, Effect.FULL_DISALLOW, Reason.UNREACHABLE, SourceState.UNREACHABLE),
        (429, Effect.FULL_DISALLOW, Reason.UNREACHABLE, SourceState.UNREACHABLE),
        (None, Effect.FULL_DISALLOW, Reason.UNREACHABLE, SourceState.UNREACHABLE),
    ],
)
def test_responses_without_a_file(
    tmp_path: Path, status: int | None, effect: Effect, reason: Reason, state: SourceState
) -> None:
    with WatchHistory(tmp_path / "history.sqlite3") as history:
        seen = Observation(ORIGIN, START, effect, status, "as recorded", None)
        assert history.record(seen, previous=None, change=None, sends=False)
        # Crawlers that ignore the groups for `*` are disallowed as well.
        past = history.decide(FISH, at=moment(1), agent="AdsBot-Google")
        assert past.verdict is not None
        assert (past.allowed, past.verdict.reason) == (effect is Effect.FULL_ALLOW, reason)
        assert past.explanation.startswith(f"robots.txt is {reason}: as recorded (observation of ")
        use = history.may_use(FISH, at=moment(1), purpose="training")
        assert (use.sources[0].state, use.allowed) == (state, None if state is SourceState.ABSENT else False)
        assert (use.sources[0].fetched_at, use.sources[0].requested_at) == (None, START)


def test_the_last_good_copy_of_an_unreachable_origin(tmp_path: Path) -> None:
    with WatchHistory(tmp_path / "history.sqlite3") as history:
        seen = Observation(ORIGIN, START, Effect.CONDITIONAL_ALLOW, 503, "using the last good copy", OPEN.encode())
        history.record(seen, previous=None, change=None, sends=False)
        past = history.decide(f"{ORIGIN}/private/", at=moment(1), agent="ExampleBot")
        assert past.verdict is not None
        assert (past.allowed, past.verdict.line, past.verdict.access.access) == (False, 3, Access.UNREACHABLE)


def test_a_clock_that_was_set_back_does_not_bring_an_old_version_back(tmp_path: Path) -> None:
    with WatchHistory(tmp_path / "history.sqlite3") as history:
        for hours, body in ((5, OPEN), (2, CLOSED)):
            seen = Observation(ORIGIN, START + hours * HOUR, Effect.CONDITIONAL_ALLOW, 200, "", body.encode())
            history.record(seen, previous=history.last_version(ORIGIN), change=None, sends=False)
        allowed = [history.decide(FISH, at=moment(hours), agent="a").allowed for hours in (1, 3, 6)]
        assert allowed == [None, False, False]


# Two of each second: they round up and down, and one is between two microseconds.
FRACTIONS = (0.1234564, 0.1234567, 0.4999996, 0.0078125, 0.9999996, 0.25)


def test_a_printed_time_selects_the_version_that_it_was_printed_for(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    watched = Watched(path)
    for number, fraction in enumerate(FRACTIONS):
        watched.now = START + 2 * number * HOUR + fraction
        report = watched.serve(f"User-agent: *\nDisallow: /{number}\n")
        assert report is None or report["after"]["at"] == rfc3339(watched.now)
    with sqlite3.connect(path) as connection:
        # As earlier versions of this program stored them.
        for number, fraction in enumerate(FRACTIONS):
            connection.execute("UPDATE versions SET at = ? WHERE id = ?", (START + number + fraction, number + 1))
    connection.close()
    for number, fraction in enumerate(FRACTIONS):
        url, printed = f"{ORIGIN}/{number}", rfc3339(START + number + fraction)
        past = watched.history.decide(url, at=datetime.fromisoformat(printed), agent="a")
        assert past.allowed is False
        assert past.to_json()["recorded_at"] == printed
        before = watched.history.decide(url, at=datetime.fromisoformat(printed) - timedelta(microseconds=1), agent="a")
        assert (before.allowed, before.to_json()["next_recorded_at"]) == (True if number else None, printed)
    watched.close()


def test_after_a_clock_was_set_back_the_next_time_is_that_from_which_another_version_decides(tmp_path: Path) -> None:
    with WatchHistory(tmp_path / "history.sqlite3") as history:
        for hours in (0, 100, 50, 200):
            body = f"User-agent: *\nDisallow: /{hours}\n".encode()
            seen = Observation(ORIGIN, START + hours * HOUR, Effect.CONDITIONAL_ALLOW, 200, "", body)
            history.record(seen, previous=history.last_version(ORIGIN), change=None, sends=False)
        known = [history.copy_at(FISH, at=moment(hours)).next_at for hours in (-1, 0, 50, 100, 200)]
        assert known == [START, START + 50 * HOUR, START + 200 * HOUR, START + 200 * HOUR, None]
        use = history.may_use(FISH, at=moment(0), purpose="training")
        assert use.expires_at == START + 50 * HOUR


def test_times_have_a_zone(history: WatchHistory) -> None:
    west = timezone(timedelta(hours=-7))
    assert history.decide(FISH, at=moment(4).astimezone(west), agent="a").allowed is False
    fix = r"no time zone: pass at\.replace\(tzinfo=UTC\), or at\.astimezone\(\) for a local time"
    with pytest.raises(InvalidOption, match=fix):
        history.decide(FISH, at=datetime(2026, 9, 21), agent="a")  # noqa: DTZ001 - what is tested
    wrong: Any = START
    with pytest.raises(TypeError, match="at must be a datetime with a time zone, not float"):
        history.may_use(FISH, at=wrong, purpose="training")
    assert history.decide(FISH, at=datetime.min.replace(tzinfo=UTC), agent="a").allowed is None
    assert history.decide(FISH, at=datetime.max.replace(tzinfo=UTC), agent="a").allowed is True


@pytest.mark.parametrize("hours", [0, 4])
def test_errors_of_the_caller_do_not_depend_on_what_is_known(history: WatchHistory, hours: int) -> None:
    at = moment(hours)
    with pytest.raises(InvalidURL):
        history.decide("/fish", at=at, agent="a")
    with pytest.raises(InvalidProductToken):
        history.decide(FISH, at=at, agent="")
    with pytest.raises(UnknownProfile):
        history.decide(FISH, at=at, agent="a", profile="unknown")
    with pytest.raises(InvalidOption, match="did you mean 'training'"):
        history.may_use(FISH, at=at, purpose="trainin")


def test_the_copy_of_a_time(history: WatchHistory) -> None:
    known = history.copy_at(FISH, at=moment(4))
    robots = known.robots()
    assert robots is not None
    assert (known.origin.robots_url, robots.render()) == (f"{ORIGIN}/robots.txt", CLOSED.encode())
    assert str(robots.origin) == ORIGIN
    assert history.copy_at(FISH, at=moment(0)).robots() is None


def test_a_history_in_a_read_only_file_and_a_damaged_one(history: WatchHistory) -> None:
    with WatchHistory(history.path, read_only=True) as opened:
        assert opened.decide(FISH, at=moment(4), agent="a").allowed is False
    with sqlite3.connect(history.path) as connection:
        connection.execute("UPDATE contents SET data = x'00'")
    connection.close()
    with pytest.raises(StoreError, match="damaged: "):
        history.decide(FISH, at=moment(4), agent="a")


def test_a_client_answers_by_the_copy_that_it_has(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "history.sqlite3")
    watched.serve(OPEN)
    watched.serve(CLOSED)
    watched.serve(None, 503)
    requests = len(watched.transport.requests)

    def ask(hours: float) -> PastVerdict:
        return watched.client.copy_at(FISH, at=moment(hours)).decide(FISH, agent="ExampleBot")

    # The first copy was replaced: it is no longer known.
    answers = {hours: ask(hours) for hours in (1.5, 2, 2.9, 3, 24 * 31)}
    assert [past.allowed for past in answers.values()] == [None, False, False, False, False]
    assert [past.recorded_at for past in answers.values()] == [
        None if hours is None else START + hours * HOUR for hours in (None, 2, 2, 3, 3)
    ]
    assert [past.next_recorded_at for past in answers.values()] == [
        None if hours is None else START + hours * HOUR for hours in (2, 3, 3, None, None)
    ]
    assert "status 200 (" in answers[2].verdict.access.explanation  # type: ignore[union-attr]  # it is known
    assert "using the last good copy" in answers[3].verdict.access.explanation  # type: ignore[union-attr]  # as above
    # After 30 days, the copy no longer applies.
    assert answers[24 * 31].verdict.reason is Reason.UNREACHABLE  # type: ignore[union-attr]  # as above
    assert watched.client.copy_at("https://other.example/", at=moment(9)).observation is None
    assert len(watched.transport.requests) == requests
    watched.close()


def test_an_asynchronous_client_answers_by_the_copy_that_it_has() -> None:
    web = Web({f"{ORIGIN}/robots.txt": ok(CLOSED.encode())})
    with EitherClient("async", web, clock=lambda: START) as client:
        client.decide(FISH)
        known = [client.copy_at(FISH, at=moment(hours)) for hours in (-1, 1)]
    assert [one.may_use(FISH, purpose="training").allowed for one in known] == [None, False]


@BOTH
def test_a_client_answers_as_of_a_time(history: WatchHistory, kind: str) -> None:
    web = Web({f"{ORIGIN}/robots.txt": ok(CLOSED.encode())})
    with EitherClient(kind, web, clock=lambda: START + 4 * HOUR, history=history) as client:
        client.decide(FISH)
        for hours, allowed in ((1, True), (3.5, False), (5, True)):
            # The client has fetched the closed file at four hours. The history has the other versions.
            assert client.decide(FISH, at=moment(hours)).allowed is allowed
            assert client.may_use(FISH, purpose="training", at=moment(hours)).allowed is allowed
    with EitherClient(kind, web, clock=lambda: START + 4 * HOUR) as client:
        client.decide(FISH)
        assert client.decide(FISH, at=moment(4)).allowed is False
        # tdmrep.json is known from the time of its request on.
        assert client.may_use(FISH, purpose="training", at=moment(4)).allowed is False
        first = r"robots\.txt of https://example\.com: not known at .*: the first known copy is of 2026-09-21T18:13:20Z"
        with pytest.raises(NotKnownAtTime, match=first):
            client.decide(FISH, at=moment(3.5))


def test_the_files_that_a_client_has_in_memory_answer_as_of_a_time() -> None:
    tdm = '[{"location": "/", "tdm-reservation": 1}]'
    license_url = f"{ORIGIN}/license.xml"
    terms = '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><prohibits type="usage">ai-all'
    terms += "</prohibits></license></content></rsl>"
    files = {"robots.txt": f"License: {license_url}", ".well-known/tdmrep.json": tdm, "license.xml": terms}
    web, now = Web({f"{ORIGIN}/{name}": ok(body.encode()) for name, body in files.items()}), START
    with Client(user_agent="ExampleBot/1.0", transport=web, clock=lambda: now) as client:
        client.decide(FISH)
        now = START + HOUR
        latest = client.may_use(FISH, purpose="training")
        now = START + 90 * HOUR
        requests = len(web.requested)
        early, late = (client.may_use(FISH, purpose="training", at=moment(hours)) for hours in (0.5, 1))
        assert len(web.requested) == requests
    states = [
        [(one.name, str(one.state)) for one in use.sources if one.name not in {"headers", "html"}]
        for use in (early, late)
    ]
    known = [("robots.txt", "read"), ("tdmrep.json", "read"), ("license", "read")]
    assert states == [[(name, "read" if name == "robots.txt" else "not-read") for name, _ in known], known]
    assert (early.allowed, late.allowed, late.statements) == (None, False, latest.statements)
    assert early.unread[-1].detail.endswith("no copy of this time is known")


def test_tdm_files_and_licenses_of_a_history_answer_as_of_a_time(tmp_path: Path) -> None:
    license_url, tdm_url = f"{ORIGIN}/license.xml", f"{ORIGIN}/.well-known/tdmrep.json"
    terms = '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><prohibits type="usage">ai-all'
    terms += "</prohibits></license></content></rsl>"
    web = Web({f"{ORIGIN}/robots.txt": ok(f"License: {license_url}".encode())})
    with WatchHistory(tmp_path / "history.sqlite3") as history:
        watcher = Watcher(history, warn=print, clock=web.clock)
        changes: tuple[dict[str, Any], ...] = (
            {},
            {license_url: ok(terms.encode())},
            {},
            {license_url: ok(b"x"), tdm_url: ok(b"[]")},
        )
        for count, change in enumerate(changes):
            web.now = START + count * HOUR
            web.answers |= change
            with Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock) as client:
                state = client.refresh(ORIGIN)
                watcher.record(state)
                watcher.record_files(state, client)
        assert history.record_file(tdm_url, SiteFile(b"[]"), now=web.now + HOUR) is False
        found = {}
        for hours in (-1, 0.5, 1, 2, 3):
            use = history.may_use(FISH, at=moment(hours), purpose="training")
            found[hours] = (
                use.allowed,
                *(str(one.state) for one in use.sources if one.name in {"tdmrep.json", "license"}),
            )
            times = [one.requested_at for one in use.sources if one.name == "tdmrep.json"]
            assert times == [None if hours < 0 else START + (3 if hours == 3 else 0) * HOUR]
            assert use.expires_at == {-1: START, 0.5: START + HOUR, 1: START + 3 * HOUR, 2: START + 3 * HOUR}.get(hours)
    assert found == {
        -1: (None, "not-read"),
        0.5: (None, "absent", "absent"),
        1: (False, "absent", "read"),
        2: (False, "absent", "read"),
        3: (None, "read", "unreadable"),
    }
    with WatchHistory(tmp_path / "history.sqlite3", read_only=True) as opened:
        assert opened.may_use(FISH, at=moment(1), purpose="training").allowed is False


def test_a_history_of_an_earlier_version_has_no_other_files(history: WatchHistory) -> None:
    with sqlite3.connect(history.path) as connection:
        connection.execute("DROP TABLE files")
    connection.close()
    with WatchHistory(history.path, read_only=True) as opened:
        use = opened.may_use(FISH, at=moment(4), purpose="training")
        assert [str(one.state) for one in use.sources if one.name == "tdmrep.json"] == ["not-read"]
    with WatchHistory(history.path) as opened:
        assert opened.record_file(f"{ORIGIN}/.well-known/tdmrep.json", SiteFile(), now=START)
        use = opened.may_use(FISH, at=moment(4), purpose="training")
        assert [str(one.state) for one in use.sources if one.name == "tdmrep.json"] == ["absent"]


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.client.watch.test_past import CLOSED
from tests.client.watch.test_watcher import ORIGIN, START
from canfetch.client.watch import Observation, WatchHistory
from canfetch.core.verdict import Effect
history = WatchHistory(Path(sys.argv[1]))
# Killed after the version is inserted, and before the transaction is committed.
history._connection.set_trace_callback(
    lambda statement: os.kill(os.getpid(), signal.SIGKILL) if statement == "COMMIT" else None
)
seen = Observation(ORIGIN, START + 9 * 3600, Effect.CONDITIONAL_ALLOW, 200, "", CLOSED.encode())
history.record(seen, previous=history.last_version(ORIGIN), change=None, sends=False)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="this platform has no SIGKILL")
def test_a_version_that_was_not_committed_does_not_decide(history: WatchHistory) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(history.path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    with WatchHistory(history.path) as opened:
        past = opened.decide(FISH, at=moment(10), agent="ExampleBot")
    assert (past.allowed, past.recorded_at, past.next_recorded_at) == (True, START + 5 * HOUR, None)
