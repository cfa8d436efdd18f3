"""Makes the plan of a seed that breaks a rule smaller, as long as a rule is still broken.

Hypothesis shrinks the choices from which a value was made, and each choice moves all later ones. The plan is a value of
its own, so it is made smaller itself, one part at a time, until no part can be left out.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from simulation.machine import ClockPlan
from simulation.plans import Life, Plan, Shared
from simulation.rules import no_warnings
from simulation.seeds import run_plan

Part = TypeVar("Part")
_PLAIN_OPTIONS: Final = {
    "max_attempts": 3,
    "retry_delay": 0.0,
    "min_delay": 0.0,
    "max_checks": 256,
    "max_unreachable": 0.0,
    "concurrency_per_origin": 1,
}


def shrink(plan: Plan, is_broken: Callable[[Plan], bool] | None = None) -> Plan:
    """Return the smallest plan that is found from a plan that breaks a rule.

    Args: is_broken: Returns whether a plan breaks a rule. By default it is run.
    """
    broken = is_broken or _is_broken
    while True:
        for smaller in _smaller_plans(plan):
            if broken(smaller):
                plan = smaller
                break
        else:
            return plan


def _is_broken(plan: Plan) -> bool:
    with no_warnings():
        return run_plan(plan).broken is not None


def _smaller_plans(plan: Plan) -> Iterator[Plan]:
    for lives in _without_one(plan.lives):
        yield plan._replace(lives=lives)
    yield from _fewer_sites(plan)
    yield from _calmer_clocks(plan)
    yield from _plainer_options(plan)
    if plan.shared is not None:
        for shared in _less_shared(plan.shared):
            yield plan._replace(shared=shared)
    for number, life in enumerate(plan.lives):
        for smaller in _smaller_lives(life):
            yield plan._replace(lives=(*plan.lives[:number], smaller, *plan.lives[number + 1 :]))


def _fewer_sites(plan: Plan) -> Iterator[Plan]:
    if len(plan.kinds) > 1:
        for kinds in _without_one(plan.kinds):
            yield plan._replace(kinds=kinds)
    for number, kind in enumerate(plan.kinds):
        if kind != "open":
            yield plan._replace(kinds=(*plan.kinds[:number], "open", *plan.kinds[number + 1 :]))


def _calmer_clocks(plan: Plan) -> Iterator[Plan]:
    clocks = plan.clocks
    for steps in _without_one(clocks.steps):
        yield plan._replace(clocks=ClockPlan(steps, clocks.suspensions))
    for suspensions in _without_one(clocks.suspensions):
        yield plan._replace(clocks=ClockPlan(clocks.steps, suspensions))


def _plainer_options(plan: Plan) -> Iterator[Plan]:
    if plan.evidence is not None:
        yield plan._replace(evidence=None)
    if plan.schedule is not None:
        yield plan._replace(schedule=None)
        if plan.schedule.max_failures is not None:
            yield plan._replace(schedule=plan.schedule._replace(max_failures=None))
    if plan.group_by != "origin":
        yield plan._replace(group_by="origin")
    if plan.store is not None and plan.scenario == "crawl":
        yield plan._replace(store=None)
    if plan.workers > (2 if plan.scenario == "fleet" else 1):
        yield plan._replace(workers=plan.workers - 1)
    for name, value in _PLAIN_OPTIONS.items():
        if plan.options[name] != value:
            yield plan._replace(options=plan.options | {name: value})


def _less_shared(shared: Shared) -> Iterator[Shared]:
    for number, interruptions in enumerate(shared.interruptions):
        for fewer in _without_one(interruptions):
            yield shared._replace(
                interruptions=(*shared.interruptions[:number], fewer, *shared.interruptions[number + 1 :])
            )
    for outages in _without_one(shared.outages):
        yield shared._replace(outages=outages)
    if shared.steps:
        yield shared._replace(steps=())
    if shared.latencies != (0.0,):
        yield shared._replace(latencies=(0.0,))
    if shared.processes > 1:
        yield shared._replace(processes=shared.processes - 1, interruptions=shared.interruptions[:-1])


def _smaller_lives(life: Life) -> Iterator[Life]:
    death = life.death
    if death.loses_power:
        yield life._replace(death=death._replace(loses_power=False))
    if life.pause:
        yield life._replace(pause=0.0)
    for fewer in sorted({0, death.number // 2, death.number - 1}):
        if 0 <= fewer < death.number:
            yield life._replace(death=death._replace(number=fewer))


def _without_one(parts: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
    for number in range(len(parts)):
        yield (*parts[:number], *parts[number + 1 :])


def describe(plan: Plan) -> str:
    """Return a plan as text, one part a line."""
    return "\n".join(f"{name} = {value!r}" for name, value in plan._asdict().items())
