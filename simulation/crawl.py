"""A crawl with a frontier over several lives of a process, and the rules that hold for it whatever happens."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from canfetch import AsyncClient, FailedURL, Frontier, FrontierCounts, SkippedURL, Turn
from canfetch.client.frontier.recrawl import Recrawl
from canfetch.client.frontier.url_identity import clean_url, identify_url
from canfetch.core.text import portable_text
from canfetch.core.verdict import Access
from canfetch.errors import InvalidURL
from simulation.grouping import Grouping, ResolverError
from simulation.machine import Machine, name_holder
from simulation.pacing import PacedNetwork, Pacing
from simulation.plans import MAX_DELAY, MAX_ROUNDS, Life, Plan
from simulation.processes import Hold, Process, current_hold
from simulation.rules import DAY, BrokenRule
from simulation.scenario import Scenario
from simulation.sites import AGENT, JUNK, LONGEST_CHANGE, OVERSIZED, UNENCODABLE, AsyncNetwork, Site, origin_of
from simulation.virtual_time import run_in_virtual_time, virtual_now
from simulation.visits import Visits

# A crawl that is not over by then never ends.
_LONGEST_CRAWL: Final = 90 * DAY
# What the longest wait of an unreachable robots.txt is.
_RECHECK: Final = 3600.0
# Of two checks at a time, every second one is of an origin at random, and half of those respond. So a page comes after
# this time with a probability of a millionth, and after 600 s if the dead origins are asked first.
_LONGEST_CROWD: Final = 400.0
# The number of intervals after which a crawl that never ends is stopped.
_INTERVALS: Final = 4
_TOLERANCE: Final = 0.001


class _Refusal(Exception):
    """What the crawler of a simulation raises itself."""


class Crawl(Scenario):
    """One crawl, and what the world outside knows of it."""

    def __init__(self, plan: Plan, machine: Machine) -> None:
        super().__init__(plan, machine, self._note_request)
        self._chance = random.Random(f"{plan.seed} pages")
        self._kills = 0
        # By the origin and the identity of the URL, as the frontier tells URLs apart.
        self._added: dict[tuple[str, bytes], str] = {}
        # What a process that died was adding, or one that was suspended adds now.
        self._perhaps_added: set[tuple[str, bytes]] = set()
        self._done: set[str] = set()
        self._ending: set[str] = set()
        self._skipped: set[str] = set()
        self._retried: set[str] = set()
        self._handed_out: Counter[str] = Counter()
        # When the last attempt of a URL failed, in this life.
        self._failed_at: dict[str, float] = {}
        # The turns of URLs that have not ended.
        self._holds: dict[str, Hold] = {}
        self._lives = 0
        self._last_event = 0.0
        # Of groups, some origins are found later.
        self._seeds = self._sites if plan.group_by == "origin" else self._sites[: (len(self._sites) + 1) // 2]
        self._grouping = Grouping(plan, [site.origin for site in self._sites], self._note_request)
        self._pacing = Pacing(plan, self._network, self._grouping.group_of)
        options = plan.options
        longest_retry = options["retry_delay"] * 2.0 ** (options["max_attempts"] - 1)
        self._longest_wait = max(longest_retry, _RECHECK, MAX_DELAY, 90.0, options["max_unreachable"]) + 60.0
        self._visits: Visits | None = None
        if plan.schedule is not None:
            # The attempts of all pages, the delays between them, and the time until an origin is given up. One that
            # this machine cannot ask is not given up.
            rounds = options["max_attempts"] + 1
            unsent = LONGEST_CHANGE if "not sent, then open" in plan.kinds else 0.0
            slack = rounds * self._longest_wait + unsent, rounds * 160.0
            self._longest_wait += plan.schedule.maximum
            self._visits = Visits(
                plan.schedule, random.Random(f"{plan.seed} visits"), virtual_now, slack, plan.clocks.jumps
            )

    def run(self) -> None:
        """Crawl until nothing is left to do.

        Raises: BrokenRule.
        """
        with self._in_folder():
            run_in_virtual_time(self._live, jumps=self.plan.clocks.jumps, max_rounds=MAX_ROUNDS)

    async def _live(self) -> None:
        """Live all lives."""
        await self._live_on(self.plan.lives)
        self._check_evidence()

    async def _live_on(self, lives: Sequence[Life], slot: int = 0) -> None:
        """Live some lives and a last one, one after another.

        Args: slot: Which of the processes that share the crawl lives them.
        """
        for life in (*lives, None):
            process = self._machine.start_process(f"life{self._lives}", None if life is None else life.death)
            self._lives += 1
            self._begin_life(process, slot)
            with self._broken_rules():
                await process.run(lambda process=process: self._crawl(process))  # type: ignore[misc]
            if process.is_alive or life is None:
                break
            await self._die(life)

    def _begin_life(self, process: Process, slot: int) -> None:  # noqa: ARG002 - of crawls that are shared
        self._last_event = virtual_now()
        self._pacing.begin_life()
        self._failed_at.clear()

    async def _die(self, life: Life) -> None:
        self._kills += 1
        if life.death.loses_power:
            self._machine.lose_power()
            # What was acknowledged may be undone. docs/crawling.md says so.
            self._done.clear()
            self._grouping.lose_power()
            if self._visits is not None:
                self._visits.lose_power()
        self._check_evidence()
        await asyncio.sleep(life.pause)

    async def _crawl(self, process: Process) -> None:
        plan, machine = self.plan, self._machine
        with self._opening(process):
            store = self._open_store() if plan.store else None
            evidence = self._open_evidence()
            client = AsyncClient(
                user_agent=f"{AGENT}/1.0",
                transport=self._transport(),
                clock=machine.wall,
                store=store,
                evidence=evidence,
            )
            name_holder(client, process)
            schedule = plan.schedule
            frontier = Frontier(
                client,
                **self._place,
                clock=machine.wall,
                monotonic=virtual_now,
                on_skip=self._skip,
                on_failure=self._fail,
                recrawl=None if schedule is None else Recrawl(schedule.every, schedule.minimum, schedule.maximum),
                max_failures_per_origin=None if schedule is None else schedule.max_failures,
                group_by=plan.group_by,
                resolver=self._grouping.resolve,
                **plan.options,
            )
            if self._visits is not None:
                self._visits.open(machine.wall())
        # As docs/crawling.md tells crawlers: sources are read again after each start.
        self._add(frontier, [f"{site.origin}/1" for site in self._seeds])
        self._is_stopped = False
        tasks = [self._work(frontier) for _ in range(plan.workers)]
        if schedule is None:
            await asyncio.gather(*tasks)
            self._check_end(frontier)
        else:
            await asyncio.gather(*tasks, self._stop(frontier, _INTERVALS * schedule.every))
        await frontier.close()
        await client.close()
        if evidence is not None:
            evidence.close()
        assert process.is_alive

    @property
    def _place(self) -> dict[str, Any]:
        """Where the URLs are, as options of the frontier."""
        return {"path": self._folder / "crawl.sqlite3"}

    def _transport(self) -> AsyncNetwork:
        """Return the transport. Requests for robots.txt files wait for delays only if there are groups."""
        if self.plan.group_by == "origin":
            return AsyncNetwork(self._network)
        return PacedNetwork(self._network, self._pacing)

    async def _work(self, frontier: Frontier) -> None:
        while not self._is_stopped:
            try:
                turn = await anext(frontier)
            except StopAsyncIteration:
                break
            except (_Refusal, ResolverError):
                continue
            hold = self._check_turn(turn)
            retry_after, ended_at = None, virtual_now()
            with suppress(_Refusal), turn:
                await asyncio.sleep(self._chance.choice((0.0, 0.2, 4.0)))
                site = self._network.sites[origin_of(turn.url)]
                self._add(frontier, self._links(turn.url, site))
                self._notice()
                retry_after = site.retry_after if self._chance.random() < 0.1 else None
                # Delays count from here, and others can have the URL before the call returns.
                ended_at = virtual_now()
                self._release(turn.url, hold)
                if self._chance.random() < site.page_failures:
                    self._retried.add(turn.url)
                    is_again = turn.retry(retry_after=retry_after, error="scripted")
                    if not hold.is_lost():
                        self._failed_at[turn.url] = ended_at
                    if self._visits is not None and is_again:
                        self._visits.retry(turn.url)
                elif self._visits is not None:
                    turn.done(retry_after=retry_after, **self._visits.respond(turn.url))
                    self._visits.finish(turn.url)
                else:
                    self._ending.add(turn.url)
                    if turn.done(retry_after=retry_after):
                        self._finish(turn.url, hold)
                    elif not hold.is_lost():
                        raise BrokenRule(f"at {virtual_now():.3f} s: {turn.url} was lost, and its process responded")
            self._pacing.end_turn(turn.url, hold, ended_at, retry_after)

    def _release(self, url: str, hold: Hold) -> None:
        """Note that a turn is about to end."""
        if self._holds.get(url) is hold:
            del self._holds[url]
        self._pacing.release_turn(url, hold)

    def _finish(self, url: str, hold: Hold) -> None:  # noqa: ARG002 - of crawls that are shared
        """Check that a URL could be finished, and note it.

        Args: hold: Its turn.
        """
        other = self._holds.get(url)
        is_done = url in self._done and not self._can_return(url)
        if is_done or (other is not None and not other.is_lost()):
            raise BrokenRule(f"at {virtual_now():.3f} s: {url} was finished by a process that has lost it to another")
        self._done.add(url)

    def _links(self, url: str, site: Site) -> list[str]:
        number = int(url.partition("#")[0].rpartition("/")[2])
        links = [f"{site.origin}/{child}" for child in (2 * number, 2 * number + 1) if child <= site.pages]
        links += [f"{site.origin}/private/{number}", f"{self._sites[0].origin}/%31#top"]
        if len(self._seeds) < len(self._sites):
            links.append(f"{self._chance.choice(self._sites).origin}/1")
        if number == 1:
            links = [*(f"{link}{UNENCODABLE}" for link in links[:2]), *links[2:], OVERSIZED]
        return [*links, self._chance.choice(JUNK)]

    def _add(self, frontier: Frontier, urls: list[str]) -> None:
        identified = {}
        for url in urls:
            try:
                each = identify_url(clean_url(url))
            except InvalidURL:
                continue
            if url not in (*JUNK, OVERSIZED):
                identified[each.origin, each.identity] = each.url
        self._perhaps_added.update(identified)
        with suppress(_Refusal):
            frontier.add_many(urls)
        for identity, url in identified.items():
            added = self._added.setdefault(identity, url)
            if self._visits is not None and added == url:
                self._visits.add(url)

    def _skip(self, skipped: SkippedURL) -> None:
        self._notice()
        self._machine.trace.note("skip", skipped.url)
        if self._visits is not None and not skipped.url.startswith((*JUNK, OVERSIZED)):
            self._visits.skip(skipped.url)
        if skipped.verdict is None:
            self._skipped.add(skipped.url)
            raise _Refusal
        origin = origin_of(skipped.url)
        if skipped.verdict.access.access is Access.UNREACHABLE and origin not in self._network.failed:
            raise BrokenRule(f"at {virtual_now():.3f} s: {origin} was never asked, and is called unreachable")
        self._decided[skipped.url] += 1
        self._skipped.add(skipped.url)
        if "2" in skipped.url.rpartition("/")[2]:
            raise _Refusal

    def _fail(self, failed: FailedURL) -> None:
        """Raise an exception for some URLs, as a broken function of a crawler does. The turn has ended nevertheless."""
        self._notice()
        if self._visits is not None:
            self._visits.fail(failed.url)
        if "2" in failed.url.rpartition("/")[2]:
            raise _Refusal

    def _note_request(self, *event: object) -> None:
        self._notice()
        self._machine.trace.note(*event)

    def _notice(self) -> None:
        """Note that something happens, and check that it was not waited for too long."""
        self._check_wait()
        now = self._last_event = virtual_now()
        if now > _LONGEST_CRAWL:
            raise BrokenRule(f"at {now:.0f} s: the crawl does not end")

    def _check_wait(self) -> None:
        now = virtual_now()
        slept = sum(seconds for at, seconds in self.plan.clocks.jumps if self._last_event - _TOLERANCE <= at <= now)
        if now - self._last_event > self._longest_wait + slept:
            raise BrokenRule(
                f"at {now:.3f} s: nothing happened for {now - self._last_event:.0f} s, and no delay is longer than "
                f"{self._longest_wait:.0f} s"
            )

    def _check_turn(self, turn: Turn) -> Hold:
        self._notice()
        now, url = virtual_now(), turn.url
        hold = current_hold(self._grouping.group_of(origin_of(url)))
        self._machine.trace.note("turn", now, url, turn.attempt)
        at = f"at {now:.3f} s: {url}"
        if hold.is_late:
            return hold
        if self.plan.is_crowded and not self._handed_out and now > _LONGEST_CROWD:
            raise BrokenRule(f"{at} is the first page, because origins that fail slowly are asked first")
        if portable_text(url) != url:
            raise BrokenRule(f"{at} has a lone surrogate, which HTTP clients cannot send")
        self._check_attempts(turn, at)
        other = self._holds.get(url)
        if other is not None and not other.is_lost():
            raise BrokenRule(f"{at} is handed out, and another process has it")
        self._holds[url] = hold
        self._check_robots(url, at)
        self._pacing.begin_turn(url, hold)
        return hold

    def _check_attempts(self, turn: Turn, at: str) -> None:
        """Check that a URL may be handed out now, for all that has happened to it."""
        now, url, options = virtual_now(), turn.url, self.plan.options
        if url in self._done and not self._can_return(url):
            raise BrokenRule(f"{at} was done, and is handed out again")
        failed_at = self._failed_at.pop(url, None)
        shortest = options["retry_delay"] * 2.0 ** (turn.attempt - 2) / 2
        is_set = self.plan.shared is not None and self.plan.shared.steps
        if failed_at is not None and now - failed_at < shortest - _TOLERANCE and not is_set:
            raise BrokenRule(f"{at} is tried again after {now - failed_at:.0f} s, and its delay is {shortest:g} s")
        if turn.attempt > options["max_attempts"]:
            raise BrokenRule(f"{at} has attempt {turn.attempt}")
        self._handed_out[url] += 1
        self._decided[url] += 1
        if self._visits is not None:
            self._visits.begin(turn, at)
            return
        is_shared = self.plan.shared is not None
        if not is_shared and url not in self._retried and self._handed_out[url] > 1 + self._kills:
            raise BrokenRule(f"{at} is handed out {self._handed_out[url]} times after {self._kills} kills")
        is_certain = not self.plan.loses_power and not self._can_be_shared(url)
        if is_certain and self._handed_out[url] > options["max_attempts"]:
            raise BrokenRule(f"{at} is handed out more often than it has attempts")

    def _can_return(self, url: str) -> bool:  # noqa: ARG002 - of crawls that are shared
        """Return whether a page that was done may be handed out again."""
        return False

    def _can_be_shared(self, url: str) -> bool:  # noqa: ARG002 - of crawls that are shared
        """Return whether two processes may have had one attempt of a page."""
        return False

    def _check_robots(self, url: str, at: str) -> None:
        """Check that the robots.txt of a URL permits it, now."""
        origin = origin_of(url)
        if origin not in self._network.sites:
            raise BrokenRule(f"{at} is on no site")
        known = list(self._network.last_known(origin))
        if not known and origin not in self._network.failed:
            raise BrokenRule(f"{at} is handed out before its robots.txt is known")
        files = [delivery.robots for delivery in known]
        # It may be the file of another origin, which is asked for the path.
        path = url[len(origin) :]
        if files and not any(robots is None or robots.allows(path, agent=AGENT) for robots in files):
            raise BrokenRule(f"{at} is handed out, and the known robots.txt disallows it")

    async def _stop(self, frontier: Frontier, seconds: float) -> None:
        """Stop a crawl that never ends when no turn is open, and check it."""
        await asyncio.sleep(seconds)
        self._is_stopped = True
        while frontier.counts.in_flight:  # noqa: ASYNC110 - each turn ends at its own time
            await asyncio.sleep(1.0)
        assert self._visits is not None
        self._visits.check_end(f"at {virtual_now():.3f} s")
        if failed := list(frontier.failed()):
            raise BrokenRule(f"{failed} is listed as failed, and is never visited again")
        self._check_number(frontier.counts, queued=frontier.counts.queued)
        await frontier.close()

    def _check_number(self, counts: FrontierCounts, *, queued: int = 0) -> None:
        """Check that every URL that was added is counted."""
        number = queued + counts.done + counts.failed + counts.skipped
        if self.plan.loses_power or len(self._added) <= number <= len({*self._added, *self._perhaps_added}):
            return
        raise BrokenRule(f"{len(self._added)} URLs were added, and counted are {counts}")

    def _check_end(self, frontier: Frontier) -> None:
        counts = frontier.counts
        if counts.queued or counts.in_flight:
            raise BrokenRule(f"the iteration ended with {counts}")
        failed = {each.url for each in frontier.failed()}
        if len(failed) != counts.failed:
            raise BrokenRule(f"{len(failed)} failed URLs are listed of {counts.failed}")
        self._check_number(counts)
        if self.plan.loses_power:
            return
        ended = self._done | self._ending | self._skipped | failed
        for url in self._added.values():
            if url not in ended:
                raise BrokenRule(f"{url} was added, and has no end")
