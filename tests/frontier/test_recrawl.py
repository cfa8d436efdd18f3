"""Visits that are repeated: when a URL is due again, what it comes with, and what survives."""

import asyncio
import itertools
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.frontier.crawls import Hosts, crawl, open_frontier
from tests.frontier.test_laws import copy_file as leave_file
from tests.frontier.test_laws import leave_leases, leave_worker
from tests.frontier.test_resuming import copy_file

from canfetch.access.responses import Failure, Response
from canfetch.client.frontier import FailedURL, FrontierCounts, Recrawl, SkippedURL, Turn
from canfetch.client.frontier.queue_values import KILLED
from canfetch.client.frontier.recrawl import Visit, read_visit
from canfetch.client.transports import TransportRequest
from canfetch.errors import InvalidOption, StoreError

A, B = "https://a.example", "https://b.example"
PERIOD = 20_000.0
ADAPTIVE = Recrawl(every=800.0, minimum=300.0, maximum=2000.0)
backends = pytest.mark.usefixtures("backend")
backends_for_days = pytest.mark.usefixtures("rare_polls")


@pytest.fixture
def rare_polls(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - it sets another value
    """Ask a URLFrontier service for URLs of other crawlers once in 50 seconds: days have too many polls."""
    monkeypatch.setattr("canfetch.client.frontier.urlfrontier_queue._POLL_SECONDS", 50.0)


def visits(
    urls: list[str],
    number: int,
    *,
    end: Any = lambda turn: turn.done(),
    hosts: Hosts | None = None,
    start: float = 0.0,
    path: Path | None = None,
    **options: Any,
) -> tuple[list[tuple[int, str]], FrontierCounts]:
    """Return the first turns of a crawl, with the seconds at which they started, and the counts after them."""

    async def main() -> tuple[list[tuple[int, str]], FrontierCounts]:
        async with open_frontier(hosts, urls, path=path, **options) as frontier:
            taken = []
            async for turn in frontier:
                taken.append((round(virtual_now()), turn.url))
                end(turn)
                if len(taken) == number:
                    break
            return taken, frontier.counts

    return run_in_virtual_time(main, start=start)


@backends_for_days
@pytest.mark.urlfrontier
def test_a_url_is_visited_in_fixed_intervals() -> None:
    taken, counts = visits([f"{A}/1", f"{B}/1"], 6, recrawl=Recrawl(every=PERIOD))
    assert sorted(url for _, url in taken[:2]) == [f"{A}/1", f"{B}/1"]
    assert [round(at / PERIOD, 1) for at, _ in taken] == [0, 0, 1, 1, 2, 2]
    assert (counts.queued + counts.done, counts.in_flight, counts.failed) == (2, 0, 0)


@backends
@pytest.mark.urlfrontier
def test_the_interval_follows_the_changes() -> None:
    changes = iter([True, None, True, True, False, False, False, True])
    taken, _ = visits([f"{A}/1"], 8, recrawl=ADAPTIVE, end=lambda turn: turn.done(changed=next(changes)))
    times = [at for at, _ in taken]
    # The first visit has nothing to compare.
    expected = [800, 800, 400, 300, 600, 1200, 2000]
    assert [round((later - at) / 10) for at, later in itertools.pairwise(times)] == [each / 10 for each in expected]


@backends_for_days
@pytest.mark.urlfrontier
def test_validators_are_given_to_the_next_turn(tmp_path: Path) -> None:
    found: list[tuple[Any, ...]] = []
    answers = iter([("x", "Mon"), (None, None), (None, "Tue"), (None, None)])
    changes = iter([None, False, None, None])

    def end(turn: Turn) -> None:
        found.append((turn.etag, turn.last_modified, turn.conditional_headers, turn.metadata, turn.depth, turn.attempt))
        etag, last_modified = next(answers)
        turn.done(changed=next(changes), etag=etag, last_modified=last_modified)

    async def add(path: Path) -> None:
        async with open_frontier(path=path) as frontier:
            frontier.add(f"{A}/1", metadata={"x": 1}, depth=2)

    path = tmp_path / "crawl"
    run_in_virtual_time(lambda: add(path))
    visits([], 2, end=end, path=path, recrawl=Recrawl(every=PERIOD))
    visits([], 2, end=end, path=path, recrawl=Recrawl(every=PERIOD), start=1e5)
    both = {"If-None-Match": "x", "If-Modified-Since": "Mon"}
    rest = ({"x": 1}, 2, 1)
    assert found == [
        (None, None, {}, *rest),
        ("x", "Mon", both, *rest),
        # What a page with status 304 does not repeat stays.
        ("x", "Mon", both, *rest),
        (None, "Tue", {"If-Modified-Since": "Tue"}, *rest),
    ]


@pytest.mark.parametrize(
    "seen, expected",
    [
        ((None, None, None), 800.0),
        ((None, "x", None), 1600.0),
        ((None, "y", None), 400.0),
        # The ETag decides.
        ((None, "x", "Tue"), 1600.0),
        ((None, None, "Mon"), 1600.0),
        ((None, None, "Tue"), 400.0),
        ((True, "x", "Mon"), 400.0),
        ((False, "y", "Tue"), 1600.0),
    ],
)
def test_the_validators_show_whether_a_page_has_changed(seen: tuple[Any, ...], expected: float) -> None:
    last = Visit(800.0, "x", "Mon")
    visit = ADAPTIVE.next_visit(last, changed=seen[0], etag=seen[1], last_modified=seen[2])
    assert visit.interval == expected
    assert read_visit(visit.to_json()) == visit


@pytest.mark.parametrize("changed, etag", [(None, None), (True, None), (False, "x")])
def test_only_a_page_that_is_stated_to_be_unchanged_keeps_its_validators(
    changed: bool | None,  # noqa: FBT001 - a parameter of the test
    etag: str | None,
) -> None:
    visit = ADAPTIVE.next_visit(Visit(800.0, "x", "Mon"), changed=changed, etag=None, last_modified="Mon")
    assert (visit.etag, visit.last_modified) == (etag, "Mon")


def test_headers_that_cannot_be_sent_are_ignored() -> None:
    for value in ("x\r\nX: y", "x" * 1025, "\ud800", ""):
        visit = ADAPTIVE.next_visit(None, changed=None, etag=value, last_modified=value)
        assert visit == Visit(800.0, None, None)


@pytest.mark.parametrize(
    "text", ["", "[]", "x", "5", '{"interval":-1}', '{"interval":true}', '{"etag":"x"}', "[" * 9999]
)
def test_a_damaged_visit_is_a_first_visit(text: str) -> None:
    assert read_visit(text) is None
    assert read_visit('{"interval":5,"etag":5}') is None
    assert read_visit('{"interval":5,"x":5}') is None


@backends_for_days
@pytest.mark.urlfrontier
def test_a_url_that_fails_is_reported_and_due_again() -> None:
    failed: list[FailedURL] = []
    taken, counts = visits(
        [f"{A}/1"],
        6,
        end=lambda turn: turn.retry(error="status 500"),
        recrawl=Recrawl(every=PERIOD),
        max_attempts=2,
        retry_delay=1000.0,
        on_failure=failed.append,
    )
    assert [(each.url, each.error, each.attempts) for each in failed] == [(f"{A}/1", "status 500", 2)] * 3
    assert [round(at / PERIOD) for at, _ in taken] == [0, 0, 1, 1, 2, 2]
    assert counts.queued + counts.failed == 1


@backends_for_days
@pytest.mark.urlfrontier
def test_a_url_that_is_disallowed_is_reported_and_decided_again() -> None:
    hosts = Hosts({"a.example": b"User-agent: *\nDisallow: /1"})
    skipped: list[SkippedURL] = []

    def end(turn: Turn) -> None:
        hosts.files["a.example"] = b"" if len(skipped) == 3 else hosts.files["a.example"]
        turn.done()

    taken, counts = visits(
        [f"{A}/1", f"{A}/2"], 8, end=end, hosts=hosts, recrawl=Recrawl(PERIOD), on_skip=skipped.append
    )
    # The file is fetched again after a day.
    assert [each.url for each in skipped] == [f"{A}/1"] * 5
    assert f"{A}/1" in [url for _, url in taken[3:]]
    assert taken[0][1] == taken[1][1] == taken[2][1] == f"{A}/2"
    assert sum(counts[:-1]) == 2


@backends_for_days
@pytest.mark.urlfrontier
def test_an_origin_that_is_unreachable_for_long_loses_no_url() -> None:
    hosts = Hosts({"a.example": b""}, unreachable_until={"a.example": PERIOD})
    skipped: list[SkippedURL] = []
    taken, _ = visits([f"{A}/1", f"{A}/2"], 2, hosts=hosts, recrawl=Recrawl(every=PERIOD / 2), on_skip=skipped.append)
    assert {each.url for each in skipped} == {f"{A}/1", f"{A}/2"}
    assert sorted(url for _, url in taken) == [f"{A}/1", f"{A}/2"]
    assert PERIOD < taken[0][0] < 2 * PERIOD


class Broken(Hosts):
    """A transport that raises exceptions from a time on."""

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        if virtual_now() > 100_000.0:
            raise LookupError("scripted")
        return await super().send(request)


@backends
def test_urls_that_are_not_due_are_not_skipped_with_the_others_of_their_origin() -> None:
    skipped: list[SkippedURL] = []

    def on_skip(url: SkippedURL) -> None:
        skipped.append(url)
        raise LookupError

    async def main() -> FrontierCounts:
        async with open_frontier(Broken(), [f"{A}/1"], recrawl=Recrawl(every=200_000.0), on_skip=on_skip) as it:
            (await anext(it)).done()
            asyncio.get_running_loop().call_later(110_000.0, it.add, f"{A}/2")
            while not skipped:
                with suppress(LookupError):
                    await anext(it)
            counts: FrontierCounts = it.counts
            return counts

    counts = run_in_virtual_time(main)
    assert [each.url for each in skipped] == [f"{A}/2"]
    assert counts.done == 1


@backends
def test_counts_are_those_of_the_present() -> None:
    counts: list[FrontierCounts] = []

    async def main() -> None:
        async with open_frontier(
            Hosts({"a.example": b"User-agent: *\nDisallow: /no"}), [f"{A}/1", f"{A}/no"], recrawl=Recrawl(every=PERIOD)
        ) as frontier:
            for _ in range(2):
                turn = await anext(frontier)
                counts.append(frontier.counts)
                turn.done()
                with suppress(TimeoutError):
                    await asyncio.wait_for(anext(frontier), 100.0)
                counts.append(frontier.counts)

    run_in_virtual_time(main)
    open_turn, waiting = FrontierCounts(0, 1, 0, 0, 1), FrontierCounts(0, 0, 1, 0, 1)
    assert counts[1::2] == [waiting, waiting]
    assert [each.in_flight for each in counts[::2]] == [1, 1]
    assert counts[0] in (open_turn, FrontierCounts(1, 1, 0, 0, 0))


@backends_for_days
@pytest.mark.urlfrontier
def test_closing_ends_the_iteration_and_keeps_the_visits(tmp_path: Path) -> None:
    path = tmp_path / "crawl"

    async def main() -> list[str]:
        async with open_frontier(urls=[f"{A}/1"], path=path, recrawl=Recrawl(every=PERIOD)) as frontier:
            asyncio.get_running_loop().call_later(2.5 * PERIOD, lambda: asyncio.ensure_future(frontier.close()))
            return [turn.url async for turn in frontier if turn.done()]

    assert run_in_virtual_time(main) == [f"{A}/1"] * 3
    taken, _ = visits([f"{A}/1"], 1, path=path, start=2.6 * PERIOD, recrawl=Recrawl(every=PERIOD))
    assert round(taken[0][0] / PERIOD, 2) == 3


@backends
@pytest.mark.urlfrontier
def test_a_frontier_without_urls_waits_for_some() -> None:
    async def main() -> float:
        async with open_frontier(recrawl=Recrawl(every=PERIOD)) as frontier:
            asyncio.get_running_loop().call_later(500.0, frontier.add, f"{A}/1")
            (await anext(frontier)).done()
            return round(virtual_now())

    assert abs(run_in_virtual_time(main) - 500) <= 5


@backends
def test_without_a_schedule_the_crawl_ends_and_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    visits([f"{A}/1"], 1, path=path, recrawl=Recrawl(every=PERIOD))
    result = crawl({}, [f"{B}/1"], path=path, start=1000.0)
    assert (result.urls, result.counts.done) == ([f"{B}/1"], 2)
    # What was done without a schedule is done.
    taken, _ = visits([f"{A}/1", f"{B}/1"], 2, path=path, start=2000.0, recrawl=Recrawl(every=PERIOD))
    assert [(round(at / PERIOD, 1), url) for at, url in taken] == [(1.0, f"{A}/1"), (2.0, f"{A}/1")]


@pytest.mark.files
def test_a_killed_crawl_keeps_the_times_of_its_visits(tmp_path: Path) -> None:
    path = tmp_path / "crawl"

    async def main() -> Path:
        async with open_frontier(urls=[f"{A}/1", f"{A}/2", f"{A}/3"], path=path, recrawl=ADAPTIVE) as frontier:
            held = []
            async for turn in frontier:
                if turn.url.endswith("3"):
                    held.append(turn)
                    return copy_file(path)
                turn.done(etag=turn.url)
        raise AssertionError

    killed = run_in_virtual_time(main)
    etags: list[str | None] = []

    def end(turn: Turn) -> None:
        etags.append(turn.etag)
        turn.done(etag=turn.etag)

    taken, counts = visits([f"{A}/1"], 4, path=killed, start=100.0, end=end, recrawl=ADAPTIVE)
    assert taken == [(100, f"{A}/3"), (800, f"{A}/1"), (801, f"{A}/2"), (900, f"{A}/3")]
    assert etags == [None, f"{A}/1", f"{A}/2", None]
    assert counts == FrontierCounts(queued=0, in_flight=0, done=3, failed=0, skipped=0)


@pytest.mark.urlfrontier
def test_a_url_whose_process_is_killed_in_its_last_attempt_is_visited_again(backend: str, tmp_path: Path) -> None:
    leave = {"sqlite": leave_file, "postgres": leave_worker, "urlfrontier": leave_leases}[backend]
    path = tmp_path / "crawl"
    period = 2000.0
    options: dict[str, Any] = {"max_attempts": 1, "recrawl": Recrawl(every=period)}
    reported: list[FailedURL] = []
    # After the lease. That of the worker has ended, unless the server was away since.
    start = 200_000.0 if backend == "urlfrontier" else 5.0

    async def first() -> Path:
        async with open_frontier(urls=[f"{A}/1"], path=path, **options) as frontier:
            turn = await anext(frontier)
            assert turn.attempt == 1
            return leave(frontier, path)

    async def second(killed: Path) -> tuple[int, int]:
        async with open_frontier(path=killed, on_failure=reported.append, **options) as frontier:
            turn = await anext(frontier)
            assert (turn.url, list(frontier.failed())) == (f"{A}/1", [])
            turn.done()
            counts = frontier.counts
            assert (counts.queued + counts.done, counts.failed, counts.in_flight) == (1, 0, 0)
            return round(virtual_now() - start), turn.attempt

    killed = run_in_virtual_time(first)
    at, attempt = run_in_virtual_time(lambda: second(killed), start=start)
    assert (round(at / period, 1), attempt) == (1.0, 1)
    assert [(each.url, each.error, each.attempts) for each in reported] == [(f"{A}/1", KILLED, 1)]


def periods_of_a_site_that_fails(period: float, **options: Any) -> list[int]:
    """Return in which periods a site has turns that fails in the first ones, and is given up after two failures."""

    def end(turn: Turn) -> None:
        if virtual_now() < 3.5 * period:
            turn.retry()
        else:
            turn.done()

    taken, _ = visits(
        [f"{A}/1", f"{A}/2"],
        9,
        end=end,
        recrawl=Recrawl(every=period),
        max_attempts=1,
        max_failures_per_origin=2,
        **options,
    )
    return [round(at / period) for at, _ in taken]


@backends
@pytest.mark.urlfrontier
def test_a_site_that_was_given_up_is_tried_again() -> None:
    assert periods_of_a_site_that_fails(2000.0) == [0, 0, 1, 2, 3, 4, 4, 5, 5]


@backends
def test_a_group_that_was_given_up_is_tried_again() -> None:
    # Each turn needs a new robots.txt, whose request is one of the group, too.
    assert periods_of_a_site_that_fails(100_000.0, group_by="host") == [0, 0, 1, 2, 3, 4, 4, 5, 5]


@backends
@pytest.mark.urlfrontier
def test_a_url_that_fails_waits_for_the_first_interval() -> None:
    ends = iter(["changed", "changed", "fails", "changed", "changed"])

    def end(turn: Turn) -> None:
        if next(ends) == "fails":
            turn.retry()
        else:
            turn.done(changed=True)

    taken, _ = visits([f"{A}/1"], 5, end=end, recrawl=ADAPTIVE, max_attempts=1)
    times = [at for at, _ in taken]
    # The visit that failed changes no interval.
    assert [round((later - at) / 10) for at, later in itertools.pairwise(times)] == [80, 40, 80, 30]


@backends
def test_groups_have_visits() -> None:
    urls = [f"{A}/1", "http://a.example/1", f"{A}/no"]
    hosts = Hosts({"a.example": b"User-agent: *\nDisallow: /no"})
    skipped: list[SkippedURL] = []
    taken, _ = visits(urls, 6, hosts=hosts, group_by="host", recrawl=Recrawl(every=PERIOD), on_skip=skipped.append)
    assert sorted(url for _, url in taken) == sorted(urls[:2] * 3)
    assert [round(at / PERIOD, 1) for at, _ in taken] == [0, 0, 1, 1, 2, 2]
    assert len(skipped) >= 2


@backends
def test_new_urls_come_before_those_that_are_visited_again_and_again() -> None:
    """An origin whose visits take longer than the interval visits all of its URLs."""
    taken, _ = visits([f"{A}/{number}" for number in range(10)], 30, recrawl=Recrawl(every=3.0))
    assert [sum(url == f"{A}/{number}" for _, url in taken) for number in range(10)] == [3] * 10


@pytest.mark.parametrize(
    "intervals",
    [
        {"every": 0},
        {"every": True},
        {"every": "1"},
        {"every": 1, "minimum": 2},
        {"every": 3, "maximum": 2},
        {"every": 1, "minimum": 0},
        {"every": 1e10},
        {"every": 1, "maximum": float("nan")},
    ],
)
def test_intervals_are_validated(intervals: Any) -> None:
    with pytest.raises(InvalidOption, match=r"invalid (intervals|every|minimum|maximum)"):
        Recrawl(**intervals)


def test_the_error_names_the_argument_that_was_given() -> None:
    with pytest.raises(InvalidOption, match="invalid every 0"):
        Recrawl(every=0)


def test_arguments_are_validated() -> None:
    async def main() -> None:
        with pytest.raises(InvalidOption, match="invalid recrawl 5: expected a Recrawl"):
            async with open_frontier(recrawl=5):
                pass
        async with open_frontier(urls=[f"{A}/1"]) as frontier:
            turn = await anext(frontier)
            for arguments in ({"changed": 1}, {"etag": b"x"}, {"last_modified": 5}):
                with pytest.raises(TypeError, match=f"invalid {next(iter(arguments))}"):
                    turn.done(**arguments)
            assert turn.done(etag="x", changed=True)

    run_in_virtual_time(main)


@pytest.mark.files
def test_a_damaged_count_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "crawl"

    async def main() -> None:
        async with open_frontier(urls=[f"{A}/1"], path=path, recrawl=Recrawl(every=PERIOD)) as frontier:
            (await anext(frontier)).done()
            frontier._queue.database.connection.execute("UPDATE urls SET ended = 7")
            with pytest.raises(StoreError, match="damaged"):
                await anext(frontier)

    run_in_virtual_time(main)
