"""A crawl that several processes share on a server. They die and are suspended, and the server is away for a time."""

import asyncio
from contextlib import AbstractContextManager

from simulation.crawl import Crawl
from simulation.machine import Machine
from simulation.plans import Plan
from simulation.processes import Process
from simulation.sites import Site
from simulation.threads import SimulatedThread

# Longer than the server is away.
OUTAGE_SECONDS = 200.0


class SharedCrawl(Crawl):
    """The processes, and what the world outside knows of them.

    Each process lives its share of the lives. The others go on when one dies.
    """

    def __init__(self, plan: Plan, machine: Machine) -> None:
        super().__init__(plan, machine)
        assert plan.shared is not None
        self._shared = shared = plan.shared
        self._processes: list[Process] = []
        self._interruptions = list(shared.interruptions)
        pauses = [life.pause for life in plan.lives] + [seconds for _, seconds in shared.outages]
        pauses += [each.seconds for some in shared.interruptions for each in some]
        self._longest_wait += sum(pauses) + 5 * shared.lease

    def _serve(self) -> AbstractContextManager[object]:
        """Return the server, for the block."""
        raise NotImplementedError

    async def _live(self) -> None:
        shared = self._shared
        lives = [self.plan.lives[slot :: shared.processes] for slot in range(shared.processes)]
        try:
            with self._serve(), self._broken_rules():
                async with asyncio.TaskGroup() as tasks:
                    watch = tasks.create_task(self._watch())
                    await asyncio.gather(*map(self._live_on, lives, range(shared.processes)))
                    watch.cancel()
        finally:
            for process in self._processes:
                process.kill()
        self._check_evidence()

    async def _watch(self) -> None:
        """Notice if nothing happens, although processes look at the server from time to time."""
        while True:
            await asyncio.sleep(self._longest_wait)
            self._check_wait()

    def _begin_life(self, process: Process, slot: int) -> None:
        self._processes.append(process)
        SimulatedThread(process)
        process.lease = self._shared.lease
        process.interrupt(self._interruptions[slot])
        self._interruptions[slot] = ()

    def _links(self, url: str, site: Site) -> list[str]:
        # A process that adds nothing before the end of a turn does not notice that it has lost its lease.
        return [] if "/private/" in url else super()._links(url, site)
