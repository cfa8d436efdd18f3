"""Generated archives have the published marginals of their population, as `canfetch study` counts them."""

import math

import pytest
from benchmarks.marginals import HOSTS, STANDARD_ERRORS, Marginal, Mean, marginals, means, measure, tables
from benchmarks.populations import POPULATIONS
from tests.docs.blocks import ROOT

PAGE = ROOT / "docs" / "generated-archives.md"


# The documented number of hosts takes ten seconds for each population. The bounds follow from the number of hosts.
@pytest.mark.slow
@pytest.mark.parametrize("hosts", [3_000, pytest.param(HOSTS, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("population", POPULATIONS)
def test_generated_figures_are_within_the_sampling_error(population: str, hosts: int) -> None:
    measured = measure(population, hosts)
    found = marginals(population, measured)
    assert len(found) > 40
    assert [marginal for marginal in found if marginal.deviation > STANDARD_ERRORS] == []
    # Each share alone may be off by chance, but not all of them by more than the sampling error.
    assert math.sqrt(sum(marginal.deviation**2 for marginal in found) / len(found)) < 1.2
    if population != "top-sites":
        assert [mean for mean in means(measured) if mean.deviation > STANDARD_ERRORS] == []
    documented = PAGE.read_text(encoding="utf-8").partition(f"\n### {population}\n")[2].partition("\n### ")[0]
    assert published(documented) == published(tables(population, measured))


def published(table: str) -> list[list[str]]:
    """Return the rows without the generated figures, which could differ between versions of Python."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line]
    return [[cells[0], *cells[1::2]] for cells in rows]


def test_a_share_that_is_missing_is_a_deviation() -> None:
    # Of 1,217 files that name Googlebot, none disallows it everything.
    assert Marginal("", "Googlebot", 0.0183, 0.000_05, 1_217, 0.0).deviation > STANDARD_ERRORS
    assert Marginal("", "no-text", 0.0, 0.0, 20_000, 0.0).deviation == 0
    assert Marginal("", "no-text", 0.0, 0.0, 20_000, 0.001).deviation == math.inf
    # 4.5 % is any share from 4.45 % to 4.55 %.
    assert Marginal("", "GPTBot", 0.045, 0.0005, 20_000, 0.0454).deviation == 0
    assert Mean("bytes", 464.0, 500.0, 4.0).deviation == 9
