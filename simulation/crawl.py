"""A crawl over several lives of a process, and the rules that hold for it whatever happens."""

import asyncio
import gc
import random
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from canfetch import AsyncClient, Frontier, SkippedURL, Turn
from canfetch.client.frontier.url_identity import identify_url
from canfetch.core.verdict import Access
from canfetch.errors import CanfetchError, InvalidURL
from simulation.dying import Death, dying
from simulation.sites import JUNK, Network, Site, make_site
from simulation.virtual_time import run_in_virtual_time, virtual_now

_EPOCH: Final = 1_790_000_000.0
DAY: Final = 86_400.0
_MAX_DELAY: Final = 60.0
# A crawl that is not over by then never ends.
_LONGEST_CRAWL: Final = 90 * DAY
# What the longest wait of an unreachable robots.txt is.
_RECHECK: Final = 3600.0
_TOLERANCE: Final = 0.001


class BrokenRule(Exception):
    """A rule does not hold. The message says which, and when."""


class Plan(NamedTuple):
    """What a seed means.

    Attributes:
        sites: The sites.
        options: The options of the frontier.
        workers: The number of tasks.
        lives: For each life of the process but the last: before which statement it is killed, the share of the log that
            is lost with the power or None, and the seconds until the next life.
        clock_steps: When the wall clock is set, and how wrong it is from then on.
    """

    sites: list[Site]
    options: dict[str, Any]
    workers: int
    lives: list[tuple[int, float | None, float]]
    clock_steps: list[tuple[float, float]]


def make_plan(seed: int) -> Plan:
    """Return the plan of a seed."""
    chance = random.Random(seed)
    sites = [make_site(number, chance) for number in range(chance.choice((1, 1, 2, 5)))]
    options = {
        "max_attempts": chance.choice((1, 2, 3)),
        "retry_delay": chance.choice((0.0, 30.0, 600.0)),
        "min_delay": chance.choice((0.0, 1.0, 10.0)),
        "max_delay": _MAX_DELAY,
        "max_checks": chance.choice((1, 2, 256)),
        "max_unreachable": chance.choice((0.0, 600.0, 3600.0)),
        "concurrency_per_origin": chance.choice((1, 1, 2)),
    }
    lives: list[tuple[int, float | None, float]] = [
        (chance.choice((chance.randint(0, 40), chance.randint(0, 400))), None, chance.choice((0.0, 5.0, 2 * DAY)))
        for _ in range(chance.choice((0, 1, 2, 4)))
    ]
    if chance.random() < 0.2:
        lives = [(statement, chance.random(), seconds) for statement, _, seconds in lives]
    steps = [
        (chance.choice((0.0, 30.0, 3000.0, 3 * DAY)), chance.choice((-30 * DAY, -3600.0, -2.0, 2.0, 3600.0, 30 * DAY)))
        for _ in range(chance.choice((0, 0, 1, 2)))
    ]
    return Plan(sites, options, chance.choice((1, 3)), lives, sorted(steps))


class Crawl:
    """One crawl, and what the world outside knows of it.

    Args: seed: What the crawl is derived from.
    """

    def __init__(self, seed: int) -> None:
        self.plan = make_plan(seed)
        self._chance = random.Random(f"{seed} pages")
        self._network = Network(self.plan.sites, self._notice)
        self._kills = 0
        self._loses_power = any(loss is not None for _, loss, _ in self.plan.lives)
        # By the origin and the identity of the URL, as the frontier tells URLs apart.
        self._added: dict[tuple[str, bytes], str] = {}
        self._done: set[str] = set()
        self._ending: set[str] = set()
        self._skipped: set[str] = set()
        self._retried: set[str] = set()
        self._handed_out: Counter[str] = Counter()
        self._last_turn: dict[str, float] = {}
        self._last_event = 0.0
        options = self.plan.options
        longest_retry = options["retry_delay"] * 2.0 ** (options["max_attempts"] - 1)
        self._longest_wait = max(longest_retry, _RECHECK, _MAX_DELAY, 90.0, options["max_unreachable"]) + 60.0

    def run(self) -> None:
        """Crawl until nothing is left to do.

        Raises: BrokenRule.
        """
        now = 0.0
        with tempfile.TemporaryDirectory(prefix="canfetch-simulation-") as folder:
            path = Path(folder) / "life0.sqlite3"
            for number, (statement, power_loss, seconds) in enumerate(self.plan.lives, 1):
                death = Death(path, Path(folder) / f"life{number}.sqlite3", statement, power_loss)
                now = self._live(death, now)
                if not death.has_come:
                    break
                self._kills += 1
                path = death.copy
                now += seconds
                if power_loss is not None:
                    # What was acknowledged may be undone. docs/crawling.md says so.
                    self._done.clear()
            self._live(Death(path, path, None), now)

    def _live(self, death: Death, start: float) -> float:
        """Live until death, or until the end of the crawl. Return the time."""
        self._last_event = start
        self._last_turn.clear()
        end = [start]

        async def main() -> None:
            # asyncio reports tasks that nobody waits for. Those of a dead process are none of them.
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(
                lambda _, context: None if death.has_come else loop.default_exception_handler(context)
            )
            try:
                await self._crawl(death)
            finally:
                end[0] = virtual_now()

        with dying(death):
            try:
                run_in_virtual_time(main, start=start)
            except BrokenRule:
                raise
            except BaseException as error:
                if not death.has_come:
                    broken = _find_broken_rule(error)
                    raise broken or BrokenRule(f"at {end[0]:.3f} s: {type(error).__name__}: {error}") from error
        return end[0]

    async def _crawl(self, death: Death) -> None:
        async with AsyncClient(user_agent="SimBot/1.0", transport=self._network, clock=self._wall) as client:
            try:
                frontier = Frontier(
                    client,
                    path=death.path,
                    clock=self._wall,
                    monotonic=virtual_now,
                    on_skip=self._skip,
                    **self.plan.options,
                )
            except CanfetchError as error:
                raise BrokenRule(f"life {self._kills}: the file cannot be opened: {error}") from error
            async with frontier:
                # As docs/crawling.md tells crawlers: sources are read again after each start.
                self._add(frontier, [f"{site.origin}/1" for site in self.plan.sites])
                async with asyncio.TaskGroup() as tasks:
                    for _ in range(self.plan.workers):
                        tasks.create_task(self._work(frontier))
                self._check_end(frontier)

    async def _work(self, frontier: Frontier) -> None:
        async for turn in frontier:
            self._check_turn(turn)
            with turn:
                await asyncio.sleep(self._chance.choice((0.0, 0.2, 4.0)))
                site = self._network.sites[_origin_of(turn.url)]
                self._add(frontier, self._links(turn.url, site))
                self._notice()
                retry_after = site.retry_after if self._chance.random() < 0.1 else None
                if self._chance.random() < site.page_failures:
                    self._retried.add(turn.url)
                    turn.retry(retry_after=retry_after, error="scripted")
                else:
                    self._ending.add(turn.url)
                    turn.done(retry_after=retry_after)
                    self._done.add(turn.url)

    def _links(self, url: str, site: Site) -> list[str]:
        number = int(url.rpartition("/")[2])
        links = [f"{site.origin}/{child}" for child in (2 * number, 2 * number + 1) if child <= site.pages]
        links += [f"{site.origin}/private/{number}", f"{self.plan.sites[0].origin}/%31#top"]
        return [*links, self._chance.choice(JUNK)]

    def _add(self, frontier: Frontier, urls: list[str]) -> None:
        frontier.add_many(urls)
        for url in urls:
            try:
                identified = identify_url(url)
            except InvalidURL:
                continue
            if url not in JUNK:
                self._added.setdefault((identified.origin, identified.identity), url)

    def _skip(self, skipped: SkippedURL) -> None:
        self._notice()
        if skipped.verdict is None:
            return
        origin = _origin_of(skipped.url)
        if skipped.verdict.access.access is Access.UNREACHABLE and origin not in self._network.failed:
            raise BrokenRule(f"at {virtual_now():.3f} s: {origin} was never asked, and is called unreachable")
        self._skipped.add(skipped.url)

    def _wall(self) -> float:
        now = virtual_now()
        wrong = 0.0
        for at, error in self.plan.clock_steps:
            if at <= now:
                wrong = error
        return _EPOCH + now + wrong

    def _notice(self) -> None:
        """Note that something happens, and check that it was not waited for too long."""
        now = virtual_now()
        if now - self._last_event > self._longest_wait:
            raise BrokenRule(
                f"at {now:.3f} s: nothing happened for {now - self._last_event:.0f} s, and no delay is longer than "
                f"{self._longest_wait:.0f} s"
            )
        if now > _LONGEST_CRAWL:
            raise BrokenRule(f"at {now:.0f} s: the crawl does not end")
        self._last_event = now

    def _check_turn(self, turn: Turn) -> None:
        self._notice()
        now, url, origin = virtual_now(), turn.url, _origin_of(turn.url)
        at = f"at {now:.3f} s: {url}"
        if origin not in self._network.sites:
            raise BrokenRule(f"{at} is on no site")
        if url in self._done:
            raise BrokenRule(f"{at} was done, and is handed out again")
        self._handed_out[url] += 1
        if url not in self._retried and self._handed_out[url] > 1 + self._kills:
            raise BrokenRule(f"{at} is handed out {self._handed_out[url]} times after {self._kills} kills")
        if not self._loses_power and self._handed_out[url] > self.plan.options["max_attempts"]:
            raise BrokenRule(f"{at} is handed out more often than it has attempts")
        if turn.attempt > self.plan.options["max_attempts"]:
            raise BrokenRule(f"{at} has attempt {turn.attempt}")
        if origin not in self._network.known:
            raise BrokenRule(f"{at} is handed out before its robots.txt is known")
        robots = self._network.known[origin]
        if robots is not None and not robots.allows(url, agent="SimBot"):
            raise BrokenRule(f"{at} is handed out, and the known robots.txt disallows it")
        delay = self.plan.options["min_delay"]
        if robots is not None:
            delay = max(delay, min(robots.crawl_delay(agent="SimBot") or 0.0, _MAX_DELAY))
        last = self._last_turn.get(origin)
        if self.plan.options["concurrency_per_origin"] == 1 and last is not None and now - last < delay - _TOLERANCE:
            raise BrokenRule(f"{at} is handed out {now - last:.3f} s after another page, and the delay is {delay} s")
        self._last_turn[origin] = now

    def _check_end(self, frontier: Frontier) -> None:
        counts = frontier.counts
        if counts.queued or counts.in_flight:
            raise BrokenRule(f"the iteration ended with {counts}")
        failed = {each.url for each in frontier.failed()}
        if len(failed) != counts.failed:
            raise BrokenRule(f"{len(failed)} failed URLs are listed of {counts.failed}")
        if self._loses_power:
            return
        if counts.done + counts.failed + counts.skipped != len(self._added):
            raise BrokenRule(f"{len(self._added)} URLs were added, and {counts} have ended")
        ended = self._done | self._ending | self._skipped | failed
        for url in self._added.values():
            if url not in ended:
                raise BrokenRule(f"{url} was added, and has no end")


def _origin_of(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])


def _find_broken_rule(error: BaseException) -> BrokenRule | None:
    if isinstance(error, BrokenRule):
        return error
    for each in getattr(error, "exceptions", ()):
        if (found := _find_broken_rule(each)) is not None:
            return found
    return None


def run_seed(seed: int) -> str | None:
    """Run the crawl of a seed. Return the rule that does not hold, or None."""
    try:
        Crawl(seed).run()
    except BrokenRule as error:
        return str(error)
    return None


@contextmanager
def no_warnings() -> Iterator[None]:
    """Ignore the warnings about turns that end with their process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        # Otherwise they come later.
        gc.collect()
