"""Crawls that processes share on a PostgreSQL server, in simulated time: whatever happens to them, the rules hold."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from simulation.defects import DEFECTS, with_defect
from simulation.plans import make_plan
from simulation.rules import no_warnings
from simulation.seeds import run_plan, run_seed

pytestmark = pytest.mark.service

# A seed that finds each defect, by its name. The first three were real ones, which the simulation has found.
NAMED = {
    "first-beat": 7,
    "shifted-twice": 394,
    "suspended-is-outage": 5,
    "lease-never-ends": 2,
    "lease-not-renewed": 2,
    "outage-ends-leases": 71,
    "delay-of-worker": 9,
    "server-set-back": 107,
}
# Seeds that broke a rule because of an error in the library or in the rules themselves.
REPAIRED = (42, 75, 111, 394, 401, 434, 535, 1136, 1144)
BY_NAME = {defect.name: defect for defect in DEFECTS if defect.backend == "postgresql"}


@pytest.fixture(scope="module", autouse=True)
def database() -> Iterator[None]:
    from simulation.postgres import start_server, use_database

    with start_server() as url:
        use_database(url)
        yield


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_seeds(first: int) -> None:
    with no_warnings():
        seeds = range(first, first + 10)
        assert [(seed, broken) for seed in seeds if (broken := run_seed(seed, "postgresql")) is not None] == []


def test_every_defect_has_a_seed() -> None:
    assert sorted(NAMED) == sorted(BY_NAME)


@pytest.mark.parametrize("name", NAMED)
def test_a_defect_is_found_by_its_seed(name: str) -> None:
    with no_warnings(), with_defect(BY_NAME[name]):
        assert run_seed(NAMED[name], "postgresql") is not None


@pytest.mark.parametrize("seed", sorted({*NAMED.values(), *REPAIRED}))
def test_a_seed_that_found_a_defect_finds_it_no_more(seed: int) -> None:
    with no_warnings():
        assert run_seed(seed, "postgresql") is None


def test_a_seed_gives_the_same_events_in_every_process() -> None:
    # One with lock waits and deaths.
    seed = 4
    command = [sys.executable, "-m", "simulation", "--backend", "postgresql", "--trace", str(seed)]
    printed = subprocess.run(
        command,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    with no_warnings():
        traces = [run_plan(make_plan(each, "postgresql")).trace for each in (seed, seed + 1, seed)]
    assert traces[0] == traces[2] == printed.strip()
    assert traces[1] != traces[0]
