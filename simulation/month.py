"""A month's crawl in simulated time: ten thousand sites, a million URLs, and three kills a day.

Nothing that it holds itself grows with the length of the crawl, so that its memory is that of the client and the
frontier.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from canfetch import AsyncClient, Frontier, SkippedURL, Turn
from canfetch.access.responses import Failure, Response
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.transports import TransportRequest
from simulation.machine import ClockPlan, Machine, name_holder
from simulation.processes import DeathPlan, Process
from simulation.rules import DAY, BrokenRule
from simulation.sites import AGENT, KINDS, AsyncNetwork, Network, Site, default_origins, make_site
from simulation.store_rules import lifetime
from simulation.virtual_time import run_in_virtual_time, virtual_now

_KILLS_PER_DAY: Final = 3
_DAYS: Final = 30
# The share of all pages that are fetched. The others are disallowed, or linked from no page that is fetched.
_FETCHED: Final = 0.72
_PAGE_FAILURES: Final = 0.02
# How many of the URLs of seeds and links wait before the sources are read further.
_READ_AHEAD: Final = 20_000
# What the process learns about a URL.
_IN_FLIGHT: Final = 1
_RETRIED: Final = 2
_KILLED: Final = 3
_ENDED: Final = 4
_TOLERANCE: Final = 0.001


class Size(NamedTuple):
    """The size of a crawl.

    Attributes:
        sites: The number of sites.
        pages: The number of URLs of each site. Some are linked from no page that may be fetched, so that a million of
            1,200,000 are added.
        workers: The number of tasks.
    """

    sites: int = 10_000
    pages: int = 120
    workers: int = 17

    @property
    def page_seconds(self) -> float:
        """How long a page takes on average, so that the crawl takes a month."""
        return _DAYS * DAY * self.workers / (self.sites * self.pages * _FETCHED)


class _LastAnswer(NamedTuple):
    """The last answer to requests for one URL."""

    at: float
    process: Process
    lifetime: float
    reason: str


class _WatchedNetwork(AsyncNetwork):
    """The transport, which asks why a robots.txt is requested again."""

    def __init__(self, network: Network, process: Process, last: dict[str, _LastAnswer], reasons: Counter[str]) -> None:
        super().__init__(network)
        self._process = process
        self._last = last
        self._reasons = reasons

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Answer a request.

        Raises: BrokenRule: There was no reason for it.
        """
        self._reasons[self._reason(request)] += 1
        answer = await super().send(request)
        if not request.cross_origin:
            self._last[request.url] = _LastAnswer(virtual_now(), self._process, *lifetime(answer))
        return answer

    def _reason(self, request: TransportRequest) -> str:
        last = self._last.get(request.url)
        if request.cross_origin:
            return "target of a redirect"
        if last is None:
            return "first request"
        elapsed = virtual_now() - last.at
        if elapsed >= last.lifetime - _TOLERANCE:
            return last.reason
        if not last.process.is_alive:
            return "the process died before it stored the answer"
        raise BrokenRule(f"at {virtual_now():.3f} s: {request.url} is requested again after {elapsed:.3f} s")


class Month:
    """The crawl.

    Args:
        seed: What it is derived from.
        size: Its size.
        report: Called once a simulated day, and at the end, with a line.
    """

    def __init__(self, seed: int, size: Size, report: Callable[[str], object]) -> None:
        self._size = size
        self._report = report
        self._chance = random.Random(f"{seed} month")
        kinds = list(KINDS)
        self._chance.shuffle(kinds)
        self._machine = Machine(seed, ClockPlan(), monotonic=virtual_now, records=False, traces=False)
        origins = default_origins(size.sites)
        self._sites = [
            make_site(number, origins, self._chance, kinds[number % len(kinds)]) for number in range(size.sites)
        ]
        self._network = Network(self._sites, self._machine.world, lambda *_: None)
        self._numbers = {site.origin: number for number, site in enumerate(self._sites)}
        # One byte for each URL.
        self._states = bytearray(size.sites * size.pages)
        self._last_answers: dict[str, _LastAnswer] = {}
        self._requests: Counter[str] = Counter()
        self._repeats: Counter[str] = Counter()
        self._turns = 0
        self._kills = 0
        self._started = time.monotonic()

    def run(self) -> None:
        """Crawl until nothing is left to do.

        Raises: BrokenRule.
        """
        with tempfile.TemporaryDirectory(prefix="canfetch-simulation-") as folder, self._machine:
            self._folder = Path(folder)
            run_in_virtual_time(self._live)

    async def _live(self) -> None:
        reporting = asyncio.create_task(self._report_days())
        while True:
            process = self._machine.start_process(f"life{self._kills}", None)
            killing = asyncio.create_task(self._kill(process))
            await process.run(lambda process=process: self._crawl(process))  # type: ignore[misc]
            killing.cancel()
            if process.is_alive:
                break
            self._kills += 1
            for url, state in enumerate(self._states):
                if state == _IN_FLIGHT:
                    self._states[url] = _KILLED
        reporting.cancel()
        self._report(f"ended after {self._describe()}")

    async def _kill(self, process: Process) -> None:
        """Kill a process at some time, a few steps, statements or writes later."""
        await asyncio.sleep(self._chance.uniform(0.5, 1.5) * DAY / _KILLS_PER_DAY)
        kind = self._chance.choice(("step", "statement", "write"))
        process.arm(DeathPlan(kind, self._chance.randint(0, 100)))  # type: ignore[arg-type]

    async def _report_days(self) -> None:
        day = 0
        while True:
            self._report(f"day {day}: {self._describe()}")
            await asyncio.sleep(DAY)
            day += 1

    def _describe(self) -> str:
        ended = self._states.count(_ENDED)
        return (
            f"{virtual_now() / DAY:.1f} days, {time.monotonic() - self._started:.0f} s of real time, "
            f"{ended:,} URLs ended, {self._turns:,} turns, {self._kills} kills, {_resident_mebibytes():.0f} MiB;"
            f" robots.txt: {dict(self._requests.most_common())}; repeated turns: {dict(self._repeats.most_common())}"
        )

    def _seeds(self) -> Iterator[str]:
        for site in self._sites:
            yield f"{site.origin}/1"

    async def _crawl(self, process: Process) -> None:
        machine = self._machine
        client = AsyncClient(
            user_agent=f"{AGENT}/1.0",
            transport=_WatchedNetwork(self._network, process, self._last_answers, self._requests),
            clock=machine.wall,
            store=SQLiteStore(self._folder / "robots.sqlite3", clock=machine.wall),
        )
        name_holder(client, process)
        frontier = Frontier(
            client,
            self._seeds(),
            path=self._folder / "crawl.sqlite3",
            clock=machine.wall,
            monotonic=virtual_now,
            on_skip=self._skip,
            on_failure=lambda failed: self._end(failed.url),
            read_ahead=_READ_AHEAD,
        )
        await asyncio.gather(*[self._work(frontier) for _ in range(self._size.workers)])
        counts = frontier.counts
        added = counts.done + counts.failed + counts.skipped
        ended = self._states.count(_ENDED)
        if counts.queued or counts.in_flight or added != ended:
            raise BrokenRule(f"{ended} URLs were seen to end, and the file has {counts}")
        await frontier.close()
        await client.close()

    async def _work(self, frontier: Frontier) -> None:
        async for turn in frontier:
            number = self._begin(turn)
            with turn:
                await asyncio.sleep(self._chance.uniform(0.5, 1.5) * self._size.page_seconds)
                frontier.add_many(self._links(turn.url))
                if self._chance.random() < _PAGE_FAILURES:
                    self._states[number] = _RETRIED
                    turn.retry(error="scripted")
                else:
                    turn.done()
                    self._states[number] = _ENDED

    def _begin(self, turn: Turn) -> int:
        self._turns += 1
        number = self._number(turn.url)
        state = self._states[number]
        if state == _RETRIED:
            self._repeats["failed"] += 1
        elif state == _KILLED:
            self._repeats["in flight at a kill"] += 1
        elif state:
            raise BrokenRule(f"at {virtual_now():.3f} s: {turn.url} is handed out again without a reason")
        self._states[number] = _IN_FLIGHT
        return number

    def _links(self, url: str) -> list[str]:
        """Return the links of a page: three to pages of its site, and the same ones of the next site."""
        number = self._number(url)
        site, page = divmod(number, self._size.pages)
        children = [child for child in range(3 * page + 2, 3 * page + 5) if child <= self._size.pages]
        sites: tuple[Site, ...] = (self._sites[site], self._sites[(site + 1) % len(self._sites)])
        return [f"{each.origin}/{child}" for each in sites for child in children]

    def _skip(self, skipped: SkippedURL) -> None:
        self._end(skipped.url)

    def _end(self, url: str) -> None:
        self._states[self._number(url)] = _ENDED

    def _number(self, url: str) -> int:
        """Return the number of a URL, which counts the pages of each site from 0."""
        origin, _, page = url.rpartition("/")
        return self._numbers[origin] * self._size.pages + int(page) - 1


def _resident_mebibytes() -> float:
    """Return the memory of this process."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * 4096 / 2**20


def run_month(seed: int, size: Size) -> int:
    """Run a month's crawl, and return an exit code."""
    try:
        Month(seed, size, lambda line: print(line, flush=True)).run()
    except BrokenRule as error:
        print(error, file=sys.stderr)
        return 1
    return 0
