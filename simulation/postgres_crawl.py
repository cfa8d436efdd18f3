"""A crawl that several processes share on PostgreSQL."""

import random
from contextlib import AbstractContextManager
from typing import Any

from canfetch.client.frontier import PostgresQueue
from simulation.postgres import Server, current_database
from simulation.shared import OUTAGE_SECONDS, SharedCrawl


class PostgresCrawl(SharedCrawl):
    """The processes with a PostgreSQL server."""

    def _serve(self) -> AbstractContextManager[object]:
        chance = random.Random(f"{self.plan.seed} server")
        return Server(current_database(), self._machine, self._shared, chance, self._processes)

    @property
    def _place(self) -> dict[str, Any]:
        url = "postgresql://simulated/crawls"
        lease = self._shared.lease
        return {"backend": PostgresQueue(url, crawl="simulated", lease=lease, outage_seconds=OUTAGE_SECONDS)}
