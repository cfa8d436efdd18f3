"""Laws of frontiers: random crawls with random kills, compared with a simple model of what was added and handed out."""

import asyncio
import secrets
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis.strategies as st
import pytest
from hypothesis import given
from simulation.virtual_time import run_in_virtual_time, virtual_now
from tests.frontier.conftest import virtual_postgres, virtual_urlfrontier
from tests.frontier.crawls import Hosts, crawl, open_frontier
from tests.postgres import PostgresServer
from tests.urlfrontier import URLFrontierServer

from canfetch.access.responses import Failure, Response
from canfetch.client.frontier import Frontier, SkippedURL, Turn
from canfetch.client.frontier.postgres_worker import PostgresWorker
from canfetch.client.frontier.sqlite_queue import SQLiteQueue
from canfetch.client.frontier.urlfrontier_queue import URLFrontierQueue
from canfetch.client.transports import TransportRequest

MAX_ATTEMPTS = 3
OUTCOMES = ["done", "done", "retry", "exception", "release", "busy"]
RETRY_AFTER = 40.0
# The origins of the sites by grouping, with their groups.
GROUPS = {
    "origin": {f"https://host{number}.example": f"host{number}" for number in range(4)},
    "host": {
        "https://host0.example": "host0",
        "http://host0.example": "host0",
        "https://host0.example:8080": "host0",
        "https://www.host0.example": "www.host0",
    },
    "registrable-domain": {
        "https://www.host0.example": "host0",
        "http://host0.example:8080": "host0",
        "https://one.github.io": "one",
        "https://two.github.io": "two",
    },
}


class Page(NamedTuple):
    """A page of a random site. `outcomes` are those of its first turns; after them it is done."""

    host: int
    is_disallowed: bool
    seconds: float
    outcomes: list[str]
    links: list[int]
    priority: int


class Site(NamedTuple):
    """A random crawl. The process is killed after each number of turns in `kills`. Page hosts are origins."""

    pages: list[Page]
    crawl_delays: list[int]
    seeds: int
    concurrency: int
    workers: int
    kills: list[int]
    robots_seconds: float
    group_by: str

    def url(self, number: int) -> str:
        page = self.pages[number % len(self.pages)]
        folder = "no" if page.is_disallowed else "yes"
        return f"{list(GROUPS[self.group_by])[page.host]}/{folder}/{number % len(self.pages)}"

    def group(self, url: str) -> str:
        """Return the group of a URL."""
        return GROUPS[self.group_by][origin_of(url)]

    def crawl_delay(self, url: str) -> int:
        """Return the delay that the robots.txt of a URL's origin sets."""
        return self.crawl_delays[list(GROUPS[self.group_by]).index(origin_of(url))]


PAGES = st.builds(
    Page,
    host=st.integers(0, 3),
    is_disallowed=st.sampled_from([False, False, False, True]),
    seconds=st.sampled_from([0.0, 0.5, 7.0]),
    outcomes=st.lists(st.sampled_from(OUTCOMES), max_size=4),
    links=st.lists(st.integers(0, 30), max_size=4),
    priority=st.integers(-2, 2),
)
SITES = st.builds(
    Site,
    pages=st.lists(PAGES, min_size=1, max_size=25),
    crawl_delays=st.lists(st.sampled_from([0, 1, 5]), min_size=4, max_size=4),
    seeds=st.integers(1, 6),
    concurrency=st.integers(1, 2),
    workers=st.integers(1, 4),
    kills=st.lists(st.integers(0, 6), max_size=2),
    robots_seconds=st.sampled_from([0.0, 3.0]),
    group_by=st.sampled_from(list(GROUPS)),
)


class Model:
    """What was added, handed out and ended, checked at each step.

    Args:
        has_order: Whether the backend has priorities, and counts what all processes have skipped.
        frontiers: The number of frontiers that share the crawl.
    """

    def __init__(self, site: Site, *, has_order: bool = True, frontiers: int = 1) -> None:
        self.site = site
        self.has_order = has_order
        self.frontiers = frontiers
        # Queued URLs by host: the priority of each.
        self.queued: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self.in_flight: dict[str, str] = {}
        self.known: set[str] = set()
        self.turns: Counter[str] = Counter()
        self.attempts: Counter[str] = Counter()
        self.finished: set[str] = set()
        self.skipped: list[str] = []
        self.last_at: dict[str, float] = {}
        self.retry_at: dict[str, float] = {}
        # The requests for robots.txt files that have not ended, by group, and the delays that were received, by origin.
        self.checks: Counter[str] = Counter()
        self.delays: dict[str, tuple[float, int]] = {}
        self.lives = 0

    def add(self, frontier: Frontier, numbers: list[int]) -> None:
        """Add pages to the frontier and to the model."""
        for number in numbers:
            url, priority = self.site.url(number), self.site.pages[number % len(self.site.pages)].priority
            assert frontier.add(url, priority=priority) is (url not in self.known)
            if url not in self.known:
                self.known.add(url)
                self.queued[self.site.group(url)][url] = priority

    def skip(self, skipped: SkippedURL) -> None:
        """Check a report."""
        assert "/no/" in skipped.url
        assert skipped.verdict is not None
        assert not skipped.verdict.allowed
        self.skipped.append(skipped.url)
        del self.queued[self.site.group(skipped.url)][skipped.url]

    def start(self, turn: Turn) -> None:
        """Check that a turn may start now."""
        host = self.site.group(turn.url)
        assert "/yes/" in turn.url
        queued = self.queued[host]
        allowed = [priority for url, priority in queued.items() if "/yes/" in url]
        assert queued[turn.url] == turn.priority
        assert turn.priority == max(allowed) or not self.has_order
        assert turn.attempt == self.attempts[turn.url] + 1
        self.request(turn.url)
        del queued[turn.url]
        self.in_flight[turn.url] = host
        self.turns[turn.url] += 1

    def request(self, url: str) -> None:
        """Check that a request may be sent now."""
        group, now = self.site.group(url), virtual_now()
        assert list(self.in_flight.values()).count(group) + self.checks[group] < self.site.concurrency
        delays = [delay for origin, (_, delay) in self.delays.items() if self.site.group(origin) == group]
        assert now >= self.last_at.get(group, -10.0) + max(delays, default=0)
        assert now >= self.retry_at.get(group, 0.0)
        self.last_at[group] = now

    async def check(self, url: str) -> None:
        """Check the request for a robots.txt, which counts for the group of its origin, and wait for its end."""
        group, life = self.site.group(url), self.lives
        if self.site.group_by != "origin":
            self.request(url)
            self.checks[group] += 1
        await asyncio.sleep(self.site.robots_seconds)
        if life == self.lives:
            self.delays[origin_of(url)] = virtual_now(), self.site.crawl_delay(url)
        if life == self.lives and self.site.group_by != "origin":
            self.checks[group] -= 1
            self.last_at[group] = virtual_now()

    def end(self, turn: Turn, outcome: str) -> None:
        """Note the end of a turn."""
        host = self.in_flight.pop(turn.url)
        self.last_at[host] = virtual_now()
        if outcome == "busy":
            self.retry_at[host] = virtual_now() + RETRY_AFTER
        if outcome in ("retry", "exception", "busy"):
            self.attempts[turn.url] += 1
        if outcome == "done" or self.attempts[turn.url] == MAX_ATTEMPTS:
            self.finished.add(turn.url)
        else:
            self.queued[host][turn.url] = int(turn.priority)

    def kill(self) -> None:
        """Count an attempt of all URLs in flight, and queue them again unless it was the last one."""
        for url, host in self.in_flight.items():
            self.attempts[url] += 1
            if self.attempts[url] == MAX_ATTEMPTS:
                self.finished.add(url)
                continue
            number = int(url.rpartition("/")[2])
            self.queued[host][url] = self.site.pages[number].priority
        self.in_flight.clear()
        self.checks.clear()
        # What was received in this moment may not be written.
        self.delays = {origin: at_delay for origin, at_delay in self.delays.items() if at_delay[0] < virtual_now()}
        self.lives += 1


class CheckedHosts(Hosts):
    """The origins of a site, whose requests are checked by the model."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._model = model
        self.errors: list[AssertionError] = []

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        try:
            await self._model.check(request.url)
        except AssertionError as error:
            self.errors.append(error)
        delay = self._model.site.crawl_delay(request.url)
        return Response(request.url, 200, (), b"User-agent: *\nDisallow: /no/\nCrawl-delay: %d\n" % delay)


def origin_of(url: str) -> str:
    return "/".join(url.split("/")[:3])


async def work(frontier: Frontier, model: Model, kill: asyncio.Event, turns_before_kill: int | None) -> None:
    """Take turns until none is left, and end them as the site specifies."""
    async for turn in frontier:
        model.start(turn)
        number = int(turn.url.rpartition("/")[2])
        page = model.site.pages[number]
        count = model.turns[turn.url] - 1
        outcome = page.outcomes[count] if count < len(page.outcomes) else "done"
        if turns_before_kill is not None and model.turns.total() >= turns_before_kill:
            kill.set()
        with suppress(ConnectionError), turn:
            await asyncio.sleep(page.seconds)
            model.add(frontier, page.links)
            match outcome:
                case "retry":
                    turn.retry()
                case "busy":
                    turn.retry(retry_after=RETRY_AFTER)
                case "release":
                    turn.release()
                case "exception":
                    model.end(turn, outcome)
                    raise ConnectionError
                case _:
                    turn.done()
            model.end(turn, outcome)


def copy_file(frontier: Frontier, path: Path) -> Path:  # noqa: ARG001 - its process leaves a file
    """Return the file that a killed process leaves."""
    copy = path.with_name(path.name + "+")
    shutil.copy(path, copy)
    shutil.copy(f"{path}-wal", f"{copy}-wal")
    return copy


def leave_worker(frontier: Frontier, path: Path) -> Path:
    """Leave a worker whose lease has expired in the database, as a process that was killed a while ago."""
    queue = frontier._queue
    assert isinstance(queue, PostgresWorker)
    queue._run("UPDATE canfetch_workers SET alive_until = -1e9 WHERE id = %(worker)s")
    queue._run("UPDATE canfetch_crawls SET seen_at = %(now)s WHERE id = %(crawl)s", now=virtual_now())
    queue._heartbeat.stop()
    queue._connection.close()
    return path


def leave_leases(frontier: Frontier, path: Path) -> Path:
    """Leave leased URLs in the service, as a process that was killed."""
    queue = frontier._queue
    assert isinstance(queue, URLFrontierQueue)
    queue._stopped.set()
    queue._claims.clear()
    return path


async def run(
    model: Model, path: Path, turns_before_kill: int | None, leave: Callable[[Frontier, Path], Path]
) -> Path | None:
    """Crawl until no URL is left, or until the kill. Return where the killed process leaves its URLs."""
    hosts = CheckedHosts(model)
    kill = asyncio.Event()
    options: dict[str, Any] = {
        "min_delay": 0.0,
        "concurrency_per_origin": model.site.concurrency,
        "max_attempts": MAX_ATTEMPTS,
        "retry_delay": 0.0,
        "group_by": model.site.group_by,
    }
    async with AsyncExitStack() as stack:
        frontiers: list[Frontier] = [
            await stack.enter_async_context(open_frontier(hosts, path=path, on_skip=model.skip, **options))
            for _ in range(model.frontiers)
        ]
        model.add(frontiers[0], list(range(model.site.seeds)))
        workers = [
            asyncio.create_task(work(frontiers[number % model.frontiers], model, kill, turns_before_kill))
            for number in range(model.site.workers)
        ]
        killing = asyncio.create_task(kill.wait())
        waits: list[asyncio.Future[Any]] = [killing, asyncio.gather(*workers)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if not kill.is_set():
            killing.cancel()
            for worker in workers:
                await worker
            assert hosts.errors == []
            counts = frontiers[0].counts
            assert (counts.queued, counts.in_flight) == (0, 0)
            assert counts.done + counts.failed + counts.skipped == len(model.finished) + len(model.skipped)
            assert counts.skipped == len(model.skipped) or not model.has_order
            return None
        left, *_ = [leave(frontier, path) for frontier in frontiers]
        model.kill()
        for frontier in frontiers:
            await frontier.close()
        for worker in workers:
            worker.cancel()
        results = await asyncio.gather(*workers, return_exceptions=True)
        assert not [result for result in results if isinstance(result, AssertionError)]
        assert hosts.errors == []
        return left


@pytest.mark.slow
@given(site=SITES)
def test_random_crawls_agree_with_the_model(site: Site) -> None:
    check_random_crawl(Model(site), copy_file)


@pytest.mark.slow
@given(site=SITES)
def test_random_crawls_agree_with_the_model_if_turns_are_started_together(site: Site) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SQLiteQueue, "turns_at_once", 3)
        check_random_crawl(Model(site), copy_file)


@pytest.mark.service
@given(site=SITES)
def test_random_crawls_on_postgres_agree_with_the_model(postgres: PostgresServer, site: Site) -> None:
    with virtual_postgres(postgres.url(), secrets.token_hex(8)):
        check_random_crawl(Model(site), leave_worker)


# The protocol has no priorities, and a queue has one turn at a time.
@pytest.mark.service
@given(site=SITES.map(lambda site: site._replace(concurrency=1)))
def test_random_crawls_on_urlfrontier_agree_with_the_model(urlfrontier: URLFrontierServer, site: Site) -> None:
    lease = 1000.0
    with virtual_urlfrontier(urlfrontier.address, secrets.token_hex(8), lease):
        check_random_crawl(Model(site, has_order=False, frontiers=2), leave_leases, lease=lease)


def check_random_crawl(model: Model, leave: Callable[[Frontier, Path], Path], *, lease: float = 0.0) -> None:
    """Crawl a site over several lives of the process, and compare the end with the model.

    Args: lease: Seconds after the end of a life at which the next one begins.
    """
    site = model.site
    now = 0.0

    async def main(path: Path, kill: int | None) -> tuple[Path | None, float]:
        return await run(model, path, kill, leave), virtual_now()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crawl"
        for kill in [*site.kills, None]:
            limit = None if kill is None else model.turns.total() + kill
            killed, now = run_in_virtual_time(lambda path=path, limit=limit: main(path, limit), start=now)  # type: ignore[misc]
            if killed is None and kill is None:
                break
            path = killed or path
            now += lease
    # Nothing is lost, and nothing is handed out again without a reason.
    allowed = {url for url in model.known if "/yes/" in url}
    assert model.finished == allowed
    assert set(model.skipped) == model.known - allowed
    assert len(model.skipped) == len(set(model.skipped))


@pytest.mark.slow
@given(urls=st.lists(st.integers(0, 6), min_size=1, max_size=60), workers=st.integers(1, 3))
def test_origins_take_turns(urls: list[int], workers: int) -> None:
    hosts = [f"https://host{host}.example/" for host in sorted(set(urls))]
    result = crawl(
        {},
        [f"https://host{host}.example/{number}" for number, host in enumerate(urls)],
        workers=workers,
        min_delay=0.0,
        seconds=1.0,
    )
    left = Counter(f"https://host{host}.example/" for host in urls)
    waited: Counter[str] = Counter()
    for taken in result.taken:
        host = f"https://{taken.url.split('/')[2]}/"
        left[host] -= 1
        waited[host] = 0
        for other in hosts:
            if other != host and left[other]:
                waited[other] += 1
                # Each of the other origins has one turn before it, and those of the other workers.
                assert waited[other] < len(hosts) + workers
