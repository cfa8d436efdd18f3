"""What a seed means: kinds of sites, options, deaths and clocks, all of them plain values that can be made smaller."""

import random
from typing import Any, Final, Literal, NamedTuple

from simulation.machine import ClockPlan, Suspension
from simulation.processes import DeathPlan, Interruption, Kind
from simulation.rules import DAY
from simulation.sites import HOUR, KINDS

Scenario = Literal["crawl", "fleet", "blocking"]
Backend = Literal["sqlite", "postgresql", "urlfrontier"]
# Every second seed is a crawl.
_SCENARIOS: Final[tuple[Scenario, ...]] = ("crawl", "fleet", "crawl", "blocking")
GROUPINGS: Final = ("host", "registrable-domain", "address")
MAX_DELAY: Final = 60.0
# No scenario needs more rounds of the event loop at one moment.
MAX_ROUNDS: Final = 5_000
# The number of dead origins in a crowd, and the seconds that each takes to fail.
CROWD: Final = 60
CROWD_SECONDS: Final = 20.0


class Life(NamedTuple):
    """A life of a process that ends with its death.

    Attributes:
        death: When it dies. If the work ends before, it does not.
        pause: The seconds until the next life.
    """

    death: DeathPlan
    pause: float


class Schedule(NamedTuple):
    """How often pages are visited again, and how the crawl deals with origins whose turns fail.

    Attributes:
        every: Seconds between the first two visits.
        minimum: The shortest interval.
        maximum: The longest interval.
        max_failures: The number of turns of an origin that may fail one after the other, or None.
    """

    every: float
    minimum: float
    maximum: float
    max_failures: int | None


class Service(NamedTuple):
    """A URLFrontier service.

    Attributes:
        nodes: The number of its nodes.
        faults: The share of calls that fail, before or after their effect.
        forgets: Whether it is restarted in each outage, and forgets blocks, delays and leases.
    """

    nodes: int
    faults: float
    forgets: bool


class Shared(NamedTuple):
    """A crawl on PostgreSQL or URLFrontier, which several processes share.

    Attributes:
        processes: Their number.
        lease: Seconds.
        interruptions: What happens to the first life of each process.
        outages: When the server is away, and for how many seconds. In order.
        steps: When the clock of the server is set, and how wrong it is from then on. In order.
        latencies: The seconds before a statement and before its answer, one of which is drawn each time.
        has_tables: Whether the tables exist before the first process starts.
        service: The URLFrontier service, or None for PostgreSQL.
    """

    processes: int
    lease: float
    interruptions: tuple[tuple[Interruption, ...], ...]
    outages: tuple[tuple[float, float], ...]
    steps: tuple[tuple[float, float], ...]
    latencies: tuple[float, ...]
    has_tables: bool
    service: Service | None = None

    @property
    def is_set_forward(self) -> bool:
        """Whether the clock of the server is set forward, so that delays end earlier."""
        errors = [0.0, *(error for _, error in self.steps)]
        return errors != sorted(errors, reverse=True)


class Plan(NamedTuple):
    """What a seed means.

    Attributes:
        seed: What the details are derived from.
        scenario: What the processes do.
        kinds: The kind of each site.
        options: The options of the frontier, and of the fleet.
        workers: The number of tasks, or of processes.
        lives: All lives but the last.
        clocks: What happens to the clocks.
        store: The store of the clients, or None.
        evidence: Whether decisions are recorded, and whether each line is synchronised. None for no evidence.
        is_crowded: Whether many origins that fail slowly come before as many that respond.
        schedule: How often pages are visited again, or None.
        group_by: What the sites of a group have in common.
        shared: What happens to the processes and the server of a crawl that is shared, or None for one in a file.
    """

    seed: int
    scenario: Scenario
    kinds: tuple[str, ...]
    options: dict[str, Any]
    workers: int
    lives: tuple[Life, ...]
    clocks: ClockPlan
    store: Literal["sqlite", "memory"] | None
    evidence: Literal["fast", "durable"] | None
    is_crowded: bool = False
    schedule: Schedule | None = None
    group_by: str = "origin"
    shared: Shared | None = None

    @property
    def loses_power(self) -> bool:
        """Whether the power fails at least once."""
        return any(life.death.loses_power for life in self.lives)


_LARGEST: Final[dict[Kind, int]] = {"step": 600, "statement": 400, "answer": 400, "write": 400}
_FILE_KINDS: Final[tuple[Kind, ...]] = ("step", "statement", "write")
_SHARED_KINDS: Final[tuple[Kind, ...]] = ("step", "statement", "answer")


def make_plan(seed: int, backend: Backend = "sqlite") -> Plan:
    """Return the plan of a seed."""
    chance = random.Random(seed)
    scenario = _SCENARIOS[seed % len(_SCENARIOS)] if backend == "sqlite" else "crawl"
    loses_power = chance.random() < 0.25
    lives = tuple(_make_life(chance, loses_power=loses_power) for _ in range(chance.choice((0, 1, 2, 4))))
    steps = sorted(
        (chance.choice((0.0, 30.0, 3000.0, 3 * DAY)), chance.choice((-30 * DAY, -3600.0, -2.0, 2.0, 3600.0, 30 * DAY)))
        for _ in range(chance.choice((0, 0, 1, 2)))
    )
    suspensions = sorted(
        Suspension(
            chance.choice((0.5, 45.0, 2000.0)), chance.choice((10.0, 3 * 3600.0, 4 * DAY)), chance.random() < 0.5
        )
        for _ in range(chance.choice((0, 0, 0, 1, 2)))
    )
    plan = Plan(
        seed=seed,
        scenario=scenario,
        kinds=tuple(chance.choice(list(KINDS)) for _ in range(chance.choice((1, 1, 2, 5)))),
        options={
            "max_attempts": chance.choice((1, 2, 3)),
            "retry_delay": chance.choice((0.0, 30.0, 600.0)),
            "min_delay": chance.choice((0.0, 1.0, 10.0)),
            "max_delay": MAX_DELAY,
            "max_checks": chance.choice((1, 2, 256)),
            "max_unreachable": chance.choice((0.0, 600.0, 3600.0)),
            "concurrency_per_origin": chance.choice((1, 1, 2)),
        },
        workers=chance.choice((1, 3)) if scenario == "crawl" else chance.choice((2, 3)),
        lives=lives,
        clocks=ClockPlan(tuple(steps), tuple(suspensions)),
        store=chance.choice((None, None, "sqlite")) if scenario == "crawl" else chance.choice(("sqlite", "memory")),
        evidence=chance.choice((None, None, "fast", "durable")),
    )
    if backend == "postgresql":
        return _shared(plan, random.Random(f"{seed} shared"), (40.0, 100.0))
    if backend == "urlfrontier":
        # A turn takes up to four seconds. So the shortest lease is renewed in turns.
        shared = _shared(plan, random.Random(f"{seed} shared"), (5.0, 5.0, 20.0, 100.0))
        return _served(shared, random.Random(f"{seed} service"))
    if scenario == "crawl" and chance.random() < 0.02:
        return _crowded(plan)
    # With random numbers of its own, so that all other seeds mean what they meant before.
    chance = random.Random(f"{seed} schedule")
    if scenario == "crawl" and chance.random() < 0.2:
        plan = plan._replace(schedule=_make_schedule(chance))
    chance = random.Random(f"{seed} groups")
    if scenario == "crawl" and chance.random() < 0.3:
        return _grouped(plan, chance)
    return plan


def _make_schedule(chance: random.Random) -> Schedule:
    every = chance.choice((1800.0, 4 * HOUR, DAY))
    return Schedule(every, every / chance.choice((1, 4)), every * chance.choice((1, 4)), chance.choice((None, None, 3)))


def _grouped(plan: Plan, chance: random.Random) -> Plan:
    """Return a plan whose sites are in groups, and some more of them."""
    more = tuple(chance.choice(("open", "slow", *KINDS)) for _ in range(chance.choice((1, 2, 4))))
    return plan._replace(group_by=chance.choice(GROUPINGS), kinds=plan.kinds + more)


def _shared(plan: Plan, chance: random.Random, leases: tuple[float, ...]) -> Plan:
    """Return a plan whose URLs are in PostgreSQL. Its sites and options lead to an end within hours."""
    processes = chance.choice((1, 2, 2, 3))
    lease = chance.choice(leases)
    kinds = [kind for kind in KINDS if kind != "not sent, then open"]
    plan = plan._replace(
        kinds=tuple(chance.choice(("open", "slow", *kinds)) for _ in plan.kinds),
        options=plan.options
        | {"retry_delay": chance.choice((0.0, 30.0)), "max_unreachable": chance.choice((0.0, 200.0))},
        workers=chance.choice((1, 2)),
        lives=tuple(
            Life(_make_death(chance, _SHARED_KINDS), chance.choice((0.0, 5.0, 40.0, 300.0)))
            for _ in range(chance.choice((0, 1, 2, 4)))
        ),
        clocks=ClockPlan(plan.clocks.steps),
        shared=Shared(
            processes,
            lease,
            tuple(
                tuple(_make_interruption(chance, lease) for _ in range(chance.choice((0, 0, 1, 3))))
                for _ in range(processes)
            ),
            tuple(
                sorted(
                    (chance.choice((0.5, 10.0, 50.0, 200.0)), chance.choice((0.0, 3.0, 25.0, 45.0)))
                    for _ in range(chance.choice((0, 0, 0, 1, 2)))
                )
            ),
            tuple(
                sorted(
                    (chance.choice((0.5, 10.0, 50.0, 200.0)), chance.choice((-DAY, -100.0, -100.0, 100.0)))
                    for _ in range(chance.choice((0, 0, 0, 1)))
                )
            ),
            chance.choice(((0.0,), (0.0,), (0.0, 0.0, 0.001), (0.0, 0.01, 0.01), (*(0.0,) * 20, 3.0))),
            chance.random() < 0.9,
        ),
    )
    if chance.random() < 0.3:
        return _grouped(plan, chance)._replace(group_by=chance.choice(GROUPINGS[:2]))
    return plan


def _served(plan: Plan, chance: random.Random) -> Plan:
    """Return a plan that is shared, with a URLFrontier service, whose clock is that of all processes."""
    assert plan.shared is not None
    steps = tuple(
        sorted(
            (chance.choice((0.5, 10.0, 50.0, 200.0)), chance.choice((-3600.0, -100.0, -2.0, 2.0, 100.0)))
            for _ in range(chance.choice((0, 0, 0, 0, 1)))
        )
    )
    service = Service(chance.choice((1, 1, 2)), chance.choice((0.0, 0.0, 0.01, 0.1)), chance.random() < 0.3)
    return plan._replace(
        clocks=ClockPlan(steps),
        options=plan.options | {"concurrency_per_origin": 1},
        shared=plan.shared._replace(steps=steps, has_tables=True, service=service),
    )


def _make_interruption(chance: random.Random, lease: float) -> Interruption:
    seconds = chance.choice((0.0, 0.0, 2.0, 7.0, lease, 2 * lease, 5 * lease))
    return Interruption(chance.choice(("statement", "answer")), chance.randint(0, chance.choice((40, 300))), seconds)


def _crowded(plan: Plan) -> Plan:
    """Return a plan with a crowd of dead origins, in which nothing else happens."""
    return plan._replace(
        kinds=("no such host",) * CROWD + ("open",) * CROWD,
        options=plan.options | {"max_checks": 2, "max_unreachable": 0.0},
        lives=(),
        clocks=ClockPlan(),
        store=None,
        evidence=None,
        is_crowded=True,
    )


def _make_life(chance: random.Random, *, loses_power: bool) -> Life:
    death = _make_death(chance, _FILE_KINDS)._replace(loses_power=loses_power)
    return Life(death, chance.choice((0.0, 5.0, 40.0, 2 * DAY)))


def _make_death(chance: random.Random, kinds: tuple[Kind, ...]) -> DeathPlan:
    kind = chance.choice(kinds)
    largest = chance.choice((40, _LARGEST[kind]))
    return DeathPlan(kind, chance.randint(0, largest))
