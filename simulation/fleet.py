"""Several clients that share a store, some of which die while they own a lease."""

import asyncio
import random
from typing import Final

from canfetch import AsyncClient
from canfetch.access.responses import Failure, Response
from canfetch.client.stores import Store
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.transports import TransportRequest
from canfetch.errors import ClientClosed, RequestNotSent
from simulation.machine import Machine, name_holder
from simulation.plans import MAX_ROUNDS, Life, Plan
from simulation.processes import Process
from simulation.rules import DAY, BrokenRule
from simulation.scenario import Scenario
from simulation.sites import AGENT, AsyncNetwork, Network
from simulation.store_rules import StoreRules
from simulation.virtual_time import run_in_virtual_time, virtual_now

_ROUNDS: Final = 6
_TASKS: Final = 2
_PAUSES: Final = (0.0, 0.0, 1.0, 20.0, 400.0, 2000.0, 30_000.0, DAY + 1.0)


class _RuledNetwork(AsyncNetwork):
    """The transport of one process."""

    def __init__(self, network: Network, rules: StoreRules, process: Process) -> None:
        super().__init__(network)
        self._rules = rules
        self._process = process

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Answer a request."""
        with self._rules.asking(request, self._process) as note_answer:
            answer = await super().send(request)
            note_answer(answer)
        return answer


class Fleet(Scenario):
    """The processes and what the world outside knows of them.

    For each life of the plan, all processes start. One of them dies. If the power fails, all of them die; otherwise it
    starts again while the others go on.
    """

    def __init__(self, plan: Plan, machine: Machine) -> None:
        super().__init__(plan, machine)
        self._chance = random.Random(f"{plan.seed} calls")
        self._rules = StoreRules(plan, self._network, machine)
        self._processes: list[Process] = []
        self._number = 0

    def run(self) -> None:
        """Run until all calls have returned.

        Raises: BrokenRule.
        """
        with self._in_folder():
            run_in_virtual_time(self._live, jumps=self.plan.clocks.jumps, max_rounds=MAX_ROUNDS)

    async def _live(self) -> None:
        # Its clients have one process, which is not killed. They are closed in the middle of their calls instead.
        self._memory = MemoryStore(monotonic=virtual_now) if self.plan.store == "memory" else None
        for life in (*self.plan.lives, None):
            self._processes = []
            slots = [self._run_slot(life if slot == 0 else None) for slot in range(self.plan.workers)]
            with self._broken_rules():
                await asyncio.gather(*slots)
            self._check_evidence()

    async def _run_slot(self, life: Life | None) -> None:
        """Run a process, and once more if it alone dies."""
        process = await self._run_process(life)
        if process.is_alive or life is None:
            return
        if life.death.loses_power:
            for other in self._processes:
                other.kill()
            self._machine.lose_power()
            await asyncio.sleep(life.pause)
        else:
            await asyncio.sleep(life.pause)
            await self._run_process(None)

    async def _run_process(self, life: Life | None) -> Process:
        self._number += 1
        is_killed = life is not None and self._memory is None
        death = life.death if life is not None and is_killed else None
        process = self._machine.start_process(f"process{self._number}", death)
        self._processes.append(process)
        closes_early = life is not None and not is_killed
        await process.run(lambda: self._work(process, closes_early=closes_early))
        return process

    async def _work(self, process: Process, *, closes_early: bool) -> None:
        machine = self._machine
        with self._opening(process):
            store: Store = self._memory or self._open_store()
            evidence = self._open_evidence()
        client = AsyncClient(
            user_agent=f"{AGENT}/1.0",
            transport=_RuledNetwork(self._network, self._rules, process),
            clock=machine.wall,
            store=store,
            evidence=evidence,
        )
        name_holder(client, process)
        calls = asyncio.gather(*[self._call(client, process) for _ in range(_TASKS)])
        if closes_early:
            await asyncio.sleep(self._chance.choice((0.0, 0.1, 5.0, 60.0)))
            await client.close()
        await calls
        if not closes_early:
            if client.store_error is not None:
                raise BrokenRule(f"{process.name}: the store has failed: {client.store_error}")
            await client.close()
        if evidence is not None:
            evidence.close()

    async def _call(self, client: AsyncClient, process: Process) -> None:
        for _ in range(_ROUNDS):
            await asyncio.sleep(self._chance.choice(_PAUSES))
            site = self._chance.choice(self._sites)
            url = f"{site.origin}/{self._chance.randint(1, 3)}"
            started = virtual_now()
            try:
                verdict = await client.decide(url)
            except ClientClosed:
                return
            except RequestNotSent:
                self._rules.check_wait(started, url)
                continue
            self._machine.trace.note("verdict", virtual_now(), process.name, url, verdict.allowed)
            self._decided[url] += 1
            self._rules.check_wait(started, url)
            self._rules.check_verdict(site.origin, verdict, process)
