"""Crawls that processes share in a URLFrontier service, in simulated time: whatever happens to them, the rules hold."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from simulation.defects import DEFECTS, with_defect
from simulation.plans import make_plan
from simulation.rules import no_warnings
from simulation.seeds import run_plan, run_seed

pytest.importorskip("greenlet")
pytest.importorskip("google.protobuf")

# A seed that finds each defect, by its name. The first six were real ones, which the simulation has found.
NAMED = {
    "suspended-call": 30,
    "late-block": 89,
    "given-back-twice": 110,
    "unstored-delay": 482,
    "late-request": 274,
    "blocks-not-repeated": 93,
    "block-not-renewed": 419,
    "clock-unread": 124,
}
# Seeds that broke a rule because of an error in the library or in the rules themselves.
REPAIRED = (
    42,
    46,
    84,
    88,
    89,
    93,
    105,
    110,
    124,
    222,
    228,
    279,
    296,
    308,
    321,
    364,
    404,
    430,
    457,
    474,
    482,
    538,
    758,
    1054,
    1264,
    1379,
    1503,
    1858,
)
BY_NAME = {defect.name: defect for defect in DEFECTS if defect.backend == "urlfrontier"}


def broken_rules(seeds: range) -> list[tuple[int, str]]:
    with no_warnings():
        return [(seed, broken) for seed in seeds if (broken := run_seed(seed, "urlfrontier")) is not None]


def test_some_seeds() -> None:
    assert broken_rules(range(5)) == []


@pytest.mark.service
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_seeds(first: int) -> None:
    assert broken_rules(range(first, first + 50)) == []


def test_every_defect_has_a_seed() -> None:
    assert sorted(NAMED) == sorted(BY_NAME)


@pytest.mark.service
@pytest.mark.parametrize("name", NAMED)
def test_a_defect_is_found_by_its_seed(name: str) -> None:
    with no_warnings(), with_defect(BY_NAME[name]):
        assert run_seed(NAMED[name], "urlfrontier") is not None


@pytest.mark.service
@pytest.mark.parametrize("seed", sorted({*NAMED.values(), *REPAIRED}))
def test_a_seed_that_found_a_defect_finds_it_no_more(seed: int) -> None:
    with no_warnings():
        assert run_seed(seed, "urlfrontier") is None


@pytest.mark.service
def test_a_seed_gives_the_same_events_in_every_process() -> None:
    # One with faults, suspensions and deaths.
    seed = 364
    command = [sys.executable, "-m", "simulation", "--backend", "urlfrontier", "--trace", str(seed)]
    printed = subprocess.run(
        command,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    with no_warnings():
        traces = [run_plan(make_plan(each, "urlfrontier")).trace for each in (seed, seed + 1, seed)]
    assert traces[0] == traces[2] == printed.strip()
    assert traces[1] != traces[0]
