"""Crawls in simulated time: whatever happens to them, the rules of `simulation.crawl` hold."""

import pytest
from simulation.crawl import make_plan, no_warnings, run_seed
from simulation.defects import DEFECTS, Defect, with_defect

# Seeds that found a defect, by its name.
NAMED: dict[str, int] = {}
# The largest number of seeds that a defect needs, of those with many. The others need fewer than ten.
SEEDS = {"endless-attempts": 40, "wall-clock": 150}


def broken_rules(seeds: range) -> list[str]:
    with no_warnings():
        return [f"seed {seed}: {broken}" for seed in seeds if (broken := run_seed(seed)) is not None]


def test_a_few_crawls() -> None:
    assert broken_rules(range(20)) == []


@pytest.mark.service
@pytest.mark.parametrize("first", range(0, 500, 50))
def test_crawls(first: int) -> None:
    assert broken_rules(range(first, first + 50)) == []


@pytest.mark.parametrize("seed", NAMED.values(), ids=NAMED)
def test_seeds_that_found_a_defect(seed: int) -> None:
    assert broken_rules(range(seed, seed + 1)) == []


def test_a_seed_gives_the_same_crawl_every_time() -> None:
    # The functions of the sites are new ones each time.
    plans = [[make_plan(seed)._replace(sites=[]) for seed in range(50)] for _ in range(2)]
    assert plans[0] == plans[1]


@pytest.mark.service
@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_defects_are_found(defect: Defect) -> None:
    with no_warnings(), with_defect(defect):
        assert any(run_seed(seed) is not None for seed in range(SEEDS.get(defect.name, 30)))
