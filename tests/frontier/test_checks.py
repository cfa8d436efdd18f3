"""Which robots.txt files are requested next: origins that fail slowly do not hold up the others."""

import asyncio
from math import inf
from typing import Any, NamedTuple

import pytest
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.frontier.crawls import Hosts, crawl, end_all_turns, open_frontier

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.frontier import Frontier, FrontierCounts, SkippedURL, Turn
from canfetch.client.frontier.queue_values import Phase
from canfetch.client.frontier.sqlite_queue import SQLiteQueue
from canfetch.client.transports import TransportRequest
from canfetch.errors import InvalidOption, RequestNotSent, StoreError

pytestmark = pytest.mark.usefixtures("backend")
A = "https://a.example"


class SlowDeadHosts(Hosts):
    """Hosts whose names begin with `dead` cannot be reached, which takes ten seconds to find out."""

    def __init__(self) -> None:
        super().__init__()
        self.most_at_once = 0
        self._at_once = 0

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        host = request.url.split("/")[2]
        if host.startswith("dead"):
            self.delays[host] = 10.0
            self.unreachable_until[host] = float("inf")
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await super().send(request)
        finally:
            self._at_once -= 1


def first_page_at(urls: list[str], **options: Any) -> float:
    """Return when the first page of a living host is handed out."""

    async def main() -> float:
        async with open_frontier(SlowDeadHosts(), urls, **options) as frontier:
            (await anext(frontier)).done()
            return virtual_now()

    return run_in_virtual_time(main)


def hosts(kind: str, number: int) -> list[str]:
    return [f"https://{kind}{each}.example/" for each in range(number)]


@pytest.mark.parametrize(
    "urls",
    [
        hosts("dead", 1000) + hosts("good", 800),
        hosts("dead", 500) + hosts("good", 800) + hosts("dead-too", 500),
        hosts("good", 20) + hosts("dead", 1000),
    ],
    ids=["dead ones first", "on both sides", "dead ones last"],
)
def test_the_first_page_does_not_wait_for_dead_origins(urls: list[str]) -> None:
    # In order, 1,000 dead origins would keep 256 checks busy for 40 seconds.
    assert first_page_at(urls) < 1


@pytest.mark.slow
def test_living_origins_have_their_share_of_the_checks_all_the_time(backend: str) -> None:
    urls = hosts("dead", 600) + hosts("good", 400)
    times = []

    def note(_: Frontier, __: Turn) -> None:
        times.append(virtual_now())

    crawl(SlowDeadHosts(), urls, on_turn=note, workers=4, max_checks=64, max_unreachable=300.0)

    # The dead ones need at least 94 s of 64 checks. In order, all living ones would come after that.
    assert len(times) == 400
    # Workers on PostgreSQL claim origins in batches, and the first ones are all dead: the source begins with them.
    # Their heartbeats are in real time, so the load of the machine changes the order of the claims.
    first, share = (0, 10) if backend == "sqlite" else (10, 5)
    for start in range(first, 100, 10):
        assert sum(start <= at <= start + 10 for at in times) >= share


def test_urls_with_a_higher_priority_come_first() -> None:
    async def main() -> list[str]:
        async with open_frontier(max_checks=4, min_delay=0.0) as frontier:
            frontier.add_many(hosts("low", 40))
            frontier.add_many(hosts("high", 8), priority=1.0)
            urls = []
            for _ in range(8):
                turn = await anext(frontier)
                urls.append(turn.url)
                turn.done()
            return urls

    assert sorted(run_in_virtual_time(main)) == hosts("high", 8)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1, 3, 50])
@pytest.mark.urlfrontier
def test_no_more_files_are_requested_at_the_same_time_than_the_option_says(limit: int) -> None:
    transport = SlowDeadHosts()
    crawl(transport, hosts("dead", 100) + hosts("good", 100), max_checks=limit, max_unreachable=0.0, min_delay=0.0)

    assert transport.most_at_once == limit


class RedirectingHosts(Hosts):
    """The robots.txt of `moved.example` redirects to that of `a.example`."""

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        if "//moved.example" not in request.url:
            return await super().send(request)
        self.requests.append(request)
        return Response(request.url, 301, (("location", f"{A}/robots.txt"),), b"")


@pytest.mark.parametrize("group_by", ["origin", "host"])
@pytest.mark.parametrize(
    "way, clock_step",
    [("refresh", 0.0), ("refresh", -30.0), ("refresh", -600.0), ("origin_state", 0.0), ("redirect", 0.0)],
)
def test_a_file_that_the_client_refreshes_counts_for_the_next_turn(group_by: str, way: str, clock_step: float) -> None:
    hosts = RedirectingHosts({"a.example": b""})
    skipped: list[SkippedURL] = []
    step = 0.0

    async def refresh(client: AsyncClient) -> None:
        if way == "origin_state":
            await client.origin_state(f"{A}/", refresh=True)
        else:
            await client.refresh("https://moved.example/" if way == "redirect" else f"{A}/")

    async def main() -> FrontierCounts:
        nonlocal step
        async with (
            AsyncClient(user_agent="ExampleBot/1.0", transport=hosts, clock=lambda: virtual_now() + step) as client,
            Frontier(
                client,
                [f"{A}/{number}" for number in range(6)],
                group_by=group_by,
                on_skip=skipped.append,
                clock=lambda: virtual_now() + step,
                monotonic=virtual_now,
            ) as frontier,
        ):
            async for turn in frontier:
                with turn:
                    assert turn.url in {f"{A}/0", f"{A}/1"}
                    if turn.url == f"{A}/1":
                        hosts.files["a.example"] = b"User-agent: *\nDisallow: /\n"
                        if clock_step > -600:
                            step = clock_step
                        await refresh(client)
                        step = clock_step
            return frontier.counts

    assert run_in_virtual_time(main).skipped == 4
    assert [one.url for one in skipped] == [f"{A}/{number}" for number in range(2, 6)]
    if clock_step > -600:
        # The new file is not requested again.
        assert len(hosts.requests) == 3 if way == "redirect" else 2


# With 5 seconds, the files are obtained while the task is busy.
@pytest.mark.parametrize("seconds", [0.0, 5.0])
@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_a_file_that_expires_while_all_tasks_are_busy_is_requested_again(group_by: str, seconds: float) -> None:
    transport = Hosts({f"{name}.example": b"" for name in "abc"}, delays={"b.example": seconds, "c.example": seconds})

    async def main() -> list[str]:
        taken = []
        urls = [f"https://{host}/" for host in transport.files]
        async with open_frontier(transport, urls, group_by=group_by) as frontier:
            async for turn in frontier:
                with turn:
                    taken.append(turn.url)
                    # The other files have been obtained for their turns, and are fresh for a day.
                    await asyncio.sleep(90_000.0)
                    transport.files = dict.fromkeys(transport.files, b"User-agent: *\nDisallow: /\n")
        return taken

    assert len(run_in_virtual_time(main)) == 1


@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_a_newer_file_that_the_client_has_fetched_counts_for_the_turn(group_by: str) -> None:
    hosts = Hosts({"a.example": b"", "b.example": b""})
    urls = [f"https://{host}/" for host in hosts.files]

    async def main() -> list[str]:
        taken = []
        async with (
            AsyncClient(user_agent="ExampleBot/1.0", transport=hosts, clock=virtual_now) as client,
            Frontier(client, urls, group_by=group_by, clock=virtual_now, monotonic=virtual_now) as frontier,
        ):
            for url in urls:
                await client.decide(url)
            # The copies are fresh for a day, and the frontier takes them now for its next turns.
            await asyncio.sleep(86_400.0 - 5.0)
            async for turn in frontier:
                with turn:
                    taken.append(turn.url)
                    await asyncio.sleep(10.0)
                    hosts.files = dict.fromkeys(hosts.files, b"User-agent: *\nDisallow: /\n")
                    for url in urls:
                        await client.decide(url)
        return taken

    assert len(run_in_virtual_time(main)) == 1


class RaisingHosts(Hosts):
    """Requests to hosts whose names begin with `bad` raise an exception.

    Args:
        error: The exception.
        number: The number of exceptions.
    """

    def __init__(self, error: BaseException, number: float = inf) -> None:
        super().__init__()
        self.times: dict[str, list[float]] = {}
        self._error = error
        self._number = number

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        times = self.times.setdefault(request.url, [])
        times.append(virtual_now())
        if request.url.startswith("https://bad") and len(times) <= self._number:
            raise self._error
        return await super().send(request)


class RestartedCrawl(NamedTuple):
    """A crawl that was continued at once after each exception."""

    hosts: RaisingHosts
    errors: list[BaseException]
    turns: list[str]
    skipped: list[SkippedURL]
    counts: FrontierCounts


def crawl_despite_errors(hosts: RaisingHosts, urls: list[str], **options: Any) -> RestartedCrawl:
    errors: list[BaseException] = []
    turns: list[str] = []
    skipped: list[SkippedURL] = []

    async def main() -> FrontierCounts:
        async with open_frontier(hosts, urls, on_skip=skipped.append, **options) as frontier:
            while True:
                try:
                    turn = await anext(frontier)
                except StopAsyncIteration:
                    counts: FrontierCounts = frontier.counts
                    return counts
                except (ValueError, RequestNotSent) as error:
                    errors.append(error)
                    continue
                turns.append(turn.url)
                turn.done()

    counts = run_in_virtual_time(main)
    return RestartedCrawl(hosts, errors, turns, skipped, counts)


def test_after_an_exception_an_origin_is_checked_again_later_and_later_and_then_given_up() -> None:
    urls = [f"https://bad.example/{number}" for number in range(60)]
    result = crawl_despite_errors(RaisingHosts(ValueError("boom")), [*urls, f"{A}/1"], max_unreachable=100.0)

    assert result.hosts.times["https://bad.example/robots.txt"] == [0, 10, 20, 40, 80, 160]
    assert [str(error) for error in result.errors] == ["boom"] * 5
    assert result.turns == [f"{A}/1"]
    assert sorted(skipped.url for skipped in result.skipped) == sorted(urls)
    assert {(skipped.verdict, skipped.error) for skipped in result.skipped} == {(None, "ValueError: boom")}
    assert result.counts == FrontierCounts(queued=0, in_flight=0, done=1, failed=0, skipped=60)


def test_the_delay_after_exceptions_starts_again_after_a_result() -> None:
    hosts = RaisingHosts(ValueError("boom"), number=3)
    result = crawl_despite_errors(hosts, ["https://bad.example/1"])

    assert hosts.times["https://bad.example/robots.txt"] == [0, 10, 20, 40]
    assert result.turns == ["https://bad.example/1"]


def test_all_results_are_used_before_an_exception_is_raised() -> None:
    urls = [*hosts("bad", 5), *hosts("good", 5)]
    result = crawl_despite_errors(RaisingHosts(ValueError("boom"), number=1), urls, min_delay=0.0)

    # One exception is raised for all checks that ended at the same time, and no origin is forgotten.
    assert len(result.errors) == 1
    assert sorted(result.turns) == sorted(urls)
    assert {tuple(times) for url, times in result.hosts.times.items() if "bad" in url} == {(0, 10)}


def test_a_check_that_the_transport_cancels_is_not_repeated_at_once() -> None:
    hosts = RaisingHosts(asyncio.CancelledError())
    result = crawl_despite_errors(hosts, ["https://bad.example/1", f"{A}/1"], max_unreachable=30.0)

    assert hosts.times["https://bad.example/robots.txt"] == [0, 0, 10, 20, 40]
    assert result.turns == [f"{A}/1"]
    assert [skipped.error for skipped in result.skipped] == ["the check was cancelled"]


def test_a_request_that_cannot_be_sent_never_gives_an_origin_up() -> None:
    hosts = RaisingHosts(RequestNotSent("no descriptor"), number=20)
    result = crawl_despite_errors(hosts, ["https://bad.example/1"], max_unreachable=30.0)

    assert hosts.times["https://bad.example/robots.txt"] == list(range(0, 210, 10))
    assert (result.errors, result.turns) == ([], ["https://bad.example/1"])


@pytest.mark.parametrize("value", [0, -1, 1.5, "8", None])
def test_invalid_number_of_checks(value: Any) -> None:
    client = AsyncClient(user_agent="ExampleBot/1.0", transport=Hosts())
    with pytest.raises(InvalidOption, match=r"invalid max_checks .*: expected an integer, 1 or more"):
        Frontier(client, max_checks=value)


@pytest.mark.files
def test_every_other_check_is_that_of_the_next_origin_in_order() -> None:
    urls = hosts("good", 40)
    requested = [request.url.removesuffix("robots.txt") for request in crawl({}, urls, max_checks=1).hosts.requests]

    assert sorted(requested) == sorted(urls)
    for number in range(0, 20, 2):
        # The first one, too: those between are chosen at random.
        assert requested[number] == next(url for url in urls if url not in requested[:number])
    assert requested[1:20:2] != urls[1:20:2]


@pytest.mark.files
@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_a_check_whose_result_cannot_be_written_is_not_lost(group_by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full for a moment: iterating again continues the crawl."""
    name = "set_phases" if group_by == "origin" else "note_check"
    method = getattr(SQLiteQueue, name)
    failures = 0

    def full_once(queue: SQLiteQueue, *args: Any, **kwargs: Any) -> Any:
        nonlocal failures
        phases = list(args[0]) if name == "set_phases" else []
        is_result = any(phase == Phase.READY for phase, _ in phases) if phases else kwargs.get("delay") is not None
        if is_result and failures < 2:
            failures += 1
            raise StoreError("the disk is full")
        return method(queue, *([phases] if phases else args), **kwargs)

    async def main() -> list[str]:
        async with open_frontier(group_by=group_by) as frontier:
            frontier.add_many(["https://a.example/1", "https://b.example/2"])
            return (await end_all_turns(frontier, StoreError))[0]

    monkeypatch.setattr(SQLiteQueue, name, full_once)
    assert sorted(run_in_virtual_time(main)) == ["https://a.example/1", "https://b.example/2"]
    assert failures == 2
