"""Runs the plan of a seed, and says which rule does not hold."""

from typing import NamedTuple

from canfetch.core.text import printable_text
from simulation.blocking import Blocking, BlockingTime
from simulation.crawl import Crawl
from simulation.fleet import Fleet
from simulation.machine import Machine
from simulation.plans import Backend, Plan, make_plan
from simulation.rules import BrokenRule
from simulation.virtual_time import Stuck, virtual_now


class Result(NamedTuple):
    """The result of a plan.

    Attributes:
        broken: The rule that does not hold, or None.
        trace: A hash of all events.
    """

    broken: str | None
    trace: str


def run_plan(plan: Plan) -> Result:
    """Run a plan."""
    time = BlockingTime(plan.clocks) if plan.scenario == "blocking" else None
    with Machine(
        plan.seed,
        plan.clocks,
        monotonic=virtual_now if time is None else time.read,
        sleep=None if time is None else time.sleep,
        records=plan.loses_power,
    ) as machine:
        try:
            if time is not None:
                Blocking(plan, machine, time).run()
            elif plan.scenario == "fleet":
                Fleet(plan, machine).run()
            elif plan.shared is not None and plan.shared.service is not None:
                # Files do not need the libraries for a server.
                from simulation.urlfrontier_crawl import URLFrontierCrawl  # noqa: PLC0415

                URLFrontierCrawl(plan, machine).run()
            elif plan.shared is not None:
                from simulation.postgres_crawl import PostgresCrawl  # noqa: PLC0415

                PostgresCrawl(plan, machine).run()
            else:
                Crawl(plan, machine).run()
        except (BrokenRule, Stuck) as error:
            return Result(printable_text(str(error)), machine.trace.hexdigest())
        return Result(None, machine.trace.hexdigest())


def run_seed(seed: int, backend: Backend = "sqlite") -> str | None:
    """Run a seed. Return the rule that does not hold, or None."""
    return run_plan(make_plan(seed, backend)).broken
