"""The synchronous client over several lives of a process, with a store, evidence and watched origins."""

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from canfetch import Client
from canfetch.access.responses import Failure, Response
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.transports import TransportRequest
from canfetch.client.watch.history import WatchHistory
from canfetch.client.watch.watcher import Watcher
from canfetch.core.verdict import Effect
from canfetch.errors import RequestNotSent
from simulation.machine import ClockPlan, Machine, name_holder
from simulation.plans import Plan
from simulation.processes import Killed, Process
from simulation.rules import DAY, BrokenRule
from simulation.scenario import Scenario
from simulation.sites import AGENT, BlockingNetwork, Network
from simulation.store_rules import StoreRules
from simulation.virtual_time import later

_ROUNDS: Final = 12
_PAUSES: Final = (0.0, 1.0, 20.0, 100.0, 2000.0, 30_000.0, DAY + 1.0)
# Origins are checked this often, and reserved for ten minutes by a process that checks them. A
# clock may be wrong by some seconds.
_EVERY: Final = 300.0
_CLAIM_SECONDS: Final = 605.0


class BlockingTime:
    """The monotonic clock of a machine without an event loop."""

    def __init__(self, clocks: ClockPlan) -> None:
        self.now = 0.0
        self._jumps = clocks.jumps

    def read(self) -> float:
        """Return the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now = later(self.now, seconds, self._jumps)


class _RuledNetwork(BlockingNetwork):
    """The transport of one process."""

    def __init__(self, network: Network, sleep: Callable[[float], None], rules: StoreRules, process: Process) -> None:
        super().__init__(network, sleep)
        self._rules = rules
        self._process = process

    def send(self, request: TransportRequest) -> Response | Failure:
        """Answer a request."""
        with self._rules.asking(request, self._process) as note_answer:
            answer = super().send(request)
            note_answer(answer)
        return answer


class Blocking(Scenario):
    """The lives of a process and what the world outside knows of them.

    Args: time: The monotonic clock of the machine.
    """

    def __init__(self, plan: Plan, machine: Machine, time: BlockingTime) -> None:
        super().__init__(plan, machine)
        self._time = time
        self._chance = random.Random(f"{plan.seed} calls")
        self._rules = StoreRules(plan, self._network, machine)
        # What was acknowledged of each watched origin, in order, and when it was last claimed or checked, by both
        # clocks.
        self._versions: dict[str, list[tuple[Effect, bytes | None]]] = {}
        self._claimed: dict[str, tuple[float, float]] = {}

    def run(self) -> None:
        """Run until all calls have returned.

        Raises: BrokenRule.
        """
        with self._in_folder():
            for number, life in enumerate((*self.plan.lives, None)):
                process = self._machine.start_process(f"life{number}", None if life is None else life.death)
                try:
                    process.call(lambda process=process: self._work(process))  # type: ignore[misc]
                except BrokenRule:
                    raise
                except BaseException as error:
                    if process.is_alive:
                        raise BrokenRule(f"at {self._time.now:.3f} s: {type(error).__name__}: {error}") from error
                process.bury()
                if not process.is_alive and life is not None:
                    if life.death.loses_power:
                        self._machine.lose_power()
                    self._time.sleep(life.pause)
                self._check_evidence()
            self._check_history()

    def _work(self, process: Process) -> None:
        machine = self._machine
        with self._opening(process):
            store = self._open_store() if self.plan.store == "sqlite" else None
            evidence = self._open_evidence()
            history = WatchHistory(self._folder / "history.sqlite3")
        client = Client(
            user_agent=f"{AGENT}/1.0",
            transport=_RuledNetwork(self._network, self._time.sleep, self._rules, process),
            clock=machine.wall,
            store=store or MemoryStore(monotonic=self._time.read),
            evidence=evidence,
        )
        name_holder(client, process)
        if store is None:
            # Memory does not survive the process.
            self._rules.forget()
        watcher = Watcher(history, warn=machine.trace.note, clock=machine.wall)
        for _ in range(_ROUNDS):
            self._time.sleep(self._chance.choice(_PAUSES))
            site = self._chance.choice(self._sites)
            started = self._time.now
            try:
                if self._chance.random() < 0.5:
                    self._decide(client, process, site.origin)
                else:
                    self._watch(client, history, watcher, site.origin)
            except RequestNotSent:
                self._machine.trace.note("not sent", site.origin)
            self._rules.check_wait(started, site.origin)
        if client.store_error is not None and process.is_alive:
            raise BrokenRule(f"{process.name}: the store has failed: {client.store_error}")
        client.close()
        history.close()
        if evidence is not None:
            evidence.close()

    def _decide(self, client: Client, process: Process, origin: str) -> None:
        url = f"{origin}/{self._chance.randint(1, 3)}"
        verdict = client.decide(url)
        if not process.is_alive:
            raise Killed
        self._machine.trace.note("verdict", self._time.now, url, verdict.allowed)
        self._decided[url] += 1
        self._rules.check_verdict(origin, verdict, process)

    def _watch(self, client: Client, history: WatchHistory, watcher: Watcher, origin: str) -> None:
        now, wall = self._time.now, self._machine.wall()
        try:
            is_claimed = history.claim(origin, now=wall, every=_EVERY)
        except Killed:
            # The claim may have been written.
            self._claimed[origin] = now, wall
            raise
        if not is_claimed:
            claim = self._claimed.get(origin)
            # The clock that was set may show the same time again.
            if claim is None or all(
                not 0 <= elapsed <= _CLAIM_SECONDS for elapsed in (now - claim[0], wall - claim[1])
            ):
                raise BrokenRule(f"at {now:.3f} s: {origin} is not checked, and was last checked at {claim}")
            return
        self._claimed[origin] = now, wall
        state = client.origin_state(f"{origin}/")
        watcher.record(state)
        last = history.last_version(origin)
        if last is None:
            raise BrokenRule(f"at {self._time.now:.3f} s: {origin} was recorded, and has no version")
        self._claimed[origin] = self._time.now, self._machine.wall()
        seen = last.observation.effect, last.observation.content
        versions = self._versions.setdefault(origin, [])
        if not versions or versions[-1] != seen:
            versions.append(seen)

    def _check_history(self) -> None:
        """Check that every acknowledged version of each origin is still recorded, in order."""
        with WatchHistory(self._folder / "history.sqlite3") as history:
            for origin, acknowledged in self._versions.items():
                recorded = [(each.observation.effect, each.observation.content) for each in history.versions(origin)]
                if any(before == after for before, after in pairwise(recorded)):
                    raise BrokenRule(f"history: {origin} has the same version twice")
                rest = iter(recorded)
                if not all(version in rest for version in acknowledged):
                    raise BrokenRule(
                        f"history: {len(acknowledged)} versions of {origin} were recorded, and some are lost"
                    )
