"""Clients, crawls and stores in simulated time: whatever happens to them, the rules hold."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from simulation.defects import DEFECTS, with_defect
from simulation.plans import Plan, make_plan
from simulation.rules import no_warnings
from simulation.seeds import run_seed
from simulation.shrinking import shrink

from canfetch.client.frontier.grouping import GroupBy

# A seed that finds each defect, by its name. The first twelve and `short-wait` were real ones: attacks found eleven,
# and the simulation two.
NAMED = {
    "last-attempt": 38,
    "wall-clock": 68,
    "future-times": 96,
    "any-scheme": 2,
    "failed-vanish": 0,
    "retry-at-once": 4,
    "dead-first": 210,
    "local-is-unreachable": 37,
    "unencodable-url": 2,
    "ended-twice": 12,
    "long-urls": 0,
    "future-leases": 337,
    "done-stays": 0,
    "endless-attempts": 106,
    "no-delay": 6,
    "disallowed": 10,
    "delayed-forever": 2,
    "same-identity": 0,
    "asleep": 0,
    "in-flight-stays": 96,
    "retry-loses": 2,
    "two-transactions": 110,
    "visited-early": 4,
    "visited-once": 20,
    "visit-forgotten": 38,
    "headers-dropped": 4,
    "interval-below-minimum": 4,
    "skipped-early": 4,
    "killed-early": 38,
    "split-hosts": 164,
    "split-domains": 4,
    "first-address": 198,
    "delay-of-origin": 4,
    "uncounted-checks": 0,
    "group-forgets": 4,
    "hosts-left-behind": 68,
    "resolved-again": 400,
    "no-lease": 5,
    "short-wait": 617,
    "no-second-look": 21,
    "not-stored": 1,
    "unsynced-store": 49,
    "old-copy-wins": 861,
    "failure-drops-copy": 49,
    "no-backoff": 19,
    "unrecorded-turns": 16,
    "broken-chain": 0,
    "unsynced-evidence": 67,
    "unsynced-references": 24693,
    "unsynced-history": 67,
}
# Seeds that broke a rule because of an error in the library or in the rules themselves.
REPAIRED = (1345, 3425, 5041, 6413, 9249, 18505, 22813, 24569, 911033, 3004509, 3004673, 7001225, 20005153, 40000485)
BY_NAME = {defect.name: defect for defect in DEFECTS if defect.backend == "sqlite"}


def broken_rules(seeds: range) -> list[str]:
    with no_warnings():
        return [f"seed {seed}: {broken}" for seed in seeds if (broken := run_seed(seed)) is not None]


def test_one_seed_of_each_scenario() -> None:
    assert broken_rules(range(4)) == []


@pytest.mark.service
@pytest.mark.parametrize("first", range(0, 500, 50))
def test_seeds(first: int) -> None:
    assert broken_rules(range(first, first + 50)) == []


def test_every_defect_has_a_seed() -> None:
    assert sorted(NAMED) == sorted(BY_NAME)


@pytest.mark.service
@pytest.mark.parametrize("name", NAMED)
def test_a_defect_is_found_by_its_seed(name: str) -> None:
    with no_warnings(), with_defect(BY_NAME[name]):
        assert run_seed(NAMED[name]) is not None


def test_a_host_that_is_on_no_site_breaks_a_rule() -> None:
    with no_warnings(), with_defect(BY_NAME["long-urls"]):
        assert run_seed(NAMED["long-urls"]) == "at 11.200 s: a.example is resolved, and is on no site"


@pytest.mark.service
@pytest.mark.parametrize("name", NAMED)
def test_a_seed_that_found_a_defect_finds_it_no_more(name: str) -> None:
    with no_warnings():
        assert run_seed(NAMED[name]) is None


@pytest.mark.service
def test_seeds_that_broke_a_rule() -> None:
    assert [broken for seed in REPAIRED for broken in broken_rules(range(seed, seed + 1))] == []


@pytest.mark.service
def test_a_seed_gives_the_same_events_in_every_process() -> None:
    # Each scenario, with deaths and without power.
    traces = {
        hash_seed: subprocess.run(
            [sys.executable, "-c", _PRINT_TRACES],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert traces["1"] == traces["2"]
    assert len(set(traces["1"].split())) == 12


_PRINT_TRACES = """
from simulation.plans import make_plan
from simulation.rules import no_warnings
from simulation.seeds import run_plan
with no_warnings():
    for seed in range(12):
        print(run_plan(make_plan(seed)).trace)
"""


def test_plans_have_all_groupings() -> None:
    assert {make_plan(seed).group_by for seed in range(200)} == {group_by.value for group_by in GroupBy}


def test_a_plan_is_shrunk_to_what_breaks_a_rule() -> None:
    def is_broken(plan: Plan) -> bool:
        return "slow" in plan.kinds and any(life.death.number >= 3 for life in plan.lives)

    plan = next(plan for plan in map(make_plan, range(1000)) if is_broken(plan))
    smallest = shrink(plan, is_broken)
    assert smallest.kinds == ("slow",)
    assert [life.death.number for life in smallest.lives] == [3]
    assert smallest.clocks == ((), ())
    assert smallest.evidence is None
