"""A crawl that several processes share in a URLFrontier service."""

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from canfetch.client.frontier import URLFrontier
from canfetch.client.frontier.url_identity import identify_url, plain_form
from simulation.machine import Machine
from simulation.plans import Plan
from simulation.processes import Hold, Process
from simulation.queue_leases import QueueLeases
from simulation.rules import BrokenRule
from simulation.shared import OUTAGE_SECONDS, SharedCrawl
from simulation.sites import origin_of
from simulation.urlfrontier import ServiceServer
from simulation.virtual_time import virtual_now

_CRAWL: Final = "simulated"


class URLFrontierCrawl(SharedCrawl):
    """The processes with a URLFrontier service."""

    def __init__(self, plan: Plan, machine: Machine) -> None:
        super().__init__(plan, machine)
        self._leases = QueueLeases(self._shared.lease, self._pacing.forget)
        # The turns that end after their leases, by the clocks of their processes. Two processes can have the same URL.
        self._expired: set[tuple[Process, str]] = set()
        # A block lasts longer if the clock is set back.
        self._longest_wait += sum(max(-error, 0.0) for _, error in self._shared.steps)

    @contextmanager
    def _serving(self) -> Iterator[None]:
        chance = random.Random(f"{self.plan.seed} server")
        with ServiceServer(self._machine, self._shared, _CRAWL, chance, self._leases) as server:
            yield
            server.check()

    def _serve(self) -> AbstractContextManager[object]:
        return self._serving()

    def _begin_life(self, process: Process, slot: int) -> None:
        super()._begin_life(process, slot)
        process.leases = self._leases

    def _release(self, url: str, hold: Hold) -> None:
        super()._release(url, hold)
        self._expired.discard((hold.process, url))
        if self._leases.has_expired(hold):
            self._expired.add((hold.process, url))
        self._leases.end(hold)

    def _finish(self, url: str, hold: Hold) -> None:
        if (hold.process, url) in self._expired and not hold.is_late:
            raise BrokenRule(f"at {virtual_now():.3f} s: {url} was finished after its lease had expired")
        # A process that is suspended while it ends a turn cannot know that another one has the URL.
        if not hold.is_lost():
            super()._finish(url, hold)

    def _can_return(self, url: str) -> bool:
        return plain_form(identify_url(url)) in self._leases.changed

    def _can_be_shared(self, url: str) -> bool:
        return self._grouping.group_of(origin_of(url)) in self._leases.uncertain

    @property
    def _place(self) -> dict[str, Any]:
        assert self._shared.service is not None
        addresses = ",".join(f"simulated:{node + 1}" for node in range(self._shared.service.nodes))
        lease = self._shared.lease
        return {"backend": URLFrontier(addresses, crawl=_CRAWL, lease=lease, outage_seconds=OUTAGE_SECONDS)}
