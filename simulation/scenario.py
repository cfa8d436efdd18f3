"""What all scenarios have in common: their sites, their files, and the rules for evidence and errors."""

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.core.text import display_text
from canfetch.core.urls import url_bytes
from canfetch.errors import CanfetchError
from simulation.grouping import make_origins
from simulation.machine import Machine
from simulation.plans import CROWD, CROWD_SECONDS, Plan
from simulation.processes import Process
from simulation.rules import BrokenRule, check_evidence, find_broken_rule, without_folder
from simulation.sites import Network, make_site
from simulation.virtual_time import virtual_now


class Scenario:
    """What happens on a machine, and what the world outside knows of it.

    Args:
        plan: What happens.
        machine: Where it happens.
        note: Called with each event of the network, by default to add it to the trace.
    """

    def __init__(self, plan: Plan, machine: Machine, note: Callable[..., object] | None = None) -> None:
        self.plan = plan
        self._machine = machine
        chance = random.Random(f"{plan.seed} sites")
        origins = make_origins(plan)
        self._sites = [make_site(number, origins, chance, kind) for number, kind in enumerate(plan.kinds)]
        if plan.is_crowded:
            self._sites = [
                site._replace(seconds=CROWD_SECONDS if number < CROWD else 0.0, pages=1)
                for number, site in enumerate(self._sites)
            ]
        self._network = Network(self._sites, machine.world, note or machine.trace.note)
        # The number of acknowledged decisions about each URL.
        self._decided: Counter[str] = Counter()

    @contextmanager
    def _in_folder(self) -> Iterator[None]:
        """Keep the files of a block in a folder of its own."""
        with tempfile.TemporaryDirectory(prefix="canfetch-simulation-") as folder:
            self._folder = Path(folder)
            yield

    @contextmanager
    def _broken_rules(self) -> Iterator[None]:
        """Raise every error of a block as a rule that does not hold."""
        try:
            yield
        except (asyncio.CancelledError, BrokenRule):
            raise
        except BaseException as error:
            broken = find_broken_rule(error)
            raise broken or BrokenRule(f"at {virtual_now():.3f} s: {type(error).__name__}: {error}") from error

    @contextmanager
    def _opening(self, process: Process) -> Iterator[None]:
        """Raise an error of a file that cannot be opened in a block as a rule that does not hold."""
        try:
            yield
        except CanfetchError as error:
            raise BrokenRule(
                f"{process.name}: a file cannot be opened: {without_folder(error, self._folder)}"
            ) from error

    def _open_store(self) -> SQLiteStore:
        return SQLiteStore(self._folder / "robots.sqlite3", clock=self._machine.wall)

    def _open_evidence(self) -> EvidenceRecorder | None:
        if self.plan.evidence is None:
            return None
        durable = self.plan.evidence == "durable"
        return EvidenceRecorder(self._folder / "evidence", clock=self._machine.wall, durable=durable)

    def _check_evidence(self) -> None:
        # Without power, lines are lost that were not synchronised, also of segments to which others refer.
        if self.plan.evidence == "durable" or not self.plan.loses_power:
            decided = self._decided if self.plan.evidence else Counter[str]()
            # In evidence, lone surrogates are percent-encoded.
            check_evidence(
                self._folder / "evidence", Counter({display_text(url_bytes(url)): decided[url] for url in decided})
            )
